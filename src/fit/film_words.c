/* SPDX-License-Identifier: Apache-2.0
 * See film_words.h. Options of ffmpeg 4.3 and later; what they mean stands in ffmpeg(1),
 * ffmpeg-formats(1) and ffmpeg-codecs(1). */
#include "film_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "count_of.h"

#define INPUT "file:/proc/self/fd/0"
#define OUTPUT "file:/proc/self/fd/3"
#define AUDIO_BITS "128k"
#define QUALITY "21" /* of x264: 0 to 51, less is better; 23 is its own choice */
#define THREADS "2"

/* What a camera, a browser or an editor writes, and no more of ffmpeg's hundreds. */
#define DECODERS \
	"h264,hevc,vp8,vp9,libvpx,libvpx-vp9,libdav1d,libaom-av1,av1,mpeg4,prores,mjpeg,aac,mp3," \
	"mp3float,opus,libopus,vorbis,ac3,eac3,flac,alac,pcm_s16le,pcm_s16be,pcm_s24le," \
	"pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8"

static void put(struct film_words *words, const char *const *added, size_t count)
{
	for (size_t i = 0; i < count && words->count < FILM_WORDS_MAX - 1; i++)
		words->words[words->count++] = added[i];
}

#define PUT(words, ...) \
	put(words, (const char *const[]){__VA_ARGS__}, \
	    COUNT_OF(((const char *const[]){__VA_ARGS__})))

/* A word that is made; the few that there are have room. */
static const char *text(struct film_words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *text(struct film_words *words, const char *format, ...)
{
	char *at = words->text + words->text_len;
	const size_t room = sizeof(words->text) - words->text_len;
	va_list arguments;
	va_start(arguments, format);
	const int len = vsnprintf(at, room, format, arguments);
	va_end(arguments);
	words->text_len += len >= 0 && (size_t)len < room ? (size_t)len + 1 : 0;
	return at;
}

/* Data references of QuickTime name other files, and are not followed. */
static void put_input(struct film_words *words, const struct film_order *order)
{
	PUT(words, "-protocol_whitelist", "file", "-codec_whitelist", DECODERS, "-threads",
	    THREADS);
	if (order->is_matroska)
		PUT(words, "-format_whitelist", "matroska,webm", "-f", "matroska");
	else
		PUT(words, "-format_whitelist", "mov,mp4", "-f", "mov", "-enable_drefs", "0",
		    "-use_absolute_path", "0");
	PUT(words, "-i", INPUT);
}

/* H.264 has 4:2:0 of even sides only. */
static const char *filters(struct film_words *words, const struct film_order *order)
{
	const char *scale = order->width > 0 ? text(words, "scale=%" PRId64 ":%" PRId64,
						    order->width, order->height)
					     : "scale=trunc(iw/2)*2:trunc(ih/2)*2";
	return order->frame_rate_max > 0 ? text(words, "fps=%" PRId64 ",%s,setsar=1,format=yuv420p",
						order->frame_rate_max, scale)
					 : text(words, "%s,setsar=1,format=yuv420p", scale);
}

static void put_video(struct film_words *words, const struct film_order *order)
{
	if (order->copies_video) {
		PUT(words, "-c:v", "copy");
		if (order->is_hevc)
			PUT(words, "-tag:v", "hvc1");
		return;
	}
	PUT(words, "-c:v", "libx264", "-preset", "veryfast", "-crf", QUALITY, "-profile:v", "high",
	    "-vf", filters(words, order), "-force_key_frames", "expr:gte(t,n_forced*2)", "-threads",
	    THREADS);
	if (order->video_bits_s > 0)
		PUT(words, "-maxrate", text(words, "%" PRId64, order->video_bits_s), "-bufsize",
		    text(words, "%" PRId64, order->video_bits_s));
}

static void put_audio(struct film_words *words, const struct film_order *order)
{
	if (order->copies_audio)
		PUT(words, "-c:a", "copy");
	else
		PUT(words, "-c:a", "aac", "-b:a", AUDIO_BITS, "-ar", "48000", "-ac", "2");
}

void film_words_make(const struct film_order *order, struct film_words *words_out)
{
	struct film_words *words = words_out;
	words->count = words->text_len = 0;
	PUT(words, "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-nostats", "-y",
	    "-filter_threads", "1", "-progress", "pipe:1");
	put_input(words, order);
	/* The first pictures that are no cover, the first sound, nothing beside. */
	PUT(words, "-map", "0:V:0", "-map", "0:a:0?", "-sn", "-dn", "-map_metadata", "-1",
	    "-map_chapters", "-1");
	put_video(words, order);
	put_audio(words, order);
	PUT(words, "-max_muxing_queue_size", "4096", "-movflags", "+faststart", "-f", "mp4",
	    OUTPUT);
	words->words[words->count] = NULL;
}

static const struct {
	const char *said;
	enum film_outcome outcome;
} complaints[] = {
	{"No space left on device", FILM_NO_SPACE}, {"Disk quota exceeded", FILM_NO_SPACE},
	{"Unknown encoder", FILM_NO_ENCODER},       {"File too large", FILM_TOO_LARGE},
	{"not in whitelist", FILM_UNREADABLE},      {"not on whitelist", FILM_UNREADABLE},
	{"Decoder (codec", FILM_UNREADABLE},        {"Could not find codec", FILM_UNREADABLE},
	{"Decoding requested", FILM_UNREADABLE},
};

enum film_outcome film_words_judge(struct str said)
{
	for (size_t i = 0; i < COUNT_OF(complaints); i++) {
		if (str_find(said, str_of(complaints[i].said), 0) != SIZE_MAX)
			return complaints[i].outcome;
	}
	return FILM_BROKEN;
}
