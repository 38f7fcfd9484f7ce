/* SPDX-License-Identifier: Apache-2.0
 * X: does an account's token work, and revoking it (x.md 1.4). */
#include "buf.h"

#include "account_check.h"
#include "x_adapter.h"

static const char *check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	return account_check_send(env, STR(X_API X_PATH_ME "?user.fields=profile_image_url"), step);
}

static const char *check_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	if (!x_is_ok(reply)) {
		x_failed(env, reply, step);
		return NULL;
	}
	step_done(step);
	step->avatar_url =
		json_string(json_get(json_get(reply->json, "data"), "profile_image_url"));
	return NULL;
}

const struct stage x_check_stages[] = {
	{X_STAGE_CHECK, check_ask, check_answer},
	{.name = NULL},
};

static const char *revoke_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	account_revoke_form(env, &form);
	x_call_basic(env, account_revoke_send(step, X_API "/2/oauth2/revoke", &form));
	return NULL;
}

const struct stage x_revoke_stages[] = {
	{X_STAGE_REVOKE, revoke_ask, account_revoke_answer},
	{.name = NULL},
};
