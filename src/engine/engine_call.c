/* SPDX-License-Identifier: Apache-2.0
 * See engine_call.h. */
#include "engine_call.h"

#include "arena.h"
#include "clock.h"

#include "json.h"

/* A call that works once and is no publish call (a refresh) is not sent later than this after it
 * was decided: a node that was not heard of for 25 s may have been taken over from (store_node.h),
 * and what it wanted to use up may be used up. */
#define ONCE_SEND_MS 15000

/* Counted from the decision, not from now: a process that was paused in between must not send late.
 * Another node may be probing by then, and a repeat that was safe may be safe no longer. 0 =
 * none. */
static int64_t send_deadline_us(const struct call *call, int64_t planned_boot_us)
{
	const int64_t timeout_ms = step_call_timeout_ms(call);
	if (call->kind == CALL_PUBLISH)
		return planned_boot_us + timeout_ms * US_PER_MS;
	if (!call->needs_fresh_connection)
		return 0;
	return planned_boot_us +
	       (timeout_ms < ONCE_SEND_MS ? timeout_ms : ONCE_SEND_MS) * US_PER_MS;
}

struct transfer_request engine_call_request(struct arena *arena, const struct call *call,
					    const char *media_path, int64_t planned_boot_us)
{
	struct transfer_header *headers =
		ARENA_ARRAY(arena, struct transfer_header, call->header_count);
	for (size_t i = 0; i < call->header_count; i++)
		headers[i] = (struct transfer_header){str_of(call->headers[i].name),
						      call->headers[i].value};
	const bool is_publish = call->kind == CALL_PUBLISH;
	return (struct transfer_request){
		.pool = TRANSFER_PLATFORM,
		.method = call->method,
		.url = call->url,
		.headers = headers,
		.header_count = call->header_count,
		.body = call->body,
		.body_path = call->has_media_body ? media_path : NULL,
		.body_offset_bytes = call->media_offset_bytes,
		.body_length_bytes = call->media_length_bytes,
		.body_tail = call->body_tail,
		.timeout_ms = step_call_timeout_ms(call),
		.send_deadline_boot_us = send_deadline_us(call, planned_boot_us),
		.fresh_connection = is_publish || call->needs_fresh_connection,
	};
}

const struct reply *engine_call_reply(struct arena *arena, const struct transfer_result *result)
{
	static const enum reply_outcome outcomes[] = {
		[TRANSFER_ANSWERED] = REPLY_ANSWERED,
		[TRANSFER_NEVER_SENT] = REPLY_NEVER_SENT,
		[TRANSFER_LOST] = REPLY_LOST,
	};
	struct reply *reply = ARENA_NEW(arena, struct reply);
	struct reply_header *headers =
		ARENA_ARRAY(arena, struct reply_header, result->header_count);
	for (size_t i = 0; i < result->header_count; i++)
		headers[i] =
			(struct reply_header){result->headers[i].name, result->headers[i].value};
	*reply = (struct reply){
		.outcome = outcomes[result->outcome],
		.status = result->status,
		.headers = headers,
		.header_count = result->header_count,
		.body = result->body,
		.transport_error = result->error_text,
	};
	if (result->outcome == TRANSFER_ANSWERED && result->body.len > 0)
		json_parse(arena, result->body, NULL, &reply->json, NULL, NULL);
	return reply;
}

enum call_verdict engine_call_judge(enum call_kind kind, const struct transfer_result *result)
{
	if (kind != CALL_PUBLISH)
		return CALL_FOR_ADAPTER;
	if (result->outcome == TRANSFER_NEVER_SENT)
		return CALL_NEVER_SENT;
	/* A 5xx on a publish call is no proof of failure: platforms answer 500 and publish all the
	 * same (rules.md 0 fact 3). */
	if (result->outcome == TRANSFER_LOST || result->status < 200 || result->status >= 500)
		return CALL_UNCERTAIN;
	if (result->status >= 300 && result->status < 400)
		return CALL_UNCERTAIN;
	return CALL_FOR_ADAPTER;
}
