/* SPDX-License-Identifier: Apache-2.0
 * Reading and deleting uploaded files (api-decisions.md 11). */
#include "media_private.h"

#include <sys/stat.h>
#include <unistd.h>

static void member_if_known(struct json_writer *w, const char *name, int64_t number)
{
	if (number > 0)
		json_member_int(w, name, number);
	else
		json_member_null(w, name);
}

void media_write(struct json_writer *w, const struct api *api, const struct media_row *row)
{
	const int64_t keep_us = media_uploads_settings(api->config.uploads)->keep_us;
	json_begin_object(w);
	json_member_str(w, "id", row->id);
	json_member_str(w, "type", str_of(media_kind_name(row->mime_type)));
	json_member_str(w, "mime_type", row->mime_type);
	json_member_int(w, "size_bytes", row->size_bytes);
	json_member_str(w, "sha256", row->sha256);
	member_if_known(w, "width", row->width);
	member_if_known(w, "height", row->height);
	member_if_known(w, "duration_ms", row->duration_ms);
	json_member_str_or_null(w, "file_name", row->file_name);
	json_member_instant(w, "created_at", row->created_at_us);
	/* null: as long as something needs it. */
	json_member_instant(w, "expires_at", row->is_needed ? 0 : row->used_at_us + keep_us);
	json_end_object(w);
}

/* False: answered. */
static bool find(struct api *api, struct http_request *request, struct http_response *response,
		 struct media_row *row)
{
	struct error err = {0};
	const enum err_kind kind =
		store_media_find(api->config.store, request->arena, request_app(request)->id,
				 http_request_capture(request, "media_id"), row, &err);
	return !respond_if_failed(api, request, response, kind, &err);
}

void api_media_get(void *context, struct http_request *request, struct http_response *response)
{
	struct media_row row = {0};
	struct json_writer w;
	if (!find(context, request, response, &row))
		return;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	media_write(&w, context, &row);
	json_end_object(&w);
}

void api_media_content(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct media_row row = {0};
	struct error err = {0};
	int fd = -1;
	if (!find(context, request, response, &row))
		return;
	const enum err_kind kind =
		media_file_open(media_uploads_settings(api->config.uploads)->files, request->arena,
				row.id, &fd, &err);
	if (kind == ERR_NOT_FOUND) {
		respond_not_found(request, response);
		return;
	}
	if (respond_if_failed(api, request, response, kind, &err))
		return;
	http_response_file(
		response, request, str_z(request->arena, row.mime_type),
		str_format(request->arena, "\"%.32s\"", str_z(request->arena, row.sha256)), fd,
		row.size_bytes);
	/* A customer's file on our origin: it must not run as one of our pages. */
	http_response_header(response, "Content-Security-Policy",
			     STR("default-src 'none'; sandbox"));
}

void api_media_list(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct problems problems;
	struct media_row *rows = NULL;
	size_t count = 0;
	int64_t total = 0;
	struct error err = {0};
	struct json_writer w;
	respond_problems_init(&problems, request);
	struct media_filter filter = {.app_id = request_app(request)->id};
	api_page_read(request, &problems, &filter.page, &filter.per_page);
	if (respond_if_problems(response, &problems))
		return;
	const enum err_kind kind = store_media_list(api->config.store, request->arena, &filter,
						    &rows, &count, &total, &err);
	if (respond_if_failed(api, request, response, kind, &err))
		return;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		media_write(&w, api, &rows[i]);
	json_end_array(&w);
	respond_write_meta(&w, filter.page, filter.per_page, total);
	json_end_object(&w);
}

void api_media_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	const struct str id = http_request_capture(request, "media_id");
	const struct media_uploads_config *config = media_uploads_settings(api->config.uploads);
	enum media_delete_outcome outcome = MEDIA_DELETED;
	struct error err = {0};
	const enum err_kind kind =
		store_media_delete(api->config.store, request_app(request)->id, id, &outcome, &err);
	if (respond_if_failed(api, request, response, kind, &err))
		return;
	if (outcome == MEDIA_IN_USE) {
		respond_error(response, 409, "MEDIA_IN_USE",
			      STR("A draft, or a post that is not finished, needs this file."));
		return;
	}
	/* What cannot be removed now is removed by the sweep. */
	if (media_name_remove(config->files, request->arena, id))
		(void)store_media_gone_end(api->config.store, id, &err);
	response->status = 204;
}
