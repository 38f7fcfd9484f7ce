/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: Posts API under /rest, versioned by month (platforms/linkedin.md, read 2026-11-21).
 * One connection gives the member and each page that the member may post for; all share the
 * member's token. A post is one call, POST /rest/posts, whose answer names the post in a header;
 * comments follow under the first post. There is no idempotency key, and members' posts cannot be
 * read back: for them LinkedIn's own guard against duplicates is the only witness. */
#include "adapters.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json_write.h"

#include "little_text.h"
#include "look.h"
#include "platform.h"
#include "refusal.h"
#include "rules.h"
#include "stages.h"
#include "token_answer.h"

#define TOKEN_URL "https://www.linkedin.com/oauth/v2/accessToken"
#define USERINFO_URL "https://api.linkedin.com/v2/userinfo"
#define REST_URL "https://api.linkedin.com/rest"
#define PERSON_URN "urn:li:person:"
#define ORGANIZATION_URN "urn:li:organization:"

#define FORM_MAX_BYTES (16 * 1024)
#define URL_MAX_BYTES 4096
#define BODY_MAX_BYTES (1024 * 1024)
#define PAGES_MAX (STEP_ACCOUNTS_MAX - 1)
#define ACLS_PER_ANSWER 100
#define ACLS_START_MAX 1000
#define EARLY_TOKEN_WAIT_MS 5000 /* a token just made may answer 401 at first (1.5) */
#define LOOK_COUNT 10            /* newest posts looked at (5) */
#define LOOKS_BEFORE_REPEAT 2    /* of a page's posts without finding ours */
/* The guard's window is 10 minutes (5); what is left is for the way there and for clocks that
 * differ. */
#define DUPLICATE_GUARD_US (8 * US_PER_MINUTE)

/* ---- errors: section 4 ---- */

static const struct refusal token_refusals[] = {
	REFUSAL(0, "invalid_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"LinkedIn refused the app's client id or secret."),
	REFUSAL(0, "invalid_client_id", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"LinkedIn does not know the app's client id."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"LinkedIn limits the number of token requests."),
	REFUSAL(0, "invalid_redirect_uri", NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn refused the authorization code: it is too old, or its redirect address "
		"differs."),
	REFUSAL(0, NULL, NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn no longer accepts this authorization."),
	{0},
};

#define TOKEN_ROW(marker)                                                                          \
	REFUSAL(0, marker, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,                      \
		"LinkedIn refused the access token.")
#define MEDIA_ROW(status, marker, sentence)                                                        \
	REFUSAL(status, marker, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, sentence)

static const struct refusal api_refusals[] = {
	REFUSAL(426, NULL, NULL, APP, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn no longer serves the API version that is set; the operator must set a "
		"newer one."),
	REFUSAL(0, "VERSION_MISSING", NULL, APP, INTERNAL_ERROR, BY_SCHEDULE,
		"LinkedIn did not get an API version; the operator must set one."),
	REFUSAL(401, NULL, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn refused the access token."),
	TOKEN_ROW("65600"),
	TOKEN_ROW("65601"),
	TOKEN_ROW("65602"),
	TOKEN_ROW("INVALID_ACCESS_TOKEN"),
	TOKEN_ROW("REVOKED_ACCESS_TOKEN"),
	TOKEN_ROW("EXPIRED_ACCESS_TOKEN"),
	TOKEN_ROW("EMPTY_ACCESS_TOKEN"),
	REFUSAL(429, NULL, "APPLICATION DAY", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_UTC,
		"The app's LinkedIn quota for today is used up."),
	REFUSAL(429, NULL, "DAY", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_UTC,
		"The member's LinkedIn quota for today is used up."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"LinkedIn asked to slow down."),
	REFUSAL(0, "DUPLICATE_POST", NULL, PERMANENT, DUPLICATE_CONTENT, BY_SCHEDULE,
		"LinkedIn says that this content was posted already."),
	REFUSAL(0, NULL, "is a duplicate of", PERMANENT, DUPLICATE_CONTENT, BY_SCHEDULE,
		"LinkedIn says that this content was posted already."),
	REFUSAL(0, NULL, "Unable to obtain activity", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn has not finished the post that is to be commented on."),
	REFUSAL(403, NULL, "resource is forbidden", PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"LinkedIn says that a media file belongs to another account."),
	REFUSAL(403, NULL, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"LinkedIn refused this for want of a permission; a scope or the role on the page "
		"is missing."),
	REFUSAL(0, NULL, "Organization permissions must be used", PERMANENT, PERMISSION_MISSING,
		BY_SCHEDULE,
		"LinkedIn wants the permissions for pages; connect the account again with them."),
	REFUSAL(0, "MEDIA_ASSET_WAITING_UPLOAD", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn is still processing a media file."),
	REFUSAL(0, "EXPIRED_UPLOAD_URL", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn's address for an upload has expired."),
	MEDIA_ROW(0, "MEDIA_ASSET_PROCESSING_FAILED", "LinkedIn could not process a media file."),
	MEDIA_ROW(0, "INVALID_VIDEO_ID", "LinkedIn does not know the uploaded video."),
	MEDIA_ROW(413, NULL, "LinkedIn says that a media file is too large."),
	MEDIA_ROW(415, NULL, "LinkedIn does not take this kind of media file."),
	REFUSAL(404, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn does not know what this refers to; it may have been deleted."),
	REFUSAL(409, NULL, NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn reports a conflict with another change."),
	REFUSAL(400, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the content of the post."),
	REFUSAL(422, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the content of the post."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the request."),
	{0},
};

static bool is_code_char(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

/* The last place where LinkedIn hides a code: UPPER_CASE words inside the message. */
static void markers_add_from_message(struct refusal_facts *facts)
{
	size_t start = 0;
	for (size_t i = 0; i <= facts->message.len; i++) {
		if (i < facts->message.len && is_code_char(facts->message.ptr[i]))
			continue;
		const struct str word = str_slice(facts->message, start, i);
		if (str_find_char(word, '_', 1) != SIZE_MAX)
			refusal_marker_add(facts, word);
		start = i + 1;
	}
}

/* Any field may be missing; they are read in the order of section 4. */
static struct refusal_facts api_facts(const struct env *env, const struct reply *reply)
{
	const struct json *body = reply->json;
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(body, "message")),
	};
	refusal_marker_add(&facts, json_string(json_get(body, "code")));
	refusal_marker_add(&facts, json_text(env->arena, json_get(body, "serviceErrorCode")));
	const struct json *inputs = json_get(json_get(body, "errorDetails"), "inputErrors");
	for (size_t i = 0; json_at(inputs, i) != NULL; i++)
		refusal_marker_add(&facts, json_string(json_get(json_at(inputs, i), "code")));
	markers_add_from_message(&facts);
	facts.is_readable = facts.marker_count > 0 || !str_is_empty(facts.message);
	return facts;
}

static const char *api_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = api_facts(env, reply);
	refusal_fail(api_refusals, env, &facts, reply, step);
	return NULL;
}

/* For read and prepare calls: true when the answer is of no use and the step says so. */
static bool api_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return true;
	if (reply->status == 200)
		return false;
	api_fail(env, reply, step);
	return true;
}

/* ---- calls ---- */

static struct call *rest_send(const struct env *env, struct str token, struct step *step,
			      enum call_kind kind, const char *method, struct str url)
{
	struct call *call = step_send(step, kind, method, url);
	call_bearer(env, call, token);
	call_header(call, "LinkedIn-Version", env->settings->linkedin_version);
	call_header(call, "X-Restli-Protocol-Version", STR("2.0.0"));
	return call;
}

static void token_send(const struct env *env, struct step *step, struct buf *form)
{
	form_add(form, "client_id", env->client_id);
	form_add(form, "client_secret", env->client_secret);
	call_form(step_send(step, CALL_PREPARE, "POST", STR(TOKEN_URL)), buf_str(form));
}

/* path with the URN percent-encoded between its two ends. */
static struct str url_with_urn(const struct env *env, const char *before, struct str urn,
			       const char *after)
{
	struct buf url;
	buf_init(&url, env->arena, URL_MAX_BYTES);
	buf_add_z(&url, before);
	percent_encode(&url, urn);
	buf_add_z(&url, after);
	return buf_str(&url);
}

static bool is_page(const struct env *env)
{
	return env->account_type == ACCOUNT_ORGANIZATION;
}

static struct str author_urn(const struct env *env)
{
	return str_concat(env->arena, is_page(env) ? STR(ORGANIZATION_URN) : STR(PERSON_URN),
			  env->platform_account_id);
}

static struct str post_url(const struct env *env, struct str urn)
{
	return str_format(env->arena, "https://www.linkedin.com/feed/update/" STR_FMT "/",
			  STR_ARG(urn));
}

/* ---- verify: 1.7. Ordinary apps may not have app tokens; that they are told so means that they
 * are known. ---- */

static const char *verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("client_credentials"));
	token_send(env, step, &form);
	return NULL;
}

static const char *verify_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	(void)flow;
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	const struct refusal_facts facts = token_refusal_facts(reply);
	if (token_answer_read(env, reply, &answer) ||
	    (facts.is_readable && str_equal_z(facts.markers[0], "access_denied"))) {
		step_done(step);
		return NULL;
	}
	credentials_refused(token_refusals, env, reply, step);
	return NULL;
}

static const struct stage verify_stages[] = {
	{"probe", verify_ask, verify_answer},
	{0},
};

static void linkedin_verify(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	stages_run(verify_stages, env, flow, reply, step);
}

/* ---- connect: 1.4 and 1.6 ---- */

static const char *const member_scopes[] = {"openid", "profile", "w_member_social", NULL};
static const char *const page_scopes[] = {"rw_organization_admin", "w_organization_social", NULL};

/* Roles that may post (1.2). */
static const char *const page_roles[] = {"ADMINISTRATOR", "CONTENT_ADMINISTRATOR",
					 "DIRECT_SPONSORED_CONTENT_POSTER"};
#define PAGE_ROLE_COUNT (int64_t)(sizeof(page_roles) / sizeof(page_roles[0]))

static const char *exchange_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", env->code);
	form_add(&form, "redirect_uri", env->redirect_uri);
	token_send(env, step, &form);
	return NULL;
}

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!token_answer_read(env, reply, &answer)) {
		exchange_refused(token_refusals, env, reply, step);
		return NULL;
	}
	if (scopes_missing_fail(env, answer.scope, member_scopes, step))
		return NULL;
	token_answer_keep(flow, &answer);
	return "member";
}

static const char *member_ask(const struct env *env, struct flow *flow, struct step *step)
{
	call_bearer(env, step_send(step, CALL_READ, "GET", STR(USERINFO_URL)),
		    flow_get(flow, "access_token"));
	return NULL;
}

static const char *member_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (reply->outcome == REPLY_ANSWERED && reply->status == 401 &&
	    flow_count(flow, "early_refusals") == 1) {
		step_wait(step, EARLY_TOKEN_WAIT_MS);
		return NULL;
	}
	if (api_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct str id = json_string(json_get(reply->json, "sub"));
	if (str_is_empty(id)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("LinkedIn did not say who the member is."));
		return NULL;
	}
	flow_set(flow, "member_id", id);
	flow_set(flow, "member_name", json_string(json_get(reply->json, "name")));
	flow_set(flow, "member_email", json_string(json_get(reply->json, "email")));
	flow_set(flow, "member_picture", json_string(json_get(reply->json, "picture")));
	const struct str missing = scopes_missing(env->arena, flow_get(flow, "scope"), page_scopes);
	return str_is_empty(missing) ? "pages" : "accounts";
}

static const char *pages_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t role = flow_get_int(flow, "role", 0);
	const struct str url = str_format(
		env->arena,
		REST_URL
		"/organizationAcls?q=roleAssignee&role=%s&state=APPROVED&start=%d&count=%d",
		page_roles[role >= 0 && role < PAGE_ROLE_COUNT ? role : 0],
		(int)flow_get_int(flow, "start", 0), ACLS_PER_ANSWER);
	rest_send(env, flow_get(flow, "access_token"), step, CALL_READ, "GET", url);
	return NULL;
}

/* The key has three spellings (1.6). */
static struct str acl_page_id(const struct json *acl)
{
	static const char *const keys[] = {"organization", "organizationTarget",
					   "organizationalTarget"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct str urn = json_string(json_get(acl, keys[i]));
		if (str_skip(&urn, STR(ORGANIZATION_URN)))
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
	const struct str list = flow_get(flow, "page_ids");
	if (!str_parse_u64(id, &number) || list_has(list, id) ||
	    flow_get_int(flow, "page_count", 0) >= PAGES_MAX)
		return;
	flow_set(flow, "page_ids",
		 str_is_empty(list)
			 ? id
			 : str_format(env->arena, STR_FMT "," STR_FMT, STR_ARG(list), STR_ARG(id)));
	flow_count(flow, "page_count");
}

static const char *pages_next_role(struct flow *flow)
{
	flow_set_int(flow, "start", 0);
	if (flow_count(flow, "role") < PAGE_ROLE_COUNT)
		return "pages";
	return "page";
}

static const char *pages_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const bool is_answered = reply->outcome == REPLY_ANSWERED;
	if (is_answered && reply->status == 403)
		return "accounts"; /* the member alone */
	if (is_answered && reply->status == 400)
		return pages_next_role(flow); /* a role that this version does not know */
	if (api_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct json *acls = json_get(reply->json, "elements");
	for (size_t i = 0; json_at(acls, i) != NULL; i++)
		page_remember(env, flow, acl_page_id(json_at(acls, i)));
	const int64_t start = flow_get_int(flow, "start", 0) + ACLS_PER_ANSWER;
	if (acls == NULL || acls->count < ACLS_PER_ANSWER || start > ACLS_START_MAX)
		return pages_next_role(flow);
	flow_set_int(flow, "start", start);
	return "pages";
}

/* The page that is asked for next; empty when all are known. */
static struct str page_next(const struct flow *flow)
{
	struct str list = flow_get(flow, "page_ids");
	struct str id = {0};
	for (int64_t i = flow_get_int(flow, "pages_known", 0); i >= 0; i--) {
		if (str_is_empty(list) || !str_take_field(&list, ',', &id))
			return (struct str){0};
	}
	return id;
}

static const char *page_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str id = page_next(flow);
	if (str_is_empty(id))
		return "accounts";
	const struct str url = str_format(env->arena,
					  REST_URL "/organizations/" STR_FMT
						   "?projection=(id,localizedName,vanityName,"
						   "logoV2(original~:playableStreams))",
					  STR_ARG(id));
	rest_send(env, flow_get(flow, "access_token"), step, CALL_READ, "GET", url);
	return NULL;
}

static int64_t logo_width(const struct json *element)
{
	const struct json *data = json_get(element, "data");
	const struct json *image =
		json_get(data, "com.linkedin.digitalmedia.mediaartifact.StillImage");
	return json_int(json_get(json_get(image, "storageSize"), "width"), 0);
}

/* The widest of the sizes on offer. */
static struct str page_logo(const struct json *page)
{
	const struct json *sizes =
		json_get(json_get(json_get(page, "logoV2"), "original~"), "elements");
	struct str logo = {0};
	int64_t width_max = -1;
	for (size_t i = 0; json_at(sizes, i) != NULL; i++) {
		const struct json *size = json_at(sizes, i);
		const struct str url = json_string(
			json_get(json_at(json_get(size, "identifiers"), 0), "identifier"));
		if (str_is_empty(url) || logo_width(size) <= width_max)
			continue;
		logo = url;
		width_max = logo_width(size);
	}
	return logo;
}

/* pages: the members of a JSON array of {id, username, name, avatar}, without its brackets. */
static void page_keep(const struct env *env, struct flow *flow, const struct json *page)
{
	const struct str pages = flow_get(flow, "pages");
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
	json_member_str(&w, "avatar", page_logo(page));
	json_end_object(&w);
	if (!out.is_over)
		flow_set(flow, "pages", buf_str(&out));
	flow_count(flow, "pages_known");
}

static const char *page_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	/* A page whose details we may not see is kept under its number, not dropped silently (1.6).
	 */
	const bool is_hidden =
		reply->outcome == REPLY_ANSWERED && (reply->status == 403 || reply->status == 404);
	if (!is_hidden && (api_is_refused(env, reply, step) || step_fail_unreadable(step, reply)))
		return NULL;
	page_keep(env, flow, is_hidden ? NULL : reply->json);
	return "page";
}

/* The vanity name is not told without r_basicprofile (1.6). */
static struct str member_username(const struct flow *flow)
{
	struct str email = flow_get(flow, "member_email");
	struct str local_part = {0};
	str_take_until(&email, '@', &local_part);
	return local_part;
}

static const struct json *kept_pages(const struct env *env, const struct flow *flow)
{
	const struct json *pages = NULL;
	const struct str text =
		str_format(env->arena, "[" STR_FMT "]", STR_ARG(flow_get(flow, "pages")));
	if (json_parse(env->arena, text, NULL, &pages, NULL, NULL) != ERR_NONE)
		return NULL;
	return pages;
}

static const char *accounts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct json *pages = kept_pages(env, flow);
	const struct token_answer token = token_answer_kept(flow);
	const size_t page_count = pages != NULL ? pages->count : 0;
	struct account_found *accounts =
		ARENA_ARRAY(env->arena, struct account_found, page_count + 1);
	accounts[0] = (struct account_found){
		.platform_account_id = flow_get(flow, "member_id"),
		.username = member_username(flow),
		.name = flow_get(flow, "member_name"),
		.email = flow_get(flow, "member_email"),
		.avatar_url = flow_get(flow, "member_picture"),
		.type = ACCOUNT_PERSONAL,
	};
	for (size_t i = 0; i < page_count; i++) {
		const struct json *page = json_at(pages, i);
		accounts[i + 1] = (struct account_found){
			.platform_account_id = json_string(json_get(page, "id")),
			.username = json_string(json_get(page, "username")),
			.name = json_string(json_get(page, "name")),
			.avatar_url = json_string(json_get(page, "avatar")),
			.type = ACCOUNT_ORGANIZATION,
		};
	}
	for (size_t i = 0; i <= page_count; i++)
		token_answer_give(&token, &accounts[i]);
	step_done(step);
	step->accounts = accounts;
	step->account_count = page_count + 1;
	return NULL;
}

static const struct stage connect_stages[] = {
	{"exchange", exchange_ask, exchange_answer},
	{"member", member_ask, member_answer},
	{"pages", pages_ask, pages_answer},
	{"page", page_ask, page_answer},
	{"accounts", accounts_ask, answer_unexpected},
	{0},
};

static void linkedin_connect(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run(connect_stages, env, flow, reply, step);
	connect_failure_complete(step);
}

/* ---- refresh: 1.5. Only apps of partners have refresh tokens. ---- */

static const char *refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
			  STR("LinkedIn gave no refresh token; the account has to be connected "
			      "again."));
		return NULL;
	}
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("refresh_token"));
	form_add(&form, "refresh_token", env->refresh_token);
	token_send(env, step, &form);
	return NULL;
}

static const char *refresh_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	(void)flow;
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (token_answer_read(env, reply, &answer))
		token_answer_grant(&answer, step);
	else
		token_refused(token_refusals, env, reply, step);
	return NULL;
}

static const struct stage refresh_stages[] = {
	{"token", refresh_ask, refresh_answer},
	{0},
};

static void linkedin_refresh(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run(refresh_stages, env, flow, reply, step);
}

/* ---- publish: 2.2 and 2.10 ---- */

static struct str part_text(const struct env *env, const struct flow *flow)
{
	return env->post->containers[flow_part(flow)].content;
}

static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	const size_t part = flow_part(flow);
	if (part < flow->part_count)
		return part == 0 ? "post" : "comment";
	step_done(step);
	return NULL;
}

static struct str option_or(const struct env *env, const char *name, const char *fallback)
{
	const struct str value = json_string(json_get(env->options, name));
	return str_is_empty(value) ? str_of(fallback) : value;
}

static struct str post_body(const struct env *env, struct flow *flow)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "author", author_urn(env));
	json_member_str(&w, "commentary", little_text_escape(env->arena, part_text(env, flow)));
	json_member_str(&w, "visibility", option_or(env, "visibility", "PUBLIC"));
	json_key(&w, "distribution");
	json_begin_object(&w);
	json_member_str(&w, "feedDistribution", option_or(env, "feedDistribution", "MAIN_FEED"));
	json_key(&w, "targetEntities");
	json_begin_array(&w);
	json_end_array(&w);
	json_key(&w, "thirdPartyDistributionChannels");
	json_begin_array(&w);
	json_end_array(&w);
	json_end_object(&w);
	json_member_str(&w, "lifecycleState", STR("PUBLISHED"));
	json_member_bool(&w, "isReshareDisabledByAuthor",
			 json_bool(json_get(env->options, "isReshareDisabledByAuthor"), false));
	json_end_object(&w);
	return buf_str(&body);
}

/* A repeat was allowed only while LinkedIn's guard would refuse a second one. When it was held up
 * for longer, by a limit or a lost connection, it is in doubt again. Asked a third time, somebody
 * has decided that the risk is taken. */
static bool repeat_is_late(const struct env *env, struct flow *flow)
{
	const int64_t until_us = flow_get_int(flow, "repeat_until_us", INT64_MAX);
	if (env->now_us <= until_us && (until_us == INT64_MAX || !look_clock_has_moved(flow)))
		return false;
	flow_unset(flow, "repeat_until_us");
	return true;
}

static const char *post_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (repeat_is_late(env, flow)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	struct call *call = rest_send(env, env->access_token, step, CALL_PUBLISH, "POST",
				      STR(REST_URL "/posts"));
	call_json(call, post_body(env, flow));
	return NULL;
}

/* Created things are named in a header; older spelling second (2.1). */
static struct str created_id(const struct reply *reply)
{
	const struct str id = reply_header(reply, "x-restli-id");
	return str_is_empty(id) ? reply_header(reply, "x-linkedin-id") : id;
}

static bool is_urn_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ':';
}

/* "...Content is a duplicate of urn:li:share:7000000000000000001": the URN, or empty. */
static struct str duplicate_urn(struct str message)
{
	const size_t start = str_find(message, STR("urn:li:"), 0);
	if (start == SIZE_MAX)
		return (struct str){0};
	size_t end = start;
	while (end < message.len && is_urn_char(message.ptr[end]))
		end++;
	return str_slice(message, start, end);
}

static const char *part_landed(const struct env *env, struct flow *flow, struct str urn)
{
	flow_part_done(flow, urn, post_url(env, urn));
	return "begin";
}

/* The guard's answer (5). Without a doubt it says that this text was posted before. After one it
 * most likely names what our first call made; the keeper takes that, unless the URN belongs to
 * another post of ours. */
static const char *post_duplicate(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str urn = duplicate_urn(json_string(json_get(reply->json, "message")));
	if (look_doubt_us(flow) != 0 && !str_is_empty(urn)) {
		flow_set(flow, "duplicate_urn", urn);
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	api_fail(env, reply, step);
	if (!str_is_empty(urn))
		step->failure.message = str_format(
			env->arena,
			"LinkedIn says that this content was posted already, as " STR_FMT ".",
			STR_ARG(urn));
	return NULL;
}

/* A refusal of a publish call, or a doubt when it cannot be read as one. */
static const char *publish_refused(const struct env *env, const struct reply *reply,
				   struct step *step)
{
	const struct refusal_facts facts = api_facts(env, reply);
	if (!refusal_is_certain(&facts) && reply->status != 426) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	return api_fail(env, reply, step);
}

static const char *post_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (reply->status == 200 || reply->status == 201) {
		const struct str urn = created_id(reply);
		if (!str_is_empty(urn))
			return part_landed(env, flow, urn);
		*step = (struct step){.kind = STEP_UNCERTAIN}; /* 5: like a lost answer */
		return NULL;
	}
	const struct refusal_facts facts = api_facts(env, reply);
	if (refusal_find(api_refusals, &facts)->code == FAILURE_CODE_DUPLICATE_CONTENT)
		return post_duplicate(env, flow, reply, step);
	return publish_refused(env, reply, step);
}

static struct str comments_url(const struct env *env, const struct flow *flow, const char *query)
{
	return url_with_urn(
		env, REST_URL "/socialActions/", flow->parts[0].remote_id,
		str_z(env->arena, str_concat(env->arena, STR("/comments"), str_of(query))));
}

static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "actor", author_urn(env));
	json_member_str(&w, "object", flow->parts[0].remote_id);
	json_key(&w, "message");
	json_begin_object(&w);
	json_member_str(&w, "text",
			part_text(env, flow)); /* plain: no escaping in comments (2.9) */
	json_end_object(&w);
	json_end_object(&w);
	struct call *call = rest_send(env, env->access_token, step, CALL_PUBLISH, "POST",
				      comments_url(env, flow, ""));
	call_json(call, buf_str(&body));
	return NULL;
}

static struct str comment_urn(const struct env *env, const struct json *comment)
{
	const struct str urn = json_string(json_get(comment, "commentUrn"));
	return str_is_empty(urn) ? json_text(env->arena, json_get(comment, "id")) : urn;
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (reply->status != 200 && reply->status != 201)
		return publish_refused(env, reply, step);
	struct str urn = comment_urn(env, reply->json);
	if (str_is_empty(urn))
		urn = created_id(reply);
	if (str_is_empty(urn)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	flow_part_done(flow, urn, flow->parts[0].url);
	return "begin";
}

static const struct stage publish_stages[] = {
	{"begin", begin_ask, answer_unexpected},
	{"post", post_ask, post_answer},
	{"comment", comment_ask, comment_answer},
	{0},
};

static void linkedin_publish(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run(publish_stages, env, flow, reply, step);
}

/* ---- resolve: section 5 ---- */

/* A member's posts cannot be read. The same body, soon and once: the guard refuses it when the
 * first one landed. */
static const char *repeat_or_unknown(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t until_us = look_doubt_us(flow) + DUPLICATE_GUARD_US;
	if (env->now_us > until_us || look_clock_has_moved(flow) || flow_count(flow, "repeats") > 1)
		return look_end(flow, step, STEP_UNKNOWN);
	flow_set_int(flow, "repeat_until_us", until_us);
	flow_set_open(flow); /* the first may have landed, whatever is said to the second */
	return look_end(flow, step, STEP_SEND_AGAIN);
}

static const char *doubt_ask(const struct env *env, struct flow *flow, struct step *step)
{
	look_since_us(env, flow);
	if (flow_part(flow) > 0)
		return "comments";
	if (is_page(env))
		return "posts";
	const struct str duplicate = flow_get(flow, "duplicate_urn");
	if (str_is_empty(duplicate))
		return repeat_or_unknown(env, flow, step);
	look_matches_begin(flow, step);
	look_match_add(step, duplicate, post_url(env, duplicate));
	return look_matches_end(step);
}

static const char *posts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	const struct str after =
		str_format(env->arena, "&count=%d&sortBy=LAST_MODIFIED", LOOK_COUNT);
	const struct str url = url_with_urn(
		env, REST_URL "/posts?q=author&author=", author_urn(env), str_z(env->arena, after));
	struct call *call = rest_send(env, env->access_token, step, CALL_READ, "GET", url);
	call_header(call, "X-RestLi-Method", STR("FINDER"));
	return NULL;
}

/* A look that could not be made: its failure says whether a new token or time would help. */
static const char *look_refused(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	return api_is_refused(env, reply, step) ? NULL : look_end(flow, step, STEP_UNKNOWN);
}

static bool look_is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 &&
	       json_is(json_get(reply->json, "elements"), JSON_TYPE_ARRAY);
}

/* Both sides go through the same unescaping, so that mentions and hashtags compare as they are
 * shown. */
static bool is_our_post(const struct env *env, struct flow *flow, const struct json *post)
{
	const struct str sent = little_text_escape(env->arena, part_text(env, flow));
	const struct str found = json_string(json_get(post, "commentary"));
	return look_is_since_ms(env, flow, json_int(json_get(post, "createdAt"), 0)) &&
	       look_texts_equal(env->arena, little_text_unescape(env->arena, sent),
				little_text_unescape(env->arena, found));
}

static const char *posts_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	if (!look_is_answered(reply))
		return look_refused(env, flow, reply, step);
	const struct json *posts = json_get(reply->json, "elements");
	look_matches_begin(flow, step);
	for (size_t i = 0; i < posts->count; i++) {
		const struct str urn = json_string(json_get(json_at(posts, i), "id"));
		if (!str_is_empty(urn) && is_our_post(env, flow, json_at(posts, i)))
			look_match_add(step, urn, post_url(env, urn));
	}
	/* Not to be seen for half a minute, and the guard still up: with two witnesses it may be
	 * sent once more. */
	if (step->match_count == 0 && env->look >= LOOKS_BEFORE_REPEAT)
		return repeat_or_unknown(env, flow, step);
	return look_matches_end(step);
}

static const char *comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	rest_send(env, env->access_token, step, CALL_READ, "GET", comments_url(env, flow, ""));
	return NULL;
}

static bool is_our_comment(const struct env *env, struct flow *flow, const struct json *comment)
{
	const struct str text = json_string(json_get(json_get(comment, "message"), "text"));
	return str_equal(json_string(json_get(comment, "actor")), author_urn(env)) &&
	       look_is_since_ms(env, flow,
				json_int(json_get(json_get(comment, "created"), "time"), 0)) &&
	       look_texts_equal(env->arena, text, part_text(env, flow));
}

static const char *comments_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (!look_is_answered(reply))
		return look_refused(env, flow, reply, step);
	const struct json *comments = json_get(reply->json, "elements");
	look_matches_begin(flow, step);
	for (size_t i = 0; i < comments->count; i++) {
		const struct json *comment = json_at(comments, i);
		const struct str urn = comment_urn(env, comment);
		if (!str_is_empty(urn) && is_our_comment(env, flow, comment))
			look_match_add(step, urn, flow->parts[0].url);
	}
	return look_matches_end(step);
}

static const struct stage resolve_stages[] = {
	{"doubt", doubt_ask, answer_unexpected},
	{"posts", posts_ask, posts_answer},
	{"comments", comments_ask, comments_answer},
	{0},
};

static void linkedin_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run_probe(resolve_stages, env, flow, reply, step);
}

/* ---- data ---- */

static const struct oauth_profile linkedin_oauth = {
	.authorize_url = "https://www.linkedin.com/oauth/v2/authorization",
	.client_id_name = "client_id",
	/* Always the whole set: another set than last time kills the member's earlier tokens (1.1).
	 */
	.scopes = {"openid", "profile", "email", "w_member_social", "r_organization_social",
		   "w_organization_social", "rw_organization_admin"},
	.scope_separator = " ",
	.pkce = PKCE_NONE,
	.denied_errors = {"user_cancelled_login", "user_cancelled_authorize", "access_denied"},
};

static const struct type_rule linkedin_types[] = {
	{.type = POST_TYPE_POST,
	 .text_required = true,
	 .summary = "A text post of a member or a page"},
	{0},
};

static const struct option_rule linkedin_options[] = {
	{"visibility", OPTION_ENUM, 0, "PUBLIC|CONNECTIONS|LOGGED_IN",
	 "Who sees the post; PUBLIC when not given, CONNECTIONS for members only"},
	{"feedDistribution", OPTION_ENUM, 0, "MAIN_FEED|NONE",
	 "MAIN_FEED when not given; NONE keeps a page's post out of the feed"},
	{"isReshareDisabledByAuthor", OPTION_BOOL, 0, NULL, "Nobody may share the post onward"},
	{0},
};

static const struct post_rules linkedin_rules = {
	.types = linkedin_types,
	.text_unit = TEXT_CODE_POINTS,
	.text_max = 3000,         /* section 3: before escaping */
	.comment_text_max = 1250, /* section 3 */
	.comments_max = POST_CONTAINERS_MAX - 1,
	.options = linkedin_options,
};

const struct platform platform_linkedin = {
	.slug = "linkedin",
	.id = PLATFORM_LINKEDIN,
	.oauth = &linkedin_oauth,
	.rules = &linkedin_rules,
	.verify = linkedin_verify,
	.connect = linkedin_connect,
	.refresh = linkedin_refresh,
	.publish = linkedin_publish,
	.resolve = linkedin_resolve,
};
