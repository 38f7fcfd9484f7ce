/* SPDX-License-Identifier: Apache-2.0
 * Graph calls and errors by number. The conversations of both platforms are in tests/transcripts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json.h"

#include "graph.h"

static struct arena *arena;
static struct platform_settings settings;
static struct env env;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("graph", 16 * 1024 * 1024);
	settings = (struct platform_settings){.graph_version = STR("v26.0")};
	env = (struct env){.arena = arena, .settings = &settings, .client_secret = STR(" key \n")};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* HMAC-SHA256 of that sentence under the key "key", by another implementation. */
#define PROOF "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"

static void a_get_has_its_proof_in_the_query(void **state)
{
	struct step step = {.kind = STEP_DONE};
	struct buf form;
	(void)state;
	graph_form_init(&env, &form);
	form_add(&form, "fields", STR("id,name"));
	graph_call(&env, &step, CALL_READ, "GET", STR("me"),
		   STR("The quick brown fox jumps over the lazy dog"), &form);
	assert_true(str_equal_z(
		step.call.url,
		"https://graph.facebook.com/v26.0/me?fields=id%2Cname&appsecret_proof=" PROOF));
	assert_true(str_is_empty(step.call.body));
	assert_int_equal(step.call.header_count, 1);
}

static void a_post_has_it_in_the_body(void **state)
{
	struct step step = {.kind = STEP_DONE};
	struct buf form;
	(void)state;
	graph_form_init(&env, &form);
	graph_call(&env, &step, CALL_PUBLISH, "POST", STR("1/feed"),
		   STR("The quick brown fox jumps over the lazy dog"), &form);
	assert_true(str_equal_z(step.call.url, "https://graph.facebook.com/v26.0/1/feed"));
	assert_true(str_equal_z(step.call.body, "appsecret_proof=" PROOF));
}

static void without_a_token_there_is_neither_header_nor_proof(void **state)
{
	struct step step = {.kind = STEP_DONE};
	struct buf form;
	(void)state;
	graph_form_init(&env, &form);
	graph_call(&env, &step, CALL_READ, "GET", STR("me"), (struct str){0}, &form);
	assert_true(str_equal_z(step.call.url, "https://graph.facebook.com/v26.0/me"));
	assert_int_equal(step.call.header_count, 0);
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
		{"{\"error\":{\"code\":190}}", true, FAILURE_REAUTH, GRAPH_TELL, false},
		{"{\"error\":{\"code\":\"190\"}}", true, FAILURE_REAUTH, GRAPH_TELL, false},
		{"{\"error\":{\"code\":4,\"error_subcode\":2207051}}", true, FAILURE_PERMANENT,
		 GRAPH_LOOK, true},
		{"{\"error\":{\"code\":4}}", true, FAILURE_RATE_LIMITED, GRAPH_TELL, false},
		{"{\"error\":{\"code\":4,\"is_transient\":true}}", true, FAILURE_RATE_LIMITED,
		 GRAPH_TELL, false},
		{"{\"error\":{\"code\":1}}", true, FAILURE_TRANSIENT, GRAPH_LOOK, true},
		{"{\"error\":{\"code\":77777,\"is_transient\":true}}", true, FAILURE_TRANSIENT,
		 GRAPH_LOOK, true},
		{"{\"error\":{\"code\":77777}}", true, FAILURE_PERMANENT, GRAPH_TELL, false},
		{"{\"error\":{\"code\":9007,\"error_subcode\":2207027}}", true, FAILURE_TRANSIENT,
		 GRAPH_POLL, false},
		{"{\"error\":{\"code\":-1,\"error_subcode\":2207001}}", true, FAILURE_TRANSIENT,
		 GRAPH_CONTAINER, true},
		{"{\"error\":{\"code\":24,\"error_subcode\":2207008}}", true, FAILURE_TRANSIENT,
		 GRAPH_CONTAINER, false},
		{"{\"error\":{\"code\":80014}}", true, FAILURE_RATE_LIMITED, GRAPH_TELL, false},
		{"{\"error\":{\"code\":80015}}", true, FAILURE_PERMANENT, GRAPH_TELL, false},
		{"{\"error\":{\"code\":300}}", true, FAILURE_PERMANENT, GRAPH_TELL, false},
		{"{\"error\":{}}", false, FAILURE_PERMANENT, GRAPH_TELL, true},
		{"{\"error\":\"190\"}", false, FAILURE_PERMANENT, GRAPH_TELL, true},
		{"{\"id\":\"190\"}", false, FAILURE_PERMANENT, GRAPH_TELL, true},
		{"<html>190</html>", false, FAILURE_PERMANENT, GRAPH_TELL, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
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

static void instants_are_read_as_graph_writes_them(void **state)
{
	(void)state;
	assert_true(graph_instant_us(&env, STR("2026-11-21T12:00:00+0000")) ==
		    INT64_C(1795262400000000));
	assert_true(graph_instant_us(&env, STR("2026-11-21T12:00:00Z")) ==
		    INT64_C(1795262400000000));
	assert_int_equal(graph_instant_us(&env, STR("2026-11-21T12:00:00+0100")), 0);
	assert_int_equal(graph_instant_us(&env, STR("")), 0);
	assert_int_equal(graph_instant_us(&env, STR("+0000")), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_get_has_its_proof_in_the_query),
		TEST(a_post_has_it_in_the_body),
		TEST(without_a_token_there_is_neither_header_nor_proof),
		TEST(errors_are_read_by_number),
		TEST(an_error_in_a_200_is_an_error),
		TEST(words_are_cut_between_characters),
		TEST(instants_are_read_as_graph_writes_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
