/* SPDX-License-Identifier: Apache-2.0
 * A task's status (tiktok.md 2.6): polled until the post is public, failed, or hours have
 * gone by. A task that failed posted nothing. */
#include "count_of.h"

#include "answer.h"

#include "tiktok_adapter.h"

#include "form.h"

#define PROFILE_URL "https://www.tiktok.com/@"
#define STATUS_POLLS_MAX 360 /* about six hours; processing takes minutes, as documented (2.6) */
#define ID_POLLS_MAX 6       /* about a minute for the id of a public post, then it comes later */
#define ID_POLL_MS 10000

static const int64_t poll_waits_ms[] = {2000,  5000, 10000, 20000,
					30000, 60000}; /* the last one again and again (2.6) */
#define POLL_WAIT_COUNT (int64_t)(COUNT_OF(poll_waits_ms))

const char *tiktok_status_wait(struct flow *flow, struct step *step)
{
	const int64_t polls = flow_count(flow, TIKTOK_KEY_POLLS);
	flow_set_stage(flow, TIKTOK_STAGE_STATUS);
	step_wait(step, poll_waits_ms[polls <= POLL_WAIT_COUNT ? polls - 1 : POLL_WAIT_COUNT - 1]);
	return NULL;
}

const char *tiktok_status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	tiktok_status_send(env, flow, step);
	return NULL;
}

static struct str profile_url(const struct env *env, const struct flow *flow)
{
	const struct str told = flow_get(flow, TIKTOK_KEY_USERNAME);
	struct buf url;
	buf_init(&url, env->arena, TIKTOK_URL_MAX_BYTES);
	buf_add_z(&url, PROFILE_URL);
	percent_encode(&url, str_is_empty(told) ? env->username : told);
	return buf_str(&url);
}

struct str tiktok_post_url(const struct env *env, const struct flow *flow, struct str id)
{
	const struct str profile = profile_url(env, flow);
	if (str_is_empty(id))
		return profile;
	return str_format(env->arena, STR_FMT "/%s/" STR_FMT, STR_ARG(profile),
			  tiktok_is_photos(env) ? "photo" : "video", STR_ARG(id));
}

/* The list is really spelt so; its ids are numbers above 2^53 (2.6). */
static struct str public_id(const struct env *env, const struct reply *reply)
{
	const struct json *ids =
		json_get(json_get(reply->json, "data"), "publicaly_available_post_id");
	return answer_id(env, json_at(ids, 0));
}

static const struct {
	const char *level;
	enum post_visibility visibility;
} levels[] = {
	{"PUBLIC_TO_EVERYONE", POST_VISIBILITY_PUBLIC},
	{"MUTUAL_FOLLOW_FRIENDS", POST_VISIBILITY_FOLLOWERS},
	{"FOLLOWER_OF_CREATOR", POST_VISIBILITY_FOLLOWERS},
	{"SELF_ONLY", POST_VISIBILITY_PRIVATE},
};

/* The level that was sent. Without one asked for by the post or the app's setting, it is the most
 * open that the creator may use: only the one that nobody else sees falls short of that. */
static void visibility_note(const struct env *env, struct flow *flow)
{
	const struct str level = flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL);
	const bool is_asked = !str_is_empty(json_string(json_get(env->options, "privacy_level"))) ||
			      env->tiktok_privacy != APP_TIKTOK_MOST_OPEN;
	for (size_t i = 0; i < COUNT_OF(levels); i++) {
		if (!str_equal_z(level, levels[i].level))
			continue;
		flow_see(flow, levels[i].visibility,
			 is_asked ? levels[i].visibility : POST_VISIBILITY_FOLLOWERS,
			 STR("platforms.tiktok.privacy_level"),
			 STR("TikTok lets this app post for the creator alone (SELF_ONLY) until it "
			     "has passed TikTok's audit. The creator can change it in TikTok."));
	}
}

static bool is_public(const struct flow *flow)
{
	return str_equal_z(flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL), "PUBLIC_TO_EVERYONE");
}

/* Without an id the profile is where the post is seen. A public post gets one later
 * (tiktok_late_id_stages); of the others the task's own is all there ever is. */
static const char *part_landed(const struct env *env, struct flow *flow, struct str id)
{
	const struct str url = tiktok_post_url(env, flow, id);
	tiktok_audit_note(env, flow);
	visibility_note(env, flow);
	if (str_is_empty(id) && is_public(flow))
		flow_lacks_id(flow, STR("platforms.tiktok"),
			      STR("TikTok has not told the post's id yet, as it does once it has "
				  "moderated the post. It is looked for during a day; until then "
				  "the address shows the profile."));
	else if (str_is_empty(id))
		id = flow_get(flow, TIKTOK_KEY_PUBLISH_ID);
	flow_part_done(flow, id, url);
	return TIKTOK_STAGE_BEGIN;
}

static const char *status_complete(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str id = public_id(env, reply);
	flow_set_int(flow, TIKTOK_KEY_IS_COMPLETE, 1);
	if (!str_is_empty(id) || !is_public(flow) ||
	    flow_count(flow, TIKTOK_KEY_ID_POLLS) > ID_POLLS_MAX)
		return part_landed(env, flow, id);
	step_wait(step, ID_POLL_MS);
	return NULL;
}

void tiktok_task_failure(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct str reason =
		json_string(json_get(json_get(reply->json, "data"), "fail_reason"));
	struct refusal_facts facts = {.status = reply->status, .is_readable = true};
	refusal_marker_add(&facts, reason);
	refusal_fail(tiktok_is_photos(env) ? tiktok_photo_failures : tiktok_task_failures, env,
		     &facts, reply, step);
}

static const char *status_failed(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	tiktok_task_failure(env, reply, step);
	flow_restart_part(flow);
	return NULL;
}

/* It has the post, where only the creator sees it: it must not be sent once more. */
static const char *status_inbox(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)reply;
	(void)step;
	flow_see(flow, POST_VISIBILITY_DRAFT,
		 tiktok_is_draft(env) ? POST_VISIBILITY_DRAFT : POST_VISIBILITY_PUBLIC,
		 STR("platforms.tiktok.privacy_level"),
		 STR("TikTok put the post into the creator's inbox as a draft. The creator has to "
		     "open the notification in TikTok and publish it there."));
	flow_part_done(flow, flow_get(flow, TIKTOK_KEY_PUBLISH_ID), (struct str){0});
	return TIKTOK_STAGE_BEGIN;
}

/* By now all bytes were reported to be there: a task that lacks some lags behind (5: never a new
 * one while it has not failed). */
static const char *status_processing(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	(void)env;
	(void)reply;
	if (flow_get_int(flow, TIKTOK_KEY_POLLS, 0) < STATUS_POLLS_MAX)
		return tiktok_status_wait(flow, step);
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN,
		  STR("TikTok has been processing the post for hours; it may still appear."));
	return NULL;
}

static const struct {
	const char *status;
	const char *(*answer)(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step);
} task_states[] = {
	{"PUBLISH_COMPLETE", status_complete},
	{"FAILED", status_failed},
	{"SEND_TO_USER_INBOX", status_inbox},
	{NULL, status_processing}, /* PROCESSING_UPLOAD, PROCESSING_DOWNLOAD, and what may come */
};

const char *tiktok_status_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (!tiktok_is_ok(reply) && flow_get_int(flow, TIKTOK_KEY_IS_COMPLETE, 0) != 0)
		return part_landed(env, flow, (struct str){0}); /* only the id was still wanted */
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	size_t row = 0;
	while (task_states[row].status != NULL &&
	       !str_equal_z(tiktok_task_status(reply), task_states[row].status))
		row++;
	return task_states[row].answer(env, flow, reply, step);
}

/* ---- an id that comes later ---- */

static const char *late_id_ask(const struct env *env, struct flow *flow, struct step *step)
{
	tiktok_status_send(env, flow, step);
	return NULL;
}

static const char *never(struct step *step)
{
	*step = (struct step){.kind = STEP_UNKNOWN};
	return NULL;
}

/* TikTok that no longer knows the task, or says that it failed after all, will tell no id. */
static const char *late_id_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (tiktok_is_refused(env, reply, step))
		return step->failure.code == FAILURE_CODE_OUTCOME_UNKNOWN ? never(step) : NULL;
	const struct str id = public_id(env, reply);
	if (str_equal_z(tiktok_task_status(reply), "FAILED"))
		return never(step);
	if (str_is_empty(id)) {
		step_wait(step, ID_POLL_MS);
		return NULL;
	}
	flow_id_found(flow, id, tiktok_post_url(env, flow, id));
	step_done(step);
	return NULL;
}

const struct stage tiktok_late_id_stages[] = {
	{TIKTOK_STAGE_LATE_ID, late_id_ask, late_id_answer},
	{0},
};
