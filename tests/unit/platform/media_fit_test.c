/* SPDX-License-Identifier: Apache-2.0
 * Tests of platform/media_fit.h: what has to be done to a picture, and what is never done. */
#include "media_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "media_rules.h"

static const struct media_rule jpeg_rule = {
	.what = "an image",
	.types = MEDIA_TYPE_BIT(SNIFF_JPEG),
	.types_text = "JPEG",
	.size_max_bytes = 8000,
	.width_min = 320,
	.ratio_min_permille = 800,
	.ratio_max_permille = 1910,
};

static const struct media_rule open_rule = {
	.what = "an image",
	.types = MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) |
		 MEDIA_TYPE_BIT(SNIFF_GIF) | MEDIA_TYPE_BIT(SNIFF_TIFF),
	.types_text = "JPEG, PNG, GIF or TIFF",
	.width_max = 1000,
	.shorter_side_max = 500,
	.pixels_max = 400000,
};

static const struct media_rule video_rule = {
	.what = "a video", .types = MEDIA_TYPE_BIT(SNIFF_MP4), .types_text = "MP4"};

struct row {
	const char *name;
	const struct media_rule *rule;
	enum sniff_type type;
	bool is_animated, is_telling;
	uint32_t width, height;
	int64_t size_bytes;
	enum media_fit fit;
	enum media_fit_work work;
};

static const struct row rows[] = {
	{"a JPEG that will do", &jpeg_rule, SNIFF_JPEG, false, false, 640, 640, 5000,
	 MEDIA_FIT_NONE, MEDIA_FIT_NOTHING},
	{"a JPEG that tells", &jpeg_rule, SNIFF_JPEG, false, true, 640, 640, 5000, MEDIA_FIT_NONE,
	 MEDIA_FIT_STRIP},
	{"one that is to stay", &jpeg_rule, SNIFF_JPEG, false, true, 640, 640, 5000, MEDIA_FIT_OFF,
	 MEDIA_FIT_NOTHING},
	{"another format", &jpeg_rule, SNIFF_PNG, false, false, 640, 640, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_ENCODE},
	{"another format, off", &jpeg_rule, SNIFF_HEIC, false, true, 640, 640, 5000, MEDIA_FIT_OFF,
	 MEDIA_FIT_NOTHING},
	{"too many bytes", &jpeg_rule, SNIFF_JPEG, false, false, 640, 640, 8001, MEDIA_FIT_AUTO,
	 MEDIA_FIT_ENCODE},
	{"too narrow", &jpeg_rule, SNIFF_JPEG, false, false, 319, 319, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_ENCODE},
	{"too wide", &open_rule, SNIFF_PNG, false, false, 1001, 300, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_ENCODE},
	{"its shorter side too long", &open_rule, SNIFF_PNG, false, false, 501, 501, 5000,
	 MEDIA_FIT_AUTO, MEDIA_FIT_ENCODE},
	{"too many pixels", &open_rule, SNIFF_PNG, false, false, 999, 499, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_ENCODE},
	{"misshapen, and nobody may change that", &jpeg_rule, SNIFF_JPEG, false, false, 1920, 640,
	 5000, MEDIA_FIT_AUTO, MEDIA_FIT_NOTHING},
	{"misshapen", &jpeg_rule, SNIFF_JPEG, false, false, 1920, 640, 5000, MEDIA_FIT_PAD,
	 MEDIA_FIT_ENCODE},
	{"moving", &jpeg_rule, SNIFF_GIF, true, false, 640, 640, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_NOTHING},
	{"moving WebP", &jpeg_rule, SNIFF_WEBP, true, false, 640, 640, 5000, MEDIA_FIT_CROP,
	 MEDIA_FIT_NOTHING},
	{"a GIF that does not move", &jpeg_rule, SNIFF_GIF, false, false, 640, 640, 5000,
	 MEDIA_FIT_AUTO, MEDIA_FIT_ENCODE},
	{"a format that cannot be taken apart", &open_rule, SNIFF_TIFF, false, true, 400, 400, 5000,
	 MEDIA_FIT_AUTO, MEDIA_FIT_ENCODE},
	{"no picture", &jpeg_rule, SNIFF_MP4, false, false, 640, 640, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_NOTHING},
	{"unknown", &jpeg_rule, SNIFF_UNKNOWN, false, false, 0, 0, 5000, MEDIA_FIT_AUTO,
	 MEDIA_FIT_NOTHING},
	{"where videos are wanted", &video_rule, SNIFF_PNG, false, false, 640, 640, 5000,
	 MEDIA_FIT_AUTO, MEDIA_FIT_NOTHING},
};

static void what_is_done_follows_from_the_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct sniff sniff = {0};
		struct fit_order order = {0};
		sniff_set_type(&sniff, row->type);
		sniff.is_animated = row->is_animated;
		sniff.is_telling = row->is_telling;
		sniff.width = row->width;
		sniff.height = row->height;
		const struct media_fit_subject subject = {row->rule, &sniff, row->size_bytes,
							  row->fit};
		if (media_fit_decide(&subject, &order) != row->work)
			fail_msg("%s", row->name);
	}
}

static void an_order_has_the_limits_of_the_rule(void **state)
{
	(void)state;
	struct sniff sniff = {.width = 640, .height = 640};
	struct fit_order order = {0};
	sniff_set_type(&sniff, SNIFF_PNG);
	struct media_fit_subject subject = {&jpeg_rule, &sniff, 5000, MEDIA_FIT_AUTO};
	assert_int_equal(media_fit_decide(&subject, &order), MEDIA_FIT_ENCODE);
	assert_int_equal(order.bytes_max, 8000);
	assert_int_equal(order.width_min, 320);
	assert_int_equal(order.ratio_max_permille, 0);
	assert_int_equal(order.shape, FIT_SHAPE_KEPT);
	subject.fit = MEDIA_FIT_CROP;
	assert_int_equal(media_fit_decide(&subject, &order), MEDIA_FIT_ENCODE);
	assert_int_equal(order.ratio_min_permille, 800);
	assert_int_equal(order.ratio_max_permille, 1910);
	assert_int_equal(order.shape, FIT_SHAPE_CROPPED);
	subject.fit = MEDIA_FIT_PAD;
	assert_int_equal(media_fit_decide(&subject, &order), MEDIA_FIT_ENCODE);
	assert_int_equal(order.shape, FIT_SHAPE_PADDED);
}

static void what_a_request_says_is_foretold(void **state)
{
	(void)state;
	assert_true(media_fit_takes_type(&jpeg_rule, SNIFF_PNG, MEDIA_FIT_NONE));
	assert_true(media_fit_takes_type(&jpeg_rule, SNIFF_HEIC, MEDIA_FIT_PAD));
	assert_false(media_fit_takes_type(&jpeg_rule, SNIFF_PNG, MEDIA_FIT_OFF));
	assert_false(media_fit_takes_type(&jpeg_rule, SNIFF_GIF, MEDIA_FIT_AUTO));
	assert_false(media_fit_takes_type(&jpeg_rule, SNIFF_PDF, MEDIA_FIT_AUTO));
	assert_false(media_fit_takes_type(&video_rule, SNIFF_PNG, MEDIA_FIT_AUTO));
}

static void an_order_goes_through_a_line(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	const struct fit_order order = {.bytes_max = 8000, .shape = FIT_SHAPE_PADDED};
	struct fit_order read = {0};
	const struct str line = media_fit_line(arena, &order);
	assert_int_equal(str_find_char(line, '\n', 0), SIZE_MAX);
	assert_int_equal(str_find_char(line, ';', 0), SIZE_MAX);
	assert_true(media_fit_line_read(arena, line, &read));
	assert_int_equal(read.bytes_max, 8000);
	assert_int_equal(read.shape, FIT_SHAPE_PADDED);
	assert_false(media_fit_line_read(arena, STR("fit 2"), &read));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_done_follows_from_the_rule),
		cmocka_unit_test(an_order_has_the_limits_of_the_rule),
		cmocka_unit_test(what_a_request_says_is_foretold),
		cmocka_unit_test(an_order_goes_through_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
