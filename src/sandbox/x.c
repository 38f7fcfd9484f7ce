/* SPDX-License-Identifier: Apache-2.0
 * X's posts as the sandbox plays them: create with every refusal the service must know, timelines
 * and look-ups, rate windows (platforms/x.md 2 to 5). Logging in is x_login.c, media x_media.c,
 * counting x_text.c. */
#include "x_private.h"

#include <stdio.h>

#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "str.h"
#include "timetext.h"

#include "hex.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define WINDOW_US (15 * US_PER_MINUTE) /* 3.3 */
#define RATE_LIMIT_WAIT_S 60           /* of the fault rate_limit, when it says nothing */
#define CREATE_LIMIT 100
#define DELETE_LIMIT 50
#define ME_LIMIT 75
#define TIMELINE_LIMIT 900
#define DUPLICATE_WINDOW_US US_PER_DAY /* 5: unpublished; a day is ours */
#define MEDIA_MAX 4
#define LOOKUP_MAX 100
#define TWITTER_EPOCH_MS INT64_C(1288834974657)

/* A post as X keeps it. */
struct x_post {
	struct str id;
	struct str shown; /* links replaced by t.co */
	struct str reply_to;
	struct x_url original[X_URLS_MAX]; /* in the ledger's text */
	struct str short_urls[X_URLS_MAX];
	size_t url_count;
	struct str text; /* as it was sent */
};

struct x_state *x_state(struct sandbox_call *call)
{
	return sandbox_state(call->sandbox, SANDBOX_X);
}

static void start(struct sandbox *sandbox, void *state)
{
	(void)sandbox;
	*(struct x_state *)state = (struct x_state){.user_id = STR("1790000000000000123"),
						    .username = STR("jodoe"),
						    .name = STR("Jo Doe")};
}

/* Milliseconds since X's own epoch above 22 bits of sequence: the form X's ids have had since 2010.
 */
struct str x_next_id(struct sandbox_call *call)
{
	struct x_state *x = x_state(call);
	uint64_t now = (uint64_t)(call->now_us / US_PER_MS - TWITTER_EPOCH_MS) << 22;

	x->last_id = now > x->last_id ? now + sandbox_random_below(call->sandbox, 1 << 12)
				      : x->last_id + 1;
	return sandbox_keep_str(call->sandbox,
				str_format(call->arena, "%llu", (unsigned long long)x->last_id));
}

/* ---- Errors (4) ---- */

void x_fail(struct sandbox_call *call, int status, const char *title, const char *detail,
	    const char *type)
{
	struct json_writer w;

	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "title", str_of(title));
	json_member_str(&w, "detail", str_of(detail));
	json_member_str(&w, "type",
			type == NULL ? STR("about:blank")
				     : str_format(call->arena,
						  "https://api.twitter.com/2/problems/%s", type));
	json_member_int(&w, "status", status);
	json_end_object(&w);
}

static void fail_forbidden(struct sandbox_call *call, const char *detail)
{
	x_fail(call, 403, "Forbidden", detail, NULL);
}

void x_fail_request(struct sandbox_call *call, const char *parameter, struct str value,
		    const char *message)
{
	struct json_writer w;

	sandbox_answer(call, 400, &w);
	json_begin_object(&w);
	json_key(&w, "errors");
	json_begin_array(&w);
	json_begin_object(&w);
	json_key(&w, "parameters");
	json_begin_object(&w);
	json_key(&w, parameter);
	json_begin_array(&w);
	json_put_str(&w, value);
	json_end_array(&w);
	json_end_object(&w);
	json_member_str(&w, "message", str_of(message));
	json_end_object(&w);
	json_end_array(&w);
	json_member_str(&w, "title", STR("Invalid Request"));
	json_member_str(&w, "detail", STR("One or more parameters to your request was invalid."));
	json_member_str(&w, "type", STR("https://api.x.com/2/problems/invalid-request"));
	json_end_object(&w);
}

static void render_token_expired(struct sandbox_call *call)
{
	x_fail(call, 401, "Unauthorized", "Unauthorized", NULL);
}

/* ---- Rate windows (3.3) ---- */

struct window {
	int64_t begin_us;
	int64_t used;
};

static void rate_headers(struct sandbox_call *call, int64_t limit, int64_t remaining,
			 int64_t reset_us)
{
	struct arena *arena = call->arena;

	sandbox_answer_header(call, "x-rate-limit-limit",
			      str_format(arena, "%lld", (long long)limit));
	sandbox_answer_header(call, "x-rate-limit-remaining",
			      str_format(arena, "%lld", (long long)remaining));
	sandbox_answer_header(call, "x-rate-limit-reset",
			      str_format(arena, "%lld", (long long)(reset_us / US_PER_S)));
}

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	x_fail(call, 429, "Too Many Requests", "Too Many Requests", NULL);
	rate_headers(call, CREATE_LIMIT, 0,
		     call->now_us +
			     (retry_after_s > 0 ? retry_after_s : RATE_LIMIT_WAIT_S) * US_PER_S);
}

static bool window_take(struct sandbox_call *call, const char *kind, struct str user_id,
			int64_t limit)
{
	struct window *window = sandbox_object_get(call->sandbox, SANDBOX_X, kind, user_id);

	if (window == NULL) {
		window = sandbox_keep(call->sandbox, sizeof(*window));
		sandbox_object_put(call->sandbox, SANDBOX_X, kind, user_id, window);
	}
	if (call->now_us - window->begin_us >= WINDOW_US)
		*window = (struct window){.begin_us = call->now_us};
	int64_t reset_us = window->begin_us + WINDOW_US;
	if (window->used >= limit) {
		x_fail(call, 429, "Too Many Requests", "Too Many Requests", NULL);
		rate_headers(call, limit, 0, reset_us);
		return false;
	}
	window->used++;
	rate_headers(call, limit, limit - window->used, reset_us);
	return true;
}

static struct sandbox_token *token_of(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_token_find(call->sandbox, SANDBOX_X, sandbox_authorization(call, "Bearer"));

	return token != NULL && token->kind != SANDBOX_TOKEN_REFRESH ? token : NULL;
}

struct sandbox_token *x_user(struct sandbox_call *call, const char *scope, const char *kind,
			     int64_t limit)
{
	struct sandbox_token *token = token_of(call);

	if (token == NULL || !sandbox_token_is_live(call->sandbox, token)) {
		render_token_expired(call);
		return NULL;
	}
	if (token->kind == SANDBOX_TOKEN_APP) {
		x_fail(call, 403, "Unsupported Authentication",
		       "Authenticating with OAuth 2.0 Application-Only is forbidden for this "
		       "endpoint.  Supported "
		       "authentication types are [OAuth 1.0a User Context, OAuth 2.0 User "
		       "Context].",
		       "unsupported-authentication");
		return NULL;
	}
	if (!window_take(call, kind, token->subject, limit))
		return NULL;
	if (!sandbox_scope_has(token->scope, scope)) {
		fail_forbidden(call, "Forbidden");
		return NULL;
	}
	return token;
}

/* ---- Users ---- */

static bool asks_for(struct sandbox_call *call, const char *name)
{
	return sandbox_scope_has(sandbox_query(call, "user.fields"), name);
}

static void answer_user(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct x_state *x = x_state(call);
	struct json_writer w;

	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", x->user_id);
	json_member_str(&w, "name", x->name);
	json_member_str(&w, "username", x->username);
	if (asks_for(call, "profile_image_url"))
		json_member_str(&w, "profile_image_url",
				sandbox_url(call, "pbs.twimg.com",
					    STR("/profile_images/1/jodoe_normal.jpg")));
	if (asks_for(call, "verified"))
		json_member_bool(&w, "verified", false);
	if (asks_for(call, "verified_type"))
		json_member_str(&w, "verified_type", STR("none"));
	if (asks_for(call, "subscription_type"))
		json_member_str(&w, "subscription_type", STR("None"));
	if (asks_for(call, "protected"))
		json_member_bool(&w, "protected", false);
	if (asks_for(call, "confirmed_email") && sandbox_scope_has(token->scope, "users.email"))
		json_member_str(&w, "confirmed_email", STR("jo.doe@example.com"));
	json_end_object(&w);
	json_end_object(&w);
}

static void get_me(struct sandbox_call *call)
{
	struct sandbox_token *token = x_user(call, "users.read", "window_me", ME_LIMIT);

	if (token != NULL)
		answer_user(call, token);
}

static void fail_not_found(struct sandbox_call *call, const char *parameter, struct str id)
{
	struct json_writer w;

	sandbox_answer(call, 404, &w);
	json_begin_object(&w);
	json_member_str(&w, "title", STR("Not Found Error"));
	json_member_str(&w, "detail",
			str_format(call->arena, "Could not find %s with id: [" STR_FMT "].",
				   parameter, STR_ARG(id)));
	json_member_str(&w, "resource_id", id);
	json_member_str(&w, "parameter", STR("id"));
	json_member_str(&w, "resource_type", str_of(parameter));
	json_member_str(&w, "type", STR("https://api.twitter.com/2/problems/resource-not-found"));
	json_member_int(&w, "status", 404);
	json_end_object(&w);
}

static void get_user(struct sandbox_call *call)
{
	struct sandbox_token *token = x_user(call, "users.read", "window_user", TIMELINE_LIMIT);

	if (token == NULL)
		return;
	if (str_equal(sandbox_capture(call, "id"), x_state(call)->user_id))
		answer_user(call, token);
	else
		fail_not_found(call, "user", sandbox_capture(call, "id"));
}

static void get_avatar(struct sandbox_call *call)
{
	sandbox_answer_avatar(call, x_state(call)->name);
}

/* ---- Creating (2.1) ---- */

static const char *const create_members[] = {
	"text",
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
};

/* X's schema allows nothing it does not know. */
static bool check_members(struct sandbox_call *call, const struct json *json)
{
	for (size_t i = 0; i < json->count; i++) {
		bool is_known = false;

		for (size_t j = 0; j < sizeof(create_members) / sizeof(create_members[0]); j++)
			is_known = is_known || str_equal_z(json->keys[i], create_members[j]);
		if (!is_known) {
			x_fail_request(call, "$", json->keys[i],
				       "is not defined in the schema and the schema does not allow "
				       "additional properties");
			return false;
		}
	}
	return true;
}

static bool check_exclusive(struct sandbox_call *call, const struct json *json)
{
	static const char *const kinds[] = {"media", "poll", "quote_tweet_id", "card_uri",
					    "direct_message_deep_link"};
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		count += json_is_null(json_get(json, kinds[i])) ? 0 : 1;
	if (count <= 1)
		return true;
	x_fail_request(call, "$", STR("media"),
		       "You can only provide one of media, poll, quote_tweet_id, card_uri or "
		       "direct_message_deep_link.");
	return false;
}

static bool check_poll(struct sandbox_call *call, const struct json *poll)
{
	const struct json *options = json_get(poll, "options");
	int64_t minutes = json_int(json_get(poll, "duration_minutes"), 0);
	bool is_good = json_is(options, JSON_TYPE_ARRAY) && options->count >= 2 &&
		       options->count <= 4 && minutes >= 5 && minutes <= 10080;

	if (json_is_null(poll))
		return true;
	for (size_t i = 0; is_good && i < options->count; i++) {
		size_t chars = utf8_code_points(json_string(&options->items[i]));

		is_good = chars >= 1 && chars <= 25;
	}
	if (!is_good)
		x_fail_request(call, "poll", STR("poll"),
			       "The poll needs 2 to 4 options of 1 to 25 characters and 5 to "
			       "10080 minutes.");
	return is_good;
}

static bool check_reply_settings(struct sandbox_call *call, const struct json *json)
{
	static const char *const words[] = {"following", "mentionedUsers", "subscribers",
					    "verified"};
	struct str given = json_string(json_get(json, "reply_settings"));

	if (json_is_null(json_get(json, "reply_settings")))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_equal_z(given, words[i]))
			return true;
	}
	x_fail_request(call, "reply_settings", given,
		       "is not one of [following,mentionedUsers,subscribers,verified]");
	return false;
}

/* Up to 4 pictures, or one GIF, or one video; each finished and this user's. */
static bool read_media(struct sandbox_call *call, const struct json *json,
		       struct sandbox_media *media, size_t *count_out)
{
	const struct json *ids = json_get(json_get(json, "media"), "media_ids");
	size_t alone = 0;

	*count_out = 0;
	if (json_is_null(json_get(json, "media")))
		return true;
	if (!json_is(ids, JSON_TYPE_ARRAY) || ids->count == 0) {
		x_fail_request(call, "media.media_ids", STR(""), "Your media IDs are invalid.");
		return false;
	}
	if (ids->count > MEDIA_MAX) {
		fail_forbidden(call, "You may attach a maximum of 4 items to a Tweet.");
		return false;
	}
	for (size_t i = 0; i < ids->count; i++) {
		struct x_media *one = x_media_find(call, json_string(&ids->items[i]));

		if (one == NULL) {
			x_fail_request(call, "media.media_ids",
				       json_text(call->arena, &ids->items[i]),
				       "Your media IDs are invalid.");
			return false;
		}
		alone += one->kind == X_MEDIA_IMAGE ? 0 : 1;
		media[i] = one->media;
	}
	*count_out = ids->count;
	if (alone > 0 && ids->count > 1)
		fail_forbidden(call, "You are not permitted to perform this action.");
	return alone == 0 || ids->count == 1;
}

static bool check_text(struct sandbox_call *call, struct str text, size_t media_count)
{
	if (text.len == 0 && media_count == 0) {
		x_fail_request(call, "text", STR(""), "Text is required when no media is given.");
		return false;
	}
	if (!x_text_is_allowed(text) || x_text_weight(call->arena, text) > X_TEXT_WEIGHT_MAX) {
		fail_forbidden(call, "You are not permitted to perform this action.");
		return false;
	}
	if (x_text_cashtags(text) > 1) {
		fail_forbidden(call, "A Tweet may hold a maximum of one cashtag.");
		return false;
	}
	return true;
}

/* One's own posts may be answered; strangers' only when they called (0). All posts here are the
 * user's own. */
static bool check_reply(struct sandbox_call *call, struct str parent)
{
	const struct sandbox_post *post;
	uint64_t number;

	if (parent.ptr == NULL)
		return true;
	post = sandbox_ledger_find(call->sandbox, SANDBOX_X, parent);
	if (post != NULL)
		return true;
	if (!str_parse_u64(parent, &number))
		x_fail_request(call, "reply.in_reply_to_tweet_id", parent,
			       "is not a valid Tweet ID.");
	else if (sandbox_object_get(call->sandbox, SANDBOX_X, "post", parent) != NULL)
		x_fail_request(
			call, "reply.in_reply_to_tweet_id", parent,
			"You attempted to reply to a Tweet that is deleted or not visible to you.");
	else
		fail_forbidden(call, "You can only reply to or quote posts where you are mentioned "
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

/* The same words of the same account, whatever hangs on them (5). */
static bool is_duplicate(struct sandbox_call *call, struct str user_id, struct str text)
{
	const struct x_post *old =
		sandbox_object_get(call->sandbox, SANDBOX_X, "text", text_key(call, user_id, text));
	const struct sandbox_post *post =
		old != NULL ? sandbox_ledger_find(call->sandbox, SANDBOX_X, old->id) : NULL;

	return text.len > 0 && post != NULL &&
	       call->now_us - post->created_us < DUPLICATE_WINDOW_US;
}

/* Links become t.co links, and media hangs another one at the end. */
static void shorten(struct sandbox_call *call, struct x_post *post, size_t media_count)
{
	struct buf shown;
	size_t at = 0;

	post->url_count = x_text_urls(post->text, post->original, X_URLS_MAX);
	buf_init(&shown, call->arena, 1 << 20);
	for (size_t i = 0; i < post->url_count; i++) {
		post->short_urls[i] = sandbox_id_text(call->sandbox, "https://t.co/", 10);
		buf_add(&shown, str_slice(post->text, at, post->original[i].begin));
		buf_add(&shown, post->short_urls[i]);
		at = post->original[i].end;
	}
	buf_add(&shown, str_slice(post->text, at, post->text.len));
	if (media_count > 0) {
		buf_add_z(&shown, post->text.len > 0 ? " " : "");
		buf_add(&shown, sandbox_id_text(call->sandbox, "https://t.co/", 10));
	}
	post->shown = sandbox_keep_str(call->sandbox, buf_str(&shown));
}

static const struct x_post *create(struct sandbox_call *call, const struct sandbox_token *token,
				   struct str text, struct str parent,
				   const struct sandbox_media *media, size_t media_count)
{
	struct x_post *post = sandbox_keep(call->sandbox, sizeof(*post));

	post->id = x_next_id(call);
	post->text = sandbox_keep_str(call->sandbox, text);
	post->reply_to =
		parent.ptr != NULL ? sandbox_keep_str(call->sandbox, parent) : (struct str){0};
	shorten(call, post, media_count);
	sandbox_object_put(call->sandbox, SANDBOX_X, "post", post->id, post);
	sandbox_object_put(call->sandbox, SANDBOX_X, "text", text_key(call, token->subject, text),
			   post);
	sandbox_ledger_add(
		call->sandbox,
		&(struct sandbox_post){
			.platform = SANDBOX_X,
			.account_id = token->subject,
			.id = post->id,
			.type = parent.ptr != NULL ? STR("reply") : STR("post"),
			.text = post->text,
			.media = media,
			.media_count = media_count,
			.reply_to = post->reply_to,
			.url = str_format(call->arena, "https://x.com/" STR_FMT "/status/" STR_FMT,
					  STR_ARG(x_state(call)->username), STR_ARG(post->id)),
			.extra = post,
		});
	return post;
}

/* & < > come back as HTML writes them (5). */
static struct str escaped(struct arena *arena, struct str text)
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

static void post_tweet(struct sandbox_call *call)
{
	struct sandbox_token *token = x_user(call, "tweet.write", "window_create", CREATE_LIMIT);
	const struct json *json = sandbox_json(call);
	struct sandbox_media media[MEDIA_MAX];
	size_t media_count;
	struct json_writer w;

	if (token == NULL)
		return;
	if (!json_is(json, JSON_TYPE_OBJECT)) {
		x_fail_request(call, "$", STR(""), "The body is not a JSON object.");
		return;
	}
	struct str text = json_string(json_get(json, "text"));
	struct str parent = json_string(json_get(json_get(json, "reply"), "in_reply_to_tweet_id"));
	if (!check_members(call, json) || !check_exclusive(call, json) ||
	    !check_poll(call, json_get(json, "poll")) || !check_reply_settings(call, json) ||
	    !read_media(call, json, media, &media_count) || !check_text(call, text, media_count) ||
	    !check_reply(call, parent))
		return;
	if (!json_is_null(json_get(json, "quote_tweet_id"))) {
		fail_forbidden(call, "Your account is not permitted to access this feature.");
		return;
	}
	if (is_duplicate(call, token->subject, text)) {
		fail_forbidden(call,
			       "You are not allowed to create a Tweet with duplicate content.");
		return;
	}
	const struct x_post *post = create(call, token, text, parent, media, media_count);
	sandbox_answer(call, 201, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", post->id);
	json_member_str(&w, "text", escaped(call->arena, post->shown));
	json_key(&w, "edit_history_tweet_ids");
	json_begin_array(&w);
	json_put_str(&w, post->id);
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

/* ---- Reading (2.7) ---- */

static bool wants(struct sandbox_call *call, const char *field)
{
	return sandbox_scope_has(sandbox_query(call, "tweet.fields"), field);
}

/* start and end are code points of the shown text. */
static void write_urls(struct sandbox_call *call, struct json_writer *w, const struct x_post *post)
{
	size_t from = 0;

	json_key(w, "entities");
	json_begin_object(w);
	json_key(w, "urls");
	json_begin_array(w);
	for (size_t i = 0; i < post->url_count; i++) {
		struct str expanded =
			str_slice(post->text, post->original[i].begin, post->original[i].end);
		size_t at = str_find(post->shown, post->short_urls[i], from);

		if (str_find(expanded, STR("://"), 0) == SIZE_MAX)
			expanded = str_concat(call->arena, STR("http://"), expanded);
		json_begin_object(w);
		json_member_int(w, "start",
				(int64_t)utf8_code_points(str_slice(post->shown, 0, at)));
		from = at + post->short_urls[i].len;
		json_member_int(w, "end",
				(int64_t)utf8_code_points(str_slice(post->shown, 0, from)));
		json_member_str(w, "url", post->short_urls[i]);
		json_member_str(w, "expanded_url", expanded);
		json_member_str(
			w, "display_url",
			str_slice(post->text, post->original[i].begin, post->original[i].end));
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

static void write_reference(struct json_writer *w, struct str id)
{
	json_key(w, "referenced_tweets");
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
	json_member_str(w, "text", escaped(call->arena, post->shown));
	json_key(w, "edit_history_tweet_ids");
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
	if (wants(call, "author_id"))
		json_member_str(w, "author_id", seen->account_id);
	if (wants(call, "entities") && post->url_count > 0)
		write_urls(call, w, post);
	if (wants(call, "referenced_tweets") && post->reply_to.len > 0)
		write_reference(w, post->reply_to);
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
	struct str text = sandbox_query(call, name);

	if (text.ptr == NULL || timetext_parse_instant(text, us))
		return true;
	x_fail_request(call, name, text, "is not a valid RFC 3339 date-time.");
	return false;
}

static bool read_id(struct sandbox_call *call, const char *name, uint64_t *id)
{
	struct str text = sandbox_query(call, name);

	if (text.ptr == NULL || str_parse_u64(text, id))
		return true;
	x_fail_request(call, name, text, "is not a valid Tweet ID.");
	return false;
}

static bool read_timeline(struct sandbox_call *call, struct timeline *timeline)
{
	*timeline = (struct timeline){.max_results = sandbox_param_int(call, "max_results", 10),
				      .end_us = INT64_MAX,
				      .until_id = UINT64_MAX};
	timeline->has_no_replies = sandbox_scope_has(sandbox_query(call, "exclude"), "replies");
	if (timeline->max_results < 5 || timeline->max_results > 100) {
		x_fail_request(call, "max_results", sandbox_query(call, "max_results"),
			       "is not between 5 and 100");
		return false;
	}
	return read_instant(call, "start_time", &timeline->start_us) &&
	       read_instant(call, "end_time", &timeline->end_us) &&
	       read_id(call, "since_id", &timeline->since_id) &&
	       read_id(call, "until_id", &timeline->until_id) &&
	       read_id(call, "pagination_token", &timeline->until_id);
}

static bool in_timeline(const struct timeline *timeline, const struct sandbox_post *post)
{
	uint64_t id = 0;

	str_parse_u64(post->id, &id);
	return !post->is_deleted && post->created_us >= timeline->start_us &&
	       post->created_us < timeline->end_us && id > timeline->since_id &&
	       id < timeline->until_id && !(timeline->has_no_replies && post->reply_to.len > 0);
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

static void get_timeline(struct sandbox_call *call)
{
	struct str id = sandbox_capture(call, "id");
	struct timeline timeline;
	struct str newest = {0};
	struct str oldest = {0};
	struct json_writer w;
	int64_t count = 0;
	bool has_more = false;

	if (x_user(call, "tweet.read", "window_timeline", TIMELINE_LIMIT) == NULL ||
	    !read_timeline(call, &timeline))
		return;
	if (!str_equal(id, x_state(call)->user_id)) {
		fail_not_found(call, "user", id);
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	for (const struct sandbox_post *post = sandbox_ledger_newest(call->sandbox, SANDBOX_X, id);
	     post != NULL && !has_more; post = post->older) {
		if (!in_timeline(&timeline, post))
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

static void get_tweet(struct sandbox_call *call)
{
	const struct sandbox_post *post =
		sandbox_ledger_find(call->sandbox, SANDBOX_X, sandbox_capture(call, "id"));
	struct json_writer w;

	if (x_user(call, "tweet.read", "window_tweet", TIMELINE_LIMIT) == NULL)
		return;
	if (post == NULL) {
		fail_not_found(call, "tweet", sandbox_capture(call, "id"));
		return;
	}
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
	json_member_str(w, "type", STR("https://api.twitter.com/2/problems/resource-not-found"));
	json_end_object(w);
}

/* Found ones under data, missing ones under errors; each list only when it has something. */
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

static void get_tweets(struct sandbox_call *call)
{
	struct str list = sandbox_query(call, "ids");
	struct str ids[LOOKUP_MAX];
	struct json_writer w;
	size_t count = 0;

	if (x_user(call, "tweet.read", "window_tweets", TIMELINE_LIMIT) == NULL)
		return;
	while (list.len > 0 && count < LOOKUP_MAX && str_take_field(&list, ',', &ids[count]))
		count++;
	if (count == 0 || list.len > 0) {
		x_fail_request(call, "ids", sandbox_query(call, "ids"),
			       "The number of ids is not between 1 and 100");
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	write_lookup(call, &w, ids, count, true);
	write_lookup(call, &w, ids, count, false);
	json_end_object(&w);
}

static void delete_tweet(struct sandbox_call *call)
{
	struct sandbox_post *post =
		sandbox_ledger_find(call->sandbox, SANDBOX_X, sandbox_capture(call, "id"));

	if (x_user(call, "tweet.write", "window_delete", DELETE_LIMIT) == NULL)
		return;
	if (post != NULL)
		sandbox_ledger_delete(call->sandbox, post);
	sandbox_answer_json(call, 200,
			    post != NULL ? "{\"data\":{\"deleted\":true}}"
					 : "{\"data\":{\"deleted\":false}}");
}

/* A post's public address leads to it on the page of GET /. */
static void get_status_page(struct sandbox_call *call)
{
	struct str id = sandbox_capture(call, "id");

	if (sandbox_ledger_find(call->sandbox, SANDBOX_X, id) == NULL)
		sandbox_error_page(call, 404, "Hmm...this page does not exist",
				   STR("Try searching for something else."));
	else
		sandbox_redirect(call,
				 str_format(call->arena, STR_FMT "/#x-" STR_FMT,
					    STR_ARG(call->base_url), STR_ARG(id)),
				 NULL, 0);
}

static const struct sandbox_route x_routes[] = {
	{"GET", "/x.com/i/oauth2/authorize", x_authorize, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/oauth2/authorize", x_authorize, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/oauth2/token", x_token, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/oauth2/revoke", x_revoke, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/oauth2/token", x_app_token, HTTP_BODY_MEMORY, 0},
	{"GET", "/" X_API "/2/users/me", get_me, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/users/{id}", get_user, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/users/{id}/tweets", get_timeline, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/tweets", post_tweet, HTTP_BODY_MEMORY, 0},
	{"GET", "/" X_API "/2/tweets", get_tweets, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/tweets/{id}", get_tweet, HTTP_BODY_NONE, 0},
	{"DELETE", "/" X_API "/2/tweets/{id}", delete_tweet, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/media/upload", x_media_simple, HTTP_BODY_MEMORY, X_SIMPLE_MAX_BYTES},
	{"GET", "/" X_API "/2/media/upload", x_media_status, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/media/upload/initialize", x_media_initialize, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/media/upload/{id}/append", x_media_append, HTTP_BODY_MEMORY,
	 X_APPEND_MAX_BYTES},
	{"POST", "/" X_API "/2/media/upload/{id}/finalize", x_media_finalize, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/media/metadata", x_media_metadata, HTTP_BODY_MEMORY, 0},
	{"GET", "/x.com/{user}/status/{id}", get_status_page, HTTP_BODY_NONE, 0},
	{"GET", "/pbs.twimg.com/{*rest}", get_avatar, HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_x = {
	.platform = SANDBOX_X,
	.routes = x_routes,
	.route_count = sizeof(x_routes) / sizeof(x_routes[0]),
	.state_size_bytes = sizeof(struct x_state),
	.start = start,
	.token_of = token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = render_token_expired,
};
