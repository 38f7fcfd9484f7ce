/* SPDX-License-Identifier: Apache-2.0
 * The resumable session (youtube.md 2.1 to 2.3): no video exists before the last byte is
 * there, and the session tells whether it is. Its address is stored before the first byte; every
 * PUT but the one with the last byte prepares, and that one publishes. After any broken call the
 * session is asked how far it is, and its answer counts. */
#include "youtube_adapter.h"

#include <inttypes.h>

#include "media_rules.h"

/* questions to one session, without a byte more in between, before a new one is begun */
#define QUERIES_MAX 8
/* broken calls in a row that do not yet fail the delivery: long uploads are cut now and then */
#define BREAKS_MAX 4
#define BREAK_WAIT_MS 2000

struct youtube_range youtube_range_next(int64_t offset_bytes, int64_t size_bytes)
{
	const int64_t left = size_bytes - offset_bytes;
	const bool is_last = left <= YOUTUBE_CHUNK_BYTES;
	return (struct youtube_range){
		.first = offset_bytes,
		.length_bytes = is_last ? left : YOUTUBE_CHUNK_BYTES,
		.is_last = is_last,
	};
}

int64_t youtube_received_bytes(struct str range)
{
	int64_t last = 0;
	if (!str_skip(&range, STR("bytes=0-")) || !str_parse_i64(range, &last) || last < 0 ||
	    last == INT64_MAX)
		return 0;
	return last + 1;
}

bool youtube_is_short(const struct sniff *sniff)
{
	return sniff->width > 0 && sniff->height >= sniff->width && sniff->duration_ms > 0 &&
	       sniff->duration_ms <= YOUTUBE_SHORT_MAX_MS;
}

static const struct media_file *video_file(const struct env *env)
{
	return &env->media[0];
}

const char *youtube_session_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = video_file(env);
	if (!file->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	if (!media_rule_check(&youtube_video_rule, env, 0, step))
		return NULL;
	const bool notify = json_bool(json_get(env->options, "notifySubscribers"), true);
	const struct str parts = youtube_parts(env);
	flow_set_int(flow, YOUTUBE_KEY_SIZE_BYTES, file->size_bytes);
	flow_set_int(flow, YOUTUBE_KEY_IS_SHORT, youtube_is_short(&file->sniff));
	struct call *call =
		step_send(step, CALL_PREPARE, "POST",
			  str_format(env->arena,
				     YOUTUBE_UPLOAD_URL YOUTUBE_PATH_VIDEOS
				     "?uploadType=resumable&part=" STR_FMT "&notifySubscribers=%s",
				     STR_ARG(parts), notify ? "true" : "false"));
	call_bearer(env, call, env->access_token);
	call_header(call, "X-Upload-Content-Length",
		    str_format(env->arena, "%" PRId64, file->size_bytes));
	call_header(call, "X-Upload-Content-Type", str_of(file->sniff.mime_type));
	call_header(call, "Content-Type", STR("application/json; charset=UTF-8"));
	call->body = youtube_metadata(env);
	return NULL;
}

const char *youtube_session_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (youtube_is_refused(env, reply, step))
		return NULL;
	const struct str uri = reply_header(reply, "Location");
	if (!step_call_url_is_usable(env, uri)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("YouTube's answer contains no usable upload URL."));
		return NULL;
	}
	flow_set_secret(flow, YOUTUBE_KEY_SESSION_URI, uri);
	flow_set_int(flow, YOUTUBE_KEY_OFFSET_BYTES, 0);
	return YOUTUBE_STAGE_UPLOAD;
}

static struct str content_range(const struct env *env, const struct youtube_range *range,
				int64_t size_bytes)
{
	return str_format(env->arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range->first,
			  range->first + range->length_bytes - 1, size_bytes);
}

static struct youtube_range range_next(const struct flow *flow)
{
	return youtube_range_next(flow_get_int(flow, YOUTUBE_KEY_OFFSET_BYTES, 0),
				  flow_get_int(flow, YOUTUBE_KEY_SIZE_BYTES, 0));
}

const char *youtube_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = video_file(env);
	if (!file->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	const int64_t size_bytes = flow_get_int(flow, YOUTUBE_KEY_SIZE_BYTES, 0);
	if (file->size_bytes != size_bytes) { /* fetched again, and it is another file now */
		flow_restart_part(flow);
		return YOUTUBE_STAGE_BEGIN;
	}
	const struct youtube_range range = range_next(flow);
	struct call *call = step_send(step, range.is_last ? CALL_PUBLISH : CALL_PREPARE, "PUT",
				      flow_get(flow, YOUTUBE_KEY_SESSION_URI));
	call_bearer(env, call, env->access_token);
	call_header(call, "Content-Type", str_of(file->sniff.mime_type));
	if (range.length_bytes != size_bytes)
		call_header(call, "Content-Range", content_range(env, &range, size_bytes));
	call->has_media_body = true;
	call->media_index = 0;
	call->media_offset_bytes = range.first;
	call->media_length_bytes = range.length_bytes;
	return NULL;
}

/* The session is gone and the last byte was never taken: there is no video, so the part begins
 * again. */
static const char *session_lost(struct flow *flow, struct step *step)
{
	flow_restart_part(flow);
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("YouTube no longer knows the upload; it will start again."));
	return NULL;
}

bool youtube_is_gone(const struct reply *reply)
{
	return reply->status == 404 || reply->status == 410;
}

/* 308 to a part of the file: the server's Range is believed, not what we sent (2.2). */
static const char *upload_progressed(struct flow *flow, const struct reply *reply)
{
	const int64_t received_bytes = youtube_received_bytes(reply_header(reply, "Range"));
	if (received_bytes > flow_get_int(flow, YOUTUBE_KEY_OFFSET_BYTES, 0)) {
		flow_unset(flow, YOUTUBE_KEY_QUERIES);
		flow_unset(flow, YOUTUBE_KEY_BREAKS);
	}
	flow_set_int(flow, YOUTUBE_KEY_OFFSET_BYTES, received_bytes);
	return YOUTUBE_STAGE_UPLOAD;
}

/* No usable answer: the session is asked before anything is sent again. */
static const char *upload_broke(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const int64_t breaks = flow_count(flow, YOUTUBE_KEY_BREAKS);
	flow_set_stage(flow, YOUTUBE_STAGE_QUERY);
	if (breaks > BREAKS_MAX)
		step_fail_transport(step, env, reply);
	else
		step_wait(step, breaks * BREAK_WAIT_MS);
	return NULL;
}

static const char *chunk_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const int64_t before = flow_get_int(flow, YOUTUBE_KEY_OFFSET_BYTES, 0);
	if (reply_is_broken(reply))
		return upload_broke(env, flow, reply, step);
	if (reply->status == 308 && youtube_received_bytes(reply_header(reply, "Range")) > before)
		return upload_progressed(flow, reply);
	if (reply->status == 308 || reply->status == 400)
		return YOUTUBE_STAGE_QUERY; /* the server has other bytes than we think */
	if (youtube_is_gone(reply))
		return session_lost(flow, step);
	if (youtube_video_made(env, flow, reply))
		return YOUTUBE_STAGE_THUMBNAIL;
	return youtube_fail(env, reply, step);
}

const char *youtube_upload_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (!range_next(flow).is_last)
		return chunk_answer(env, flow, reply, step);
	if (youtube_video_made(env, flow, reply))
		return YOUTUBE_STAGE_THUMBNAIL;
	if (youtube_is_gone(reply) && flow_get_int(flow, YOUTUBE_KEY_IN_DOUBT, 0) == 0)
		return session_lost(flow, step);
	if (reply->status < 300 || youtube_is_gone(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	return youtube_publish_refused(env, reply, step);
}

void youtube_session_query(const struct env *env, const struct flow *flow, struct step *step)
{
	struct call *call =
		step_send(step, CALL_READ, "PUT", flow_get(flow, YOUTUBE_KEY_SESSION_URI));
	call_bearer(env, call, env->access_token);
	call_header(call, "Content-Range",
		    str_format(env->arena, "bytes */%" PRId64,
			       flow_get_int(flow, YOUTUBE_KEY_SIZE_BYTES, 0)));
}

/* Only reached while the last byte was never sent, or is known not to be there. */
const char *youtube_query_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (flow_get_int(flow, YOUTUBE_KEY_QUERIES, 0) >= QUERIES_MAX)
		return session_lost(flow, step);
	youtube_session_query(env, flow, step);
	return NULL;
}

const char *youtube_query_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (reply_is_broken(reply))
		return upload_broke(env, flow, reply, step);
	flow_count(flow, YOUTUBE_KEY_QUERIES);
	if (reply->status == 308)
		return upload_progressed(flow, reply);
	if (youtube_is_gone(reply))
		return session_lost(flow, step);
	if (youtube_video_made(env, flow, reply))
		return YOUTUBE_STAGE_THUMBNAIL;
	return youtube_fail(env, reply, step);
}

const char *youtube_lost_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	return session_lost(flow, step);
}
