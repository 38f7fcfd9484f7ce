/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what platforms answer, through the adapters: any post, any function of any platform, any
 * answers to what it asks. Whatever comes, a step is whole, a flow survives being stored, a
 * resolver only reads, and an account's token goes to the platform's own hosts only, or to an
 * upload address that the platform itself gave.
 *
 * Input: "PF" (a digit of 1 to 6 for the platform, a letter of the table below for the function)
 * and a publish request's JSON; then, each behind a byte 0x1e, the answers: a status (anything that
 * is no number: the answer was lost), header lines, an empty line, the body. */
#include "platform.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "clock.h"

#include "json.h"
#include "url.h"

#include "publish_request.h"

#include "rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_US (INT64_C(1795348800) * US_PER_S) /* 2026-11-22 */
#define ANSWERS_MAX 40
#define FILES_MAX 80
#define HEADERS_MAX 8
#define TOKEN "account-token-1"

/* What belongs to a platform's host belongs to the platform; Meta and Google have several names. */
static const char *const own_hosts[7][6] = {
	[PLATFORM_INSTAGRAM] = {"facebook.com"},
	[PLATFORM_FACEBOOK] = {"facebook.com"},
	[PLATFORM_X] = {"x.com"},
	[PLATFORM_LINKEDIN] = {"linkedin.com"},
	[PLATFORM_YOUTUBE] = {"googleapis.com", "youtube.com"},
	[PLATFORM_TIKTOK] = {"tiktokapis.com"},
};

struct run {
	struct arena *arena;
	const struct platform *platform;
	enum operation operation;
	struct publish_request request;
	struct media_file files[FILES_MAX];
	struct str file_urls[ENV_FILES_MAX];
	struct platform_settings settings;
	struct env env;
	struct flow flow;
	struct step step;
	struct str answers; /* all of them */
};

/* OPERATION_COUNT when there is none of that letter. */
static enum operation operation_of(char letter)
{
	static const char letters[OPERATION_COUNT] = {
		[OPERATION_VERIFY] = 'v',  [OPERATION_CONNECT] = 'c', [OPERATION_REFRESH] = 'f',
		[OPERATION_CHECK] = 'k',   [OPERATION_REVOKE] = 'd',  [OPERATION_PUBLISH] = 'p',
		[OPERATION_RESOLVE] = 'r', [OPERATION_LATE_ID] = 'l',
	};
	int operation = 0;
	while (operation < OPERATION_COUNT && letters[operation] != letter)
		operation++;
	return (enum operation)operation;
}

static const char *any_url(void *context, struct arena *arena, struct str url)
{
	(void)context;
	(void)arena;
	(void)url;
	return NULL;
}

static bool read_post(struct run *run, struct str text)
{
	static const struct str fallback = {"{\"content\":\"Hello\",\"account_ids\":[\"a\"]}", 38};
	const struct media_url_check check = {any_url, NULL};
	const struct json *body = NULL;
	struct problems problems;
	problems_init(&problems, run->arena);
	if (json_parse(run->arena, text.len > 0 ? text : fallback, NULL, &body, NULL, NULL) !=
	    ERR_NONE)
		return false;
	publish_request_read(run->arena, body, (struct str){0}, NOW_US, &check, &run->request,
			     &problems);
	return problems.seen_count == 0 &&
	       post_media_total(&run->request.content) + ENV_FILES_MAX <= FILES_MAX;
}

static bool is_about_post(const struct run *run)
{
	return run->operation == OPERATION_PUBLISH || run->operation == OPERATION_RESOLVE;
}

/* Only posts that pass the platform's rules reach its adapter. */
static bool may_reach(struct run *run)
{
	const struct rules_account account = {.id = STR("a"), .type = run->env.account_type};
	struct problems problems;
	problems_init(&problems, run->arena);
	rules_check(run->arena, run->platform, &run->request.content, &account, &problems);
	run->env.post_type = rules_post_type(run->platform, &run->request.content);
	run->env.options = rules_options(&run->request.content, run->platform->id);
	return !is_about_post(run) ||
	       (problems.seen_count == 0 && run->env.post_type != POST_TYPE_NONE);
}

static void make_file(struct run *run, size_t index, enum media_type type)
{
	const bool is_video = type == MEDIA_VIDEO;
	run->files[index] = (struct media_file){
		.is_ready = true,
		.size_bytes = 3000000,
		.sniff = {.type = is_video ? SNIFF_MP4 : SNIFF_JPEG,
			  .mime_type = is_video ? "video/mp4" : "image/jpeg",
			  .is_video = is_video,
			  .width = 1080,
			  .height = is_video ? 1920 : 1080,
			  .duration_ms = is_video ? 10000 : 0},
		.hosted_url = str_format(run->arena, "https://posthorn.example/media/%zu", index),
	};
}

static enum account_type type_of(enum platform_id id)
{
	static const enum account_type types[7] = {
		[PLATFORM_INSTAGRAM] = ACCOUNT_BUSINESS, [PLATFORM_FACEBOOK] = ACCOUNT_PAGE,
		[PLATFORM_X] = ACCOUNT_PERSONAL,         [PLATFORM_LINKEDIN] = ACCOUNT_PERSONAL,
		[PLATFORM_YOUTUBE] = ACCOUNT_CHANNEL,    [PLATFORM_TIKTOK] = ACCOUNT_CREATOR};
	return types[id];
}

static bool begin(struct run *run, struct str head)
{
	if (head.len < 2 || head.ptr[0] < '1' || head.ptr[0] > '6')
		return false;
	run->platform = platform_of((enum platform_id)(head.ptr[0] - '0'));
	run->operation = operation_of(head.ptr[1]);
	if (run->operation == OPERATION_COUNT || run->platform->stages[run->operation] == NULL ||
	    !read_post(run, str_slice(head, 2, head.len)))
		return false;
	run->settings = (struct platform_settings){STR("v25.0"), STR("202609")};
	run->env = (struct env){
		.arena = run->arena,
		.now_us = NOW_US,
		.settings = &run->settings,
		.client_id = STR("client-1"),
		.client_secret = STR("client-secret-1"),
		.code = STR("code-1"),
		.redirect_uri = STR("https://p.example/v1/oauth/callback"),
		.pkce_verifier = STR("verifier-verifier-verifier-verifier-verifier"),
		.platform_account_id = STR("account1"),
		.username = STR("jo"),
		.account_type = type_of(run->platform->id),
		.access_token = STR(TOKEN),
		.refresh_token = STR("refresh-token-1"),
		.post = &run->request.content,
		.media = run->files,
		.file_urls = run->file_urls,
		.started_at_us = NOW_US - 60 * US_PER_S,
	};
	flow_init(&run->flow, run->arena, run->request.content.container_count);
	return may_reach(run);
}

/* ---- what must hold of every step ---- */

static bool is_own_host(const struct run *run, struct str host)
{
	const char *const *own = own_hosts[run->platform->id];
	for (size_t i = 0; i < 6 && own[i] != NULL; i++) {
		const struct str suffix = str_format(run->arena, ".%s", own[i]);
		if (str_equal_z(host, own[i]) || str_has_suffix(host, suffix))
			return true;
	}
	return false;
}

static bool carries_token(const struct call *call)
{
	for (size_t i = 0; i < call->header_count; i++)
		if (str_find(call->headers[i].value, STR(TOKEN), 0) != SIZE_MAX)
			return true;
	return str_find(call->url, STR(TOKEN), 0) != SIZE_MAX ||
	       str_find(call->body, STR(TOKEN), 0) != SIZE_MAX;
}

static void check_call(const struct run *run)
{
	const struct call *call = &run->step.call;
	struct url url;
	assert(call->method != NULL && call->header_count <= CALL_HEADERS_MAX);
	for (size_t i = 0; i < call->header_count; i++)
		assert(!str_has_control(call->headers[i].value));
	if (run->operation == OPERATION_RESOLVE || run->operation == OPERATION_CHECK)
		assert(call->kind == CALL_READ);
	assert(!call->has_media_body || call->media_length_bytes > 0);
	/* An address that the platform gave and that cannot be read is the transport's to
	 * refuse. */
	if (url_parse(run->arena, call->url, &url, NULL) != ERR_NONE)
		return;
	if (carries_token(call) && !is_own_host(run, url.host))
		assert(str_find(run->answers, url.host, 0) != SIZE_MAX ||
		       str_find(run->answers, STR("\\u"), 0) !=
			       SIZE_MAX); /* or written in escapes */
}

static void check_step(const struct run *run)
{
	switch (run->step.kind) {
	case STEP_SEND:
		check_call(run);
		break;
	case STEP_FAIL:
		assert(run->step.failure.message.len > 0);
		assert(run->step.failure.retry_after_ms >= 0);
		break;
	case STEP_WAIT:
		assert(run->step.wait_ms > 0);
		break;
	case STEP_DONE:
		assert(run->operation != OPERATION_PUBLISH ||
		       flow_part(&run->flow) == run->flow.part_count);
		assert(run->operation != OPERATION_CONNECT || run->step.account_count > 0);
		assert(run->operation != OPERATION_REFRESH || run->step.token.access_token.len > 0);
		break;
	case STEP_MEDIA:
		break;
	case STEP_UNCERTAIN:
		assert(run->operation == OPERATION_PUBLISH);
		break;
	case STEP_MATCHES:
		assert(run->step.match_count <= STEP_MATCHES_MAX);
		break;
	case STEP_LANDED:
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
		assert(run->operation == OPERATION_RESOLVE);
		break;
	}
}

/* As after a crash: what is stored has no token in it and reads as the same flow. */
static void store_and_read(struct run *run)
{
	struct flow thawed;
	struct error err = {0};
	const struct str text = flow_write(run->arena, &run->flow);
	const struct str secrets = flow_write_secrets(run->arena, &run->flow);
	assert(str_find(text, STR(TOKEN), 0) == SIZE_MAX);
	assert(flow_read(&thawed, run->arena, text, secrets, run->flow.part_count, &err) ==
	       ERR_NONE);
	assert(str_equal(flow_write(run->arena, &thawed), text));
	run->flow = thawed;
}

static void ask(struct run *run, const struct reply *reply)
{
	memset(&run->step, 0, sizeof(run->step));
	platform_run(run->platform, run->operation, &run->env, &run->flow, reply, &run->step);
	check_step(run);
	store_and_read(run);
}

/* ---- answers ---- */

static void read_headers(struct str *rest, struct reply_header *headers, size_t *count_out)
{
	struct str line;
	while (rest->ptr != NULL && str_take_field(rest, '\n', &line) && line.len > 0) {
		struct reply_header header;
		if (*count_out < HEADERS_MAX && !str_has_control(line) &&
		    str_take_until(&line, ':', &header.name)) {
			header.value = str_trim(str_slice(line, 1, line.len));
			headers[(*count_out)++] = header;
		}
	}
}

/* A publish call's answer reaches the adapter only when it settles something (platform.h). */
static bool is_for_adapter(const struct run *run, const struct reply *reply)
{
	if (run->step.call.kind != CALL_PUBLISH)
		return true;
	return reply->outcome == REPLY_ANSWERED && reply->status < 500 &&
	       (reply->status < 300 || reply->status >= 400);
}

static bool answer(struct run *run, struct str text)
{
	struct reply_header headers[HEADERS_MAX];
	struct reply reply = {.outcome = REPLY_LOST,
			      .headers = headers,
			      .transport_error = STR("The connection was reset.")};
	struct str line;
	uint64_t status;
	str_take_field(&text, '\n', &line);
	if (str_parse_u64(line, &status) && status >= 200 && status <= 599) {
		reply.outcome = REPLY_ANSWERED;
		reply.status = (int)status;
		reply.transport_error = (struct str){0};
		read_headers(&text, headers, &reply.header_count);
		reply.body = text.ptr != NULL ? text : STR("");
		if (json_parse(run->arena, reply.body, NULL, &reply.json, NULL, NULL) != ERR_NONE)
			reply.json = NULL;
	}
	if (!is_for_adapter(run, &reply))
		return false;
	ask(run, &reply);
	return true;
}

static bool fetch(struct run *run)
{
	const size_t total = post_media_total(&run->request.content);
	const struct str url = run->step.file_url;
	if (url.len == 0) {
		assert(run->step.media_index < total);
		make_file(run, run->step.media_index,
			  post_media_at(&run->request.content, run->step.media_index)->type);
		return true;
	}
	if (run->env.file_count == ENV_FILES_MAX)
		return false;
	run->file_urls[run->env.file_count] = url;
	make_file(run, total + run->env.file_count, MEDIA_IMAGE);
	run->env.file_count++;
	return true;
}

/* One step further; false when there is nothing more to say. */
static bool go_on(struct run *run, struct str *rest)
{
	struct str text;
	switch (run->step.kind) {
	case STEP_SEND:
		return rest->ptr != NULL && str_take_field(rest, '\x1e', &text) && text.len > 0 &&
		       answer(run, text);
	case STEP_WAIT:
		run->env.now_us += run->step.wait_ms * US_PER_MS;
		ask(run, NULL);
		return true;
	case STEP_MEDIA:
		if (!fetch(run))
			return false;
		ask(run, NULL);
		return true;
	case STEP_DONE:
	case STEP_FAIL:
	case STEP_UNCERTAIN:
	case STEP_LANDED:
	case STEP_MATCHES:
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
		return false;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {(const char *)data, size};
	struct str head;
	if (size < 2 || size > 65536 || !str_take_field(&rest, '\x1e', &head))
		return 0;
	struct arena *arena = arena_new("fuzz", (size_t)512 << 20);
	struct run *run = arena_alloc(arena, sizeof(*run));
	run->arena = arena;
	run->answers = str_lower(arena, rest.ptr != NULL ? rest : STR(""));
	if (begin(run, head)) {
		ask(run, NULL);
		for (int i = 0; i < ANSWERS_MAX && go_on(run, &rest); i++)
			;
	}
	arena_free(&arena);
	return 0;
}
