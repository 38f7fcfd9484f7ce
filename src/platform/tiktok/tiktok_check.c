/* SPDX-License-Identifier: Apache-2.0
 * TikTok: does an account's token work, and revoking it (tiktok.md 1.4). */
#include "buf.h"

#include "form.h"

#include "account_check.h"
#include "tiktok_adapter.h"
#include "token_answer.h"

static const char *check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	return account_check_send(env, STR(TIKTOK_API_URL "/user/info/?fields=open_id,avatar_url"),
				  step);
}

static const char *check_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	const struct json *user = json_get(json_get(reply->json, "data"), "user");
	step_done(step);
	step->avatar_url = json_string(json_get(user, "avatar_url"));
	return NULL;
}

const struct stage tiktok_check_stages[] = {
	{TIKTOK_STAGE_CHECK, check_ask, check_answer},
	{.name = NULL},
};

/* TikTok takes the access token, not the refresh token. */
static const char *revoke_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	buf_init(&form, env->arena, TOKEN_FORM_MAX_BYTES);
	form_add(&form, "client_key", env->client_id);
	form_add(&form, "client_secret", env->client_secret);
	form_add(&form, "token", env->access_token);
	account_revoke_send(step, TIKTOK_API_URL "/oauth/revoke/", &form);
	return NULL;
}

const struct stage tiktok_revoke_stages[] = {
	{TIKTOK_STAGE_REVOKE, revoke_ask, account_revoke_answer},
	{.name = NULL},
};
