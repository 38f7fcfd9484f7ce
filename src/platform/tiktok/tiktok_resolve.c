/* SPDX-License-Identifier: Apache-2.0
 * Publish calls with an uncertain outcome (tiktok.md 5): the task knows what became of
 * the last PUT. */
#include "tiktok_adapter.h"

#include "answer.h"
#include "resolver.h"
#include "stages.h"

#define RESENDS_MAX 10 /* of the last chunk of one task */
#define MS_PER_S 1000

static const char *task_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow_get(flow, TIKTOK_KEY_PUBLISH_ID)))
		return TIKTOK_STAGE_LIST;
	tiktok_status_send(env, flow, step);
	return NULL;
}

/* Only the bytes that are missing; whether the address is still good the upload host says. A task
 * that never gets its end though it could is not left for a new one: a late PUT might still
 * complete it. */
static const char *bytes_again(struct flow *flow, const struct reply *reply, struct step *step)
{
	if (flow_count(flow, TIKTOK_KEY_RESENDS) > RESENDS_MAX)
		return resolver_end(flow, step, STEP_UNKNOWN);
	flow_set_int(flow, TIKTOK_KEY_OFFSET_BYTES, tiktok_uploaded_bytes(reply));
	flow_set_open(flow); /* the task's word may lag behind the bytes that it has */
	return resolver_end(flow, step, STEP_SEND_AGAIN);
}

static const char *task_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	if (tiktok_lacks_bytes(flow, reply))
		return bytes_again(flow, reply, step);
	/* All bytes are there, or the task has ended: the flow goes on by asking it. */
	flow_set_stage(flow, TIKTOK_STAGE_STATUS);
	flow_set_open(flow);
	if (!str_equal_z(tiktok_task_status(reply), "FAILED"))
		return resolver_end(flow, step, STEP_LANDED);
	tiktok_task_failure(env, reply, step); /* it posted nothing, and never will */
	const struct failure failure = step->failure;
	resolver_end(flow, step, STEP_SEND_AGAIN);
	step->failure = failure;
	return NULL;
}

/* A pull whose init gave no answer: TikTok may be fetching. Tasks cannot be listed; the creator's
 * public videos can, where the scope video.list was granted, and photo posts never (5). */
static const char *list_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const bool can_list = json_bool(json_get(env->account_extra, "can_list"), false);
	if (!can_list || tiktok_is_photos(env))
		return resolver_end(flow, step, STEP_UNKNOWN);
	tiktok_post(env, env->access_token, step, CALL_READ,
		    STR(TIKTOK_API_URL "/video/list/?fields=id,title,create_time"),
		    STR("{\"max_count\":20}"));
	return NULL;
}

static const char *list_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	const struct json *videos = json_get(json_get(reply->json, "data"), "videos");
	resolver_matches_begin(flow, step);
	for (size_t i = 0; json_at(videos, i) != NULL; i++) {
		const struct json *video = json_at(videos, i);
		const struct str id = answer_id(env, json_get(video, "id"));
		const int64_t created_s = json_int(json_get(video, "create_time"), 0);
		if (!str_is_empty(id) && created_s < INT64_MAX / MS_PER_S &&
		    resolver_is_since_ms(env, flow, created_s * MS_PER_S) &&
		    resolver_texts_equal(env->arena, json_string(json_get(video, "title")),
					 env->post->containers[0].content))
			resolver_match_add(step, id, tiktok_post_url(env, flow, id));
	}
	return resolver_matches_end(step);
}

const struct stage tiktok_resolve_stages[] = {
	{TIKTOK_STAGE_TASK, task_ask, task_answer},
	{TIKTOK_STAGE_LIST, list_ask, list_answer},
	{0},
};
