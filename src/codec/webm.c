/* SPDX-License-Identifier: Apache-2.0
 * See webm.h. Everything in EBML is an id, a size and content; masters hold elements. */
#include "webm.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "count_of.h"

#define TIMESTAMP_SCALE_DEFAULT_NS 1000000 /* RFC 9559 5.1.2.9 */
#define NS_PER_MS 1000000.0
#define DURATION_MAX_MS 1e15

enum element_id {
	ID_HEADER = 0x1a45dfa3,
	ID_DOC_TYPE = 0x4282,
	ID_SEGMENT = 0x18538067,
	ID_INFO = 0x1549a966,
	ID_TIMESTAMP_SCALE = 0x2ad7b1,
	ID_DURATION = 0x4489,
	ID_TRACKS = 0x1654ae6b,
	ID_TRACK_ENTRY = 0xae,
	ID_CODEC = 0x86,
	ID_CODEC_PRIVATE = 0x63a2,
	ID_DEFAULT_DURATION = 0x23e383,
	ID_VIDEO = 0xe0,
	ID_PIXEL_WIDTH = 0xb0,
	ID_PIXEL_HEIGHT = 0xba,
};

struct element {
	uint64_t id;
	struct str content; /* cut where the bytes end */
	bool is_whole;
};

/* A number (RFC 8794 4): the first byte's leading zeros say how many bytes follow. Ids keep the
 * marking bit. */
static bool take_vint(struct str *in, bool keeps_mark, uint64_t *out, bool *is_unknown_out)
{
	if (in->len == 0 || in->ptr[0] == 0)
		return false;
	const unsigned char first = (unsigned char)in->ptr[0];
	size_t len = 1;
	while ((first & (0x80U >> (len - 1))) == 0)
		len++;
	if (in->len < len)
		return false;
	const uint64_t mask = 0xffU >> len;
	uint64_t value = keeps_mark ? first : first & mask;
	bool is_all_ones = (first & mask) == mask;
	for (size_t i = 1; i < len; i++) {
		const unsigned char byte = (unsigned char)in->ptr[i];
		value = value << 8 | byte;
		is_all_ones = is_all_ones && byte == 0xff;
	}
	*in = str_slice(*in, len, in->len);
	*out = value;
	*is_unknown_out = is_all_ones;
	return true;
}

/* A size of all ones is not known: the element goes on to the end of what is here. */
static bool take_element(struct str *in, struct element *element_out)
{
	struct str rest = *in;
	uint64_t id, size;
	bool is_unknown;
	if (!take_vint(&rest, true, &id, &is_unknown) ||
	    !take_vint(&rest, false, &size, &is_unknown))
		return false;
	const size_t len = is_unknown || size > rest.len ? rest.len : (size_t)size;
	*element_out = (struct element){id, str_slice(rest, 0, len), !is_unknown && size == len};
	*in = str_slice(rest, len, rest.len);
	return true;
}

static bool is_of_type(struct str first_bytes, struct str doc_type)
{
	struct element header, element;
	if (!take_element(&first_bytes, &header) || header.id != ID_HEADER)
		return false;
	while (take_element(&header.content, &element)) {
		if (element.id == ID_DOC_TYPE)
			return element.is_whole && str_equal(element.content, doc_type);
	}
	return false;
}

bool webm_is(struct str first_bytes)
{
	return is_of_type(first_bytes, STR("webm"));
}

bool webm_is_matroska(struct str first_bytes)
{
	return is_of_type(first_bytes, STR("matroska"));
}

static uint64_t number_of(struct str content)
{
	uint64_t value = 0;
	for (size_t i = 0; i < content.len && i < 8; i++)
		value = value << 8 | (unsigned char)content.ptr[i];
	return value;
}

/* Big-endian IEEE 754, 4 or 8 bytes. */
static double float_of(struct str content)
{
	const uint64_t bits = number_of(content);
	const uint32_t short_bits = (uint32_t)bits;
	double value = 0;
	float short_value = 0;
	if (content.len == 8)
		memcpy(&value, &bits, sizeof(value));
	else if (content.len == 4)
		memcpy(&short_value, &short_bits, sizeof(short_value));
	return content.len == 4 ? (double)short_value : value;
}

/* A codec's id, or its beginning (the Matroska codec registry, draft-ietf-cellar-codec). */
static const struct {
	const char *id;
	enum film_codec codec;
} codecs[] = {
	{"V_MPEG4/ISO/AVC", FILM_CODEC_H264},
	{"V_MPEGH/ISO/HEVC", FILM_CODEC_HEVC},
	{"V_VP8", FILM_CODEC_VP8},
	{"V_VP9", FILM_CODEC_VP9},
	{"V_AV1", FILM_CODEC_AV1},
	{"V_MPEG4/ISO/", FILM_CODEC_MPEG4},
	{"V_PRORES", FILM_CODEC_PRORES},
	{"V_MJPEG", FILM_CODEC_MJPEG},
	{"V_", FILM_CODEC_OTHER},
	{"A_AAC", FILM_CODEC_AAC},
	{"A_MPEG/L3", FILM_CODEC_MP3},
	{"A_OPUS", FILM_CODEC_OPUS},
	{"A_VORBIS", FILM_CODEC_VORBIS},
	{"A_AC3", FILM_CODEC_AC3},
	{"A_EAC3", FILM_CODEC_AC3},
	{"A_FLAC", FILM_CODEC_FLAC},
	{"A_ALAC", FILM_CODEC_ALAC},
	{"A_PCM/", FILM_CODEC_PCM},
	{"A_", FILM_CODEC_OTHER},
};

static enum film_codec codec_of(struct str id)
{
	for (size_t i = 0; i < COUNT_OF(codecs); i++) {
		if (str_has_prefix(id, str_of(codecs[i].id)))
			return codecs[i].codec;
	}
	return FILM_CODEC_UNKNOWN;
}

struct track {
	struct str codec_id;
	struct str codec_private;
	uint64_t picture_ns; /* 0 = not known */
};

struct found {
	double duration; /* in units of scale_ns */
	uint64_t scale_ns;
	uint64_t width, height;
	struct track track; /* the one being walked */
	bool has_tracks;
	struct film film;
};

#define NS_PER_1000_S UINT64_C(1000000000000)
#define FRAME_RATE_MAX_MILLI 1000000

static void end_track(struct found *found)
{
	const struct track *track = &found->track;
	const enum film_codec codec = codec_of(track->codec_id);
	struct film *film = &found->film;
	if (str_has_prefix(track->codec_id, STR("V_")) && film->video == FILM_CODEC_UNKNOWN) {
		const uint64_t rate = track->picture_ns > 0 ? NS_PER_1000_S / track->picture_ns : 0;
		film->video = codec;
		film->frame_rate_milli = rate <= FRAME_RATE_MAX_MILLI ? (uint32_t)rate : 0;
		film->has_rare_colours =
			codec == FILM_CODEC_H264 &&
			!film_avc_is_common(track->codec_private.ptr,
					    (uint32_t)(track->codec_private.len & 0xff));
	} else if (str_has_prefix(track->codec_id, STR("A_")) &&
		   film->audio == FILM_CODEC_UNKNOWN) {
		film->audio = codec;
	}
	found->track = (struct track){0};
}

static bool is_master(uint64_t id)
{
	return id == ID_SEGMENT || id == ID_INFO || id == ID_TRACKS || id == ID_TRACK_ENTRY ||
	       id == ID_VIDEO;
}

static void note(struct found *found, const struct element *element)
{
	if (!element->is_whole)
		return;
	if (element->id == ID_CODEC)
		found->track.codec_id = element->content;
	else if (element->id == ID_CODEC_PRIVATE)
		found->track.codec_private = str_slice(element->content, 0, 2);
	else if (element->id == ID_DEFAULT_DURATION)
		found->track.picture_ns = number_of(element->content);
	if (element->id == ID_TIMESTAMP_SCALE)
		found->scale_ns = number_of(element->content);
	else if (element->id == ID_DURATION)
		found->duration = float_of(element->content);
	else if (element->id == ID_PIXEL_WIDTH && found->width == 0)
		found->width = number_of(element->content);
	else if (element->id == ID_PIXEL_HEIGHT && found->height == 0)
		found->height = number_of(element->content);
}

/* A master's content follows its head directly, so that stepping into it is going on. Every element
 * is at least two bytes. */
static void walk(struct str in, struct found *found)
{
	struct element element;
	for (struct str rest = in; take_element(&rest, &element);) {
		if (element.id == ID_TRACK_ENTRY)
			end_track(found);
		found->has_tracks =
			found->has_tracks || (element.id == ID_TRACKS && element.is_whole);
		if (is_master(element.id))
			rest = str_slice(in, (size_t)(element.content.ptr - in.ptr), in.len);
		else
			note(found, &element);
	}
}

/* Where the tracks are not all here, there may be sound further in. */
static void end_tracks(struct found *found)
{
	end_track(found);
	if (found->has_tracks && found->film.video != FILM_CODEC_UNKNOWN &&
	    found->film.audio == FILM_CODEC_UNKNOWN)
		found->film.audio = FILM_CODEC_NONE;
}

static bool is_size(uint64_t pixels)
{
	return pixels > 0 && pixels <= UINT32_MAX;
}

struct webm_film webm_probe(struct str first_bytes)
{
	struct found found = {.scale_ns = TIMESTAMP_SCALE_DEFAULT_NS};
	struct webm_film film = {0};
	walk(first_bytes, &found);
	end_tracks(&found);
	film.film = found.film;
	const double duration_ms = found.duration * (double)found.scale_ns / NS_PER_MS;
	if (isfinite(duration_ms) && duration_ms >= 1 && duration_ms < DURATION_MAX_MS)
		film.duration_ms = (int64_t)duration_ms;
	if (is_size(found.width) && is_size(found.height)) {
		film.width = (uint32_t)found.width;
		film.height = (uint32_t)found.height;
	}
	return film;
}
