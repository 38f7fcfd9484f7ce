/* SPDX-License-Identifier: Apache-2.0
 * When versions end. */
#include "version_end.h"

#include "arena_fixture.h"
#include "count_of.h"
#include "timetext.h"

#include "platform.h"

static const struct {
	const char *graph;
	const char *linkedin;
	const char *graph_end; /* NULL = unknown */
	const char *linkedin_end;
} rows[] = {
	{"v25.0", "202609", "2028-07-29T00:00:00Z", "2027-09-15T00:00:00Z"},
	{"v21.0", "202603", "2027-01-21T00:00:00Z", "2027-03-16T00:00:00Z"},
	{"v20.0", "202511", "2026-09-24T00:00:00Z", "2026-11-16T00:00:00Z"},
	{"v26.0", "202612", NULL, "2027-12-15T00:00:00Z"}, /* Meta has set no date */
	{"v99.0", "202613", NULL, NULL},
	{"", "x", NULL, NULL},
};

static void expect(const struct version_end *ends, size_t count, const char *setting,
		   const char *end)
{
	const struct version_end *found = NULL;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(ends[i].setting, setting) == 0)
			found = &ends[i];
	}
	if (end == NULL) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_true(str_equal_z(timetext_format_instant(arena, found->ends_at_us), end));
}

static void ends_are_the_documents(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct platform_settings settings = {str_of(rows[i].graph),
							   str_of(rows[i].linkedin)};
		struct version_end ends[VERSION_ENDS_MAX];
		const size_t count = version_ends(&settings, ends);
		expect(ends, count, "graph-version", rows[i].graph_end);
		expect(ends, count, "linkedin-version", rows[i].linkedin_end);
	}
}

/* The clock goes over the line. */
static void the_end_is_near_for_sixty_days(void **state)
{
	const struct platform_settings settings = {STR("v25.0"), STR("202609")};
	struct version_end ends[VERSION_ENDS_MAX];
	(void)state;
	assert_int_equal(version_ends(&settings, ends), 2);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const int64_t line_us = ends[i].ends_at_us - 60 * US_PER_DAY;
		assert_false(version_end_is_near(&ends[i], line_us - 1));
		assert_true(version_end_is_near(&ends[i], line_us));
		assert_true(version_end_is_near(&ends[i], ends[i].ends_at_us + US_PER_DAY));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ends_are_the_documents, setup, teardown),
		cmocka_unit_test_setup_teardown(the_end_is_near_for_sixty_days, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
