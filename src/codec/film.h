/* SPDX-License-Identifier: Apache-2.0
 * What the streams of a film are coded as, in whatever container. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum film_codec {
	FILM_CODEC_UNKNOWN, /* not known whether there is such a stream */
	FILM_CODEC_NONE,    /* there is no such stream */
	FILM_CODEC_OTHER,   /* one that has no row here */
	FILM_CODEC_H264,
	FILM_CODEC_HEVC,
	FILM_CODEC_VP8,
	FILM_CODEC_VP9,
	FILM_CODEC_AV1,
	FILM_CODEC_MPEG4,
	FILM_CODEC_PRORES,
	FILM_CODEC_MJPEG,
	FILM_CODEC_AAC,
	FILM_CODEC_MP3,
	FILM_CODEC_OPUS,
	FILM_CODEC_VORBIS,
	FILM_CODEC_AC3,
	FILM_CODEC_FLAC,
	FILM_CODEC_ALAC,
	FILM_CODEC_PCM,
	FILM_CODEC_COUNT
};

#define FILM_CODEC_BIT(codec) (1u << (codec))

/* What the operator lets be done with films that a platform does not take as they are. */
enum film_mode {
	FILM_MODE_OFF,
	FILM_MODE_REMUX,    /* the streams are copied into an MP4 */
	FILM_MODE_TRANSCODE /* and coded anew where they must be */
};

struct film {
	enum film_codec video; /* of the first picture track that is shown */
	enum film_codec audio; /* of the first sound track */
	/* H.264 with more than 8 bits or less than the usual saving of colours (not 4:2:0) */
	bool has_rare_colours;
	bool is_index_last;        /* an MP4 or MOV whose moov follows its pictures */
	uint32_t frame_rate_milli; /* pictures in 1,000 s, on average; 0 = not known */
};

/* "h264", "aac"; "" when it is UNKNOWN or NONE. */
const char *film_codec_name(enum film_codec codec);
/* Of the first bytes of an avcC box or an H.264 CodecPrivate: is its profile one that every player
 * has (Baseline, Main, Extended, High)? True when there are too few bytes. */
bool film_avc_is_common(const char *bytes, uint32_t len);
