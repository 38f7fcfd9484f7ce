/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn: OAuth, the member and the page, the gate in front of /rest, and the table
 * of routes (platforms/linkedin.md 1, 2.1, 4, 8, 9). Posts are linkedin_posts.c, comments
 * linkedin_comments.c, pictures and documents linkedin_media.c. */
#include "linkedin_private.h"

#include "avatar.h"

#define MEMBER_NAME "Jo Doe"
#define MEMBER_EMAIL "jo.doe@example.com"
#define PAGE_NAME "Posthorn Sandbox Inc."
#define PAGE_VANITY "posthorn-sandbox"
#define AVATAR_HOST "media.licdn.com"

#define CODE_LIFETIME_S (30 * 60)          /* 1.4 */
#define ACCESS_LIFETIME_S (60 * 24 * 3600) /* 1.4: expires_in 5184000 */
/* 1.5: counted from the first consent, never renewed. */
#define REFRESH_LIFETIME_S (365 * 24 * 3600)
#define ACCESS_RANDOM 497 /* 1.4: tokens are about 500 characters, three of them the prefix */
#define FORM_BYTES_MAX (64 * 1024)
#define PICTURE_BYTES_MAX (128u * 1024 * 1024) /* documents may have 100 MB (2.5) */

/* Every scope an app could own (1.2), in the order of the alphabet: the token answer lists them so.
 * The sandbox's app owns all of them, as no real app does, so that each preset can be played. */
static const char *const all_scopes[] = {
	"email",
	"openid",
	"profile",
	"r_basicprofile",
	"r_organization_admin",
	"r_organization_social",
	"r_organization_social_feed",
	"rw_organization_admin",
	"w_member_social",
	"w_member_social_feed",
	"w_organization_social",
	"w_organization_social_feed",
};
#define SCOPE_COUNT (sizeof(all_scopes) / sizeof(all_scopes[0]))

/* Versions that answer, as the table of section 8 stood on 2026-11-21; 202611 was seen by nobody.
 * The sandbox's clock does not retire them: a test of this project would otherwise fail on a day
 * nobody changed anything. */
static const char *const active_versions[] = {
	"202601", "202602", "202603", "202604", "202605",
	"202606", "202607", "202608", "202609", "202610",
};

/* ---- Answers ---- */

void sandbox_linkedin_refuse(struct sandbox_call *call, struct linkedin_error error,
			     struct str message)
{
	struct json_writer w;

	sandbox_answer(call, error.status, &w);
	json_begin_object(&w);
	json_member_int(&w, "status", error.status);
	if (error.service_code != 0)
		json_member_int(&w, "serviceErrorCode", error.service_code);
	if (error.code != NULL)
		json_member_str(&w, "code", str_of(error.code));
	json_member_str(&w, "message", message);
	json_end_object(&w);
}

void sandbox_linkedin_refuse_access(struct sandbox_call *call, const char *resource)
{
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){403, 100, "ACCESS_DENIED"},
		str_format(call->arena, "Not enough permissions to access: %s", resource));
}

/* The flat shape of the token endpoint (1.4). */
static void refuse_oauth(struct sandbox_call *call, int status, const char *error,
			 struct str description)
{
	struct json_writer w;

	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "error", str_of(error));
	json_member_str(&w, "error_description", description);
	json_end_object(&w);
}

/* ---- Consent ---- */

/* The asked scopes in our order and separated by commas; false, and the first one that no app may
 * ask for. */
static bool order_scopes(struct arena *arena, struct str asked, struct str *ordered_out,
			 struct str *unknown_out)
{
	struct buf ordered;
	size_t known = 0;
	size_t words = 0;
	struct str in = asked;
	struct str word;

	buf_init(&ordered, arena, 4096);
	for (size_t i = 0; i < SCOPE_COUNT; i++) {
		if (!sandbox_scope_has(asked, all_scopes[i]))
			continue;
		if (known++ > 0)
			buf_add_char(&ordered, ',');
		buf_add_z(&ordered, all_scopes[i]);
	}
	while (str_take_field(&in, ' ', &word)) {
		bool is_known = str_is_empty(word);

		for (size_t i = 0; i < SCOPE_COUNT && !is_known; i++)
			is_known = str_equal_z(word, all_scopes[i]);
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
	struct linkedin_state *state = call->state;
	struct linkedin_grant *grant = sandbox_keep(call->sandbox, sizeof(*grant));

	*grant = (struct linkedin_grant){.token = token, .older = state->grants};
	state->grants = grant;
}

/* A consent with another scope set ends what was given out before (1.1). */
static void apply_scope_change(struct sandbox_call *call, struct str scope)
{
	struct linkedin_state *state = call->state;

	if (!str_is_empty(state->granted_scope) && !str_equal(state->granted_scope, scope)) {
		for (struct linkedin_grant *grant = state->grants; grant != NULL;
		     grant = grant->older)
			grant->token->is_revoked = true;
		state->grants = NULL;
	}
	state->granted_scope = sandbox_keep_str(call->sandbox, scope);
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
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, 2);
}

/* Wrong client or redirect: a page at LinkedIn, nothing returns to the app (1.3). */
static bool may_authorize(struct sandbox_call *call)
{
	if (!sandbox_client_id_is(SANDBOX_LINKEDIN, sandbox_query(call, "client_id"))) {
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

static void authorize(struct sandbox_call *call)
{
	struct str asked = sandbox_query(call, "scope");
	const struct sandbox_consent_page page = {.user_name = STR(MEMBER_NAME), .scope = asked};
	struct str unknown = {0};
	struct str scope;

	if (!may_authorize(call))
		return;
	if (!order_scopes(call->arena, asked, &scope, &unknown)) {
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

/* ---- Tokens ---- */

static bool has_fields(struct sandbox_call *call, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is_empty(sandbox_form(call, names[i])))
			continue;
		refuse_oauth(call, 400, "invalid_request",
			     str_format(call->arena, "A required parameter \"%s\" is missing",
					names[i]));
		return false;
	}
	return true;
}

static bool is_client(struct sandbox_call *call)
{
	if (sandbox_client_check(SANDBOX_LINKEDIN, sandbox_form(call, "client_id"),
				 sandbox_form(call, "client_secret")) == SANDBOX_CLIENT_OK)
		return true;
	refuse_oauth(call, 401, "invalid_client", STR("Client authentication failed"));
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

/* refresh may be NULL: then the two refresh fields are left out, as for ordinary apps (1.4). */
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
	const struct linkedin_state *state = call->state;
	struct sandbox_code *code = NULL;
	struct sandbox_token *refresh = NULL;

	if (!has_fields(call, fields, 4) || !is_client(call))
		return;
	switch (sandbox_code_redeem(call->sandbox, SANDBOX_LINKEDIN, sandbox_form(call, "code"),
				    sandbox_form(call, "client_id"),
				    sandbox_form(call, "redirect_uri"), (struct str){0}, &code)) {
	case SANDBOX_REDEEM_OK:
		break;
	case SANDBOX_REDEEM_UNKNOWN:
	case SANDBOX_REDEEM_USED:
		refuse_oauth(call, 401, "invalid_request",
			     STR("Unable to retrieve access token: authorization code not found"));
		return;
	case SANDBOX_REDEEM_EXPIRED:
	case SANDBOX_REDEEM_CLIENT:
	case SANDBOX_REDEEM_REDIRECT:
	case SANDBOX_REDEEM_VERIFIER:
		refuse_oauth(call, 400, "invalid_redirect_uri",
			     STR("Unable to retrieve access token: appid/redirect uri/code "
				 "verifier does not match "
				 "authorization code. Or authorization code expired."));
		return;
	}
	if (state->gives_refresh_tokens)
		refresh = issue_refresh(call, code->scope);
	answer_tokens(call, issue_access(call, code->scope), refresh);
}

static void exchange_refresh(struct sandbox_call *call)
{
	static const char *const fields[] = {"refresh_token", "client_id", "client_secret"};
	struct sandbox_token *refresh;

	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	refresh = sandbox_token_find(call->sandbox, SANDBOX_LINKEDIN,
				     sandbox_form(call, "refresh_token"));
	if (refresh == NULL || refresh->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, refresh)) {
		refuse_oauth(call, 400, "invalid_request",
			     STR("The provided authorization grant or refresh token is invalid, "
				 "expired or revoked"));
		return;
	}
	answer_tokens(call, issue_access(call, refresh->scope), refresh);
}

/* What good credentials get as well: the probe of 1.7. */
static void exchange_client(struct sandbox_call *call)
{
	static const char *const fields[] = {"client_id", "client_secret"};

	if (!has_fields(call, fields, 2) || !is_client(call))
		return;
	refuse_oauth(call, 401, "access_denied",
		     STR("This application is not allowed to create application tokens"));
}

static void access_token(struct sandbox_call *call)
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
	struct str grant_type = sandbox_form(call, "grant_type");

	if (!has_fields(call, fields, 1))
		return;
	for (size_t i = 0; i < sizeof(grants) / sizeof(grants[0]); i++) {
		if (str_equal_z(grant_type, grants[i].name)) {
			grants[i].exchange(call);
			return;
		}
	}
	refuse_oauth(call, 400, "unsupported_grant_type", STR("The grant_type is not supported"));
}

static const char *token_status(struct sandbox_call *call, const struct sandbox_token *token)
{
	if (sandbox_token_is_live(call->sandbox, token))
		return "active";
	return token->is_revoked ? "revoked" : "expired";
}

static void introspect(struct sandbox_call *call)
{
	static const char *const fields[] = {"client_id", "client_secret", "token"};
	const struct sandbox_token *token;
	struct json_writer w;

	if (!has_fields(call, fields, 3) || !is_client(call))
		return;
	token = sandbox_token_find(call->sandbox, SANDBOX_LINKEDIN, sandbox_form(call, "token"));
	if (token == NULL) {
		sandbox_answer_json(call, 200, "{\"active\":false}");
		return;
	}
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

/* ---- The gate ---- */

static struct sandbox_token *token_of(struct sandbox_call *call)
{
	return sandbox_token_find(call->sandbox, SANDBOX_LINKEDIN,
				  sandbox_authorization(call, "Bearer"));
}

static void refuse_expired(struct sandbox_call *call)
{
	sandbox_linkedin_refuse(call, (struct linkedin_error){401, 65602, "EXPIRED_ACCESS_TOKEN"},
				STR("The token used in the request has expired"));
}

struct sandbox_token *sandbox_linkedin_bearer(struct sandbox_call *call)
{
	struct sandbox_token *token = token_of(call);

	if (str_is_empty(sandbox_authorization(call, "Bearer"))) {
		sandbox_linkedin_refuse(call,
					(struct linkedin_error){401, 65604, "EMPTY_ACCESS_TOKEN"},
					STR("Empty oauth2 access token"));
		return NULL;
	}
	if (token == NULL || token->kind != SANDBOX_TOKEN_ACCESS) {
		sandbox_linkedin_refuse(call,
					(struct linkedin_error){401, 65600, "INVALID_ACCESS_TOKEN"},
					STR("Invalid access token"));
		return NULL;
	}
	if (token->is_revoked) {
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){401, 65601, "REVOKED_ACCESS_TOKEN"},
			STR("The token used in the request has been revoked by the user"));
		return NULL;
	}
	if (!sandbox_token_is_live(call->sandbox, token)) {
		refuse_expired(call);
		return NULL;
	}
	return token;
}

static bool is_active_version(struct str version)
{
	for (size_t i = 0; i < sizeof(active_versions) / sizeof(active_versions[0]); i++) {
		if (str_equal_z(version, active_versions[i]))
			return true;
	}
	return false;
}

struct sandbox_token *sandbox_linkedin_enter(struct sandbox_call *call)
{
	struct str version = str_trim(sandbox_header(call, "LinkedIn-Version"));

	sandbox_answer_header(call, "x-li-fabric", STR("sandbox"));
	if (str_is_empty(version)) {
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){400, 0, "VERSION_MISSING"},
			STR("A version must be present: add the LinkedIn-Version header"));
		return NULL;
	}
	if (!is_active_version(version)) {
		/* The real text prints the version with a two-digit revision (section 8). */
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){426, 0, "NONEXISTENT_VERSION"},
			str_format(call->arena, "Requested version " STR_FMT "01 is not active",
				   STR_ARG(version)));
		return NULL;
	}
	return sandbox_linkedin_bearer(call);
}

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	/* LinkedIn sends no Retry-After (section 3); one that the fault asks for is put in all the
	 * same. */
	if (retry_after_s > 0)
		sandbox_answer_header(call, "Retry-After",
				      str_format(call->arena, "%lld", (long long)retry_after_s));
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){429, 101, "TOO_MANY_REQUESTS"},
		STR("Resource level throttle limit for calls to this resource is reached."));
}

bool sandbox_linkedin_may_act(struct sandbox_call *call, const struct sandbox_token *token,
			      struct str urn, const char *resource)
{
	if (str_equal_z(urn, LINKEDIN_MEMBER_URN)) {
		if (sandbox_scope_has(token->scope, "w_member_social"))
			return true;
		sandbox_linkedin_refuse_access(call, resource);
		return false;
	}
	if (str_equal_z(urn, LINKEDIN_PAGE_URN)) {
		if (sandbox_scope_has(token->scope, "w_organization_social"))
			return true;
		sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, NULL},
					STR("Organization permissions must be used when using "
					    "organization as author"));
		return false;
	}
	if (str_has_prefix(urn, STR("urn:li:person:")) ||
	    str_has_prefix(urn, STR("urn:li:organization:")))
		sandbox_linkedin_refuse_access(call, resource);
	else
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){400, 0, "INVALID_URN_TYPE"},
			str_format(call->arena,
				   "Not the URN of a person or an organization: " STR_FMT,
				   STR_ARG(urn)));
	return false;
}

/* ---- The member and the page ---- */

static struct str avatar_url(struct sandbox_call *call, const char *path)
{
	return sandbox_url(call, AVATAR_HOST, str_of(path));
}

static void userinfo(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_bearer(call);
	struct json_writer w;

	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, "openid") ||
	    !sandbox_scope_has(token->scope, "profile")) {
		sandbox_linkedin_refuse_access(call, "userinfo.GET.NO_VERSION");
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "sub", STR(LINKEDIN_MEMBER_ID));
	json_member_str(&w, "name", STR(MEMBER_NAME));
	json_member_str(&w, "given_name", STR("Jo"));
	json_member_str(&w, "family_name", STR("Doe"));
	json_member_str(&w, "picture", avatar_url(call, "/dms/image/member"));
	json_member_str(&w, "locale", STR("en-US"));
	if (sandbox_scope_has(token->scope, "email")) {
		json_member_str(&w, "email", STR(MEMBER_EMAIL));
		json_member_bool(&w, "email_verified", true);
	}
	json_end_object(&w);
}

/* "elements":[{"width":100,"identifiers":[{"identifier":URL}]}], the shape behind every "~" of a
 * projection (1.6). */
static void put_picture(struct json_writer *w, struct str url)
{
	json_begin_object(w);
	json_key(w, "elements");
	json_begin_array(w);
	json_begin_object(w);
	json_key(w, "identifiers");
	json_begin_array(w);
	json_begin_object(w);
	json_member_str(w, "identifier", url);
	json_member_str(w, "identifierType", STR("EXTERNAL_URL"));
	json_end_object(w);
	json_end_array(w);
	json_end_object(w);
	json_end_array(w);
	json_end_object(w);
}

static bool asks_for(struct sandbox_call *call, struct str name)
{
	return str_find(sandbox_query(call, "projection"), name, 0) != SIZE_MAX;
}

static void me(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_bearer(call);
	struct json_writer w;

	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, "r_basicprofile")) {
		sandbox_linkedin_refuse_access(call, "GET /me");
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", STR(LINKEDIN_MEMBER_ID));
	json_member_str(&w, "localizedFirstName", STR("Jo"));
	json_member_str(&w, "localizedLastName", STR("Doe"));
	json_member_str(&w, "vanityName", STR("jo-doe"));
	if (asks_for(call, STR("profilePicture"))) {
		json_key(&w, "profilePicture");
		json_begin_object(&w);
		json_key(&w, "displayImage~");
		put_picture(&w, avatar_url(call, "/dms/image/member"));
		json_end_object(&w);
	}
	json_end_object(&w);
}

static bool may_read_pages(struct sandbox_call *call, const struct sandbox_token *token,
			   const char *resource)
{
	if (sandbox_scope_has(token->scope, "rw_organization_admin") ||
	    sandbox_scope_has(token->scope, "r_organization_admin"))
		return true;
	sandbox_linkedin_refuse_access(call, resource);
	return false;
}

static void put_role(struct json_writer *w)
{
	json_begin_object(w);
	json_member_str(w, "role", STR("ADMINISTRATOR"));
	json_member_str(w, "state", STR("APPROVED"));
	json_member_str(w, "roleAssignee", STR(LINKEDIN_MEMBER_URN));
	json_member_str(w, "organization", STR(LINKEDIN_PAGE_URN));
	json_end_object(w);
}

/* An absent filter lets everything through. */
static bool filter_is(struct sandbox_call *call, const char *name, const char *value)
{
	struct str filter = sandbox_query(call, name);

	return str_is_empty(filter) || str_equal_z(filter, value);
}

static void organization_acls(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	int64_t start = sandbox_param_int(call, "start", 0);
	int64_t count = sandbox_param_int(call, "count", 10);
	struct json_writer w;

	if (token == NULL || !may_read_pages(call, token, "organizationAcls.FINDER-roleAssignee"))
		return;
	if (!str_equal_z(sandbox_query(call, "q"), "roleAssignee")) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, "ILLEGAL_ARGUMENT"},
					STR("No such finder: q must be roleAssignee"));
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "elements");
	json_begin_array(&w);
	if (start == 0 && count > 0 && filter_is(call, "role", "ADMINISTRATOR") &&
	    filter_is(call, "state", "APPROVED"))
		put_role(&w);
	json_end_array(&w);
	json_key(&w, "paging");
	json_begin_object(&w);
	json_member_int(&w, "start", start);
	json_member_int(&w, "count", count);
	json_key(&w, "links");
	json_begin_array(&w);
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

static void organization(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	struct json_writer w;

	if (token == NULL || !may_read_pages(call, token, "organizations.GET"))
		return;
	if (!str_equal_z(sandbox_capture(call, "id"), LINKEDIN_PAGE_ID)) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){404, 0, "NOT_FOUND"},
					STR("Could not find entity"));
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "id");
	json_put_raw(&w, STR(LINKEDIN_PAGE_ID));
	json_member_str(&w, "localizedName", STR(PAGE_NAME));
	json_member_str(&w, "vanityName", STR(PAGE_VANITY));
	json_key(&w, "logoV2");
	json_begin_object(&w);
	json_member_str(&w, "original", STR("urn:li:digitalmediaAsset:sandboxlogo"));
	if (asks_for(call, STR("original~"))) {
		json_key(&w, "original~");
		put_picture(&w, avatar_url(call, "/dms/image/page"));
	}
	json_end_object(&w);
	json_end_object(&w);
}

static void avatar(struct sandbox_call *call)
{
	if (str_equal_z(sandbox_capture(call, "who"), "page"))
		sandbox_avatar_answer(call, "PS", "#5f4b8b");
	else
		sandbox_avatar_answer(call, "JD", "#0a66c2");
}

/* ---- The module ---- */

static void start(struct sandbox *sandbox, void *state)
{
	struct linkedin_state *linkedin = state;

	(void)sandbox;
	linkedin->gives_refresh_tokens = true;
	linkedin->comments_need_feed_scope = false;
}

static const struct sandbox_route routes[] = {
	{"GET", LINKEDIN_WWW "/oauth/v2/authorization", authorize, HTTP_BODY_NONE, 0},
	{"POST", LINKEDIN_WWW "/oauth/v2/accessToken", access_token, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	{"POST", LINKEDIN_WWW "/oauth/v2/introspectToken", introspect, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	{"GET", LINKEDIN_API "/v2/userinfo", userinfo, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/v2/me", me, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/rest/organizationAcls", organization_acls, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/rest/organizations/{id}", organization, HTTP_BODY_NONE, 0},
	{"POST", LINKEDIN_API "/rest/posts", sandbox_linkedin_post_create, HTTP_BODY_MEMORY, 0},
	{"GET", LINKEDIN_API "/rest/posts", sandbox_linkedin_post_find, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/rest/posts/{urn}", sandbox_linkedin_post_get, HTTP_BODY_NONE, 0},
	{"DELETE", LINKEDIN_API "/rest/posts/{urn}", sandbox_linkedin_post_delete, HTTP_BODY_NONE,
	 0},
	{"POST", LINKEDIN_API "/rest/socialActions/{urn}/comments", sandbox_linkedin_comment_create,
	 HTTP_BODY_MEMORY, 0},
	{"GET", LINKEDIN_API "/rest/socialActions/{urn}/comments", sandbox_linkedin_comment_list,
	 HTTP_BODY_NONE, 0},
	{"POST", LINKEDIN_API "/rest/images", sandbox_linkedin_image_action, HTTP_BODY_MEMORY, 0},
	{"GET", LINKEDIN_API "/rest/images/{urn}", sandbox_linkedin_image_get, HTTP_BODY_NONE, 0},
	{"POST", LINKEDIN_API "/rest/documents", sandbox_linkedin_document_action, HTTP_BODY_MEMORY,
	 0},
	{"GET", LINKEDIN_API "/rest/documents/{urn}", sandbox_linkedin_document_get, HTTP_BODY_NONE,
	 0},
	{"PUT", LINKEDIN_WWW "/dms-uploads/{asset}/{kind}/0", sandbox_linkedin_asset_put,
	 HTTP_BODY_FILE, PICTURE_BYTES_MAX},
	{"GET", "/" AVATAR_HOST "/dms/image/{who}", avatar, HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_linkedin = {
	.platform = SANDBOX_LINKEDIN,
	.routes = routes,
	.route_count = sizeof(routes) / sizeof(routes[0]),
	.state_size_bytes = sizeof(struct linkedin_state),
	.start = start,
	.token_of = token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = refuse_expired,
};
