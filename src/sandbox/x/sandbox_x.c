/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's users and routes (x.md). sandbox_x.h lists the other files. */
#include "sandbox_x.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"

#include "sandbox_avatar.h"

#define USER_LIMIT 900

#define USER_ID "1790000000000000123"
#define USER_NAME "Jo Doe"

static struct str account_name(struct str account_id)
{
	return str_equal_z(account_id, USER_ID) ? STR(USER_NAME) : STR("");
}

static void start(struct sandbox *sandbox, void *state)
{
	(void)sandbox;
	*(struct x_state *)state = (struct x_state){
		.user_id = STR(USER_ID), .username = STR("jodoe"), .name = STR(USER_NAME)};
}

/* ---- rate windows (3.3) ---- */

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	sandbox_x_fail(call, 429, "Too Many Requests", "Too Many Requests", NULL);
	sandbox_x_window_empty(call, retry_after_s);
}

/* ---- money (3.4) ---- */

/* The credits spent since the reset, in thousandths of a dollar. */
static void get_spent(struct sandbox_call *call)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_int(&w, "spent_mils", sandbox_x_state(call)->spent_mils);
	json_end_object(&w);
}

/* ---- users ---- */

static const char *const subscriptions[] = {"None", "Basic", "Premium", "PremiumPlus"};

static bool asks_for(struct sandbox_call *call, const char *name)
{
	return sandbox_scope_has(sandbox_query(call, "user.fields"), name);
}

static void answer_user(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct x_state *x = sandbox_x_state(call);
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
		json_member_bool(&w, "verified", sandbox_x_is_premium_user(call));
	if (asks_for(call, "verified_type"))
		json_member_str(&w, "verified_type",
				sandbox_x_is_premium_user(call) ? STR("blue") : STR("none"));
	if (asks_for(call, "subscription_type"))
		json_member_str(&w, "subscription_type",
				str_of(subscriptions[sandbox_call_knob(
					call, SANDBOX_KNOB_x_subscription)]));
	if (asks_for(call, "protected"))
		json_member_bool(&w, "protected", false);
	if (asks_for(call, "confirmed_email") && sandbox_scope_has(token->scope, "users.email"))
		json_member_str(&w, "confirmed_email", STR("jo.doe@example.com"));
	json_end_object(&w);
	json_end_object(&w);
}

static void get_me(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_x_user(call, "users.read", "window_me",
			       (int)sandbox_call_knob(call, SANDBOX_KNOB_x_me_limit));
	if (token != NULL && sandbox_x_spend(call, X_USER_READ_MILS))
		answer_user(call, token);
}

static void get_user(struct sandbox_call *call)
{
	struct sandbox_token *token = sandbox_x_user(call, "users.read", "window_user", USER_LIMIT);
	if (token == NULL || !sandbox_x_spend(call, X_USER_READ_MILS))
		return;
	if (str_equal(sandbox_capture(call, "id"), sandbox_x_state(call)->user_id))
		answer_user(call, token);
	else
		sandbox_x_fail_not_found(call, "user", sandbox_capture(call, "id"));
}

static void get_avatar(struct sandbox_call *call)
{
	sandbox_avatar_answer(call, SANDBOX_AVATAR_PERSON, sandbox_x_state(call)->name);
}

/* A post's public address leads to the post on the page of GET /. */
static void get_status_page(struct sandbox_call *call)
{
	const struct str id = sandbox_capture(call, "id");
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
	{"GET", "/x.com/i/oauth2/authorize", sandbox_x_authorize, HTTP_BODY_NONE, 0},
	/* the names of before, which many clients still have */
	{"GET", "/twitter.com/i/oauth2/authorize", sandbox_x_authorize, HTTP_BODY_NONE, 0},
	{"POST", "/api.twitter.com/2/oauth2/token", sandbox_x_token, HTTP_BODY_MEMORY, 0},
	{"POST", "/api.twitter.com/2/oauth2/revoke", sandbox_x_revoke, HTTP_BODY_MEMORY, 0},
	{"GET", "/api.twitter.com/2/users/me", get_me, HTTP_BODY_NONE, 0},
	{"POST", "/api.twitter.com/2/tweets", sandbox_x_tweet_post, HTTP_BODY_MEMORY,
	 X_TWEET_MAX_BYTES},
	{"DELETE", "/api.twitter.com/2/tweets/{id}", sandbox_x_tweet_delete, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/oauth2/authorize", sandbox_x_authorize, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/oauth2/token", sandbox_x_token, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/oauth2/revoke", sandbox_x_revoke, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/oauth2/token", sandbox_x_app_token, HTTP_BODY_MEMORY, 0},
	{"GET", "/" X_API "/2/users/me", get_me, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/users/{id}", get_user, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/users/{id}/tweets", sandbox_x_timeline_get, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/tweets", sandbox_x_tweet_post, HTTP_BODY_MEMORY, X_TWEET_MAX_BYTES},
	{"GET", "/" X_API "/2/tweets", sandbox_x_tweets_get, HTTP_BODY_NONE, 0},
	{"GET", "/" X_API "/2/tweets/{id}", sandbox_x_tweet_get, HTTP_BODY_NONE, 0},
	{"DELETE", "/" X_API "/2/tweets/{id}", sandbox_x_tweet_delete, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/media/upload", sandbox_x_media_simple, HTTP_BODY_MEMORY,
	 X_SIMPLE_MAX_BYTES},
	{"GET", "/" X_API "/2/media/upload", sandbox_x_media_status, HTTP_BODY_NONE, 0},
	{"POST", "/" X_API "/2/media/upload/initialize", sandbox_x_media_initialize,
	 HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/media/upload/{id}/append", sandbox_x_media_append, HTTP_BODY_MEMORY,
	 X_APPEND_MAX_BYTES},
	{"POST", "/" X_API "/2/media/upload/{id}/finalize", sandbox_x_media_finalize,
	 HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/media/metadata", sandbox_x_media_metadata, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/media/subtitles", sandbox_x_subtitles_create, HTTP_BODY_MEMORY, 0},
	{"DELETE", "/" X_API "/2/media/subtitles", sandbox_x_subtitles_delete, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/articles/draft", sandbox_x_articles_draft, HTTP_BODY_MEMORY, 0},
	{"POST", "/" X_API "/2/articles/{id}/publish", sandbox_x_articles_publish, HTTP_BODY_MEMORY,
	 0},
	{"GET", "/" X_API "/_sandbox/spent", get_spent, HTTP_BODY_NONE, 0},
	{"GET", "/x.com/{user}/status/{id}", get_status_page, HTTP_BODY_NONE, 0},
	{"GET", "/pbs.twimg.com/{*rest}", get_avatar, HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_x = {
	.platform = SANDBOX_X,
	.routes = x_routes,
	.route_count = COUNT_OF(x_routes),
	.state_size_bytes = sizeof(struct x_state),
	.start = start,
	.token_of = sandbox_x_token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_x_fail_token,
	.render_error = sandbox_x_render_error,
	.account_name = account_name,
};
