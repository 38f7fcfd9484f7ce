/* SPDX-License-Identifier: Apache-2.0
 * See strip.h. Each format is a list of parts with a length: the walk over them is bounded by the
 * bytes, since every step goes forward. */
#include "strip.h"

#include <string.h>

#include "count_of.h"

#define CHUNK_BYTES 16384

struct strip {
	const struct byte_source *source;
	const struct strip_sink *sink;
};

static uint32_t be(const char *bytes, size_t count)
{
	uint32_t value = 0;
	for (size_t i = 0; i < count; i++)
		value = value << 8 | (unsigned char)bytes[i];
	return value;
}

static uint32_t le16(const char *bytes)
{
	return (uint32_t)(unsigned char)bytes[0] | (uint32_t)(unsigned char)bytes[1] << 8;
}

static uint32_t le32(const char *bytes)
{
	return le16(bytes) | le16(bytes + 2) << 16;
}

static bool put(const struct strip *s, const char *bytes, size_t len)
{
	return s->sink->write(s->sink->context, bytes, len);
}

static bool copy(const struct strip *s, int64_t at, int64_t len)
{
	char chunk[CHUNK_BYTES];
	while (len > 0) {
		const size_t count = len < CHUNK_BYTES ? (size_t)len : CHUNK_BYTES;
		if (!byte_source_read(s->source, at, chunk, count) || !put(s, chunk, count))
			return false;
		at += (int64_t)count;
		len -= (int64_t)count;
	}
	return true;
}

/* ---- JPEG (ITU T.81, B.1.1) ---- */

#define JPEG_PARTS_MAX 4096
#define MARKER_EOI 0xd9
#define MARKER_SOS 0xda
#define MARKER_APP1 0xe1
#define MARKER_APP2 0xe2
#define MARKER_APP14 0xee
#define MARKER_APP15 0xef

struct jpeg_part {
	unsigned marker;
	int64_t at;  /* of its 0xff */
	int64_t len; /* with the marker */
};

/* The part that begins at at, fill bytes passed over; false: there is none. */
static bool jpeg_part_read(const struct byte_source *source, int64_t at, struct jpeg_part *part)
{
	char head[4];
	while (byte_source_read(source, at, head, 2) && (unsigned char)head[0] == 0xff &&
	       (unsigned char)head[1] == 0xff)
		at++;
	if (!byte_source_read(source, at, head, 2) || (unsigned char)head[0] != 0xff)
		return false;
	*part = (struct jpeg_part){(unsigned char)head[1], at, 2};
	if (part->marker == MARKER_EOI || part->marker == 0x01 ||
	    (part->marker >= 0xd0 && part->marker <= 0xd8))
		return true;
	if (part->marker == 0 || !byte_source_read(source, at + 2, head, 2) || be(head, 2) < 2)
		return false;
	part->len = 2 + (int64_t)be(head, 2);
	return part->at + part->len <= source->size_bytes;
}

/* What stands here in place of a phone's Exif: the orientation and nothing else. */
#define OUR_EXIF_BYTES 36
#define OUR_EXIF_ORIENTATION 29
static const unsigned char our_exif[OUR_EXIF_BYTES] = {
	0xff, 0xe1, 0, 34,   'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
	0,    1,    1, 0x12, 0,   3,   0,   0,   0, 1, 0,   1,   0, 0,  0, 0, 0, 0};

static bool is_our_exif(const struct byte_source *source, const struct jpeg_part *part)
{
	char bytes[OUR_EXIF_BYTES];
	if (part->len != OUR_EXIF_BYTES ||
	    !byte_source_read(source, part->at, bytes, sizeof(bytes)))
		return false;
	bytes[OUR_EXIF_ORIENTATION] = (char)our_exif[OUR_EXIF_ORIENTATION];
	return memcmp(bytes, our_exif, sizeof(bytes)) == 0;
}

/* JFIF, a colour profile and Adobe's word on colours belong to the picture; the other application
 * parts do not. A comment stays. */
static bool jpeg_part_goes(const struct byte_source *source, const struct jpeg_part *part)
{
	char name[4];
	if (part->marker < MARKER_APP1 || part->marker > MARKER_APP15 ||
	    part->marker == MARKER_APP14)
		return false;
	if (part->marker == MARKER_APP1)
		return !is_our_exif(source, part);
	if (part->marker == MARKER_APP2)
		return !byte_source_read(source, part->at + 4, name, sizeof(name)) ||
		       memcmp(name, "ICC_", sizeof(name)) != 0;
	return true;
}

/* The orientation of a TIFF header with its first directory; 0 = it has none. */
static int tiff_orientation(const char *tiff, size_t len)
{
	const bool is_big = len >= 8 && memcmp(tiff, "MM\0*", 4) == 0;
	if (!is_big && (len < 8 || memcmp(tiff, "II*\0", 4) != 0))
		return 0;
	const size_t at = is_big ? be(tiff + 4, 4) : le32(tiff + 4);
	if (at > len - 2)
		return 0;
	const char *entry = tiff + at + 2;
	const size_t count = is_big ? be(tiff + at, 2) : le16(tiff + at);
	for (size_t i = 0; i < count && at + 2 + (i + 1) * 12 <= len; i++, entry += 12) {
		const bool is_orientation = (is_big ? be(entry, 2) : le16(entry)) == 0x0112;
		const int value = (unsigned char)(is_big ? entry[9] : entry[8]);
		if (is_orientation)
			return value >= 1 && value <= 8 ? value : 0;
	}
	return 0;
}

static int part_orientation(const struct byte_source *source, const struct jpeg_part *part)
{
	char bytes[1024];
	const size_t len =
		part->len - 4 < (int64_t)sizeof(bytes) ? (size_t)part->len - 4 : sizeof(bytes);
	if (part->marker != MARKER_APP1 || part->len < 10 ||
	    !byte_source_read(source, part->at + 4, bytes, len) || memcmp(bytes, "Exif\0", 6) != 0)
		return 0;
	return tiff_orientation(bytes + 6, len - 6);
}

/* Calls see for every part before the pixels until it says false. */
static void jpeg_walk(const struct byte_source *source,
		      bool (*see)(void *context, const struct byte_source *source,
				  const struct jpeg_part *part),
		      void *context)
{
	struct jpeg_part part = {0, 2, 0};
	for (int i = 0; i < JPEG_PARTS_MAX; i++) {
		if (!jpeg_part_read(source, part.at + part.len, &part) ||
		    part.marker == MARKER_SOS || part.marker == MARKER_EOI ||
		    !see(context, source, &part))
			return;
	}
}

static bool see_goes(void *context, const struct byte_source *source, const struct jpeg_part *part)
{
	bool *goes = context;
	*goes = jpeg_part_goes(source, part);
	return !*goes;
}

static bool see_orientation(void *context, const struct byte_source *source,
			    const struct jpeg_part *part)
{
	int *orientation = context;
	*orientation = part_orientation(source, part);
	return *orientation == 0;
}

int strip_orientation(const struct byte_source *source)
{
	int orientation = 0;
	jpeg_walk(source, see_orientation, &orientation);
	return orientation == 0 ? 1 : orientation;
}

static bool jpeg_is_needed(const struct byte_source *source)
{
	bool goes = false;
	jpeg_walk(source, see_goes, &goes);
	return goes;
}

/* Behind the header of a scan: where the next marker stands that is none of its own. */
static bool jpeg_scan_end(const struct byte_source *source, int64_t at, int64_t *end_out)
{
	char chunk[CHUNK_BYTES];
	bool is_after_ff = false;
	while (at < source->size_bytes) {
		const int64_t left = source->size_bytes - at;
		const size_t count = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
		if (!byte_source_read(source, at, chunk, count))
			return false;
		for (size_t i = 0; i < count; i++) {
			const unsigned byte = (unsigned char)chunk[i];
			if (is_after_ff && byte != 0 && byte != 0xff &&
			    !(byte >= 0xd0 && byte <= 0xd7)) {
				*end_out = at + (int64_t)i - 1;
				return true;
			}
			is_after_ff = byte == 0xff;
		}
		at += (int64_t)count;
	}
	return false;
}

static bool put_orientation(const struct strip *s)
{
	unsigned char exif[OUR_EXIF_BYTES];
	const int orientation = strip_orientation(s->source);
	if (orientation == 1)
		return true;
	memcpy(exif, our_exif, sizeof(exif));
	exif[OUR_EXIF_ORIENTATION] = (unsigned char)orientation;
	return put(s, (const char *)exif, sizeof(exif));
}

static bool jpeg_copy(const struct strip *s)
{
	struct jpeg_part part = {0, 0, 2};
	bool has_orientation = false;
	if (!copy(s, 0, 2))
		return false;
	while (jpeg_part_read(s->source, part.at + part.len, &part)) {
		/* Behind JFIF's part, which wants to be the first. */
		if (!has_orientation && part.marker != 0xe0) {
			if (!put_orientation(s))
				return false;
			has_orientation = true;
		}
		if (part.marker == MARKER_EOI)
			return copy(s, part.at, 2);
		const bool is_exif = part.marker == MARKER_APP1;
		if (!is_exif && !jpeg_part_goes(s->source, &part) && !copy(s, part.at, part.len))
			return false;
		if (part.marker != MARKER_SOS)
			continue;
		const int64_t from = part.at + part.len;
		int64_t end = 0;
		if (!jpeg_scan_end(s->source, from, &end) || !copy(s, from, end - from))
			return false;
		part = (struct jpeg_part){0, end, 0};
	}
	return false;
}

/* ---- PNG and WebP: lists of chunks ---- */

struct chunk_form {
	int64_t first;       /* where the first chunk begins */
	size_t name_at;      /* in a chunk's head of 8 bytes */
	bool is_big;         /* the length */
	unsigned tail;       /* bytes behind the data */
	bool is_even;        /* data of odd length has a byte more */
	const char *end;     /* the last chunk; NULL = the end of the bytes */
	const char *goes[6]; /* NULL-ended */
};

static const struct chunk_form png_form = {
	.first = 8,
	.name_at = 4,
	.is_big = true,
	.tail = 4,
	.end = "IEND",
	.goes = {"eXIf", "tEXt", "zTXt", "iTXt", "tIME"},
};

static const struct chunk_form webp_form = {
	.first = 12,
	.is_even = true,
	.goes = {"EXIF", "XMP "},
};

struct chunk {
	char name[4];
	int64_t at;
	int64_t len; /* of all of it */
};

/* False: the end, or nonsense. */
static bool chunk_read(const struct chunk_form *form, const struct byte_source *source, int64_t at,
		       struct chunk *chunk)
{
	char head[8];
	if (!byte_source_read(source, at, head, sizeof(head)))
		return false;
	const int64_t data = form->is_big ? be(head, 4) : le32(head + 4);
	memcpy(chunk->name, head + form->name_at, sizeof(chunk->name));
	chunk->at = at;
	chunk->len = 8 + data + form->tail + (form->is_even ? data & 1 : 0);
	/* The byte behind the last odd chunk of a file is sometimes left out. */
	if (form->is_even && chunk->at + chunk->len == source->size_bytes + 1)
		chunk->len--;
	return chunk->at + chunk->len <= source->size_bytes;
}

static bool chunk_goes(const struct chunk_form *form, const struct chunk *chunk)
{
	for (size_t i = 0; form->goes[i] != NULL; i++) {
		if (memcmp(chunk->name, form->goes[i], sizeof(chunk->name)) == 0)
			return true;
	}
	return false;
}

static bool chunk_is_last(const struct chunk_form *form, const struct chunk *chunk)
{
	return form->end != NULL && memcmp(chunk->name, form->end, sizeof(chunk->name)) == 0;
}

/* The bytes of the chunks that go; stops at the first when is_one_enough. */
static int64_t chunks_going(const struct chunk_form *form, const struct byte_source *source,
			    bool is_one_enough)
{
	struct chunk chunk;
	int64_t going = 0;
	for (int64_t at = form->first; chunk_read(form, source, at, &chunk);
	     at = chunk.at + chunk.len) {
		if (chunk_goes(form, &chunk))
			going += chunk.len;
		if (chunk_is_last(form, &chunk) || (is_one_enough && going > 0))
			break;
	}
	return going;
}

static bool png_copy(const struct strip *s)
{
	struct chunk chunk;
	int64_t at = png_form.first;
	if (!copy(s, 0, at))
		return false;
	while (chunk_read(&png_form, s->source, at, &chunk)) {
		if (!chunk_goes(&png_form, &chunk) && !copy(s, chunk.at, chunk.len))
			return false;
		if (chunk_is_last(&png_form, &chunk))
			return true;
		at += chunk.len;
	}
	return false;
}

#define WEBP_FLAGS_EXIF_XMP 0x0c

static bool webp_copy_chunk(const struct strip *s, const struct chunk *chunk)
{
	char head[9];
	if (memcmp(chunk->name, "VP8X", 4) != 0 || chunk->len < (int64_t)sizeof(head))
		return copy(s, chunk->at, chunk->len);
	if (!byte_source_read(s->source, chunk->at, head, sizeof(head)))
		return false;
	head[8] = (char)((unsigned char)head[8] & ~WEBP_FLAGS_EXIF_XMP);
	return put(s, head, sizeof(head)) &&
	       copy(s, chunk->at + (int64_t)sizeof(head), chunk->len - (int64_t)sizeof(head));
}

static bool webp_copy(const struct strip *s)
{
	char head[12];
	struct chunk chunk;
	int64_t at = webp_form.first;
	if (!byte_source_read(s->source, 0, head, sizeof(head)))
		return false;
	const int64_t size = (int64_t)le32(head + 4) - chunks_going(&webp_form, s->source, false);
	if (size < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		head[4 + i] = (char)((uint64_t)size >> 8 * i & 0xff);
	if (!put(s, head, sizeof(head)))
		return false;
	while (chunk_read(&webp_form, s->source, at, &chunk)) {
		if (!chunk_goes(&webp_form, &chunk) && !webp_copy_chunk(s, &chunk))
			return false;
		at += chunk.len;
	}
	return at == s->source->size_bytes;
}

/* ---- all ---- */

bool strip_is_needed(const struct byte_source *source, enum sniff_type type)
{
	if (type == SNIFF_JPEG)
		return jpeg_is_needed(source);
	if (type == SNIFF_PNG)
		return chunks_going(&png_form, source, true) > 0;
	return type == SNIFF_WEBP && chunks_going(&webp_form, source, true) > 0;
}

bool strip_copy(const struct byte_source *source, enum sniff_type type,
		const struct strip_sink *sink)
{
	const struct strip s = {source, sink};
	if (type == SNIFF_JPEG)
		return jpeg_copy(&s);
	if (type == SNIFF_PNG)
		return png_copy(&s);
	return type == SNIFF_WEBP && webp_copy(&s);
}
