/* SPDX-License-Identifier: Apache-2.0
 * Taking a post back from LinkedIn (linkedin.md 2.11). Comments go with it. A page's post is read
 * first. A member's cannot be read by apps: its URN is the one that LinkedIn answered with when it
 * was made, and LinkedIn deletes for a member only what that member wrote. */
#include "linkedin_adapter.h"

#include "clock.h"

#include "removal.h"
#include "stages.h"

/* The guard against duplicates names a post with the same words; a person may have written it. */
static bool is_only_alike(const struct flow *flow)
{
	const struct str named = flow_get(flow, LINKEDIN_KEY_DUPLICATE_URN);
	return !str_is_empty(named) && str_equal(named, flow->parts[0].remote_id);
}

static const char *look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!removal_begins(flow, step))
		return NULL;
	if (linkedin_is_page(env)) {
		linkedin_send(env, env->access_token, step, CALL_READ, "GET",
			      linkedin_url(env, LINKEDIN_REST_URL LINKEDIN_PATH_POSTS "/",
					   flow->parts[0].remote_id, "?viewContext=AUTHOR"));
		return NULL;
	}
	if (!is_only_alike(flow))
		return REMOVAL_STAGE_DELETE;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
		  STR("LinkedIn named this post as one with the same text, and lets nobody read "
		      "whether it is this one. Nothing was removed; remove it at LinkedIn."));
	return NULL;
}

static const char *look_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (reply->outcome == REPLY_ANSWERED && reply->status == 404)
		return removal_all_gone(flow);
	if (linkedin_is_refused(env, reply, step))
		return NULL;
	const struct str author = json_string(json_get(reply->json, "author"));
	if (str_is_empty(author))
		return removal_unreadable(step);
	const int64_t created_ms = json_int(json_get(reply->json, "createdAt"), 0);
	const bool is_instant = created_ms > 0 && created_ms < INT64_MAX / US_PER_MS;
	return removal_is_ours(env, str_equal(author, linkedin_author_urn(env)),
			       is_instant ? created_ms * US_PER_MS : 0, step)
		       ? REMOVAL_STAGE_DELETE
		       : NULL;
}

static const char *delete_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (removal_begins(flow, step))
		linkedin_send(env, env->access_token, step, CALL_PUBLISH, "DELETE",
			      linkedin_url(env, LINKEDIN_REST_URL LINKEDIN_PATH_POSTS "/",
					   flow->parts[0].remote_id, ""));
	return NULL;
}

static const char *delete_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = linkedin_facts(env, reply);
	/* Deleting again what is deleted is answered 204 too. */
	if (reply->status / 100 == 2 || reply->status == 404)
		return removal_all_gone(flow);
	return refusal_is_certain(&facts) ? linkedin_fail(env, reply, step)
					  : removal_uncertain(step);
}

const struct stage linkedin_remove_stages[] = {
	{REMOVAL_STAGE_LOOK, look_ask, look_answer},
	{REMOVAL_STAGE_DELETE, delete_ask, delete_answer},
	{0},
};
