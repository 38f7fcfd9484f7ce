/* SPDX-License-Identifier: Apache-2.0
 * Taking a post back from Instagram (meta.md 4.6). Comments go with it. Only an app that was
 * granted instagram_manage_contents may. */
#include "arena.h"

#include "json.h"

#include "answer.h"
#include "graph.h"
#include "instagram_adapter.h"
#include "removal.h"

static const char permission[] = "instagram_manage_contents";

/* Without a list of what was granted, Instagram is asked and says so itself. */
static bool may_remove(const struct env *env, struct step *step)
{
	if (str_is_empty(env->scopes) || str_find(env->scopes, str_of(permission), 0) != SIZE_MAX)
		return true;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
		  STR("Instagram lets an app remove posts only with the permission "
		      "instagram_manage_contents. Add it to the scopes of the app's Instagram "
		      "credential, and connect the account again."));
	return false;
}

static const char *look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!removal_begins(flow, step))
		return NULL;
	if (graph_is_instagram_login(env))
		return removal_unsupported(
			step, STR("Instagram lets apps remove posts only of accounts that were "
				  "connected by Facebook Login. Remove it in Instagram."));
	if (!may_remove(env, step))
		return NULL;
	return instagram_read(env, flow, step, flow->parts[0].remote_id,
			      "owner,username,timestamp");
}

/* The owner is named to the owner's own app, the username to others. */
static bool is_own(const struct env *env, const struct flow *flow, const struct json *media)
{
	(void)flow;
	const struct str owner = answer_id(env, json_get(json_get(media, "owner"), "id"));
	return str_is_empty(owner)
		       ? str_equal(json_string(json_get(media, "username")), env->username)
		       : str_equal(owner, env->platform_account_id);
}

static const char *look_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	return graph_removal_look_judge(env, flow,
					&(struct graph_removal_look){.reply = reply,
								     .step = step,
								     .is_own = is_own,
								     .created_field = "timestamp"});
}

const struct stage instagram_remove_stages[] = {
	{REMOVAL_STAGE_LOOK, look_ask, look_answer},
	{REMOVAL_STAGE_PROOF, graph_removal_proof_ask, graph_removal_proof_answer},
	{REMOVAL_STAGE_DELETE, graph_removal_delete_ask, graph_removal_delete_answer},
	{.name = NULL},
};
