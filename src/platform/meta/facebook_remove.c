/* SPDX-License-Identifier: Apache-2.0
 * Taking a post back from a Page (meta.md 3.4). Comments go with it. Stories have no deletion. */
#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json.h"

#include "answer.h"
#include "facebook_adapter.h"
#include "graph.h"
#include "removal.h"

static bool is_story(const struct env *env)
{
	const enum facebook_kind kind = facebook_kind_of(env->post, env->post_type);
	return kind == FACEBOOK_PHOTO_STORY || kind == FACEBOOK_VIDEO_STORY;
}

static const char *look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (!removal_begins(flow, step))
		return NULL;
	if (is_story(env))
		return removal_unsupported(
			step, STR("Facebook gives apps no way to remove a story. It ends by itself "
				  "after a day, or is removed by hand."));
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,from,created_time"));
	graph_call(env, step, CALL_READ, "GET", flow->parts[0].remote_id,
		   graph_reader_token(env, flow), &form);
	return NULL;
}

/* A post's id begins with its Page's; who made a video stands in from. */
static bool is_own(const struct env *env, const struct flow *flow, const struct json *object)
{
	const struct str author = answer_id(env, json_get(json_get(object, "from"), "id"));
	const struct str prefix = str_concat(env->arena, env->platform_account_id, STR("_"));
	return str_is_empty(author) ? str_has_prefix(flow->parts[0].remote_id, prefix)
				    : str_equal(author, env->platform_account_id);
}

static const char *look_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	return graph_removal_look_judge(
		env, flow,
		&(struct graph_removal_look){.reply = reply,
					     .step = step,
					     .is_own = is_own,
					     .created_field = "created_time"});
}

const struct stage facebook_remove_stages[] = {
	{REMOVAL_STAGE_LOOK, look_ask, look_answer},
	{REMOVAL_STAGE_PROOF, graph_removal_proof_ask, graph_removal_proof_answer},
	{REMOVAL_STAGE_DELETE, graph_removal_delete_ask, graph_removal_delete_answer},
	{.name = NULL},
};
