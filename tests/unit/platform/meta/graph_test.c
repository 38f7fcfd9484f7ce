/* SPDX-License-Identifier: Apache-2.0
 * Graph calls. Errors are graph_error_test.c's; the conversations of both platforms are in
 * tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"

#include "graph.h"
#include "multipart.h"

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

#define FOX STR("The quick brown fox jumps over the lazy dog")

static void a_multipart_body_has_it_as_a_part(void **state)
{
	struct step step = {.kind = STEP_DONE};
	struct multipart body;
	(void)state;
	multipart_begin(&body, &env, STR("salt"));
	multipart_field(&body, "upload_phase", STR("transfer"));
	multipart_file(&body, "video_file_chunk", "chunk", "video/mp4", 2, 10, 20);
	struct call *call =
		graph_call_multipart(&env, &step, CALL_PREPARE, STR("1/videos"), FOX, &body);
	assert_string_equal(call->method, "POST");
	assert_true(str_equal_z(call->url, "https://graph.facebook.com/v26.0/1/videos"));
	assert_true(str_has_prefix(call->headers[0].value, STR("Bearer The")));
	assert_true(str_has_prefix(call->headers[1].value, STR("multipart/form-data; boundary=")));
	assert_true(str_find(call->body_tail, STR(PROOF), 0) != SIZE_MAX);
	assert_true(call->has_media_body);
	assert_int_equal(call->media_index, 2);
	assert_int_equal(call->media_offset_bytes, 10);
	assert_int_equal(call->media_length_bytes, 20);
}

/* meta.md 3.2, step 2: the address as it was given, the scheme OAuth, and where the bytes go on. */
static void an_upload_tells_where_it_goes_on(void **state)
{
	const struct media_file file = {.is_ready = true, .size_bytes = 100};
	struct step step = {.kind = STEP_DONE};
	(void)state;
	env.media = &file;
	struct call *call = graph_call_upload(
		&env, &step, STR("https://rupload.facebook.com/video-upload/v26.0/7?x=%20"), FOX, 0,
		40);
	assert_int_equal(call->kind, CALL_PREPARE);
	assert_true(
		str_equal_z(call->url, "https://rupload.facebook.com/video-upload/v26.0/7?x=%20"));
	assert_true(str_has_prefix(call->headers[0].value, STR("OAuth The")));
	assert_string_equal(call->headers[2].name, "offset");
	assert_true(str_equal_z(call->headers[2].value, "40"));
	assert_true(str_equal_z(call->headers[3].value, "100"));
	assert_int_equal(call->media_offset_bytes, 40);
	assert_int_equal(call->media_length_bytes, 60);
}

static void options_are_text_or_json_text(void **state)
{
	static const struct {
		const char *json;
		const char *text;
	} rows[] = {
		{"\"a&b\"", "a&b"},
		{"{\"geo_locations\":{\"countries\":[\"DE\"]}}",
		 "{\"geo_locations\":{\"countries\":[\"DE\"]}}"},
		{"[\"a\",\"b\"]", "[\"a\",\"b\"]"},
		{"false", "false"},
		{"7", "7"},
		{"null", ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str text = str_format(arena, "{\"o\":%s}", rows[i].json);
		assert_int_equal(json_parse(arena, text, NULL, &env.options, NULL, NULL), ERR_NONE);
		assert_true(str_equal_z(graph_option_text(&env, "o"), rows[i].text));
	}
	assert_true(str_is_empty(graph_option_text(&env, "other")));
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
		TEST(a_multipart_body_has_it_as_a_part),
		TEST(an_upload_tells_where_it_goes_on),
		TEST(options_are_text_or_json_text),
		TEST(instants_are_read_as_graph_writes_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
