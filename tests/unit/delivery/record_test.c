/* SPDX-License-Identifier: Apache-2.0
 * What is written down of a call: a short, clean excerpt of what a refusing platform said, and the
 * parts. */
#include "count_of.h"

#include "delivery.h"

#include "world.h"

#include "utf8.h"

#include "delivery_private.h"

struct bench {
	struct arena *arena;
	struct delivery_task t;
	struct deliverer deliverer;
	struct fake_clock clock;
};

static int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	assert_non_null(b);
	b->arena = arena_new("record", (size_t)64 << 20);
	fake_clock_init(&b->clock);
	b->deliverer.config.clock = &b->clock.clock;
	b->t.deliverer = &b->deliverer;
	b->t.arena = b->arena;
	b->t.turn.arena = b->arena;
	b->t.env.access_token = STR(WORLD_ACCESS_TOKEN);
	b->t.call.method = "POST";
	flow_init(&b->t.flow, b->arena, 0);
	*state = b;
	return 0;
}

static int bench_teardown(void **state)
{
	struct bench *b = *state;
	arena_free(&b->arena);
	free(b);
	return 0;
}

static struct timeline_entry entry_of(struct bench *b, enum call_kind kind,
				      enum call_verdict verdict, const struct reply *reply)
{
	const struct task_event event = {
		.kind = TASK_EVENT_REPLY, .verdict = verdict, .reply = reply, .duration_us = 5000};
	b->t.turn.timeline_count = 0;
	b->t.call.kind = kind;
	record_call_ended(&b->t, &event);
	assert_int_equal(b->t.turn.timeline_count, 1);
	return b->t.turn.timeline[0];
}

static struct str excerpt_of(struct bench *b, struct str body)
{
	const struct reply reply = {.outcome = REPLY_ANSWERED, .status = 400, .body = body};
	return entry_of(b, CALL_PUBLISH, CALL_FOR_ADAPTER, &reply).excerpt;
}

static struct str filled(struct bench *b, size_t length, char c)
{
	char *text = arena_alloc(b->arena, length + 1);
	memset(text, c, length);
	return (struct str){text, length};
}

static void long_bodies_keep_their_beginning(void **state)
{
	struct bench *b = *state;
	static const size_t lengths[] = {0,    1,    999,  1000,  1001,  1999,  2000,
					 2001, 5096, 5097, 16384, 16385, 300000};
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		const struct str seen = excerpt_of(b, filled(b, lengths[i], 'x'));
		assert_int_equal(seen.len, lengths[i] < 1000 ? lengths[i] : 1000);
	}
}

/* At every place, and after every cut: no piece of the token of 8 bytes or more is shown. */
static void a_token_at_any_place_is_not_shown(void **state)
{
	struct bench *b = *state;
	const struct str token = STR(WORLD_ACCESS_TOKEN);
	static const size_t places[] = {0,   1,    500,  960,  980,   995,
					999, 1000, 5050, 5090, 16360, 16380};
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		const struct str body =
			str_concat(b->arena, str_concat(b->arena, filled(b, places[i], 'x'), token),
				   filled(b, 20000, 'y'));
		const struct str seen = excerpt_of(b, body);
		if (str_find(seen, str_slice(token, 0, 8), 0) != SIZE_MAX)
			fail_msg("at %zu: " STR_FMT, places[i], STR_ARG(seen));
	}
}

/* A body of nothing but tokens shrinks so far that the place where it was cut comes into view. */
static void tokens_that_make_the_text_shrink_are_not_shown(void **state)
{
	struct bench *b = *state;
	struct str body = STR("");
	for (int i = 0; i < 10; i++)
		body = i == 0 ? STR(WORLD_ACCESS_TOKEN " ") : str_concat(b->arena, body, body);
	for (size_t cut = 0; cut < 40; cut++) {
		const struct str text = str_concat(b->arena, filled(b, cut, 'x'), body);
		assert_true(str_find(excerpt_of(b, text), STR("access-t"), 0) == SIZE_MAX);
	}
}

static void excerpts_are_text(void **state)
{
	struct bench *b = *state;
	assert_str(excerpt_of(b, STR("\xff\xfe\x00\x01 binary")), "(not text)");
	/* A character of three bytes over every cut. */
	for (size_t before = 995; before < 1001; before++) {
		const struct str body = str_concat(b->arena, filled(b, before, 'x'),
						   STR("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"));
		const struct str seen = excerpt_of(b, body);
		assert_true(utf8_is_valid(seen));
		assert_true(seen.len >= 995 && seen.len <= 1000);
	}
	for (size_t before = 16378; before < 16386; before++) {
		const struct str body = str_concat(b->arena, filled(b, before, 'x'),
						   STR("\xf0\x9f\x93\xaf\xf0\x9f\x93\xaf"));
		assert_int_equal(excerpt_of(b, body).len, 1000);
	}
}

struct verdict_row {
	const char *verdict;
	enum call_kind kind;
	enum call_verdict judged;
	enum reply_outcome outcome;
	int status;
};

static const struct verdict_row verdicts[] = {
	{"done", CALL_PUBLISH, CALL_FOR_ADAPTER, REPLY_ANSWERED, 201},
	{"ok", CALL_READ, CALL_FOR_ADAPTER, REPLY_ANSWERED, 200},
	{"refused", CALL_PUBLISH, CALL_FOR_ADAPTER, REPLY_ANSWERED, 400},
	{"error", CALL_READ, CALL_FOR_ADAPTER, REPLY_ANSWERED, 500},
	{"lost", CALL_READ, CALL_FOR_ADAPTER, REPLY_LOST, 0},
	{"never_sent", CALL_READ, CALL_FOR_ADAPTER, REPLY_NEVER_SENT, 0},
	{"never_sent", CALL_PUBLISH, CALL_NEVER_SENT, REPLY_NEVER_SENT, 0},
	{"in_doubt", CALL_PUBLISH, CALL_UNCERTAIN, REPLY_LOST, 0},
	{"in_doubt", CALL_PUBLISH, CALL_UNCERTAIN, REPLY_ANSWERED, 502},
};

static void verdicts_say_what_came(void **state)
{
	struct bench *b = *state;
	for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
		const struct reply reply = {.outcome = verdicts[i].outcome,
					    .status = verdicts[i].status,
					    .transport_error = STR("why")};
		const struct timeline_entry entry =
			entry_of(b, verdicts[i].kind, verdicts[i].judged, &reply);
		assert_str(entry.verdict, verdicts[i].verdict);
		assert_int_equal(entry.status,
				 verdicts[i].outcome == REPLY_ANSWERED ? verdicts[i].status : 0);
		assert_int_equal(entry.at_us, FAKE_NOW_US - 5000);
		if (verdicts[i].outcome != REPLY_ANSWERED)
			assert_str(entry.excerpt, "why");
	}
}

static void queries_are_not_written_down(void **state)
{
	struct bench *b = *state;
	const struct call call = {
		.method = "GET",
		.url = STR("https://graph.facebook.com/v25.0/me?access_token=secret#x")};
	b->t.flow.stage = STR("pages");
	record_call_begins(&b->t, &call);
	assert_str(b->t.call.host_path, "graph.facebook.com/v25.0/me");
	assert_str(b->t.call.stage, "pages");
	b->t.save.call_state = CALL_STATE_IN_DOUBT;
	b->t.flow.probe = STR("look");
	record_call_begins(&b->t, &call);
	assert_str(b->t.call.stage, "resolve look");
	b->t.token.is_refreshing = true;
	record_call_begins(&b->t, &call);
	assert_str(b->t.call.stage, "refresh");
}

static void the_timeline_of_a_turn_is_bounded(void **state)
{
	struct bench *b = *state;
	const struct reply reply = {.outcome = REPLY_ANSWERED, .status = 200};
	const struct task_event event = {.kind = TASK_EVENT_REPLY, .reply = &reply};
	record_decision(&b->t, STR("nothing to write it to"));
	for (int i = 0; i < 20; i++)
		record_call_ended(&b->t, &event);
	assert_int_equal(b->t.turn.timeline_count, TIMELINE_PER_TURN_MAX);
}

static void parts_are_json_whatever_they_hold(void **state)
{
	struct bench *b = *state;
	flow_init(&b->t.flow, b->arena, 3);
	assert_str(record_parts(&b->t, false),
		   "[{\"state\":\"pending\",\"remote_id\":null,\"url\":null},"
		   "{\"state\":\"pending\",\"remote_id\":null,\"url\":null},"
		   "{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]");
	flow_part_done(&b->t.flow, STR("a\"b\n"), STR(""));
	assert_str(record_parts(&b->t, true),
		   "[{\"state\":\"published\",\"remote_id\":\"a\\\"b\\n\",\"url\":null},"
		   "{\"state\":\"failed\",\"remote_id\":null,\"url\":null},"
		   "{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]");
	flow_init(&b->t.flow, b->arena, POST_CONTAINERS_MAX);
	for (size_t i = 0; i < POST_CONTAINERS_MAX; i++)
		flow_part_done(&b->t.flow, filled(b, 100000, '\x01'), filled(b, 100000, '"'));
	const struct json *json = NULL;
	struct error err = {0};
	ok(json_parse(b->arena, record_parts(&b->t, false), NULL, &json, NULL, &err), &err);
	assert_int_equal(json->count, POST_CONTAINERS_MAX);
}

static enum post_visibility to_followers(const struct env *env)
{
	(void)env;
	return POST_VISIBILITY_FOLLOWERS;
}

static void what_the_platform_says_goes_before_what_was_asked_for(void **state)
{
	struct bench *b = *state;
	const struct platform platform = {.visibility = to_followers};
	b->t.platform = &platform;
	flow_init(&b->t.flow, b->arena, 1);
	assert_str(record_visibility(&b->t), "");
	assert_str(record_warnings(&b->t), "");
	flow_part_done(&b->t.flow, STR("1"), STR(""));
	assert_str(record_visibility(&b->t), "followers");
	flow_see(&b->t.flow, POST_VISIBILITY_PRIVATE, POST_VISIBILITY_PUBLIC, STR("f"), STR("\"m"));
	assert_str(record_visibility(&b->t), "private");
	assert_str(record_warnings(&b->t),
		   "[{\"field\":\"f\",\"code\":\"visibility_restricted\",\"message\":\"\\\"m\","
		   "\"repeatable\":false}]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(long_bodies_keep_their_beginning),
		TEST(a_token_at_any_place_is_not_shown),
		TEST(tokens_that_make_the_text_shrink_are_not_shown),
		TEST(excerpts_are_text),
		TEST(verdicts_say_what_came),
		TEST(queries_are_not_written_down),
		TEST(the_timeline_of_a_turn_is_bounded),
		TEST(parts_are_json_whatever_they_hold),
		TEST(what_the_platform_says_goes_before_what_was_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
