/* SPDX-License-Identifier: Apache-2.0
 * Tests of platform/media_fit.h: what has to be done to a picture or a film, and what is never
 * done. */
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
		struct media_fit_order order;
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
	struct media_fit_order whole;
	const struct fit_order *order = &whole.picture;
	sniff_set_type(&sniff, SNIFF_PNG);
	struct media_fit_subject subject = {&jpeg_rule, &sniff, 5000, MEDIA_FIT_AUTO};
	assert_int_equal(media_fit_decide(&subject, &whole), MEDIA_FIT_ENCODE);
	assert_int_equal(order->bytes_max, 8000);
	assert_int_equal(order->width_min, 320);
	assert_int_equal(order->ratio_max_permille, 0);
	assert_int_equal(order->shape, FIT_SHAPE_KEPT);
	subject.fit = MEDIA_FIT_CROP;
	assert_int_equal(media_fit_decide(&subject, &whole), MEDIA_FIT_ENCODE);
	assert_int_equal(order->ratio_min_permille, 800);
	assert_int_equal(order->ratio_max_permille, 1910);
	assert_int_equal(order->shape, FIT_SHAPE_CROPPED);
	subject.fit = MEDIA_FIT_PAD;
	assert_int_equal(media_fit_decide(&subject, &whole), MEDIA_FIT_ENCODE);
	assert_int_equal(order->shape, FIT_SHAPE_PADDED);
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

/* ---- films ---- */

static const struct film_rule film_of_rule = {
	.videos = FILM_CODEC_BIT(FILM_CODEC_H264) | FILM_CODEC_BIT(FILM_CODEC_HEVC),
	.audios = FILM_CODEC_BIT(FILM_CODEC_AAC),
	.frame_rate_max = 60,
	.width_max = 1920,
	.wants_common_colours = true,
	.wants_index_first = true,
};

static const struct media_rule film_rule = {
	.what = "a reel",
	.types = MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV),
	.types_text = "MP4 or MOV",
	.size_max_bytes = 100000000,
	.height_min = 100,
	.ratio_max_permille = 2000,
	.duration_min_ms = 3000,
	.duration_max_ms = 60000,
	.film = &film_of_rule,
};

#define GOOD_FILM \
	{ \
		FILM_CODEC_H264, FILM_CODEC_AAC, false, false, 30000 \
	}

struct film_row {
	const char *name;
	enum sniff_type type;
	struct film film;
	uint32_t width, height;
	int64_t duration_ms;
	int64_t size_bytes;
	enum media_fit_work copied; /* with remux */
	enum media_fit_work coded;  /* with transcode */
	/* of the order with transcode */
	bool copies_video, copies_audio;
	int64_t order_width, frame_rate_max;
};

#define NOTHING MEDIA_FIT_NOTHING
#define FILM MEDIA_FIT_FILM

static const struct film_row film_rows[] = {
	{"one that will do", SNIFF_MP4, GOOD_FILM, 1920, 1080, 5000, 1000, NOTHING, NOTHING},
	{"its index last",
	 SNIFF_MOV,
	 {FILM_CODEC_HEVC, FILM_CODEC_AAC, false, true, 30000},
	 1920,
	 1080,
	 5000,
	 1000,
	 FILM,
	 FILM,
	 true,
	 true},
	{"another container", SNIFF_MKV, GOOD_FILM, 1920, 1080, 5000, 1000, FILM, FILM, true, true},
	{"another coding",
	 SNIFF_WEBM,
	 {FILM_CODEC_VP9, FILM_CODEC_OPUS, false, false, 0},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 FILM,
	 false,
	 false},
	{"another sound",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_PCM, false, false, 30000},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 FILM,
	 true,
	 false},
	{"no sound",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_NONE, false, false, 30000},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 NOTHING},
	{"rare colours",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_AAC, true, false, 30000},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 FILM,
	 false,
	 true},
	{"too fast",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_AAC, false, false, 120000},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 FILM,
	 false,
	 true,
	 0,
	 60},
	{"as fast as may be",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_AAC, false, false, 60050},
	 640,
	 360,
	 5000,
	 1000,
	 NOTHING,
	 NOTHING},
	{"too wide", SNIFF_MP4, GOOD_FILM, 3840, 2160, 5000, 1000, NOTHING, FILM, false, true,
	 1920},
	{"too many bytes", SNIFF_MP4, GOOD_FILM, 1920, 1080, 50000, 100000001, NOTHING, FILM, false,
	 true},
	{"too long", SNIFF_MKV, GOOD_FILM, 1920, 1080, 60001, 1000, NOTHING, NOTHING},
	{"too short", SNIFF_MKV, GOOD_FILM, 1920, 1080, 2999, 1000, NOTHING, NOTHING},
	{"misshapen", SNIFF_MKV, GOOD_FILM, 1920, 480, 5000, 1000, NOTHING, NOTHING},
	{"too low", SNIFF_MKV, GOOD_FILM, 160, 99, 5000, 1000, NOTHING, NOTHING},
	{"nothing known of it", SNIFF_MKV, {0}, 1920, 1080, 5000, 1000, NOTHING, NOTHING},
};

static enum media_fit_work film_work(const struct film_row *row, enum film_mode mode,
				     enum media_fit fit, struct film_order *order_out)
{
	struct sniff sniff = {.film = row->film,
			      .width = row->width,
			      .height = row->height,
			      .duration_ms = row->duration_ms};
	struct media_fit_order order = {.film = {0}};
	sniff_set_type(&sniff, row->type);
	const struct media_fit_subject subject = {&film_rule, &sniff, row->size_bytes, fit, mode};
	const enum media_fit_work work = media_fit_decide(&subject, &order);
	*order_out = order.film;
	return work;
}

static void what_is_done_about_a_film_follows_from_the_mode(void **state)
{
	(void)state;
	struct film_order order;
	for (size_t i = 0; i < COUNT_OF(film_rows); i++) {
		const struct film_row *row = &film_rows[i];
		if (film_work(row, FILM_MODE_OFF, MEDIA_FIT_AUTO, &order) != NOTHING)
			fail_msg("%s: off", row->name);
		if (film_work(row, FILM_MODE_TRANSCODE, MEDIA_FIT_OFF, &order) != NOTHING)
			fail_msg("%s: left alone", row->name);
		if (film_work(row, FILM_MODE_REMUX, MEDIA_FIT_NONE, &order) != row->copied)
			fail_msg("%s: remux", row->name);
		if (row->copied == FILM && (!order.copies_video || !order.copies_audio))
			fail_msg("%s: remux codes anew", row->name);
		if (film_work(row, FILM_MODE_TRANSCODE, MEDIA_FIT_NONE, &order) != row->coded)
			fail_msg("%s: transcode", row->name);
		if (order.copies_video != row->copies_video ||
		    order.copies_audio != row->copies_audio || order.width != row->order_width ||
		    order.frame_rate_max != row->frame_rate_max)
			fail_msg("%s: ordered otherwise", row->name);
	}
}

/* 100 MB and 50 s: 16 Mbit/s, less what the container and the sound take. */
static void a_film_that_is_too_large_gets_as_many_bits_as_fit(void **state)
{
	(void)state;
	struct film_order order;
	struct film_row row = {.type = SNIFF_MP4,
			       .film = GOOD_FILM,
			       .width = 1920,
			       .height = 1080,
			       .duration_ms = 50000,
			       .size_bytes = 200000000};
	assert_int_equal(film_work(&row, FILM_MODE_TRANSCODE, MEDIA_FIT_AUTO, &order), FILM);
	assert_in_range(order.video_bits_s, 14000000, 15000000);
	assert_int_equal(order.bytes_max, 100000000);
}

static void what_a_request_says_of_a_film_is_foretold(void **state)
{
	(void)state;
	static const struct {
		enum sniff_type type;
		enum film_mode mode;
		enum media_fit fit;
		bool is_taken;
	} said[] = {
		{SNIFF_MKV, FILM_MODE_OFF, MEDIA_FIT_AUTO, false},
		{SNIFF_MKV, FILM_MODE_REMUX, MEDIA_FIT_AUTO, true},
		{SNIFF_MKV, FILM_MODE_REMUX, MEDIA_FIT_OFF, false},
		{SNIFF_WEBM, FILM_MODE_REMUX, MEDIA_FIT_AUTO, false},
		{SNIFF_WEBM, FILM_MODE_TRANSCODE, MEDIA_FIT_NONE, true},
		{SNIFF_PNG, FILM_MODE_TRANSCODE, MEDIA_FIT_AUTO, false},
	};
	for (size_t i = 0; i < COUNT_OF(said); i++)
		assert_int_equal(
			media_fit_takes_film(&film_rule, said[i].type, said[i].fit, said[i].mode),
			said[i].is_taken);
	assert_false(
		media_fit_takes_film(&jpeg_rule, SNIFF_MKV, MEDIA_FIT_AUTO, FILM_MODE_TRANSCODE));
}

static void an_order_of_a_film_goes_through_a_line(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	const struct film_order order = {.is_matroska = 1, .bytes_max = 8000, .seconds_max = 5};
	struct film_order read = {0};
	struct fit_order picture;
	const struct str line = media_fit_film_line(arena, &order);
	assert_int_equal(str_find_char(line, '\n', 0), SIZE_MAX);
	assert_int_equal(str_find_char(line, ';', 0), SIZE_MAX);
	assert_true(media_fit_film_line_read(arena, line, &read));
	assert_memory_equal(&read, &order, sizeof(order));
	assert_false(media_fit_line_read(arena, line, &picture));
	assert_false(media_fit_film_line_read(arena, STR("strip"), &read));
	arena_free(&arena);
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
		cmocka_unit_test(what_is_done_about_a_film_follows_from_the_mode),
		cmocka_unit_test(a_film_that_is_too_large_gets_as_many_bits_as_fit),
		cmocka_unit_test(what_a_request_says_of_a_film_is_foretold),
		cmocka_unit_test(an_order_of_a_film_goes_through_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
