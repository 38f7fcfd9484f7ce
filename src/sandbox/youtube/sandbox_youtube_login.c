/* SPDX-License-Identifier: Apache-2.0
 * Google's OAuth, simulated: consent, codes, tokens (youtube.md 1). */
#include "sandbox_youtube.h"

#include "count_of.h"

/* Not documented; ten minutes is the longest that RFC 6749 4.1.2 recommends. */
#define CODE_LIFETIME_S 600
#define ACCESS_LIFETIME_S 3599                 /* 1.4 */
#define TESTING_LIFETIME_S (7 * 24 * 3600 - 1) /* 1.4: seven days */

/* ---- consent ---- */

/* Every requested scope must be known, and there must be one. */
static bool are_scopes_known(struct str asked)
{
	struct str in = asked;
	bool has_any = false;
	struct str word;
	while (str_take_field(&in, ' ', &word)) {
		if (!str_is_empty(word) && !sandbox_youtube_is_scope(word))
			return false;
		has_any = has_any || !str_is_empty(word);
	}
	return has_any;
}

/* Google shows a page for all of these; nothing returns to the app (1.3). */
static bool may_authorize(struct sandbox_call *call)
{
	const struct str method = sandbox_query(call, "code_challenge_method");
	if (!sandbox_client_id_is(SANDBOX_YOUTUBE, sandbox_query(call, "client_id"))) {
		sandbox_error_page(call, 401, "Error 401: invalid_client",
				   STR("The OAuth client was not found."));
		return false;
	}
	if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri"))) {
		sandbox_error_page(
			call, 400, "Error 400: redirect_uri_mismatch",
			STR("The redirect URI in the request does not match a registered one."));
		return false;
	}
	if (!str_equal_z(sandbox_query(call, "response_type"), "code")) {
		sandbox_error_page(call, 400, "Error 400: unsupported_response_type",
				   STR("The response_type must be code."));
		return false;
	}
	if (!are_scopes_known(sandbox_query(call, "scope"))) {
		sandbox_error_page(call, 400, "Error 400: invalid_scope",
				   STR("Some requested scopes were invalid or missing."));
		return false;
	}
	if (!str_is_empty(sandbox_query(call, "code_challenge")) && !str_is_empty(method) &&
	    !str_equal_z(method, "S256") && !str_equal_z(method, "plain")) {
		sandbox_error_page(call, 400, "Error 400: invalid_request",
				   STR("Invalid code_challenge_method."));
		return false;
	}
	return true;
}

static enum sandbox_pkce pkce_of(struct sandbox_call *call)
{
	if (str_is_empty(sandbox_query(call, "code_challenge")))
		return SANDBOX_PKCE_NONE;
	return str_equal_z(sandbox_query(call, "code_challenge_method"), "S256")
		       ? SANDBOX_PKCE_S256
		       : SANDBOX_PKCE_PLAIN;
}

/* Google issues a refresh token for offline access, and on a repeated consent only on request
 * (1.1). */
static bool wants_refresh(struct sandbox_call *call)
{
	const struct youtube_state *state = call->state;
	return str_equal_z(sandbox_query(call, "access_type"), "offline") &&
	       (!state->has_granted || sandbox_scope_has(sandbox_query(call, "prompt"), "consent"));
}

static void grant_code(struct sandbox_call *call, struct str scope)
{
	const struct sandbox_code code = {
		.platform = SANDBOX_YOUTUBE,
		/* contains a slash: a caller that does not decode the code fails */
		.prefix = STR("4/0A"),
		.client_id = sandbox_query(call, "client_id"),
		.redirect_uri = sandbox_query(call, "redirect_uri"),
		.scope = scope,
		.subject = STR(YOUTUBE_CHANNEL_ID),
		.choices = wants_refresh(call) ? STR("offline") : STR("online"),
		.pkce = pkce_of(call),
		.challenge = sandbox_query(call, "code_challenge"),
		.lifetime_s = CODE_LIFETIME_S,
	};
	const struct sandbox_pair pairs[] = {
		{"state", sandbox_query(call, "state")},
		{"code", sandbox_code_issue(call->sandbox, &code)},
		{"scope", scope},
		{"authuser", STR("0")},
		{"prompt", STR("consent")},
	};
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, COUNT_OF(pairs));
}

void sandbox_youtube_authorize(struct sandbox_call *call)
{
	const struct sandbox_pair refused[] = {
		{"error", STR("access_denied")},
		{"state", sandbox_query(call, "state")},
	};
	struct sandbox_consent_page page = {.user_name =
						    STR("Posthorn Sandbox (posthorn@example.com)")};
	if (!may_authorize(call))
		return;
	/* The user may untick scopes one by one (1.2). */
	sandbox_consent_offer_scopes(call, &page, ' ');
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		return;
	case SANDBOX_CONSENT_DENIED:
		sandbox_redirect(call, sandbox_query(call, "redirect_uri"), refused, 2);
		return;
	case SANDBOX_CONSENT_ALLOWED:
		grant_code(call, sandbox_consent_scopes(call, &page, ' ', ""));
		return;
	}
}

/* ---- tokens ---- */

/* The credentials stand in the form or in the header (RFC 6749 2.3.1; arctic does so). */
static void read_client(struct sandbox_call *call, struct str *client_id_out,
			struct str *secret_out)
{
	*client_id_out = sandbox_form(call, "client_id");
	*secret_out = sandbox_form(call, "client_secret");
	if (str_is_empty(*secret_out))
		sandbox_basic(call, client_id_out, secret_out);
}

static struct str client_of(struct sandbox_call *call)
{
	struct str client_id, secret;
	read_client(call, &client_id, &secret);
	return client_id;
}

static bool is_client(struct sandbox_call *call)
{
	struct str client_id, secret;
	read_client(call, &client_id, &secret);
	switch (sandbox_client_check(SANDBOX_YOUTUBE, client_id, secret)) {
	case SANDBOX_CLIENT_OK:
		return true;
	case SANDBOX_CLIENT_UNKNOWN:
		sandbox_answer_oauth_error(call, 401, "invalid_client",
					   STR("The OAuth client was not found."));
		return false;
	case SANDBOX_CLIENT_BAD_SECRET:
		sandbox_answer_oauth_error(call, 401, "invalid_client", STR("Unauthorized"));
		return false;
	}
	return false;
}

static bool has_fields(struct sandbox_call *call, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is_empty(sandbox_form(call, names[i])))
			continue;
		sandbox_answer_oauth_error(
			call, 400, "invalid_request",
			str_format(call->arena, "Missing required parameter: %s", names[i]));
		return false;
	}
	return true;
}

static struct sandbox_token *issue(struct sandbox_call *call, enum sandbox_token_kind kind,
				   struct str scope)
{
	const bool is_access = kind == SANDBOX_TOKEN_ACCESS;
	const bool is_testing = sandbox_call_knob(call, SANDBOX_KNOB_youtube_testing) == 1;
	const int64_t refresh_lifetime_s = is_testing ? TESTING_LIFETIME_S : 0;
	const struct sandbox_token pattern = {
		.platform = SANDBOX_YOUTUBE,
		.kind = kind,
		.prefix = is_access ? STR("ya29.") : STR("1//0"),
		.random_length = is_access ? 200 : 100,
		.client_id = client_of(call),
		.subject = STR(YOUTUBE_CHANNEL_ID),
		.scope = scope,
		.lifetime_s = is_access ? ACCESS_LIFETIME_S : refresh_lifetime_s,
	};
	return sandbox_token_issue(call->sandbox, &pattern);
}

/* refresh is NULL on a refresh: the old one stays valid and is not repeated (1.4). */
static void answer_tokens(struct sandbox_call *call, const struct sandbox_token *access,
			  const struct sandbox_token *refresh)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", access->text);
	json_member_int(&w, "expires_in", ACCESS_LIFETIME_S);
	if (refresh != NULL)
		json_member_str(&w, "refresh_token", refresh->text);
	if (refresh != NULL && sandbox_call_knob(call, SANDBOX_KNOB_youtube_testing) == 1)
		json_member_int(&w, "refresh_token_expires_in", TESTING_LIFETIME_S);
	json_member_str(&w, "scope", access->scope);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_end_object(&w);
}

static void give_tokens(struct sandbox_call *call, const struct sandbox_code *code)
{
	struct youtube_state *state = call->state;
	struct sandbox_token *access = issue(call, SANDBOX_TOKEN_ACCESS, code->scope);
	struct sandbox_token *refresh = NULL;
	if (str_equal_z(code->choices, "offline")) {
		refresh = issue(call, SANDBOX_TOKEN_REFRESH, code->scope);
		access->partner = refresh;
		state->has_granted = true;
	}
	answer_tokens(call, access, refresh);
}

static void exchange_code(struct sandbox_call *call)
{
	static const char *const fields[] = {"code", "redirect_uri"};
	if (!has_fields(call, fields, 2))
		return;
	struct sandbox_code *code = NULL;
	switch (sandbox_code_redeem(call->sandbox, SANDBOX_YOUTUBE, sandbox_form(call, "code"),
				    client_of(call), sandbox_form(call, "redirect_uri"),
				    sandbox_form(call, "code_verifier"), &code)) {
	case SANDBOX_REDEEM_OK:
		give_tokens(call, code);
		return;
	case SANDBOX_REDEEM_UNKNOWN:
		sandbox_answer_oauth_error(call, 400, "invalid_grant", STR("Malformed auth code."));
		return;
	case SANDBOX_REDEEM_EXPIRED:
	case SANDBOX_REDEEM_USED:
	case SANDBOX_REDEEM_CLIENT:
		sandbox_answer_oauth_error(call, 400, "invalid_grant", STR("Bad Request"));
		return;
	case SANDBOX_REDEEM_REDIRECT:
		sandbox_answer_oauth_error(call, 400, "redirect_uri_mismatch", STR("Bad Request"));
		return;
	case SANDBOX_REDEEM_VERIFIER:
		sandbox_answer_oauth_error(call, 400, "invalid_grant",
					   str_of(str_is_empty(sandbox_form(call, "code_verifier"))
							  ? "Missing code verifier."
							  : "Invalid code verifier."));
		return;
	}
}

static void exchange_refresh(struct sandbox_call *call)
{
	static const char *const fields[] = {"refresh_token"};
	if (!has_fields(call, fields, 1))
		return;
	struct sandbox_token *refresh = sandbox_token_find(call->sandbox, SANDBOX_YOUTUBE,
							   sandbox_form(call, "refresh_token"));
	if (refresh == NULL || refresh->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, refresh)) {
		sandbox_answer_oauth_error(call, 400, "invalid_grant",
					   STR("Token has been expired or revoked."));
		return;
	}
	struct sandbox_token *access = issue(call, SANDBOX_TOKEN_ACCESS, refresh->scope);
	access->partner = refresh;
	answer_tokens(call, access, NULL);
}

/* The client is checked before the grant; the probe of 1.6 depends on it. */
void sandbox_youtube_token(struct sandbox_call *call)
{
	static const char *const fields[] = {"grant_type", "client_id"};
	const struct str grant_type = sandbox_form(call, "grant_type");
	if (!has_fields(call, fields, str_is_empty(client_of(call)) ? 2 : 1) || !is_client(call))
		return;
	if (str_equal_z(grant_type, "authorization_code"))
		exchange_code(call);
	else if (str_equal_z(grant_type, "refresh_token"))
		exchange_refresh(call);
	else
		sandbox_answer_oauth_error(call, 400, "unsupported_grant_type",
					   STR("Invalid grant_type"));
}

void sandbox_youtube_revoke(struct sandbox_call *call)
{
	struct sandbox_token *found =
		sandbox_token_find(call->sandbox, SANDBOX_YOUTUBE, sandbox_param(call, "token"));
	if (found == NULL || !sandbox_token_is_live(call->sandbox, found)) {
		sandbox_answer_oauth_error(call, 400, "invalid_token",
					   STR("Token expired or revoked"));
		return;
	}
	found->is_revoked = true;
	if (found->partner != NULL)
		found->partner->is_revoked = true;
	sandbox_answer_json(call, 200, "{}");
}
