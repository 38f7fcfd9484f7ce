/* SPDX-License-Identifier: Apache-2.0
 * What both of Meta's platforms share of a removal. Graph says the same of an object that is gone
 * and of one that the token may not read (meta.md 6.2): so what seems gone is believed only when
 * the same token can read the account that it belongs to. */
#include "buf.h"

#include "form.h"
#include "json.h"

#include "graph.h"
#include "removal.h"

/* Is the answer 100/33: gone, or not for this token? */
static bool is_missing(const struct reply *reply)
{
	struct graph_error error;
	return graph_error_read(reply, &error) && error.code == 100 && error.subcode == 33;
}

const char *graph_removal_look_judge(const struct env *env, struct flow *flow,
				     const struct graph_removal_look *look)
{
	const struct reply *reply = look->reply;
	if (graph_read_as_user(env, flow, reply))
		return REMOVAL_STAGE_LOOK;
	if (is_missing(reply))
		return REMOVAL_STAGE_PROOF;
	if (!graph_is_ok(reply)) {
		graph_step_fail(env, reply, look->step);
		return NULL;
	}
	if (!json_is(json_get(reply->json, "id"), JSON_TYPE_STRING))
		return removal_unreadable(look->step);
	const int64_t created_us =
		graph_instant_us(env, json_string(json_get(reply->json, look->created_field)));
	return removal_is_ours(env, look->is_own(env, flow, reply->json), created_us, look->step)
		       ? REMOVAL_STAGE_DELETE
		       : NULL;
}

const char *graph_removal_proof_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (!removal_begins(flow, step))
		return NULL;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id"));
	graph_call(env, step, CALL_READ, "GET", env->platform_account_id,
		   graph_reader_token(env, flow), &form);
	return NULL;
}

const char *graph_removal_proof_answer(const struct env *env, struct flow *flow,
				       const struct reply *reply, struct step *step)
{
	if (graph_is_ok(reply))
		return removal_all_gone(flow);
	graph_step_fail(env, reply, step);
	return NULL;
}

const char *graph_removal_delete_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (!removal_begins(flow, step))
		return NULL;
	graph_form_init(env, &form);
	graph_call(env, step, CALL_PUBLISH, "DELETE", flow->parts[0].remote_id, env->access_token,
		   &form);
	return NULL;
}

const char *graph_removal_delete_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	if (is_missing(reply))
		return REMOVAL_STAGE_PROOF;
	if (graph_is_ok(reply) && json_bool(json_get(reply->json, "success"), false))
		return removal_all_gone(flow);
	if (graph_is_ok(reply) || graph_is_uncertain(reply))
		return removal_uncertain(step);
	graph_step_fail(env, reply, step);
	return NULL;
}
