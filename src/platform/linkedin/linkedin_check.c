/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: does an account's token work? LinkedIn lets no app revoke a token: it works until it
 * ends. */
#include "account_check.h"
#include "linkedin_adapter.h"

static const char *check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	return account_check_send(env, STR(LINKEDIN_USERINFO_URL), step);
}

static const char *check_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	if (linkedin_is_refused(env, reply, step))
		return NULL;
	step_done(step);
	if (env->account_type == ACCOUNT_PERSONAL) /* a page's logo is not in it */
		step->avatar_url = json_string(json_get(reply->json, "picture"));
	return NULL;
}

const struct stage linkedin_check_stages[] = {
	{LINKEDIN_STAGE_CHECK, check_ask, check_answer},
	{.name = NULL},
};
