/* SPDX-License-Identifier: Apache-2.0
 * Words of posts and of what people type: made alike, and free of everything that a query language
 * could read. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"

#include "post_words.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("words", 8 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char *words_of_text(const char *text)
{
	struct container container = {.content = str_of(text)};
	const struct post_content content = {.containers = &container, .container_count = 1};
	return str_z(arena, post_words_of(arena, &content));
}

/* With a star behind those that may go on. */
static const char *asked(const char *typed)
{
	struct post_word words[POST_WORDS_ASKED_MAX];
	struct buf out;
	const size_t count = post_words_asked(arena, str_of(typed), words);
	buf_init(&out, arena, 4096);
	for (size_t i = 0; i < count; i++)
		buf_addf(&out, "%s" STR_FMT "%s", i > 0 ? " " : "", STR_ARG(words[i].text),
			 words[i].is_begin ? "*" : "");
	return str_z(arena, buf_str(&out));
}

static void case_accents_and_signs_do_not_count(void **state)
{
	(void)state;
	assert_string_equal(words_of_text("Grand opening, 50% off!"), "grand opening 50 off");
	assert_string_equal(words_of_text("Caf\u00e9 cafe\u0301 CAF\u00c9"), "cafe cafe cafe");
	assert_string_equal(words_of_text("Stra\u00dfe STRASSE \u1e9e"), "strasse strasse ss");
	assert_string_equal(words_of_text("\ufb01sh \uff21\uff22 \u00bd x\u00b2"),
			    "fish ab 1 2 x2");
	assert_string_equal(words_of_text("soft\u00adhyphen zero\u200dwidth"),
			    "softhyphen zerowidth");
	assert_string_equal(words_of_text("#tag @name a_b don't"), "tag name a b don t");
	assert_string_equal(words_of_text("https://x.example/a?b=1"), "https x example a b 1");
	assert_string_equal(words_of_text("\u039f\u03b4\u03cc\u03c2"), "\u03bf\u03b4\u03bf\u03c3");
	assert_string_equal(words_of_text("\U0001f389 !?"), "");
	assert_string_equal(words_of_text(""), "");
}

/* Vowel signs are letters of their scripts. */
static void marks_that_are_letters_stay(void **state)
{
	(void)state;
	assert_string_equal(words_of_text("\u0939\u093f\u0928\u094d\u0926\u0940"),
			    "\u0939\u093f\u0928\u094d\u0926\u0940");
	assert_string_equal(words_of_text("\u0643\u064e\u062a\u064e\u0628"), "\u0643\u062a\u0628");
}

static void scripts_without_spaces_come_in_pairs(void **state)
{
	(void)state;
	assert_string_equal(words_of_text("\u6771\u4eac\u90fd"),
			    "\u6771\u4eac \u4eac\u90fd \u90fd");
	assert_string_equal(words_of_text("Tokyo\u6771\u4eac24"), "tokyo \u6771\u4eac \u4eac 24");
	assert_string_equal(asked("\u6771\u4eac\u90fd"), "\u6771\u4eac \u4eac\u90fd*");
	assert_string_equal(asked("\u6771 x"), "\u6771* x*");
}

static void the_last_word_may_go_on(void **state)
{
	(void)state;
	assert_string_equal(asked("Grand OPEN"), "grand open*");
	assert_string_equal(asked("  caf\u00c9  "), "cafe*");
	assert_string_equal(asked("a* OR \"b\" NEAR(c) ^d -e '& !f:*"), "a or b near c d e f*");
	assert_string_equal(asked("%_?'\""), "");
	assert_string_equal(asked("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"),
			    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16*");
}

static void lengths_are_bounded_alike(void **state)
{
	(void)state;
	char text[1000];
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(strlen(words_of_text(text)), POST_WORD_MAX_BYTES);
	assert_int_equal(strlen(asked(text)), POST_WORD_MAX_BYTES + 1);
	char *many = arena_alloc(arena, 200001);
	for (size_t i = 0; i < 200000; i++)
		many[i] = i % 2 == 0 ? 'x' : ' ';
	many[200000] = '\0';
	const size_t length = strlen(words_of_text(many));
	assert_in_range(length, POST_WORDS_MAX_BYTES - 2, POST_WORDS_MAX_BYTES);
}

/* Everything that a person wrote, and nothing of what only machines read. */
static void all_texts_of_a_post_are_there(void **state)
{
	(void)state;
	struct post_content content = {0};
	struct error err = {0};
	const struct str stored = STR(
		"{\"mode\":\"advanced\",\"containers\":[{\"content\":\"one\",\"media\":[{\"url\":"
		"\"https://cdn.example/hidden.jpg\",\"type\":\"image\",\"alt_text\":\"two\"}]},"
		"{\"content\":\"three\",\"media\":[]}],\"options\":{\"youtube\":{\"title\":"
		"\"four\","
		"\"privacy\":\"public\",\"tags\":[\"five\",\"six\"]}},\"overrides\":{\"x\":"
		"{\"content\":\"seven\"}}}");
	assert_int_equal(post_content_read(arena, stored, &content, &err), ERR_NONE);
	assert_string_equal(str_z(arena, post_words_of(arena, &content)),
			    "one two three seven four five six");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(case_accents_and_signs_do_not_count, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(marks_that_are_letters_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(scripts_without_spaces_come_in_pairs, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_last_word_may_go_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lengths_are_bounded_alike, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_texts_of_a_post_are_there, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
