/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's OAuth 2.0 with PKCE: consent, the token endpoint with rotating refresh tokens,
 * revoking, and the app-only token (x.md 1). */
#include "sandbox_x.h"

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json_write.h"

#define CODE_LIFETIME_S 30               /* 1.2 */
#define ACCESS_LIFETIME_S 7200           /* 1.3 */
#define REFRESH_LIFETIME_S (180 * 86400) /* 1.4: "about six months" is common lore */
#define STATE_MAX_CHARS 500              /* 1.1 */

static const char *const known_scopes[] = {
	"tweet.read",
	"tweet.write",
	"tweet.moderate.write",
	"users.read",
	"users.email",
	"follows.read",
	"follows.write",
	"offline.access",
	"space.read",
	"mute.read",
	"mute.write",
	"like.read",
	"like.write",
	"list.read",
	"list.write",
	"block.read",
	"block.write",
	"bookmark.read",
	"bookmark.write",
	"dm.read",
	"dm.write",
	"media.write",
	NULL,
};

static bool are_known_scopes(struct str scopes)
{
	bool has_any = false;
	struct str word;
	while (scopes.ptr != NULL && str_take_field(&scopes, ' ', &word)) {
		if (word.len > 0 && !sandbox_is_one_of(word, known_scopes))
			return false;
		has_any = has_any || word.len > 0;
	}
	return has_any;
}

/* The error in the request, or NULL. X shows it on a page; nothing returns to the app (1.2). */
static const char *authorize_fault(struct sandbox_call *call)
{
	const struct str method = sandbox_query(call, "code_challenge_method");
	const struct str challenge = sandbox_query(call, "code_challenge");
	const struct str state = sandbox_query(call, "state");
	if (!sandbox_client_id_is(SANDBOX_X, sandbox_query(call, "client_id")))
		return "Value passed for the client_id was invalid.";
	if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri")))
		return "Value passed for the redirect_uri is not one of the app's callback URLs.";
	if (!str_equal_z(sandbox_query(call, "response_type"), "code"))
		return "Value passed for the response_type was invalid.";
	if (!are_known_scopes(sandbox_query(call, "scope")))
		return "Value passed for the scope was invalid.";
	if (state.len == 0 || state.len > STATE_MAX_CHARS)
		return "Value passed for the state was missing or too long.";
	if (challenge.len == 0)
		return "Missing required parameter [code_challenge].";
	/* X takes s256 too, which twitter-api-v2 sends. */
	if (method.len > 0 && !str_equal_nocase(method, STR("S256")) &&
	    !str_equal_z(method, "plain"))
		return "Value passed for the code_challenge_method was invalid.";
	return NULL;
}

static struct str issue_code(struct sandbox_call *call)
{
	const bool is_s256 =
		str_equal_nocase(sandbox_query(call, "code_challenge_method"), STR("S256"));
	return sandbox_code_issue(call->sandbox,
				  &(struct sandbox_code){
					  .platform = SANDBOX_X,
					  .client_id = sandbox_query(call, "client_id"),
					  .redirect_uri = sandbox_query(call, "redirect_uri"),
					  .scope = sandbox_query(call, "scope"),
					  .subject = sandbox_x_state(call)->user_id,
					  .pkce = is_s256 ? SANDBOX_PKCE_S256 : SANDBOX_PKCE_PLAIN,
					  .challenge = sandbox_query(call, "code_challenge"),
					  .lifetime_s = CODE_LIFETIME_S,
				  });
}

void sandbox_x_authorize(struct sandbox_call *call)
{
	const char *fault = authorize_fault(call);
	const struct str redirect_uri = sandbox_query(call, "redirect_uri");
	const struct str state = sandbox_query(call, "state");
	const struct sandbox_consent_page page = {.user_name = sandbox_x_state(call)->name,
						  .scope = sandbox_query(call, "scope")};
	if (fault != NULL) {
		sandbox_error_page(call, 400, "Something went wrong", str_of(fault));
		return;
	}
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		break;
	case SANDBOX_CONSENT_ALLOWED:
		sandbox_redirect(
			call, redirect_uri,
			(struct sandbox_pair[]){{"state", state}, {"code", issue_code(call)}}, 2);
		break;
	case SANDBOX_CONSENT_DENIED:
		sandbox_redirect(
			call, redirect_uri,
			(struct sandbox_pair[]){{"error", STR("access_denied")}, {"state", state}},
			2);
		break;
	}
}

/* ---- the token endpoint (1.3, 1.4) ---- */

/* A confidential client authenticates in the header only. */
static bool check_client(struct sandbox_call *call, struct str *client_id_out)
{
	struct str secret;
	if (!sandbox_basic(call, client_id_out, &secret)) {
		sandbox_answer_oauth_error(call, 401, "unauthorized_client",
					   STR("Missing valid authorization header"));
		return false;
	}
	switch (sandbox_client_check(SANDBOX_X, *client_id_out, secret)) {
	case SANDBOX_CLIENT_OK:
		return true;
	case SANDBOX_CLIENT_UNKNOWN:
		sandbox_answer_oauth_error(call, 401, "invalid_client",
					   STR("Value passed for the client id was invalid."));
		break;
	case SANDBOX_CLIENT_BAD_SECRET:
		sandbox_answer_oauth_error(call, 401, "unauthorized_client",
					   STR("Missing valid authorization header"));
		break;
	}
	return false;
}

static void answer_tokens(struct sandbox_call *call, struct str client_id, struct str scope)
{
	struct sandbox_token fresh = {
		.platform = SANDBOX_X,
		.kind = SANDBOX_TOKEN_ACCESS,
		.random_length = 92,
		.client_id = client_id,
		.subject = sandbox_x_state(call)->user_id,
		.scope = scope,
		.label = STR("user"),
		.lifetime_s = ACCESS_LIFETIME_S,
	};
	struct sandbox_token *access = sandbox_token_issue(call->sandbox, &fresh);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "token_type", STR("bearer"));
	json_member_int(&w, "expires_in", ACCESS_LIFETIME_S);
	json_member_str(&w, "access_token", access->text);
	json_member_str(&w, "scope", access->scope);
	if (sandbox_scope_has(access->scope, "offline.access")) {
		fresh.kind = SANDBOX_TOKEN_REFRESH;
		fresh.lifetime_s = REFRESH_LIFETIME_S;
		access->partner = sandbox_token_issue(call->sandbox, &fresh);
		access->partner->partner = access;
		json_member_str(&w, "refresh_token", access->partner->text);
	}
	json_end_object(&w);
	sandbox_answer_header(call, "Cache-Control", STR("no-store"));
}

static void exchange_code(struct sandbox_call *call, struct str client_id)
{
	static const char *const faults[] = {
		[SANDBOX_REDEEM_UNKNOWN] = "Value passed for the authorization code was invalid.",
		[SANDBOX_REDEEM_EXPIRED] = "Value passed for the authorization code was invalid.",
		[SANDBOX_REDEEM_USED] = "Value passed for the authorization code was invalid.",
		[SANDBOX_REDEEM_CLIENT] = "Value passed for the authorization code was invalid.",
		[SANDBOX_REDEEM_REDIRECT] = "Value passed for the redirect uri did not match the "
					    "uri of the authorization code.",
		[SANDBOX_REDEEM_VERIFIER] =
			"Value passed for the code verifier did not match the code challenge.",
	};
	struct sandbox_code *code = NULL;
	const enum sandbox_redeem outcome =
		sandbox_code_redeem(call->sandbox, SANDBOX_X, sandbox_body_param(call, "code"),
				    client_id, sandbox_body_param(call, "redirect_uri"),
				    sandbox_body_param(call, "code_verifier"), &code);
	if (outcome != SANDBOX_REDEEM_OK)
		sandbox_answer_oauth_error(call, 400, "invalid_request", str_of(faults[outcome]));
	else
		answer_tokens(call, client_id, code->scope);
}

/* Each refresh token works once; the answer carries the next one (1.4). */
static void refresh(struct sandbox_call *call, struct str client_id)
{
	struct sandbox_token *token = sandbox_token_find(call->sandbox, SANDBOX_X,
							 sandbox_body_param(call, "refresh_token"));
	if (token == NULL || token->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, token) ||
	    !str_equal(token->client_id, client_id)) {
		sandbox_answer_oauth_error(call, 400, "invalid_request",
					   STR("Value passed for the token was invalid."));
		return;
	}
	token->is_revoked = true;
	answer_tokens(call, client_id, token->scope);
}

void sandbox_x_token(struct sandbox_call *call)
{
	const struct str grant_type = sandbox_body_param(call, "grant_type");
	struct str client_id;
	if (!check_client(call, &client_id))
		return;
	if (str_equal_z(grant_type, "authorization_code"))
		exchange_code(call, client_id);
	else if (str_equal_z(grant_type, "refresh_token"))
		refresh(call, client_id);
	else if (grant_type.len == 0)
		sandbox_answer_oauth_error(call, 400, "invalid_request",
					   STR("Missing required parameter [grant_type]."));
	else
		sandbox_answer_oauth_error(call, 400, "unsupported_grant_type",
					   STR("Value passed for the grant type was invalid."));
}

void sandbox_x_revoke(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_token_find(call->sandbox, SANDBOX_X, sandbox_form(call, "token"));
	struct str client_id;
	if (!check_client(call, &client_id))
		return;
	if (token != NULL) {
		token->is_revoked = true;
		if (token->partner != NULL && token->kind == SANDBOX_TOKEN_REFRESH)
			token->partner->is_revoked = true;
	}
	sandbox_answer_json(call, 200, "{\"revoked\":true}");
}

/* 1.7: one token, the same every time. */
void sandbox_x_app_token(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_object_get(call->sandbox, SANDBOX_X, "app_token", STR("one"));
	struct str client_id;
	struct str secret;
	if (!sandbox_basic(call, &client_id, &secret) ||
	    sandbox_client_check(SANDBOX_X, client_id, secret) != SANDBOX_CLIENT_OK ||
	    !str_equal_z(sandbox_form(call, "grant_type"), "client_credentials")) {
		sandbox_answer_json(
			call, 403,
			"{\"errors\":[{\"code\":99,\"label\":\"authenticity_token_error\","
			"\"message\":\"Unable to verify your credentials\"}]}");
		return;
	}
	if (token == NULL) {
		token = sandbox_token_issue(call->sandbox, &(struct sandbox_token){
								   .platform = SANDBOX_X,
								   .kind = SANDBOX_TOKEN_APP,
								   .prefix = STR("AAAA"),
								   .random_length = 100,
								   .client_id = client_id,
								   .label = STR("app"),
							   });
		sandbox_object_put(call->sandbox, SANDBOX_X, "app_token", STR("one"), token);
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "token_type", STR("bearer"));
	json_member_str(&w, "access_token", token->text);
	json_end_object(&w);
}
