/* SPDX-License-Identifier: Apache-2.0
 * Reading multipart/form-data in place (src/sandbox/text/sandbox_multipart.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_multipart.h"

#define TYPE "multipart/form-data; boundary=\"b o\""
#define BODY \
	"--b o\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n" \
	"--b o\r\ncontent-type: image/jpeg\r\nContent-Disposition: form-data; " \
	"filename=\"x.jpg\"; name=\"file\"\r\n\r\n" \
	"\r\n--b\r\n\r\n--b o\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--b " \
	"o--\r\n"

static void parts_are_found(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	struct sandbox_part *parts = NULL;
	size_t count = 0;
	assert_true(sandbox_multipart_parse(arena, STR(TYPE), STR(BODY), &parts, &count));
	assert_int_equal(count, 3);
	assert_true(str_equal_z(parts[0].name, "a") && str_equal_z(parts[0].bytes, "value"));
	assert_true(str_equal_z(parts[1].name, "file") && str_equal_z(parts[1].filename, "x.jpg"));
	assert_true(str_equal_z(parts[1].content_type, "image/jpeg"));
	assert_true(str_equal_z(parts[1].bytes, "\r\n--b\r\n"));
	assert_true(str_equal_z(parts[2].name, "empty") && parts[2].bytes.len == 0);
	arena_free(&arena);
}

static void broken_ones_are_refused(void **state)
{
	static const struct {
		const char *type;
		const char *body;
	} rows[] = {
		{"multipart/form-data", BODY},
		{"multipart/form-data; boundary=", BODY},
		{"multipart/mixed; boundary=b", "--b--"},
		{"multipart/form-data; boundary=other", BODY},
		{"multipart/form-data; boundary=b", ""},
		{"multipart/form-data; boundary=b", "--b"},
		{"multipart/form-data; boundary=b", "--b\r\n"},
		{"multipart/form-data; boundary=b", "--b\r\nX: y\r\n\r\nno end"},
	};
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct sandbox_part *parts = NULL;
		size_t count = 0;
		if (sandbox_multipart_parse(arena, str_of(rows[i].type), str_of(rows[i].body),
					    &parts, &count))
			fail_msg("row %zu was taken", i);
	}
	arena_free(&arena);
}

static void every_cut_is_refused(void **state)
{
	struct arena *arena = arena_new("test", 64 << 20);
	(void)state;
	for (size_t len = 0; len < sizeof(BODY) - 5; len++) {
		char *exact = arena_alloc(arena, len > 0 ? len : 1);
		memcpy(exact, BODY, len);
		struct sandbox_part *parts = NULL;
		size_t count = 0;
		assert_false(sandbox_multipart_parse(arena, STR(TYPE), (struct str){exact, len},
						     &parts, &count));
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(broken_ones_are_refused),
		cmocka_unit_test(every_cut_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
