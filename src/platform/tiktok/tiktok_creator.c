/* SPDX-License-Identifier: Apache-2.0
 * What the creator may do (tiktok.md 2.1), asked before every post: who may see it, how
 * long a video may be, whether there may be a post at all. What was heard is kept with the account,
 * for the warnings of tiktok_rules.c. */
#include "tiktok_adapter.h"

#include <inttypes.h>

#include "arena.h"
#include "count_of.h"

#include "rules.h"
#include "token_answer.h"

const char *tiktok_creator_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	tiktok_creator_send(env, env->access_token, step);
	return NULL;
}

/* From open to closed: the default is the first that the creator may use (api-decisions.md 6). */
static const char *const privacy_levels[] = {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS",
					     "FOLLOWER_OF_CREATOR", "SELF_ONLY"};

bool tiktok_list_has(const struct json *list, struct str item)
{
	for (size_t i = 0; json_at(list, i) != NULL; i++) {
		if (str_equal(json_string(json_at(list, i)), item))
			return true;
	}
	return false;
}

/* Empty when the creator may not use what was asked for, or nothing is on offer. */
static struct str privacy_level(const struct env *env, const struct json *offered)
{
	const struct str asked = json_string(json_get(env->options, "privacy_level"));
	if (!str_is_empty(asked))
		return tiktok_list_has(offered, asked) ? asked : (struct str){0};
	if (env->tiktok_privacy != APP_TIKTOK_MOST_OPEN)
		return STR("SELF_ONLY");
	for (size_t i = 0; i < COUNT_OF(privacy_levels); i++) {
		if (tiktok_list_has(offered, str_of(privacy_levels[i])))
			return str_of(privacy_levels[i]);
	}
	return (struct str){0};
}

bool tiktok_option_bool(const struct env *env, const char *name)
{
	return json_bool(json_get(env->options, name), false);
}

static const char *content_refused(struct step *step, enum failure_code code, struct str message)
{
	step_fail(step, FAILURE_PERMANENT, code, message);
	return NULL;
}

static struct str joined(struct arena *arena, const struct json *list)
{
	struct buf out;
	buf_init(&out, arena, TIKTOK_URL_MAX_BYTES);
	for (size_t i = 0; json_at(list, i) != NULL; i++) {
		if (i > 0)
			buf_add_z(&out, ", ");
		buf_add(&out, json_string(json_at(list, i)));
	}
	return buf_str(&out);
}

/* ---- what is kept with the account ---- */

static const char *const kept_facts[] = {"privacy_level_options", "max_video_post_duration_sec",
					 "comment_disabled", "duet_disabled", "stitch_disabled"};

/* What was granted at connect: scopes that decide what may be asked for. Unknown where TikTok did
 * not name them. */
static const struct {
	const char *fact;
	const char *scope;
} granted_facts[] = {
	{"can_list", "video.list"},
	{"can_post", "video.publish"},
	{"can_draft", "video.upload"},
};

static void granted_write(const struct env *env, const struct str *scope, struct json_writer *w)
{
	for (size_t i = 0; i < COUNT_OF(granted_facts); i++) {
		const struct json *kept = json_get(env->account_extra, granted_facts[i].fact);
		if (scope != NULL && !str_is_empty(*scope))
			json_member_bool(w, granted_facts[i].fact,
					 token_scope_is_granted(*scope, granted_facts[i].scope));
		else if (!json_is_null(kept))
			json_member_bool(w, granted_facts[i].fact, json_bool(kept, false));
	}
}

/* The account's extra with what creator says; creator and scope NULL = as it was. */
static struct str extra_text(const struct env *env, const struct json *creator,
			     const struct str *scope, bool is_unaudited)
{
	struct buf extra;
	struct json_writer w;
	buf_init(&extra, env->arena, TIKTOK_BODY_MAX_BYTES);
	json_writer_init(&w, &extra);
	json_begin_object(&w);
	granted_write(env, scope, &w);
	json_member_bool(&w, "is_unaudited", is_unaudited);
	for (size_t i = 0; i < COUNT_OF(kept_facts); i++) {
		const struct json *fact =
			json_get(creator != NULL ? creator : env->account_extra, kept_facts[i]);
		if (json_is_null(fact))
			continue;
		json_key(&w, kept_facts[i]);
		json_put_value(&w, fact);
	}
	json_end_object(&w);
	return buf_str(&extra);
}

static bool is_known_unaudited(const struct env *env)
{
	return json_bool(json_get(env->account_extra, "is_unaudited"), false);
}

struct str tiktok_extra_begin(const struct env *env, struct str scope, const struct json *creator)
{
	return extra_text(env, creator, &scope, false);
}

/* Only when something has changed: it is written with the delivery. */
static void extra_note(const struct env *env, struct flow *flow, const struct json *creator,
		       bool is_unaudited)
{
	const struct str was = extra_text(env, NULL, NULL, is_known_unaudited(env));
	const struct str now = extra_text(env, creator, NULL, is_unaudited);
	if (!str_equal(was, now))
		flow_set(flow, TIKTOK_KEY_ACCOUNT_EXTRA, now);
}

bool tiktok_level_falls_back(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct str self_only = STR("SELF_ONLY");
	const bool is_asked = !str_is_empty(json_string(json_get(env->options, "privacy_level")));
	if (is_asked || str_equal(flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL), self_only) ||
	    tiktok_option_bool(env, "brand_content_toggle") || !tiktok_is_unaudited_refusal(reply))
		return false;
	flow_set(flow, TIKTOK_KEY_PRIVACY_LEVEL, self_only);
	extra_note(env, flow, NULL, true);
	return true;
}

void tiktok_audit_note(const struct env *env, struct flow *flow)
{
	if (!tiktok_is_draft(env) &&
	    !str_equal_z(flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL), "SELF_ONLY"))
		extra_note(env, flow, NULL, false);
}

void tiktok_extra_give(const struct env *env, struct flow *flow, struct step *step)
{
	if (step->kind == STEP_FAIL && str_equal_z(step->failure.platform_code, TIKTOK_UNAUDITED))
		extra_note(env, flow, NULL, true);
	const struct str extra = flow_get(flow, TIKTOK_KEY_ACCOUNT_EXTRA);
	if (str_is_empty(extra))
		return;
	step->account_extra = str_copy(env->arena, extra);
	flow_unset(flow, TIKTOK_KEY_ACCOUNT_EXTRA);
}

/* ---- the answer ---- */

/* Empty when the post may go on with that level. */
static struct str branded_complaint(const struct env *env, struct str level)
{
	if (tiktok_option_bool(env, "brand_content_toggle") && str_equal_z(level, "SELF_ONLY"))
		return STR("Branded content cannot be posted as SELF_ONLY.");
	return (struct str){0};
}

/* By what the request says; tiktok_init.c checks the file itself. */
static bool is_too_long(const struct env *env, int64_t max_s)
{
	const int64_t said_s = post_media_at(env->post, 0)->duration_s;
	return !tiktok_is_photos(env) && max_s > 0 && said_s > max_s;
}

/* What the creator has switched off for all posts stays off. */
static void switches_keep(const struct env *env, struct flow *flow, const struct json *creator)
{
	static const struct {
		const char *option; /* its value is kept under the same key */
		const char *fact;
	} switches[] = {
		{TIKTOK_KEY_DISABLE_COMMENT, "comment_disabled"},
		{TIKTOK_KEY_DISABLE_DUET, "duet_disabled"},
		{TIKTOK_KEY_DISABLE_STITCH, "stitch_disabled"},
	};
	for (size_t i = 0; i < COUNT_OF(switches); i++)
		flow_set_int(flow, switches[i].option,
			     tiktok_option_bool(env, switches[i].option) ||
				     json_bool(json_get(creator, switches[i].fact), false));
}

const char *tiktok_creator_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	const struct json *creator = json_get(reply->json, "data");
	const struct json *offered = json_get(creator, "privacy_level_options");
	const struct str level = privacy_level(env, offered);
	const int64_t max_s = json_int(json_get(creator, "max_video_post_duration_sec"), 0);
	extra_note(env, flow, creator, is_known_unaudited(env));
	if (str_is_empty(level))
		return content_refused(step, FAILURE_CODE_CONTENT_REJECTED,
				       str_format(env->arena,
						  "The creator may not post with this "
						  "privacy_level; allowed: " STR_FMT ".",
						  STR_ARG(joined(env->arena, offered))));
	const struct str branded = branded_complaint(env, level);
	if (!str_is_empty(branded))
		return content_refused(step, FAILURE_CODE_CONTENT_REJECTED, branded);
	if (is_too_long(env, max_s))
		return content_refused(step, FAILURE_CODE_MEDIA_REJECTED,
				       tiktok_too_long(env->arena, max_s));
	flow_set(flow, TIKTOK_KEY_PRIVACY_LEVEL, level);
	flow_set(flow, TIKTOK_KEY_USERNAME, json_string(json_get(creator, "creator_username")));
	flow_set_int(flow, TIKTOK_KEY_DURATION_MAX_S, max_s);
	switches_keep(env, flow, creator);
	return TIKTOK_STAGE_INIT;
}

struct str tiktok_too_long(struct arena *arena, int64_t max_s)
{
	return str_format(arena, "The creator's videos may last %" PRId64 " s at most.", max_s);
}
