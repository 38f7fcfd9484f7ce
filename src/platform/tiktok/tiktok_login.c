/* SPDX-License-Identifier: Apache-2.0
 * Login Kit (tiktok.md 1): verify, connect and refresh. Refresh tokens rotate strictly:
 * the answer's replaces ours, which is dead from then on. */
#include "tiktok_adapter.h"

#include "arena.h"

#include "answer.h"
#include "oauth_exchange.h"

void tiktok_post(const struct env *env, struct str token, struct step *step, enum call_kind kind,
		 struct str url, struct str body)
{
	struct call *call = step_send(step, kind, "POST", url);
	call_bearer(env, call, token);
	call_header(call, "Content-Type", STR("application/json; charset=UTF-8"));
	call->body = body;
}

/* ---- tokens: 1.4 and 1.6 ---- */

const struct oauth_exchange tiktok_exchange = {
	.token_url = TIKTOK_API_URL "/oauth/token/",
	.refusals = tiktok_token_refusals,
	/* Rotation is strict: the answer's refresh token replaces ours, which is dead from then
	 * on. */
	.refresh_needs_fresh_connection = true,
};

/* ---- connect: 1.4 and 1.7 ---- */

/* An app has the product for posts, the one for drafts, or both (1.2). */
static const char *const needed_scopes[] = {"user.info.basic", "video.publish", NULL};
static const char *const needed_for_drafts[] = {"user.info.basic", NULL};

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (!oauth_exchange_read(env, reply, &answer, step))
		return NULL;
	const bool can_draft = token_scope_is_granted(answer.scope, "video.upload");
	if (token_scopes_missing_fail(env, answer.scope,
				      can_draft ? needed_for_drafts : needed_scopes, step))
		return NULL;
	token_answer_keep(flow, &answer);
	return TIKTOK_STAGE_USER;
}

/* A field outside the granted scopes is refused (1.2): the username only with its scope. */
static const char *user_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const bool has_profile =
		token_scope_is_granted(flow_get(flow, TOKEN_KEY_SCOPE), "user.info.profile");
	const struct str url =
		has_profile ? STR(TIKTOK_API_URL
				  "/user/info/"
				  "?fields=open_id,union_id,avatar_url,display_name,username")
			    : STR(TIKTOK_API_URL
				  "/user/info/?fields=open_id,union_id,avatar_url,display_name");
	call_bearer(env, step_send(step, CALL_READ, "GET", url), flow_get(flow, TOKEN_KEY_ACCESS));
	return NULL;
}

static const char *user_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	const struct json *user = json_get(json_get(reply->json, "data"), "user");
	const struct str id = answer_id_of(env, json_string(json_get(user, "open_id")));
	if (str_is_empty(id)) {
		struct failure *failure =
			step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
				  STR("TikTok's answer does not name the account."));
		failure->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
		return NULL;
	}
	flow_set(flow, TIKTOK_KEY_OPEN_ID, id);
	flow_set(flow, TIKTOK_KEY_USERNAME, json_string(json_get(user, "username")));
	flow_set(flow, TIKTOK_KEY_NAME, json_string(json_get(user, "display_name")));
	flow_set(flow, TIKTOK_KEY_AVATAR_URL, json_string(json_get(user, "avatar_url")));
	const struct str granted = flow_get(flow, TOKEN_KEY_SCOPE);
	return str_is_empty(granted) || token_scope_is_granted(granted, "video.publish")
		       ? TIKTOK_STAGE_CREATOR
		       : TIKTOK_STAGE_ACCOUNT;
}

void tiktok_creator_send(const struct env *env, struct str token, struct step *step)
{
	tiktok_post(env, token, step, CALL_READ, STR(TIKTOK_API_URL TIKTOK_PATH_CREATOR),
		    STR("{}"));
}

static const char *name_ask(const struct env *env, struct flow *flow, struct step *step)
{
	tiktok_creator_send(env, flow_get(flow, TOKEN_KEY_ACCESS), step);
	return NULL;
}

/* For the name, and for what the creator may choose from before a first post. What it refuses today
 * may be allowed tomorrow, so it never fails a connection. */
static const char *name_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	(void)step;
	const struct json *creator = json_get(reply->json, "data");
	if (!tiktok_is_ok(reply) || !json_is(creator, JSON_TYPE_OBJECT))
		return TIKTOK_STAGE_ACCOUNT;
	if (str_is_empty(flow_get(flow, TIKTOK_KEY_USERNAME)))
		flow_set(flow, TIKTOK_KEY_USERNAME,
			 json_string(json_get(creator, "creator_username")));
	flow_set(flow, TIKTOK_KEY_ACCOUNT_EXTRA,
		 tiktok_extra_begin(env, flow_get(flow, TOKEN_KEY_SCOPE), creator));
	return TIKTOK_STAGE_ACCOUNT;
}

static const char *account_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	const struct token_answer token = token_answer_kept(flow);
	const struct str extra = flow_get(flow, TIKTOK_KEY_ACCOUNT_EXTRA);
	*account = (struct account_found){
		.platform_account_id = flow_get(flow, TIKTOK_KEY_OPEN_ID),
		.username = flow_get(flow, TIKTOK_KEY_USERNAME),
		.name = flow_get(flow, TIKTOK_KEY_NAME),
		.avatar_url = flow_get(flow, TIKTOK_KEY_AVATAR_URL),
		.type = ACCOUNT_CREATOR,
		.extra = str_is_empty(extra)
				 ? tiktok_extra_begin(env, flow_get(flow, TOKEN_KEY_SCOPE), NULL)
				 : extra,
	};
	token_answer_give(&token, account);
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
	return NULL;
}

const struct stage tiktok_connect_stages[] = {
	{OAUTH_STAGE_EXCHANGE, oauth_exchange_ask, exchange_answer},
	{TIKTOK_STAGE_USER, user_ask, user_answer},
	{TIKTOK_STAGE_CREATOR, name_ask, name_answer},
	{TIKTOK_STAGE_ACCOUNT, account_ask, stages_answer_unexpected},
	{0},
};
