/* SPDX-License-Identifier: Apache-2.0
 * Meta's errors by number, and how long it says to wait. Row by row on real calls they are in
 * tests/transcripts/facebook_errors.txt and instagram_errors_*.txt. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

#include "graph.h"

static struct arena *arena;
static struct env env;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("graph", 16 * 1024 * 1024);
	env = (struct env){.arena = arena};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct reply answered(int status, const char *body)
{
	struct reply reply = {.outcome = REPLY_ANSWERED, .status = status, .body = str_of(body)};
	if (json_parse(arena, reply.body, NULL, &reply.json, NULL, NULL) != ERR_NONE)
		reply.json = NULL;
	return reply;
}

static void errors_are_read_by_number(void **state)
{
	static const struct {
		const char *body;
		bool is_error;
		enum failure_class class;
		enum graph_remedy remedy;
		bool is_uncertain;
	} rows[] = {
		{"{\"error\":{\"code\":190}}", true, FAILURE_REAUTH, GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":\"190\"}}", true, FAILURE_REAUTH, GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":4,\"error_subcode\":2207051}}", true, FAILURE_PERMANENT,
		 GRAPH_RESOLVE, true},
		{"{\"error\":{\"code\":4}}", true, FAILURE_RATE_LIMITED, GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":4,\"is_transient\":true}}", true, FAILURE_RATE_LIMITED,
		 GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":1}}", true, FAILURE_TRANSIENT, GRAPH_RESOLVE, true},
		{"{\"error\":{\"code\":77777,\"is_transient\":true}}", true, FAILURE_TRANSIENT,
		 GRAPH_RESOLVE, true},
		{"{\"error\":{\"code\":77777}}", true, FAILURE_PERMANENT, GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":9007,\"error_subcode\":2207027}}", true, FAILURE_TRANSIENT,
		 GRAPH_POLL, false},
		{"{\"error\":{\"code\":-1,\"error_subcode\":2207001}}", true, FAILURE_TRANSIENT,
		 GRAPH_CONTAINER, true},
		{"{\"error\":{\"code\":24,\"error_subcode\":2207008}}", true, FAILURE_TRANSIENT,
		 GRAPH_CONTAINER, false},
		{"{\"error\":{\"code\":80014}}", true, FAILURE_RATE_LIMITED, GRAPH_NO_REMEDY,
		 false},
		{"{\"error\":{\"code\":80015}}", true, FAILURE_PERMANENT, GRAPH_NO_REMEDY, false},
		{"{\"error\":{\"code\":300}}", true, FAILURE_PERMANENT, GRAPH_NO_REMEDY, false},
		{"{\"error\":{}}", false, FAILURE_PERMANENT, GRAPH_NO_REMEDY, true},
		{"{\"error\":\"190\"}", false, FAILURE_PERMANENT, GRAPH_NO_REMEDY, true},
		{"{\"id\":\"190\"}", false, FAILURE_PERMANENT, GRAPH_NO_REMEDY, true},
		{"<html>190</html>", false, FAILURE_PERMANENT, GRAPH_NO_REMEDY, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct reply reply = answered(400, rows[i].body);
		struct graph_error error = {0};
		if (graph_error_read(&reply, &error) != rows[i].is_error ||
		    graph_is_uncertain(&reply) != rows[i].is_uncertain)
			fail_msg("%s", rows[i].body);
		if (rows[i].is_error &&
		    (error.class != rows[i].class || error.remedy != rows[i].remedy))
			fail_msg("%s", rows[i].body);
	}
}

static void an_error_in_a_200_is_an_error(void **state)
{
	const struct reply bad = answered(200, "{\"error\":{\"code\":190}}");
	const struct reply good = answered(200, "{\"id\":1}");
	const struct reply lost = {.outcome = REPLY_LOST, .status = 200};
	(void)state;
	assert_false(graph_is_ok(&bad));
	assert_true(graph_is_ok(&good));
	assert_false(graph_is_ok(&lost));
}

static void words_are_cut_between_characters(void **state)
{
	struct buf body;
	struct step step = {.kind = STEP_DONE};
	(void)state;
	buf_init(&body, arena, 8192);
	buf_add_z(&body, "{\"error\":{\"code\":100,\"message\":\"");
	for (int i = 0; i < 200; i++)
		buf_add_z(&body, "\xe3\x81\xae");
	buf_add_z(&body, "\"}}");
	const struct reply reply = answered(400, str_z(arena, buf_str(&body)));
	graph_step_fail(&env, &reply, &step);
	assert_int_equal(step.failure.platform_message.len, 498);
}

#define LIMIT "{\"error\":{\"code\":32}}"

static void waits_are_read_from_the_best_hint(void **state)
{
	static const struct {
		const char *header;
		const char *value;
		int64_t wait_ms;
	} rows[] = {
		{"X-Other", "", 15 * 60000},
		{"Retry-After", "40", 40000},
		{"X-App-Usage", "{\"call_count\":99,\"total_time\":1,\"total_cputime\":1}",
		 15 * 60000},
		{"X-App-Usage", "{\"call_count\":1,\"total_time\":100,\"total_cputime\":1}",
		 60 * 60000},
		{"X-App-Usage", "[100]", 15 * 60000},
		{"X-App-Usage", "{", 15 * 60000},
		{"X-Business-Use-Case-Usage",
		 "{\"1\":[{\"estimated_time_to_regain_access\":7}],\"2\":[{\"estimated_time_to_"
		 "regain_access\":9},{}]}",
		 9 * 60000},
		{"X-Business-Use-Case-Usage",
		 "{\"1\":[{\"estimated_time_to_regain_access\":99999}]}", 24 * 60 * 60000},
		{"X-Business-Use-Case-Usage", "{\"1\":[{\"estimated_time_to_regain_access\":-5}]}",
		 15 * 60000},
		{"X-Business-Use-Case-Usage", "{\"1\":7}", 15 * 60000},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct reply_header header = {str_of(rows[i].header), str_of(rows[i].value)};
		struct reply reply = answered(400, LIMIT);
		struct step step = {.kind = STEP_DONE};
		reply.headers = &header;
		reply.header_count = 1;
		graph_step_fail(&env, &reply, &step);
		assert_int_equal(step.failure.class, FAILURE_RATE_LIMITED);
		if (step.failure.retry_after_ms != rows[i].wait_ms)
			fail_msg("%s: %s: %lld", rows[i].header, rows[i].value,
				 (long long)step.failure.retry_after_ms);
	}
}

/* What a person has to do differs by why the token died (meta.md 6.1). */
static void a_dead_token_tells_what_to_do(void **state)
{
	static const struct {
		int subcode;
		const char *words;
	} rows[] = {{458, "removed the app"},
		    {459, "log in at facebook.com"},
		    {460, "password"},
		    {463, "expired"},
		    {464, "confirm the login"},
		    {467, "invalid"},
		    {492, "role"},
		    {0, "connected again"}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str body = str_format(
			arena, "{\"error\":{\"code\":190,\"error_subcode\":%d}}", rows[i].subcode);
		const struct reply reply = answered(400, str_z(arena, body));
		struct step step = {.kind = STEP_DONE};
		graph_step_fail(&env, &reply, &step);
		assert_int_equal(step.failure.class, FAILURE_REAUTH);
		if (str_find(step.failure.message, str_of(rows[i].words), 0) == SIZE_MAX)
			fail_msg("%d: " STR_FMT, rows[i].subcode, STR_ARG(step.failure.message));
	}
}

static void words_tell_two_errors_from_their_neighbours(void **state)
{
	static const struct {
		const char *body;
		enum failure_class class;
		enum failure_code code;
	} rows[] = {
		{"{\"error\":{\"code\":200,\"message\":\"(#200) Unpublished posts must be posted "
		 "to a page as the page itself.\"}}",
		 FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED},
		{"{\"error\":{\"code\":100,\"message\":\"No permission to publish the video\"}}",
		 FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING},
		{"{\"error\":{\"code\":200,\"message\":\"No permission to publish the "
		 "video\"}}",
		 FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING},
		{"{\"error\":{\"code\":100,\"message\":\"posted to a page as the page "
		 "itself\"}}",
		 FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct reply reply = answered(400, rows[i].body);
		struct graph_error error = {0};
		assert_true(graph_error_read(&reply, &error));
		assert_int_equal(error.class, rows[i].class);
		assert_int_equal(error.failure_code, rows[i].code);
	}
}

static void rupload_speaks_in_its_own_form(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum failure_class class;
		enum failure_code code;
	} rows[] = {
		{400, "{\"debug_info\":{\"retriable\":true,\"type\":\"T\",\"message\":\"M\"}}",
		 FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE},
		{400, "{\"debug_info\":{\"retriable\":false,\"type\":\"T\",\"message\":\"M\"}}",
		 FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED},
		{400, "{\"debug_info\":{}}", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED},
		{400, "{\"error\":{\"code\":190}}", FAILURE_REAUTH,
		 FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED},
		{502, "<html>", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE},
		{400, "{\"debug_info\":7}", FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct reply reply = answered(rows[i].status, rows[i].body);
		struct step step = {.kind = STEP_DONE};
		graph_step_fail_upload(&env, &reply, &step);
		if (step.failure.class != rows[i].class || step.failure.code != rows[i].code)
			fail_msg("%s", rows[i].body);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(errors_are_read_by_number),
		TEST(an_error_in_a_200_is_an_error),
		TEST(words_are_cut_between_characters),
		TEST(waits_are_read_from_the_best_hint),
		TEST(a_dead_token_tells_what_to_do),
		TEST(words_tell_two_errors_from_their_neighbours),
		TEST(rupload_speaks_in_its_own_form),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
