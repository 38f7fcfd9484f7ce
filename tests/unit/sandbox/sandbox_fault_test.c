/* SPDX-License-Identifier: Apache-2.0
 * Which paths a fault's pattern takes (src/sandbox/sandbox_fault.c); what faults do is
 * sandbox_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_of.h"
#include "str.h"

#include "sandbox_core.h"

static void star_stays_within_a_segment(void **state)
{
	static const struct {
		const char *pattern;
		const char *path;
		bool matches;
	} rows[] = {
		{"/2/tweets", "/2/tweets", true},
		{"/2/tweets", "/2/tweets/1", false},
		{"/2/tweets/*", "/2/tweets/1", true},
		{"/2/tweets/*", "/2/tweets/1/x", false},
		{"/2/tweets/*", "/2/tweets/", true},
		{"/*/*/feed", "/v25.0/105/feed", true},
		{"/*/feed", "/v25.0/105/feed", false},
		{"/v*/me", "/v25.0/me", true},
		{"/v*0/me", "/v25.0.0/me", true},
		{"/v*1/me", "/v25.0/me", false},
		{"/*a*b/c", "/xaybab/c", true},
		{"*", "/", false},
		{"/*", "/", true},
		{"", "/", false},
		{"/rest/posts/urn%3Ali*", "/rest/posts/urn%3Ali%3A1", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (sandbox_fault_path_matches(str_of(rows[i].pattern), str_of(rows[i].path)) !=
		    rows[i].matches)
			fail_msg("%s against %s", rows[i].pattern, rows[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(star_stays_within_a_segment)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
