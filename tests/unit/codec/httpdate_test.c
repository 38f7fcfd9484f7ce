/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/httpdate.h: IMF-fixdate and nothing else, Retry-After with the absurd values of
 * rules.md 3.2. */
#include "httpdate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#define REFUSED INT64_MIN

static void parses_imf_fixdate_only(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t seconds;
	} rows[] = {
		{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{"Wed, 31 Dec 1969 23:59:59 GMT", -1},
		{"Sat, 21 Nov 2026 05:44:40 GMT", 1795239880},
		{"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
		{"Fri, 31 Dec 9999 23:59:59 GMT", INT64_C(253402300799)},
		/* a leap second is the first of the next minute */
		{"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
		/* the wrong weekday is the sender's mistake, the date still counts */
		{"Mon, 06 Nov 1994 08:49:37 GMT", 784111777},
		{"Sunday, 06-Nov-94 08:49:37 GMT", REFUSED},
		{"Sun Nov  6 08:49:37 1994", REFUSED},
		{"Sun, 6 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun, 06 nov 1994 08:49:37 GMT", REFUSED},
		{"sun, 06 Nov 1994 08:49:37 GMT", REFUSED},
		{"Xyz, 06 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun, 06 Foo 1994 08:49:37 GMT", REFUSED},
		{"Sun, 06 Nov 94 08:49:37 GMT", REFUSED},
		{"Sun, 06 Nov 1994 8:49:37 GMT", REFUSED},
		{"Sun, 06 Nov 1994 24:00:00 GMT", REFUSED},
		{"Sun, 06 Nov 1994 08:60:00 GMT", REFUSED},
		{"Sun, 06 Nov 1994 08:49:61 GMT", REFUSED},
		{"Sun, 06 Nov 1994 08:49:37 UTC", REFUSED},
		{"Sun, 06 Nov 1994 08:49:37 +0000", REFUSED},
		{"Sun, 06 Nov 1994 08:49:37 GMT ", REFUSED},
		{" Sun, 06 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun,  06 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun, 00 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun, 31 Nov 1994 08:49:37 GMT", REFUSED},
		{"Sun, 29 Feb 2023 08:49:37 GMT", REFUSED},
		{"Sun, 06 Nov 0000 08:49:37 GMT", REFUSED},
		{"", REFUSED},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t us = REFUSED;
		const bool is_parsed = httpdate_parse(str_of(rows[i].text), &us);
		const int64_t wanted =
			rows[i].seconds == REFUSED ? REFUSED : rows[i].seconds * US_PER_S;
		if (is_parsed != (rows[i].seconds != REFUSED) || us != wanted)
			fail_msg("%s: %jd", rows[i].text, (intmax_t)us);
	}
}

static void refuses_every_truncation(void **state)
{
	(void)state;
	const struct str text = STR("Sun, 06 Nov 1994 08:49:37 GMT");
	for (size_t len = 0; len < text.len; len++) {
		int64_t us;
		char *copy = test_malloc(len + 1);
		memcpy(copy, text.ptr, len);
		assert_false(httpdate_parse((struct str){copy, len}, &us));
		test_free(copy);
	}
}

#define NOW_US (INT64_C(784111777) * US_PER_S)
#define DAY_MS INT64_C(86400000)

static void reads_retry_after(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"0", 0},
		{"120", 120000},
		{" 120 ", 120000},
		{"007", 7000},
		{"86400", DAY_MS},
		{"86401", DAY_MS},
		{"315360000", DAY_MS}, /* ten years */
		{"18446744073709551616", DAY_MS},
		{"99999999999999999999999999999999", DAY_MS},
		{"9223372036854775807", DAY_MS},
		{"-1", 0},
		{"-99999999999999999999999999999999", 0},
		{"Sun, 06 Nov 1994 08:49:47 GMT", 10000},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0},
		{"Sun, 06 Nov 1994 08:49:36 GMT", 0},
		{"Mon, 07 Nov 1994 08:49:37 GMT", DAY_MS},
		{"Mon, 07 Nov 1994 08:49:38 GMT", DAY_MS},
		{"Fri, 31 Dec 9999 23:59:59 GMT", DAY_MS},
		{"Mon, 01 Jan 0001 00:00:00 GMT", 0},
		{"", REFUSED},
		{" ", REFUSED},
		{"-", REFUSED},
		{"+5", REFUSED},
		{"--5", REFUSED},
		{"1.5", REFUSED},
		{"1e3", REFUSED},
		{"5s", REFUSED},
		{"5, 6", REFUSED},
		{"soon", REFUSED},
		{"Sun Nov  6 08:49:37 1994", REFUSED},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t ms = REFUSED;
		const bool is_parsed =
			httpdate_parse_retry_after(str_of(rows[i].text), NOW_US, &ms);
		if (is_parsed != (rows[i].ms != REFUSED) || ms != rows[i].ms)
			fail_msg("\"%s\": %jd", rows[i].text, (intmax_t)ms);
	}
}

static void parses_what_libc_formats(void **state)
{
	(void)state;
	/* The C locale, which a program starts in, has the names of RFC 9110. */
	for (int64_t seconds = -86400 * INT64_C(800); seconds < 86400 * INT64_C(40000);
	     seconds += 86400 * 3 + 3607) {
		char text[64];
		struct tm tm;
		const time_t t = (time_t)seconds;
		int64_t us = 0;
		gmtime_r(&t, &tm);
		strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		if (!httpdate_parse(str_of(text), &us) || us != seconds * US_PER_S)
			fail_msg("%s: %jd", text, (intmax_t)us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_imf_fixdate_only),
		cmocka_unit_test(refuses_every_truncation),
		cmocka_unit_test(reads_retry_after),
		cmocka_unit_test(parses_what_libc_formats),
	};
	return cmocka_run_group_tests_name("httpdate", tests, NULL, NULL);
}
