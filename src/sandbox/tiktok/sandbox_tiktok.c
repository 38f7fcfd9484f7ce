/* SPDX-License-Identifier: Apache-2.0
 * The simulated TikTok's routes (tiktok.md 1, 4). sandbox_tiktok.h lists the other
 * files. */
#include "count_of.h"

#include "sandbox_tiktok.h"

#include "sandbox_avatar.h"

#define FORM_BYTES_MAX (64 * 1024)
/* Above the 128 MB of a last chunk: the handler itself refuses longer ones. */
#define CHUNK_BYTES_MAX ((size_t)160 * 1024 * 1024)

/* ---- the gate ---- */

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	/* No Retry-After is documented (4.2); a fault may ask for one anyway. */
	sandbox_answer_retry_after(call, retry_after_s);
	sandbox_tiktok_refuse(call, (struct tiktok_error){429, "rate_limit_exceeded"},
			      "The API rate limit was exceeded. Please try again later.");
}

static void avatar(struct sandbox_call *call)
{
	sandbox_avatar_answer(call, SANDBOX_AVATAR_PERSON, STR("tiktok"));
}

/* The trailing slash is part of the paths (1.4); arctic sends browsers to the page without it. */
static const struct sandbox_route routes[] = {
	{"GET", "/www.tiktok.com/v2/auth/authorize", sandbox_tiktok_authorize, HTTP_BODY_NONE, 0},
	{"GET", "/www.tiktok.com/v2/auth/authorize/", sandbox_tiktok_authorize, HTTP_BODY_NONE, 0},
	{"POST", TIKTOK_API "/v2/oauth/token/", sandbox_tiktok_token, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	{"POST", TIKTOK_API "/v2/oauth/revoke/", sandbox_tiktok_revoke, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	{"GET", TIKTOK_API "/v2/user/info/", sandbox_tiktok_user_info, HTTP_BODY_NONE, 0},
	{"POST", TIKTOK_API "/v2/post/publish/creator_info/query/", sandbox_tiktok_creator_info,
	 HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/post/publish/video/init/", sandbox_tiktok_video_init,
	 HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/post/publish/inbox/video/init/", sandbox_tiktok_inbox_init,
	 HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/post/publish/status/fetch/", sandbox_tiktok_status_fetch,
	 HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/post/publish/content/init/", sandbox_tiktok_content_init,
	 HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/post/publish/cancel/", sandbox_tiktok_cancel, HTTP_BODY_MEMORY, 0},
	{"POST", TIKTOK_API "/v2/video/list/", sandbox_tiktok_video_list, HTTP_BODY_MEMORY, 0},
	{"PUT", "/" TIKTOK_UPLOAD_HOST "/video/", sandbox_tiktok_upload_put, HTTP_BODY_FILE,
	 CHUNK_BYTES_MAX},
	{"GET", "/" TIKTOK_AVATAR_HOST "/avatar", avatar, HTTP_BODY_NONE, 0},
};

static struct str account_name(struct str account_id)
{
	return str_equal_z(account_id, TIKTOK_OPEN_ID) ? STR(TIKTOK_NAME) : STR("");
}

const struct sandbox_module sandbox_tiktok = {
	.platform = SANDBOX_TIKTOK,
	.routes = routes,
	.route_count = COUNT_OF(routes),
	.state_size_bytes = sizeof(struct tiktok_state),
	.token_of = sandbox_token_bearer,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_tiktok_refuse_token,
	.account_name = account_name,
	.render_error = sandbox_tiktok_render_error,
	.settle = sandbox_tiktok_settle,
};
