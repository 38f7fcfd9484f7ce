/* SPDX-License-Identifier: Apache-2.0
 * The table of named things (src/sandbox/text/sandbox_table.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "str.h"

#include "sandbox_table.h"

static void many_are_found_and_replaced(void **state)
{
	enum { COUNT = 5000 };
	static int values[COUNT];
	struct arena *arena = arena_new("test", 8 << 20);
	(void)state;
	struct table table;
	sandbox_table_init(&table, arena);
	assert_null(sandbox_table_get(&table, STR("nothing yet")));
	for (int i = 0; i < COUNT; i++)
		sandbox_table_put(&table, str_format(arena, "key-%d", i), &values[i]);
	for (int i = 0; i < COUNT; i++)
		assert_ptr_equal(sandbox_table_get(&table, str_format(arena, "key-%d", i)),
				 &values[i]);
	assert_null(sandbox_table_get(&table, STR("key-5000")));
	sandbox_table_put(&table, STR("key-7"), NULL);
	assert_null(sandbox_table_get(&table, STR("key-7")));
	assert_int_equal(table.count, COUNT);
	sandbox_table_put(&table, STR(""), &values[0]);
	assert_ptr_equal(sandbox_table_get(&table, STR("")), &values[0]);
	sandbox_table_fini(&table);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(many_are_found_and_replaced)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
