/* SPDX-License-Identifier: Apache-2.0
 * Answers of the simulated TikTok, good and bad, and the token check in front of every call
 * (tiktok.md 1, 4). */
#include "sandbox_tiktok.h"

struct str sandbox_tiktok_log_id(struct sandbox_call *call)
{
	return sandbox_id_decimal(call->sandbox, "2026", 34);
}

static void put_error(struct sandbox_call *call, struct json_writer *w, const char *code,
		      const char *message)
{
	json_key(w, "error");
	json_begin_object(w);
	json_member_str(w, "code", str_of(code));
	json_member_str(w, "message", str_of(message));
	json_member_str(w, "log_id", sandbox_tiktok_log_id(call));
	json_end_object(w);
}

void sandbox_tiktok_refuse(struct sandbox_call *call, struct tiktok_error error,
			   const char *message)
{
	struct json_writer w;
	sandbox_answer(call, error.status, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_end_object(&w);
	put_error(call, &w, error.code, message);
	json_end_object(&w);
}

bool sandbox_tiktok_refuse_params(struct sandbox_call *call, const char *message)
{
	sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_params"}, message);
	return false;
}

void sandbox_tiktok_begin(struct sandbox_call *call, struct json_writer *w)
{
	sandbox_answer(call, 200, w);
	json_begin_object(w);
	json_key(w, "data");
	json_begin_object(w);
}

void sandbox_tiktok_end(struct sandbox_call *call, struct json_writer *w)
{
	json_end_object(w);
	put_error(call, w, "ok", "");
	json_end_object(w);
}

void sandbox_tiktok_refuse_token(struct sandbox_call *call)
{
	sandbox_tiktok_refuse(call, (struct tiktok_error){401, "access_token_invalid"},
			      "The access token is invalid or not found in the request.");
}

const struct sandbox_token *sandbox_tiktok_enter(struct sandbox_call *call, const char *scope,
						 const char *second)
{
	const struct sandbox_token *found = sandbox_token_bearer(call);
	sandbox_tiktok_settle(call->sandbox);
	if (found == NULL || found->kind != SANDBOX_TOKEN_ACCESS ||
	    !sandbox_token_is_live(call->sandbox, found)) {
		sandbox_tiktok_refuse_token(call);
		return NULL;
	}
	if (sandbox_scope_has(found->scope, scope) ||
	    (second != NULL && sandbox_scope_has(found->scope, second)))
		return found;
	sandbox_tiktok_refuse(
		call, (struct tiktok_error){401, "scope_not_authorized"},
		"The user did not authorize the scope required for completing this request.");
	return NULL;
}
