/* SPDX-License-Identifier: Apache-2.0
 * OAuth of the simulated LinkedIn (linkedin.md 1.1 to 1.7): its apps and what their
 * products let them ask for, consent, codes, tokens, introspection. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#define MEMBER_NAME "Jo Doe"
#define CODE_LIFETIME_S (30 * 60)          /* 1.4 */
#define ACCESS_LIFETIME_S (60 * 24 * 3600) /* 1.4: expires_in 5184000 */
/* 1.5: counted from the first consent, never renewed. */
#define REFRESH_LIFETIME_S (365 * 24 * 3600)
#define ACCESS_RANDOM 497 /* 1.4: tokens are about 500 characters, three of them the prefix */
#define SESSION_COOKIE "li_sandbox=1"

/* ---- apps ---- */

/* Scopes are in alphabetical order, as the token answer lists them. The first app owns all of
 * them, as no real app does, so that everything can be tried without an application; the others
 * own what real products give (1.2, section 3). */
static const struct linkedin_app apps[LINKEDIN_APPS] = {
	{
		.client_id = "sandbox-linkedin",
		.scopes = {"email", "openid", "profile", "r_basicprofile", "r_organization_admin",
			   "r_organization_social", "r_organization_social_feed",
			   "rw_organization_admin", "w_member_social", "w_member_social_feed",
			   "w_organization_social", "w_organization_social_feed"},
		.gives_refresh_tokens = true,
		.member_day_max = 100000,
		.app_day_max = 100000,
	},
	/* Sign In with LinkedIn and Share on LinkedIn: self-serve. */
	{
		.client_id = "sandbox-linkedin-member",
		.scopes = {"email", "openid", "profile", "w_member_social"},
		.comments_need_feed_scope = true,
		.member_day_max = 150,
		.app_day_max = 100000,
	},
	/* The same as it is on its first day: the name that all new apps have. */
	{
		.client_id = "sandbox-linkedin-new",
		.scopes = {"email", "openid", "profile", "w_member_social"},
		.comments_need_feed_scope = true,
		.member_day_max = 150,
		.app_day_max = 100000,
	},
	/* Community Management API, development tier: no OpenID Connect. */
	{
		.client_id = "sandbox-linkedin-organization",
		.scopes = {"r_basicprofile", "r_organization_social", "r_organization_social_feed",
			   "rw_organization_admin", "w_member_social", "w_member_social_feed",
			   "w_organization_social", "w_organization_social_feed"},
		.comments_need_feed_scope = true,
		.member_day_max = 100,
		.app_day_max = 500,
	},
};

size_t sandbox_linkedin_app_find(struct str client_id)
{
	size_t i = 0;
	while (i < LINKEDIN_APPS && !str_equal_z(client_id, apps[i].client_id))
		i++;
	return i;
}

const struct linkedin_app *sandbox_linkedin_app(size_t index)
{
	return &apps[index];
}

/* The app of this request, which is known to exist by now. */
static const struct linkedin_app *app_of(struct str client_id)
{
	return &apps[sandbox_linkedin_app_find(client_id)];
}

static struct linkedin_consent *consent_of(struct sandbox_call *call, struct str client_id)
{
	struct linkedin_state *state = call->state;
	return &state->consents[sandbox_linkedin_app_find(client_id)];
}

/* ---- consent ---- */

/* LinkedIn's own client (linkedin-api-client) joins them with commas. */
static struct str split_by_blanks(struct arena *arena, struct str scopes)
{
	char *text = str_z(arena, scopes);
	for (size_t i = 0; i < scopes.len; i++) {
		if (text[i] == ',')
			text[i] = ' ';
	}
	return (struct str){text, scopes.len};
}

/* Writes the requested scopes in our order, separated by commas. False, with the scope, when the
 * app does not own one. */
static bool order_scopes(struct arena *arena, const struct linkedin_app *app, struct str asked,
			 struct str *ordered_out, struct str *unknown_out)
{
	struct str in = asked;
	struct buf ordered;
	buf_init(&ordered, arena, 4096);
	size_t known = 0;
	for (size_t i = 0; i < LINKEDIN_SCOPES_MAX && app->scopes[i] != NULL; i++) {
		if (!sandbox_scope_has(asked, app->scopes[i]))
			continue;
		if (known++ > 0)
			buf_add_char(&ordered, ',');
		buf_add_z(&ordered, app->scopes[i]);
	}
	size_t words = 0;
	struct str word;
	while (str_take_field(&in, ' ', &word)) {
		bool is_known = str_is_empty(word);
		for (size_t i = 0; i < LINKEDIN_SCOPES_MAX && app->scopes[i] != NULL && !is_known;
		     i++)
			is_known = str_equal_z(word, app->scopes[i]);
		if (!is_known) {
			*unknown_out = word;
			return false;
		}
		words += word.len > 0;
	}
	*ordered_out = buf_str(&ordered);
	return words > 0;
}

static void remember_grant(struct sandbox_call *call, struct sandbox_token *token)
{
	struct linkedin_consent *consent = consent_of(call, token->client_id);
	struct linkedin_grant *grant = sandbox_keep(call->sandbox, sizeof(*grant));
	*grant = (struct linkedin_grant){.token = token, .older = consent->grants};
	consent->grants = grant;
}

static void revoke(struct linkedin_consent *consent)
{
	for (struct linkedin_grant *grant = consent->grants; grant != NULL; grant = grant->older)
		grant->token->is_revoked = true;
	consent->grants = NULL;
	consent->scope = (struct str){0};
}

/* A consent with another scope set revokes the tokens issued before (1.1). */
static void apply_scope_change(struct sandbox_call *call, struct str scope)
{
	struct linkedin_consent *consent = consent_of(call, sandbox_query(call, "client_id"));
	if (!str_is_empty(consent->scope) && !str_equal(consent->scope, scope))
		revoke(consent);
	consent->scope = sandbox_keep_str(call->sandbox, scope);
}

/* The member's settings page: the app loses every token. */
void sandbox_linkedin_permitted_services(struct sandbox_call *call)
{
	const struct str client_id = sandbox_form(call, "client_id");
	if (sandbox_linkedin_app_find(client_id) == LINKEDIN_APPS) {
		sandbox_answer_empty(call, 404);
		return;
	}
	revoke(consent_of(call, client_id));
	sandbox_answer_empty(call, 204);
}

static void send_back(struct sandbox_call *call, const char *error, const char *description)
{
	const struct sandbox_pair pairs[] = {
		{"error", str_of(error)},
		{"error_description", str_of(description)},
		{"state", sandbox_query(call, "state")},
	};
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, 3);
}

static void grant_code(struct sandbox_call *call, struct str scope)
{
	const struct sandbox_code code = {
		.platform = SANDBOX_LINKEDIN,
		.prefix = STR("AQT"),
		.client_id = sandbox_query(call, "client_id"),
		.redirect_uri = sandbox_query(call, "redirect_uri"),
		.scope = scope,
		.subject = STR(LINKEDIN_MEMBER_ID),
		.lifetime_s = CODE_LIFETIME_S,
	};
	struct sandbox_pair pairs[] = {
		{"code", {0}},
		{"state", sandbox_query(call, "state")},
	};
	apply_scope_change(call, scope);
	pairs[0].value = sandbox_code_issue(call->sandbox, &code);
	sandbox_answer_header(
		call, "Set-Cookie",
		STR(SESSION_COOKIE "; Path=/www.linkedin.com; HttpOnly; SameSite=Lax"));
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, 2);
}

/* A wrong client or redirect URI ends on a page at LinkedIn; nothing returns to the app (1.3). */
static bool may_authorize(struct sandbox_call *call)
{
	if (sandbox_linkedin_app_find(sandbox_query(call, "client_id")) == LINKEDIN_APPS) {
		sandbox_error_page(call, 401, "Client_id doesn't match",
				   STR("The passed in client_id is invalid."));
		return false;
	}
	if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri"))) {
		sandbox_error_page(call, 401, "Redirect_uri doesn't match",
				   STR("The redirect_uri does not match the registered value."));
		return false;
	}
	if (!str_equal_z(sandbox_query(call, "response_type"), "code")) {
		sandbox_error_page(call, 401, "Invalid response_type",
				   STR("response_type must be code."));
		return false;
	}
	return true;
}

/* With a live browser session and unchanged scopes, LinkedIn does not ask again (1.1). */
static bool is_consented(struct sandbox_call *call, struct str scope)
{
	return str_equal(consent_of(call, sandbox_query(call, "client_id"))->scope, scope) &&
	       str_is_empty(sandbox_query(call, "sandbox_decision")) &&
	       str_find(sandbox_header(call, "Cookie"), STR(SESSION_COOKIE), 0) != SIZE_MAX;
}

void sandbox_linkedin_authorize(struct sandbox_call *call)
{
	const struct str asked = split_by_blanks(call->arena, sandbox_query(call, "scope"));
	const struct sandbox_consent_page page = {.user_name = STR(MEMBER_NAME), .scope = asked};
	if (!may_authorize(call))
		return;
	struct str unknown = {0};
	struct str scope;
	if (!order_scopes(call->arena, app_of(sandbox_query(call, "client_id")), asked, &scope,
			  &unknown)) {
		if (str_is_empty(unknown)) {
			sandbox_error_page(call, 401, "Invalid scope", STR("The scope is empty."));
			return;
		}
		send_back(call, "unauthorized_scope_error",
			  str_z(call->arena, str_format(call->arena,
							"Scope \"" STR_FMT
							"\" is not authorized for your application",
							STR_ARG(unknown))));
		return;
	}
	if (is_consented(call, scope)) {
		grant_code(call, scope);
		return;
	}
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		return;
	case SANDBOX_CONSENT_DENIED:
		send_back(call, "user_cancelled_authorize",
			  "The user cancelled LinkedIn authorization");
		return;
	case SANDBOX_CONSENT_ALLOWED:
		grant_code(call, scope);
		return;
	}
}

/* ---- tokens ---- */

static bool has_fields(struct sandbox_call *call, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is_empty(sandbox_form(call, names[i])))
			continue;
		sandbox_answer_oauth_error(call, 400, "invalid_request",
					   str_format(call->arena,
						      "A required parameter \"%s\" is missing",
						      names[i]));
		return false;
	}
	return true;
}

static bool is_client(struct sandbox_call *call)
{
	if (sandbox_linkedin_app_find(sandbox_form(call, "client_id")) < LINKEDIN_APPS &&
	    str_equal_z(sandbox_form(call, "client_secret"),
			sandbox_client_id_is_new(sandbox_form(call, "client_id"))
				? "sandbox-secret-linkedin-new"
				: "sandbox-secret-linkedin"))
		return true;
	sandbox_answer_oauth_error(call, 401, "invalid_client",
				   STR("Client authentication failed"));
	return false;
}

static struct sandbox_token *issue(struct sandbox_call *call, const struct sandbox_token *pattern)
{
	struct sandbox_token *token = sandbox_token_issue(call->sandbox, pattern);
	remember_grant(call, token);
	return token;
}

static struct sandbox_token *issue_access(struct sandbox_call *call, struct str scope)
{
	const struct sandbox_token pattern = {
		.platform = SANDBOX_LINKEDIN,
		.kind = SANDBOX_TOKEN_ACCESS,
		.prefix = STR("AQX"),
		.random_length = ACCESS_RANDOM,
		.client_id = sandbox_form(call, "client_id"),
		.subject = STR(LINKEDIN_MEMBER_ID),
		.scope = scope,
		.lifetime_s = ACCESS_LIFETIME_S,
	};
	return issue(call, &pattern);
}

static struct sandbox_token *issue_refresh(struct sandbox_call *call, struct str scope)
{
	const struct sandbox_token pattern = {
		.platform = SANDBOX_LINKEDIN,
		.kind = SANDBOX_TOKEN_REFRESH,
		.prefix = STR("AQW"),
		.random_length = ACCESS_RANDOM,
		.client_id = sandbox_form(call, "client_id"),
		.subject = STR(LINKEDIN_MEMBER_ID),
		.scope = scope,
		.lifetime_s = REFRESH_LIFETIME_S,
	};
	return issue(call, &pattern);
}

/* refresh is NULL for ordinary apps: the two refresh fields are left out (1.4). */
static void answer_tokens(struct sandbox_call *call, const struct sandbox_token *access,
			  const struct sandbox_token *refresh)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", access->text);
	json_member_int(&w, "expires_in", (access->expires_us - call->now_us) / US_PER_S);
	if (refresh != NULL) {
		json_member_str(&w, "refresh_token", refresh->text);
		json_member_int(&w, "refresh_token_expires_in",
				(refresh->expires_us - call->now_us) / US_PER_S);
	}
	json_member_str(&w, "scope", access->scope);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_end_object(&w);
}

static void exchange_code(struct sandbox_call *call)
{
	static const char *const fields[] = {"code", "redirect_uri", "client_id", "client_secret"};
	if (!has_fields(call, fields, 4) || !is_client(call))
		return;
	struct sandbox_code *code = NULL;
	switch (sandbox_code_redeem(call->sandbox, SANDBOX_LINKEDIN, sandbox_form(call, "code"),
				    sandbox_form(call, "client_id"),
				    sandbox_form(call, "redirect_uri"), (struct str){0}, &code)) {
	case SANDBOX_REDEEM_OK:
		break;
	case SANDBOX_REDEEM_UNKNOWN:
	case SANDBOX_REDEEM_USED:
		sandbox_answer_oauth_error(
			call, 401, "invalid_request",
			STR("Unable to retrieve access token: authorization code not found"));
		return;
	case SANDBOX_REDEEM_EXPIRED:
	case SANDBOX_REDEEM_CLIENT:
	case SANDBOX_REDEEM_REDIRECT:
	case SANDBOX_REDEEM_VERIFIER:
		sandbox_answer_oauth_error(
			call, 400, "invalid_redirect_uri",
			STR("Unable to retrieve access token: appid/redirect uri/code "
			    "verifier does not match "
			    "authorization code. Or authorization code expired."));
		return;
	}
	struct sandbox_token *refresh = NULL;
	if (app_of(code->client_id)->gives_refresh_tokens)
		refresh = issue_refresh(call, code->scope);
	answer_tokens(call, issue_access(call, code->scope), refresh);
}

static void exchange_refresh(struct sandbox_call *call)
{
	static const char *const fields[] = {"refresh_token", "client_id", "client_secret"};
	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	struct sandbox_token *refresh = sandbox_token_find(call->sandbox, SANDBOX_LINKEDIN,
							   sandbox_form(call, "refresh_token"));
	if (refresh == NULL || refresh->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, refresh)) {
		sandbox_answer_oauth_error(
			call, 400, "invalid_request",
			STR("The provided authorization grant or refresh token is invalid, "
			    "expired or revoked"));
		return;
	}
	answer_tokens(call, issue_access(call, refresh->scope), refresh);
}

/* The answer to valid credentials too: the probe of 1.7 relies on it. */
static void exchange_client(struct sandbox_call *call)
{
	static const char *const fields[] = {"client_id", "client_secret"};
	if (!has_fields(call, fields, 2) || !is_client(call))
		return;
	sandbox_answer_oauth_error(
		call, 401, "access_denied",
		STR("This application is not allowed to create application tokens"));
}

void sandbox_linkedin_access_token(struct sandbox_call *call)
{
	static const struct {
		const char *name;
		void (*exchange)(struct sandbox_call *call);
	} grants[] = {
		{"authorization_code", exchange_code},
		{"refresh_token", exchange_refresh},
		{"client_credentials", exchange_client},
	};
	static const char *const fields[] = {"grant_type"};
	const struct str grant_type = sandbox_form(call, "grant_type");
	if (!has_fields(call, fields, 1))
		return;
	for (size_t i = 0; i < COUNT_OF(grants); i++) {
		if (str_equal_z(grant_type, grants[i].name)) {
			grants[i].exchange(call);
			return;
		}
	}
	sandbox_answer_oauth_error(call, 400, "unsupported_grant_type",
				   STR("The grant_type is not supported"));
}

static const char *token_status(struct sandbox_call *call, const struct sandbox_token *token)
{
	if (sandbox_token_is_live(call->sandbox, token))
		return "active";
	return token->is_revoked ? "revoked" : "expired";
}

void sandbox_linkedin_introspect(struct sandbox_call *call)
{
	static const char *const fields[] = {"client_id", "client_secret", "token"};
	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	const struct sandbox_token *token =
		sandbox_token_find(call->sandbox, SANDBOX_LINKEDIN, sandbox_form(call, "token"));
	if (token == NULL) {
		sandbox_answer_json(call, 200, "{\"active\":false}");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_bool(&w, "active", sandbox_token_is_live(call->sandbox, token));
	json_member_str(&w, "status", str_of(token_status(call, token)));
	json_member_str(&w, "scope", token->scope);
	json_member_str(&w, "client_id", token->client_id);
	json_member_int(&w, "created_at", token->issued_us / US_PER_S);
	json_member_int(&w, "authorized_at", token->issued_us / US_PER_S);
	json_member_int(&w, "expires_at", token->expires_us / US_PER_S);
	json_member_str(&w, "auth_type", STR("3L"));
	json_end_object(&w);
}
