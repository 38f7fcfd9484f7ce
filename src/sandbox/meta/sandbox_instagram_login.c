/* SPDX-License-Identifier: Apache-2.0
 * The simulated Instagram Login: consent of one professional account, code, a token of 60 days and
 * its renewal, and the host that such tokens are for (meta.md 2.8). The person is the owner of the
 * first Page's account. */
#include "sandbox_graph.h"

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json_write.h"

#define CODE_LIFETIME_S 3600          /* 2.8 */
#define RENEWABLE_AFTER_US US_PER_DAY /* 2.8 */

static const char *const known_scopes[] = {
	"instagram_business_basic",           "instagram_business_content_publish",
	"instagram_business_manage_comments", "instagram_business_manage_messages",
	"instagram_business_manage_insights", NULL,
};

static const struct graph_page *account_of(struct sandbox_call *call)
{
	return &sandbox_graph_state(call->sandbox)->pages[0];
}

/* ---- consent ---- */

/* False = the call has been answered. */
static bool check_authorize(struct sandbox_call *call)
{
	struct str scopes[32];
	const size_t count = sandbox_graph_scopes_split(sandbox_query(call, "scope"), scopes, 32);
	const char *title = NULL;
	if (!sandbox_client_id_is(SANDBOX_INSTAGRAM, sandbox_query(call, "client_id")))
		title = "Invalid Request: Request parameters are invalid: Invalid platform app";
	else if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri")))
		title = "Invalid Request: Request parameters are invalid: Invalid redirect_uri";
	else if (!str_equal_z(sandbox_query(call, "response_type"), "code"))
		title = "Invalid Request: Request parameters are invalid: response_type";
	for (size_t i = 0; title == NULL && i < count; i++) {
		if (!sandbox_is_one_of(scopes[i], known_scopes))
			title = "Invalid Request: Request parameters are invalid: Invalid scope";
	}
	if (title != NULL)
		sandbox_error_page(call, 400, "Sorry, this page isn't available", str_of(title));
	return title == NULL;
}

static void redirect_allowed(struct sandbox_call *call, struct str granted)
{
	struct graph_grant *grant = sandbox_keep(call->sandbox, sizeof(*grant));
	grant->granted_us = call->now_us;
	grant->asked = sandbox_keep_str(call->sandbox, sandbox_query(call, "scope"));
	grant->granted = sandbox_keep_str(call->sandbox, granted);
	const struct str code = sandbox_code_issue(
		call->sandbox, &(struct sandbox_code){
				       .platform = SANDBOX_INSTAGRAM,
				       .prefix = STR("AQ"),
				       .client_id = sandbox_query(call, "client_id"),
				       .redirect_uri = sandbox_query(call, "redirect_uri"),
				       .scope = grant->granted,
				       .subject = account_of(call)->ig_id,
				       .lifetime_s = CODE_LIFETIME_S,
				       .extra = grant,
			       });
	sandbox_redirect(
		call, sandbox_query(call, "redirect_uri"),
		(struct sandbox_pair[]){{"code", code}, {"state", sandbox_query(call, "state")}},
		2);
}

void sandbox_instagram_authorize(struct sandbox_call *call)
{
	if (!check_authorize(call))
		return;
	struct sandbox_consent_page page = {
		.user_name = account_of(call)->ig_username,
		.scope = sandbox_query(call, "scope"),
		.choose_text = "What may the app do?",
	};
	sandbox_consent_offer_scopes(call, &page, ',');
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		break;
	case SANDBOX_CONSENT_ALLOWED:
		redirect_allowed(
			call, sandbox_consent_scopes(call, &page, ',', "instagram_business_basic"));
		break;
	case SANDBOX_CONSENT_DENIED:
		sandbox_redirect(call, sandbox_query(call, "redirect_uri"),
				 (struct sandbox_pair[]){{"error", STR("access_denied")},
							 {"error_reason", STR("user_denied")},
							 {"error_description",
							  STR("The user denied your request.")},
							 {"state", sandbox_query(call, "state")}},
				 4);
		break;
	}
}

/* ---- the code ---- */

/* This endpoint has an error form of its own. */
static void fail_exchange(struct sandbox_call *call, const char *message)
{
	struct json_writer w;
	sandbox_answer(call, 400, &w);
	json_begin_object(&w);
	json_member_str(&w, "error_type", STR("OAuthException"));
	json_member_int(&w, "code", 400);
	json_member_str(&w, "error_message", str_of(message));
	json_end_object(&w);
}

static struct sandbox_token *token_make(struct sandbox_call *call, const struct sandbox_token *like,
					const char *label, int64_t lifetime_s)
{
	return sandbox_token_issue(call->sandbox, &(struct sandbox_token){
							  .platform = SANDBOX_INSTAGRAM,
							  .kind = SANDBOX_TOKEN_ACCESS,
							  .prefix = STR("IGAA"),
							  .random_length = 170,
							  .client_id = like->client_id,
							  .subject = like->subject,
							  .scope = like->scope,
							  .label = str_of(label),
							  .lifetime_s = lifetime_s,
							  .extra = like->extra,
						  });
}

static void answer_short(struct sandbox_call *call, const struct sandbox_token *token)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", token->text);
	json_member_str(&w, "user_id", token->subject);
	json_member_str(&w, "permissions", token->scope);
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
}

void sandbox_instagram_exchange(struct sandbox_call *call)
{
	static const char *const refusals[] = {
		[SANDBOX_REDEEM_OK] = NULL,
		[SANDBOX_REDEEM_UNKNOWN] = "Invalid authorization code",
		[SANDBOX_REDEEM_EXPIRED] = "This authorization code has expired",
		[SANDBOX_REDEEM_USED] = "This authorization code has been used",
		[SANDBOX_REDEEM_CLIENT] = "Invalid authorization code",
		[SANDBOX_REDEEM_REDIRECT] =
			"Error validating verification code. Please make sure your redirect_uri is "
			"identical to the one you used in the OAuth dialog request",
		[SANDBOX_REDEEM_VERIFIER] = "Invalid authorization code",
	};
	struct sandbox_code *code = NULL;
	const struct str client_id = sandbox_form(call, "client_id");
	const char *refusal = NULL;
	switch (sandbox_client_check(SANDBOX_INSTAGRAM, client_id,
				     sandbox_form(call, "client_secret"))) {
	case SANDBOX_CLIENT_OK:
		break;
	case SANDBOX_CLIENT_UNKNOWN:
		refusal = "Invalid platform app";
		break;
	case SANDBOX_CLIENT_BAD_SECRET:
		refusal = "Error validating client secret.";
		break;
	}
	if (refusal == NULL && !str_equal_z(sandbox_form(call, "grant_type"), "authorization_code"))
		refusal = "You must include a valid grant_type";
	if (refusal == NULL)
		refusal = refusals[sandbox_code_redeem(
			call->sandbox, SANDBOX_INSTAGRAM, sandbox_form(call, "code"), client_id,
			sandbox_form(call, "redirect_uri"), (struct str){0}, &code)];
	if (refusal != NULL) {
		fail_exchange(call, refusal);
		return;
	}
	const struct sandbox_token like = {.client_id = code->client_id,
					   .subject = code->subject,
					   .scope = code->scope,
					   .extra = code->extra};
	answer_short(call, token_make(call, &like, GRAPH_LOGIN_SHORT, GRAPH_SHORT_TOKEN_S));
}

/* ---- 60 days ---- */

static int64_t long_life_s(const struct sandbox_call *call)
{
	return 86400 * sandbox_knob(call->sandbox, SANDBOX_KNOB_instagram_login_days);
}

static void answer_long(struct sandbox_call *call, const struct sandbox_token *token)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", token->text);
	json_member_str(&w, "token_type", STR("bearer"));
	json_member_int(&w, "expires_in", long_life_s(call));
	json_member_str(&w, "permissions", token->scope);
	json_end_object(&w);
}

static bool is_grant_type(struct sandbox_call *call, const char *wanted)
{
	static const struct graph_error wrong = {400, 100, 0, "(#100) Invalid grant_type"};
	if (str_equal_z(sandbox_query(call, "grant_type"), wanted))
		return true;
	sandbox_graph_fail(call, &wrong);
	return false;
}

/* The secret is looked at before the token (2.9, 4). */
void sandbox_instagram_lengthen(struct sandbox_call *call)
{
	static const struct graph_error bad_secret = {400, 100, 0,
						      "Error validating client secret."};
	if (!is_grant_type(call, "ig_exchange_token"))
		return;
	const struct str secret = sandbox_query(call, "client_secret");
	const struct str id = sandbox_client_id_is_new(secret) ? STR("sandbox-instagram-new")
							       : STR("sandbox-instagram");
	if (sandbox_client_check(SANDBOX_INSTAGRAM, id, secret) != SANDBOX_CLIENT_OK) {
		sandbox_graph_fail(call, &bad_secret);
		return;
	}
	const struct sandbox_token *token = sandbox_graph_token(call);
	if (token != NULL)
		answer_long(call, token_make(call, token, GRAPH_LOGIN_LONG, long_life_s(call)));
}

void sandbox_instagram_renew(struct sandbox_call *call)
{
	static const struct graph_error too_young = {
		400, 100, 0, "(#100) The access token is not yet 24 hours old"};
	static const struct graph_error not_long = {
		400, 100, 0, "(#100) Only long-lived access tokens can be refreshed"};
	if (!is_grant_type(call, "ig_refresh_token"))
		return;
	const struct sandbox_token *token = sandbox_graph_token(call);
	if (token == NULL)
		return;
	if (!str_equal_z(token->label, GRAPH_LOGIN_LONG))
		sandbox_graph_fail(call, &not_long);
	else if (call->now_us - token->issued_us < RENEWABLE_AFTER_US)
		sandbox_graph_fail(call, &too_young);
	else
		answer_long(call, token_make(call, token, GRAPH_LOGIN_LONG, long_life_s(call)));
}

/* ---- whose it is ---- */

/* user_id is the account's id, id the person's in this app. */
void sandbox_instagram_profile_write(struct sandbox_call *call, const struct graph_page *page)
{
	const struct str rest = str_slice(page->ig_id, 2, page->ig_id.len);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (sandbox_graph_wants(call, "user_id", true))
		json_member_str(&w, "user_id", page->ig_id);
	if (sandbox_graph_wants(call, "username", true))
		json_member_str(&w, "username", page->ig_username);
	if (sandbox_graph_wants(call, "name", false) && page->ig_name.len > 0)
		json_member_str(&w, "name", page->ig_name);
	if (sandbox_graph_wants(call, "account_type", false))
		json_member_str(&w, "account_type", STR("BUSINESS"));
	if (sandbox_graph_wants(call, "profile_picture_url", false))
		json_member_str(&w, "profile_picture_url",
				sandbox_url(call, "scontent.xx.fbcdn.net",
					    str_concat(call->arena, STR("/avatar/"),
						       str_slice(page->ig_username, 0, 1))));
	json_member_str(&w, "id", str_concat(call->arena, STR("26"), rest));
	json_end_object(&w);
}
