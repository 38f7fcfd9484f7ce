/* SPDX-License-Identifier: Apache-2.0
 * Notes counted, taken away and kept. */
#include "poison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

struct fixture {
	struct arena *arena;
	char directory[64];
	char path[80];
	char told[256];
	bool is_refused;
};

static int begin(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	assert_non_null(fx);
	fx->arena = arena_new("test", 4 << 20);
	snprintf(fx->directory, sizeof(fx->directory), "/tmp/poison-test-%d", (int)getpid());
	snprintf(fx->path, sizeof(fx->path), "%s/notes", fx->directory);
	*state = fx;
	return 0;
}

static int end(void **state)
{
	struct fixture *fx = *state;
	unlink(fx->path);
	rmdir(fx->directory);
	arena_free(&fx->arena);
	free(fx);
	return 0;
}

static bool told(void *context, struct str id)
{
	struct fixture *fx = context;
	const size_t length = strlen(fx->told);
	snprintf(fx->told + length, sizeof(fx->told) - length, STR_FMT " ", STR_ARG(id));
	return !fx->is_refused;
}

static void sweep(struct fixture *fx)
{
	struct error err = {0};
	fx->told[0] = '\0';
	if (poison_sweep(fx->arena, fx->directory, told, fx, &err) != ERR_NONE)
		fail_msg("%s", err.text);
}

static void write_notes(struct fixture *fx, const char *text)
{
	mkdir(fx->directory, 0700);
	FILE *file = fopen(fx->path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_notes(struct fixture *fx, const char *expected)
{
	char text[256] = {0};
	FILE *file = fopen(fx->path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) == strlen(expected));
	assert_string_equal(text, expected);
	fclose(file);
}

static const struct {
	const char *name;
	const char *notes;
	const char *told;
	const char *kept;
} cases[] = {
	{"empty", "", "", ""},
	{"two are not enough", "a\na\n", "", "a\na\n"},
	{"three are", "a\na\na\n", "a ", ""},
	{"and more", "a\na\na\na\n", "a ", ""},
	{"mixed", "a\nb\na\nb\na\nc\nb\n", "a b ", "c\n"},
	{"one is not the beginning of another", "ab\na\na\nab\n", "", "ab\na\na\nab\n"},
	{"no line end at the end", "a\na\na", "a ", ""},
};

static void notes_are_counted(void **state)
{
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		write_notes(fx, cases[i].notes);
		sweep(fx);
		if (strcmp(fx->told, cases[i].told) != 0)
			fail_msg("%s: \"%s\"", cases[i].name, fx->told);
		assert_notes(fx, cases[i].kept);
	}
}

static void what_could_not_be_set_aside_stays_noted(void **state)
{
	struct fixture *fx = *state;
	fx->is_refused = true;
	write_notes(fx, "a\na\na\n");
	sweep(fx);
	assert_notes(fx, "a\na\na\n");
}

static void a_file_without_end_is_read_from_its_end(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	write_notes(fx, "");
	FILE *file = fopen(fx->path, "w");
	assert_non_null(file);
	for (int i = 0; i < 20000; i++)
		fprintf(file, "id-%d\n", i);
	fputs("a\na\na\n", file);
	fclose(file);
	fx->told[0] = '\0';
	assert_int_equal(poison_sweep(fx->arena, fx->directory, told, fx, &err), ERR_NONE);
	assert_string_equal(fx->told, "a ");
}

static void opening_makes_what_is_missing(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct stat info;
	int fd = -1;
	sweep(fx);
	assert_int_equal(poison_open(fx->arena, fx->directory, &fd, &err), ERR_NONE);
	assert_int_equal(stat(fx->path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(write(fd, "a\n", 2), 2);
	close(fd);
	assert_int_equal(poison_open(fx->arena, fx->directory, &fd, &err), ERR_NONE);
	assert_int_equal(write(fd, "b\n", 2), 2);
	close(fd);
	assert_notes(fx, "a\nb\n");
	assert_int_equal(poison_open(fx->arena, "/nowhere/poison", &fd, &err), ERR_TEMPORARY);
}

#define POISON_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		POISON_TEST(notes_are_counted),
		POISON_TEST(what_could_not_be_set_aside_stays_noted),
		POISON_TEST(a_file_without_end_is_read_from_its_end),
		POISON_TEST(opening_makes_what_is_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
