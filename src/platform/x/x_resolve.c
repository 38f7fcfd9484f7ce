/* SPDX-License-Identifier: Apache-2.0
 * What became of an uncertain create call: the account's own timeline since the call was started
 * (x.md 5). Being in it proves that the post is out; not being in it proves
 * nothing. Never is "the newest" taken for ours. */
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "timetext.h"

#include "json.h"

#include "answer.h"
#include "resolver.h"
#include "x_adapter.h"

#define LOOK_BACK_US (5 * US_PER_S)    /* 5: attempt start - 5 s */
#define PROBE_AFTER_US (10 * US_PER_S) /* 5: after 10 to 20 s */

/* The names of fields as X has them now, and as it had them before 2026: which ones a given app's
 * version of the API takes is nowhere written (section 0, "field names drift"), so the old ones are
 * asked for when the new ones are refused. */
#define FIELDS_NOW \
	"post.fields=article,attachments,created_at,entities,note_post,text&expansions=" \
	"referenced_" \
	"posts"
#define FIELDS_BEFORE \
	"tweet.fields=attachments,created_at,entities,note_tweet,referenced_tweets,text"

static void timeline_ask(const struct env *env, const struct flow *flow, const char *fields,
			 struct step *step)
{
	const int64_t since_us = resolver_uncertain_us(flow) - LOOK_BACK_US;
	/* 100 entries, not 5: the account may be a busy one, and only what came since then is
	 * counted and billed. */
	const struct str since =
		timetext_format_instant(env->arena, since_us - since_us % US_PER_S);
	struct call *call = step_send(
		step, CALL_READ, "GET",
		str_format(env->arena,
			   X_API "/2/users/" STR_FMT "/tweets?max_results=100&start_time=" STR_FMT
				 "&exclude=retweets&%s",
			   STR_ARG(env->platform_account_id), STR_ARG(since), fields));
	call_bearer(env, call, env->access_token);
}

static const char *timeline_now_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t not_before_us = env->started_at_us + PROBE_AFTER_US;
	resolver_since_us(env, flow); /* remembers when this part became uncertain */
	if (env->now_us < not_before_us)
		step_wait(step, (not_before_us - env->now_us) / US_PER_MS + 1);
	else
		timeline_ask(env, flow, FIELDS_NOW, step);
	return NULL;
}

static const char *timeline_before_ask(const struct env *env, struct flow *flow, struct step *step)
{
	timeline_ask(env, flow, FIELDS_BEFORE, step);
	return NULL;
}

/* Replaces every from by to. */
static struct str replace(struct arena *arena, struct str text, struct str from, struct str to)
{
	struct buf out;
	size_t place = 0;
	if (str_is_empty(from) || str_find(text, from, 0) == SIZE_MAX)
		return text;
	buf_init(&out, arena, X_BODY_MAX_BYTES);
	for (size_t hit = str_find(text, from, 0); hit != SIZE_MAX;
	     hit = str_find(text, from, place)) {
		buf_add(&out, str_slice(text, place, hit));
		buf_add(&out, to);
		place = hit + from.len;
	}
	buf_add(&out, str_slice(text, place, text.len));
	return out.is_over ? text : buf_str(&out);
}

static struct str nfc(struct arena *arena, struct str text)
{
	utf8proc_uint8_t *normal = NULL;
	const utf8proc_ssize_t size =
		utf8proc_map((const utf8proc_uint8_t *)text.ptr, (utf8proc_ssize_t)text.len,
			     &normal, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
	const struct str copy =
		size > 0 ? str_copy(arena, (struct str){(const char *)normal, (size_t)size}) : text;
	free(normal);
	return copy;
}

/* The form in which two texts are compared: X puts a protocol before addresses that were written
 * without. */
static struct str comparable(struct arena *arena, struct str text)
{
	text = replace(arena, text, STR("https://"), STR(""));
	text = replace(arena, text, STR("http://"), STR(""));
	return nfc(arena, text);
}

/* A member under the name that it has now, or had before. */
static const struct json *either(const struct json *object, const char *now, const char *before)
{
	const struct json *found = json_get(object, now);
	return found != NULL ? found : json_get(object, before);
}

/* The whole text of a long post stands apart. */
static const struct json *text_holder(const struct json *post)
{
	const struct json *note = either(post, "note_post", "note_tweet");
	return json_is(note, JSON_TYPE_OBJECT) ? note : post;
}

/* The link that X appends to a text for its attachments leads to the post itself. */
static bool is_own_media(const struct json *url, struct str post_id)
{
	const struct str expanded = json_string(json_get(url, "expanded_url"));
	const size_t at = str_find(expanded, STR("/status/"), 0);
	return at != SIZE_MAX &&
	       str_has_prefix(str_slice(expanded, at + strlen("/status/"), expanded.len), post_id);
}

/* X stores t.co links and escapes three characters: the text as it was sent. */
static struct str unshortened(const struct env *env, const struct json *post)
{
	const struct json *holder = text_holder(post);
	const struct json *urls = json_get(json_get(holder, "entities"), "urls");
	const struct str id = answer_id(env, json_get(post, "id"));
	struct str text = json_string(json_get(holder, "text"));
	for (size_t i = 0; json_is(urls, JSON_TYPE_ARRAY) && i < urls->count && i < 50; i++) {
		const struct json *url = &urls->items[i];
		text = replace(env->arena, text, json_string(json_get(url, "url")),
			       is_own_media(url, id) ? STR("")
						     : json_string(json_get(url, "expanded_url")));
	}
	text = replace(env->arena, text, STR("&lt;"), STR("<"));
	text = replace(env->arena, text, STR("&gt;"), STR(">"));
	return replace(env->arena, text, STR("&amp;"), STR("&"));
}

/* For answers in which X lists no entity for that link. */
static struct str without_media_link(struct str text)
{
	text = str_trim(text);
	size_t start = text.len;
	while (start > 0 && text.ptr[start - 1] != ' ' && text.ptr[start - 1] != '\n')
		start--;
	const bool is_link = str_has_prefix(str_slice(text, start, text.len), STR("https://t.co/"));
	return is_link ? str_slice(text, 0, start) : text;
}

static struct str replied_to(const struct env *env, const struct json *post)
{
	const struct json *references = either(post, "referenced_posts", "referenced_tweets");
	for (size_t i = 0; json_is(references, JSON_TYPE_ARRAY) && i < references->count; i++) {
		if (str_equal_z(json_string(json_get(&references->items[i], "type")), "replied_to"))
			return answer_id(env, json_get(&references->items[i], "id"));
	}
	return (struct str){0};
}

/* Escaping and short links never make a text this much longer: it need not be compared, nor
 * copied. */
static bool is_too_long(const struct json *post, struct str sent)
{
	const struct str text = json_string(json_get(post, "text"));
	const struct str note =
		json_string(json_get(either(post, "note_post", "note_tweet"), "text"));
	return text.len + note.len > 16 * sent.len + 1024;
}

static size_t attached_count(const struct json *post)
{
	const struct json *keys = json_get(json_get(post, "attachments"), "media_keys");
	return json_is(keys, JSON_TYPE_ARRAY) ? keys->count : 0;
}

static bool has_our_text(const struct env *env, const struct flow *flow, const struct json *post)
{
	const size_t part = flow_part(flow);
	const struct str sent = x_text(env->arena, env->post, env->options, part);
	if (is_too_long(post, sent))
		return false;
	struct str seen = unshortened(env, post);
	if (env->post->containers[part].media_count > 0)
		seen = without_media_link(seen);
	return resolver_texts_equal(env->arena, comparable(env->arena, seen),
				    comparable(env->arena, sent));
}

/* What an article's post shows is a link to it, by the id that its draft had. */
static bool is_our_article(const struct flow *flow, const struct json *post)
{
	const struct json *urls = json_get(json_get(post, "entities"), "urls");
	const struct str id = x_article_id(flow);
	for (size_t i = 0; json_is(urls, JSON_TYPE_ARRAY) && i < urls->count; i++) {
		const struct str expanded = json_string(json_get(&urls->items[i], "expanded_url"));
		if (!str_is_empty(id) && str_equal(x_last_segment(expanded), id) &&
		    str_find(expanded, STR("/article/"), 0) != SIZE_MAX)
			return true;
	}
	return false;
}

static bool is_ours(const struct env *env, const struct flow *flow, const struct json *post)
{
	int64_t created_us = 0;
	if (!timetext_parse_instant(json_string(json_get(post, "created_at")), &created_us) ||
	    created_us < resolver_uncertain_us(flow) - LOOK_BACK_US)
		return false;
	if (x_is_article(env, flow))
		return is_our_article(flow, post);
	return str_equal(replied_to(env, post), x_parent_id(env, flow)) &&
	       attached_count(post) == env->post->containers[flow_part(flow)].media_count &&
	       has_our_text(env, flow, post);
}

static const char *timeline_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct json *posts = json_get(reply->json, "data");
	const bool is_refused = reply->outcome == REPLY_ANSWERED && reply->status == 400;
	if (is_refused && str_equal_z(flow->probe, X_STAGE_LOOK))
		return X_STAGE_LOOK_BEFORE;
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200) {
		x_failed(env, reply, step);
		return NULL;
	}
	resolver_matches_begin(flow, step);
	for (size_t i = 0; json_is(posts, JSON_TYPE_ARRAY) && i < posts->count; i++) {
		const struct str id = answer_id(env, json_get(&posts->items[i], "id"));
		if (!str_is_empty(id) && is_ours(env, flow, &posts->items[i]))
			resolver_match_add(step, id, x_post_url(env, id));
	}
	return resolver_matches_end(step);
}

const struct stage x_resolve_stages[] = {
	{X_STAGE_LOOK, timeline_now_ask, timeline_answer},
	{X_STAGE_LOOK_BEFORE, timeline_before_ask, timeline_answer},
	{.name = NULL},
};
