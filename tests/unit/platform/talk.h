/* SPDX-License-Identifier: Apache-2.0
 * A conversation with an adapter, for tests that need more than a transcript: other media, other
 * times, other probes. At every step the flow goes through its serialised form, as after a crash,
 * and must ask the very same call again. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "timetext.h"

#include "platform.h"

#define TALK_NOW "2026-11-21T12:00:00Z"

struct talk {
	struct arena *arena;
	struct env env;
	struct platform_settings settings;
	struct container containers[3];
	struct media media;
	struct media_file file;
	struct post_content post;
	const struct platform *platform;
	enum operation operation;
	struct flow flow;
	struct step step;
	struct str asked_by; /* the flow as it was when the call was asked for */
	struct str asked_by_secrets;
};

static inline int64_t talk_instant(const char *text)
{
	int64_t us = 0;
	assert_true(timetext_parse_instant(str_of(text), &us));
	return us;
}

static inline const struct json *talk_json(struct talk *talk, const char *text)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (json_parse(talk->arena, str_of(text), NULL, &json, NULL, &err) != ERR_NONE)
		fail_msg("the test's JSON is wrong: %s: %s", err.text, text);
	return json;
}

static inline void talk_options(struct talk *talk, const char *json)
{
	const struct str text = str_format(talk->arena, "{\"%s\":%s}", talk->platform->slug, json);
	talk->post.options = talk_json(talk, str_z(talk->arena, text));
	talk->env.options = json_get(talk->post.options, talk->platform->slug);
}

static inline void talk_open(struct talk *talk, const struct platform *platform)
{
	memset(talk, 0, sizeof(*talk));
	talk->arena = arena_new("talk", 16 << 20);
	talk->platform = platform;
	talk->settings = (struct platform_settings){STR("v25.0"), STR("202609")};
	talk->media = (struct media){
		.url = STR("https://m.example/v.mp4"), .type = MEDIA_VIDEO, .duration_s = -1};
	talk->file = (struct media_file){
		.is_ready = true,
		.size_bytes = 1000,
		.sniff = {.type = SNIFF_MP4, .mime_type = "video/mp4", .is_video = true},
	};
	talk->containers[0].content = STR("First post");
	talk->containers[1].content = STR("First comment");
	talk->containers[2].content = STR("Second comment");
	talk->post = (struct post_content){.containers = talk->containers, .container_count = 1};
	talk->env = (struct env){
		.arena = talk->arena,
		.now_us = talk_instant(TALK_NOW),
		.settings = &talk->settings,
		.client_id = STR("client-1"),
		.client_secret = STR("secret-1"),
		.code = STR("code-1"),
		.redirect_uri = STR("https://p.example/v1/oauth/callback"),
		.platform_account_id = STR("account1"),
		.username = STR("jo"),
		.access_token = STR("token-1"),
		.refresh_token = STR("refresh-1"),
		.post = &talk->post,
		.media = &talk->file,
		.started_at_us = talk_instant(TALK_NOW),
		.asked_at_us = talk_instant(TALK_NOW),
	};
	flow_init(&talk->flow, talk->arena, 1);
}

static inline void talk_close(struct talk *talk)
{
	arena_free(&talk->arena);
}

/* A video post with that many comments. */
static inline void talk_video(struct talk *talk, size_t comment_count)
{
	talk->containers[0].media = &talk->media;
	talk->containers[0].media_count = 1;
	talk->post.container_count = 1 + comment_count;
	flow_init(&talk->flow, talk->arena, talk->post.container_count);
}

static inline void talk_text(struct talk *talk, size_t comment_count)
{
	talk->post.container_count = 1 + comment_count;
	flow_init(&talk->flow, talk->arena, talk->post.container_count);
}

static inline bool talk_calls_equal(const struct call *a, const struct call *b)
{
	bool is_same = a->kind == b->kind && strcmp(a->method, b->method) == 0 &&
		       str_equal(a->url, b->url) && str_equal(a->body, b->body) &&
		       str_equal(a->body_tail, b->body_tail) &&
		       a->header_count == b->header_count &&
		       a->has_media_body == b->has_media_body && a->media_index == b->media_index &&
		       a->media_offset_bytes == b->media_offset_bytes &&
		       a->media_length_bytes == b->media_length_bytes &&
		       a->needs_fresh_connection == b->needs_fresh_connection;
	for (size_t i = 0; is_same && i < a->header_count; i++)
		is_same = strcmp(a->headers[i].name, b->headers[i].name) == 0 &&
			  str_equal(a->headers[i].value, b->headers[i].value);
	return is_same;
}

static inline void talk_thaw(struct talk *talk, struct flow *flow)
{
	struct error err = {0};
	if (flow_read(flow, talk->arena, talk->asked_by, talk->asked_by_secrets,
		      talk->flow.part_count, &err) != ERR_NONE)
		fail_msg("the flow cannot be read back: %s", err.text);
}

/* The call that stands in the step, asked for again by the flow as it was stored. */
static inline void talk_check_resumption(struct talk *talk)
{
	struct flow thawed;
	struct step again;
	talk->asked_by = flow_write(talk->arena, &talk->flow);
	talk->asked_by_secrets = flow_write_secrets(talk->arena, &talk->flow);
	assert_int_equal(str_find(talk->asked_by, STR("token-1"), 0), SIZE_MAX);
	talk_thaw(talk, &thawed);
	memset(&again, 0, sizeof(again));
	platform_run(talk->platform, talk->operation, &talk->env, &thawed, NULL, &again);
	assert_int_equal(again.kind, STEP_SEND);
	assert_true(talk_calls_equal(&talk->step.call, &again.call));
}

static inline void talk_run(struct talk *talk, const struct reply *reply)
{
	memset(&talk->step, 0, sizeof(talk->step));
	platform_run(talk->platform, talk->operation, &talk->env, &talk->flow, reply, &talk->step);
	if (talk->step.kind == STEP_SEND)
		talk_check_resumption(talk);
}

static inline void talk_ask(struct talk *talk, enum operation operation)
{
	talk->operation = operation;
	talk->flow.probe = (struct str){0};
	talk_run(talk, NULL);
}

/* Answers the call in the step, to a flow that was stored and read back. header: "Name: value" or
 * NULL. */
static inline void talk_answer(struct talk *talk, int status, const char *header, const char *body)
{
	struct reply_header headers[1];
	struct reply reply = {.outcome = REPLY_ANSWERED,
			      .status = status,
			      .body = str_of(body),
			      .headers = headers};
	if (header != NULL) {
		struct str rest = str_of(header);
		assert_true(str_take_until(&rest, ':', &headers[0].name));
		headers[0].value = str_trim(str_slice(rest, 1, rest.len));
		reply.header_count = 1;
	}
	assert_int_equal(talk->step.kind, STEP_SEND);
	json_parse(talk->arena, reply.body, NULL, &reply.json, NULL, NULL);
	talk_thaw(talk, &talk->flow);
	talk_run(talk, &reply);
}

static inline void talk_lose(struct talk *talk, enum reply_outcome outcome)
{
	const struct reply reply = {.outcome = outcome,
				    .transport_error = STR("Connection reset.")};
	assert_int_equal(talk->step.kind, STEP_SEND);
	talk_thaw(talk, &talk->flow);
	talk_run(talk, &reply);
}

static inline void talk_expect_call(const struct talk *talk, enum call_kind kind,
				    const char *method, const char *url)
{
	const struct call *call = &talk->step.call;
	if (talk->step.kind != STEP_SEND)
		fail_msg("a step of kind %d instead of %s %s: " STR_FMT, (int)talk->step.kind,
			 method, url, STR_ARG(talk->step.failure.message));
	if (call->kind != kind || strcmp(call->method, method) != 0 || !str_equal_z(call->url, url))
		fail_msg("kind %d %s " STR_FMT " instead of kind %d %s %s", (int)call->kind,
			 call->method, STR_ARG(call->url), (int)kind, method, url);
}

static inline struct str talk_header(const struct talk *talk, const char *name)
{
	const struct call *call = &talk->step.call;
	for (size_t i = 0; i < call->header_count; i++) {
		if (strcmp(call->headers[i].name, name) == 0)
			return call->headers[i].value;
	}
	return (struct str){0};
}

static inline void talk_expect_header(const struct talk *talk, const char *name, const char *value)
{
	const struct str got = talk_header(talk, name);
	if (!str_equal_z(got, value))
		fail_msg("%s: \"" STR_FMT "\" instead of \"%s\"", name, STR_ARG(got), value);
}

static inline void talk_expect_failure(const struct talk *talk, const char *row,
				       enum failure_class class, enum failure_code code)
{
	if (talk->step.kind != STEP_FAIL)
		fail_msg("%s: a step of kind %d", row, (int)talk->step.kind);
	const struct failure *failure = &talk->step.failure;
	if (failure->class != class || failure->code != code)
		fail_msg("%s: class %d, code %s instead of class %d, code %s", row,
			 (int)failure->class, failure_code_name(failure->code), (int)class,
			 failure_code_name(code));
	assert_true(failure->message.len > 0);
}

/* One row of an error table: what comes, and what is to become of it. */
struct talk_refusal {
	const char *name;
	int status;
	const char *body;
	enum failure_class class;
	enum failure_code code;
	int64_t wait_ms; /* until a known end, or at least */
	const char *platform_code;
};

static inline void talk_expect_refusal(const struct talk *talk, const struct talk_refusal *row)
{
	talk_expect_failure(talk, row->name, row->class, row->code);
	const struct failure *failure = &talk->step.failure;
	const int64_t wait_ms = failure->retry_after_ms + failure->retry_floor_ms;
	if (wait_ms != row->wait_ms)
		fail_msg("%s: wait %lld", row->name, (long long)wait_ms);
	if (row->platform_code != NULL && !str_equal_z(failure->platform_code, row->platform_code))
		fail_msg("%s: platform_code " STR_FMT, row->name, STR_ARG(failure->platform_code));
}
