/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a video (tiktok.md 2.3): how it is cut, chunk by chunk onto the upload
 * host, and after any broken call the task is asked how far it is. Without its last byte a task
 * never posts: so only the PUT with it publishes. */
#include "tiktok_adapter.h"

#include <inttypes.h>

/* whole up to here; safe however "MB" is read (2.3) */
#define ONE_CHUNK_MAX_BYTES INT64_C(64000000)
#define CHUNK_BYTES INT64_C(10000000)
/* questions about one upload, without a chunk more in between, before a new task is begun */
#define PROGRESS_PROBES_MAX 8
#define BREAKS_MAX 4 /* broken calls in a row that are no failure of the delivery yet */
#define BREAK_WAIT_MS 2000
/* questions, a minute apart, before a task that may have its last byte is taken to lack it */
#define LAG_PROBES_MAX 5
#define LAG_WAIT_MS 60000

struct tiktok_chunks tiktok_chunks_of(int64_t size_bytes)
{
	if (size_bytes <= ONE_CHUNK_MAX_BYTES)
		return (struct tiktok_chunks){.chunk_bytes = size_bytes, .count = 1};
	return (struct tiktok_chunks){.chunk_bytes = CHUNK_BYTES,
				      .count = size_bytes / CHUNK_BYTES};
}

struct tiktok_range tiktok_range_at(int64_t offset_bytes, int64_t size_bytes)
{
	const struct tiktok_chunks chunks = tiktok_chunks_of(size_bytes);
	const int64_t at = chunks.chunk_bytes > 0 ? offset_bytes / chunks.chunk_bytes : 0;
	const int64_t index = at < chunks.count ? at : chunks.count - 1;
	const bool is_last = index == chunks.count - 1;
	const int64_t first = index * chunks.chunk_bytes;
	return (struct tiktok_range){
		.first = first,
		.length_bytes = is_last ? size_bytes - first : chunks.chunk_bytes,
		.is_last = is_last,
	};
}

static struct tiktok_range range_now(const struct flow *flow)
{
	return tiktok_range_at(flow_get_int(flow, TIKTOK_KEY_OFFSET_BYTES, 0),
			       flow_get_int(flow, TIKTOK_KEY_SIZE_BYTES, 0));
}

const char *tiktok_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = &env->media[0];
	if (!file->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	const int64_t size_bytes = flow_get_int(flow, TIKTOK_KEY_SIZE_BYTES, 0);
	if (file->size_bytes != size_bytes) { /* fetched again, and it is another file now */
		flow_restart_part(flow);
		return TIKTOK_STAGE_BEGIN;
	}
	const struct tiktok_range range = range_now(flow);
	struct call *call = step_send(step, range.is_last ? CALL_PUBLISH : CALL_PREPARE, "PUT",
				      flow_get(flow, TIKTOK_KEY_UPLOAD_URL));
	call_header(call, "Content-Type", str_of(file->sniff.mime_type));
	call_header(call, "Content-Range",
		    str_format(env->arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range.first,
			       range.first + range.length_bytes - 1, size_bytes));
	call->has_media_body = true;
	call->media_index = 0;
	call->media_offset_bytes = range.first;
	call->media_length_bytes = range.length_bytes;
	return NULL;
}

/* No usable answer: the task is asked before anything is sent again. A long upload is cut now and
 * then. */
static const char *upload_broke(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const int64_t breaks = flow_count(flow, TIKTOK_KEY_BREAKS);
	flow_set_stage(flow, TIKTOK_STAGE_PROGRESS);
	if (breaks > BREAKS_MAX)
		step_fail_transport(step, env, reply);
	else
		step_wait(step, breaks * BREAK_WAIT_MS);
	return NULL;
}

static void upload_at(struct flow *flow, int64_t offset_bytes)
{
	if (offset_bytes > flow_get_int(flow, TIKTOK_KEY_OFFSET_BYTES, 0)) {
		flow_unset(flow, TIKTOK_KEY_BREAKS);
		flow_unset(flow, TIKTOK_KEY_PROGRESS_LOOKS);
	}
	flow_set_int(flow, TIKTOK_KEY_OFFSET_BYTES, offset_bytes);
}

static const char *upload_limited(const struct env *env, struct step *step)
{
	struct failure *failure = step_fail(step, FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED,
					    STR("TikTok's rate limit for uploads is reached."));
	refusal_advise(WAIT_MINUTE, env->now_us, failure);
	return NULL;
}

/* Bare HTTP, no envelope (2.3). The last chunk's answer may only speak of the bytes: what became of
 * the post is for the task to say, so its refusals ask the task, which is then known to be without
 * its end. */
const char *tiktok_upload_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct tiktok_range range = range_now(flow);
	if (reply_is_broken(reply))
		return upload_broke(env, flow, reply, step);
	if (reply->status < 300 && range.is_last) {
		flow_set_open(flow);
		return tiktok_status_wait(flow, step);
	}
	if (reply->status < 300) {
		upload_at(flow, range.first + range.length_bytes);
		return TIKTOK_STAGE_UPLOAD;
	}
	if (reply->status == 400) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("TikTok refused the upload request."));
		return NULL;
	}
	if (reply->status == 429)
		return upload_limited(env, step);
	if (reply->status == 403 || reply->status == 404)
		flow_set_int(flow, TIKTOK_KEY_UPLOAD_REFUSED, 1);
	return TIKTOK_STAGE_PROGRESS;
}

/* ---- the task's word on it ---- */

void tiktok_status_send(const struct env *env, const struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, TIKTOK_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "publish_id", flow_get(flow, TIKTOK_KEY_PUBLISH_ID));
	json_end_object(&w);
	tiktok_post(env, env->access_token, step, CALL_READ, STR(TIKTOK_API_URL TIKTOK_PATH_STATUS),
		    buf_str(&body));
}

const char *tiktok_progress_ask(const struct env *env, struct flow *flow, struct step *step)
{
	tiktok_status_send(env, flow, step);
	return NULL;
}

int64_t tiktok_uploaded_bytes(const struct reply *reply)
{
	return json_int(json_get(json_get(reply->json, "data"), "uploaded_bytes"), 0);
}

struct str tiktok_task_status(const struct reply *reply)
{
	return json_string(json_get(json_get(reply->json, "data"), TIKTOK_STAGE_STATUS));
}

bool tiktok_lacks_bytes(const struct flow *flow, const struct reply *reply)
{
	return str_equal_z(tiktok_task_status(reply), "PROCESSING_UPLOAD") &&
	       tiktok_uploaded_bytes(reply) < flow_get_int(flow, TIKTOK_KEY_SIZE_BYTES, 0);
}

/* An address lives for an hour (2.2), but that is the upload host's to say: our clock may have
 * jumped, and a chunk that is sent again does no harm. */
static bool is_upload_refused(const struct flow *flow)
{
	return flow_get_int(flow, TIKTOK_KEY_UPLOAD_REFUSED, 0) != 0;
}

/* The task lacks bytes and gets no more of them. If the outcome of a last PUT is uncertain, the
 * task's answer may be older than that PUT, so it is asked again for minutes; and as long as bytes
 * may still come, a new task might be a second post (5). */
static const char *task_lost(struct flow *flow, struct step *step)
{
	const bool is_open = flow_is_open(flow);
	if (is_open && flow_count(flow, TIKTOK_KEY_LAG_LOOKS) <= LAG_PROBES_MAX) {
		step_wait(step, LAG_WAIT_MS);
		return NULL;
	}
	if (is_open && !is_upload_refused(flow)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN,
			  STR("TikTok neither accepts the end of the video nor confirms that it "
			      "has it."));
		return NULL;
	}
	flow_restart_part(flow);
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("TikTok abandoned the upload; it will start again."));
	return NULL;
}

/* Goes on with the chunk that TikTok lacks. */
const char *tiktok_progress_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (reply_is_broken(reply))
		return upload_broke(env, flow, reply, step);
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	if (!tiktok_lacks_bytes(flow, reply)) {
		flow_set_open(flow);
		return TIKTOK_STAGE_STATUS;
	}
	if (is_upload_refused(flow) ||
	    flow_count(flow, TIKTOK_KEY_PROGRESS_LOOKS) > PROGRESS_PROBES_MAX)
		return task_lost(flow, step);
	upload_at(flow, tiktok_uploaded_bytes(reply));
	return TIKTOK_STAGE_UPLOAD;
}
