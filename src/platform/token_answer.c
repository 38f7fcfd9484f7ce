/* SPDX-License-Identifier: Apache-2.0
 * Token answers. Some platforms say how long a refresh token lives as refresh_expires_in, others as
 * refresh_token_expires_in. */
#include "token_answer.h"

#include "buf.h"
#include "clock.h"

#include "form.h"

/* longer than any platform's; keeps the sum in range */
#define LIFETIME_MAX_S (INT64_C(10) * 366 * 86400)
#define MISSING_MAX_BYTES 1024

static int64_t instant_after(int64_t now_us, int64_t lifetime_s)
{
	if (lifetime_s <= 0)
		return 0;
	return now_us + (lifetime_s < LIFETIME_MAX_S ? lifetime_s : LIFETIME_MAX_S) * US_PER_S;
}

bool token_answer_read(const struct env *env, const struct reply *reply,
		       struct token_answer *answer_out)
{
	const struct json *body = reply->json;
	const struct str access_token = json_string(json_get(body, "access_token"));
	if (reply->status != 200 || str_is_empty(access_token))
		return false;
	const int64_t refresh_s = json_int(json_get(body, "refresh_expires_in"), 0);
	*answer_out = (struct token_answer){
		.access_token = access_token,
		.refresh_token = json_string(json_get(body, "refresh_token")),
		.scope = json_string(json_get(body, "scope")),
		.expires_at_us =
			instant_after(env->now_us, json_int(json_get(body, "expires_in"), 0)),
		.refresh_expires_at_us = instant_after(
			env->now_us,
			json_int(json_get(body, "refresh_token_expires_in"), refresh_s)),
	};
	return true;
}

void token_answer_keep(struct flow *flow, const struct token_answer *answer)
{
	flow_set_secret(flow, TOKEN_KEY_ACCESS, answer->access_token);
	if (!str_is_empty(answer->refresh_token))
		flow_set_secret(flow, TOKEN_KEY_REFRESH, answer->refresh_token);
	flow_set(flow, TOKEN_KEY_SCOPE, answer->scope);
	flow_set_int(flow, TOKEN_KEY_EXPIRES_AT, answer->expires_at_us);
	flow_set_int(flow, TOKEN_KEY_REFRESH_EXPIRES_AT, answer->refresh_expires_at_us);
}

struct token_answer token_answer_kept(const struct flow *flow)
{
	return (struct token_answer){
		.access_token = flow_get(flow, TOKEN_KEY_ACCESS),
		.refresh_token = flow_get(flow, TOKEN_KEY_REFRESH),
		.scope = flow_get(flow, TOKEN_KEY_SCOPE),
		.expires_at_us = flow_get_int(flow, TOKEN_KEY_EXPIRES_AT, 0),
		.refresh_expires_at_us = flow_get_int(flow, TOKEN_KEY_REFRESH_EXPIRES_AT, 0),
	};
}

void token_answer_grant(const struct token_answer *answer, struct step *step)
{
	step_done(step);
	step->token = (struct token_grant){
		.access_token = answer->access_token,
		.refresh_token = answer->refresh_token,
		.expires_at_us = answer->expires_at_us,
		.refresh_expires_at_us = answer->refresh_expires_at_us,
	};
}

void token_answer_give(const struct token_answer *answer, struct account_found *account)
{
	account->access_token = answer->access_token;
	account->refresh_token = answer->refresh_token;
	account->expires_at_us = answer->expires_at_us;
	account->refresh_expires_at_us = answer->refresh_expires_at_us;
	account->scopes = answer->scope;
}

struct refusal_facts token_refusal_facts(const struct reply *reply)
{
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(reply->json, "error_description")),
	};
	refusal_marker_add(&facts, json_string(json_get(reply->json, "error")));
	facts.is_readable = facts.marker_count > 0;
	return facts;
}

static void fail_unread(struct step *step, struct str sentence)
{
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE, sentence);
}

void token_refused(const struct refusal *rows, const struct env *env, const struct reply *reply,
		   struct step *step)
{
	const struct refusal_facts facts = token_refusal_facts(reply);
	if (facts.is_readable || facts.status == 429)
		refusal_fail(rows, env, &facts, reply, step);
	else
		fail_unread(step, STR("The platform's answer about tokens cannot be read."));
}

void exchange_refused(const struct refusal *rows, const struct env *env, const struct reply *reply,
		      struct step *step)
{
	token_refused(rows, env, reply, step);
	if (!failure_is_transient(step->failure.class))
		step->failure.connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
}

void credentials_refused(const struct refusal *rows, const struct env *env,
			 const struct reply *reply, struct step *step)
{
	token_refused(rows, env, reply, step);
	if (step->failure.class != FAILURE_APP && !failure_is_transient(step->failure.class))
		fail_unread(
			step,
			STR("The platform did not say whether the app's credentials are good."));
}

bool refresh_form_begin(const struct env *env, struct buf *form, struct step *step)
{
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
			  STR("There is no refresh token; the account has to be connected again."));
		return false;
	}
	buf_init(form, env->arena, FORM_MAX_BYTES);
	form_add(form, "grant_type", STR("refresh_token"));
	form_add(form, "refresh_token", env->refresh_token);
	return true;
}

void refresh_answered(const struct refusal *rows, const struct env *env, const struct reply *reply,
		      struct step *step)
{
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return;
	if (token_answer_read(env, reply, &answer))
		token_answer_grant(&answer, step);
	else
		token_refused(rows, env, reply, step);
}

static bool is_scope_separator(char c)
{
	return c == ' ' || c == ',';
}

bool scope_is_granted(struct str granted, const char *scope)
{
	size_t start = 0;
	for (size_t i = 0; i <= granted.len; i++) {
		if (i < granted.len && !is_scope_separator(granted.ptr[i]))
			continue;
		if (str_equal_z(str_slice(granted, start, i), scope))
			return true;
		start = i + 1;
	}
	return false;
}

struct str scopes_missing(struct arena *arena, struct str granted, const char *const *needed)
{
	struct buf missing;
	buf_init(&missing, arena, MISSING_MAX_BYTES);
	if (str_is_empty(granted))
		return buf_str(&missing);
	for (; *needed != NULL; needed++) {
		if (scope_is_granted(granted, *needed))
			continue;
		if (missing.len > 0)
			buf_add_z(&missing, ", ");
		buf_add_z(&missing, *needed);
	}
	return buf_str(&missing);
}

bool scopes_missing_fail(const struct env *env, struct str granted, const char *const *needed,
			 struct step *step)
{
	const struct str missing = scopes_missing(env->arena, granted, needed);
	if (str_is_empty(missing))
		return false;
	struct failure *failure =
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)));
	failure->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
	return true;
}
