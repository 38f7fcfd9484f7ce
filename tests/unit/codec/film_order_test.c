/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/film_order.h: what is written is read, and nothing else is. */
#include "film_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_of.h"

static struct film_order order_full(void)
{
	return (struct film_order){.is_matroska = 1,
				   .copies_video = 0,
				   .copies_audio = 1,
				   .is_hevc = 1,
				   .width = 1920,
				   .height = 1080,
				   .frame_rate_max = 60,
				   .video_bits_s = 20000000,
				   .bytes_max = INT64_C(1) << 40,
				   .duration_ms = INT64_C(1) << 40,
				   .seconds_max = FILM_SECONDS_MAX};
}

static bool is_read(const struct film_order *order)
{
	char text[FIGURES_MAX_BYTES];
	struct film_order read;
	return film_order_read((struct str){text, film_order_write(order, text)}, &read);
}

static void an_order_is_read_as_written(void **state)
{
	(void)state;
	char text[FIGURES_MAX_BYTES];
	const struct film_order order = order_full();
	struct film_order read = {0};
	const size_t len = film_order_write(&order, text);
	assert_true(film_order_read((struct str){text, len}, &read));
	assert_memory_equal(&read, &order, sizeof(order));
	for (size_t cut = 0; cut < len; cut++)
		assert_false(film_order_read((struct str){text, cut}, &read));
}

static void what_an_order_never_says_is_refused(void **state)
{
	(void)state;
	struct film_order order = order_full();
	order.seconds_max = 0;
	assert_false(is_read(&order));
	order.seconds_max = FILM_SECONDS_MAX + 1;
	assert_false(is_read(&order));
	order = order_full();
	order.width = 1919;
	assert_false(is_read(&order));
	order.width = 0;
	assert_false(is_read(&order));
	order.height = 0;
	assert_true(is_read(&order));
	order.copies_video = 2;
	assert_false(is_read(&order));
	order = order_full();
	order.bytes_max = -1;
	assert_false(is_read(&order));
}

static void an_answer_is_read_as_written(void **state)
{
	(void)state;
	char text[FIGURES_MAX_BYTES];
	for (int outcome = 0; outcome <= FILM_OUTCOME_COUNT; outcome++) {
		const struct film_answer answer = {(enum film_outcome)outcome, 1500};
		struct film_answer read = {0};
		const size_t len = film_answer_write(&answer, text);
		const bool is_one = film_answer_read((struct str){text, len}, &read);
		assert_int_equal(is_one, outcome < FILM_OUTCOME_COUNT);
		if (is_one)
			assert_int_equal(read.outcome, outcome);
	}
	struct film_answer read;
	assert_false(film_answer_read(STR("filmed 1\nat_ms -1\noutcome 1\n"), &read));
	assert_false(film_answer_read(STR("filmed 1\nat_ms 1\noutcome 1\n\n"), &read));
	assert_false(film_answer_read(STR(""), &read));
}

static void progress_is_the_last_whole_figure(void **state)
{
	(void)state;
	static const struct {
		struct str text;
		bool is_found;
		int64_t at_ms;
	} rows[] = {
		{STR("frame=1\nout_time_us=1500000\nprogress=continue\n"), true, 1500},
		{STR("out_time_us=1000000\nout_time_us=2000000\n"), true, 2000},
		{STR("out_time_us=1000000\nout_time_us=20"), true, 1000},
		{STR("out_time_us=-5\n"), false, 0},
		{STR("out_time_us=N/A\n"), false, 0},
		{STR("out_time_us=99999999999999999999\n"), false, 0},
		{STR("xout_time_us=1000000\n"), false, 0},
		{STR(""), false, 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t at_ms = 0;
		assert_int_equal(film_progress_read(rows[i].text, &at_ms), rows[i].is_found);
		assert_int_equal(at_ms, rows[i].at_ms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_is_read_as_written),
		cmocka_unit_test(what_an_order_never_says_is_refused),
		cmocka_unit_test(an_answer_is_read_as_written),
		cmocka_unit_test(progress_is_the_last_whole_figure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
