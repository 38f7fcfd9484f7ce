/* SPDX-License-Identifier: Apache-2.0
 * Instagram Login: professional accounts without a Facebook Page (meta.md 2.8). A login gives one
 * account, on a host of its own, with a token that lives 60 days and renews itself. What such an
 * account is known by later stands in its extra (graph_is_instagram_login). */
#include "instagram_adapter.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "answer.h"
#include "graph.h"
#include "token_answer.h"

#define LIFE_DEFAULT_US (60 * US_PER_DAY) /* meta.md 2.8 */
#define EXTRA_MAX_BYTES 1024

static const char *const login_needed[] = {"instagram_business_basic",
					   "instagram_business_content_publish",
					   "instagram_business_manage_comments", NULL};

/* A token call of this login: unversioned, and the token is a parameter. */
static void login_get(const struct env *env, struct step *step, const char *path, struct buf *form)
{
	step_send(step, CALL_PREPARE, "GET",
		  str_format(env->arena, "https://" GRAPH_LOGIN_HOST "/%s?" STR_FMT, path,
			     STR_ARG(buf_str(form))));
}

/* ---- app credentials without a user (meta.md 2.9, 4) ---- */

/* The exchange of a token that cannot exist: a wrong secret is refused before the token is. */
const char *instagram_secret_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "grant_type", STR("ig_exchange_token"));
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "access_token", STR("posthorn-credential-check"));
	login_get(env, step, "access_token", &form);
	return NULL;
}

const char *instagram_secret_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	struct graph_error error = {0};
	const bool is_readable = graph_error_read(reply, &error);
	(void)flow;
	if (is_readable && error.code == 190) {
		step_done(step);
		return NULL;
	}
	graph_step_fail(env, reply, step);
	if (is_readable && reply->status < 500 &&
	    (error.code == 1 || error.code == 100 || error.code == 101)) {
		step->failure.class = FAILURE_APP;
		step->failure.code = FAILURE_CODE_APP_CREDENTIALS_INVALID;
		step->failure.message = STR("Instagram refused the app's secret.");
	}
	return NULL;
}

/* ---- the code ---- */

const char *instagram_login_code_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "redirect_uri", env->redirect_uri);
	form_add(&form, "code", env->code);
	struct call *call = step_send(step, CALL_PREPARE, "POST",
				      STR("https://api.instagram.com/oauth/access_token"));
	call_form(call, buf_str(&form));
	call->needs_fresh_connection = true; /* a code works once */
	return NULL;
}

/* This endpoint alone writes errors as {error_type, code, error_message}. */
static void code_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct str words = json_string(json_get(reply->json, "error_message"));
	if (step_fail_transport(step, env, reply))
		return;
	if (str_is_empty(words)) {
		graph_step_fail(env, reply, step);
		return;
	}
	const bool is_app = str_find(words, STR("platform app"), 0) != SIZE_MAX ||
			    str_find(words, STR("client_secret"), 0) != SIZE_MAX ||
			    str_find(words, STR("client secret"), 0) != SIZE_MAX;
	struct failure *failure =
		is_app ? step_fail(step, FAILURE_APP, FAILURE_CODE_APP_CREDENTIALS_INVALID,
				   STR("Instagram refused the app's id or secret. For Instagram "
				       "Login they are the Instagram app's, not the Meta app's."))
		       : step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
				   STR("Instagram refused to issue an access token."));
	failure->platform_message = utf8_cut_bytes(words, PLATFORM_MESSAGE_MAX_BYTES);
	failure->connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
}

/* A list, or a text with commas. */
static struct str permissions_of(const struct env *env, const struct json *permissions)
{
	struct buf list;
	if (json_is(permissions, JSON_TYPE_STRING))
		return json_string(permissions);
	buf_init(&list, env->arena, 4096);
	for (size_t i = 0; json_at(permissions, i) != NULL; i++) {
		buf_add_z(&list, i > 0 ? "," : "");
		buf_add(&list, json_string(json_at(permissions, i)));
	}
	return buf_str(&list);
}

/* The document wraps the answer in a list of one, live ones came without it. */
const char *instagram_login_code_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	const struct json *wrapped = json_at(json_get(reply->json, "data"), 0);
	const struct json *answer = wrapped != NULL ? wrapped : reply->json;
	const struct str token = json_string(json_get(answer, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		code_refused(env, reply, step);
		return NULL;
	}
	const struct str granted = permissions_of(env, json_get(answer, "permissions"));
	if (token_scopes_missing_fail(env, granted, login_needed, step))
		return NULL;
	flow_set_secret(flow, GRAPH_KEY_SHORT_TOKEN, token);
	flow_set(flow, GRAPH_KEY_SCOPES, granted);
	return INSTAGRAM_STAGE_LOGIN_LONG;
}

/* ---- 60 days, and again ---- */

/* The token renews itself: it stands in the refresh token's place too. */
static bool long_token_read(const struct env *env, const struct reply *reply,
			    struct token_answer *answer_out)
{
	if (!graph_is_ok(reply) || !token_answer_read(env, reply, answer_out))
		return false;
	if (answer_out->expires_at_us == 0)
		answer_out->expires_at_us = env->now_us + LIFE_DEFAULT_US;
	answer_out->refresh_token = answer_out->access_token;
	answer_out->refresh_expires_at_us = answer_out->expires_at_us;
	return true;
}

const char *instagram_login_long_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "grant_type", STR("ig_exchange_token"));
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "access_token", flow_get(flow, GRAPH_KEY_SHORT_TOKEN));
	login_get(env, step, "access_token", &form);
	return NULL;
}

const char *instagram_login_long_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (!long_token_read(env, reply, &answer)) {
		graph_step_fail(env, reply, step);
		if (!failure_is_transient(step->failure.class)) {
			step->failure.code = FAILURE_CODE_PLATFORM_REJECTED;
			step->failure.connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
		}
		return NULL;
	}
	answer.scope = flow_get(flow, GRAPH_KEY_SCOPES);
	token_answer_keep(flow, &answer);
	flow_unset(flow, GRAPH_KEY_SHORT_TOKEN);
	return INSTAGRAM_STAGE_LOGIN_ME;
}

static const char *refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "grant_type", STR("ig_refresh_token"));
	form_add(&form, "access_token", env->refresh_token);
	login_get(env, step, "refresh_access_token", &form);
	return NULL;
}

static const char *refresh_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	(void)flow;
	if (long_token_read(env, reply, &answer))
		token_answer_grant(&answer, step);
	else
		graph_step_fail(env, reply, step);
	return NULL;
}

const struct stage instagram_refresh_stages[] = {
	{INSTAGRAM_STAGE_LOGIN_REFRESH, refresh_ask, refresh_answer},
	{.name = NULL},
};

/* ---- whose it is ---- */

const char *instagram_login_me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("user_id,username,name,account_type,profile_picture_url"));
	graph_call(env, step, CALL_READ, "GET", STR("me"), token_answer_kept(flow).access_token,
		   &form);
	return NULL;
}

/* The id of the person in this app is what Meta's callbacks name (signed_request.c). */
static struct str login_extra(const struct env *env, struct str person_id)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, EXTRA_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "user_id", person_id);
	json_member_str(&w, GRAPH_EXTRA_LOGIN, STR(GRAPH_LOGIN_INSTAGRAM));
	json_end_object(&w);
	return buf_str(&out);
}

static enum account_type type_of(const struct env *env, struct str word)
{
	const bool is_creator =
		str_find(str_lower(env->arena, word), STR("creator"), 0) != SIZE_MAX;
	return is_creator ? ACCOUNT_CREATOR : ACCOUNT_BUSINESS;
}

static void account_give(const struct env *env, const struct flow *flow, const struct json *me,
			 struct step *step)
{
	const struct token_answer token = token_answer_kept(flow);
	const struct str id = answer_id(env, json_get(me, "user_id"));
	const struct str username = json_string(json_get(me, "username"));
	const struct str name = json_string(json_get(me, "name"));
	struct account_found *account = ARENA_ARRAY(env->arena, struct account_found, 1);
	*account = (struct account_found){
		.platform_account_id = id,
		.username = str_is_empty(username) ? id : username,
		.name = !str_is_empty(name)      ? name
			: str_is_empty(username) ? id
						 : username,
		.avatar_url = json_string(json_get(me, "profile_picture_url")),
		.type = type_of(env, json_string(json_get(me, "account_type"))),
		.extra = login_extra(env, answer_id(env, json_get(me, "id"))),
	};
	token_answer_give(&token, account);
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
}

const char *instagram_login_me_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step)
{
	const struct json *wrapped = json_at(json_get(reply->json, "data"), 0);
	const struct json *me = wrapped != NULL ? wrapped : reply->json;
	if (!graph_is_ok(reply) || str_is_empty(answer_id(env, json_get(me, "user_id"))))
		graph_step_fail(env, reply, step);
	else
		account_give(env, flow, me, step);
	return NULL;
}
