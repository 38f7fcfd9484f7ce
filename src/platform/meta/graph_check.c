/* SPDX-License-Identifier: Apache-2.0
 * Meta: does an account's token work? The account's own object is read, a Page or an Instagram
 * account alike. Revoking would take the app away from the whole user, with Pages that other
 * accounts stand for: so Meta's tokens are kept until they end. */
#include "buf.h"

#include "form.h"

#include "graph.h"
#include "stages.h"

static const char *check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "fields",
		 env->account_type == ACCOUNT_PAGE ? STR("id,picture.type(large){url}")
						   : STR("id,profile_picture_url"));
	graph_call(env, step, CALL_READ, "GET", env->platform_account_id, env->access_token, &form);
	return NULL;
}

static const char *check_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	if (!graph_is_ok(reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	const struct json *picture = json_get(json_get(reply->json, "picture"), "data");
	step_done(step);
	step->avatar_url = env->account_type == ACCOUNT_PAGE
				   ? json_string(json_get(picture, "url"))
				   : json_string(json_get(reply->json, "profile_picture_url"));
	return NULL;
}

const struct stage graph_check_stages[] = {
	{GRAPH_STAGE_CHECK, check_ask, check_answer},
	{.name = NULL},
};
