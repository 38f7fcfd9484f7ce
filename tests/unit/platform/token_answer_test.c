/* SPDX-License-Identifier: Apache-2.0
 * What a token endpoint's answer holds, and scopes that were not granted. */
#include "token_answer.h"

#include "arena_fixture.h"
#include "clock.h"
#include "count_of.h"

#define NOW_US (INT64_C(1795000000) * US_PER_S)

static struct reply answer_of(int status, const char *body)
{
	struct reply reply = {.outcome = REPLY_ANSWERED, .status = status, .body = str_of(body)};
	json_parse(arena, reply.body, NULL, &reply.json, NULL, NULL);
	return reply;
}

static void lifetimes_are_counted_from_now(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *body;
		int64_t expires_s;
		int64_t refresh_expires_s;
	} rows[] = {
		{"neither told", "{\"access_token\":\"a\"}", 0, 0},
		{"LinkedIn's word",
		 "{\"access_token\":\"a\",\"expires_in\":60,\"refresh_token_expires_in\":70}", 60,
		 70},
		{"TikTok's word",
		 "{\"access_token\":\"a\",\"expires_in\":60,\"refresh_expires_in\":70}", 60, 70},
		{"digits in quotes", "{\"access_token\":\"a\",\"expires_in\":\"60\"}", 60, 0},
		{"negative", "{\"access_token\":\"a\",\"expires_in\":-60}", 0, 0},
		{"not a number", "{\"access_token\":\"a\",\"expires_in\":{}}", 0, 0},
		{"absurd", "{\"access_token\":\"a\",\"expires_in\":9223372036854775807}",
		 INT64_C(3660) * 86400, 0},
	};
	const struct env env = {.arena = arena, .now_us = NOW_US};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct reply reply = answer_of(200, rows[i].body);
		struct token_answer answer;
		if (!token_answer_read(&env, &reply, &answer))
			fail_msg("%s", rows[i].name);
		const int64_t want = rows[i].expires_s ? NOW_US + rows[i].expires_s * US_PER_S : 0;
		const int64_t want_refresh = rows[i].refresh_expires_s
						     ? NOW_US + rows[i].refresh_expires_s * US_PER_S
						     : 0;
		if (answer.expires_at_us != want || answer.refresh_expires_at_us != want_refresh)
			fail_msg("%s: wrong instants", rows[i].name);
	}
}

static void an_answer_without_a_token_is_none(void **state)
{
	(void)state;
	const struct env env = {.arena = arena, .now_us = NOW_US};
	struct token_answer answer;
	const struct reply rows[] = {
		answer_of(200, "{}"),
		answer_of(200, "{\"access_token\":\"\"}"),
		answer_of(200, "{\"access_token\":7}"),
		answer_of(400, "{\"access_token\":\"a\"}"),
		answer_of(200, "access_token=a"),
		answer_of(200, "[]"),
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_false(token_answer_read(&env, &rows[i], &answer));
}

static void tokens_are_kept_as_secrets(void **state)
{
	(void)state;
	struct flow flow;
	flow_init(&flow, arena, 0);
	const struct token_answer answer = {STR("access-1"), STR("refresh-1"), STR("s"), 5, 6};
	token_answer_keep(&flow, &answer);
	const struct str open = flow_write(arena, &flow);
	assert_int_equal(str_find(open, STR("access-1"), 0), SIZE_MAX);
	assert_int_equal(str_find(open, STR("refresh-1"), 0), SIZE_MAX);
	struct flow again;
	assert_int_equal(flow_read(&again, arena, open, flow_write_secrets(arena, &flow), 0, NULL),
			 ERR_NONE);
	const struct token_answer kept = token_answer_kept(&again);
	assert_true(str_equal_z(kept.access_token, "access-1"));
	assert_true(str_equal_z(kept.refresh_token, "refresh-1"));
	assert_int_equal(kept.expires_at_us, 5);
	assert_int_equal(kept.refresh_expires_at_us, 6);
}

static void missing_scopes_are_named(void **state)
{
	(void)state;
	static const char *const needed[] = {"a", "b.c", "d", NULL};
	static const struct {
		const char *granted;
		const char *missing;
	} rows[] = {
		{"a b.c d", ""},    {"d,b.c,a", ""},
		{"a, b.c, d", ""},  {"", ""},
		{"a d", "b.c"},     {"ab.cd", "a, b.c, d"},
		{"a b.c", "d"},     {"aa b.cc dd", "a, b.c, d"},
		{",", "a, b.c, d"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str missing =
			token_scopes_missing(arena, str_of(rows[i].granted), needed);
		if (!str_equal_z(missing, rows[i].missing))
			fail_msg("\"%s\": got \"" STR_FMT "\"", rows[i].granted, STR_ARG(missing));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lifetimes_are_counted_from_now, setup, teardown),
		cmocka_unit_test_setup_teardown(an_answer_without_a_token_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(tokens_are_kept_as_secrets, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_scopes_are_named, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
