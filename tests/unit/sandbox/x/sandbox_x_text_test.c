/* SPDX-License-Identifier: Apache-2.0
 * How the simulated X counts (x.md 3.1 and its test vectors). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_x.h"

static void texts_weigh_what_x_says(void **state)
{
	static const struct {
		const char *name;
		const char *text;
		size_t weight;
	} rows[] = {
		{"plain", "I am a Tweet", 12},
		{"words and a URL", "Hi http://test.co", 26},
		{"a URL alone", "https://example.com/a/very/long/path?with=a&query=too#and-more",
		 23},
		{"ten URLs",
		 "http://t.co/a http://t.co/b http://t.co/c http://t.co/d http://t.co/e "
		 "http://t.co/f http://t.co/g "
		 "http://t.co/h http://t.co/i http://t.co/j ",
		 240},
		{"URL without protocol", "see example.com/x now", 4 + 23 + 4},
		{"a sentence's end is not the URL's", "http://example.com.", 24},
		{"nor is a closing bracket", "(http://example.com)", 25},
		{"but an opened one is", "http://example.com/a_(b)", 23},
		{"no known name", "http://localhost:8080/x", 23},
		{"no known name, without protocol", "file.txt", 8},
		{"an e-mail address", "me@example.com", 14},
		{"a label of 64 letters",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", 68},
		{"CJK", "\xe6\x97\xa5\xe6\x9c\xac", 4},
		{"five emoji",
		 "\xf0\x9f\x98\x80\xf0\x9f\x98\x81\xf0\x9f\x98\x82\xf0\x9f\x98\x83\xf0\x9f\x98\x84",
		 10},
		{"letters, emoji, a family",
		 "H\xf0\x9f\x90\xb1\xe2\x98\xba\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80"
		 "\x8d"
		 "\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0\x9f\x91\xa6",
		 7},
		{"skin tones and a profession",
		 "\xf0\x9f\x99\x8b\xf0\x9f\x8f\xbd\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x8e\xa4", 4},
		{"a flag", "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", 2},
		{"a keycap", "1\xef\xb8\x8f\xe2\x83\xa3", 2},
		{"copyright sign", "\xc2\xa9", 1},
		{"decomposed letter", "e\xcc\x81", 1},
		{"zero-width space", "\xe2\x80\x8b", 1},
		{"direction mark", "\xe2\x80\x8e", 2},
		{"ellipsis", "\xe2\x80\xa6", 2},
		{"empty", "", 0},
	};
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const size_t weight = sandbox_x_text_weight(arena, str_of(rows[i].text));
		if (weight != rows[i].weight)
			fail_msg("%s: %zu, expected %zu", rows[i].name, weight, rows[i].weight);
	}
	arena_free(&arena);
}

static void urls_are_found_where_they_are(void **state)
{
	static const struct {
		const char *text;
		const char *urls; /* with blanks between */
	} rows[] = {
		{"a http://a.example.com/x?y=1, b", "http://a.example.com/x?y=1"},
		{"HTTPS://EXAMPLE.COM", "HTTPS://EXAMPLE.COM"},
		{"one.com two.org/x", "one.com two.org/x"},
		{"x_one.com", "x_one.com"},
		{"@one.com #one.com $one.com", ""},
		{"http://", ""},
		{"http://-a.com", ""},
		{"wahttp://example.com", ""},
		{"...", ""},
	};
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str text = str_of(rows[i].text);
		struct x_url urls[8];
		const size_t count = sandbox_x_text_urls(text, urls, 8);
		struct buf found;
		buf_init(&found, arena, 1024);
		for (size_t j = 0; j < count; j++) {
			buf_add_z(&found, j > 0 ? " " : "");
			buf_add(&found, str_slice(text, urls[j].begin, urls[j].end));
		}
		if (!str_equal_z(buf_str(&found), rows[i].urls))
			fail_msg("%s: found \"" STR_FMT "\"", rows[i].text,
				 STR_ARG(buf_str(&found)));
	}
	arena_free(&arena);
}

static void cashtags_are_counted(void **state)
{
	(void)state;
	assert_int_equal(sandbox_x_text_cashtags(STR("buy $ABC")), 1);
	assert_int_equal(sandbox_x_text_cashtags(STR("$ABC and $DEF")), 2);
	assert_int_equal(sandbox_x_text_cashtags(STR("$5 US$ a$b $ $TOOLONGNAME")), 0);
}

static void forbidden_characters(void **state)
{
	(void)state;
	assert_true(sandbox_x_text_is_allowed(STR("fine")));
	assert_false(sandbox_x_text_is_allowed(STR("a\xef\xbf\xbe")));
	assert_false(sandbox_x_text_is_allowed(STR("a\xef\xbb\xbf")));
	assert_false(sandbox_x_text_is_allowed(STR("a\xff")));
}

/* Every cut of a text full of everything: no read beyond it, and never a URL out of order. */
static void cuts_are_harmless(void **state)
{
	static const char text[] =
		"a http://ex\xc3\xa4mple.com:80/p(a)th?q=1#f "
		"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9 "
		"1\xef\xb8\x8f\xe2\x83\xa3 \xf0\x9f\x87\xa9\xf0\x9f\x87\xaa $AB x.com/";
	struct arena *arena = arena_new("test", 8 << 20);
	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *exact = arena_alloc(arena, len > 0 ? len : 1);
		memcpy(exact, text, len);
		const struct str cut = {exact, len};
		struct x_url urls[8];
		const size_t count = sandbox_x_text_urls(cut, urls, 8);
		size_t at = 0;
		for (size_t i = 0; i < count; i++) {
			assert_true(urls[i].begin >= at && urls[i].end > urls[i].begin &&
				    urls[i].end <= len);
			at = urls[i].end;
		}
		sandbox_x_text_weight(arena, cut);
		sandbox_x_text_cashtags(cut);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_weigh_what_x_says),
		cmocka_unit_test(urls_are_found_where_they_are),
		cmocka_unit_test(cashtags_are_counted),
		cmocka_unit_test(forbidden_characters),
		cmocka_unit_test(cuts_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
