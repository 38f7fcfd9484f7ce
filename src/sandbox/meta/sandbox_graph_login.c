/* SPDX-License-Identifier: Apache-2.0
 * The simulated Facebook Login: consent, code and long-lived exchange, app tokens, debug_token
 * (meta.md 2). It serves both platforms. sandbox_graph_pages.c has the person and the
 * Pages. */
#include "sandbox_graph.h"

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json_write.h"

#define CODE_LIFETIME_S 600           /* "short-lived"; Meta gives no figure */
#define LONG_TOKEN_LIFETIME_S 5183944 /* about 60 days (2.5) */

/* 2.2, and what every login has. */
static const char *const known_scopes[] = {
	"public_profile",
	"email",
	"pages_show_list",
	"pages_manage_posts",
	"pages_read_engagement",
	"pages_manage_engagement",
	"pages_read_user_content",
	"pages_read_user_engagement",
	"pages_manage_metadata",
	"read_insights",
	"business_management",
	"instagram_basic",
	"instagram_content_publish",
	"instagram_manage_comments",
	"instagram_manage_contents",
	"instagram_manage_insights",
	"ads_management",
	"ads_read",
	NULL,
};

/* ---- consent (2.3, 2.4) ---- */

size_t sandbox_graph_scopes_split(struct str scopes, struct str *out, size_t max)
{
	size_t count = 0;
	while (scopes.len > 0 && count < max) {
		size_t end = 0;
		while (end < scopes.len && scopes.ptr[end] != ',' && scopes.ptr[end] != ' ')
			end++;
		if (end > 0)
			out[count++] = str_slice(scopes, 0, end);
		scopes = str_slice(scopes, end + 1, scopes.len);
	}
	return count;
}

/* config_id names a set of permissions defined in Meta's dashboard. The set in the sandbox
 * contains all of them. */
static struct str asked_scopes(struct sandbox_call *call)
{
	if (sandbox_query(call, "config_id").len == 0)
		return sandbox_query(call, "scope");
	struct buf all;
	buf_init(&all, call->arena, 4096);
	for (size_t i = 0; known_scopes[i] != NULL; i++)
		buf_addf(&all, "%s%s", i > 0 ? "," : "", known_scopes[i]);
	return buf_str(&all);
}

/* False = the call has been answered. */
static bool check_dialog(struct sandbox_call *call)
{
	const struct str client_id = sandbox_query(call, "client_id");
	if (!sandbox_client_id_is(SANDBOX_FACEBOOK, client_id) &&
	    !sandbox_client_id_is(SANDBOX_INSTAGRAM, client_id)) {
		sandbox_error_page(call, 400, "App not set up",
				   STR("Invalid App ID: the provided app ID does not look "
				       "like a valid app ID."));
		return false;
	}
	if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri"))) {
		sandbox_error_page(call, 400, "URL blocked",
				   STR("This redirect failed because the redirect URI is not in "
				       "the app's client OAuth "
				       "settings."));
		return false;
	}
	const struct str type = sandbox_query(call, "response_type");
	if (type.len > 0 && !str_equal_z(type, "code")) {
		sandbox_error_page(call, 400, "Unsupported response type", type);
		return false;
	}
	return true;
}

/* Pages and permissions are ticked in one form. Ids of Pages are digits, so the two cannot be
 * confused. */
static size_t make_choices(struct sandbox_call *call, struct str *scopes, size_t scope_count,
			   struct sandbox_choice *choices)
{
	const struct graph_state *graph = sandbox_graph_state(call->sandbox);
	size_t count = 0;
	for (size_t i = 0; i < GRAPH_PAGES; i++)
		choices[count++] = (struct sandbox_choice){graph->pages[i].id, graph->pages[i].name,
							   graph->pages[i].is_ticked};
	for (size_t i = 0; i < scope_count; i++)
		choices[count++] = (struct sandbox_choice){
			scopes[i],
			str_format(call->arena, "Permission " STR_FMT, STR_ARG(scopes[i])), true};
	return count;
}

static struct graph_grant *make_grant(struct sandbox_call *call, struct str asked,
				      const struct sandbox_choice *choices, size_t count)
{
	struct graph_grant *grant = sandbox_keep(call->sandbox, sizeof(*grant));
	struct buf granted;
	buf_init(&granted, call->arena, 4096);
	buf_add_z(&granted, "public_profile");
	for (size_t i = 0; i < count; i++) {
		const bool is_ticked = sandbox_consent_has(call, &choices[i]);
		if (i < GRAPH_PAGES) {
			grant->has_page[i] = is_ticked;
		} else if (is_ticked) {
			buf_add_char(&granted, ',');
			buf_add(&granted, choices[i].id);
		}
	}
	grant->granted_us = call->now_us;
	grant->asked = sandbox_keep_str(call->sandbox, asked);
	grant->granted = sandbox_keep_str(call->sandbox, buf_str(&granted));
	return grant;
}

static void redirect_allowed(struct sandbox_call *call, const struct graph_grant *grant)
{
	const struct str code = sandbox_code_issue(
		call->sandbox, &(struct sandbox_code){
				       .platform = call->platform,
				       .prefix = STR("AQ"),
				       .client_id = sandbox_query(call, "client_id"),
				       .redirect_uri = sandbox_query(call, "redirect_uri"),
				       .scope = grant->granted,
				       .subject = sandbox_graph_state(call->sandbox)->user_id,
				       .lifetime_s = CODE_LIFETIME_S,
				       .extra = grant,
			       });
	sandbox_redirect(
		call, sandbox_query(call, "redirect_uri"),
		(struct sandbox_pair[]){{"code", code}, {"state", sandbox_query(call, "state")}},
		2);
}

static void redirect_denied(struct sandbox_call *call)
{
	sandbox_redirect(call, sandbox_query(call, "redirect_uri"),
			 (struct sandbox_pair[]){{"error", STR("access_denied")},
						 {"error_reason", STR("user_denied")},
						 {"error_code", STR("200")},
						 {"error_description", STR("Permissions error")},
						 {"state", sandbox_query(call, "state")}},
			 5);
}

/* No "error" key: this is how Meta reports a wrong scope (2.4). */
static void redirect_bad_scope(struct sandbox_call *call, struct str scope)
{
	sandbox_redirect(
		call, sandbox_query(call, "redirect_uri"),
		(struct sandbox_pair[]){
			{"error_code", STR("100")},
			{"error_message",
			 str_format(call->arena, "Invalid Scopes: " STR_FMT, STR_ARG(scope))},
			{"state", sandbox_query(call, "state")}},
		3);
}

void sandbox_graph_dialog(struct sandbox_call *call)
{
	const struct str asked = asked_scopes(call);
	struct str scopes[32];
	const size_t scope_count = sandbox_graph_scopes_split(asked, scopes, 32);
	if (!check_dialog(call))
		return;
	for (size_t i = 0; i < scope_count; i++) {
		if (!sandbox_is_one_of(scopes[i], known_scopes)) {
			redirect_bad_scope(call, scopes[i]);
			return;
		}
	}
	struct sandbox_choice choices[GRAPH_PAGES + 32];
	const size_t count = make_choices(call, scopes, scope_count, choices);
	const struct sandbox_consent_page page = {
		.user_name = sandbox_graph_state(call->sandbox)->user_name,
		.scope = asked,
		.choose_text = "Which Pages and permissions do you grant?",
		.choices = choices,
		.choice_count = count,
	};
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		break;
	case SANDBOX_CONSENT_ALLOWED:
		redirect_allowed(call, make_grant(call, asked, choices, count));
		break;
	case SANDBOX_CONSENT_DENIED:
		redirect_denied(call);
		break;
	}
}

/* ---- token endpoint (2.5, 2.9) ---- */

static void answer_token(struct sandbox_call *call, struct str text, int64_t expires_in_s)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", text);
	json_member_str(&w, "token_type", STR("bearer"));
	if (expires_in_s > 0)
		json_member_int(&w, "expires_in", expires_in_s);
	json_end_object(&w);
}

static struct sandbox_token *issue_user_token(struct sandbox_call *call, const char *label,
					      int64_t lifetime_s, const struct graph_grant *grant)
{
	return sandbox_token_issue(call->sandbox,
				   &(struct sandbox_token){
					   .platform = call->platform,
					   .kind = SANDBOX_TOKEN_ACCESS,
					   .prefix = STR("EAA"),
					   .random_length = 180,
					   .client_id = sandbox_param(call, "client_id"),
					   .subject = sandbox_graph_state(call->sandbox)->user_id,
					   .scope = grant->granted,
					   .label = str_of(label),
					   .lifetime_s = lifetime_s,
					   .extra = grant,
				   });
}

static bool check_client(struct sandbox_call *call)
{
	static const struct graph_error unknown = {
		400, 101, 0,
		"Error validating application. Cannot get application info due to a system error."};
	static const struct graph_error bad_secret = {400, 1, 0, "Error validating client secret."};
	const struct str client_id = sandbox_param(call, "client_id");
	const enum sandbox_platform app = sandbox_client_id_is(SANDBOX_INSTAGRAM, client_id)
						  ? SANDBOX_INSTAGRAM
						  : SANDBOX_FACEBOOK;
	switch (sandbox_client_check(app, client_id, sandbox_param(call, "client_secret"))) {
	case SANDBOX_CLIENT_OK:
		return true;
	case SANDBOX_CLIENT_UNKNOWN:
		sandbox_graph_fail(call, &unknown);
		break;
	case SANDBOX_CLIENT_BAD_SECRET:
		sandbox_graph_fail(call, &bad_secret);
		break;
	}
	return false;
}

static void exchange_code(struct sandbox_call *call)
{
	static const struct graph_error errors[] = {
		[SANDBOX_REDEEM_UNKNOWN] = {400, 100, 0, "Invalid verification code format."},
		[SANDBOX_REDEEM_EXPIRED] = {400, 100, 36007,
					    "This authorization code has expired."},
		[SANDBOX_REDEEM_USED] = {400, 100, 36009, "This authorization code has been used."},
		[SANDBOX_REDEEM_CLIENT] = {400, 100, 0, "Invalid verification code format."},
		[SANDBOX_REDEEM_REDIRECT] =
			{400, 100, 36008,
			 "Error validating verification code. Please make sure your redirect_uri "
			 "is "
			 "identical to the one you used in the OAuth dialog request"},
		[SANDBOX_REDEEM_VERIFIER] = {400, 100, 0, "Invalid code_verifier."},
	};
	struct sandbox_code *code = NULL;
	const enum sandbox_redeem outcome =
		sandbox_code_redeem(call->sandbox, call->platform, sandbox_param(call, "code"),
				    sandbox_param(call, "client_id"),
				    sandbox_param(call, "redirect_uri"), (struct str){0}, &code);
	if (outcome != SANDBOX_REDEEM_OK) {
		sandbox_graph_fail(call, &errors[outcome]);
		sandbox_answer_header(
			call, "WWW-Authenticate",
			str_format(call->arena,
				   "OAuth \"Facebook Platform\" \"invalid_code\" \"%s\"",
				   errors[outcome].message));
		return;
	}
	struct sandbox_token *token =
		issue_user_token(call, "short", GRAPH_SHORT_TOKEN_S, code->extra);
	answer_token(call, token->text, GRAPH_SHORT_TOKEN_S);
}

static void exchange_long(struct sandbox_call *call)
{
	struct sandbox_token *token = sandbox_token_find(call->sandbox, call->platform,
							 sandbox_param(call, "fb_exchange_token"));
	if (token == NULL || token->kind != SANDBOX_TOKEN_ACCESS ||
	    sandbox_graph_is_page_token(token)) {
		sandbox_graph_fail_token(call, 0,
					 "Invalid OAuth access token - Cannot parse access token");
		return;
	}
	if (!sandbox_token_is_live(call->sandbox, token)) {
		sandbox_graph_fail_token(call, 463,
					 "Error validating access token: Session has expired.");
		return;
	}
	struct sandbox_token *fresh =
		issue_user_token(call, "long", LONG_TOKEN_LIFETIME_S, token->extra);
	answer_token(call, fresh->text, LONG_TOKEN_LIFETIME_S);
}

static void issue_app_token(struct sandbox_call *call)
{
	const struct str client_id = sandbox_param(call, "client_id");
	const struct str key = str_format(call->arena, "app-" STR_FMT, STR_ARG(client_id));
	struct sandbox_token *token =
		sandbox_object_get(call->sandbox, call->platform, "graph_app_token", key);
	if (token == NULL) {
		token = sandbox_token_issue(
			call->sandbox,
			&(struct sandbox_token){
				.platform = call->platform,
				.kind = SANDBOX_TOKEN_APP,
				.prefix = str_format(call->arena, STR_FMT "|", STR_ARG(client_id)),
				.random_length = 27,
				.client_id = client_id,
				.subject = client_id,
				.label = STR("app"),
			});
		sandbox_object_put(call->sandbox, call->platform, "graph_app_token", key, token);
	}
	answer_token(call, token->text, 0);
}

void sandbox_graph_access_token(struct sandbox_call *call)
{
	const struct str grant_type = sandbox_param(call, "grant_type");
	if (!check_client(call))
		return;
	call->platform = sandbox_client_id_is(SANDBOX_INSTAGRAM, sandbox_param(call, "client_id"))
				 ? SANDBOX_INSTAGRAM
				 : SANDBOX_FACEBOOK;
	if (str_equal_z(grant_type, "fb_exchange_token"))
		exchange_long(call);
	else if (str_equal_z(grant_type, "client_credentials"))
		issue_app_token(call);
	else if (sandbox_param(call, "code").len > 0)
		exchange_code(call);
	else
		sandbox_graph_fail_text(call, &(struct graph_error){400, 1, 0},
					STR("Missing authorization code"));
}

/* ---- debug_token (2.7, 2.9) ---- */

/* "APP_ID|APP_SECRET" works as an app token too. */
static bool is_app_token(struct sandbox_call *call, struct str text)
{
	const struct sandbox_token *token = sandbox_graph_token_find(call->sandbox, text);
	const size_t bar = str_find_char(text, '|', 0);
	if (token != NULL)
		return token->kind == SANDBOX_TOKEN_APP;
	for (int i = SANDBOX_INSTAGRAM; i <= SANDBOX_FACEBOOK; i++) {
		if (bar != SIZE_MAX &&
		    sandbox_client_check((enum sandbox_platform)i, str_slice(text, 0, bar),
					 str_slice(text, bar + 1, text.len)) == SANDBOX_CLIENT_OK)
			return true;
	}
	return false;
}

static void write_scopes(struct json_writer *w, struct str scopes)
{
	struct str words[32];
	const size_t count = sandbox_graph_scopes_split(scopes, words, 32);
	json_key(w, "scopes");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_put_str(w, words[i]);
	json_end_array(w);
}

/* What each permission was given for: the ticked Pages, or their Instagram accounts (2.6). */
static void write_granular_scopes(struct sandbox_call *call, struct json_writer *w,
				  const struct sandbox_token *token)
{
	const struct graph_state *graph = sandbox_graph_state(call->sandbox);
	const struct graph_grant *grant = sandbox_graph_grant(token);
	struct str words[32];
	const size_t count = sandbox_graph_scopes_split(token->scope, words, 32);
	json_key(w, "granular_scopes");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		const bool is_instagram = str_has_prefix(words[i], STR("instagram_"));
		json_begin_object(w);
		json_member_str(w, "scope", words[i]);
		if (is_instagram || str_has_prefix(words[i], STR("pages_"))) {
			json_key(w, "target_ids");
			json_begin_array(w);
			for (size_t j = 0; j < GRAPH_PAGES; j++) {
				const struct str id =
					is_instagram ? graph->pages[j].ig_id : graph->pages[j].id;
				if (grant->has_page[j] && !str_is_empty(id))
					json_put_str(w, id);
			}
			json_end_array(w);
		}
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_token_facts(struct sandbox_call *call, struct json_writer *w,
			      const struct sandbox_token *token)
{
	const struct graph_state *graph = sandbox_graph_state(call->sandbox);
	const struct graph_grant *grant = sandbox_graph_grant(token);
	const bool is_page = sandbox_graph_is_page_token(token);
	json_member_str(w, "app_id", sandbox_client_id(call->sandbox, token->client_id));
	json_member_str(w, "application", STR("Sandbox app"));
	json_member_bool(w, "is_valid", sandbox_token_is_live(call->sandbox, token));
	json_member_int(w, "issued_at", token->issued_us / US_PER_S);
	json_member_int(w, "expires_at", token->expires_us / US_PER_S);
	if (token->kind == SANDBOX_TOKEN_APP) {
		json_member_str(w, "type", STR("APP"));
		return;
	}
	json_member_str(w, "type", is_page ? STR("PAGE") : STR("USER"));
	json_member_int(w, "data_access_expires_at",
			(grant->granted_us + GRAPH_DATA_ACCESS_US) / US_PER_S);
	json_member_str(w, "user_id", graph->user_id);
	if (is_page)
		json_member_str(w, "profile_id", token->subject);
	write_scopes(w, token->scope);
	write_granular_scopes(call, w, token);
	if (sandbox_token_is_live(call->sandbox, token))
		return;
	json_key(w, "error");
	json_begin_object(w);
	json_member_int(w, "code", 190);
	json_member_str(w, "message", STR("Error validating access token: Session has expired."));
	json_member_int(w, "subcode", token->is_revoked ? 467 : 463);
	json_end_object(w);
}

void sandbox_graph_debug_token(struct sandbox_call *call)
{
	const struct str input = sandbox_param(call, "input_token");
	struct str asker = sandbox_authorization(call, "Bearer");
	const struct sandbox_token *token = sandbox_graph_token_find(call->sandbox, input);
	if (asker.len == 0)
		asker = sandbox_param(call, "access_token");
	if (!is_app_token(call, asker)) {
		sandbox_graph_fail_text(
			call, &(struct graph_error){400, 100, 0},
			STR("(#100) You must provide an app access token, or a user access "
			    "token that is an owner "
			    "or developer of the app"));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	if (token != NULL) {
		write_token_facts(call, &w, token);
	} else {
		json_key(&w, "error");
		json_begin_object(&w);
		json_member_int(&w, "code", 190);
		json_member_str(&w, "message",
				STR("Invalid OAuth access token - Cannot parse access token"));
		json_end_object(&w);
		json_member_bool(&w, "is_valid", false);
		write_scopes(&w, (struct str){0});
	}
	json_end_object(&w);
	json_end_object(&w);
}
