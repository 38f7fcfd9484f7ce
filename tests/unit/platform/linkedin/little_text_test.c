/* SPDX-License-Identifier: Apache-2.0
 * What LinkedIn would read as markup must arrive as text, and back. */
#include "count_of.h"

#include "little_text.h"

#include "arena_fixture.h"

struct row {
	const char *name;
	const char *plain;
	const char *little;
};

static const struct row rows[] = {
	{"empty", "", ""},
	{"nothing reserved", "Hello, world. 50% & more: \"yes\"!",
	 "Hello, world. 50% & more: \"yes\"!"},
	{"all fifteen", "\\|{}@[]()<>#*_~", "\\\\\\|\\{\\}\\@\\[\\]\\(\\)\\<\\>\\#\\*\\_\\~"},
	{"backslash once", "a\\b", "a\\\\b"},
	{"line breaks stay", "one\n\ntwo", "one\n\ntwo"},
	{"parenthesis", "we (all) go", "we \\(all\\) go"},
	{"hashtag", "go #posthorn now", "go #posthorn now"},
	{"hashtag at start", "#2026 begins", "#2026 begins"},
	{"hashtag of letters of another script",
	 "\xd0\x97 #\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82",
	 "\xd0\x97 #\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82"},
	{"hashtag ends at underscore", "#a_b", "#a\\_b"},
	{"number sign alone", "we are # 1", "we are \\# 1"},
	{"number sign inside a word", "C#5 and a#b", "C\\#5 and a\\#b"},
	{"number sign at the end", "C#", "C\\#"},
	{"two number signs", "##x", "\\##x"},
	{"keycap emoji", "#\xef\xb8\x8f\xe2\x83\xa3", "\\#\xef\xb8\x8f\xe2\x83\xa3"},
	{"mention of a page", "by @[Post & Horn](urn:li:organization:123)!",
	 "by @[Post & Horn](urn:li:organization:123)!"},
	{"mention with reserved characters", "@[A (B)_C](urn:li:person:x_y-z)",
	 "@[A \\(B\\)\\_C](urn:li:person:x\\_y-z)"},
	{"mention without name", "@[](urn:li:person:x)", "\\@\\[\\]\\(urn:li:person:x\\)"},
	{"mention of another kind", "@[A](urn:li:share:1)", "\\@\\[A\\]\\(urn:li:share:1\\)"},
	{"mention without end", "@[A](urn:li:person:1", "\\@\\[A\\]\\(urn:li:person:1"},
	{"mention without id", "@[A](urn:li:person:)", "\\@\\[A\\]\\(urn:li:person:\\)"},
	{"mail address", "a@b.c", "a\\@b.c"},
	{"address", "https://x.y/a_(b)~c", "https://x.y/a\\_\\(b\\)\\~c"},
	{"hashtag template as text", "{hashtag|#|a}", "\\{hashtag\\|\\#\\|a\\}"},
	{"bytes that are no characters", "a\xff#\xfe", "a\xff\\#\xfe"},
};

static void assert_str(const char *name, struct str got, const char *want)
{
	if (!str_equal_z(got, want))
		fail_msg("%s: got \"" STR_FMT "\", want \"%s\"", name, STR_ARG(got), want);
}

static void escapes_what_is_reserved(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_str(rows[i].name, little_text_escape(arena, str_of(rows[i].plain)),
			   rows[i].little);
}

static void unescaping_gives_the_text_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_str(rows[i].name, little_text_unescape(arena, str_of(rows[i].little)),
			   rows[i].plain);
}

static void reads_the_hashtag_template_of_the_finder(void **state)
{
	(void)state;
	static const struct row found[] = {
		{"template", "go #posthorn now", "go {hashtag|\\#|posthorn} now"},
		{"template with an escape in it", "#a_b", "{hashtag|\\#|a\\_b}"},
		{"template cut off", "{hashtag|#|a", "{hashtag|\\#|a"},
		{"backslash at the end", "a\\", "a\\"},
	};
	for (size_t i = 0; i < COUNT_OF(found); i++)
		assert_str(found[i].name, little_text_unescape(arena, str_of(found[i].little)),
			   found[i].plain);
}

static void nothing_reserved_is_left_bare_wherever_the_text_is_cut(void **state)
{
	(void)state;
	const struct str text = STR("@[A b](urn:li:person:x_1) #tag_\xc3\xa9 {h|(\\#)} <~*>");
	for (size_t len = 0; len <= text.len; len++) {
		const struct str cut = str_slice(text, 0, len);
		const struct str back = little_text_unescape(arena, little_text_escape(arena, cut));
		assert_true(str_equal(back, cut));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(escapes_what_is_reserved, setup, teardown),
		cmocka_unit_test_setup_teardown(unescaping_gives_the_text_back, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_the_hashtag_template_of_the_finder, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			nothing_reserved_is_left_bare_wherever_the_text_is_cut, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
