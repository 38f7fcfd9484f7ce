/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/uuid.h: the layout of version 7 bit for bit, order by time, and which texts are
 * ids. */
#include "count_of.h"
#include "uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "random.h"

static void fill_with(void *context, void *out, size_t size_bytes)
{
	memset(out, *(const int *)context, size_bytes);
}

static void lays_out_version_7(void **state)
{
	(void)state;
	static const struct {
		int fill;
		int64_t now_us;
		const char *text;
	} rows[] = {
		/* The instant of RFC 9562's example in appendix A.6: 0x017F22E279B0 ms. */
		{0x00, INT64_C(1645557742000000), "017f22e2-79b0-7000-8000-000000000000"},
		{0xff, INT64_C(1645557742000000), "017f22e2-79b0-7fff-bfff-ffffffffffff"},
		{0x5a, INT64_C(1645557742000999), "017f22e2-79b0-7a5a-9a5a-5a5a5a5a5a5a"},
		{0x00, INT64_C(0), "00000000-0000-7000-8000-000000000000"},
		{0x00, INT64_C(-1), "00000000-0000-7000-8000-000000000000"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int fill = rows[i].fill;
		const struct random_source source = {fill_with, &fill};
		assert_string_equal(uuid_v7(rows[i].now_us, &source).text, rows[i].text);
	}
}

static void text_order_is_time_order(void **state)
{
	(void)state;
	int high = 0xff;
	int low = 0x00;
	const struct random_source earlier_source = {fill_with, &high};
	const struct random_source later_source = {fill_with, &low};
	const struct uuid earlier = uuid_v7(INT64_C(1763703880123000), &earlier_source);
	const struct uuid later = uuid_v7(INT64_C(1763703880124000), &later_source);
	assert_true(strcmp(earlier.text, later.text) < 0);
}

static void two_are_never_the_same(void **state)
{
	(void)state;
	const struct uuid a = uuid_v7(INT64_C(1763703880123000), random_system());
	const struct uuid b = uuid_v7(INT64_C(1763703880123000), random_system());
	assert_string_not_equal(a.text, b.text);
	assert_true(uuid_is_valid(str_of(a.text)));
}

static void fill_and_count(void *context, void *out, size_t size_bytes)
{
	++*(int *)context;
	random_fill(random_system(), out, size_bytes);
}

static void several_are_drawn_at_once(void **state)
{
	(void)state;
	struct uuid several[20];
	int draws = 0;
	const struct random_source source = {fill_and_count, &draws};
	uuid_v7_several(INT64_C(1763703880123000), &source, several, COUNT_OF(several));
	assert_int_equal(draws, 2);
	for (size_t i = 0; i < COUNT_OF(several); i++) {
		assert_true(uuid_is_valid(str_of(several[i].text)));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(several[i].text, several[j].text);
	}
	uuid_v7_several(1, &source, several, 0);
	assert_int_equal(draws, 2);
}

static void knows_ids(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_valid;
	} rows[] = {
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true},
		{"c232ab00-9414-11ec-b3c8-9f6bdeced846", true},
		{"00000000-0000-0000-0000-000000000000", true},
		{"017F22E2-79b0-7cc3-98c4-dc0c0c07398f", false},
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398", false},
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", false},
		{"017f22e2079b0-7cc3-98c4-dc0c0c07398f", false},
		{"017f22e2-79b0-7cc3-98c4-dc0c0c0739-f", false},
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398g", false},
		{"{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", false},
		{"", false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (uuid_is_valid(str_of(rows[i].text)) != rows[i].is_valid)
			fail_msg("%s", rows[i].text);
	}
	assert_false(uuid_is_valid((struct str){0}));
	assert_false(uuid_is_valid((struct str){"017f22e2-79b0-7cc3-98c4-dc0c0c07398\0", 36}));
}

static void copies_into_the_arena(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	struct uuid uuid = uuid_v7(1, random_system());
	const struct str text = uuid_str(arena, uuid);
	assert_int_equal(text.len, UUID_TEXT_LEN);
	assert_true(str_equal_z(text, uuid.text));
	assert_ptr_not_equal(text.ptr, uuid.text);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lays_out_version_7),
		cmocka_unit_test(text_order_is_time_order),
		cmocka_unit_test(two_are_never_the_same),
		cmocka_unit_test(several_are_drawn_at_once),
		cmocka_unit_test(knows_ids),
		cmocka_unit_test(copies_into_the_arena),
	};
	return cmocka_run_group_tests_name("uuid", tests, NULL, NULL);
}
