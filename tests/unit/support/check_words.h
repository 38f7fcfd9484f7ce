/* SPDX-License-Identifier: Apache-2.0
 * The words of an enum, in both directions. */
#pragma once

#include "count_of.h"
#include "str.h"

#define CHECK_WORDS(prefix, count, ...) \
	do { \
		static const char *const wanted[] = {__VA_ARGS__}; \
		assert_int_equal(COUNT_OF(wanted), count); \
		for (int i = 0; i < count; i++) { \
			assert_string_equal(prefix##_name((enum prefix)i), wanted[i]); \
			assert_int_equal(prefix##_of_name(str_of(wanted[i])), i); \
		} \
		assert_int_equal(prefix##_of_name(STR("")), count); \
		assert_int_equal(prefix##_of_name(STR("nonsense")), count); \
		assert_string_equal(prefix##_name((enum prefix)count), ""); \
	} while (0)
