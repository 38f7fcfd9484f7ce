/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/sniff.h: the first bytes of each format, its look-alikes, dimensions, truncation
 * at every byte. */
#include "sniff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "count_of.h"

#define ROW(name, type, width, height, literal) \
	{ \
		name, type, width, height, \
		{ \
			literal, sizeof(literal) - 1 \
		} \
	}

#define JPEG_APP0 "\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
#define JPEG_SOF(marker, height, width) \
	"\xff" marker "\x00\x11\x08" height width "\x03\x01\x22\0\x02\x11\x01\x03\x11\x01"
#define PNG_HEAD "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

static const struct {
	const char *name;
	enum sniff_type type;
	uint32_t width;
	uint32_t height;
	struct str bytes;
} rows[] = {
	ROW("JPEG, baseline", SNIFF_JPEG, 640, 480,
	    JPEG_APP0 JPEG_SOF("\xc0", "\x01\xe0", "\x02\x80")),
	ROW("JPEG, progressive", SNIFF_JPEG, 3, 65535,
	    JPEG_APP0 JPEG_SOF("\xc2", "\xff\xff", "\x00\x03")),
	ROW("JPEG, tables first", SNIFF_JPEG, 2, 1,
	    JPEG_APP0 "\xff\xdb\x00\x04\x01\x02\xff\xc4\x00\x03\x09" JPEG_SOF("\xc0", "\x00\x01",
									      "\x00\x02")),
	ROW("JPEG, fill bytes", SNIFF_JPEG, 2, 1,
	    JPEG_APP0 "\xff\xff\xff" JPEG_SOF("\xc0", "\x00\x01", "\x00\x02")),
	ROW("JPEG, a restart marker", SNIFF_JPEG, 2, 1,
	    JPEG_APP0 "\xff\xd0" JPEG_SOF("\xc0", "\x00\x01", "\x00\x02")),
	ROW("JPEG, scan without a frame", SNIFF_JPEG, 0, 0,
	    JPEG_APP0 "\xff\xda\x00\x02" JPEG_SOF("\xc0", "\x00\x01", "\x00\x02")),
	ROW("JPEG, height 0", SNIFF_JPEG, 0, 0, JPEG_APP0 JPEG_SOF("\xc0", "\x00\x00", "\x00\x02")),
	ROW("JPEG, length 1", SNIFF_JPEG, 0, 0,
	    "\xff\xd8\xff\xe0\x00\x01" JPEG_SOF("\xc0", "\x00\x01", "\x00\x02")),
	ROW("JPEG, frame header of length 0", SNIFF_JPEG, 0, 0,
	    JPEG_APP0 "\xff\xc0\x00\x00\x08\x01\xe0\x02\x80\x03"),
	ROW("JPEG, garbage between", SNIFF_JPEG, 0, 0,
	    JPEG_APP0 "x" JPEG_SOF("\xc0", "\x00\x01", "\x00\x02")),
	ROW("JPEG, start only", SNIFF_JPEG, 0, 0, "\xff\xd8\xff"),
	ROW("half a JPEG start", SNIFF_UNKNOWN, 0, 0, "\xff\xd8"),

	ROW("PNG", SNIFF_PNG, 800, 600, PNG_HEAD "\0\0\x03\x20\0\0\x02\x58\x08\x06\0\0\0"),
	ROW("PNG, huge", SNIFF_PNG, 0xffffffff, 1, PNG_HEAD "\xff\xff\xff\xff\0\0\0\x01\x08"),
	ROW("PNG, another chunk first", SNIFF_PNG, 0, 0,
	    "\x89PNG\r\n\x1a\n\0\0\0\rIDAT\0\0\x03\x20\0\0\x02\x58"),
	ROW("PNG, width 0", SNIFF_PNG, 0, 0, PNG_HEAD "\0\0\0\0\0\0\x02\x58"),
	ROW("PNG through a text mode transfer", SNIFF_UNKNOWN, 0, 0, "\x89PNG\n\x1a\n\0\0\0\rIHDR"),

	ROW("GIF 89a", SNIFF_GIF, 258, 3, "GIF89a\x02\x01\x03\x00\x80"),
	ROW("GIF 87a", SNIFF_GIF, 1, 1, "GIF87a\x01\x00\x01\x00"),
	ROW("GIF 88a", SNIFF_UNKNOWN, 0, 0, "GIF88a\x01\x00\x01\x00"),

	ROW("WebP, lossy", SNIFF_WEBP, 550, 368,
	    "RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\x00\x9d\x01\x2a\x26\x02\x70\x01"),
	ROW("WebP, lossy, scale bits", SNIFF_WEBP, 550, 368,
	    "RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\x00\x9d\x01\x2a\x26\x42\x70\xc1"),
	ROW("WebP, lossless", SNIFF_WEBP, 386, 395,
	    "RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f\x81\x81\x62\x00"),
	ROW("WebP, extended", SNIFF_WEBP, 16777216, 1,
	    "RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\xff\xff\xff\0\0\0"),
	ROW("WebP, unknown chunk", SNIFF_WEBP, 0, 0,
	    "RIFF\x24\0\0\0WEBPABCD\x18\0\0\0\x2f\x81\x81\x62\x00"),
	ROW("WAV", SNIFF_UNKNOWN, 0, 0, "RIFF\x24\0\0\0WAVEfmt "),

	ROW("MP4, isom", SNIFF_MP4, 0, 0,
	    "\0\0\0\x20"
	    "ftypisom\0\0\x02\0isomiso2avc1mp41"),
	ROW("MP4, mp42", SNIFF_MP4, 0, 0,
	    "\0\0\0\x18"
	    "ftypmp42\0\0\0\0mp42isom"),
	ROW("MP4, 3gp5", SNIFF_MP4, 0, 0,
	    "\0\0\0\x10"
	    "ftyp3gp5\0\0\0\0"),
	ROW("MP4 by a compatible brand", SNIFF_MP4, 0, 0,
	    "\0\0\0\x18"
	    "ftypXYZ \0\0\0\0XYZ2isom"),
	ROW("brand behind the box", SNIFF_UNKNOWN, 0, 0,
	    "\0\0\0\x14"
	    "ftypXYZ \0\0\0\0XYZ2isom"),
	ROW("QuickTime", SNIFF_MOV, 0, 0,
	    "\0\0\0\x14"
	    "ftypqt  \0\0\x02\0qt  "),
	ROW("AVIF", SNIFF_AVIF, 0, 0,
	    "\0\0\0\x1c"
	    "ftypavif\0\0\0\0avifmif1miaf"),
	ROW("HEIC that names a video brand", SNIFF_HEIC, 0, 0,
	    "\0\0\0\x18"
	    "ftypheic\0\0\0\0mif1iso8"),
	ROW("AVIF that says no more than picture", SNIFF_AVIF, 0, 0,
	    "\0\0\0\x18"
	    "ftypmif1\0\0\0\0mif1avif"),
	ROW("TIFF, little-endian", SNIFF_TIFF, 0, 0, "II*\0\x08\0\0\0"),
	ROW("TIFF, big-endian", SNIFF_TIFF, 0, 0, "MM\0*\0\0\0\x08"),
	ROW("M4A sound", SNIFF_UNKNOWN, 0, 0,
	    "\0\0\0\x1c"
	    "ftypM4A \0\0\0\0M4A mp42isom"),
	ROW("ftyp too short", SNIFF_UNKNOWN, 0, 0,
	    "\0\0\0\x0c"
	    "ftypisom\0\0\0\0"),
	ROW("ftyp of length 0", SNIFF_UNKNOWN, 0, 0,
	    "\0\0\0\0"
	    "ftypisom\0\0\0\0"),
	ROW("ftyp of any length", SNIFF_MP4, 0, 0,
	    "\xff\xff\xff\xff"
	    "ftypXYZ \0\0\0\0isom"),
	ROW("another box", SNIFF_UNKNOWN, 0, 0,
	    "\0\0\0\x20"
	    "moovisom\0\0\x02\0isom"),

	ROW("WebM", SNIFF_WEBM, 0, 0, "\x1a\x45\xdf\xa3\x8b\x42\x86\x81\x01\x42\x82\x84webm"),
	ROW("Matroska", SNIFF_MKV, 0, 0, "\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska"),
	ROW("WebM, size of 8 bytes", SNIFF_WEBM, 0, 0,
	    "\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x07\x42\x82\x84webm"),
	ROW("Matroska with a void", SNIFF_MKV, 0, 0,
	    "\x1a\x45\xdf\xa3\x8f\x42\x86\x81\x01\x42\x82\x88matroska"),
	ROW("EBML, type behind the header", SNIFF_UNKNOWN, 0, 0,
	    "\x1a\x45\xdf\xa3\x84\x42\x86\x81\x01\x42\x82\x84webm"),
	ROW("EBML, endless element", SNIFF_UNKNOWN, 0, 0,
	    "\x1a\x45\xdf\xa3\x9f\x42\x86\x01\xff\xff\xff\xff\xff\xff\xff\x42\x82\x84webm"),
	ROW("EBML, size 0", SNIFF_UNKNOWN, 0, 0, "\x1a\x45\xdf\xa3\x80"),
	ROW("EBML, zero bytes", SNIFF_UNKNOWN, 0, 0, "\x1a\x45\xdf\xa3\x00\x00\x00\x00"),

	ROW("nothing", SNIFF_UNKNOWN, 0, 0, ""),
	ROW("HTML", SNIFF_UNKNOWN, 0, 0, "<!DOCTYPE html><html>"),
	ROW("SVG", SNIFF_UNKNOWN, 0, 0, "<svg xmlns=\"http://www.w3.org/2000/svg\">"),
	ROW("BMP", SNIFF_UNKNOWN, 0, 0, "BM\x46\0\0\0\0\0\0\0\x36\0\0\0"),
	ROW("TIFF", SNIFF_TIFF, 0, 0, "II*\0\x08\0\0\0"),
	ROW("PDF", SNIFF_PDF, 0, 0, "%PDF-1.7\n"),
	ROW("PDF behind a page", SNIFF_UNKNOWN, 0, 0, "<html>%PDF-1.7\n"),
	ROW("ZIP", SNIFF_ZIP, 0, 0, "PK\3\4\x14\0\6\0"),
	ROW("empty ZIP", SNIFF_UNKNOWN, 0, 0, "PK\5\6\0\0"),
	ROW("OLE", SNIFF_OLE, 0, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"),
	ROW("SubRip", SNIFF_SRT, 0, 0, "1\n00:00:00,000 --> 00:00:01,000\nHello\n"),
	ROW("SubRip with a mark, blank lines and CRLF", SNIFF_SRT, 0, 0,
	    "\xef\xbb\xbf\r\n12\r\n00:00:00.000 --> 00:00:01.000\r\n"),
	ROW("a number and an arrow on one line", SNIFF_UNKNOWN, 0, 0,
	    "1 00:00:00,000 --> 00:00:01,000\n"),
	ROW("an arrow without times", SNIFF_UNKNOWN, 0, 0, "1\nhere --> there\n"),
	ROW("times of no more than minutes", SNIFF_UNKNOWN, 0, 0, "1\n00:00 --> 00:01\n"),
	ROW("no number", SNIFF_UNKNOWN, 0, 0, "00:00:00,000 --> 00:00:01,000\n"),
	ROW("a number alone", SNIFF_UNKNOWN, 0, 0, "1\n"),
	ROW("WebVTT", SNIFF_VTT, 0, 0, "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"),
	ROW("WebVTT with a mark and a title", SNIFF_VTT, 0, 0, "\xef\xbb\xbfWEBVTT - Words\n"),
	ROW("WebVTT of one line", SNIFF_VTT, 0, 0, "WEBVTT"),
	ROW("picture behind a blank", SNIFF_UNKNOWN, 0, 0, " GIF89a\x01\x00\x01\x00"),
};

static void knows_formats_by_their_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct sniff sniff = sniff_media(rows[i].bytes);
		if (sniff.type != rows[i].type || sniff.width != rows[i].width ||
		    sniff.height != rows[i].height)
			fail_msg("%s: type %d, %u x %u", rows[i].name, (int)sniff.type, sniff.width,
				 sniff.height);
	}
}

static void a_jpeg_with_a_large_thumbnail(void **state)
{
	(void)state;
	static const char head[] = "\xff\xd8\xff\xe1\xff\xff";
	static const char tail[] = JPEG_SOF("\xc0", "\x01\xe0", "\x02\x80");
	const size_t len = 4 + 65535 + sizeof(tail) - 1;
	char *bytes = calloc(1, len);
	assert_non_null(bytes);
	memcpy(bytes, head, sizeof(head) - 1);
	memcpy(bytes + 4 + 65535, tail, sizeof(tail) - 1);
	assert_int_equal(sniff_media((struct str){bytes, len}).width, 640);
	/* What lies behind the bytes we were given is not known. */
	assert_int_equal(sniff_media((struct str){bytes, 60000}).width, 0);
	assert_int_equal(sniff_media((struct str){bytes, 60000}).type, SNIFF_JPEG);
	free(bytes);
}

static void every_truncation_is_safe(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t len = 0; len < rows[i].bytes.len; len++) {
			char *copy = malloc(len > 0 ? len : 1);
			assert_non_null(copy);
			memcpy(copy, rows[i].bytes.ptr, len);
			const struct sniff sniff = sniff_media((struct str){copy, len});
			free(copy);
			/* A part never looks like another format. */
			if (sniff.type != SNIFF_UNKNOWN && sniff.type != rows[i].type)
				fail_msg("%s, %zu bytes: type %d", rows[i].name, len,
					 (int)sniff.type);
		}
	}
}

static void a_word_that_goes_on_is_another(void **state)
{
	(void)state;
	assert_int_equal(sniff_media(STR("WEBVTTS\n")).type, SNIFF_UNKNOWN);
}

static void moving_pictures_are_told(void **state)
{
	(void)state;
	static const char gif[] = "GIF89a\1\0\1\0\0\0\0"
				  "\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
				  "\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;";
	static const char webp[] = "RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\0\0\0\0\0\0";
	char still[sizeof(webp)];
	memcpy(still, webp, sizeof(webp));
	still[20] = 0x10; /* transparent, not moving */
	assert_true(sniff_media((struct str){gif, sizeof(gif) - 1}).is_animated);
	assert_false(sniff_media((struct str){gif, sizeof(gif) - 17}).is_animated);
	assert_true(sniff_media((struct str){webp, sizeof(webp) - 1}).is_animated);
	assert_false(sniff_media((struct str){still, sizeof(still) - 1}).is_animated);
}

static void names_types(void **state)
{
	(void)state;
	assert_string_equal(sniff_media(STR("x")).mime_type, "application/octet-stream");
	assert_false(sniff_media(STR("x")).is_image);
	assert_false(sniff_media(STR("x")).is_video);
	const struct sniff gif = sniff_media(STR("GIF89a"));
	assert_string_equal(gif.mime_type, "image/gif");
	assert_true(gif.is_image);
	assert_false(gif.is_video);
	const struct sniff mov = sniff_media(STR("\0\0\0\x14"
						 "ftypqt  \0\0\x02\0qt  "));
	assert_string_equal(mov.mime_type, "video/quicktime");
	assert_true(mov.is_video);
	const struct sniff pdf = sniff_media(STR("%PDF-1.7"));
	assert_string_equal(pdf.mime_type, "application/pdf");
	assert_false(pdf.is_image || pdf.is_video);
	assert_false(mov.is_image);
	assert_string_equal(sniff_media(STR("\xff\xd8\xff")).mime_type, "image/jpeg");
	assert_string_equal(sniff_media(STR("RIFF\x24\0\0\0WEBPVP8X")).mime_type, "image/webp");
	assert_string_equal(sniff_media(STR("\x89PNG\r\n\x1a\n")).mime_type, "image/png");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_formats_by_their_bytes),
		cmocka_unit_test(a_jpeg_with_a_large_thumbnail),
		cmocka_unit_test(every_truncation_is_safe),
		cmocka_unit_test(a_word_that_goes_on_is_another),
		cmocka_unit_test(moving_pictures_are_told),
		cmocka_unit_test(names_types),
	};
	return cmocka_run_group_tests_name("sniff", tests, NULL, NULL);
}
