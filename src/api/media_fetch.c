/* SPDX-License-Identifier: Apache-2.0
 * A file from an address becomes an uploaded one, for callers that cannot send bytes (mcp/). It is
 * fetched through the guard, and is then as any upload: quotas, looks and ends are the same. */
#include "media_private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "uuid.h"

#include "url.h"

#include "fetcher.h"

/* Clients of agents wait for a minute. */
#define FETCH_WAIT_MS 50000
#define PIECE_BYTES ((size_t)256 << 10)

struct fetching {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct str app_id;
	struct str url;
	struct str file_name;
};

/* ---- answers ---- */

static void respond_not_fetched(const struct fetching *f, enum err_kind kind,
				const struct error *err)
{
	if (kind == ERR_LIMITED)
		respond_error(f->response, 429, "RATE_LIMITED", str_of(err->text));
	else if (kind == ERR_TOO_LARGE)
		media_respond_too_large(f->response, MEDIA_FILE_MAX_BYTES);
	else
		respond_error(f->response, 422, "MEDIA_UNREACHABLE", str_of(err->text));
}

/* False: answered. The rules of a medium's url in a post. */
static bool is_good_url(const struct fetching *f)
{
	struct problems problems;
	problems_init(&problems, f->request->arena);
	publish_media_url_judge(&f->api->config.media_url_check, STR("url"), f->url, &problems);
	return !respond_if_problems(f->response, &problems);
}

/* ---- the bytes ---- */

static enum err_kind copy_file(const char *path, struct media_upload *upload, struct error *err)
{
	char *piece = malloc(PIECE_BYTES);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	enum err_kind kind = piece != NULL && fd >= 0
				     ? ERR_NONE
				     : error_set(err, ERR_TEMPORARY, "cannot read a fetched file");
	for (ssize_t n = 1; kind == ERR_NONE && n > 0;) {
		n = read(fd, piece, PIECE_BYTES);
		if (n < 0)
			kind = error_set(err, ERR_TEMPORARY, "cannot read a fetched file");
		else if (n > 0)
			kind = media_upload_write(upload, (struct str){piece, (size_t)n}, err);
	}
	if (fd >= 0)
		close(fd);
	free(piece);
	return kind;
}

/* False: answered. */
static bool keep(const struct fetching *f, const char *path, struct media_row *media)
{
	struct media_uploads *uploads = f->api->config.uploads;
	struct upload_row row = {0};
	struct upload_result result = {0};
	struct media_upload *upload = NULL;
	struct error err = {0};
	const struct media_wish wish = {
		.app_id = f->app_id, .size_bytes = -1, .file_name = f->file_name};
	enum err_kind kind =
		media_upload_begin(uploads, f->request->arena, &wish, &row, &result, &err);
	if (!media_respond_if_unfinished(f->api, f->request, f->response, kind, &result, &err))
		return false;
	kind = media_upload_open(uploads, row.id, MEDIA_FILE_MAX_BYTES, &upload, &err);
	if (kind == ERR_NONE)
		kind = copy_file(path, upload, &err);
	if (kind == ERR_NONE)
		kind = media_upload_finish(&upload, f->request->arena, f->file_name, media, &result,
					   &err);
	media_upload_close(&upload, true);
	return media_respond_if_unfinished(f->api, f->request, f->response, kind, &result, &err);
}

/* ---- all of it ---- */

/* The last part of the address's path, where none is given. */
static struct str name_of(struct arena *arena, struct str given, struct str url)
{
	struct url parts;
	struct str path = STR("");
	if (!str_is_empty(given))
		return media_file_name(arena, given);
	if (url_parse(arena, url, &parts, NULL) != ERR_NONE ||
	    !percent_decode(arena, parts.path, &path))
		return (struct str){0};
	return media_file_name(arena, path);
}

static void respond_kept(const struct fetching *f, const struct media_row *media)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(f->response, 201));
	json_begin_object(&w);
	json_key(&w, "data");
	media_write(&w, f->api, media);
	json_end_object(&w);
}

void api_media_fetch(struct api *api, const struct api_media_wish *wish,
		     struct http_request *request, struct http_response *response)
{
	const struct fetching f = {
		.api = api,
		.request = request,
		.response = response,
		.app_id = request_app(request)->id,
		.url = wish->url,
		.file_name = name_of(request->arena, wish->file_name, wish->url),
	};
	struct media_row media = {0};
	struct fetched *fetched = NULL;
	struct error err = {0};
	if (!is_good_url(&f))
		return;
	const struct media_uploads_config *uploads = media_uploads_settings(api->config.uploads);
	const struct str name =
		str_format(request->arena, "fetch-" STR_FMT,
			   STR_ARG(uuid_str(request->arena, uuid_v7(clock_now_us(uploads->clock),
								    uploads->random))));
	const struct fetch_wish fetch = {
		.app_id = f.app_id,
		.url = f.url,
		.path = media_part_path(uploads->files, request->arena, name),
		.max_bytes = MEDIA_FILE_MAX_BYTES,
		.wait_ms = FETCH_WAIT_MS,
	};
	const enum err_kind kind = fetcher_run(api->config.fetcher, &fetch, &fetched, &err);
	if (kind != ERR_NONE) {
		respond_not_fetched(&f, kind, &err);
		return;
	}
	if (keep(&f, fetch.path, &media))
		respond_kept(&f, &media);
	fetcher_close_fetched(&fetched);
}
