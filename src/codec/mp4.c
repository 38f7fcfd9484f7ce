/* SPDX-License-Identifier: Apache-2.0
 * See mp4.h. A box is a length, a name and content; some boxes hold boxes. The walk goes into the
 * few that lead to what is wanted and steps over all others; it goes forward by at least a box's
 * head each time, no deeper than the names below allow, and never looks at more than BOXES_MAX. */
#include "mp4.h"

#include <stdlib.h>

#include "count_of.h"

#define BOXES_MAX 4096 /* a fragmented film of hours has thousands, but its moov comes first */
#define BOX_NAME(a, b, c, d) \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum box_name {
	BOX_MOOV = BOX_NAME('m', 'o', 'o', 'v'),
	BOX_MVHD = BOX_NAME('m', 'v', 'h', 'd'),
	BOX_MVEX = BOX_NAME('m', 'v', 'e', 'x'),
	BOX_MEHD = BOX_NAME('m', 'e', 'h', 'd'),
	BOX_TRAK = BOX_NAME('t', 'r', 'a', 'k'),
	BOX_TKHD = BOX_NAME('t', 'k', 'h', 'd'),
	BOX_MDIA = BOX_NAME('m', 'd', 'i', 'a'),
	BOX_HDLR = BOX_NAME('h', 'd', 'l', 'r'),
	BOX_MDHD = BOX_NAME('m', 'd', 'h', 'd'),
	BOX_MINF = BOX_NAME('m', 'i', 'n', 'f'),
	BOX_STBL = BOX_NAME('s', 't', 'b', 'l'),
	BOX_STSD = BOX_NAME('s', 't', 's', 'd'),
	BOX_STSZ = BOX_NAME('s', 't', 's', 'z'),
	BOX_AVCC = BOX_NAME('a', 'v', 'c', 'C'),
	BOX_MDAT = BOX_NAME('m', 'd', 'a', 't'),
	HANDLER_VIDEO = BOX_NAME('v', 'i', 'd', 'e'),
	HANDLER_SOUND = BOX_NAME('s', 'o', 'u', 'n'),
};

/* Names of sample entries (the registration authority of MP4, mp4ra.org; QuickTime's own). */
static const struct {
	uint32_t name;
	enum film_codec codec;
} entry_codecs[] = {
	{BOX_NAME('a', 'v', 'c', '1'), FILM_CODEC_H264},
	{BOX_NAME('a', 'v', 'c', '3'), FILM_CODEC_H264},
	{BOX_NAME('h', 'v', 'c', '1'), FILM_CODEC_HEVC},
	{BOX_NAME('h', 'e', 'v', '1'), FILM_CODEC_HEVC},
	{BOX_NAME('d', 'v', 'h', '1'), FILM_CODEC_HEVC},
	{BOX_NAME('d', 'v', 'h', 'e'), FILM_CODEC_HEVC},
	{BOX_NAME('v', 'p', '0', '8'), FILM_CODEC_VP8},
	{BOX_NAME('v', 'p', '0', '9'), FILM_CODEC_VP9},
	{BOX_NAME('a', 'v', '0', '1'), FILM_CODEC_AV1},
	{BOX_NAME('m', 'p', '4', 'v'), FILM_CODEC_MPEG4},
	{BOX_NAME('a', 'p', 'c', 'h'), FILM_CODEC_PRORES},
	{BOX_NAME('a', 'p', 'c', 'n'), FILM_CODEC_PRORES},
	{BOX_NAME('a', 'p', 'c', 's'), FILM_CODEC_PRORES},
	{BOX_NAME('a', 'p', 'c', 'o'), FILM_CODEC_PRORES},
	{BOX_NAME('a', 'p', '4', 'h'), FILM_CODEC_PRORES},
	{BOX_NAME('a', 'p', '4', 'x'), FILM_CODEC_PRORES},
	{BOX_NAME('j', 'p', 'e', 'g'), FILM_CODEC_MJPEG},
	{BOX_NAME('m', 'j', 'p', 'a'), FILM_CODEC_MJPEG},
	{BOX_NAME('m', 'j', 'p', 'b'), FILM_CODEC_MJPEG},
	{BOX_NAME('m', 'p', '4', 'a'), FILM_CODEC_AAC},
	{BOX_NAME('.', 'm', 'p', '3'), FILM_CODEC_MP3},
	{BOX_NAME('O', 'p', 'u', 's'), FILM_CODEC_OPUS},
	{BOX_NAME('a', 'c', '-', '3'), FILM_CODEC_AC3},
	{BOX_NAME('e', 'c', '-', '3'), FILM_CODEC_AC3},
	{BOX_NAME('f', 'L', 'a', 'C'), FILM_CODEC_FLAC},
	{BOX_NAME('a', 'l', 'a', 'c'), FILM_CODEC_ALAC},
	{BOX_NAME('s', 'o', 'w', 't'), FILM_CODEC_PCM},
	{BOX_NAME('t', 'w', 'o', 's'), FILM_CODEC_PCM},
	{BOX_NAME('l', 'p', 'c', 'm'), FILM_CODEC_PCM},
	{BOX_NAME('i', 'n', '2', '4'), FILM_CODEC_PCM},
	{BOX_NAME('i', 'n', '3', '2'), FILM_CODEC_PCM},
	{BOX_NAME('r', 'a', 'w', ' '), FILM_CODEC_PCM},
};

/* What an entry for pictures has before its own boxes (8.5.2, 12.1.3.2). */
#define VISUAL_ENTRY_BYTES 78

#define TKHD_IS_ENABLED 1

struct track {
	bool is_video;
	bool is_sound;
	enum film_codec codec;
	bool has_rare_colours;
	uint32_t samples;   /* pictures; 0 = not known */
	uint32_t own_scale; /* the track's own time scale */
	uint64_t own_duration;
	bool is_enabled;
	uint64_t duration; /* in the film's time scale */
	uint32_t width, height;
};

struct walk {
	const struct byte_source *source;
	int boxes_left;
	uint32_t time_scale;
	uint64_t duration;          /* of the film's own head */
	uint64_t fragment_duration; /* of a film in fragments */
	struct track track;         /* the one being walked */
	struct track shown;         /* the one to report */
	bool has_sound;
	enum film_codec sound; /* of the first track of sound */
};

struct box {
	uint32_t name;
	int64_t at; /* of the content */
	int64_t end;
};

static uint32_t be32(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;
	return BOX_NAME(b[0], b[1], b[2], b[3]);
}

static uint64_t be64(const char *bytes)
{
	return (uint64_t)be32(bytes) << 32 | be32(bytes + 4);
}

/* The box at `at` inside what ends at `end`. False when there is none that makes sense. */
static bool box_read(struct walk *walk, int64_t at, int64_t end, struct box *box_out)
{
	char head[16];
	int64_t head_bytes = 8;
	if (walk->boxes_left-- <= 0 || end - at < 8 || !byte_source_read(walk->source, at, head, 8))
		return false;
	uint64_t size = be32(head);
	if (size == 1) { /* the real length follows in 64 bits */
		if (end - at < 16 || !byte_source_read(walk->source, at, head, 16))
			return false;
		size = be64(head + 8);
		head_bytes = 16;
	} else if (size == 0) { /* up to the end */
		size = (uint64_t)(end - at);
	}
	if (size < (uint64_t)head_bytes || size > (uint64_t)(end - at))
		return false;
	*box_out = (struct box){be32(head + 4), at + head_bytes, at + (int64_t)size};
	return true;
}

/* The content's first len bytes. */
static bool content_read(const struct walk *walk, const struct box *box, char *out, size_t len)
{
	return box->end - box->at >= (int64_t)len &&
	       byte_source_read(walk->source, box->at, out, len);
}

/* All ones stand for "not known" (8.2.2.3). */
static uint64_t duration_read(const char *bytes, bool is_long)
{
	const uint64_t duration = is_long ? be64(bytes) : be32(bytes);
	return duration == (is_long ? UINT64_MAX : UINT32_MAX) ? 0 : duration;
}

struct times {
	uint32_t scale;
	uint64_t duration;
};

/* How mvhd and mdhd begin. Version 1 has instants and durations of 64 bits instead of 32. */
static bool times_read(struct walk *walk, const struct box *box, struct times *out)
{
	char content[32];
	if (!content_read(walk, box, content, 20))
		return false;
	const bool is_long = content[0] == 1;
	if (is_long && !content_read(walk, box, content, 32))
		return false;
	*out = (struct times){be32(content + (is_long ? 20 : 12)),
			      duration_read(content + (is_long ? 24 : 16), is_long)};
	return true;
}

static void read_mvhd(struct walk *walk, const struct box *box)
{
	struct times times;
	if (!times_read(walk, box, &times))
		return;
	walk->time_scale = times.scale;
	walk->duration = times.duration;
}

static void read_mehd(struct walk *walk, const struct box *box)
{
	char content[12];
	if (!content_read(walk, box, content, 8))
		return;
	const bool is_long = content[0] == 1;
	if (!is_long || content_read(walk, box, content, 12))
		walk->fragment_duration = duration_read(content + 4, is_long);
}

/* A matrix that gives the height of the picture to the width of the screen turns it by a quarter
 * (8.3.2.3). */
static bool is_turned(const char *matrix)
{
	const int64_t a = (int32_t)be32(matrix);
	const int64_t b = (int32_t)be32(matrix + 4);
	return llabs(b) > llabs(a);
}

static void read_tkhd(struct walk *walk, const struct box *box)
{
	char content[96];
	if (!content_read(walk, box, content, 84))
		return;
	const bool is_long = content[0] == 1;
	if (is_long && !content_read(walk, box, content, 96))
		return;
	const size_t matrix_at = is_long ? 52 : 40;
	const uint32_t width = be32(content + matrix_at + 36) >> 16; /* 16.16 */
	const uint32_t height = be32(content + matrix_at + 40) >> 16;
	const bool turned = is_turned(content + matrix_at);
	walk->track.is_enabled = (content[3] & TKHD_IS_ENABLED) != 0;
	walk->track.duration = duration_read(content + (is_long ? 28 : 20), is_long);
	walk->track.width = turned ? height : width;
	walk->track.height = turned ? width : height;
}

static void read_hdlr(struct walk *walk, const struct box *box)
{
	char content[12];
	if (!content_read(walk, box, content, sizeof(content)))
		return;
	walk->track.is_video = walk->track.is_video || be32(content + 8) == HANDLER_VIDEO;
	walk->track.is_sound = walk->track.is_sound || be32(content + 8) == HANDLER_SOUND;
}

static void read_mdhd(struct walk *walk, const struct box *box)
{
	struct times times;
	if (!times_read(walk, box, &times))
		return;
	walk->track.own_scale = times.scale;
	walk->track.own_duration = times.duration;
}

static void read_stsz(struct walk *walk, const struct box *box)
{
	char content[12];
	if (content_read(walk, box, content, sizeof(content)))
		walk->track.samples = be32(content + 8);
}

static enum film_codec codec_of_entry(uint32_t name)
{
	for (size_t i = 0; i < COUNT_OF(entry_codecs); i++) {
		if (entry_codecs[i].name == name)
			return entry_codecs[i].codec;
	}
	return FILM_CODEC_OTHER;
}

static void read_avc_profile(struct walk *walk, const struct box *entry)
{
	struct box box;
	char content[2];
	for (int64_t at = entry->at + VISUAL_ENTRY_BYTES; box_read(walk, at, entry->end, &box);
	     at = box.end) {
		if (box.name == BOX_AVCC && content_read(walk, &box, content, sizeof(content)))
			walk->track.has_rare_colours =
				!film_avc_is_common(content, sizeof(content));
	}
}

/* Of several entries the first: a track that changes its codec is nobody's. */
static void read_stsd(struct walk *walk, const struct box *box)
{
	struct box entry;
	if (!box_read(walk, box->at + 8, box->end, &entry))
		return;
	walk->track.codec = codec_of_entry(entry.name);
	if (walk->track.codec == FILM_CODEC_H264)
		read_avc_profile(walk, &entry);
}

/* The first picture that is shown; one that is switched off only for want of another. */
static void end_track(struct walk *walk)
{
	const struct track *track = &walk->track;
	if (track->is_sound && !walk->has_sound) {
		walk->has_sound = true;
		walk->sound = track->codec;
	}
	if (!track->is_video || track->width == 0 || track->height == 0)
		return;
	if (walk->shown.width == 0 || (track->is_enabled && !walk->shown.is_enabled))
		walk->shown = *track;
}

struct visit {
	enum box_name name;
	enum box_name inside;
	bool holds_boxes;
	void (*read)(struct walk *walk, const struct box *box);
};

/* Parents before children: the depth is bounded by this table. */
static const struct visit visits[] = {
	{BOX_MVHD, BOX_MOOV, false, read_mvhd}, {BOX_MVEX, BOX_MOOV, true, NULL},
	{BOX_MEHD, BOX_MVEX, false, read_mehd}, {BOX_TRAK, BOX_MOOV, true, NULL},
	{BOX_TKHD, BOX_TRAK, false, read_tkhd}, {BOX_MDIA, BOX_TRAK, true, NULL},
	{BOX_HDLR, BOX_MDIA, false, read_hdlr}, {BOX_MDHD, BOX_MDIA, false, read_mdhd},
	{BOX_MINF, BOX_MDIA, true, NULL},       {BOX_STBL, BOX_MINF, true, NULL},
	{BOX_STSD, BOX_STBL, false, read_stsd}, {BOX_STSZ, BOX_STBL, false, read_stsz},
};

static const struct visit *visit_of(uint32_t name, uint32_t inside)
{
	for (size_t i = 0; i < COUNT_OF(visits); i++) {
		if (visits[i].name == name && visits[i].inside == inside)
			return &visits[i];
	}
	return NULL;
}

static void walk_box(struct walk *walk, const struct box *parent)
{
	struct box box;
	for (int64_t at = parent->at; box_read(walk, at, parent->end, &box); at = box.end) {
		const struct visit *visit = visit_of(box.name, parent->name);
		if (visit == NULL)
			continue;
		if (box.name == BOX_TRAK)
			walk->track = (struct track){0};
		if (visit->holds_boxes)
			walk_box(walk, &box);
		else
			visit->read(walk, &box);
		if (box.name == BOX_TRAK)
			end_track(walk);
	}
}

static int64_t milliseconds(uint64_t duration, uint32_t time_scale)
{
	if (time_scale == 0 || duration > (uint64_t)INT64_MAX / 1000)
		return 0;
	return (int64_t)(duration * 1000 / time_scale);
}

#define FRAME_RATE_MAX_MILLI 1000000

static uint32_t frame_rate_milli(const struct track *track)
{
	const uint64_t pictures_scaled = (uint64_t)track->samples * track->own_scale;
	if (track->own_duration == 0 || pictures_scaled > UINT64_MAX / 1000)
		return 0;
	const uint64_t rate = pictures_scaled * 1000 / track->own_duration;
	return rate <= FRAME_RATE_MAX_MILLI ? (uint32_t)rate : 0;
}

/* Without a picture track nothing is said of the sound either. */
static struct film film_of(const struct walk *walk, bool is_index_last)
{
	if (walk->shown.width == 0)
		return (struct film){.is_index_last = is_index_last};
	return (struct film){.video = walk->shown.codec,
			     .audio = walk->has_sound ? walk->sound : FILM_CODEC_NONE,
			     .has_rare_colours = walk->shown.has_rare_colours,
			     .is_index_last = is_index_last,
			     .frame_rate_milli = frame_rate_milli(&walk->shown)};
}

struct mp4_film mp4_probe(const struct byte_source *source)
{
	struct walk walk = {.source = source, .boxes_left = BOXES_MAX};
	struct box box;
	bool has_pictures_first = false;
	bool is_index_last = false;
	for (int64_t at = 0; box_read(&walk, at, source->size_bytes, &box); at = box.end) {
		has_pictures_first = has_pictures_first || box.name == BOX_MDAT;
		if (box.name != BOX_MOOV)
			continue;
		is_index_last = has_pictures_first;
		walk_box(&walk, &box);
		break;
	}
	uint64_t duration = walk.duration != 0 ? walk.duration : walk.fragment_duration;
	if (duration == 0)
		duration = walk.shown.duration;
	return (struct mp4_film){
		.duration_ms = milliseconds(duration, walk.time_scale),
		.width = walk.shown.width,
		.height = walk.shown.height,
		.film = film_of(&walk, is_index_last),
	};
}
