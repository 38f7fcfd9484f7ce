/* SPDX-License-Identifier: Apache-2.0
 * The forms of what we give out, and that every letter of an alphabet comes up. */
#include "token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

static int set_up(void **state)
{
	*state = arena_new("test", 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/* 0, 1, 2, ... */
static void fill_counting(void *context, void *out, size_t size_bytes)
{
	uint8_t *next = context;
	for (size_t i = 0; i < size_bytes; i++)
		((uint8_t *)out)[i] = (*next)++;
}

static void kinds_have_the_forms_of_the_api(void **state)
{
	static const struct {
		const char *name;
		enum token_kind kind;
		const char *prefix;
		size_t len;
		const char *letters;
	} rows[] = {
		{"access token", TOKEN_ACCESS, "pht_", 47, BASE64URL},
		{"key", TOKEN_KEY, "phk_", 47, BASE64URL},
		{"client id", TOKEN_CLIENT_ID, "phc_", 28, BASE64URL},
		{"client secret", TOKEN_CLIENT_SECRET, "phs_", 47, BASE64URL},
		{"connection id", TOKEN_CONNECTION_ID, "conn_", 37, "0123456789abcdef"},
		{"confirmation", TOKEN_CONFIRMATION, "pcf_", 47, BASE64URL},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str text = token_new(*state, random_system(), rows[i].kind);
		print_message("%s\n", rows[i].name);
		assert_int_equal(text.len, rows[i].len);
		assert_int_equal(strlen(text.ptr), rows[i].len);
		assert_true(str_has_prefix(text, str_of(rows[i].prefix)));
		assert_int_equal(strspn(text.ptr + strlen(rows[i].prefix), rows[i].letters),
				 text.len - strlen(rows[i].prefix));
	}
}

static void every_letter_comes_up_equally(void **state)
{
	uint8_t next = 0;
	const struct random_source random = {fill_counting, &next};
	unsigned counts[256] = {0};
	const struct str text = token_random(*state, &random, "", 256);
	for (size_t i = 0; i < text.len; i++)
		counts[(uint8_t)text.ptr[i]]++;
	size_t letters = 0;
	for (size_t i = 0; i < 256; i++) {
		assert_true(counts[i] == 0 || counts[i] == 4);
		letters += counts[i] > 0;
	}
	assert_int_equal(letters, 64);
	assert_true(str_equal_z(token_new(*state, &random, TOKEN_CONNECTION_ID),
				"conn_0123456789abcdef0123456789abcdef"));
}

static void two_are_never_alike(void **state)
{
	const struct str a = token_new(*state, random_system(), TOKEN_ACCESS);
	const struct str b = token_new(*state, random_system(), TOKEN_ACCESS);
	assert_false(str_equal(a, b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_have_the_forms_of_the_api),
		cmocka_unit_test(every_letter_comes_up_equally),
		cmocka_unit_test(two_are_never_alike),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
