/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/strip.h: what a picture tells goes, its pixels stay, at every cut. */
#include "strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define JFIF "\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
/* Exif, little-endian: the orientation 6, then a place. */
#define EXIF \
	"\xff\xe1\x00\x2a" \
	"Exif\0\0II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0" \
	"\x25\x88\x04\0\x01\0\0\0\x26\0\0\0"
#define OUR_EXIF \
	"\xff\xe1\x00\x22" \
	"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
#define XMP \
	"\xff\xe1\x00\x08" \
	"http:/"
#define IPTC \
	"\xff\xed\x00\x06" \
	"PSIR"
#define ICC \
	"\xff\xe2\x00\x08" \
	"ICC_PR"
#define MPF \
	"\xff\xe2\x00\x06" \
	"MPF\0"
#define COMMENT \
	"\xff\xfe\x00\x05" \
	"abc"
#define SCAN \
	"\xff\xda\x00\x04\x01\x02" \
	"pixels\xff\x00\xff\xd3more"
#define BEHIND "\xff\xd8" EXIF "a second picture"
#define SOI "\xff\xd8"
#define EOI "\xff\xd9"

struct sink {
	char bytes[4096];
	size_t len;
	size_t room;
};

static bool take(void *context, const char *bytes, size_t len)
{
	struct sink *sink = context;
	if (len > sink->room - sink->len)
		return false;
	memcpy(sink->bytes + sink->len, bytes, len);
	sink->len += len;
	return true;
}

static bool copied(struct str in, enum sniff_type type, struct sink *sink)
{
	const struct byte_source source = byte_source_of(&in);
	const struct strip_sink out = {take, sink};
	*sink = (struct sink){.room = sizeof(sink->bytes)};
	return strip_copy(&source, type, &out);
}

static bool is_needed(struct str in, enum sniff_type type)
{
	const struct byte_source source = byte_source_of(&in);
	return strip_is_needed(&source, type);
}

struct row {
	enum sniff_type type;
	struct str in;
	struct str out;
};

#define PNG_START "\x89PNG\r\n\x1a\n\0\0\0\x01IHDRxcrc0"
#define PNG_END "\0\0\0\x03IDATpixcrc1\0\0\0\0IENDcrc2"
#define PNG_TEXT "\0\0\0\x02tEXthicrc3"
#define PNG_EXIF \
	"\0\0\0\x02" \
	"eXIfMMcrc4"
#define VP8X(flags) "VP8X\x0a\0\0\0" flags "\0\0\0\0\0\0\0\0\0"
#define VP8 "VP8 \x03\0\0\0pix\0"
#define WEBP_EXIF "EXIF\x03\0\0\0MM*\0"

static const struct row rows[] = {
	{SNIFF_JPEG, STR(SOI JFIF EXIF XMP IPTC ICC MPF COMMENT SCAN EOI BEHIND),
	 STR(SOI JFIF OUR_EXIF ICC COMMENT SCAN EOI)},
	{SNIFF_JPEG, STR(SOI EXIF SCAN EOI), STR(SOI OUR_EXIF SCAN EOI)},
	{SNIFF_JPEG, STR(SOI JFIF XMP SCAN COMMENT SCAN EOI), STR(SOI JFIF SCAN COMMENT SCAN EOI)},
	{SNIFF_PNG, STR(PNG_START PNG_TEXT PNG_EXIF PNG_END "left over"), STR(PNG_START PNG_END)},
	{SNIFF_WEBP, STR("RIFF\x2e\0\0\0WEBP" VP8X("\x08") VP8 WEBP_EXIF),
	 STR("RIFF\x22\0\0\0WEBP" VP8X("\x00") VP8)},
};

static void what_tells_goes_and_the_rest_stays(void **state)
{
	(void)state;
	struct sink sink;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(is_needed(rows[i].in, rows[i].type));
		assert_true(copied(rows[i].in, rows[i].type, &sink));
		assert_int_equal(sink.len, rows[i].out.len);
		assert_memory_equal(sink.bytes, rows[i].out.ptr, sink.len);
		/* And nothing is left to take out; a second time changes nothing. */
		assert_false(is_needed(rows[i].out, rows[i].type));
		assert_true(copied(rows[i].out, rows[i].type, &sink));
		assert_int_equal(sink.len, rows[i].out.len);
		assert_memory_equal(sink.bytes, rows[i].out.ptr, sink.len);
	}
}

static void the_orientation_is_found(void **state)
{
	(void)state;
	const struct str turned = STR(SOI JFIF EXIF SCAN EOI);
	const struct str ours = STR(SOI OUR_EXIF SCAN EOI);
	const struct str plain = STR(SOI JFIF SCAN EOI);
	struct byte_source source = byte_source_of(&turned);
	assert_int_equal(strip_orientation(&source), 6);
	source = byte_source_of(&ours);
	assert_int_equal(strip_orientation(&source), 6);
	source = byte_source_of(&plain);
	assert_int_equal(strip_orientation(&source), 1);
}

static void a_cut_picture_gives_no_copy(void **state)
{
	(void)state;
	struct sink sink;
	for (size_t i = 0; i < 4; i++) {
		const size_t whole = str_find(rows[i].in, STR(EOI BEHIND), 0);
		const size_t len = i == 0   ? whole + 1
				   : i == 3 ? rows[i].in.len - sizeof("left over")
					    : rows[i].in.len - 1;
		for (size_t cut = 0; cut <= len; cut++)
			assert_false(copied(str_slice(rows[i].in, 0, cut), rows[i].type, &sink));
	}
}

static void a_full_disk_ends_the_copy(void **state)
{
	(void)state;
	struct sink sink;
	const struct byte_source source = byte_source_of(&rows[0].in);
	const struct strip_sink out = {take, &sink};
	for (size_t room = 0; room < rows[0].out.len; room++) {
		sink = (struct sink){.room = room};
		assert_false(strip_copy(&source, SNIFF_JPEG, &out));
	}
}

static void other_types_are_left_alone(void **state)
{
	(void)state;
	struct sink sink;
	assert_false(is_needed(STR("GIF89a"), SNIFF_GIF));
	assert_false(copied(STR("GIF89a"), SNIFF_GIF, &sink));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_tells_goes_and_the_rest_stays),
		cmocka_unit_test(the_orientation_is_found),
		cmocka_unit_test(a_cut_picture_gives_no_copy),
		cmocka_unit_test(a_full_disk_ends_the_copy),
		cmocka_unit_test(other_types_are_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
