/* SPDX-License-Identifier: Apache-2.0
 * Little text: what a reader sees of it, where it is cut off, and how GET writes it
 * (linkedin.md 2.9). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_linkedin.h"

static const struct {
	const char *name;
	const char *commentary;
	const char *shown;
	const char *canonical;
	size_t length;
	bool is_cut;
} rows[] = {
	{"plain", "Hello, world", "Hello, world", "Hello, world", 12, false},
	{"empty", "", "", "", 0, false},
	{"line break", "a\nb", "a\nb", "a\nb", 3, false},
	{"every reserved character escaped",
	 "\\\\ \\| \\{ \\} \\@ \\[ \\] \\( \\) \\< \\> \\# \\* \\_ \\~",
	 "\\ | { } @ [ ] ( ) < > # * _ ~",
	 "\\\\ \\| \\{ \\} \\@ \\[ \\] \\( \\) \\< \\> \\# \\* \\_ \\~", 29, false},
	{"bare parenthesis cuts", "Sale (today only) now", "Sale ", "Sale ", 21, true},
	{"bare underscore cuts", "snake_case", "snake", "snake", 10, true},
	{"bare at sign cuts", "mail me@example.com", "mail me", "mail me", 19, true},
	{"bare backslash cuts", "a\\nb", "a", "a", 4, true},
	{"backslash at the end cuts", "a\\", "a", "a", 2, true},
	{"cut at once", "(all of it)", "", "", 11, true},
	{"each other reserved cuts |", "a|b", "a", "a", 3, true},
	{"each other reserved cuts {", "a{b", "a", "a", 3, true},
	{"each other reserved cuts }", "a}b", "a", "a", 3, true},
	{"each other reserved cuts [", "a[b", "a", "a", 3, true},
	{"each other reserved cuts ]", "a]b", "a", "a", 3, true},
	{"each other reserved cuts )", "a)b", "a", "a", 3, true},
	{"each other reserved cuts <", "a<b", "a", "a", 3, true},
	{"each other reserved cuts >", "a>b", "a", "a", 3, true},
	{"each other reserved cuts *", "a*b", "a", "a", 3, true},
	{"each other reserved cuts ~", "a~b", "a", "a", 3, true},
	{"hashtag", "go #launch now", "go #launch now", "go {hashtag|\\#|launch} now", 14, false},
	{"hashtag of digits", "#2026", "#2026", "{hashtag|\\#|2026}", 5, false},
	{"hashtag of other letters",
	 "#\xC3\xBC"
	 "ber",
	 "#\xC3\xBC"
	 "ber",
	 "{hashtag|\\#|\xC3\xBC"
	 "ber}",
	 5, false},
	{"hashtag template", "{hashtag|\\#|launch}!", "#launch!", "{hashtag|\\#|launch}!", 19,
	 false},
	{"hashtag template without escape", "{hashtag|#|launch}", "", "", 18, true},
	{"lone hash cuts", "number # one", "number ", "number ", 12, true},
	{"mention of a page", "by @[Acme Inc](urn:li:organization:1001)", "by Acme Inc",
	 "by @[Acme Inc](urn:li:organization:1001)", 40, false},
	{"mention with escapes", "@[A \\(B\\)](urn:li:person:x\\_y)", "A (B)",
	 "@[A \\(B\\)](urn:li:person:x\\_y)", 27, false},
	{"mention with a bare id", "@[A](urn:li:person:x_y-z)!", "A!",
	 "@[A](urn:li:person:x\\_y-z)!", 26, false},
	{"mention of something else cuts", "hi @[A](urn:li:share:1)", "hi ", "hi ", 23, true},
	{"mention without a name cuts", "hi @[](urn:li:person:1)", "hi ", "hi ", 23, true},
	{"mention that never ends cuts", "hi @[A](urn:li:person:1", "hi ", "hi ", 23, true},
	{"emoji counts one", "\xF0\x9F\x8E\x89\\!", "\xF0\x9F\x8E\x89", "\xF0\x9F\x8E\x89", 3,
	 true},
};

static void reads_rows(void **state)
{
	struct arena *arena = arena_new("test", 1024 * 1024);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct linkedin_text text;
		sandbox_linkedin_text_read(arena, str_of(rows[i].commentary), &text);
		if (!str_equal_z(text.shown, rows[i].shown) ||
		    !str_equal_z(text.canonical, rows[i].canonical) ||
		    text.length != rows[i].length || text.is_cut != rows[i].is_cut)
			fail_msg("%s: shown \"" STR_FMT "\" canonical \"" STR_FMT
				 "\" length %zu cut %d",
				 rows[i].name, STR_ARG(text.shown), STR_ARG(text.canonical),
				 text.length, text.is_cut);
	}
	arena_free(&arena);
}

/* The text that GET returns parses to the same text. */
static void canonical_is_stable(void **state)
{
	struct arena *arena = arena_new("test", 1024 * 1024);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct linkedin_text again;
		sandbox_linkedin_text_read(arena, str_of(rows[i].canonical), &again);
		assert_false(again.is_cut);
		assert_true(str_equal_z(again.shown, rows[i].shown));
		assert_true(str_equal_z(again.canonical, rows[i].canonical));
	}
	arena_free(&arena);
}

/* Cut off anywhere, it never reads past the end and never shows more than stands there. */
static void survives_every_cut(void **state)
{
	struct arena *arena = arena_new("test", 16 * 1024 * 1024);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str whole = str_of(rows[i].commentary);
		for (size_t len = 0; len <= whole.len; len++) {
			const struct str part = str_copy(arena, str_slice(whole, 0, len));
			struct linkedin_text text;
			sandbox_linkedin_text_read(arena, part, &text);
			assert_true(text.shown.len <= part.len);
		}
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rows),
		cmocka_unit_test(canonical_is_stable),
		cmocka_unit_test(survives_every_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
