/* SPDX-License-Identifier: Apache-2.0
 * X's weighted length. Rows first; then, where the cases of twitter-text lie beside the repository,
 * all of those. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

#include "x_text_count.h"

struct row {
	const char *name;
	const char *text;
	int64_t weight;
};

static const struct row rows[] = {
	{"nothing", "", 0},
	{"ASCII", "Hello, world", 12},
	{"accents, composed", "l\xc3\xa9", 2},
	{"accents, decomposed, are composed first", "le\xcc\x81", 2},
	{"Hangul by letters is composed first", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2},
	{"CJK", "\xe3\x81\xae\xe3\x81\xae", 4},
	{"U+200B to U+200D weigh 1", "\xe2\x80\x8b\xe2\x80\x8c\xe2\x80\x8d", 3},
	{"U+2016 weighs 1", "\xe2\x80\x96", 1},
	{"U+200E weighs 2", "\xe2\x80\x8e", 2},
	{"the ellipsis weighs 2", "\xe2\x80\xa6", 2},
	{"U+2010 to U+201F weigh 1, U+2020 weighs 2", "\xe2\x80\x90\xe2\x80\x9f\xe2\x80\xa0", 4},
	{"U+2032 to U+2037 weigh 1, U+2031 and U+2038 weigh 2",
	 "\xe2\x80\xb2\xe2\x80\xb7\xe2\x80\xb1\xe2\x80\xb8", 6},
	{"U+10FF weighs 1, U+1100 weighs 2", "\xe1\x83\xbf\xe1\x84\x80", 3},

	{"a cat", "\xf0\x9f\x90\xb1", 2},
	{"five cats",
	 "\xf0\x9f\x90\xb1\xf0\x9f\x90\xb1\xf0\x9f\x90\xb1\xf0\x9f\x90\xb1\xf0\x9f\x90\xb1", 10},
	{"a family is one",
	 "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0"
	 "\x9f\x91\xa6",
	 2},
	{"letters and emoji",
	 "H\xf0\x9f\x90\xb1\xe2\x98\xba\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0"
	 "\x9f\x91\xa7\xe2\x80\x8d\xf0\x9f\x91\xa6",
	 7},
	{"a hand with a skin tone", "\xf0\x9f\x99\x8b\xf0\x9f\x8f\xbd", 2},
	{"a skin tone on what takes none", "\xf0\x9f\x90\xb1\xf0\x9f\x8f\xbd", 4},
	{"a man singer", "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x8e\xa4", 2},
	{"a flag", "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", 2},
	{"two letters that are no flag", "\xf0\x9f\x87\xbf\xf0\x9f\x87\xbf", 4},
	{"one letter of a flag", "\xf0\x9f\x87\xa9", 2},
	{"Scotland",
	 "\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3\xf3\xa0"
	 "\x81\xb4\xf3\xa0\x81\xbf",
	 2},
	{"a keycap", "1\xef\xb8\x8f\xe2\x83\xa3", 2},
	{"a keycap without style", "#\xe2\x83\xa3", 2},
	{"a digit with a style is no emoji", "1\xef\xb8\x8f", 3},
	{"the copyright sign is one", "\xc2\xa9", 2},
	{"but not in text style", "\xc2\xa9\xef\xb8\x8e", 3},
	{"a joiner with nothing behind it", "\xf0\x9f\x91\xa8\xe2\x80\x8d", 3},

	{"a URL", "https://example.com/a/very/long/path?with=query&more=of-it", 23},
	{"words and a URL", "Hi http://test.co", 26},
	{"upper case", "HTTP://EXAMPLE.COM/INDEX", 23},
	{"the dot at the end is no part", "https://example.com/a.", 24},
	{"closing parenthesis", "(https://example.com/a)", 25},
	{"balanced parentheses are a part", "https://en.wikipedia.org/wiki/C_(language)", 23},
	{"an open one is not", "https://example.com/a_(b", 25},
	{"port", "https://example.com:8080/", 23},
	{"query without path", "https://example.com?a=b", 23},
	{"a hash behind the path is a part", "https://example.com/#a", 23},
	{"accents in the path", "https://example.com/\xd0\xa0\xd1\x83", 23},
	{"CJK behind the path is no part", "https://example.com/\xe3\x81\xae", 25},
	{"t.co stops at what is no letter", "https://t.co/abc.d", 25},
	{"without protocol", "see example.com now", 31},
	{"without protocol, with path", "example.com/path/to", 23},
	{"unknown end", "file.txt", 8},
	{"a rare top-level domain", "http://a.yodobashi", 23},
	{"a brand's, without protocol", "www.example.abudhabi/x", 23},
	{"onion", "http://abcdefghijklmnop.onion", 23},
	{"an end that only begins like one", "http://example.comx", 19},
	{"the longest name in another script counts",
	 "http://a.\xe5\x98\x89\xe9\x87\x8c\xe5\xa4\xa7\xe9\x85\x92\xe5\xba\x97", 23},
	{"one in Arabic", "http://a.\xd9\x85\xd8\xb5\xd8\xb1", 23},
	{"user at host", "jo@example.com", 14},
	{"hashtag in front", "#example.com", 12},
	{"behind a dash", "-example.com", 12},
	{"in a word", "aexample.com", 23},
	{"behind CJK",
	 "\xe3\x81\xae"
	 "example.com",
	 25},
	{"before CJK", "example.com\xe3\x81\xae", 25},
	{"a label may not begin with a dash", "http://-example.com", 19},
	{"nor hold an underscore next to the end", "http://ex_ample.com", 19},
	{"but before that", "http://a_b.example.com", 23},
	{"an IDN host", "http://\xe2\x98\x83.net/", 23},
	{"a top-level domain in another script", "http://\xd0\xb0.\xd1\x80\xd1\x84", 23},
	{"punycode", "http://xn--n3h.xn--p1ai", 23},
	{"an address of numbers", "http://192.168.0.1/a", 20},
	{"no host", "http://", 7},
	{"two in a row", "http://a.com http://b.com", 47},
	{"63 letters in a label",
	 "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", 23},
	{"64 letters in a label",
	 "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", 75},
	{"64 without protocol",
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", 68},
};

static void lengths_are_as_x_counts_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int64_t weight = x_text_count_weighted(str_of(rows[i].text));
		if (weight != rows[i].weight)
			fail_msg("%s: want %d, got %d", rows[i].name, (int)rows[i].weight,
				 (int)weight);
	}
}

static void a_url_of_over_4096_characters_counts_by_them(void **state)
{
	struct arena *arena = arena_new("text_count", 1024 * 1024);
	struct buf text;
	(void)state;
	buf_init(&text, arena, 8192);
	buf_add_z(&text, "https://e.com/");
	while (text.len < 4096)
		buf_add_char(&text, 'a');
	assert_int_equal(x_text_count_weighted(buf_str(&text)), 23);
	buf_add_char(&text, 'a');
	/* "e.com/aaa..." after a slash is not a separate address. */
	assert_int_equal(x_text_count_weighted(buf_str(&text)), 4097);
	arena_free(&arena);
}

static void bytes_that_are_no_utf8_count_high(void **state)
{
	(void)state;
	assert_int_equal(x_text_count_weighted(STR("\xff\xfe")), 4);
	assert_int_equal(x_text_count_weighted(STR("abc\x80")), 8);
}

static void every_piece_of_every_row_can_be_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str text = str_of(rows[i].text);
		for (size_t from = 0; from < text.len; from++) {
			for (size_t to = from; to <= text.len; to++)
				assert_true(x_text_count_weighted(str_slice(text, from, to)) >= 0);
		}
	}
}

static void addresses_are_found_where_they_stand(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} found[] = {
		{"", ""},
		{"none", ""},
		{"see example.com, and https://b.org/x?y=z.", "example.com|https://b.org/x?y=z|"},
		{"\xf0\x9f\x98\x80 https://a.de/\xc3\xbc end", "https://a.de/\xc3\xbc|"},
		{"le\xcc\x81 http://a.com b@c.de", "http://a.com|"},
	};
	struct arena *arena = arena_new("urls", 64 * 1024);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(found); i++) {
		const struct str text = str_of(found[i].text);
		struct x_text_span spans[4];
		struct buf out;
		buf_init(&out, arena, 1024);
		const size_t count = x_text_count_urls(text, spans, 4);
		for (size_t j = 0; j < count; j++) {
			buf_add(&out, str_slice(text, spans[j].begin, spans[j].end));
			buf_add_char(&out, '|');
		}
		assert_true(str_equal_z(buf_str(&out), found[i].want));
	}
	assert_int_equal(x_text_count_urls(STR("a.com b.com"), &(struct x_text_span){0}, 1), 1);
	arena_free(&arena);
}

/* The first section of cases tells lengths by an older configuration, without whole emoji; where a
 * later section tells another length of the same text, that one holds. */
static bool is_told_otherwise(const struct json *cases, size_t index)
{
	const struct json *one = json_at(cases, index);
	const int64_t want = json_int(json_get(one, "weightedLength"), -1);
	for (size_t i = index + 1; i < cases->count; i++) {
		const struct json *other = json_at(cases, i);
		if (str_equal(json_string(json_get(one, "text")),
			      json_string(json_get(other, "text"))) &&
		    json_int(json_get(other, "weightedLength"), -1) != want)
			return true;
	}
	return false;
}

/* U+FEFF, U+FFFE, U+FFFF: refused by x_rules.c whatever the length. */
static bool has_forbidden(const struct json *one)
{
	static const char *const forbidden[] = {"\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf"};
	for (size_t i = 0; i < 3; i++) {
		if (str_find(json_string(json_get(one, "text")), str_of(forbidden[i]), 0) !=
		    SIZE_MAX)
			return true;
	}
	return false;
}

/* twitter-text's own cases, when they lie beside the repository. */
static void cases_of_twitter_text(void **state)
{
	static char bytes[512 * 1024];
	FILE *file = fopen(CASES_FILE, "rb");
	struct arena *arena = arena_new("cases", 64 * 1024 * 1024);
	const struct json *root = NULL;
	int passed = 0, total = 0, older = 0;
	(void)state;
	if (file == NULL) {
		print_message("skipped: no %s\n", CASES_FILE);
		arena_free(&arena);
		skip();
		return;
	}
	const size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	const struct json_limits limits = {.nodes_max = 100000};
	assert_int_equal(json_parse(arena, (struct str){bytes, size}, &limits, &root, NULL, NULL),
			 ERR_NONE);
	const struct json *cases = json_get(root, "cases");
	for (size_t i = 0; i < cases->count; i++) {
		const struct json *one = json_at(cases, i);
		const int64_t want = json_int(json_get(one, "weightedLength"), -1);
		const bool is_valid = json_bool(json_get(one, "valid"), false);
		const int64_t weight = x_text_count_weighted(json_string(json_get(one, "text")));
		if (want < 0)
			continue;
		if (is_told_otherwise(cases, i)) {
			older++;
			continue;
		}
		total++;
		const bool fits = weight > 0 && weight <= 280 && !has_forbidden(one);
		if (weight == want && fits == is_valid)
			passed++;
		else
			print_error("not as twitter-text: " STR_FMT "\n",
				    STR_ARG(json_string(json_get(one, "description"))));
	}
	print_message("twitter-text: %d of %d cases, %d by the older configuration\n", passed,
		      total, older);
	assert_int_equal(passed, total);
	assert_int_equal(total + older, 44);
	assert_int_equal(older, 2);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_as_x_counts_them),
		cmocka_unit_test(a_url_of_over_4096_characters_counts_by_them),
		cmocka_unit_test(bytes_that_are_no_utf8_count_high),
		cmocka_unit_test(every_piece_of_every_row_can_be_counted),
		cmocka_unit_test(addresses_are_found_where_they_stand),
		cmocka_unit_test(cases_of_twitter_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
