/* SPDX-License-Identifier: Apache-2.0
 * Token answers. Some platforms say how long a refresh token lives as refresh_expires_in, others as
 * refresh_token_expires_in. */
#include "token_answer.h"

#include "buf.h"
#include "clock.h"

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

static bool is_scope_separator(char c)
{
	return c == ' ' || c == ',';
}

bool token_scope_is_granted(struct str granted, const char *scope)
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

struct str token_scopes_missing(struct arena *arena, struct str granted, const char *const *needed)
{
	struct buf missing;
	buf_init(&missing, arena, MISSING_MAX_BYTES);
	if (str_is_empty(granted))
		return buf_str(&missing);
	for (; *needed != NULL; needed++) {
		if (token_scope_is_granted(granted, *needed))
			continue;
		if (missing.len > 0)
			buf_add_z(&missing, ", ");
		buf_add_z(&missing, *needed);
	}
	return buf_str(&missing);
}

bool token_scopes_missing_fail(const struct env *env, struct str granted, const char *const *needed,
			       struct step *step)
{
	const struct str missing = token_scopes_missing(env->arena, granted, needed);
	if (str_is_empty(missing))
		return false;
	struct failure *failure =
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)));
	failure->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
	return true;
}
