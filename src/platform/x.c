/* SPDX-License-Identifier: Apache-2.0
 * X, API v2, OAuth 2.0 with PKCE (platforms/x.md). A post is one call; every further container is a
 * reply to the one before. X has no idempotency key and reads cost money: a create call in doubt is
 * looked up in the account's own timeline, and what is not found there stays unknown. */
#include <stdlib.h>
#include <utf8proc.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "timetext.h"

#include "base64.h"
#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "adapters.h"
#include "look.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

#define X_API "https://api.x.com"
#define X_BODY_MAX_BYTES (256 * 1024)
#define X_MESSAGE_MAX_BYTES 500
#define X_RATE_WAIT_MIN_MS 60000        /* x.md section 4, 429 */
#define X_LOOK_BACK_US (5 * US_PER_S)   /* x.md section 5: attempt start - 5 s */
#define X_LOOK_AFTER_US (10 * US_PER_S) /* x.md section 5: after 10 to 20 s */

/* ---- what X allows (x.md sections 3 and 6) ---- */

static const struct oauth_profile x_oauth = {
	.authorize_url = "https://x.com/i/oauth2/authorize",
	.client_id_name = "client_id",
	.scopes = {"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"},
	.scope_separator = " ",
	.pkce = PKCE_S256_BASE64URL,
	.denied_errors = {"access_denied"},
};

static const struct type_rule x_types[] = {
	{.type = POST_TYPE_POST, .text_required = true, .summary = "A post of text."},
	{.type = POST_TYPE_NONE},
};

/* How an option goes into the body of POST /2/tweets: under its own name, or inside another object.
 */
struct x_option {
	const char *name;
	const char *parent; /* NULL = at the top */
	const char *member; /* NULL = the option's own name */
};

static const struct x_option x_placements[] = {
	{"community_id", NULL, NULL},
	{"share_with_followers", NULL, NULL},
	{"poll", NULL, NULL},
	{"quote_tweet_id", NULL, NULL},
	{"made_with_ai", NULL, NULL},
	{"paid_partnership", NULL, NULL},
	{"for_super_followers_only", NULL, NULL},
	{"nullcast", NULL, NULL},
	{"card_uri", NULL, NULL},
	{"direct_message_deep_link", NULL, NULL},
	{"reply_settings", NULL, NULL},
	{"geo_place_id", "geo", "place_id"},
	{"in_reply_to_tweet_id", "reply", "in_reply_to_tweet_id"},
	{"exclude_reply_user_ids", "reply", "exclude_reply_user_ids"},
};

static const struct option_rule x_options[] = {
	{"reply_settings", OPTION_ENUM, 0, "everyone|following|mentionedUsers|subscribers|verified",
	 "Who may reply."},
	{"community_id", OPTION_STRING, 0, NULL, "A community, by id or by its address."},
	{"share_with_followers", OPTION_BOOL, 0, NULL, "Show a community post to followers too."},
	{"poll", OPTION_OBJECT, 0, NULL, "{options: 2 to 4 texts, duration_minutes: 5 to 10080}."},
	{"quote_tweet_id", OPTION_STRING, 0, NULL, "Quote this post; Enterprise apps only."},
	{"in_reply_to_tweet_id", OPTION_STRING, 0, NULL, "Answer this post."},
	{"exclude_reply_user_ids", OPTION_STRING_LIST, 0, NULL, "Leave these out of the answer."},
	{"made_with_ai", OPTION_BOOL, 0, NULL, "Say that it is machine-made."},
	{"paid_partnership", OPTION_BOOL, 0, NULL, "Say that it is paid for."},
	{"for_super_followers_only", OPTION_BOOL, 0, NULL, "For super followers only."},
	{"nullcast", OPTION_BOOL, 0, NULL, "Keep it out of the public timeline."},
	{"geo_place_id", OPTION_STRING, 0, NULL, "A place."},
	{"card_uri", OPTION_STRING, 0, NULL, "A card."},
	{"direct_message_deep_link", OPTION_STRING, 0, NULL, "A link into a direct message."},
	{.name = NULL},
};

static void x_check(const struct post_content *post, enum post_type type, struct str account_id,
		    struct problems *problems);

static const struct post_rules x_rules = {
	.types = x_types,
	.text_unit = TEXT_X_WEIGHTED,
	.text_max = 280,
	.comment_text_max = 280,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.options = x_options,
	.check = x_check,
};

#define X_POLL_FIELD "platforms.x.poll"

static void x_refuse(struct problems *problems, struct str account_id, struct str field,
		     const char *reason, int64_t limit, int64_t actual, const char *message)
{
	problem_add_rule(problems, field, reason, account_id, limit, actual, str_of(message));
}

static bool x_poll_options_fit(const struct json *options)
{
	for (size_t i = 0; i < options->count; i++) {
		const size_t length = utf8_code_points(json_string(&options->items[i]));
		if (length < 1 || length > 25)
			return false;
	}
	return options->count >= 2 && options->count <= 4;
}

static void x_check_poll(const struct json *poll, struct str account_id, struct problems *problems)
{
	const struct json *options = json_get(poll, "options");
	const int64_t minutes = json_int(json_get(poll, "duration_minutes"), 0);
	if (!json_is(options, JSON_TYPE_ARRAY) || !x_poll_options_fit(options))
		x_refuse(problems, account_id, STR(X_POLL_FIELD), "bad_poll", -1, -1,
			 "A poll has 2 to 4 options of 1 to 25 characters.");
	if (minutes < 5 || minutes > 10080)
		x_refuse(problems, account_id, STR(X_POLL_FIELD), "bad_poll", 10080, minutes,
			 "A poll runs for 5 to 10080 minutes (duration_minutes).");
}

/* X takes one of these at most (x.md 2.1). */
static void x_check_exclusive(const struct json *options, struct str account_id,
			      struct problems *problems)
{
	static const char *const names[] = {"poll", "quote_tweet_id", "card_uri",
					    "direct_message_deep_link"};
	int count = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		count += !json_is_null(json_get(options, names[i]));
	if (count > 1)
		x_refuse(problems, account_id, STR("platforms.x"), "exclusive_options", 1, count,
			 "X takes only one of poll, quote_tweet_id, card_uri and "
			 "direct_message_deep_link.");
}

static bool is_ascii_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* $SYMBOL at the start or behind a blank. */
static int64_t x_cashtags(struct str text)
{
	int64_t count = 0;
	for (size_t i = 0; i + 1 < text.len; i++) {
		const bool is_start = i == 0 || text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\n';
		count += is_start && text.ptr[i] == '$' && is_ascii_letter(text.ptr[i + 1]);
	}
	return count;
}

static bool x_has_forbidden_character(struct str text)
{
	uint32_t c = 0;
	while (utf8_take(&text, &c)) {
		if (c == 0xFFFE || c == 0xFEFF || c == 0xFFFF)
			return true;
	}
	return false;
}

static void x_check_container(const struct post_content *post, size_t container,
			      struct str account_id, struct problems *problems)
{
	const struct str text = post->containers[container].content;
	const struct str field = rules_field(problems->arena, post, container, "content");
	if (x_cashtags(text) > 1)
		x_refuse(problems, account_id, field, "too_many_cashtags", 1, x_cashtags(text),
			 "X takes at most one cashtag in a post.");
	if (x_has_forbidden_character(text))
		x_refuse(problems, account_id, field, "forbidden_character", -1, -1,
			 "X does not take U+FEFF, U+FFFE and U+FFFF.");
}

static void x_check(const struct post_content *post, enum post_type type, struct str account_id,
		    struct problems *problems)
{
	(void)type;
	const struct json *options = rules_options(post, PLATFORM_X);
	const struct json *poll = json_get(options, "poll");
	if (json_is(poll, JSON_TYPE_OBJECT))
		x_check_poll(poll, account_id, problems);
	x_check_exclusive(options, account_id, problems);
	for (size_t i = 0; i < post->container_count; i++)
		x_check_container(post, i, account_id, problems);
	if (!json_is_null(json_get(options, "exclude_reply_user_ids")) &&
	    json_is_null(json_get(options, "in_reply_to_tweet_id")))
		warning_add(problems, STR("platforms.x.exclude_reply_user_ids"), "ignored",
			    STR("This goes only with in_reply_to_tweet_id; it was ignored."));
	if (!json_is_null(json_get(options, "quote_tweet_id")))
		warning_add(problems, STR("platforms.x.quote_tweet_id"), "needs_enterprise",
			    STR("X lets only apps of its Enterprise plan quote a post."));
}

/* ---- errors (x.md section 4) ---- */

/* First row that fits. Order of decision: HTTP status, last part of the type, a part of the words.
 */
struct x_error_row {
	int status;
	const char *type_tail; /* NULL = any */
	const char *words;     /* NULL = any */
	enum failure_class class;
	enum failure_code code;
	const char *message;
};

#define PERMANENT FAILURE_PERMANENT
#define CODE(name) FAILURE_CODE_##name

static const struct x_error_row x_errors[] = {
	{400, NULL, "media IDs are invalid", PERMANENT, CODE(MEDIA_REJECTED),
	 "X does not know the uploaded media."},
	{400, NULL, NULL, PERMANENT, CODE(CONTENT_REJECTED), "X refused the form of the post."},
	{401, NULL, NULL, FAILURE_TOKEN, CODE(ACCOUNT_REAUTH_REQUIRED),
	 "X refused the access token."},
	{402, NULL, NULL, FAILURE_APP, CODE(QUOTA_EXHAUSTED), "The app has no credits left at X."},
	{403, "unsupported-authentication", NULL, FAILURE_REAUTH, CODE(ACCOUNT_REAUTH_REQUIRED),
	 "X does not take this kind of access token here."},
	{403, "client-forbidden", NULL, FAILURE_APP, CODE(PERMISSION_MISSING),
	 "The app's plan at X does not allow this."},
	{403, "oauth1-permissions", NULL, FAILURE_APP, CODE(PERMISSION_MISSING),
	 "The app may only read at X."},
	{403, "user-suspended", NULL, PERMANENT, CODE(PERMISSION_MISSING),
	 "X has suspended the account."},
	{403, NULL, "duplicate content", PERMANENT, CODE(DUPLICATE_CONTENT),
	 "X says that this was posted already."},
	{403, NULL, "where you are mentioned", PERMANENT, CODE(PLATFORM_REJECTED),
	 "X lets apps answer only where the account was mentioned."},
	{403, NULL, "Reply to this conversation is not allowed", PERMANENT, CODE(PLATFORM_REJECTED),
	 "X does not allow an answer there."},
	{403, NULL, "permitted to access this feature", PERMANENT, CODE(PERMISSION_MISSING),
	 "X does not let the account use this."},
	{403, NULL, "permitted to perform this action", PERMANENT, CODE(CONTENT_REJECTED),
	 "X refused the post; most often the text is too long."},
	{403, NULL, "video longer than", PERMANENT, CODE(MEDIA_REJECTED),
	 "The video is too long for the account."},
	{403, NULL, "maximum of 4 items", PERMANENT, CODE(MEDIA_REJECTED),
	 "X takes at most 4 media items."},
	{403, NULL, "maximum of one cashtag", PERMANENT, CODE(CONTENT_REJECTED),
	 "X takes at most one cashtag."},
	{403, NULL, "invalid URL", PERMANENT, CODE(CONTENT_REJECTED),
	 "X refused an address in the text."},
	{403, NULL, "Authenticating with Unknown", FAILURE_TRANSIENT, CODE(PLATFORM_UNAVAILABLE),
	 "X did not recognise its own access token."},
	{403, NULL, "suspended", PERMANENT, CODE(PERMISSION_MISSING),
	 "X has suspended the account."},
	{403, NULL, "locked", PERMANENT, CODE(PERMISSION_MISSING), "X has locked the account."},
	{403, NULL, NULL, PERMANENT, CODE(PLATFORM_REJECTED), "X refused the post."},
	{404, NULL, NULL, PERMANENT, CODE(PLATFORM_REJECTED),
	 "X does not find what this refers to."},
	{429, "usage-capped", NULL, FAILURE_APP, CODE(QUOTA_EXHAUSTED),
	 "The app's usage cap at X is reached."},
	{429, NULL, NULL, FAILURE_RATE_LIMITED, CODE(RATE_LIMITED), "X asked to slow down."},
};

static const struct x_error_row x_error_other = {
	0, NULL, NULL, PERMANENT, CODE(PLATFORM_REJECTED), "X refused the call."};

/* What X said, from both of its envelopes. */
struct x_problem {
	struct str type_tail;
	struct str words; /* detail, message or title */
	struct str code;
};

static struct str first_of(struct str a, struct str b)
{
	return !str_is_empty(a) ? a : b;
}

static struct str last_segment(struct str path)
{
	size_t start = path.len;
	while (start > 0 && path.ptr[start - 1] != '/')
		start--;
	return str_slice(path, start, path.len);
}

static struct x_problem x_problem_read(const struct env *env, const struct json *json)
{
	const struct json *first = json_at(json_get(json, "errors"), 0);
	const struct str type =
		first_of(json_string(json_get(json, "type")), json_string(json_get(first, "type")));
	const struct str said = first_of(json_string(json_get(first, "message")),
					 json_string(json_get(json, "detail")));
	struct x_problem problem = {
		.type_tail =
			str_equal_z(type, "about:blank") ? (struct str){0} : last_segment(type),
		.words = first_of(said, json_string(json_get(json, "title"))),
	};
	problem.code = first_of(problem.type_tail, json_text(env->arena, json_get(first, "code")));
	return problem;
}

static bool x_row_fits(const struct x_error_row *row, int status, const struct x_problem *problem)
{
	return row->status == status &&
	       (row->type_tail == NULL || str_equal_z(problem->type_tail, row->type_tail)) &&
	       (row->words == NULL || str_find(problem->words, str_of(row->words), 0) != SIZE_MAX);
}

static const struct x_error_row *x_row_find(int status, const struct x_problem *problem)
{
	for (size_t i = 0; i < sizeof(x_errors) / sizeof(x_errors[0]); i++) {
		if (x_row_fits(&x_errors[i], status, problem))
			return &x_errors[i];
	}
	return &x_error_other;
}

/* Milliseconds until the instant that a header names in seconds since 1970, when its counter stands
 * at 0. */
static int64_t x_wait_for(const struct env *env, const struct reply *reply,
			  const char *remaining_name, const char *reset_name)
{
	int64_t reset_s = 0;
	const struct str remaining = reply_header(reply, remaining_name);
	if (!str_is_empty(remaining) && !str_equal_z(remaining, "0"))
		return 0;
	if (!str_parse_i64(reply_header(reply, reset_name), &reset_s) || reset_s < 0 ||
	    reset_s > INT64_MAX / US_PER_S)
		return 0;
	const int64_t wait_ms = (reset_s * US_PER_S - env->now_us) / US_PER_MS;
	return wait_ms < US_PER_DAY / US_PER_MS ? wait_ms : US_PER_DAY / US_PER_MS;
}

/* The latest of the windows that are used up (x.md 3.3). */
static int64_t x_retry_after_ms(const struct env *env, const struct reply *reply)
{
	static const char *const windows[][2] = {
		{"x-rate-limit-remaining", "x-rate-limit-reset"},
		{"x-user-limit-24hour-remaining", "x-user-limit-24hour-reset"},
		{"x-app-limit-24hour-remaining", "x-app-limit-24hour-reset"},
	};
	int64_t latest_ms = X_RATE_WAIT_MIN_MS;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		const int64_t wait_ms = x_wait_for(env, reply, windows[i][0], windows[i][1]);
		latest_ms = wait_ms > latest_ms ? wait_ms : latest_ms;
	}
	return latest_ms;
}

static void x_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return;
	const struct x_problem problem = x_problem_read(env, reply->json);
	const struct x_error_row *row = x_row_find(reply->status, &problem);
	struct failure *failure = step_fail(step, row->class, row->code, str_of(row->message));
	failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	failure->platform_code = problem.code;
	failure->platform_message = utf8_cut_bytes(problem.words, X_MESSAGE_MAX_BYTES);
	if (row->class == FAILURE_RATE_LIMITED)
		failure->retry_after_ms = x_retry_after_ms(env, reply);
}

/* ---- tokens (x.md 1.3, 1.4, 1.7) ---- */

static void x_token_call(const struct env *env, struct step *step, struct str form)
{
	const struct str pair =
		str_format(env->arena, STR_FMT ":" STR_FMT, STR_ARG(str_trim(env->client_id)),
			   STR_ARG(str_trim(env->client_secret)));
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(X_API "/2/oauth2/token"));
	call_header(call, "Authorization",
		    str_concat(env->arena, STR("Basic "), base64_encode(env->arena, pair)));
	call_form(call, form);
	call->needs_fresh_connection = true; /* codes and refresh tokens work once */
}

static bool x_is_app_refused(const struct reply *reply)
{
	const struct str error = json_string(json_get(reply->json, "error"));
	return str_equal_z(error, "unauthorized_client") || str_equal_z(error, "invalid_client");
}

/* The token endpoint said no. What it means depends on what was asked: class and code for a refused
 * code or refresh token. */
static void x_token_fail(const struct env *env, const struct reply *reply, enum failure_class class,
			 enum failure_code code, const char *message, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return;
	if (reply->status == 429) {
		x_fail(env, reply, step);
		return;
	}
	struct failure *failure =
		x_is_app_refused(reply)
			? step_fail(step, FAILURE_APP, CODE(APP_CREDENTIALS_INVALID),
				    STR("X refused the app's credentials."))
			: step_fail(step, class, code, str_of(message));
	const struct str words = json_string(json_get(reply->json, "error_description"));
	failure->connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
	failure->platform_code = json_string(json_get(reply->json, "error"));
	failure->platform_message = utf8_cut_bytes(words, X_MESSAGE_MAX_BYTES);
}

static int64_t x_expires_at_us(const struct env *env, const struct json *json)
{
	const int64_t seconds = json_int(json_get(json, "expires_in"), 0);
	return seconds > 0 && seconds < 10 * 365 * 86400 ? env->now_us + seconds * US_PER_S : 0;
}

/* ---- verify: a refresh token that cannot be; the answer tells whether the app was known ---- */

static const char *x_verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	buf_init(&form, env->arena, X_BODY_MAX_BYTES);
	form_add(&form, "grant_type", STR("refresh_token"));
	form_add(&form, "refresh_token", STR("posthorn-credential-check"));
	form_add(&form, "client_id", str_trim(env->client_id));
	x_token_call(env, step, buf_str(&form));
	return NULL;
}

static const char *x_verify_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	(void)flow;
	const struct str error = json_string(json_get(reply->json, "error"));
	const bool is_good =
		reply->outcome == REPLY_ANSWERED && reply->status == 400 &&
		(str_equal_z(error, "invalid_request") || str_equal_z(error, "invalid_grant"));
	if (is_good)
		step_done(step);
	else
		x_token_fail(env, reply, PERMANENT, CODE(PLATFORM_REJECTED),
			     "X gave an answer that tells nothing.", step);
	return NULL;
}

static const struct stage x_verify_stages[] = {
	{"probe", x_verify_ask, x_verify_answer},
	{.name = NULL},
};

/* ---- connect: code -> tokens -> the account ---- */

static const char *x_token_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	buf_init(&form, env->arena, X_BODY_MAX_BYTES);
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", env->code);
	form_add(&form, "redirect_uri", env->redirect_uri);
	form_add(&form, "code_verifier", env->pkce_verifier);
	form_add(&form, "client_id", str_trim(env->client_id));
	x_token_call(env, step, buf_str(&form));
	return NULL;
}

static bool x_scope_has(struct str granted, const char *scope)
{
	struct str one;
	while (str_take_field(&granted, ' ', &one)) {
		if (str_equal_z(one, scope))
			return true;
	}
	return false;
}

static struct str x_missing_scopes(const struct env *env, struct str granted)
{
	struct buf missing;
	buf_init(&missing, env->arena, 1024);
	for (const char *const *scope = x_oauth.scopes; *scope != NULL; scope++) {
		if (x_scope_has(granted, *scope))
			continue;
		buf_add_z(&missing, missing.len > 0 ? ", " : "");
		buf_add_z(&missing, *scope);
	}
	return buf_str(&missing);
}

static const char *x_token_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str access_token = json_string(json_get(reply->json, "access_token"));
	const struct str scope = json_string(json_get(reply->json, "scope"));
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200 ||
	    str_is_empty(access_token)) {
		x_token_fail(env, reply, PERMANENT, CODE(PLATFORM_REJECTED),
			     "X refused the authorization code.", step);
		return NULL;
	}
	const struct str missing = x_missing_scopes(env, scope);
	if (!str_is_empty(missing)) {
		step_fail(step, PERMANENT, CODE(PERMISSION_MISSING),
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)))
			->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
		return NULL;
	}
	flow_set_secret(flow, "access_token", access_token);
	flow_set_secret(flow, "refresh_token", json_string(json_get(reply->json, "refresh_token")));
	flow_set(flow, "scope", scope);
	flow_set_int(flow, "expires_at_us", x_expires_at_us(env, reply->json));
	return "me";
}

static const char *x_me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct call *call = step_send(
		step, CALL_READ, "GET",
		STR(X_API "/2/users/me?user.fields=id,name,username,profile_image_url,verified,"
			  "verified_type,subscription_type,protected,confirmed_email"));
	call_bearer(env, call, flow_get(flow, "access_token"));
	return NULL;
}

static struct str x_account_extra(const struct env *env, const struct json *user)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, 4096);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str_or_null(&w, "subscription_type",
				json_string(json_get(user, "subscription_type")));
	json_member_str_or_null(&w, "verified_type", json_string(json_get(user, "verified_type")));
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

static const char *x_me_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct json *user = json_get(reply->json, "data");
	const struct str id = json_text(env->arena, json_get(user, "id"));
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200 || str_is_empty(id)) {
		x_fail(env, reply, step);
		return NULL;
	}
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	*account = (struct account_found){
		.platform_account_id = id,
		.username = first_of(json_string(json_get(user, "username")), id),
		.name = first_of(json_string(json_get(user, "name")),
				 json_string(json_get(user, "username"))),
		.email = json_string(json_get(user, "confirmed_email")),
		.avatar_url = json_string(json_get(user, "profile_image_url")),
		.type = ACCOUNT_PERSONAL,
		.access_token = flow_get(flow, "access_token"),
		.refresh_token = flow_get(flow, "refresh_token"),
		.expires_at_us = flow_get_int(flow, "expires_at_us", 0),
		.scopes = flow_get(flow, "scope"),
		.extra = x_account_extra(env, user),
	};
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
	return NULL;
}

static const struct stage x_connect_stages[] = {
	{"token", x_token_ask, x_token_answer},
	{"me", x_me_ask, x_me_answer},
	{.name = NULL},
};

/* ---- refresh: each refresh token works once (x.md 1.4) ---- */

static const char *x_refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, CODE(ACCOUNT_REAUTH_REQUIRED),
			  STR("The account has no refresh token."));
		return NULL;
	}
	buf_init(&form, env->arena, X_BODY_MAX_BYTES);
	form_add(&form, "grant_type", STR("refresh_token"));
	form_add(&form, "refresh_token", env->refresh_token);
	form_add(&form, "client_id", str_trim(env->client_id));
	x_token_call(env, step, buf_str(&form));
	return NULL;
}

static const char *x_refresh_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	(void)flow;
	const struct str access_token = json_string(json_get(reply->json, "access_token"));
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200 ||
	    str_is_empty(access_token)) {
		x_token_fail(env, reply, FAILURE_REAUTH, CODE(ACCOUNT_REAUTH_REQUIRED),
			     "X refused the refresh token.", step);
		return NULL;
	}
	step_done(step);
	step->token = (struct token_grant){
		.access_token = access_token,
		.refresh_token = json_string(json_get(reply->json, "refresh_token")),
		.expires_at_us = x_expires_at_us(env, reply->json),
	};
	return NULL;
}

static const struct stage x_refresh_stages[] = {
	{"refresh", x_refresh_ask, x_refresh_answer},
	{.name = NULL},
};

/* ---- publish: one POST /2/tweets for each container (x.md 2.1, 2.2) ---- */

static const char *x_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	if (flow_part(flow) < flow->part_count)
		return "create";
	step_done(step);
	return NULL;
}

/* A community may be named by its address (x.md section 6). */
static struct str x_community_id(struct str given)
{
	return str_has_prefix(given, STR("http")) ? last_segment(given) : given;
}

static bool x_is_left_out(const struct x_option *option, const struct json *value)
{
	/* "everyone" is the absence of the field (x.md 2.1). */
	return json_is_null(value) || (str_equal_z(str_of(option->name), "reply_settings") &&
				       str_equal_z(json_string(value), "everyone"));
}

static void x_option_write(struct json_writer *w, const struct x_option *option,
			   const struct json *value)
{
	json_key(w, option->member != NULL ? option->member : option->name);
	if (str_equal_z(str_of(option->name), "community_id"))
		json_put_str(w, x_community_id(json_string(value)));
	else
		json_put_value(w, value);
}

/* All options that belong under parent (NULL = the top). */
static void x_options_write(struct json_writer *w, const struct json *options, const char *parent)
{
	for (size_t i = 0; i < sizeof(x_placements) / sizeof(x_placements[0]); i++) {
		const struct x_option *option = &x_placements[i];
		const struct json *value = json_get(options, option->name);
		const bool is_here = parent == NULL || option->parent == NULL
					     ? parent == option->parent
					     : str_equal_z(str_of(parent), option->parent);
		if (is_here && !x_is_left_out(option, value))
			x_option_write(w, option, value);
	}
}

static bool x_has_option(const struct json *options, const char *name)
{
	return !json_is_null(json_get(options, name));
}

static void x_first_write(struct json_writer *w, const struct json *options)
{
	x_options_write(w, options, NULL);
	if (x_has_option(options, "geo_place_id")) {
		json_key(w, "geo");
		json_begin_object(w);
		x_options_write(w, options, "geo");
		json_end_object(w);
	}
	if (x_has_option(options, "in_reply_to_tweet_id")) {
		json_key(w, "reply");
		json_begin_object(w);
		x_options_write(w, options, "reply");
		json_end_object(w);
	}
}

static void x_reply_write(struct json_writer *w, struct str parent_id)
{
	json_key(w, "reply");
	json_begin_object(w);
	json_member_str(w, "in_reply_to_tweet_id", parent_id);
	json_end_object(w);
}

/* The post that this part answers: the part before it, or what the option names. Empty for a post
 * of its own. */
static struct str x_parent_id(const struct env *env, const struct flow *flow)
{
	const size_t part = flow_part(flow);
	return part > 0 ? flow->parts[part - 1].remote_id
			: json_string(json_get(env->options, "in_reply_to_tweet_id"));
}

static struct str x_create_body(const struct env *env, const struct flow *flow)
{
	const size_t part = flow_part(flow);
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "text", env->post->containers[part].content);
	if (part == 0)
		x_first_write(&w, env->options);
	else
		x_reply_write(&w, x_parent_id(env, flow));
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

static const char *x_create_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str body = x_create_body(env, flow);
	if (flow_part(flow) > 0 && str_is_empty(x_parent_id(env, flow))) {
		step_fail(step, PERMANENT, CODE(PLATFORM_REJECTED),
			  STR("The post before this one is published, but its id is not known, so "
			      "it cannot be answered."));
		return NULL;
	}
	if (str_is_empty(body)) {
		step_fail(step, PERMANENT, CODE(CONTENT_REJECTED),
			  STR("The post with its options is too large for X."));
		return NULL;
	}
	struct call *call = step_send(step, CALL_PUBLISH, "POST", STR(X_API "/2/tweets"));
	call_bearer(env, call, env->access_token);
	call_json(call, body);
	return NULL;
}

static struct str x_post_url(const struct env *env, struct str id)
{
	return str_format(env->arena, "https://x.com/" STR_FMT "/status/" STR_FMT,
			  STR_ARG(first_of(env->username, STR("i"))), STR_ARG(id));
}

/* X's own words, or one of the two answers that it gives without any (x.md section 4). */
static bool x_is_refusal(const struct reply *reply)
{
	const struct json *json = reply->json;
	const bool is_readable = !str_is_empty(json_string(json_get(json, "title"))) ||
				 !str_is_empty(json_string(json_get(json, "detail"))) ||
				 json_get(json_at(json_get(json, "errors"), 0), "message") != NULL;
	return reply->status >= 400 &&
	       (is_readable || reply->status == 401 || reply->status == 429);
}

static const char *x_create_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(json_get(reply->json, "data"), "id"));
	if (reply->status / 100 == 2 && !str_is_empty(id)) {
		flow_part_done(flow, id, x_post_url(env, id));
		return "start";
	}
	if (reply->outcome != REPLY_ANSWERED || !x_is_refusal(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	x_fail(env, reply, step);
	/* After a try whose outcome stayed open this is a sign that it landed (x.md section 5):
	 * look, do not give up. */
	if (step->failure.code == CODE(DUPLICATE_CONTENT) && look_doubt_us(flow) != 0)
		*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}

static const char *x_no_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	(void)reply;
	return x_start_ask(env, flow, step);
}

static const struct stage x_publish_stages[] = {
	{"start", x_start_ask, x_no_answer},
	{"create", x_create_ask, x_create_answer},
	{.name = NULL},
};

/* ---- resolve: the account's own timeline since the call was started (x.md section 5) ---- */

static const char *x_look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t not_before_us = env->started_at_us + X_LOOK_AFTER_US;
	look_since_us(env, flow); /* remembers when this part came into doubt */
	const int64_t since_us = look_doubt_us(flow) - X_LOOK_BACK_US;
	if (env->now_us < not_before_us) {
		step_wait(step, (not_before_us - env->now_us) / US_PER_MS + 1);
		return NULL;
	}
	/* 100 entries, not 5: the account may be a busy one, and only what came since then is
	 * counted and billed. */
	const struct str since =
		timetext_format_instant(env->arena, since_us - since_us % US_PER_S);
	struct call *call = step_send(
		step, CALL_READ, "GET",
		str_format(env->arena,
			   X_API "/2/users/" STR_FMT "/tweets?max_results=100&start_time=" STR_FMT
				 "&exclude=retweets&tweet.fields=created_at,text,entities,note_"
				 "tweet,referenced_tweets",
			   STR_ARG(env->platform_account_id), STR_ARG(since)));
	call_bearer(env, call, env->access_token);
	return NULL;
}

/* Replaces every from by to. */
static struct str x_replace(struct arena *arena, struct str text, struct str from, struct str to)
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

static struct str x_nfc(struct arena *arena, struct str text)
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
static struct str x_comparable(struct arena *arena, struct str text)
{
	text = x_replace(arena, text, STR("https://"), STR(""));
	text = x_replace(arena, text, STR("http://"), STR(""));
	return x_nfc(arena, text);
}

/* X stores t.co links and escapes three characters: the text as it was sent. */
static struct str x_unshortened(struct arena *arena, const struct json *post)
{
	const struct json *note = json_get(post, "note_tweet");
	const struct json *holder = json_is(note, JSON_TYPE_OBJECT) ? note : post;
	const struct json *urls = json_get(json_get(holder, "entities"), "urls");
	struct str text = json_string(json_get(holder, "text"));
	for (size_t i = 0; json_is(urls, JSON_TYPE_ARRAY) && i < urls->count && i < 50; i++)
		text = x_replace(arena, text, json_string(json_get(&urls->items[i], "url")),
				 json_string(json_get(&urls->items[i], "expanded_url")));
	text = x_replace(arena, text, STR("&lt;"), STR("<"));
	text = x_replace(arena, text, STR("&gt;"), STR(">"));
	return x_replace(arena, text, STR("&amp;"), STR("&"));
}

static struct str x_replied_to(const struct env *env, const struct json *post)
{
	const struct json *references = json_get(post, "referenced_tweets");
	for (size_t i = 0; json_is(references, JSON_TYPE_ARRAY) && i < references->count; i++) {
		if (str_equal_z(json_string(json_get(&references->items[i], "type")), "replied_to"))
			return json_text(env->arena, json_get(&references->items[i], "id"));
	}
	return (struct str){0};
}

/* Escaping and short links never make a text this much longer: it need not be compared, nor copied.
 */
static bool x_is_too_long(const struct json *post, struct str sent)
{
	const struct str text = json_string(json_get(post, "text"));
	const struct str note = json_string(json_get(json_get(post, "note_tweet"), "text"));
	return text.len + note.len > 16 * sent.len + 1024;
}

static bool x_is_ours(const struct env *env, const struct flow *flow, const struct json *post)
{
	const struct str sent = env->post->containers[flow_part(flow)].content;
	int64_t created_us = 0;
	return timetext_parse_instant(json_string(json_get(post, "created_at")), &created_us) &&
	       created_us >= look_doubt_us(flow) - X_LOOK_BACK_US &&
	       str_equal(x_replied_to(env, post), x_parent_id(env, flow)) &&
	       !x_is_too_long(post, sent) &&
	       look_texts_equal(env->arena,
				x_comparable(env->arena, x_unshortened(env->arena, post)),
				x_comparable(env->arena, sent));
}

static const char *x_look_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct json *posts = json_get(reply->json, "data");
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200) {
		x_fail(env, reply, step);
		return NULL;
	}
	look_matches_begin(flow, step);
	for (size_t i = 0; json_is(posts, JSON_TYPE_ARRAY) && i < posts->count; i++) {
		const struct str id = json_text(env->arena, json_get(&posts->items[i], "id"));
		if (!str_is_empty(id) && x_is_ours(env, flow, &posts->items[i]))
			look_match_add(step, id, x_post_url(env, id));
	}
	return look_matches_end(step);
}

static const struct stage x_resolve_stages[] = {
	{"look", x_look_ask, x_look_answer},
	{.name = NULL},
};

/* ---- the platform ---- */

static void x_verify(const struct env *env, struct flow *flow, const struct reply *reply,
		     struct step *step)
{
	stages_run(x_verify_stages, env, flow, reply, step);
}

static void x_connect(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	stages_run(x_connect_stages, env, flow, reply, step);
}

static void x_refresh(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	stages_run(x_refresh_stages, env, flow, reply, step);
}

static void x_publish(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	stages_run(x_publish_stages, env, flow, reply, step);
}

static void x_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	stages_run_probe(x_resolve_stages, env, flow, reply, step);
}

const struct platform platform_x = {
	.slug = "x",
	.id = PLATFORM_X,
	.oauth = &x_oauth,
	.rules = &x_rules,
	.verify = x_verify,
	.connect = x_connect,
	.refresh = x_refresh,
	.publish = x_publish,
	.resolve = x_resolve,
};
