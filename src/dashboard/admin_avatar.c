/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the picture of an account, from where this service keeps it. The browser of an admin
 * never asks a platform. */
#include "admin_private.h"

#include "store_connection.h"

#include "avatar_cache.h"
#include "connect.h"

/* An account may have another picture soon; until then its pages need not ask again. */
#define AVATAR_KEPT "private, max-age=600"

/* Whatever the bytes are, a browser that opens them alone runs nothing of them. */
#define AVATAR_POLICY "default-src 'none'; sandbox"

static void respond_avatar(struct http_request *request, struct http_response *response,
			   const struct avatar *avatar)
{
	const struct digest digest = digest_sha256(avatar->bytes);
	const struct str etag = str_format(request->arena, "\"" STR_FMT "\"",
					   STR_ARG(digest_hex(request->arena, &digest)));
	const bool is_news = !admin_request_has(request, etag);
	struct buf *body = http_response_text(response, is_news ? 200 : 304, avatar->mime_type);
	if (is_news)
		buf_add(body, avatar->bytes);
	http_response_header(response, "ETag", etag);
	http_response_header(response, "Cache-Control", STR(AVATAR_KEPT));
	http_response_header(response, "Content-Security-Policy", STR(AVATAR_POLICY));
}

void admin_account_picture(void *context, struct http_request *request,
			   struct http_response *response)
{
	struct admin *admin = context;
	const struct str id = http_request_capture(request, "account_id");
	struct app_row app = {0};
	struct account_row account = {0};
	struct avatar avatar = {0};
	struct error err = {0};
	bool is_found = false;
	if (!admin_request_app(admin, request, response, &app))
		return;
	enum err_kind kind = store_account_get_many(admin->config.store, request->arena, app.id,
						    &id, 1, &account, &is_found, &err);
	if (kind == ERR_NONE && !is_found)
		kind = error_set(&err, ERR_NOT_FOUND, "no such account");
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "account");
	else if (connector_avatar(admin->config.connector, request->arena, &account,
				  app.world.is_test, &avatar))
		respond_avatar(request, response, &avatar);
	else
		response->status = 204;
}
