/* SPDX-License-Identifier: Apache-2.0
 * YouTube: does an account's token work, and revoking it (youtube.md 1.4). */
#include "buf.h"

#include "account_check.h"
#include "youtube_adapter.h"

static const char *check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	return account_check_send(env, STR(YOUTUBE_API_URL "/channels?part=id,snippet&mine=true"),
				  step);
}

static const char *check_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	if (youtube_is_refused(env, reply, step))
		return NULL;
	step_done(step);
	step->avatar_url = youtube_channel_avatar(
		json_get(json_at(json_get(reply->json, "items"), 0), "snippet"));
	return NULL;
}

const struct stage youtube_check_stages[] = {
	{YOUTUBE_STAGE_CHECK, check_ask, check_answer},
	{.name = NULL},
};

static const char *revoke_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	account_revoke_form(env, &form);
	account_revoke_send(step, "https://oauth2.googleapis.com/revoke", &form);
	return NULL;
}

const struct stage youtube_revoke_stages[] = {
	{YOUTUBE_STAGE_REVOKE, revoke_ask, account_revoke_answer},
	{.name = NULL},
};
