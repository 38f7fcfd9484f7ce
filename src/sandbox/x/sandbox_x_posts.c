/* SPDX-License-Identifier: Apache-2.0
 * Creating posts on the simulated X, with every refusal that the service must know (x.md
 * 2.1, 2.2, 4, 5). */
#include "sandbox_x.h"

#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "hex.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define DUPLICATE_WINDOW_US US_PER_DAY /* 5: not documented; a day is our choice */
#define EDITS_MAX 5                    /* 2.1 */
#define EDIT_WINDOW_US US_PER_HOUR     /* 2.1 */

static const char *const create_members[] = {"text",
					     "media",
					     "poll",
					     "reply",
					     "reply_settings",
					     "quote_tweet_id",
					     "community_id",
					     "share_with_followers",
					     "geo",
					     "for_super_followers_only",
					     "nullcast",
					     "card_uri",
					     "direct_message_deep_link",
					     "made_with_ai",
					     "paid_partnership",
					     "edit_options",
					     NULL};

static const char *const media_members[] = {
	"media_ids",   "tagged_user_ids", "preview_media_id", "title",
	"description", "embeddable",      "call_to_actions",  NULL};
static const char *const edit_members[] = {"previous_post_id", NULL};
static const char *const poll_members[] = {"options", "duration_minutes", "reply_settings", NULL};
static const char *const reply_members[] = {"in_reply_to_tweet_id", "exclude_reply_user_ids",
					    "auto_populate_reply_metadata", NULL};
static const char *const geo_members[] = {"place_id", NULL};

/* The body itself has no name. */
static const struct members {
	const char *name;
	const char *const *known;
} schema[] = {
	{NULL, create_members},   {"media", media_members}, {"poll", poll_members},
	{"reply", reply_members}, {"geo", geo_members},     {"edit_options", edit_members},
};

static bool check_object(struct sandbox_call *call, const struct json *json,
			 const struct members *members)
{
	if (!json_is(json, JSON_TYPE_OBJECT)) {
		sandbox_x_fail_request(call, members->name != NULL ? members->name : "$", STR(""),
				       "is not an object");
		return false;
	}
	for (size_t i = 0; i < json->count; i++) {
		if (!sandbox_is_one_of(json->keys[i], members->known)) {
			sandbox_x_fail_request(
				call, "$", json->keys[i],
				"is not defined in the schema and the schema does not allow "
				"additional properties");
			return false;
		}
	}
	return true;
}

/* X's schema rejects unknown members. */
static bool check_members(struct sandbox_call *call, const struct json *json)
{
	for (size_t i = 0; i < COUNT_OF(schema); i++) {
		const struct json *part =
			schema[i].name != NULL ? json_get(json, schema[i].name) : json;
		if (part != NULL && !check_object(call, part, &schema[i]))
			return false;
	}
	return true;
}

static bool check_exclusive(struct sandbox_call *call, const struct json *json)
{
	static const char *const kinds[] = {"media", "poll", "quote_tweet_id", "card_uri",
					    "direct_message_deep_link"};
	unsigned count = 0;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		count += json_is_null(json_get(json, kinds[i])) ? 0 : 1;
	if (count <= 1)
		return true;
	sandbox_x_fail_request(
		call, "$", STR("media"),
		"You can only provide one of media, poll, quote_tweet_id, card_uri or "
		"direct_message_deep_link.");
	return false;
}

static bool check_poll(struct sandbox_call *call, const struct json *poll)
{
	const struct json *options = json_get(poll, "options");
	const int64_t minutes = json_int(json_get(poll, "duration_minutes"), 0);
	bool is_good = json_is(options, JSON_TYPE_ARRAY) && options->count >= 2 &&
		       options->count <= 4 && minutes >= 5 && minutes <= 10080;
	if (json_is_null(poll))
		return true;
	for (size_t i = 0; is_good && i < options->count; i++) {
		const size_t chars = utf8_code_points(json_string(&options->items[i]));
		is_good = chars >= 1 && chars <= 25;
	}
	if (!is_good)
		sandbox_x_fail_request(
			call, "poll", STR("poll"),
			"The poll needs 2 to 4 options of 1 to 25 characters and 5 to "
			"10080 minutes.");
	return is_good;
}

static bool check_reply_settings(struct sandbox_call *call, const struct json *json)
{
	static const char *const words[] = {"following", "mentionedUsers", "subscribers",
					    "verified"};
	const struct str given = json_string(json_get(json, "reply_settings"));
	if (json_is_null(json_get(json, "reply_settings")))
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (str_equal_z(given, words[i]))
			return true;
	}
	sandbox_x_fail_request(call, "reply_settings", given,
			       "is not one of [following,mentionedUsers,subscribers,verified]");
	return false;
}

/* Checks a video's duration against the user's subscription (3.2). */
static bool check_duration(struct sandbox_call *call, const struct x_media *media)
{
	const int64_t minutes = sandbox_x_is_premium_user(call) ? 125 : 20;
	if (media->media.sniff.duration_ms <= minutes * 60 * 1000)
		return true;
	sandbox_x_fail_forbidden(
		call, str_z(call->arena,
			    str_format(call->arena,
				       "This user is not allowed to post a video longer than "
				       "%lld minutes.",
				       (long long)minutes)));
	return false;
}

/* Up to 4 pictures, or one GIF, or one video; each finished and this user's. */
static bool read_media(struct sandbox_call *call, const struct json *json,
		       struct sandbox_media *media, struct str *keys, size_t *count_out)
{
	const struct json *ids = json_get(json_get(json, "media"), "media_ids");
	*count_out = 0;
	if (json_is_null(json_get(json, "media")))
		return true;
	if (!json_is(ids, JSON_TYPE_ARRAY) || ids->count == 0) {
		sandbox_x_fail_request(call, "media.media_ids", STR(""),
				       "Your media IDs are invalid.");
		return false;
	}
	if (ids->count > X_POST_MEDIA_MAX) {
		sandbox_x_fail_forbidden(call, "You may attach a maximum of 4 items to a Tweet.");
		return false;
	}
	size_t alone = 0;
	for (size_t i = 0; i < ids->count; i++) {
		struct x_media *one = sandbox_x_media_find(call, json_string(&ids->items[i]));
		if (one == NULL) {
			sandbox_x_fail_request(call, "media.media_ids",
					       json_text(call->arena, &ids->items[i]),
					       "Your media IDs are invalid.");
			return false;
		}
		alone += one->kind == X_MEDIA_IMAGE ? 0 : 1;
		media[i] = one->media;
		keys[i] = sandbox_x_media_key(call->arena, one);
		if (!check_duration(call, one))
			return false;
	}
	*count_out = ids->count;
	if (alone > 0 && ids->count > 1)
		sandbox_x_fail_forbidden(call, "You are not permitted to perform this action.");
	return alone == 0 || ids->count == 1;
}

static bool check_text(struct sandbox_call *call, struct str text, size_t media_count)
{
	const size_t max =
		sandbox_x_is_premium_user(call) ? X_TEXT_WEIGHT_PREMIUM_MAX : X_TEXT_WEIGHT_MAX;
	if (text.len == 0 && media_count == 0) {
		sandbox_x_fail_request(call, "text", STR(""),
				       "Text is required when no media is given.");
		return false;
	}
	if (!sandbox_x_text_is_allowed(text) || sandbox_x_text_weight(call->arena, text) > max) {
		sandbox_x_fail_forbidden(call, "You are not permitted to perform this action.");
		return false;
	}
	if (sandbox_x_text_cashtags(text) > 1) {
		sandbox_x_fail_forbidden(call, "A Tweet may hold a maximum of one cashtag.");
		return false;
	}
	return true;
}

/* Users may reply to their own posts, and to others only when mentioned (0). All posts here are
 * the user's own. */
static bool check_reply(struct sandbox_call *call, struct str parent)
{
	if (parent.ptr == NULL)
		return true;
	const struct sandbox_post *post = sandbox_ledger_find(call->sandbox, SANDBOX_X, parent);
	if (post != NULL)
		return true;
	uint64_t number;
	if (!str_parse_u64(parent, &number))
		sandbox_x_fail_request(call, "reply.in_reply_to_tweet_id", parent,
				       "is not a valid Tweet ID.");
	else if (sandbox_object_get(call->sandbox, SANDBOX_X, "post", parent) != NULL)
		sandbox_x_fail_request(
			call, "reply.in_reply_to_tweet_id", parent,
			"You attempted to reply to a Tweet that is deleted or not visible to you.");
	else
		sandbox_x_fail_forbidden(
			call, "You can only reply to or quote posts where you are mentioned "
			      "or are the author.");
	return false;
}

static struct str text_key(struct sandbox_call *call, struct str user_id, struct str text)
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(digest, (const unsigned char *)text.ptr, text.len);
	return str_format(call->arena, STR_FMT "/" STR_FMT, STR_ARG(user_id),
			  STR_ARG(hex_encode(call->arena,
					     (struct str){(const char *)digest, sizeof(digest)})));
}

/* The same text by the same account is a duplicate, regardless of attachments (5). */
static bool is_duplicate(struct sandbox_call *call, struct str user_id, struct str text)
{
	const struct x_post *old =
		sandbox_object_get(call->sandbox, SANDBOX_X, "text", text_key(call, user_id, text));
	const struct sandbox_post *post =
		old != NULL ? sandbox_ledger_find(call->sandbox, SANDBOX_X, old->id) : NULL;
	return text.len > 0 && post != NULL &&
	       call->now_us - post->created_us < DUPLICATE_WINDOW_US;
}

static void link_add(struct x_post *post, struct sandbox_call *call, struct str display,
		     struct str expanded)
{
	struct x_link *link = &post->links[post->link_count++];
	link->short_url = sandbox_id_text(call->sandbox, "https://t.co/", 10);
	link->display = sandbox_keep_str(call->sandbox, display);
	link->expanded = sandbox_keep_str(call->sandbox, expanded);
}

/* X adds a protocol to a URL without one. */
static struct str with_protocol(struct arena *arena, struct str url)
{
	return str_find(url, STR("://"), 0) == SIZE_MAX ? str_concat(arena, STR("http://"), url)
							: url;
}

static struct str post_url(struct sandbox_call *call, struct str id)
{
	return str_format(call->arena, "https://x.com/" STR_FMT "/status/" STR_FMT,
			  STR_ARG(sandbox_x_state(call)->username), STR_ARG(id));
}

/* The text as X stores it: links replaced by t.co, and one more for attached media. */
static void shorten(struct sandbox_call *call, struct x_post *post, const struct x_new_post *fresh)
{
	struct x_url urls[X_URLS_MAX];
	const size_t count = sandbox_x_text_urls(fresh->shown_text, urls, X_URLS_MAX);
	struct buf shown;
	buf_init(&shown, call->arena, 1 << 20);
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const struct str url = str_slice(fresh->shown_text, urls[i].begin, urls[i].end);
		link_add(post, call, url, with_protocol(call->arena, url));
		buf_add(&shown, str_slice(fresh->shown_text, at, urls[i].begin));
		buf_add(&shown, post->links[i].short_url);
		at = urls[i].end;
	}
	buf_add(&shown, str_slice(fresh->shown_text, at, fresh->shown_text.len));
	if (fresh->media_count > 0 && fresh->keys != NULL) {
		const bool is_video = fresh->media[0].sniff.is_video;
		link_add(post, call, STR("pic.x.com"),
			 str_format(call->arena, STR_FMT "/%s/1", STR_ARG(post_url(call, post->id)),
				    is_video ? "video" : "photo"));
		buf_add_z(&shown, fresh->shown_text.len > 0 ? " " : "");
		buf_add(&shown, post->links[post->link_count - 1].short_url);
	}
	post->shown = sandbox_keep_str(call->sandbox, buf_str(&shown));
}

const struct x_post *sandbox_x_post_create(struct sandbox_call *call,
					   const struct x_new_post *fresh)
{
	struct x_post *post = sandbox_keep(call->sandbox, sizeof(*post));
	post->id = sandbox_x_next_id(call);
	post->first_us = call->now_us;
	post->reply_to = fresh->parent.ptr != NULL ? sandbox_keep_str(call->sandbox, fresh->parent)
						   : (struct str){0};
	for (size_t i = 0; fresh->keys != NULL && i < fresh->media_count; i++)
		post->media_keys[post->media_count++] =
			sandbox_keep_str(call->sandbox, fresh->keys[i]);
	shorten(call, post, fresh);
	sandbox_object_put(call->sandbox, SANDBOX_X, "post", post->id, post);
	sandbox_ledger_add(call->sandbox,
			   &(struct sandbox_post){
				   .platform = SANDBOX_X,
				   .account_id = fresh->user_id,
				   .id = post->id,
				   .type = str_of(fresh->type),
				   .text = sandbox_keep_str(call->sandbox, fresh->text),
				   .title = sandbox_keep_str(call->sandbox, fresh->title),
				   .media = fresh->media,
				   .media_count = fresh->media_count,
				   .reply_to = post->reply_to,
				   .url = post_url(call, post->id),
				   .extra = post,
			   });
	return post;
}

/* Escapes & < > as X returns them (5). */
struct str sandbox_x_escaped(struct arena *arena, struct str text)
{
	struct buf out;
	buf_init(&out, arena, text.len * 5 + 1);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '&')
			buf_add_z(&out, "&amp;");
		else if (text.ptr[i] == '<')
			buf_add_z(&out, "&lt;");
		else if (text.ptr[i] == '>')
			buf_add_z(&out, "&gt;");
		else
			buf_add_char(&out, text.ptr[i]);
	}
	return buf_str(&out);
}

/* Every refusal that depends on the body alone, in X's order. */
static bool check_body(struct sandbox_call *call, const struct json *json)
{
	if (!json_is(json, JSON_TYPE_OBJECT)) {
		sandbox_x_fail_request(call, "$", STR(""), "The body is not a JSON object.");
		return false;
	}
	return check_members(call, json) && check_exclusive(call, json) &&
	       check_poll(call, json_get(json, "poll")) && check_reply_settings(call, json);
}

static bool check_account(struct sandbox_call *call, const struct json *json, struct str user_id,
			  struct str text)
{
	if (!json_is_null(json_get(json, "quote_tweet_id"))) {
		sandbox_x_fail_forbidden(call,
					 "Your account is not permitted to access this feature.");
		return false;
	}
	if (is_duplicate(call, user_id, text)) {
		sandbox_x_fail_forbidden(
			call, "You are not allowed to create a Tweet with duplicate content.");
		return false;
	}
	return true;
}

/* 2.1: own post, a subscriber's, five times; the window is an hour by the changelog and half of
 * that by another page. False: the call has been answered. */
static bool check_edit(struct sandbox_call *call, const struct json *json,
		       struct sandbox_post **replaced_out)
{
	const struct str id =
		json_string(json_get(json_get(json, "edit_options"), "previous_post_id"));
	*replaced_out = NULL;
	if (json_is_null(json_get(json, "edit_options")))
		return true;
	struct sandbox_post *old = sandbox_ledger_find(call->sandbox, SANDBOX_X, id);
	if (old == NULL) {
		sandbox_x_fail_request(call, "edit_options.previous_post_id", id,
				       "is not a post of this user.");
		return false;
	}
	const struct x_post *post = old->extra;
	if (!sandbox_x_is_premium_user(call) || post->edits >= EDITS_MAX ||
	    call->now_us - post->first_us > EDIT_WINDOW_US) {
		sandbox_x_fail_forbidden(call, "You are not permitted to edit this Tweet.");
		return false;
	}
	*replaced_out = old;
	return true;
}

/* The new post takes the old one's place, and its count. */
static void replace(struct sandbox_call *call, struct sandbox_post *old, struct str id)
{
	struct sandbox_post *fresh = sandbox_ledger_find(call->sandbox, SANDBOX_X, id);
	struct x_post *post = (struct x_post *)(uintptr_t)fresh->extra;
	const struct x_post *before = old->extra;
	post->edits = before->edits + 1;
	post->first_us = before->first_us;
	sandbox_ledger_delete(call->sandbox, old);
}

static void answer_created(struct sandbox_call *call, const struct x_post *post)
{
	struct json_writer w;
	sandbox_answer(call, 201, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", post->id);
	json_member_str(&w, "text", sandbox_x_escaped(call->arena, post->shown));
	json_key(&w, "edit_history_post_ids");
	json_begin_array(&w);
	json_put_str(&w, post->id);
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

/* 3.4: a post with a URL costs 13 times as much. */
static int64_t price_mils(struct str text)
{
	struct x_url url;
	return sandbox_x_text_urls(text, &url, 1) > 0 ? 200 : 15;
}

void sandbox_x_tweet_post(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_x_user(call, "tweet.write", "window_create",
			       (int)sandbox_call_knob(call, SANDBOX_KNOB_x_create_limit));
	const struct json *json = sandbox_json(call);
	if (token == NULL || !check_body(call, json))
		return;
	const struct str text = json_string(json_get(json, "text"));
	const struct str parent =
		json_string(json_get(json_get(json, "reply"), "in_reply_to_tweet_id"));
	struct sandbox_media media[X_POST_MEDIA_MAX];
	struct str keys[X_POST_MEDIA_MAX];
	size_t media_count;
	struct sandbox_post *replaced;
	if (!read_media(call, json, media, keys, &media_count) ||
	    !check_text(call, text, media_count) || !check_reply(call, parent) ||
	    !check_edit(call, json, &replaced) ||
	    !check_account(call, json, token->subject, text) ||
	    !sandbox_x_spend(call, price_mils(text)))
		return;
	const struct x_post *post =
		sandbox_x_post_create(call, &(struct x_new_post){
						    .user_id = token->subject,
						    .type = parent.ptr != NULL ? "reply" : "post",
						    .text = text,
						    .shown_text = text,
						    .parent = parent,
						    .media = media,
						    .keys = keys,
						    .media_count = media_count,
					    });
	sandbox_object_put(call->sandbox, SANDBOX_X, "text", text_key(call, token->subject, text),
			   (void *)(uintptr_t)post);
	if (replaced != NULL)
		replace(call, replaced, post->id);
	answer_created(call, post);
}
