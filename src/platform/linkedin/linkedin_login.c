/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: app credentials, consent, accounts and tokens (linkedin.md 1). One
 * connection gives the member and each page that the member may post for; all share the member's
 * token. */
#include "linkedin_adapter.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json_write.h"

#include "answer.h"
#include "oauth_exchange.h"

#define ME_URL \
	"https://api.linkedin.com/v2/me?projection=(id,localizedFirstName,localizedLastName," \
	"vanityName,profilePicture(displayImage~:playableStreams))"
#define BODY_MAX_BYTES (1024 * 1024)
#define PAGES_MAX (STEP_ACCOUNTS_MAX - 1)
#define ACLS_PER_ANSWER 100
#define ACLS_START_MAX 1000
#define EARLY_TOKEN_WAIT_MS 5000 /* a token just made may answer 401 at first (1.5) */

/* Ordinary apps may not have app tokens (1.7); an app that is told so is known. */
const struct oauth_exchange linkedin_exchange = {
	.token_url = "https://www.linkedin.com/oauth/v2/accessToken",
	.refusals = linkedin_token_refusals,
	.verified_errors = {"access_denied"},
};

/* ---- pictures: a list of sizes for every "~" of a projection (1.6) ---- */

static int64_t picture_width(const struct json *element)
{
	const struct json *data = json_get(element, "data");
	const struct json *image =
		json_get(data, "com.linkedin.digitalmedia.mediaartifact.StillImage");
	return json_int(json_get(json_get(image, "storageSize"), "width"), 0);
}

static struct str widest(const struct json *picture)
{
	const struct json *sizes = json_get(picture, "elements");
	struct str found = {0};
	int64_t width_max = -1;
	for (size_t i = 0; json_at(sizes, i) != NULL; i++) {
		const struct json *size = json_at(sizes, i);
		const struct str url = json_string(
			json_get(json_at(json_get(size, "identifiers"), 0), "identifier"));
		if (str_is_empty(url) || picture_width(size) <= width_max)
			continue;
		found = url;
		width_max = picture_width(size);
	}
	return found;
}

/* ---- connect: 1.4 and 1.6 ---- */

/* An app has what its products give it (1.2): a self-serve one OpenID Connect and the member's
 * posts, a page app the basic profile and the pages. Neither has all of them. */
static const char *const openid_scopes[] = {"openid", "profile", NULL};
static const char *const profile_scopes[] = {"r_basicprofile", NULL};
static const char *const member_scopes[] = {"w_member_social", NULL};
static const char *const self_serve_scopes[] = {"openid", "profile", "w_member_social", NULL};
static const char *const page_scopes[] = {"w_organization_social", NULL};

static bool has_scopes(const struct env *env, struct str granted, const char *const *scopes)
{
	return str_is_empty(token_scopes_missing(env->arena, granted, scopes));
}

/* Both spellings of the right to see who may post for which page (1.6). */
static bool has_pages(const struct env *env, struct str granted)
{
	return has_scopes(env, granted, page_scopes) &&
	       (str_is_empty(granted) || token_scope_is_granted(granted, "rw_organization_admin") ||
		token_scope_is_granted(granted, "r_organization_admin"));
}

/* Roles that may post; one of them in its older spelling too (1.2). */
static const char *const page_roles[] = {"ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR",
					 "DIRECT_SPONSORED_CONTENT_POSTER"};
#define PAGE_ROLE_COUNT (int64_t)(COUNT_OF(page_roles))

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (!oauth_exchange_read(env, reply, &answer, step))
		return NULL;
	/* A scope that the app does not own is left out without a word (1.2). */
	const bool has_openid = has_scopes(env, answer.scope, openid_scopes);
	if (!has_openid && !has_scopes(env, answer.scope, profile_scopes) &&
	    token_scopes_missing_fail(env, answer.scope, self_serve_scopes, step))
		return NULL;
	if (!has_pages(env, answer.scope) &&
	    token_scopes_missing_fail(env, answer.scope, member_scopes, step))
		return NULL;
	token_answer_keep(flow, &answer);
	return has_openid ? LINKEDIN_STAGE_MEMBER : LINKEDIN_STAGE_ME;
}

static const char *member_ask(const struct env *env, struct flow *flow, struct step *step)
{
	call_bearer(env, step_send(step, CALL_READ, "GET", STR(LINKEDIN_USERINFO_URL)),
		    flow_get(flow, TOKEN_KEY_ACCESS));
	return NULL;
}

/* Is it a token that was made a moment ago and is not known everywhere yet? Once. */
static bool is_early(struct flow *flow, const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status == 401 &&
	       flow_count(flow, LINKEDIN_KEY_EARLY_REFUSALS) == 1;
}

static const char *member_known(const struct env *env, struct flow *flow, struct str id,
				struct str name, struct step *step)
{
	if (str_is_empty(id)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("LinkedIn's answer does not name the member."));
		return NULL;
	}
	flow_set(flow, LINKEDIN_KEY_MEMBER_ID, id);
	flow_set(flow, LINKEDIN_KEY_MEMBER_NAME, name);
	return has_pages(env, flow_get(flow, TOKEN_KEY_SCOPE)) ? LINKEDIN_STAGE_PAGES
							       : LINKEDIN_STAGE_ACCOUNTS;
}

static const char *member_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (is_early(flow, reply)) {
		step_wait(step, EARLY_TOKEN_WAIT_MS);
		return NULL;
	}
	/* The answer did not list the granted scopes, and these were not granted. */
	if (reply->outcome == REPLY_ANSWERED && reply->status == 403 &&
	    str_is_empty(flow_get(flow, TOKEN_KEY_SCOPE)))
		return LINKEDIN_STAGE_ME;
	if (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	flow_set(flow, LINKEDIN_KEY_MEMBER_EMAIL, json_string(json_get(reply->json, "email")));
	flow_set(flow, LINKEDIN_KEY_MEMBER_PICTURE, json_string(json_get(reply->json, "picture")));
	return member_known(env, flow, answer_id_of(env, json_string(json_get(reply->json, "sub"))),
			    json_string(json_get(reply->json, "name")), step);
}

/* An app without OpenID Connect (1.6). */
static const char *me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	call_bearer(env, step_send(step, CALL_READ, "GET", STR(ME_URL)),
		    flow_get(flow, TOKEN_KEY_ACCESS));
	return NULL;
}

static const char *me_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	if (is_early(flow, reply)) {
		step_wait(step, EARLY_TOKEN_WAIT_MS);
		return NULL;
	}
	if (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct str name =
		str_format(env->arena, STR_FMT " " STR_FMT,
			   STR_ARG(json_string(json_get(reply->json, "localizedFirstName"))),
			   STR_ARG(json_string(json_get(reply->json, "localizedLastName"))));
	const struct json *picture = json_get(reply->json, "profilePicture");
	flow_set(flow, LINKEDIN_KEY_MEMBER_VANITY,
		 json_string(json_get(reply->json, "vanityName")));
	flow_set(flow, LINKEDIN_KEY_MEMBER_PICTURE, widest(json_get(picture, "displayImage~")));
	return member_known(env, flow, answer_id_of(env, json_string(json_get(reply->json, "id"))),
			    str_trim(name), step);
}

static const char *pages_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t role = flow_get_int(flow, LINKEDIN_KEY_ROLE, 0);
	const struct str url = str_format(
		env->arena,
		LINKEDIN_REST_URL
		"/organizationAcls?q=roleAssignee&role=%s&state=APPROVED&start=%d&count=%d",
		page_roles[role >= 0 && role < PAGE_ROLE_COUNT ? role : 0],
		(int)flow_get_int(flow, LINKEDIN_KEY_START, 0), ACLS_PER_ANSWER);
	linkedin_send(env, flow_get(flow, TOKEN_KEY_ACCESS), step, CALL_READ, "GET", url);
	return NULL;
}

/* The key has three spellings (1.6). */
static struct str acl_page_id(const struct json *acl)
{
	static const char *const keys[] = {"organization", "organizationTarget",
					   "organizationalTarget"};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str urn = json_string(json_get(acl, keys[i]));
		if (str_skip(&urn, STR(LINKEDIN_ORGANIZATION_URN)))
			return urn;
	}
	return (struct str){0};
}

static bool list_has(struct str list, struct str item)
{
	struct str field;
	while (str_take_field(&list, ',', &field)) {
		if (str_equal(field, item))
			return true;
	}
	return false;
}

static void page_remember(const struct env *env, struct flow *flow, struct str id)
{
	uint64_t number = 0;
	const struct str list = flow_get(flow, LINKEDIN_KEY_PAGE_IDS);
	if (!str_parse_u64(id, &number) || list_has(list, id) ||
	    flow_get_int(flow, LINKEDIN_KEY_PAGE_COUNT, 0) >= PAGES_MAX)
		return;
	flow_set(flow, LINKEDIN_KEY_PAGE_IDS,
		 str_is_empty(list)
			 ? id
			 : str_format(env->arena, STR_FMT "," STR_FMT, STR_ARG(list), STR_ARG(id)));
	flow_count(flow, LINKEDIN_KEY_PAGE_COUNT);
}

static const char *pages_next_role(struct flow *flow)
{
	flow_set_int(flow, LINKEDIN_KEY_START, 0);
	if (flow_count(flow, LINKEDIN_KEY_ROLE) < PAGE_ROLE_COUNT)
		return LINKEDIN_STAGE_PAGES;
	return LINKEDIN_STAGE_PAGE;
}

static const char *pages_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const bool is_answered = reply->outcome == REPLY_ANSWERED;
	if (is_answered && reply->status == 403)
		return LINKEDIN_STAGE_ACCOUNTS; /* the member alone */
	if (is_answered && reply->status == 400)
		return pages_next_role(flow); /* a role that this version does not know */
	if (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct json *acls = json_get(reply->json, "elements");
	for (size_t i = 0; json_at(acls, i) != NULL; i++)
		page_remember(env, flow, acl_page_id(json_at(acls, i)));
	const int64_t start = flow_get_int(flow, LINKEDIN_KEY_START, 0) + ACLS_PER_ANSWER;
	if (acls == NULL || acls->count < ACLS_PER_ANSWER || start > ACLS_START_MAX)
		return pages_next_role(flow);
	flow_set_int(flow, LINKEDIN_KEY_START, start);
	return LINKEDIN_STAGE_PAGES;
}

/* The page that is asked for next; empty when all are known. */
static struct str page_next(const struct flow *flow)
{
	struct str list = flow_get(flow, LINKEDIN_KEY_PAGE_IDS);
	struct str id = {0};
	for (int64_t i = flow_get_int(flow, LINKEDIN_KEY_PAGES_KNOWN, 0); i >= 0; i--) {
		if (str_is_empty(list) || !str_take_field(&list, ',', &id))
			return (struct str){0};
	}
	return id;
}

static const char *page_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str id = page_next(flow);
	if (str_is_empty(id))
		return LINKEDIN_STAGE_ACCOUNTS;
	const struct str url =
		str_format(env->arena,
			   LINKEDIN_REST_URL "/organizations/" STR_FMT
					     "?projection=(id,localizedName,vanityName,"
					     "logoV2(original~:playableStreams))",
			   STR_ARG(id));
	linkedin_send(env, flow_get(flow, TOKEN_KEY_ACCESS), step, CALL_READ, "GET", url);
	return NULL;
}

/* pages: the members of a JSON array of {id, username, name, avatar}, without its brackets. */
static void page_keep(const struct env *env, struct flow *flow, const struct json *page)
{
	const struct str pages = flow_get(flow, LINKEDIN_KEY_PAGES);
	const struct str id = page_next(flow);
	struct str name = json_string(json_get(page, "localizedName"));
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, BODY_MAX_BYTES);
	buf_add(&out, pages);
	if (!str_is_empty(pages))
		buf_add_char(&out, ',');
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "id", id);
	json_member_str(&w, "username", json_string(json_get(page, "vanityName")));
	json_member_str(&w, "name", str_is_empty(name) ? id : name);
	json_member_str(&w, "avatar", widest(json_get(json_get(page, "logoV2"), "original~")));
	json_end_object(&w);
	if (!out.is_over)
		flow_set(flow, LINKEDIN_KEY_PAGES, buf_str(&out));
	flow_count(flow, LINKEDIN_KEY_PAGES_KNOWN);
}

static const char *page_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	/* A page whose details we may not see is kept under its number, not dropped silently
	 * (1.6). */
	const bool is_hidden =
		reply->outcome == REPLY_ANSWERED && (reply->status == 403 || reply->status == 404);
	if (!is_hidden &&
	    (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply)))
		return NULL;
	page_keep(env, flow, is_hidden ? NULL : reply->json);
	return LINKEDIN_STAGE_PAGE;
}

/* Without r_basicprofile the answer has no vanity name (1.6). */
static struct str member_username(const struct flow *flow)
{
	const struct str vanity = flow_get(flow, LINKEDIN_KEY_MEMBER_VANITY);
	struct str email = flow_get(flow, LINKEDIN_KEY_MEMBER_EMAIL);
	struct str local_part = {0};
	if (!str_is_empty(vanity))
		return vanity;
	str_take_until(&email, '@', &local_part);
	return local_part;
}

static const struct json *kept_pages(const struct env *env, const struct flow *flow)
{
	const struct json *pages = NULL;
	const struct str text = str_format(env->arena, "[" STR_FMT "]",
					   STR_ARG(flow_get(flow, LINKEDIN_KEY_PAGES)));
	if (json_parse(env->arena, text, NULL, &pages, NULL, NULL) != ERR_NONE)
		return NULL;
	return pages;
}

static struct account_found member_account(const struct flow *flow)
{
	return (struct account_found){
		.platform_account_id = flow_get(flow, LINKEDIN_KEY_MEMBER_ID),
		.username = member_username(flow),
		.name = flow_get(flow, LINKEDIN_KEY_MEMBER_NAME),
		.email = flow_get(flow, LINKEDIN_KEY_MEMBER_EMAIL),
		.avatar_url = flow_get(flow, LINKEDIN_KEY_MEMBER_PICTURE),
		.type = ACCOUNT_PERSONAL,
	};
}

static struct account_found page_account(const struct json *page)
{
	return (struct account_found){
		.platform_account_id = json_string(json_get(page, "id")),
		.username = json_string(json_get(page, "username")),
		.name = json_string(json_get(page, "name")),
		.avatar_url = json_string(json_get(page, "avatar")),
		.type = ACCOUNT_ORGANIZATION,
	};
}

/* The member, when the app may post as the member, and the pages. */
static const char *accounts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct json *pages = kept_pages(env, flow);
	const struct token_answer token = token_answer_kept(flow);
	const size_t page_count = pages != NULL ? pages->count : 0;
	struct account_found *accounts =
		ARENA_ARRAY(env->arena, struct account_found, page_count + 1);
	size_t count = 0;
	if (has_scopes(env, token.scope, member_scopes))
		accounts[count++] = member_account(flow);
	for (size_t i = 0; i < page_count; i++)
		accounts[count++] = page_account(json_at(pages, i));
	for (size_t i = 0; i < count; i++)
		token_answer_give(&token, &accounts[i]);
	if (count == 0) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  STR("This member cannot post for any page, and the app may not post as "
			      "the member."))
			->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
		return NULL;
	}
	step_done(step);
	step->accounts = accounts;
	step->account_count = count;
	return NULL;
}

const struct stage linkedin_connect_stages[] = {
	{OAUTH_STAGE_EXCHANGE, oauth_exchange_ask, exchange_answer},
	{LINKEDIN_STAGE_MEMBER, member_ask, member_answer},
	{LINKEDIN_STAGE_ME, me_ask, me_answer},
	{LINKEDIN_STAGE_PAGES, pages_ask, pages_answer},
	{LINKEDIN_STAGE_PAGE, page_ask, page_answer},
	{LINKEDIN_STAGE_ACCOUNTS, accounts_ask, stages_answer_unexpected},
	{0},
};

/* ---- data ---- */

/* LinkedIn refuses the whole login for one scope that the app does not own, and the Community
 * Management API wants to be its app's only product (1.2). */
#define MEMBER_SCOPES "openid", "profile", "email", "w_member_social"

static const struct oauth_variant variants[] = {
	{"member", {MEMBER_SCOPES}, "Sign In with LinkedIn and Share on LinkedIn: members' posts"},
	{"pages",
	 {"r_basicprofile", "w_member_social", "w_organization_social", "r_organization_social",
	  "rw_organization_admin"},
	 "Community Management API: posts of company pages, and of members"},
	{"both",
	 {MEMBER_SCOPES, "r_organization_social", "w_organization_social", "rw_organization_admin"},
	 "Advertising API beside the products of member: members' and pages' posts"},
	{.name = NULL},
};

const struct oauth_profile linkedin_oauth = {
	.authorize_url = "https://www.linkedin.com/oauth/v2/authorization",
	.client_id_name = "client_id",
	/* Always the whole set: another set than last time kills the member's earlier tokens
	 * (1.1). */
	.scopes = {MEMBER_SCOPES},
	.variants = variants,
	.scope_separator = " ",
	.pkce = PKCE_NONE,
	.denied_errors = {"user_cancelled_login", "user_cancelled_authorize", "access_denied"},
	.scope_error = "unauthorized_scope_error",
	.scope_remedy =
		"Set the credential's variant to what the app's products at LinkedIn allow "
		"(member: "
		"Share on LinkedIn; pages: Community Management API; both: Advertising API), or "
		"enter the scopes of its products.",
};
