/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn's routes (linkedin.md 2.1, 4). sandbox_linkedin.h lists the
 * other files. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#define FORM_BYTES_MAX (64 * 1024)
#define PICTURE_BYTES_MAX (128u * 1024 * 1024)   /* documents may have 100 MB (2.5) */
#define VIDEO_PART_BYTES_MAX (16u * 1024 * 1024) /* parts have 4 MiB (2.6) */

/* ---- the gate ---- */

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	/* LinkedIn sends no Retry-After (section 3); a fault may ask for one anyway. */
	sandbox_answer_retry_after(call, retry_after_s);
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){429, 101, "TOO_MANY_REQUESTS"},
		STR("Resource level throttle limit for calls to this resource is reached."));
}

/* ---- the module ---- */

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
	{"POST", LINKEDIN_WWW "/dms-uploads/sp/{asset}/uploadedVideoCaptions",
	 sandbox_linkedin_video_captions_post, HTTP_BODY_MEMORY, 0},
	{"GET", "/" LINKEDIN_AVATAR_HOST "/dms/image/{who}", sandbox_linkedin_avatar,
	 HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_linkedin = {
	.platform = SANDBOX_LINKEDIN,
	.routes = routes,
	.route_count = COUNT_OF(routes),
	.state_size_bytes = sizeof(struct linkedin_state),
	.token_of = sandbox_token_bearer,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_linkedin_refuse_expired,
	.account_name = sandbox_linkedin_account_name,
};
