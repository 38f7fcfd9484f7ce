/* SPDX-License-Identifier: Apache-2.0
 * Calls as transfers, results as replies, and what is known of a publish call after it. */
#include "engine_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#define PLANNED_US INT64_C(5000000)

static int set_up(void **state)
{
	*state = arena_new("call", 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

/* One figure: the lease of a delivery is made of the same (delivery/verdict.c). */
static void a_transfer_gets_the_time_of_its_call(void **state)
{
	static const struct call calls[] = {
		{.kind = CALL_READ},
		{.kind = CALL_READ, .timeout_ms = 5000},
		{.kind = CALL_PREPARE, .has_media_body = true, .media_length_bytes = 1 << 30},
		{.kind = CALL_PUBLISH, .has_media_body = true, .media_length_bytes = 1 << 30},
		{.kind = CALL_PUBLISH, .timeout_ms = 7},
	};
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		const struct transfer_request request =
			engine_call_request(*state, &calls[i], "/file", PLANNED_US);
		const int64_t timeout_ms = step_call_timeout_ms(&calls[i]);
		const bool is_publish = calls[i].kind == CALL_PUBLISH;
		assert_int_equal(request.timeout_ms, timeout_ms);
		assert_int_equal(request.send_deadline_boot_us,
				 is_publish ? PLANNED_US + timeout_ms * US_PER_MS : 0);
		assert_int_equal(request.fresh_connection, is_publish);
		assert_int_equal(request.body_path != NULL, calls[i].has_media_body);
	}
}

/* A refresh token that works once may be used by another node when this one was asleep: not sent
 * then, and long before that node may take the account over (NODE_DEAD_US less NODE_BEAT_MS). */
static void a_call_that_works_once_is_not_sent_late(void **state)
{
	static const struct call calls[] = {
		{.kind = CALL_PREPARE, .needs_fresh_connection = true},
		{.kind = CALL_PREPARE, .needs_fresh_connection = true, .timeout_ms = 60000},
		{.kind = CALL_PREPARE, .needs_fresh_connection = true, .timeout_ms = 5000},
	};
	static const int64_t latest_ms[] = {15000, 15000, 5000};
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		const struct transfer_request request =
			engine_call_request(*state, &calls[i], NULL, PLANNED_US);
		assert_int_equal(request.send_deadline_boot_us,
				 PLANNED_US + latest_ms[i] * US_PER_MS);
	}
}

static void headers_and_body_are_those_of_the_call(void **state)
{
	struct call call = {.kind = CALL_READ,
			    .method = "PUT",
			    .url = STR("https://platform.example/"),
			    .body = STR("before"),
			    .body_tail = STR("after"),
			    .has_media_body = true,
			    .media_offset_bytes = 3,
			    .media_length_bytes = 4,
			    .needs_fresh_connection = true};
	call_header(&call, "X-One", STR("1"));
	const struct transfer_request request =
		engine_call_request(*state, &call, "/file", PLANNED_US);
	assert_int_equal(request.pool, TRANSFER_PLATFORM);
	assert_string_equal(request.method, "PUT");
	assert_string_equal(request.body_path, "/file");
	assert_int_equal(request.body_offset_bytes, 3);
	assert_int_equal(request.body_length_bytes, 4);
	assert_true(str_equal_z(request.body, "before"));
	assert_true(str_equal_z(request.body_tail, "after"));
	assert_int_equal(request.header_count, 1);
	assert_true(str_equal_z(request.headers[0].name, "X-One"));
	assert_true(str_equal_z(request.headers[0].value, "1"));
	assert_true(request.fresh_connection);
}

static void a_reply_is_the_result(void **state)
{
	static const struct {
		enum transfer_outcome outcome;
		enum reply_outcome reply;
		const char *body;
		bool is_json;
	} rows[] = {
		{TRANSFER_ANSWERED, REPLY_ANSWERED, "{\"a\":1}", true},
		{TRANSFER_ANSWERED, REPLY_ANSWERED, "<html>", false},
		{TRANSFER_ANSWERED, REPLY_ANSWERED, "", false},
		{TRANSFER_NEVER_SENT, REPLY_NEVER_SENT, "", false},
		{TRANSFER_LOST, REPLY_LOST, "{\"a\":1}", false}, /* not whole */
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct transfer_result result = {.outcome = rows[i].outcome,
						       .status = 200,
						       .body = str_of(rows[i].body),
						       .error_text = STR("why")};
		const struct reply *reply = engine_call_reply(*state, &result);
		assert_int_equal(reply->outcome, rows[i].reply);
		assert_int_equal(reply->status, 200);
		assert_int_equal(reply->json != NULL, rows[i].is_json);
		assert_true(str_equal_z(reply->transport_error, "why"));
	}
}

struct judged {
	const char *name;
	enum call_kind kind;
	enum transfer_outcome outcome;
	int status;
	enum call_verdict verdict;
};

static const struct judged judged[] = {
	{"read, any answer", CALL_READ, TRANSFER_ANSWERED, 500, CALL_FOR_ADAPTER},
	{"read, lost", CALL_READ, TRANSFER_LOST, 0, CALL_FOR_ADAPTER},
	{"prepare, never sent", CALL_PREPARE, TRANSFER_NEVER_SENT, 0, CALL_FOR_ADAPTER},
	{"publish, 200", CALL_PUBLISH, TRANSFER_ANSWERED, 200, CALL_FOR_ADAPTER},
	{"publish, 299", CALL_PUBLISH, TRANSFER_ANSWERED, 299, CALL_FOR_ADAPTER},
	{"publish, 400", CALL_PUBLISH, TRANSFER_ANSWERED, 400, CALL_FOR_ADAPTER},
	{"publish, 429", CALL_PUBLISH, TRANSFER_ANSWERED, 429, CALL_FOR_ADAPTER},
	{"publish, 499", CALL_PUBLISH, TRANSFER_ANSWERED, 499, CALL_FOR_ADAPTER},
	{"publish, 300", CALL_PUBLISH, TRANSFER_ANSWERED, 300, CALL_UNCERTAIN},
	{"publish, 308", CALL_PUBLISH, TRANSFER_ANSWERED, 308, CALL_UNCERTAIN},
	{"publish, 399", CALL_PUBLISH, TRANSFER_ANSWERED, 399, CALL_UNCERTAIN},
	{"publish, 500", CALL_PUBLISH, TRANSFER_ANSWERED, 500, CALL_UNCERTAIN},
	{"publish, 503", CALL_PUBLISH, TRANSFER_ANSWERED, 503, CALL_UNCERTAIN},
	{"publish, 600", CALL_PUBLISH, TRANSFER_ANSWERED, 600, CALL_UNCERTAIN},
	{"publish, 101", CALL_PUBLISH, TRANSFER_ANSWERED, 101, CALL_UNCERTAIN},
	{"publish, no status", CALL_PUBLISH, TRANSFER_ANSWERED, 0, CALL_UNCERTAIN},
	{"publish, lost", CALL_PUBLISH, TRANSFER_LOST, 0, CALL_UNCERTAIN},
	{"publish, lost after a status line", CALL_PUBLISH, TRANSFER_LOST, 200, CALL_UNCERTAIN},
	{"publish, never sent", CALL_PUBLISH, TRANSFER_NEVER_SENT, 0, CALL_NEVER_SENT},
};

static void a_publish_call_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(judged); i++) {
		const struct transfer_result result = {.outcome = judged[i].outcome,
						       .status = judged[i].status};
		if (engine_call_judge(judged[i].kind, &result) != judged[i].verdict)
			fail_msg("%s", judged[i].name);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_transfer_gets_the_time_of_its_call),
		TEST(a_call_that_works_once_is_not_sent_late),
		TEST(headers_and_body_are_those_of_the_call),
		TEST(a_reply_is_the_result),
		TEST(a_publish_call_is_judged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
