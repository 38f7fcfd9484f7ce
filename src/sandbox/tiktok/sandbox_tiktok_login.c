/* SPDX-License-Identifier: Apache-2.0
 * Login Kit of the simulated TikTok: consent, codes, tokens that rotate (tiktok.md 1). */
#include "sandbox_tiktok.h"

#include "count_of.h"

#define CODE_LIFETIME_S 300         /* 1.3: short-lived; the span is not documented */
#define ACCESS_LIFETIME_S 7200      /* section 0: since 2026-11-02 */
#define REFRESH_LIFETIME_S 15552000 /* the same: 180 days */
#define VERIFIER_MIN 43             /* 1.1 */
#define VERIFIER_MAX 128

static const char *const all_scopes[] = {
	"user.info.basic",
	"user.info.profile",
	"user.info.stats",
	"video.publish",
	"video.upload",
	"video.list",
	NULL,
};

/* The flat shape of OAuth (1.5). */
static void refuse_oauth(struct sandbox_call *call, int status, const char *error,
			 const char *description)
{
	struct json_writer w;
	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "error", str_of(error));
	json_member_str(&w, "error_description", str_of(description));
	json_member_str(&w, "log_id", sandbox_tiktok_log_id(call));
	json_end_object(&w);
}

/* ---- consent ---- */

static bool are_scopes_known(struct str asked)
{
	struct str in = asked;
	struct str word;
	while (str_take_field(&in, ',', &word)) {
		if (!sandbox_is_one_of(word, all_scopes))
			return false;
	}
	return !str_is_empty(asked);
}

/* Plain http can only be a Desktop redirect, which needs PKCE; for web apps it is ignored (1.1:
 * clients that send the others' base64url challenge work there). */
static bool is_web(struct sandbox_call *call)
{
	return str_has_prefix(sandbox_query(call, "redirect_uri"), STR("https://"));
}

/* The exchange refuses everything but a hex digest, such as the base64url challenge of the other
 * platforms. */
static bool is_challenge_right(struct sandbox_call *call)
{
	if (is_web(call))
		return true;
	return str_equal_z(sandbox_query(call, "code_challenge_method"), "S256");
}

/* The authorize page names the wrong parameter; nothing returns to the app. */
static bool may_authorize(struct sandbox_call *call)
{
	const struct str redirect_uri = sandbox_query(call, "redirect_uri");
	const char *wrong = NULL;
	if (!sandbox_client_id_is(SANDBOX_TIKTOK, sandbox_query(call, "client_key")))
		wrong = "client_key";
	else if (!sandbox_redirect_is_registered(call, redirect_uri) ||
		 str_find_char(redirect_uri, '?', 0) != SIZE_MAX)
		wrong = "redirect_uri";
	else if (!str_equal_z(sandbox_query(call, "response_type"), "code"))
		wrong = "response_type";
	else if (!are_scopes_known(sandbox_query(call, "scope")))
		wrong = "scope";
	else if (!is_challenge_right(call))
		wrong = "code_challenge";
	if (wrong == NULL)
		return true;
	sandbox_error_page(
		call, 400, "Something went wrong",
		str_format(
			call->arena,
			"We couldn't log in with TikTok. Correct the following and try again: %s",
			wrong));
	return false;
}

static void send_back_refused(struct sandbox_call *call)
{
	const struct sandbox_pair pairs[] = {
		{"error", STR("access_denied")},
		{"error_description", STR("The user denied the request.")},
		{"state", sandbox_query(call, "state")},
	};
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, 3);
}

static void grant_code(struct sandbox_call *call, struct str scope)
{
	const struct str challenge = sandbox_query(call, "code_challenge");
	const struct sandbox_code code = {
		.platform = SANDBOX_TIKTOK,
		/* real codes contain such characters: a caller that does not decode the code
		 * fails (1.3) */
		.prefix = STR("sb*!"),
		.client_id = sandbox_query(call, "client_key"),
		.redirect_uri = sandbox_query(call, "redirect_uri"),
		.scope = scope,
		.subject = STR(TIKTOK_OPEN_ID),
		.pkce = is_web(call) ? SANDBOX_PKCE_NONE : SANDBOX_PKCE_S256_HEX,
		.challenge = challenge,
		.lifetime_s = CODE_LIFETIME_S,
	};
	const struct sandbox_pair pairs[] = {
		{"code", sandbox_code_issue(call->sandbox, &code)},
		{"scopes", scope},
		{"state", sandbox_query(call, "state")},
	};
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, 3);
}

void sandbox_tiktok_authorize(struct sandbox_call *call)
{
	struct sandbox_consent_page page = {.user_name =
						    STR(TIKTOK_NAME " (@" TIKTOK_USERNAME ")")};
	if (!may_authorize(call))
		return;
	/* Users may grant a part (1.2), but the basic scope always. */
	sandbox_consent_offer_scopes(call, &page, ',');
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		return;
	case SANDBOX_CONSENT_DENIED:
		send_back_refused(call);
		return;
	case SANDBOX_CONSENT_ALLOWED:
		grant_code(call, sandbox_consent_scopes(call, &page, ',', "user.info.basic"));
		return;
	}
}

/* ---- tokens ---- */

static bool has_fields(struct sandbox_call *call, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is_empty(sandbox_form(call, names[i])))
			continue;
		refuse_oauth(
			call, 400, "invalid_request",
			str_z(call->arena,
			      str_format(call->arena,
					 "The request parameters are malformed: %s is missing.",
					 names[i])));
		return false;
	}
	return true;
}

static bool is_client(struct sandbox_call *call)
{
	if (sandbox_client_check(SANDBOX_TIKTOK, sandbox_form(call, "client_key"),
				 sandbox_form(call, "client_secret")) == SANDBOX_CLIENT_OK)
		return true;
	refuse_oauth(call, 401, "invalid_client", "Client key or secret is incorrect.");
	return false;
}

static struct sandbox_token *issue(struct sandbox_call *call, enum sandbox_token_kind kind,
				   struct str scope)
{
	static const struct {
		const char *prefix;
		int64_t lifetime_s;
	} kinds[] = {
		[SANDBOX_TOKEN_ACCESS] = {"act.", ACCESS_LIFETIME_S},
		[SANDBOX_TOKEN_REFRESH] = {"rft.", REFRESH_LIFETIME_S},
		[SANDBOX_TOKEN_APP] = {"clt.", ACCESS_LIFETIME_S},
	};
	const struct sandbox_token pattern = {
		.platform = SANDBOX_TIKTOK,
		.kind = kind,
		.prefix = str_of(kinds[kind].prefix),
		.client_id = sandbox_form(call, "client_key"),
		.subject = STR(TIKTOK_OPEN_ID),
		.scope = scope,
		.lifetime_s = kinds[kind].lifetime_s,
	};
	return sandbox_token_issue(call->sandbox, &pattern);
}

static void give_pair(struct sandbox_call *call, struct str scope)
{
	struct sandbox_token *access = issue(call, SANDBOX_TOKEN_ACCESS, scope);
	struct sandbox_token *refresh = issue(call, SANDBOX_TOKEN_REFRESH, scope);
	access->partner = refresh;
	refresh->partner = access;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "open_id", STR(TIKTOK_OPEN_ID));
	json_member_str(&w, "scope", scope);
	json_member_str(&w, "access_token", access->text);
	json_member_int(&w, "expires_in", ACCESS_LIFETIME_S);
	json_member_str(&w, "refresh_token", refresh->text);
	json_member_int(&w, "refresh_expires_in", REFRESH_LIFETIME_S);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_end_object(&w);
}

static void refuse_verifier(struct sandbox_call *call)
{
	refuse_oauth(call, 400, "invalid_request", "Code verifier or code challenge is invalid.");
}

static void exchange_code(struct sandbox_call *call)
{
	static const char *const fields[] = {"code", "redirect_uri"};
	const struct str verifier = sandbox_form(call, "code_verifier");
	if (!has_fields(call, fields, 2))
		return;
	if (!str_is_empty(verifier) &&
	    (verifier.len < VERIFIER_MIN || verifier.len > VERIFIER_MAX)) {
		refuse_verifier(call);
		return;
	}
	struct sandbox_code *code = NULL;
	switch (sandbox_code_redeem(call->sandbox, SANDBOX_TIKTOK, sandbox_form(call, "code"),
				    sandbox_form(call, "client_key"),
				    sandbox_form(call, "redirect_uri"), verifier, &code)) {
	case SANDBOX_REDEEM_OK:
		give_pair(call, code->scope);
		return;
	case SANDBOX_REDEEM_UNKNOWN:
	case SANDBOX_REDEEM_CLIENT:
		refuse_oauth(call, 400, "invalid_grant", "Authorization code is invalid.");
		return;
	case SANDBOX_REDEEM_EXPIRED:
	case SANDBOX_REDEEM_USED:
		refuse_oauth(call, 400, "invalid_grant", "Authorization code is expired.");
		return;
	case SANDBOX_REDEEM_REDIRECT:
		refuse_oauth(call, 400, "invalid_request",
			     "Redirect_uri is not matched with the uri when requesting code.");
		return;
	case SANDBOX_REDEEM_VERIFIER:
		refuse_verifier(call);
		return;
	}
}

/* Strict rotation: the refresh token is used up, even when the answer gets lost (section 0). */
static void exchange_refresh(struct sandbox_call *call)
{
	static const char *const fields[] = {"refresh_token"};
	if (!has_fields(call, fields, 1))
		return;
	struct sandbox_token *refresh = sandbox_token_find(call->sandbox, SANDBOX_TIKTOK,
							   sandbox_form(call, "refresh_token"));
	if (refresh == NULL || refresh->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, refresh)) {
		refuse_oauth(call, 400, "invalid_grant", "Refresh token is invalid or expired.");
		return;
	}
	refresh->is_revoked = true;
	give_pair(call, refresh->scope);
}

static void exchange_client(struct sandbox_call *call)
{
	const struct sandbox_token *app = issue(call, SANDBOX_TOKEN_APP, (struct str){0});
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", app->text);
	json_member_int(&w, "expires_in", ACCESS_LIFETIME_S);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_end_object(&w);
}

void sandbox_tiktok_token(struct sandbox_call *call)
{
	static const struct {
		const char *name;
		void (*exchange)(struct sandbox_call *call);
	} grants[] = {
		{"authorization_code", exchange_code},
		{"refresh_token", exchange_refresh},
		{"client_credentials", exchange_client},
	};
	static const char *const fields[] = {"client_key", "client_secret", "grant_type"};
	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	for (size_t i = 0; i < COUNT_OF(grants); i++) {
		if (str_equal_z(sandbox_form(call, "grant_type"), grants[i].name)) {
			grants[i].exchange(call);
			return;
		}
	}
	refuse_oauth(call, 400, "unsupported_grant_type", "The grant type is not supported.");
}

void sandbox_tiktok_revoke(struct sandbox_call *call)
{
	static const char *const fields[] = {"client_key", "client_secret", "token"};
	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	struct sandbox_token *found =
		sandbox_token_find(call->sandbox, SANDBOX_TIKTOK, sandbox_form(call, "token"));
	if (found == NULL) {
		refuse_oauth(call, 400, "invalid_request", "The token is invalid.");
		return;
	}
	found->is_revoked = true;
	if (found->partner != NULL)
		found->partner->is_revoked = true;
	sandbox_answer_json(call, 200, "{}");
}
