/* SPDX-License-Identifier: Apache-2.0
 * What a film that was made must be, and how its streams are named. Why none was made is
 * tests/api/test_video_flows.py. */
#include "count_of.h"

#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

static const struct film_order coded = {.duration_ms = 60000, .seconds_max = 10};

static struct sniff good(void)
{
	struct sniff sniff = {.duration_ms = 60000,
			      .film = {FILM_CODEC_H264, FILM_CODEC_AAC, false, false, 30000}};
	sniff_set_type(&sniff, SNIFF_MP4);
	return sniff;
}

static void only_a_whole_film_is_published(void **state)
{
	struct arena *arena = *state;
	struct film_order copied = coded;
	struct sniff made = good();
	copied.copies_video = 1;
	assert_true(str_is_empty(filming_complaint(arena, &coded, &made)));
	made.duration_ms = 58600;
	assert_true(str_is_empty(filming_complaint(arena, &coded, &made)));
	made.duration_ms = 40000;
	assert_true(str_has_suffix(filming_complaint(arena, &coded, &made),
				   STR("of its 60 s only 40 s can be decoded.")));
	made = good();
	made.film.is_index_last = true;
	assert_false(str_is_empty(filming_complaint(arena, &coded, &made)));
	made = good();
	made.film.video = FILM_CODEC_HEVC;
	assert_false(str_is_empty(filming_complaint(arena, &coded, &made)));
	assert_true(str_is_empty(filming_complaint(arena, &copied, &made)));
	sniff_set_type(&made, SNIFF_MOV);
	assert_false(str_is_empty(filming_complaint(arena, &copied, &made)));
	made = (struct sniff){0};
	assert_false(str_is_empty(filming_complaint(arena, &coded, &made)));
}

static void streams_are_named(void **state)
{
	struct arena *arena = *state;
	const struct film both = {.video = FILM_CODEC_VP9, .audio = FILM_CODEC_OPUS};
	const struct film silent = {.video = FILM_CODEC_HEVC, .audio = FILM_CODEC_NONE};
	const struct film unknown = {.video = FILM_CODEC_UNKNOWN};
	assert_true(str_equal(filming_codecs(arena, &both), STR(" (vp9, opus)")));
	assert_true(str_equal(filming_codecs(arena, &silent), STR(" (hevc)")));
	assert_true(str_is_empty(filming_codecs(arena, &unknown)));
}

static int set_up(void **state)
{
	*state = arena_new("filming", 65536);
	return 0;
}

static int tear_down(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_a_whole_film_is_published, set_up, tear_down),
		cmocka_unit_test_setup_teardown(streams_are_named, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
