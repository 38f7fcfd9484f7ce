/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/log.h, through a pipe: format, escaping of hostile values, cutting at 4 KiB,
 * levels, a deaf reader. That a JSON line is JSON is asked of jansson, which knows nothing of our
 * escaping. */
#include "count_of.h"
#include "log.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"

static int64_t fixed_us(void *context)
{
	(void)context;
	return INT64_C(1763703880500000);
}

static const struct clock fixed_clock = {fixed_us, fixed_us, NULL};

struct fixture {
	int pipe[2];
	struct log log;
	char line[8192];
	size_t len;
};

static void fixture_init(struct fixture *fixture, enum log_format format)
{
	assert_int_equal(pipe(fixture->pipe), 0);
	fixture->log =
		(struct log){.fd = fixture->pipe[1], .format = format, .clock = &fixed_clock};
	fixture->len = 0;
}

/* What was written, once the writer is closed. */
static const char *fixture_read(struct fixture *fixture)
{
	close(fixture->pipe[1]);
	ssize_t got;
	while ((got = read(fixture->pipe[0], fixture->line + fixture->len,
			   sizeof(fixture->line) - 1 - fixture->len)) > 0)
		fixture->len += (size_t)got;
	close(fixture->pipe[0]);
	fixture->line[fixture->len] = '\0';
	return fixture->line;
}

static void writes_text(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_TEXT);
	LOG(&f.log, INFO, "app_created", log_str("app", STR("a-1")), log_int("n", -3),
	    log_str("name", STR("two words")), log_str("none", STR("")),
	    log_str("pair", STR("a=b")));
	assert_string_equal(fixture_read(&f),
			    "2025-11-21T05:44:40.5Z info app_created app=a-1 n=-3 "
			    "name=\"two words\" none=\"\" pair=\"a=b\"\n");
}

static void writes_json(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_JSON);
	LOG(&f.log, ERROR, "delivery_failed", log_str("app", STR("a-1")), log_int("n", INT64_MIN));
	assert_string_equal(fixture_read(&f),
			    "{\"time\":\"2025-11-21T05:44:40.5Z\",\"level\":\"error\","
			    "\"event\":\"delivery_failed\",\"app\":\"a-1\","
			    "\"n\":-9223372036854775808}\n");
}

static void no_clock_no_time(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_JSON);
	f.log.clock = NULL;
	log_write(&f.log, LOG_WARN, "odd", NULL, 0);
	assert_string_equal(fixture_read(&f), "{\"level\":\"warn\",\"event\":\"odd\"}\n");
	fixture_init(&f, LOG_FORMAT_TEXT);
	f.log.clock = NULL;
	log_write(&f.log, LOG_DEBUG, "odd", NULL, 0);
	assert_string_equal(fixture_read(&f), "debug odd\n");
}

static void drops_what_is_below_its_level(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_TEXT);
	f.log.level = LOG_WARN;
	LOG(&f.log, INFO, "quiet", log_int("n", 1));
	LOG(&f.log, WARN, "loud", log_int("n", 2));
	LOG((const struct log *)NULL, ERROR, "nobody", log_int("n", 3));
	assert_string_equal(fixture_read(&f), "2025-11-21T05:44:40.5Z warn loud n=2\n");
}

/* A value from outside must neither forge a line, nor steer a terminal, nor break the JSON. */
static const struct {
	const char *name;
	struct str value;
	const char *escaped;
} hostile_rows[] = {
	{"newline", {"a\nb", 3}, "\"a\\u000ab\""},
	{"NUL", {"a\0b", 3}, "\"a\\u0000b\""},
	{"quote and backslash", {"\"\\", 2}, "\"\\\"\\\\\""},
	{"escape sequence", {"\x1b[2J", 4}, "\"\\u001b[2J\""},
	{"DEL", {"\x7f", 1}, "\"\\u007f\""},
	{"C1 control", {"\xc2\x9b", 2}, "\"\\u009b\""},
	{"first after C1", {"\xc2\xa0", 2}, "\"\xc2\xa0\""},
	{"two, three, four bytes",
	 {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf", 9},
	 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf\""},
	{"stray continuation", {"\x80", 1}, "\"\\ufffd\""},
	{"cut character", {"\xe2\x82", 2}, "\"\\ufffd\\ufffd\""},
	{"overlong", {"\xc0\xaf", 2}, "\"\\ufffd\\ufffd\""},
	{"surrogate", {"\xed\xa0\x80", 3}, "\"\\ufffd\\ufffd\\ufffd\""},
	{"above the last", {"\xf4\x90\x80\x80", 4}, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
	{"no byte of UTF-8", {"\xff", 1}, "\"\\ufffd\""},
};

static void escapes_hostile_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(hostile_rows); i++) {
		char expected[256];
		struct fixture f;
		fixture_init(&f, LOG_FORMAT_TEXT);
		f.log.clock = NULL;
		LOG(&f.log, INFO, "e", log_str("v", hostile_rows[i].value));
		snprintf(expected, sizeof(expected), "info e v=%s\n", hostile_rows[i].escaped);
		if (strcmp(fixture_read(&f), expected) != 0)
			fail_msg("%s, text: %s", hostile_rows[i].name, f.line);

		fixture_init(&f, LOG_FORMAT_JSON);
		f.log.clock = NULL;
		LOG(&f.log, INFO, "e", log_str("v", hostile_rows[i].value));
		snprintf(expected, sizeof(expected),
			 "{\"level\":\"info\",\"event\":\"e\",\"v\":%s}\n",
			 hostile_rows[i].escaped);
		if (strcmp(fixture_read(&f), expected) != 0)
			fail_msg("%s, JSON: %s", hostile_rows[i].name, f.line);
	}
}

/* Values of every length around the limit, with characters whose escaped form is 1 to 6 bytes
 * wide. */
static void a_line_is_cut_at_4_kib_and_stays_json(void **state)
{
	(void)state;
	static const struct str fillers[] = {{"x", 1}, {"\n", 1}, {"\"", 1}, {"\xe2\x82\xac", 3}};
	static char value[6000];
	for (size_t kind = 0; kind < COUNT_OF(fillers); kind++) {
		for (size_t len = 600; len < 4200; len += len < 700 || len > 3900 ? 1 : 31) {
			const struct str filler = fillers[kind];
			size_t filled = 0;
			while (filled + filler.len <= len) {
				memcpy(value + filled, filler.ptr, filler.len);
				filled += filler.len;
			}
			struct fixture f;
			fixture_init(&f, LOG_FORMAT_JSON);
			LOG(&f.log, INFO, "e", log_str("v", (struct str){value, filled}),
			    log_int("n", 123456789), log_str("w", (struct str){value, filled}));
			fixture_read(&f);
			assert_true(f.len <= 4096);
			assert_int_equal(f.line[f.len - 1], '\n');
			json_error_t why;
			json_t *parsed =
				json_loadb(f.line, f.len - 1, JSON_REJECT_DUPLICATES, &why);
			if (parsed == NULL)
				fail_msg("filler %zu, length %zu: %s", kind, len, why.text);
			assert_non_null(json_object_get(parsed, "v"));
			json_decref(parsed);
		}
	}
}

static void a_cut_value_says_so(void **state)
{
	(void)state;
	static char value[6000];
	memset(value, 'x', sizeof(value));
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_TEXT);
	LOG(&f.log, INFO, "e", log_str("v", (struct str){value, sizeof(value)}), log_int("n", 1));
	fixture_read(&f);
	assert_true(f.len <= 4096);
	assert_true(f.len > 4000);
	assert_string_equal(f.line + f.len - 5, "...\"\n");
}

static void a_closed_reader_is_no_error_of_ours(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, LOG_FORMAT_TEXT);
	close(f.pipe[0]);
	signal(SIGPIPE, SIG_IGN);
	errno = ENOENT;
	LOG(&f.log, INFO, "e", log_int("n", 1));
	assert_int_equal(errno, ENOENT);
	close(f.pipe[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_text),
		cmocka_unit_test(writes_json),
		cmocka_unit_test(no_clock_no_time),
		cmocka_unit_test(drops_what_is_below_its_level),
		cmocka_unit_test(escapes_hostile_values),
		cmocka_unit_test(a_line_is_cut_at_4_kib_and_stays_json),
		cmocka_unit_test(a_cut_value_says_so),
		cmocka_unit_test(a_closed_reader_is_no_error_of_ours),
	};
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
