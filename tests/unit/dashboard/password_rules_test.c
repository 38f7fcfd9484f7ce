/* SPDX-License-Identifier: Apache-2.0
 * Which new passwords are taken, and why others are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "password_rules.h"

#define EMAIL STR("ann.bellringer@harbour-bakery.example")

struct row {
	const char *password;
	enum password_fault fault;
};

static const struct row rows[] = {
	{"", PASSWORD_TOO_SHORT},
	{"x7#kQ9!2vB3", PASSWORD_TOO_SHORT}, /* 11 */
	{"x7#kQ9!2vB3$", PASSWORD_GOOD},     /* 12 */
	{"\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc",
	 PASSWORD_TOO_SHORT}, /* 6 of 12 bytes */
	{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", PASSWORD_NOT_TEXT},
	{"turnip lamp quartz", PASSWORD_GOOD},
	{"correct horse battery", PASSWORD_GOOD},
	{"             ", PASSWORD_COMMON},
	{"correcthorsebatterystaple", PASSWORD_COMMON},
	/* capitals, digits for letters, years, signs at the end */
	{"Password2026", PASSWORD_COMMON},
	{"P@$$w0rd!2026", PASSWORD_COMMON},
	{"letmein123456", PASSWORD_COMMON},
	{"Summer2026!!!", PASSWORD_COMMON},
	{"W3lc0me-Adm1n", PASSWORD_COMMON},
	/* several, and one again */
	{"dragonmonkey12", PASSWORD_COMMON},
	{"iloveyouiloveyou", PASSWORD_COMMON},
	{"xk7xk7xk7xk7xk7", PASSWORD_COMMON},
	/* rows */
	{"qwertyuiop12", PASSWORD_COMMON},
	{"1234567890ab", PASSWORD_COMMON},
	{"zyxwvutsrqpo", PASSWORD_COMMON},
	{"aaaaaabbbbbb", PASSWORD_COMMON},
	{"1q2w3e4r5t6y", PASSWORD_COMMON},
	/* their own address, and ours */
	{"annbellringer1", PASSWORD_COMMON},
	{"harbour-bakery", PASSWORD_COMMON},
	{"Posthorn-Admin", PASSWORD_COMMON},
	/* a common word is no fault where enough else is there */
	{"password of a baker in Kiel", PASSWORD_GOOD},
	{"839201746352", PASSWORD_GOOD},
};

static void what_is_taken(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (password_judge(arena, str_of(rows[i].password), EMAIL) != rows[i].fault)
			fail_msg("%s: not %d", rows[i].password, (int)rows[i].fault);
	}
	arena_free(&arena);
}

static void the_longest(void **state)
{
	static char text[ADMIN_PASSWORD_MAX_BYTES + 1];
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "turnip lamp quartz "[i * i % 19];
	assert_int_equal(password_judge(arena, (struct str){text, ADMIN_PASSWORD_MAX_BYTES}, EMAIL),
			 PASSWORD_GOOD);
	assert_int_equal(password_judge(arena, (struct str){text, sizeof(text)}, EMAIL),
			 PASSWORD_TOO_LONG);
	arena_free(&arena);
}

static void every_fault_has_its_words(void **state)
{
	(void)state;
	assert_true(str_is_empty(password_fault_text(PASSWORD_GOOD)));
	for (int fault = PASSWORD_GOOD + 1; fault <= PASSWORD_COMMON; fault++)
		assert_true(
			str_has_suffix(password_fault_text((enum password_fault)fault), STR(".")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(every_fault_has_its_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
