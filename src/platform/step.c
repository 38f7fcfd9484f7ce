/* SPDX-License-Identifier: Apache-2.0
 * Builders of steps and calls, and small questions about replies. Nothing here knows a platform. */
#include "platform.h"

#include <assert.h>

#include "httpdate.h"
#include "url.h"

#define CALL_TIMEOUT_MS 30000
#define MEDIA_BYTES_PER_MS 32 /* 32 KB/s is the slowest upload worth waiting for */

struct str reply_header(const struct reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->header_count; i++) {
		if (str_equal_nocase(reply->headers[i].name, str_of(name)))
			return reply->headers[i].value;
	}
	return (struct str){0};
}

struct call *step_send(struct step *step, enum call_kind kind, const char *method, struct str url)
{
	*step = (struct step){
		.kind = STEP_SEND,
		.call = {.kind = kind, .method = method, .url = url},
	};
	return &step->call;
}

int64_t step_call_timeout_ms(const struct call *call)
{
	const int64_t timeout_ms = call->timeout_ms > 0 ? call->timeout_ms : CALL_TIMEOUT_MS;
	return call->has_media_body ? timeout_ms + call->media_length_bytes / MEDIA_BYTES_PER_MS
				    : timeout_ms;
}

void call_header(struct call *call, const char *name, struct str value)
{
	assert(call->header_count < CALL_HEADERS_MAX);
	call->headers[call->header_count++] = (struct call_header){name, value};
}

void call_bearer(const struct env *env, struct call *call, struct str token)
{
	call_header(call, "Authorization", str_concat(env->arena, STR("Bearer "), token));
}

void call_form(struct call *call, struct str body)
{
	call_header(call, "Content-Type", STR("application/x-www-form-urlencoded"));
	call->body = body;
}

void call_json(struct call *call, struct str body)
{
	call_header(call, "Content-Type", STR("application/json"));
	call->body = body;
}

void step_wait(struct step *step, int64_t wait_ms)
{
	*step = (struct step){.kind = STEP_WAIT, .wait_ms = wait_ms};
}

void step_media(struct step *step, size_t media_index)
{
	*step = (struct step){.kind = STEP_MEDIA, .media_index = media_index};
}

void step_fit(struct step *step, size_t media_index, enum media_fit_work fit,
	      const struct media_fit_order *order)
{
	*step = (struct step){
		.kind = STEP_MEDIA, .media_index = media_index, .fit = fit, .fit_order = *order};
}

void step_file(struct step *step, struct str url, bool is_optional)
{
	*step = (struct step){.kind = STEP_MEDIA, .file_url = url, .file_is_optional = is_optional};
}

int env_file(const struct env *env, struct str url)
{
	for (size_t i = 0; i < env->file_count; i++) {
		if (str_equal(env->file_urls[i], url))
			return (int)(post_media_total(env->post) + i);
	}
	return -1;
}

void step_done(struct step *step)
{
	*step = (struct step){.kind = STEP_DONE};
}

struct failure *step_fail(struct step *step, enum failure_class class, enum failure_code code,
			  struct str message)
{
	*step = (struct step){
		.kind = STEP_FAIL,
		.failure = {.class = class, .code = code, .message = message},
	};
	return &step->failure;
}

static struct str transport_sentence(const struct env *env, const struct reply *reply)
{
	if (reply->outcome == REPLY_ANSWERED)
		return str_format(env->arena, "The platform answered with status %d.",
				  reply->status);
	const char *what = reply->outcome == REPLY_NEVER_SENT ? "The platform could not be reached"
							      : "The platform's answer was lost";
	return str_is_empty(reply->transport_error)
		       ? str_format(env->arena, "%s.", what)
		       : str_format(env->arena, "%s: " STR_FMT ".", what,
				    STR_ARG(reply->transport_error));
}

bool reply_is_broken(const struct reply *reply)
{
	return reply->outcome != REPLY_ANSWERED || reply->status >= 500;
}

bool step_fail_transport(struct step *step, const struct env *env, const struct reply *reply)
{
	if (!reply_is_broken(reply))
		return false;
	struct failure *failure =
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  transport_sentence(env, reply));
	failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	if (!httpdate_parse_retry_after(reply_header(reply, "Retry-After"), env->now_us,
					&failure->retry_after_ms))
		failure->retry_after_ms = 0;
	return true;
}

bool step_fail_unreadable(struct step *step, const struct reply *reply)
{
	if (json_is(reply->json, JSON_TYPE_OBJECT))
		return false;
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("The platform's answer cannot be read."));
	return true;
}

bool step_call_url_is_usable(const struct env *env, struct str url)
{
	struct url parsed;
	return url_parse(env->arena, url, &parsed, NULL) == ERR_NONE;
}
