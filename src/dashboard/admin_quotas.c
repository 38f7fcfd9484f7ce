/* SPDX-License-Identifier: Apache-2.0
 * Admin API: what an app may have at most, and what it has (design.md 5). Quotas that are not given
 * stay as they are. */
#include "admin_private.h"

#include "quota.h"

#include "store_quota.h"

static void write_quota(struct json_writer *w, const struct quota_row *row)
{
	json_begin_object(w);
	json_member_int(w, "limit", row->limit);
	if (row->own == QUOTA_INHERITED)
		json_member_null(w, "own");
	else
		json_member_int(w, "own", row->own);
	json_member_int(w, "used", row->used);
	json_end_object(w);
}

static void respond_quotas(struct admin *admin, struct http_request *request,
			   struct http_response *response, const struct app_row *app)
{
	struct quota_row rows[QUOTA_COUNT];
	struct error err = {0};
	const enum err_kind kind =
		store_quota_list(admin->config.store, request->arena, app->id, rows, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "app");
		return;
	}
	if (admin->config.media_use != NULL)
		admin->config.media_use(admin->config.examine_context, app->id,
					&rows[QUOTA_MEDIA_BYTES].used,
					&rows[QUOTA_MEDIA_FILES].used);
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "client_id", app->client_id);
	json_key(&w, "quotas");
	json_begin_object(&w);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++) {
		json_key(&w, quota_name(quota));
		write_quota(&w, &rows[quota]);
	}
	json_end_object(&w);
	json_end_object(&w);
}

void admin_quota_list(void *context, struct http_request *request, struct http_response *response)
{
	struct app_row app = {0};
	if (admin_request_app(context, request, response, &app))
		respond_quotas(context, request, response, &app);
}

/* null: the setting's. */
static bool read_quota(struct http_response *response, const struct json *body, enum quota quota,
		       int64_t *own)
{
	const char *name = quota_name(quota);
	const struct json *value = json_get(body, name);
	if (value == NULL)
		return true;
	*own = json_is_null(value) ? QUOTA_INHERITED : json_int(value, -1);
	if (json_is_null(value) || (json_is(value, JSON_TYPE_INT) && *own >= 0))
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena,
			   "%s must be a whole number (0 = no limit), or null for the setting's.",
			   name));
	return false;
}

void admin_quota_set(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct quota_row rows[QUOTA_COUNT];
	int64_t own[QUOTA_COUNT];
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	const struct json *body =
		admin_request_body(request, response,
				   KNOWN("pending_posts", "accounts", "post_bytes", "media_bytes",
					 "media_files", "webhook_backlog"));
	if (body == NULL)
		return;
	enum err_kind kind =
		store_quota_list(admin->config.store, request->arena, app.id, rows, &err);
	for (enum quota quota = 0; kind == ERR_NONE && quota < QUOTA_COUNT; quota++) {
		own[quota] = rows[quota].own;
		if (!read_quota(response, body, quota, &own[quota]))
			return;
	}
	if (kind == ERR_NONE)
		kind = store_quota_set(admin->config.store, app.id, own, &err);
	if (kind == ERR_NONE)
		respond_quotas(admin, request, response, &app);
	else
		admin_respond_failure(response, kind, &err, "app");
}
