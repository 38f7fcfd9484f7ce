/* SPDX-License-Identifier: Apache-2.0
 * What a media file is, by its first bytes. Each format has one function that says whether the
 * bytes are its own and reads what its header holds; every read is checked against the length, and
 * what is cut off is "not known", never an error. */
#include "sniff.h"

#include <stddef.h>

#include "count_of.h"

#include "gif.h"
#include "webm.h"

/* Big-endian and little-endian numbers of 1 to 4 bytes; false when they are cut off. */
static bool read_be(struct str in, size_t at, size_t size_bytes, uint32_t *out)
{
	if (at > in.len || size_bytes > in.len - at)
		return false;
	uint32_t value = 0;
	for (size_t i = 0; i < size_bytes; i++)
		value = value << 8 | (unsigned char)in.ptr[at + i];
	*out = value;
	return true;
}

static bool read_le(struct str in, size_t at, size_t size_bytes, uint32_t *out)
{
	if (at > in.len || size_bytes > in.len - at)
		return false;
	uint32_t value = 0;
	for (size_t i = size_bytes; i > 0; i--)
		value = value << 8 | (unsigned char)in.ptr[at + i - 1];
	*out = value;
	return true;
}

static bool has_at(struct str in, size_t at, struct str wanted)
{
	return str_equal(str_slice(in, at, at + wanted.len), wanted);
}

/* A picture has both dimensions or none. */
static void set_size(struct sniff *sniff, uint32_t width, uint32_t height)
{
	if (width == 0 || height == 0)
		return;
	sniff->width = width;
	sniff->height = height;
}

/* SOF0 to SOF15 without DHT, JPG and DAC, which lie among them (ITU T.81, table B.1). */
static bool is_frame_header(uint32_t marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
	       marker != 0xcc;
}

/* Markers that stand alone, without a length: TEM and the restarts. */
static bool is_bare_marker(uint32_t marker)
{
	return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/* Walks over the segments to the frame header; each step goes forward by at least one byte. */
static void read_jpeg_size(struct str in, struct sniff *sniff)
{
	size_t at = 2;
	uint32_t prefix;
	uint32_t marker;
	uint32_t length;
	uint32_t width;
	uint32_t height;
	while (read_be(in, at, 1, &prefix) && prefix == 0xff && read_be(in, at + 1, 1, &marker)) {
		if (marker == 0xff) { /* fill byte */
			at++;
			continue;
		}
		if (is_bare_marker(marker)) {
			at += 2;
			continue;
		}
		if (!read_be(in, at + 2, 2, &length) || length < 2 || marker == 0xda ||
		    marker == 0xd9)
			return;
		if (is_frame_header(marker)) {
			if (read_be(in, at + 5, 2, &height) && read_be(in, at + 7, 2, &width))
				set_size(sniff, width, height);
			return;
		}
		at += 2 + length;
	}
}

static enum sniff_type sniff_jpeg(struct str in, struct sniff *sniff)
{
	if (!has_at(in, 0, STR("\xff\xd8\xff")))
		return SNIFF_UNKNOWN;
	read_jpeg_size(in, sniff);
	return SNIFF_JPEG;
}

static enum sniff_type sniff_png(struct str in, struct sniff *sniff)
{
	uint32_t width;
	uint32_t height;
	if (!has_at(in, 0, STR("\x89PNG\r\n\x1a\n")))
		return SNIFF_UNKNOWN;
	if (has_at(in, 8, STR("\0\0\0\rIHDR")) && read_be(in, 16, 4, &width) &&
	    read_be(in, 20, 4, &height))
		set_size(sniff, width, height);
	/* Its chunk stands before the pixels (PNG, third edition, 11.3.5.1). */
	const size_t pixels = str_find(in, STR("IDAT"), 8);
	sniff->is_animated = str_find(in,
				      STR("\0\0\0\x08"
					  "acTL"),
				      8) < pixels;
	return SNIFF_PNG;
}

static enum sniff_type sniff_gif(struct str in, struct sniff *sniff)
{
	uint32_t width;
	uint32_t height;
	if (!has_at(in, 0, STR("GIF87a")) && !has_at(in, 0, STR("GIF89a")))
		return SNIFF_UNKNOWN;
	if (read_le(in, 6, 2, &width) && read_le(in, 8, 2, &height))
		set_size(sniff, width, height);
	const struct byte_source source = byte_source_of(&in);
	sniff->is_animated = gif_is_animated(&source);
	return SNIFF_GIF;
}

#define WEBP_ANIMATION 0x02 /* of the flags of an extended file */

/* The three kinds of WebP keep their size in three ways (WebP container specification; RFC
 * 6386, 9.1 for VP8). */
static void read_webp_size(struct str in, struct sniff *sniff)
{
	uint32_t width;
	uint32_t height;
	if (has_at(in, 12, STR("VP8X"))) {
		if (read_le(in, 24, 3, &width) && read_le(in, 27, 3, &height))
			set_size(sniff, width + 1, height + 1);
		return;
	}
	if (has_at(in, 12, STR("VP8L"))) {
		/* After the signature byte 14 bits each, less one. */
		if (has_at(in, 20, STR("\x2f")) && read_le(in, 21, 4, &width))
			set_size(sniff, (width & 0x3fff) + 1, (width >> 14 & 0x3fff) + 1);
		return;
	}
	/* After the start code 14 bits each; the upper two are a scale for showing. */
	if (has_at(in, 12, STR("VP8 ")) && has_at(in, 23, STR("\x9d\x01\x2a")) &&
	    read_le(in, 26, 2, &width) && read_le(in, 28, 2, &height))
		set_size(sniff, width & 0x3fff, height & 0x3fff);
}

static enum sniff_type sniff_webp(struct str in, struct sniff *sniff)
{
	if (!has_at(in, 0, STR("RIFF")) || !has_at(in, 8, STR("WEBP")))
		return SNIFF_UNKNOWN;
	read_webp_size(in, sniff);
	sniff->is_animated =
		has_at(in, 12, STR("VP8X")) && in.len > 20 && (in.ptr[20] & WEBP_ANIMATION) != 0;
	return SNIFF_WEBP;
}

/* Brands of ISO base media files (the MP4 registration authority's list, as known 2026-11-21). '?'
 * stands for any byte. */
struct brand_row {
	char brand[5];
	enum sniff_type type;
};

static const struct brand_row brand_rows[] = {
	{"qt  ", SNIFF_MOV}, {"isom", SNIFF_MP4}, {"iso?", SNIFF_MP4}, {"mp41", SNIFF_MP4},
	{"mp42", SNIFF_MP4}, {"mp71", SNIFF_MP4}, {"avc?", SNIFF_MP4}, {"hvc1", SNIFF_MP4},
	{"hev1", SNIFF_MP4}, {"av01", SNIFF_MP4}, {"M4V ", SNIFF_MP4}, {"M4V?", SNIFF_MP4},
	{"f4v ", SNIFF_MP4}, {"F4V ", SNIFF_MP4}, {"MSNV", SNIFF_MP4}, {"dash", SNIFF_MP4},
	{"cmf?", SNIFF_MP4}, {"3gp?", SNIFF_MP4}, {"3g2?", SNIFF_MP4}, {"mmp4", SNIFF_MP4},
	{"XAVC", SNIFF_MP4},
};

/* Pictures and sound in the same container: their compatible brands often name video brands too. */
static const struct brand_row not_video_rows[] = {
	{"avif", SNIFF_AVIF},    {"avis", SNIFF_AVIF},    {"hei?", SNIFF_HEIC},
	{"hevc", SNIFF_HEIC},    {"hevx", SNIFF_HEIC},    {"mif1", SNIFF_HEIC},
	{"msf1", SNIFF_HEIC},    {"miaf", SNIFF_HEIC},    {"jp2 ", SNIFF_UNKNOWN},
	{"M4A ", SNIFF_UNKNOWN}, {"M4B ", SNIFF_UNKNOWN}, {"M4P ", SNIFF_UNKNOWN},
	{"F4A ", SNIFF_UNKNOWN}, {"F4B ", SNIFF_UNKNOWN}, {"crx ", SNIFF_UNKNOWN},
	{"aax ", SNIFF_UNKNOWN},
};

static const struct brand_row *brand_find(const struct brand_row *rows, size_t count,
					  struct str brand)
{
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;
		while (same < 4 &&
		       (rows[i].brand[same] == '?' || rows[i].brand[same] == brand.ptr[same]))
			same++;
		if (same == 4)
			return &rows[i];
	}
	return NULL;
}

static bool has_brand(struct str box, const char *brand)
{
	for (size_t at = 16; at + 4 <= box.len; at += 4) {
		if (has_at(box, at, str_of(brand)))
			return true;
	}
	return false;
}

/* Major brands that say no more than that it is a picture: a compatible one says which. */
static const char *const any_picture[] = {"mif1", "msf1", "miaf"};

static enum sniff_type sniff_picture(struct str box, enum sniff_type type, struct sniff *sniff)
{
	bool is_any = false;
	for (size_t i = 0; i < COUNT_OF(any_picture); i++)
		is_any |= has_at(box, 8, str_of(any_picture[i]));
	sniff->is_animated = has_at(box, 8, STR("avis")) || has_at(box, 8, STR("msf1")) ||
			     has_at(box, 8, STR("hevc")) || has_at(box, 8, STR("hevx"));
	if (!is_any)
		return type;
	if (has_brand(box, "heic") || has_brand(box, "heix") || has_brand(box, "hevc"))
		return SNIFF_HEIC;
	return has_brand(box, "avif") ? SNIFF_AVIF : SNIFF_UNKNOWN;
}

/* A box "ftyp": length, name, major brand, version, then compatible brands (ISO/IEC 14496-12, 4.3).
 * The major brand decides where it is known, else the first compatible brand that is. */
static enum sniff_type sniff_ftyp(struct str in, struct sniff *sniff)
{
	uint32_t length;
	if (!read_be(in, 0, 4, &length) || !has_at(in, 4, STR("ftyp")) || length < 16 ||
	    in.len < 12)
		return SNIFF_UNKNOWN;
	const struct str box = str_slice(in, 0, length);
	const struct str major = str_slice(box, 8, 12);
	const size_t brand_count = COUNT_OF(brand_rows);
	const struct brand_row *row = brand_find(not_video_rows, COUNT_OF(not_video_rows), major);
	if (row != NULL)
		return sniff_picture(box, row->type, sniff);
	row = brand_find(brand_rows, brand_count, major);
	for (size_t at = 16; row == NULL && at + 4 <= box.len; at += 4)
		row = brand_find(brand_rows, brand_count, str_slice(box, at, at + 4));
	return row != NULL ? row->type : SNIFF_UNKNOWN;
}

static enum sniff_type sniff_webm(struct str in, struct sniff *sniff)
{
	const bool is_webm = webm_is(in);
	if (!is_webm && !webm_is_matroska(in))
		return SNIFF_UNKNOWN;
	const struct webm_film film = webm_probe(in);
	sniff->duration_ms = film.duration_ms;
	sniff->width = film.width;
	sniff->height = film.height;
	sniff->film = film.film;
	return is_webm ? SNIFF_WEBM : SNIFF_MKV;
}

/* TIFF 6.0, section 2. */
static enum sniff_type sniff_tiff(struct str in, struct sniff *sniff)
{
	(void)sniff;
	return has_at(in, 0, STR("II*\0")) || has_at(in, 0, STR("MM\0*")) ? SNIFF_TIFF
									  : SNIFF_UNKNOWN;
}

/* Files that are recognised by their first bytes alone. */
static enum sniff_type sniff_document(struct str in, struct sniff *sniff)
{
	(void)sniff;
	if (has_at(in, 0, STR("%PDF-")))
		return SNIFF_PDF;
	if (has_at(in, 0, STR("PK\3\4")))
		return SNIFF_ZIP;
	if (has_at(in, 0, STR("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")))
		return SNIFF_OLE;
	return SNIFF_UNKNOWN;
}

static size_t skip_any(struct str in, size_t at, struct str wanted)
{
	while (at < in.len && str_find_char(wanted, in.ptr[at], 0) != SIZE_MAX)
		at++;
	return at;
}

/* 00:00:01,000: digits and colons, two of them at least. */
static bool is_cue_time(struct str text)
{
	const size_t minutes = str_find_char(text, ':', 0);
	return minutes != SIZE_MAX && str_find_char(text, ':', minutes + 1) != SIZE_MAX &&
	       skip_any(text, 0, STR("0123456789:,.")) == text.len;
}

/* A file of cues begins with the first one's number, and a line with two times. */
static bool is_subrip(struct str in)
{
	const size_t number = skip_any(in, 0, STR(" \t\r\n"));
	const size_t end = skip_any(in, number, STR("0123456789"));
	const size_t times = skip_any(in, end, STR(" \t\r\n"));
	const size_t arrow = str_find(in, STR("-->"), times);
	return end > number && str_find_char(str_slice(in, end, times), '\n', 0) != SIZE_MAX &&
	       arrow < in.len && is_cue_time(str_trim(str_slice(in, times, arrow)));
}

/* Subtitles are text, whose first three bytes may say that it is UTF-8. */
static enum sniff_type sniff_subtitles(struct str in, struct sniff *sniff)
{
	const struct str text = has_at(in, 0, STR("\xef\xbb\xbf")) ? str_slice(in, 3, in.len) : in;
	const size_t word = sizeof("WEBVTT") - 1;
	(void)sniff;
	if (str_has_prefix(text, STR("WEBVTT")) &&
	    (text.len == word || str_find_char(STR(" \t\r\n"), text.ptr[word], 0) != SIZE_MAX))
		return SNIFF_VTT; /* W3C WebVTT, 4.1 */
	return is_subrip(text) ? SNIFF_SRT : SNIFF_UNKNOWN;
}

struct type_row {
	const char *mime_type;
	bool is_image;
	bool is_video;
};

static const struct type_row type_rows[] = {
	[SNIFF_UNKNOWN] = {"application/octet-stream", false, false},
	[SNIFF_JPEG] = {"image/jpeg", true, false},
	[SNIFF_PNG] = {"image/png", true, false},
	[SNIFF_GIF] = {"image/gif", true, false},
	[SNIFF_WEBP] = {"image/webp", true, false},
	[SNIFF_HEIC] = {"image/heic", true, false},
	[SNIFF_AVIF] = {"image/avif", true, false},
	[SNIFF_TIFF] = {"image/tiff", true, false},
	[SNIFF_MP4] = {"video/mp4", false, true},
	[SNIFF_MOV] = {"video/quicktime", false, true},
	[SNIFF_WEBM] = {"video/webm", false, true},
	[SNIFF_PDF] = {"application/pdf", false, false},
	[SNIFF_ZIP] = {"application/zip", false, false},
	[SNIFF_OLE] = {"application/x-ole-storage", false, false},
	[SNIFF_MKV] = {"video/x-matroska", false, true},
	[SNIFF_SRT] = {"application/x-subrip", false, false},
	[SNIFF_VTT] = {"text/vtt", false, false},
};

void sniff_set_type(struct sniff *sniff, enum sniff_type type)
{
	const struct type_row *row = &type_rows[type];
	sniff->type = type;
	sniff->mime_type = row->mime_type;
	sniff->is_image = row->is_image;
	sniff->is_video = row->is_video;
}

struct sniff sniff_media(struct str first_bytes)
{
	static enum sniff_type (*const sniffers[])(struct str in, struct sniff * sniff) = {
		sniff_jpeg, sniff_png,  sniff_gif,      sniff_webp,      sniff_ftyp,
		sniff_webm, sniff_tiff, sniff_document, sniff_subtitles,
	};
	struct sniff sniff = {0};
	for (size_t i = 0; i < COUNT_OF(sniffers) && sniff.type == SNIFF_UNKNOWN; i++)
		sniff.type = sniffers[i](first_bytes, &sniff);
	sniff_set_type(&sniff, sniff.type);
	return sniff;
}
