/* SPDX-License-Identifier: Apache-2.0
 * Clocks that run, drift, jump ahead and jump back. */
#include "clock_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#define BOOT (1000 * US_PER_S)
#define WALL INT64_C(1800000000000000)

/* By how many seconds each clock moves before a look, and what the look says. */
struct look {
	int wall_s;
	int boot_s;
	bool is_steady;
};

struct course {
	const char *name;
	struct look looks[10];
	int count;
};

static const struct course courses[] = {
	{"runs", {{0, 0, true}, {5, 5, true}, {5, 5, true}}, 3},
	{"sleeps for a day", {{0, 0, true}, {86400, 86400, true}}, 2},
	{"drifts by half a minute a turn",
	 {{0, 0, true}, {35, 5, true}, {35, 5, true}, {35, 5, true}},
	 4},
	{"jumps an hour ahead and stays",
	 {{0, 0, true}, {3605, 5, false}, {4, 4, false}, {4, 4, false}, {4, 4, true}, {4, 4, true}},
	 6},
	{"jumps ahead, with hasty turns",
	 {{0, 0, true},
	  {3605, 5, false},
	  {0, 0, false},
	  {0, 0, false},
	  {0, 0, false},
	  {1, 1, false}},
	 6},
	{"jumps ahead, with lazy turns",
	 {{0, 0, true}, {3605, 5, false}, {60, 60, false}, {60, 60, false}, {60, 60, true}},
	 5},
	{"jumps ahead and is put right",
	 {{0, 0, true}, {3605, 5, false}, {-3595, 5, true}, {5, 5, true}},
	 4},
	{"jumps ahead twice",
	 {{0, 0, true},
	  {3605, 5, false},
	  {4, 4, false},
	  {4, 4, false},
	  {3604, 4, false},
	  {4, 4, false},
	  {4, 4, false},
	  {4, 4, true}},
	 8},
	{"jumps back", {{0, 0, true}, {-3600, 5, true}, {5, 5, true}}, 3},
	{"jumps 30 s ahead", {{0, 0, true}, {35, 5, true}}, 2},
	{"jumps 31 s ahead", {{0, 0, true}, {36, 5, false}}, 2},
};

static void clocks_are_believed_when_they_deserve_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(courses); i++) {
		struct clock_watch watch = {0};
		int64_t wall_us = WALL;
		int64_t boot_us = BOOT;
		for (int j = 0; j < courses[i].count; j++) {
			const struct look *look = &courses[i].looks[j];
			wall_us += look->wall_s * US_PER_S;
			boot_us += look->boot_s * US_PER_S;
			if (clock_watch_check(&watch, wall_us, boot_us) != look->is_steady)
				fail_msg("%s: look %d", courses[i].name, j);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_believed_when_they_deserve_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
