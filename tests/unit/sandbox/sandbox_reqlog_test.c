/* SPDX-License-Identifier: Apache-2.0
 * The ring of the request log: bounded in count and bytes, the oldest go first
 * (src/sandbox/sandbox_reqlog.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "sandbox_core.h"

static void count_is_bounded(void **state)
{
	struct arena *arena = arena_new("test", 8 << 20);
	(void)state;
	struct reqlog log = {0};
	for (uint64_t i = 0; i < REQLOG_ENTRIES_MAX + 5; i++)
		assert_int_equal(
			sandbox_reqlog_add(
				&log, str_format(arena, "{\"n\":%llu", (unsigned long long)i), 0),
			i);
	sandbox_reqlog_set_status(&log, 5, 201);
	sandbox_reqlog_set_status(&log, 4, 500);
	sandbox_reqlog_set_status(&log, REQLOG_ENTRIES_MAX + 5, 500);
	struct buf out;
	buf_init(&out, arena, 4 << 20);
	sandbox_reqlog_write(&log, &out);
	assert_true(str_has_prefix(
		buf_str(&out),
		STR("{\"requests\":[{\"n\":5,\"status\":201},{\"n\":6,\"status\":0},")));
	assert_true(str_has_suffix(buf_str(&out), STR("{\"n\":20004,\"status\":0}]}")));
	sandbox_reqlog_clear(&log);
	arena_free(&arena);
}

static void bytes_are_bounded(void **state)
{
	const size_t len = (size_t)10 << 20;
	struct arena *arena = arena_new("test", len * 2);
	const struct str big = {arena_alloc(arena, len), len};
	(void)state;
	struct reqlog log = {0};
	for (int i = 0; i < 10; i++)
		sandbox_reqlog_add(&log, big, 0);
	assert_int_equal(log.next - log.first, 6);
	assert_true(log.bytes <= REQLOG_BYTES_MAX);
	sandbox_reqlog_clear(&log);
	assert_int_equal(log.bytes, 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(count_is_bounded),
					   cmocka_unit_test(bytes_are_bounded)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
