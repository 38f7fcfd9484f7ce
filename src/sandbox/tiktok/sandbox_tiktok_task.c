/* SPDX-License-Identifier: Apache-2.0
 * Publish tasks of the simulated TikTok: one publish_id from init to the ledger, moved on by the
 * sandbox's clock alone (tiktok.md 2.2, 2.5, 2.6). */
#include "sandbox_tiktok.h"

#define SIDE_MIN 360 /* section 3 */
#define SIDE_MAX 4096
#define UPLOAD_LIFETIME_US US_PER_HOUR /* 2.2 */

bool sandbox_tiktok_upload_is_over(const struct tiktok_task *task, int64_t now_us)
{
	return now_us >= task->created_us + UPLOAD_LIFETIME_US;
}

enum tiktok_stage sandbox_tiktok_task_stage(const struct tiktok_task *task, int64_t now_us)
{
	if (task->uploaded_us == 0)
		return sandbox_tiktok_upload_is_over(task, now_us) ? TIKTOK_STAGE_LOST
								   : TIKTOK_STAGE_WAITING;
	return now_us < task->uploaded_us + task->processing_us ? TIKTOK_STAGE_PROCESSING
								: TIKTOK_STAGE_ENDED;
}

/* NULL = it has not failed. A task without bytes fails when its upload address expires (section
 * 5). */
const char *sandbox_tiktok_task_failure(const struct tiktok_task *task, int64_t now_us)
{
	switch (sandbox_tiktok_task_stage(task, now_us)) {
	case TIKTOK_STAGE_WAITING:
	case TIKTOK_STAGE_PROCESSING:
		return NULL;
	case TIKTOK_STAGE_ENDED:
		return task->fail_reason;
	case TIKTOK_STAGE_LOST:
		return "internal";
	}
	return NULL;
}

const char *sandbox_tiktok_task_status(const struct tiktok_task *task, int64_t now_us)
{
	if (sandbox_tiktok_task_failure(task, now_us) != NULL)
		return "FAILED";
	if (sandbox_tiktok_task_stage(task, now_us) != TIKTOK_STAGE_ENDED)
		return task->is_pull ? "PROCESSING_DOWNLOAD" : "PROCESSING_UPLOAD";
	return task->is_draft ? "SEND_TO_USER_INBOX" : "PUBLISH_COMPLETE";
}

static void show(struct sandbox *sandbox, struct tiktok_task *task)
{
	struct arena *arena = arena_new("sandbox tiktok post", 64 * 1024);
	struct sandbox_post post = {
		.platform = SANDBOX_TIKTOK,
		.account_id = STR(TIKTOK_OPEN_ID),
		.id = task->publish_id,
		.type = task->is_photos ? STR("photo") : STR("video"),
		.text = task->text,
		.media = task->media,
		.media_count = task->media_count,
		.url = STR("https://www.tiktok.com/@" TIKTOK_USERNAME),
		.created_us = task->uploaded_us + task->processing_us,
		.extra = task,
	};
	/* Real ids are as large: above 2^53, where doubles lose digits (section 0). */
	if (task->is_public) {
		task->post_id = sandbox_id_decimal(sandbox, "75", 19);
		post.id = task->post_id;
		post.url =
			str_format(arena, "https://www.tiktok.com/@" TIKTOK_USERNAME "/%s/" STR_FMT,
				   task->is_photos ? "photo" : "video", STR_ARG(task->post_id));
	}
	task->is_in_ledger = true;
	sandbox_ledger_add(sandbox, &post);
	arena_free(&arena);
}

static bool is_due(const struct tiktok_task *task, int64_t now_us)
{
	return !task->is_in_ledger && task->fail_reason == NULL &&
	       sandbox_tiktok_task_stage(task, now_us) == TIKTOK_STAGE_ENDED;
}

/* The due task that ended first, so that the ledger is in order. */
static struct tiktok_task *find_due(struct tiktok_task *task, int64_t now_us)
{
	struct tiktok_task *first = NULL;
	for (; task != NULL; task = task->next_pending) {
		if (is_due(task, now_us) &&
		    (first == NULL || task->uploaded_us <= first->uploaded_us))
			first = task;
	}
	return first;
}

static bool is_over(const struct tiktok_task *task, int64_t now_us)
{
	const enum tiktok_stage stage = sandbox_tiktok_task_stage(task, now_us);
	return stage == TIKTOK_STAGE_ENDED || stage == TIKTOK_STAGE_LOST;
}

/* A lost task still has its file; the others discarded theirs when it was complete. */
static void discard_bytes(struct sandbox *sandbox, const struct tiktok_task *task)
{
	struct sandbox_upload *upload =
		sandbox_upload_find(sandbox, SANDBOX_TIKTOK, task->upload_id);
	if (upload != NULL)
		sandbox_upload_discard(sandbox, upload);
}

void sandbox_tiktok_settle(struct sandbox *sandbox)
{
	struct tiktok_state *state = sandbox_state(sandbox, SANDBOX_TIKTOK);
	const int64_t now_us = sandbox_now_us(sandbox);
	struct tiktok_task *task;
	while ((task = find_due(state->pending, now_us)) != NULL)
		show(sandbox, task);
	for (struct tiktok_task **link = &state->pending; *link != NULL;) {
		if (is_over(*link, now_us)) {
			discard_bytes(sandbox, *link);
			*link = (*link)->next_pending;
		} else {
			link = &(*link)->next_pending;
		}
	}
}

/* Dimensions, duration and format (section 3), and the knob tiktok_fails. */
const char *sandbox_tiktok_video_complaint(struct sandbox *sandbox,
					   const struct sandbox_media *media)
{
	const struct sniff *sniff = &media->sniff;
	const int64_t most_ms =
		(sandbox_knob(sandbox, SANDBOX_KNOB_tiktok_max_duration_s) + 1) * 1000;
	if (!sniff->is_video)
		return "file_format_check_failed";
	if (sniff->width > 0 && (sniff->width < SIDE_MIN || sniff->width > SIDE_MAX ||
				 sniff->height < SIDE_MIN || sniff->height > SIDE_MAX))
		return "picture_size_check_failed";
	if (sniff->duration_ms >= most_ms)
		return "duration_check_failed";
	return sandbox_knob(sandbox, SANDBOX_KNOB_tiktok_fails) != 0 ? "internal" : NULL;
}

static void note_post(struct sandbox_call *call)
{
	struct tiktok_state *state = sandbox_state(call->sandbox, SANDBOX_TIKTOK);
	state->posts_us[state->post_count++ % TIKTOK_POSTS_REMEMBERED] = call->now_us;
}

struct tiktok_task *sandbox_tiktok_task_new(struct sandbox_call *call, struct str client_id,
					    const char *prefix, bool is_draft)
{
	struct tiktok_state *state = sandbox_state(call->sandbox, SANDBOX_TIKTOK);
	struct tiktok_task *task = sandbox_keep(call->sandbox, sizeof(*task));
	*task = (struct tiktok_task){
		.publish_id = sandbox_id_decimal(call->sandbox, prefix, strlen(prefix) + 19),
		.token_client = sandbox_keep_str(call->sandbox, client_id),
		.is_draft = is_draft,
		.created_us = sandbox_now_us(call->sandbox),
		.processing_us =
			sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_processing_ms) * US_PER_MS,
	};
	/* Drafts never reach the ledger. */
	if (!task->is_draft) {
		task->next_pending = state->pending;
		state->pending = task;
		note_post(call);
	}
	sandbox_object_put(call->sandbox, SANDBOX_TIKTOK, "task", task->publish_id, task);
	return task;
}
