/* SPDX-License-Identifier: Apache-2.0
 * Tests of fit/film_words.h: what ffmpeg is told, and what it is never told. */
#include "film_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

/* The word behind an option; NULL: it is not there. */
static const char *value_of(const struct film_words *words, const char *option)
{
	for (size_t i = 0; i + 1 < words->count; i++) {
		if (strcmp(words->words[i], option) == 0)
			return words->words[i + 1];
	}
	return NULL;
}

static size_t place_of(const struct film_words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++) {
		if (strcmp(words->words[i], word) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* In every order: one format to read, files alone, two names. */
static void assert_closed(const struct film_words *words, const char *demuxer)
{
	const size_t input = place_of(words, "-i");
	assert_string_equal(words->words[0], "ffmpeg");
	assert_null(words->words[words->count]);
	assert_string_equal(value_of(words, "-protocol_whitelist"), "file");
	assert_string_equal(value_of(words, "-f"), demuxer);
	assert_true(place_of(words, "-protocol_whitelist") < input);
	assert_true(place_of(words, "-format_whitelist") < input);
	assert_true(place_of(words, "-codec_whitelist") < input);
	assert_true(place_of(words, "-f") < input);
	assert_true(place_of(words, "-nostdin") < input);
	assert_string_equal(words->words[input + 1], "file:/proc/self/fd/0");
	assert_string_equal(words->words[words->count - 1], "file:/proc/self/fd/3");
	assert_string_equal(words->words[words->count - 2], "mp4");
	assert_string_equal(value_of(words, "-movflags"), "+faststart");
	assert_string_equal(value_of(words, "-map_metadata"), "-1");
	assert_null(strstr(value_of(words, "-codec_whitelist"), "ass"));
}

static void streams_that_are_copied_are_not_coded(void **state)
{
	(void)state;
	const struct film_order order = {
		.copies_video = 1, .copies_audio = 1, .is_hevc = 1, .seconds_max = 9};
	struct film_words words;
	film_words_make(&order, &words);
	assert_closed(&words, "mov");
	assert_string_equal(value_of(&words, "-c:v"), "copy");
	assert_string_equal(value_of(&words, "-c:a"), "copy");
	assert_string_equal(value_of(&words, "-tag:v"), "hvc1");
	assert_null(value_of(&words, "-vf"));
	assert_string_equal(value_of(&words, "-enable_drefs"), "0");
	assert_string_equal(value_of(&words, "-use_absolute_path"), "0");
}

static void the_limits_of_an_order_are_told(void **state)
{
	(void)state;
	const struct film_order order = {.is_matroska = 1,
					 .width = FILM_SIDE_MAX,
					 .height = FILM_SIDE_MAX,
					 .frame_rate_max = 1000,
					 .video_bits_s = 1000000000,
					 .seconds_max = 9};
	struct film_words words;
	film_words_make(&order, &words);
	assert_closed(&words, "matroska");
	assert_string_equal(value_of(&words, "-c:v"), "libx264");
	assert_string_equal(value_of(&words, "-c:a"), "aac");
	assert_string_equal(value_of(&words, "-vf"),
			    "fps=1000,scale=16384:16384,setsar=1,format=yuv420p");
	assert_string_equal(value_of(&words, "-maxrate"), "1000000000");
	assert_string_equal(value_of(&words, "-bufsize"), "1000000000");
	assert_null(value_of(&words, "-tag:v"));
}

static void without_limits_only_the_sides_are_made_even(void **state)
{
	(void)state;
	const struct film_order order = {.copies_audio = 1, .seconds_max = 9};
	struct film_words words;
	film_words_make(&order, &words);
	assert_string_equal(value_of(&words, "-vf"),
			    "scale=trunc(iw/2)*2:trunc(ih/2)*2,setsar=1,format=yuv420p");
	assert_null(value_of(&words, "-maxrate"));
}

/* As ffmpeg 5.1 writes them. */
static void complaints_are_told_apart(void **state)
{
	static const struct {
		const char *said;
		enum film_outcome outcome;
	} rows[] = {
		{"Could not write header for output file #0 (incorrect codec parameters ?): No "
		 "space "
		 "left on device\nError initializing output stream 0:1 -- \n",
		 FILM_NO_SPACE},
		{"av_interleaved_write_frame(): Disk quota exceeded\n", FILM_NO_SPACE},
		{"av_interleaved_write_frame(): File too large\n", FILM_TOO_LARGE},
		{"Unknown encoder 'libx264'\n", FILM_NO_ENCODER},
		{"file:/proc/self/fd/0: Invalid data found when processing input\n", FILM_BROKEN},
		{"", FILM_BROKEN},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(film_words_judge(str_of(rows[i].said)), rows[i].outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_that_are_copied_are_not_coded),
		cmocka_unit_test(the_limits_of_an_order_are_told),
		cmocka_unit_test(without_limits_only_the_sides_are_made_even),
		cmocka_unit_test(complaints_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
