/* SPDX-License-Identifier: Apache-2.0
 * The command line taken apart. */
#include "arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

struct parsed {
	struct arena *arena;
	struct settings settings;
	struct arguments arguments;
	struct error err;
};

static int begin(void **state)
{
	struct parsed *parsed = test_calloc(1, sizeof(*parsed));
	parsed->arena = arena_new("test", 1 << 20);
	*state = parsed;
	return 0;
}

static int end(void **state)
{
	struct parsed *parsed = *state;
	arena_free(&parsed->arena);
	test_free(parsed);
	return 0;
}

/* Words separated by blanks; "_" stands for an empty word. */
static enum err_kind parse(struct parsed *parsed, const char *line)
{
	struct str rest = str_of(line), word;
	char *argv[32] = {NULL};
	int argc = 1;
	while (rest.ptr != NULL && str_take_field(&rest, ' ', &word))
		argv[argc++] = str_z(parsed->arena, str_equal_z(word, "_") ? STR("") : word);
	settings_init(&parsed->settings, parsed->arena);
	parsed->err = (struct error){0};
	return arguments_parse(argc, argv, &parsed->arguments, &parsed->settings, &parsed->err);
}

static void words_and_flags_stand_anywhere(void **state)
{
	struct parsed *p = *state;
	assert_int_equal(
		parse(p, "--name=One app --live create --data /d --owner a@b --rate-limit=5"),
		ERR_NONE);
	assert_int_equal(p->arguments.word_count, 2);
	assert_string_equal(p->arguments.words[0], "app");
	assert_string_equal(p->arguments.words[1], "create");
	assert_string_equal(p->arguments.name, "One");
	assert_string_equal(p->arguments.owner, "a@b");
	assert_string_equal(p->arguments.live, "");
	assert_null(p->arguments.verify);
	assert_string_equal(settings_text(&p->settings, SETTING_ID_data), "/d");
	assert_int_equal(settings_number(&p->settings, SETTING_ID_rate_limit), 5);
}

static void values_may_be_empty_or_hold_an_equals_sign(void **state)
{
	struct parsed *p = *state;
	assert_int_equal(parse(p, "--name= --owner a=b --app _ --client-id=x=y"), ERR_NONE);
	assert_string_equal(p->arguments.name, "");
	assert_string_equal(p->arguments.owner, "a=b");
	assert_string_equal(p->arguments.app, "");
	assert_string_equal(p->arguments.client_id, "x=y");
	assert_int_equal(p->arguments.word_count, 0);
}

static void two_dashes_end_the_flags(void **state)
{
	struct parsed *p = *state;
	assert_int_equal(parse(p, "admin delete -- --live"), ERR_NONE);
	assert_int_equal(p->arguments.word_count, 3);
	assert_string_equal(p->arguments.words[2], "--live");
	assert_null(p->arguments.live);
}

static void wrong_use_is_told_in_a_line(void **state)
{
	static const struct {
		const char *line;
		const char *text;
	} rows[] = {
		{"app create --name", "--name needs a value"},
		{"app create --name --owner a@b", "--name needs a value"},
		{"serve --data", "--data needs a value"},
		{"serve --data --listen x", "--data needs a value"},
		{"app create --live=no", "--live takes no value"},
		{"serve --nonsense", "unknown flag --nonsense"},
		{"serve --nonsense x", "unknown flag --nonsense"},
		{"serve --client-secret=hush", "unknown flag --client-secret"},
		{"serve --client-secret hush", "unknown flag --client-secret"},
		{"serve --rate-limit many", "--rate-limit: rate-limit must be a whole number from "
					    "0 to 1000000000, not \"many\""},
		{"a b c d e f g h i", "too many words: \"i\""},
	};
	struct parsed *p = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(parse(p, rows[i].line), ERR_INVALID);
		assert_string_equal(p->err.text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words_and_flags_stand_anywhere, begin, end),
		cmocka_unit_test_setup_teardown(values_may_be_empty_or_hold_an_equals_sign, begin,
						end),
		cmocka_unit_test_setup_teardown(two_dashes_end_the_flags, begin, end),
		cmocka_unit_test_setup_teardown(wrong_use_is_told_in_a_line, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
