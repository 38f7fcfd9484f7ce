/* SPDX-License-Identifier: Apache-2.0
 * Builders of steps and calls. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "platform.h"

static struct arena *arena;
static struct env env;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("step", 1024 * 1024);
	env = (struct env){.arena = arena, .now_us = INT64_C(1795262400000000)};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void a_call_has_its_headers_and_body(void **state)
{
	struct step step = {.kind = STEP_FAIL, .match_count = 3};
	struct call *call = step_send(&step, CALL_PUBLISH, "POST", STR("https://api.example/"));
	(void)state;
	call_bearer(&env, call, STR("T"));
	call_json(call, STR("{}"));
	assert_int_equal(step.kind, STEP_SEND);
	assert_int_equal(step.match_count, 0);
	assert_int_equal(call->kind, CALL_PUBLISH);
	assert_int_equal(call->header_count, 2);
	assert_true(str_equal_z(call->headers[0].value, "Bearer T"));
	assert_string_equal(call->headers[1].name, "Content-Type");
	assert_true(str_equal_z(call->headers[1].value, "application/json"));
	call = step_send(&step, CALL_PREPARE, "POST", STR("https://api.example/"));
	call_form(call, STR("a=b"));
	assert_true(str_equal_z(call->headers[0].value, "application/x-www-form-urlencoded"));
	assert_true(str_equal_z(call->body, "a=b"));
	assert_false(call->needs_fresh_connection);
}

static void a_media_body_gets_time_by_its_size(void **state)
{
	static const struct {
		struct call call;
		int64_t timeout_ms;
	} rows[] = {
		{{0}, 30000},
		{{.timeout_ms = 5000}, 5000},
		{{.media_length_bytes = 1 << 20}, 30000},
		{{.has_media_body = true}, 30000},
		{{.has_media_body = true, .media_length_bytes = 31}, 30000},
		{{.has_media_body = true, .media_length_bytes = 32}, 30001},
		{{.has_media_body = true, .media_length_bytes = 64, .timeout_ms = 7}, 9},
		{{.has_media_body = true, .media_length_bytes = INT64_C(1) << 32}, 134247728},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(step_call_timeout_ms(&rows[i].call), rows[i].timeout_ms);
}

static void headers_are_found_in_any_case(void **state)
{
	const struct reply_header headers[] = {{STR("X-One"), STR("1")}, {STR("x-one"), STR("2")}};
	const struct reply reply = {.headers = headers, .header_count = 2};
	(void)state;
	assert_true(str_equal_z(reply_header(&reply, "x-ONE"), "1"));
	assert_true(str_is_empty(reply_header(&reply, "x-two")));
}

static void steps_carry_nothing_of_the_one_before(void **state)
{
	struct step step = {.kind = STEP_FAIL, .account_count = 2, .wait_ms = 9};
	(void)state;
	step_wait(&step, 5);
	assert_int_equal(step.kind, STEP_WAIT);
	assert_int_equal(step.wait_ms, 5);
	assert_int_equal(step.account_count, 0);
	step_media(&step, 3);
	assert_int_equal(step.kind, STEP_MEDIA);
	assert_int_equal(step.media_index, 3);
	assert_int_equal(step.wait_ms, 0);
	step_done(&step);
	assert_int_equal(step.kind, STEP_DONE);
	assert_int_equal(step.media_index, 0);
}

static void no_answer_and_server_faults_are_transient(void **state)
{
	static const struct {
		enum reply_outcome outcome;
		int status;
		bool is_failure;
		const char *message;
	} rows[] = {
		{REPLY_NEVER_SENT, 0, true, "The platform could not be reached: reset."},
		{REPLY_LOST, 0, true, "The platform's answer was lost: reset."},
		{REPLY_ANSWERED, 500, true, "The platform answered with status 500."},
		{REPLY_ANSWERED, 599, true, "The platform answered with status 599."},
		{REPLY_ANSWERED, 499, false, ""},
		{REPLY_ANSWERED, 200, false, ""},
		{REPLY_ANSWERED, 302, false, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct step step = {.kind = STEP_DONE};
		const struct reply reply = {.outcome = rows[i].outcome,
					    .status = rows[i].status,
					    .transport_error = STR("reset")};
		assert_int_equal(step_fail_transport(&step, &env, &reply), rows[i].is_failure);
		assert_int_equal(step.kind, rows[i].is_failure ? STEP_FAIL : STEP_DONE);
		if (!rows[i].is_failure)
			continue;
		assert_int_equal(step.failure.class, FAILURE_TRANSIENT);
		assert_int_equal(step.failure.code, FAILURE_CODE_PLATFORM_UNAVAILABLE);
		assert_int_equal(step.failure.retry_after_ms, 0);
		assert_true(str_equal_z(step.failure.message, rows[i].message));
	}
}

static void retry_after_is_taken_over(void **state)
{
	const struct reply_header seconds[] = {{STR("retry-after"), STR("120")}};
	const struct reply_header nonsense[] = {{STR("retry-after"), STR("soon")}};
	struct reply reply = {
		.outcome = REPLY_ANSWERED, .status = 503, .headers = seconds, .header_count = 1};
	struct step step = {.kind = STEP_DONE};
	(void)state;
	assert_true(step_fail_transport(&step, &env, &reply));
	assert_int_equal(step.failure.retry_after_ms, 120000);
	reply.headers = nonsense;
	assert_true(step_fail_transport(&step, &env, &reply));
	assert_int_equal(step.failure.retry_after_ms, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_call_has_its_headers_and_body),
		TEST(a_media_body_gets_time_by_its_size),
		TEST(headers_are_found_in_any_case),
		TEST(steps_carry_nothing_of_the_one_before),
		TEST(no_answer_and_server_faults_are_transient),
		TEST(retry_after_is_taken_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
