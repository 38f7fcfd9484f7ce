/* SPDX-License-Identifier: Apache-2.0
 * What a dispatch says of itself before it runs: on PostgreSQL the apps it names are locked before
 * its rows are written, and two nodes do not carry the same events. */
#include "webhook_private.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "store_event.h"

static void it_names_the_apps_of_its_events(void **state)
{
	char app_ids[2][8] = {"app-one", "app-two"};
	const struct event_row events[] = {{.id = STR("1"), .app_id = str_of(app_ids[0])},
					   {.id = STR("2"), .app_id = str_of(app_ids[1])}};
	(void)state;
	struct task *task = webhook_dispatch_new(NULL, events, COUNT_OF(events));
	app_ids[0][0] = app_ids[1][0] = '?'; /* the caller's rows go: it has its own */
	assert_int_equal(task->scope_count, COUNT_OF(events));
	assert_true(str_equal(task->scopes[0], STR("app-one")));
	assert_true(str_equal(task->scopes[1], STR("app-two")));
	task->ops->free(task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(it_names_the_apps_of_its_events)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
