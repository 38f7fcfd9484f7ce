/* SPDX-License-Identifier: Apache-2.0
 * See film.h. */
#include "film.h"

#include "count_of.h"

static const char *const names[FILM_CODEC_COUNT] = {
	[FILM_CODEC_UNKNOWN] = "",      [FILM_CODEC_NONE] = "",
	[FILM_CODEC_OTHER] = "another", [FILM_CODEC_H264] = "h264",
	[FILM_CODEC_HEVC] = "hevc",     [FILM_CODEC_VP8] = "vp8",
	[FILM_CODEC_VP9] = "vp9",       [FILM_CODEC_AV1] = "av1",
	[FILM_CODEC_MPEG4] = "mpeg4",   [FILM_CODEC_PRORES] = "prores",
	[FILM_CODEC_MJPEG] = "mjpeg",   [FILM_CODEC_AAC] = "aac",
	[FILM_CODEC_MP3] = "mp3",       [FILM_CODEC_OPUS] = "opus",
	[FILM_CODEC_VORBIS] = "vorbis", [FILM_CODEC_AC3] = "ac3",
	[FILM_CODEC_FLAC] = "flac",     [FILM_CODEC_ALAC] = "alac",
	[FILM_CODEC_PCM] = "pcm",
};

const char *film_codec_name(enum film_codec codec)
{
	return names[codec];
}

/* ISO/IEC 14496-15 5.2.4.1: a version, then AVCProfileIndication. */
bool film_avc_is_common(const char *bytes, uint32_t len)
{
	static const unsigned char common[] = {66, 77, 88, 100};
	if (len < 2)
		return true;
	for (unsigned i = 0; i < COUNT_OF(common); i++) {
		if ((unsigned char)bytes[1] == common[i])
			return true;
	}
	return false;
}
