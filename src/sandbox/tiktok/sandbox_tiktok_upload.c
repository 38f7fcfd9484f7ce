/* SPDX-License-Identifier: Apache-2.0
 * The upload host of the simulated TikTok (tiktok.md 2.3, 8): chunk sizes, their order,
 * an address that is valid for an hour, and the examination of the complete file. */
#include "sandbox_tiktok.h"

#include "sandbox_content_range.h"

#define CHUNK_BYTES_MIN INT64_C(5242880)  /* section 8: the larger reading of 5 MB */
#define CHUNK_BYTES_MAX INT64_C(64000000) /* section 8: the smaller reading of 64 MB */
#define CHUNKS_MAX 1000                   /* 2.3 */

bool sandbox_tiktok_chunks_fit(int64_t video_bytes, int64_t chunk_bytes, int64_t chunk_count)
{
	if (video_bytes < 1 || video_bytes > TIKTOK_VIDEO_BYTES_MAX || chunk_bytes < 1 ||
	    chunk_bytes > CHUNK_BYTES_MAX || chunk_count < 1 || chunk_count > CHUNKS_MAX)
		return false;
	if (chunk_bytes < CHUNK_BYTES_MIN && !(chunk_bytes == video_bytes && chunk_count == 1))
		return false;
	return chunk_count == video_bytes / chunk_bytes;
}

/* ---- the upload host ---- */

/* "bytes 0-{uploaded}/{total}": 2.3 puts the count there, not the last byte. */
static void answer_progress(struct sandbox_call *call, const struct tiktok_task *task, int status)
{
	sandbox_answer_header(call, "Content-Range",
			      str_format(call->arena, "bytes 0-%lld/%lld",
					 (long long)task->received_bytes,
					 (long long)task->video_bytes));
	sandbox_answer_empty(call, status);
}

/* The task of an upload address. NULL = the call has been answered, without the usual envelope
 * (2.3). */
static struct tiktok_task *enter_upload(struct sandbox_call *call,
					struct sandbox_upload **upload_out)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_TIKTOK,
							    sandbox_query(call, "upload_id"));
	struct tiktok_task *task = upload != NULL ? upload->extra : NULL;
	if (task == NULL) {
		sandbox_answer_empty(call, 404);
		return NULL;
	}
	if (!str_equal(task->upload_secret, sandbox_query(call, "upload_token")) ||
	    sandbox_tiktok_upload_is_over(task, call->now_us)) {
		sandbox_answer_empty(call, 403);
		return NULL;
	}
	*upload_out = upload;
	return task;
}

static bool is_video_type(struct str type)
{
	return str_equal_z(type, "video/mp4") || str_equal_z(type, "video/quicktime") ||
	       str_equal_z(type, "video/webm");
}

/* The required length of the next chunk: chunk_size, or the rest for the last one. */
static int64_t next_chunk_bytes(const struct tiktok_task *task)
{
	const int64_t index = task->received_bytes / task->chunk_bytes;
	return index + 1 >= task->chunk_count ? task->video_bytes - task->received_bytes
					      : task->chunk_bytes;
}

static bool check_chunk(struct sandbox_call *call, const struct tiktok_task *task,
			struct content_range *range_out)
{
	if (!is_video_type(str_trim(sandbox_header(call, "Content-Type"))) ||
	    !sandbox_content_range_parse(sandbox_header(call, "Content-Range"), range_out) ||
	    range_out->is_query || range_out->total != task->video_bytes ||
	    (!call->is_cut && sandbox_content_range_bytes(range_out) != (int64_t)call->body.len)) {
		sandbox_answer_empty(call, 400);
		return false;
	}
	if (range_out->first != task->received_bytes) {
		answer_progress(call, task, 416);
		return false;
	}
	if (sandbox_content_range_bytes(range_out) != next_chunk_bytes(task)) {
		sandbox_answer_empty(call, 400);
		return false;
	}
	return true;
}

/* Examines the complete file. An error in it is reported when processing ends. */
static void finish(struct sandbox_call *call)
{
	const struct str id = str_copy(call->arena, sandbox_query(call, "upload_id"));
	struct sandbox_media media = {0};
	const bool is_read = sandbox_upload_look(call, SANDBOX_TIKTOK, id, &media);
	struct sandbox_upload *upload;
	struct tiktok_task *task = enter_upload(call, &upload); /* the lock was let go */
	if (task == NULL)
		return;
	if (task->uploaded_us == 0) {
		*task->media = media;
		task->fail_reason = is_read ? sandbox_tiktok_video_complaint(call->sandbox, &media)
					    : "internal";
		task->uploaded_us = sandbox_now_us(call->sandbox);
		sandbox_upload_discard(call->sandbox, upload);
	}
	answer_progress(call, task, 201);
}

void sandbox_tiktok_upload_put(struct sandbox_call *call)
{
	sandbox_tiktok_settle(call->sandbox);
	struct sandbox_upload *upload;
	struct tiktok_task *task = enter_upload(call, &upload);
	struct content_range range = {0};
	if (task == NULL || !check_chunk(call, task, &range))
		return;
	if (call->is_cut) { /* a chunk is stored whole or not at all */
		sandbox_answer_empty(call, 503);
		return;
	}
	if (!sandbox_upload_write(call->sandbox, upload, range.first, call->body)) {
		sandbox_answer_empty(call, 500);
		return;
	}
	task->received_bytes = range.last + 1;
	if (task->received_bytes == task->video_bytes)
		finish(call);
	else
		answer_progress(call, task, 206);
}
