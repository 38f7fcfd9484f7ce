/* SPDX-License-Identifier: Apache-2.0
 * Reading and deleting posts on the simulated X: timelines and look-ups, which resolve a lost
 * answer (x.md 2.7). */
#include "sandbox_x.h"

#include "arena.h"
#include "str.h"
#include "timetext.h"

#include "json_write.h"
#include "utf8.h"

#define TIMELINE_LIMIT 900 /* 3.3 */
#define DELETE_LIMIT 50
#define LOOKUP_MAX 100

/* The fields that may be requested, by their current names and those before 2026 (0: names
 * drift). */
static const char *const fields_now[] = {
	"article",
	"article_title",
	"attachments",
	"card_uri",
	"community_id",
	"conversation_id",
	"created_at",
	"entities",
	"geo",
	"id",
	"lang",
	"note_post",
	"paid_partnership",
	"public_metrics",
	"reply_settings",
	"source",
	"text",
	NULL,
};
static const char *const fields_before[] = {
	"attachments",
	"author_id",
	"conversation_id",
	"created_at",
	"entities",
	"geo",
	"id",
	"lang",
	"note_tweet",
	"public_metrics",
	"source",
	"referenced_tweets",
	"reply_settings",
	"text",
	"article",
	NULL,
};

static bool are_known(struct str list, const char *const *known)
{
	struct str word;
	while (list.ptr != NULL && str_take_field(&list, ',', &word)) {
		if (!sandbox_is_one_of(word, known))
			return false;
	}
	return true;
}

static bool check_fields(struct sandbox_call *call)
{
	const struct str now = sandbox_query(call, "post.fields");
	const struct str before = sandbox_query(call, "tweet.fields");
	const bool is_old = sandbox_knob(call->sandbox, SANDBOX_KNOB_x_old_field_names) != 0;
	if (now.ptr != NULL && is_old) {
		sandbox_x_fail_request(call, "post.fields", now, "is not a known query parameter");
		return false;
	}
	if (are_known(now, fields_now) && are_known(before, fields_before))
		return true;
	sandbox_x_fail_request(call, "post.fields", now.ptr != NULL ? now : before,
			       "is not a list of known fields");
	return false;
}

static bool wants(struct sandbox_call *call, const char *field)
{
	return sandbox_scope_has(sandbox_query(call, "tweet.fields"), field) ||
	       sandbox_scope_has(sandbox_query(call, "post.fields"), field);
}

/* start and end count code points of the text. */
static void write_urls(struct json_writer *w, const struct x_post *post)
{
	json_key(w, "entities");
	json_begin_object(w);
	json_key(w, "urls");
	json_begin_array(w);
	size_t from = 0;
	for (size_t i = 0; i < post->link_count; i++) {
		const struct x_link *link = &post->links[i];
		const size_t at = str_find(post->shown, link->short_url, from);
		json_begin_object(w);
		json_member_int(w, "start",
				(int64_t)utf8_code_points(str_slice(post->shown, 0, at)));
		from = at + link->short_url.len;
		json_member_int(w, "end",
				(int64_t)utf8_code_points(str_slice(post->shown, 0, from)));
		json_member_str(w, "url", link->short_url);
		json_member_str(w, "expanded_url", link->expanded);
		json_member_str(w, "display_url", link->display);
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

static void write_attachments(struct json_writer *w, const struct x_post *post)
{
	json_key(w, "attachments");
	json_begin_object(w);
	json_key(w, "media_keys");
	json_begin_array(w);
	for (size_t i = 0; i < post->media_count; i++)
		json_put_str(w, post->media_keys[i]);
	json_end_array(w);
	json_end_object(w);
}

/* A long post has its beginning under text and all of it apart (3.1). */
static bool is_long(struct sandbox_call *call, const struct x_post *post)
{
	return sandbox_x_text_weight(call->arena, post->shown) > X_TEXT_WEIGHT_MAX;
}

static void write_text(struct sandbox_call *call, struct json_writer *w, const struct x_post *post)
{
	const struct str whole = sandbox_x_escaped(call->arena, post->shown);
	const char *note = wants(call, "note_post")    ? "note_post"
			   : wants(call, "note_tweet") ? "note_tweet"
						       : NULL;
	if (!is_long(call, post)) {
		json_member_str(w, "text", whole);
		return;
	}
	json_member_str(w, "text", str_concat(call->arena, utf8_cut(whole, 200), STR("\u2026")));
	if (note == NULL)
		return;
	json_key(w, note);
	json_begin_object(w);
	json_member_str(w, "text", whole);
	if (post->link_count > 0)
		write_urls(w, post);
	json_end_object(w);
}

static void write_reference(struct json_writer *w, const char *name, struct str id)
{
	json_key(w, name);
	json_begin_array(w);
	json_begin_object(w);
	json_member_str(w, "type", STR("replied_to"));
	json_member_str(w, "id", id);
	json_end_object(w);
	json_end_array(w);
}

static void write_tweet(struct sandbox_call *call, struct json_writer *w,
			const struct sandbox_post *seen)
{
	const struct x_post *post = seen->extra;
	json_begin_object(w);
	json_member_str(w, "id", post->id);
	write_text(call, w, post);
	json_key(w, "edit_history_post_ids");
	json_begin_array(w);
	json_put_str(w, post->id);
	json_end_array(w);
	if (wants(call, "created_at"))
		json_member_str(
			w, "created_at",
			str_concat(call->arena,
				   str_slice(timetext_format_instant(call->arena, seen->created_us /
											  US_PER_S *
											  US_PER_S),
					     0, 19),
				   STR(".000Z")));
	/* Once a field, now an expansion. */
	if (wants(call, "author_id") ||
	    sandbox_scope_has(sandbox_query(call, "expansions"), "author_id"))
		json_member_str(w, "author_id", seen->account_id);
	if (wants(call, "entities") && post->link_count > 0)
		write_urls(w, post);
	if (wants(call, "attachments") && post->media_count > 0)
		write_attachments(w, post);
	if (wants(call, "referenced_tweets") && post->reply_to.len > 0)
		write_reference(w, "referenced_tweets", post->reply_to);
	if (sandbox_scope_has(sandbox_query(call, "expansions"), "referenced_posts") &&
	    post->reply_to.len > 0)
		write_reference(w, "referenced_posts", post->reply_to);
	json_end_object(w);
}

struct timeline {
	int64_t max_results;
	int64_t start_us;
	int64_t end_us;
	uint64_t since_id;
	uint64_t until_id;
	bool has_no_replies;
};

static bool read_instant(struct sandbox_call *call, const char *name, int64_t *us)
{
	const struct str text = sandbox_query(call, name);
	if (text.ptr == NULL || timetext_parse_instant(text, us))
		return true;
	sandbox_x_fail_request(call, name, text, "is not a valid RFC 3339 date-time.");
	return false;
}

static bool read_id(struct sandbox_call *call, const char *name, uint64_t *id)
{
	const struct str text = sandbox_query(call, name);
	if (text.ptr == NULL || str_parse_u64(text, id))
		return true;
	sandbox_x_fail_request(call, name, text, "is not a valid Tweet ID.");
	return false;
}

static bool read_timeline(struct sandbox_call *call, struct timeline *timeline)
{
	*timeline = (struct timeline){.max_results = sandbox_param_int(call, "max_results", 10),
				      .end_us = INT64_MAX,
				      .until_id = UINT64_MAX};
	timeline->has_no_replies = sandbox_scope_has(sandbox_query(call, "exclude"), "replies");
	if (timeline->max_results < 5 || timeline->max_results > 100) {
		sandbox_x_fail_request(call, "max_results", sandbox_query(call, "max_results"),
				       "is not between 5 and 100");
		return false;
	}
	return check_fields(call) && read_instant(call, "start_time", &timeline->start_us) &&
	       read_instant(call, "end_time", &timeline->end_us) &&
	       read_id(call, "since_id", &timeline->since_id) &&
	       read_id(call, "until_id", &timeline->until_id) &&
	       read_id(call, "pagination_token", &timeline->until_id);
}

static bool in_timeline(const struct sandbox_call *call, const struct timeline *timeline,
			const struct sandbox_post *post)
{
	uint64_t id = 0;
	str_parse_u64(post->id, &id);
	return sandbox_ledger_is_listed(call->sandbox, post) &&
	       post->created_us >= timeline->start_us && post->created_us < timeline->end_us &&
	       id > timeline->since_id && id < timeline->until_id &&
	       !(timeline->has_no_replies && post->reply_to.len > 0);
}

static void write_meta(struct json_writer *w, int64_t count, struct str newest, struct str oldest,
		       bool has_more)
{
	json_key(w, "meta");
	json_begin_object(w);
	json_member_int(w, "result_count", count);
	if (count > 0) {
		json_member_str(w, "newest_id", newest);
		json_member_str(w, "oldest_id", oldest);
	}
	if (has_more)
		json_member_str(w, "next_token", oldest);
	json_end_object(w);
}

/* Each post that is returned costs (2.7). */
static int64_t count_in(struct sandbox_call *call, const struct timeline *timeline)
{
	int64_t count = 0;
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_X, sandbox_capture(call, "id"));
	     post != NULL && count < timeline->max_results; post = post->older)
		count += in_timeline(call, timeline, post) ? 1 : 0;
	return count;
}

void sandbox_x_timeline_get(struct sandbox_call *call)
{
	const struct str id = sandbox_capture(call, "id");
	struct timeline timeline;
	if (sandbox_x_user(call, "tweet.read", "window_timeline", TIMELINE_LIMIT) == NULL ||
	    !read_timeline(call, &timeline))
		return;
	if (!str_equal(id, sandbox_x_state(call)->user_id)) {
		sandbox_x_fail_not_found(call, "user", id);
		return;
	}
	if (!sandbox_x_spend(call, X_POST_READ_MILS * count_in(call, &timeline)))
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	struct str newest = {0};
	struct str oldest = {0};
	int64_t count = 0;
	bool has_more = false;
	for (const struct sandbox_post *post = sandbox_ledger_newest(call->sandbox, SANDBOX_X, id);
	     post != NULL && !has_more; post = post->older) {
		if (!in_timeline(call, &timeline, post))
			continue;
		has_more = count == timeline.max_results;
		if (has_more)
			break;
		if (count++ == 0) {
			json_key(&w, "data");
			json_begin_array(&w);
			newest = post->id;
		}
		write_tweet(call, &w, post);
		oldest = post->id;
	}
	if (count > 0)
		json_end_array(&w);
	write_meta(&w, count, newest, oldest, has_more);
	json_end_object(&w);
}

void sandbox_x_tweet_get(struct sandbox_call *call)
{
	const struct sandbox_post *post =
		sandbox_ledger_seen(call->sandbox, SANDBOX_X, sandbox_capture(call, "id"));
	if (sandbox_x_user(call, "tweet.read", "window_tweet", TIMELINE_LIMIT) == NULL ||
	    !check_fields(call) || !sandbox_x_spend(call, X_POST_READ_MILS))
		return;
	if (post == NULL) {
		sandbox_x_fail_not_found(call, "tweet", sandbox_capture(call, "id"));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	write_tweet(call, &w, post);
	json_end_object(&w);
}

static void write_missing(struct sandbox_call *call, struct json_writer *w, struct str id)
{
	json_begin_object(w);
	json_member_str(w, "value", id);
	json_member_str(w, "detail",
			str_format(call->arena, "Could not find tweet with ids: [" STR_FMT "].",
				   STR_ARG(id)));
	json_member_str(w, "title", STR("Not Found Error"));
	json_member_str(w, "resource_type", STR("tweet"));
	json_member_str(w, "parameter", STR("ids"));
	json_member_str(w, "resource_id", id);
	json_member_str(w, "type", STR("https://api.x.com/2/problems/resource-not-found"));
	json_end_object(w);
}

/* Posts that exist under data, the others under errors; an empty list is left out. */
static void write_lookup(struct sandbox_call *call, struct json_writer *w, const struct str *ids,
			 size_t count, bool wants_found)
{
	bool has_any = false;
	for (size_t i = 0; i < count; i++) {
		const struct sandbox_post *post =
			sandbox_ledger_find(call->sandbox, SANDBOX_X, ids[i]);
		if ((post != NULL) != wants_found)
			continue;
		if (!has_any) {
			json_key(w, wants_found ? "data" : "errors");
			json_begin_array(w);
		}
		has_any = true;
		if (post != NULL)
			write_tweet(call, w, post);
		else
			write_missing(call, w, ids[i]);
	}
	if (has_any)
		json_end_array(w);
}

void sandbox_x_tweets_get(struct sandbox_call *call)
{
	struct str list = sandbox_query(call, "ids");
	if (sandbox_x_user(call, "tweet.read", "window_tweets", TIMELINE_LIMIT) == NULL ||
	    !check_fields(call) || !sandbox_x_spend(call, X_POST_READ_MILS))
		return;
	size_t count = 0;
	struct str ids[LOOKUP_MAX];
	while (list.len > 0 && count < LOOKUP_MAX && str_take_field(&list, ',', &ids[count]))
		count++;
	if (count == 0 || list.len > 0) {
		sandbox_x_fail_request(call, "ids", sandbox_query(call, "ids"),
				       "The number of ids is not between 1 and 100");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	write_lookup(call, &w, ids, count, true);
	write_lookup(call, &w, ids, count, false);
	json_end_object(&w);
}

void sandbox_x_tweet_delete(struct sandbox_call *call)
{
	struct sandbox_post *post =
		sandbox_ledger_find(call->sandbox, SANDBOX_X, sandbox_capture(call, "id"));
	if (sandbox_x_user(call, "tweet.write", "window_delete", DELETE_LIMIT) == NULL ||
	    !sandbox_x_spend(call, 10))
		return;
	if (post != NULL)
		sandbox_ledger_delete(call->sandbox, post);
	sandbox_answer_json(call, 200,
			    post != NULL ? "{\"data\":{\"deleted\":true}}"
					 : "{\"data\":{\"deleted\":false}}");
}
