/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn: refusals, the gate in front of /rest, and the table of routes
 * (platforms/linkedin.md 2.1, 4, 8, 9). sandbox_linkedin.h says where the rest stands. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#define FORM_BYTES_MAX (64 * 1024)
#define PICTURE_BYTES_MAX (128u * 1024 * 1024)   /* documents may have 100 MB (2.5) */
#define VIDEO_PART_BYTES_MAX (16u * 1024 * 1024) /* parts have 4 MiB (2.6) */

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
	for (size_t i = 0; i < COUNT_OF(active_versions); i++) {
		if (str_equal_z(version, active_versions[i]))
			return true;
	}
	return false;
}

/* The day's calls of the app, and of its member (section 3); both begin anew at 00:00 UTC. There is
 * no Retry-After and no header that tells what is left. */
static bool take_quota(struct sandbox_call *call, const struct sandbox_token *token)
{
	struct linkedin_state *state = call->state;
	size_t index = sandbox_linkedin_app_find(token->client_id);
	const struct linkedin_app *app = sandbox_linkedin_app(index);
	struct linkedin_consent *consent = &state->consents[index];
	int64_t day = call->now_us / US_PER_DAY;

	if (consent->day != day) {
		consent->day = day;
		consent->calls = 0;
	}
	/* One member lives here: what the app did, the member did. */
	if (consent->calls < app->member_day_max && consent->calls < app->app_day_max) {
		consent->calls++;
		return true;
	}
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){429, 101, "TOO_MANY_REQUESTS"},
		str_format(call->arena,
			   "Resource level throttle %s DAY limit for calls to this resource is "
			   "reached.",
			   consent->calls < app->app_day_max ? "MEMBER" : "APPLICATION"));
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
	struct sandbox_token *token = sandbox_linkedin_bearer(call);

	return token != NULL && take_quota(call, token) ? token : NULL;
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

void sandbox_linkedin_put_paging(struct json_writer *w, int64_t start, int64_t count)
{
	json_key(w, "paging");
	json_begin_object(w);
	json_member_int(w, "start", start);
	json_member_int(w, "count", count);
	json_key(w, "links");
	json_begin_array(w);
	json_end_array(w);
	json_end_object(w);
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

/* ---- The module ---- */

static const struct sandbox_route routes[] = {
	{"GET", LINKEDIN_WWW "/oauth/v2/authorization", sandbox_linkedin_authorize, HTTP_BODY_NONE,
	 0},
	{"POST", LINKEDIN_WWW "/oauth/v2/accessToken", sandbox_linkedin_access_token,
	 HTTP_BODY_MEMORY, FORM_BYTES_MAX},
	{"POST", LINKEDIN_WWW "/oauth/v2/introspectToken", sandbox_linkedin_introspect,
	 HTTP_BODY_MEMORY, FORM_BYTES_MAX},
	{"POST", LINKEDIN_WWW "/psettings/permitted-services", sandbox_linkedin_permitted_services,
	 HTTP_BODY_MEMORY, FORM_BYTES_MAX},
	{"GET", LINKEDIN_API "/v2/userinfo", sandbox_linkedin_userinfo, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/v2/me", sandbox_linkedin_me, HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/rest/organizationAcls", sandbox_linkedin_organization_acls,
	 HTTP_BODY_NONE, 0},
	{"GET", LINKEDIN_API "/rest/organizations/{id}", sandbox_linkedin_organization,
	 HTTP_BODY_NONE, 0},
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
	{"POST", LINKEDIN_API "/rest/videos", sandbox_linkedin_video_action, HTTP_BODY_MEMORY, 0},
	{"GET", LINKEDIN_API "/rest/videos/{urn}", sandbox_linkedin_video_get, HTTP_BODY_NONE, 0},
	{"PUT", LINKEDIN_WWW "/dms-uploads/sp/{asset}/uploadedVideo/{part}",
	 sandbox_linkedin_video_part_put, HTTP_BODY_FILE, VIDEO_PART_BYTES_MAX},
	{"PUT", LINKEDIN_WWW "/dms-uploads/sp/{asset}/uploadedVideoThumbnail",
	 sandbox_linkedin_video_thumbnail_put, HTTP_BODY_FILE, PICTURE_BYTES_MAX},
	{"GET", "/" LINKEDIN_AVATAR_HOST "/dms/image/{who}", sandbox_linkedin_avatar,
	 HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_linkedin = {
	.platform = SANDBOX_LINKEDIN,
	.routes = routes,
	.route_count = COUNT_OF(routes),
	.state_size_bytes = sizeof(struct linkedin_state),
	.token_of = token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = refuse_expired,
};
