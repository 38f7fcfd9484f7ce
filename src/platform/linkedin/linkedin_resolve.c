/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: what became of an uncertain publish call (linkedin.md 5). There is no
 * idempotency key, and members' posts cannot be read back: for them LinkedIn's own guard against
 * duplicates is the only witness. A page's posts and comments are listed. */
#include "linkedin_adapter.h"

#include "clock.h"

#include "little_text.h"
#include "answer.h"
#include "resolver.h"
#include "stages.h"

#define NEWEST_COUNT 10        /* newest posts compared (5) */
#define PROBES_BEFORE_REPEAT 2 /* of a page's posts without finding ours */
/* The guard's window is 10 minutes (5); what is left is for the way there and for clocks that
 * differ. */
#define DUPLICATE_GUARD_US (8 * US_PER_MINUTE)

/* A member's posts cannot be read. The same body, soon and once: the guard refuses it when the
 * first one landed. */
static const char *repeat_or_unknown(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t until_us = resolver_uncertain_us(flow) + DUPLICATE_GUARD_US;
	if (env->now_us > until_us || resolver_clock_has_moved(flow) ||
	    flow_count(flow, LINKEDIN_KEY_REPEATS) > 1)
		return resolver_end(flow, step, STEP_UNKNOWN);
	flow_set_int(flow, LINKEDIN_KEY_REPEAT_UNTIL_US, until_us);
	flow_set_open(flow); /* the first may have landed, even if the second is refused */
	return resolver_end(flow, step, STEP_SEND_AGAIN);
}

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	resolver_since_us(env, flow);
	if (flow_part(flow) > 0)
		return LINKEDIN_STAGE_COMMENTS;
	const struct str duplicate = flow_get(flow, LINKEDIN_KEY_DUPLICATE_URN);
	if (linkedin_is_page(env))
		return str_is_empty(duplicate) ? LINKEDIN_STAGE_POSTS : LINKEDIN_STAGE_DUPLICATE;
	if (str_is_empty(duplicate))
		return repeat_or_unknown(env, flow, step);
	resolver_matches_begin(flow, step);
	resolver_match_add(step, duplicate, linkedin_post_url(env, duplicate));
	return resolver_matches_end(step);
}

static const char *posts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	const struct str after =
		str_format(env->arena, "&count=%d&sortBy=LAST_MODIFIED", NEWEST_COUNT);
	const struct str url =
		linkedin_url(env, LINKEDIN_REST_URL LINKEDIN_PATH_POSTS "?q=author&author=",
			     linkedin_author_urn(env), str_z(env->arena, after));
	struct call *call = linkedin_send(env, env->access_token, step, CALL_READ, "GET", url);
	call_header(call, "X-RestLi-Method", STR("FINDER"));
	return NULL;
}

/* A probe that failed: its failure says whether a new token or time would help. */
static const char *probe_refused(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	return linkedin_is_refused(env, reply, step) ? NULL
						     : resolver_end(flow, step, STEP_UNKNOWN);
}

static bool probe_is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 &&
	       json_is(json_get(reply->json, "elements"), JSON_TYPE_ARRAY);
}

/* The file shown, or the first of several; empty when the post shows none, or nobody says. */
static struct str shown_urn(const struct json *post)
{
	const struct json *content = json_get(post, "content");
	const struct str one = json_string(json_get(json_get(content, "media"), "id"));
	const struct json *images = json_get(json_get(content, "multiImage"), "images");
	return str_is_empty(one) ? json_string(json_get(json_at(images, 0), "id")) : one;
}

/* An uploaded file is ours alone: with one to compare, the words are not enough. */
static bool shows_our_file(const struct env *env, const struct flow *flow, const struct json *post)
{
	const struct str ours = linkedin_asset_urn(env, flow, 0);
	const struct str found = shown_urn(post);
	return str_is_empty(ours) || str_is_empty(found) || str_equal(ours, found);
}

/* Both sides go through the same unescaping, so that mentions and hashtags compare as they are
 * shown. */
static bool is_our_post(const struct env *env, struct flow *flow, const struct json *post)
{
	const struct str sent = linkedin_commentary(env);
	const struct str found = json_string(json_get(post, "commentary"));
	return resolver_is_since_ms(env, flow, json_int(json_get(post, "createdAt"), 0)) &&
	       shows_our_file(env, flow, post) &&
	       resolver_texts_equal(env->arena, little_text_unescape(env->arena, sent),
				    little_text_unescape(env->arena, found));
}

static const char *posts_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	if (!probe_is_answered(reply))
		return probe_refused(env, flow, reply, step);
	const struct json *posts = json_get(reply->json, "elements");
	resolver_matches_begin(flow, step);
	for (size_t i = 0; i < posts->count; i++) {
		const struct str urn =
			answer_id_of(env, json_string(json_get(json_at(posts, i), "id")));
		if (!str_is_empty(urn) && is_our_post(env, flow, json_at(posts, i)))
			resolver_match_add(step, urn, linkedin_post_url(env, urn));
	}
	/* Not to be seen for half a minute, and the guard still up: with two witnesses it may be
	 * sent once more. */
	if (step->match_count == 0 && env->probe >= PROBES_BEFORE_REPEAT)
		return repeat_or_unknown(env, flow, step);
	return resolver_matches_end(step);
}

static const char *comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	linkedin_send(env, env->access_token, step, CALL_READ, "GET",
		      linkedin_comments_url(env, flow));
	return NULL;
}

static bool is_our_comment(const struct env *env, struct flow *flow, const struct json *comment)
{
	const struct str text = json_string(json_get(json_get(comment, "message"), "text"));
	return str_equal(json_string(json_get(comment, "actor")), linkedin_author_urn(env)) &&
	       resolver_is_since_ms(env, flow,
				    json_int(json_get(json_get(comment, "created"), "time"), 0)) &&
	       resolver_texts_equal(env->arena, text, linkedin_part_text(env, flow));
}

static const char *comments_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (!probe_is_answered(reply))
		return probe_refused(env, flow, reply, step);
	const struct json *comments = json_get(reply->json, "elements");
	resolver_matches_begin(flow, step);
	for (size_t i = 0; i < comments->count; i++) {
		const struct json *comment = json_at(comments, i);
		const struct str urn = linkedin_comment_urn(env, comment);
		if (!str_is_empty(urn) && is_our_comment(env, flow, comment))
			resolver_match_add(step, urn, flow->parts[0].url);
	}
	return resolver_matches_end(step);
}

/* The post that the guard names may have been deleted long ago (5); a page's posts can be read. */
static const char *duplicate_ask(const struct env *env, struct flow *flow, struct step *step)
{
	linkedin_send(env, env->access_token, step, CALL_READ, "GET",
		      linkedin_url(env, LINKEDIN_REST_URL LINKEDIN_PATH_POSTS "/",
				   flow_get(flow, LINKEDIN_KEY_DUPLICATE_URN),
				   "?viewContext=AUTHOR"));
	return NULL;
}

static const char *duplicate_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200 ||
	    !is_our_post(env, flow, reply->json))
		return LINKEDIN_STAGE_POSTS;
	const struct str urn = flow_get(flow, LINKEDIN_KEY_DUPLICATE_URN);
	resolver_matches_begin(flow, step);
	resolver_match_add(step, urn, linkedin_post_url(env, urn));
	return resolver_matches_end(step);
}

const struct stage linkedin_resolve_stages[] = {
	{LINKEDIN_STAGE_DOUBT, start_ask, stages_answer_unexpected},
	{LINKEDIN_STAGE_DUPLICATE, duplicate_ask, duplicate_answer},
	{LINKEDIN_STAGE_POSTS, posts_ask, posts_answer},
	{LINKEDIN_STAGE_COMMENTS, comments_ask, comments_answer},
	{0},
};
