/* SPDX-License-Identifier: Apache-2.0
 * X's OAuth 2.0 with PKCE (x.md 1): the app's credentials, code to tokens to
 * account, and refresh tokens, of which each works once. */
#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "base64.h"
#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "answer.h"
#include "token_answer.h"
#include "x_adapter.h"

const struct oauth_profile x_oauth = {
	.authorize_url = "https://x.com/i/oauth2/authorize",
	.client_id_name = "client_id",
	.scopes = {"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"},
	.scope_separator = " ",
	.pkce = PKCE_S256_BASE64URL,
	.denied_errors = {"access_denied"},
};

/* ---- tokens (x.md 1.3, 1.4, 1.7) ---- */

void x_call_basic(const struct env *env, struct call *call)
{
	const struct str pair =
		str_format(env->arena, STR_FMT ":" STR_FMT, STR_ARG(str_trim(env->client_id)),
			   STR_ARG(str_trim(env->client_secret)));
	call_header(call, "Authorization",
		    str_concat(env->arena, STR("Basic "), base64_encode(env->arena, pair)));
}

static void x_token_call(const struct env *env, struct step *step, struct str form)
{
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(X_API "/2/oauth2/token"));
	x_call_basic(env, call);
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
		x_failed(env, reply, step);
		return;
	}
	struct failure *failure =
		x_is_app_refused(reply)
			? step_fail(step, FAILURE_APP, FAILURE_CODE_APP_CREDENTIALS_INVALID,
				    STR("X refused the app's credentials."))
			: step_fail(step, class, code, str_of(message));
	const struct str words = json_string(json_get(reply->json, "error_description"));
	failure->connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
	failure->platform_code = json_string(json_get(reply->json, "error"));
	failure->platform_message = utf8_cut_bytes(words, PLATFORM_MESSAGE_MAX_BYTES);
}

static int64_t x_expires_at_us(const struct env *env, const struct json *json)
{
	const int64_t seconds = json_int(json_get(json, "expires_in"), 0);
	return seconds > 0 && seconds < 10 * 365 * 86400 ? env->now_us + seconds * US_PER_S : 0;
}

/* ---- verify: a refresh token that cannot be; the answer shows whether X knows the app ---- */

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
		x_token_fail(env, reply, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			     "X's answer does not say whether the credentials are valid.", step);
	return NULL;
}

const struct stage x_verify_stages[] = {
	{X_STAGE_PROBE, x_verify_ask, x_verify_answer},
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
		x_token_fail(env, reply, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			     "X refused the authorization code.", step);
		return NULL;
	}
	const struct str missing = x_missing_scopes(env, scope);
	if (!str_is_empty(missing)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)))
			->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
		return NULL;
	}
	flow_set_secret(flow, TOKEN_KEY_ACCESS, access_token);
	flow_set_secret(flow, TOKEN_KEY_REFRESH,
			json_string(json_get(reply->json, "refresh_token")));
	flow_set(flow, TOKEN_KEY_SCOPE, scope);
	flow_set_int(flow, TOKEN_KEY_EXPIRES_AT, x_expires_at_us(env, reply->json));
	return X_STAGE_ME;
}

static const char *x_me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct call *call = step_send(
		step, CALL_READ, "GET",
		STR(X_API X_PATH_ME "?user.fields=id,name,username,profile_image_url,verified,"
				    "verified_type,subscription_type,protected,confirmed_email"));
	call_bearer(env, call, flow_get(flow, TOKEN_KEY_ACCESS));
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
	const struct str id = answer_id(env, json_get(user, "id"));
	if (reply->outcome != REPLY_ANSWERED || reply->status != 200 || str_is_empty(id)) {
		x_failed(env, reply, step);
		return NULL;
	}
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	*account = (struct account_found){
		.platform_account_id = id,
		.username = x_first_of(json_string(json_get(user, "username")), id),
		.name = x_first_of(json_string(json_get(user, "name")),
				   json_string(json_get(user, "username"))),
		.email = json_string(json_get(user, "confirmed_email")),
		.avatar_url = json_string(json_get(user, "profile_image_url")),
		.type = ACCOUNT_PERSONAL,
		.access_token = flow_get(flow, TOKEN_KEY_ACCESS),
		.refresh_token = flow_get(flow, TOKEN_KEY_REFRESH),
		.expires_at_us = flow_get_int(flow, TOKEN_KEY_EXPIRES_AT, 0),
		.scopes = flow_get(flow, TOKEN_KEY_SCOPE),
		.extra = x_account_extra(env, user),
	};
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
	return NULL;
}

const struct stage x_connect_stages[] = {
	{X_STAGE_TOKEN, x_token_ask, x_token_answer},
	{X_STAGE_ME, x_me_ask, x_me_answer},
	{.name = NULL},
};

/* ---- refresh: each refresh token works once (x.md 1.4) ---- */

static const char *x_refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
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
		x_token_fail(env, reply, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
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

const struct stage x_refresh_stages[] = {
	{X_STAGE_REFRESH, x_refresh_ask, x_refresh_answer},
	{.name = NULL},
};
