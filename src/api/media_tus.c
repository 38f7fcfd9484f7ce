/* SPDX-License-Identifier: Apache-2.0
 * Resumable uploads: the protocol of tus.io, version 1.0.0, with creation, creation-with-upload,
 * termination and expiration; for apps at /v1/media/uploads, for who holds a link below the link.
 * An upload that is asked for is shut to who wrote it before: after a lost connection the old one
 * may look alive for a while. */
#include "media_private.h"

#include "base64.h"
#include "httpdate.h"
#include "utf8.h"

#define TUS_VERSION "1.0.0"
#define TUS_EXTENSIONS "creation,creation-with-upload,termination,expiration"
#define OFFSET_TYPE "application/offset+octet-stream"
#define METADATA_MAX_BYTES 4096

/* ---- headers ---- */

static void put_number(struct http_response *response, const char *name, int64_t number)
{
	http_response_header(response, name,
			     str_format(response->arena, "%lld", (long long)number));
}

static void put_expires(struct http_response *response, const struct upload_row *row)
{
	http_response_header(response, "Upload-Expires",
			     httpdate_write(response->arena, row->expires_at_us));
}

static void respond_bad(struct http_response *response, const char *header, const char *message)
{
	respond_field_error(response, 422, "VALIDATION_ERROR", str_of(header), str_of(message));
}

/* Every answer but that to OPTIONS says which version it speaks. False: answered. */
static bool speaks_tus(const struct http_request *request, struct http_response *response)
{
	const struct str *version = http_request_header(request, "Tus-Resumable");
	http_response_header(response, "Tus-Resumable", STR(TUS_VERSION));
	if (version != NULL && str_equal(*version, STR(TUS_VERSION)))
		return true;
	http_response_header(response, "Tus-Version", STR(TUS_VERSION));
	respond_error(response, 412, "PRECONDITION_FAILED",
		      STR("This is the tus protocol, version 1.0.0: send Tus-Resumable: 1.0.0."));
	return false;
}

/* -1: not there, or no number. */
static int64_t number_of(const struct http_request *request, const char *name)
{
	const struct str *text = http_request_header(request, name);
	int64_t number = -1;
	return text != NULL && http_request_header_count(request, name) == 1 &&
			       str_parse_i64(*text, &number) && number >= 0
		       ? number
		       : -1;
}

/* Key and base64, separated by a blank, the pairs by commas. *name_out: of "filename". */
static bool read_metadata(struct arena *arena, struct str text, struct str *name_out)
{
	struct str pair = {0};
	struct str rest = text;
	while (!str_is_empty(text) && str_take_field(&rest, ',', &pair)) {
		struct str value = str_trim(pair);
		struct str key = {0}, decoded = {0};
		if (!str_take_field(&value, ' ', &key) || str_is_empty(key))
			return false;
		if (!str_is_empty(value) && !base64_decode(arena, value, &decoded))
			return false;
		if (str_equal(key, STR("filename")) || str_equal(key, STR("name")))
			*name_out = media_file_name(arena, decoded);
	}
	return text.len <= METADATA_MAX_BYTES;
}

/* ---- creation ---- */

struct creation {
	struct media_uploader uploader;
	struct media_wish wish;
	struct upload_row row;
	bool has_body;
};

/* False: answered. */
static bool read_creation(struct http_request *request, struct http_response *response,
			  struct creation *c)
{
	const struct str *metadata = http_request_header(request, "Upload-Metadata");
	c->wish = (struct media_wish){
		.app_id = c->uploader.app_id,
		.media_id = c->uploader.media_id,
		.link_hash = c->uploader.link_hash,
		.size_bytes = number_of(request, "Upload-Length"),
		.metadata = metadata != NULL ? str_copy(request->arena, *metadata) : STR(""),
		.until_us = c->uploader.until_us,
		.is_resumable = true,
	};
	if (c->wish.size_bytes < 0) {
		respond_bad(response, "Upload-Length",
			    "Upload-Length must be the size of the file in bytes.");
		return false;
	}
	if (!read_metadata(request->arena, c->wish.metadata, &c->wish.file_name)) {
		respond_bad(response, "Upload-Metadata",
			    "Upload-Metadata must be pairs of a key and base64, with commas "
			    "between them.");
		return false;
	}
	if (c->wish.size_bytes <= c->uploader.max_bytes)
		return true;
	http_response_header(response, "Tus-Max-Size",
			     str_format(response->arena, "%lld", (long long)c->uploader.max_bytes));
	media_respond_too_large(response, c->uploader.max_bytes);
	return false;
}

static bool has_offset_type(const struct http_request *request)
{
	return respond_content_type_is(request, OFFSET_TYPE);
}

static void respond_wrong_type(struct http_response *response)
{
	respond_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
		      STR("The bytes of an upload come as application/offset+octet-stream."));
}

/* Makes the upload's row. False: answered. */
static bool create(struct api *api, struct http_request *request, struct http_response *response,
		   struct creation *c)
{
	struct upload_result result = {0};
	struct error err = {0};
	if (!media_uploader_find(api, request, response, false, &c->uploader) ||
	    !speaks_tus(request, response) || !read_creation(request, response, c))
		return false;
	if (c->has_body && !has_offset_type(request)) {
		respond_wrong_type(response);
		return false;
	}
	const enum err_kind kind = media_upload_begin(api->config.uploads, request->arena, &c->wish,
						      &c->row, &result, &err);
	return media_respond_if_unfinished(api, request, response, kind, &result, &err);
}

/* ---- streams: the body of a creation, and of a PATCH ---- */

static void respond_elsewhere(struct http_response *response, int64_t offset_bytes)
{
	put_number(response, "Upload-Offset", offset_bytes);
	respond_error(response, 409, "UPLOAD_CONFLICT",
		      str_format(response->arena,
				 "Upload-Offset must be %lld: that much of the file is here.",
				 (long long)offset_bytes));
}

/* Since row was read another request may have written: the bytes to come belong at row's offset,
 * and nowhere else. False: answered. */
static bool open_stream(struct api *api, struct http_request *request,
			struct http_response *response, const struct upload_row *row,
			int64_t max_bytes)
{
	struct media_stream *stream = ARENA_NEW(request->arena, struct media_stream);
	struct error err = {0};
	*stream = (struct media_stream){.is_resumable = true};
	request->stream = stream;
	const enum err_kind kind =
		media_upload_open(api->config.uploads, row->id, max_bytes, &stream->upload, &err);
	if (kind != ERR_NONE) {
		media_respond_upload_error(api, request, response, kind, &err);
		return false;
	}
	if (media_upload_offset(stream->upload) != row->offset_bytes) {
		respond_elsewhere(response, media_upload_offset(stream->upload));
		media_upload_close(&stream->upload, false);
		return false;
	}
	return true;
}

/* A person who looks, not a client of the protocol, which asks by HEAD. */
static bool is_plain_get(const struct http_request *request)
{
	return str_equal(request->method, STR("GET")) && !request->is_head;
}

/* NOT_FOUND also for what is another's: nobody learns of it. */
static enum err_kind read_own(struct api *api, struct http_request *request,
			      const struct media_uploader *uploader, struct upload_row *row,
			      struct error *err)
{
	const struct str id = http_request_capture(request, "upload_id");
	const enum err_kind kind =
		store_upload_find(api->config.store, request->arena, id, row, err);
	if (kind == ERR_NONE && (!str_equal(row->app_id, uploader->app_id) ||
				 !str_equal(row->link_hash, uploader->link_hash) ||
				 row->expires_at_us <= clock_now_us(api->config.clock)))
		return ERR_NOT_FOUND;
	return kind;
}

/* The upload of the path, as it is once nobody writes it any more; false: answered. */
static bool find_upload(struct api *api, struct http_request *request,
			struct http_response *response, struct media_uploader *uploader,
			struct upload_row *row)
{
	struct error err = {0};
	if (!media_uploader_find(api, request, response, true, uploader))
		return false;
	enum err_kind kind = read_own(api, request, uploader, row, &err);
	if (kind == ERR_NONE) {
		media_upload_interrupt(api->config.uploads, row->id);
		kind = read_own(api, request, uploader, row, &err);
	}
	if (kind == ERR_NONE)
		return is_plain_get(request) || speaks_tus(request, response);
	media_respond_upload_error(api, request, response, kind, &err);
	return false;
}

/* False: answered. */
static bool is_at_offset(struct http_request *request, struct http_response *response,
			 const struct upload_row *row)
{
	if (number_of(request, "Upload-Offset") == row->offset_bytes)
		return true;
	respond_elsewhere(response, row->offset_bytes);
	return false;
}

static bool patch_begin(struct api *api, struct http_request *request,
			struct http_response *response)
{
	struct media_uploader uploader;
	struct upload_row row = {0};
	if (!find_upload(api, request, response, &uploader, &row))
		return false;
	if (!has_offset_type(request)) {
		respond_wrong_type(response);
		return false;
	}
	return is_at_offset(request, response, &row) &&
	       open_stream(api, request, response, &row, uploader.max_bytes);
}

static bool create_begin(struct api *api, struct http_request *request,
			 struct http_response *response)
{
	struct creation c = {.has_body = true};
	return create(api, request, response, &c) &&
	       open_stream(api, request, response, &c.row, c.uploader.max_bytes);
}

static bool begin(void *context, struct http_request *request, struct http_response *response)
{
	return str_equal(request->method, STR("PATCH")) ? patch_begin(context, request, response)
							: create_begin(context, request, response);
}

const struct http_stream media_tus_stream = {begin, media_stream_take, media_stream_end};

/* ---- the end of a request ---- */

/* All bytes of a whole upload become a medium. False: answered. */
static bool finish_if_whole(struct api *api, struct http_request *request,
			    struct http_response *response, struct media_upload **upload)
{
	const struct upload_row *row = media_upload_row(*upload);
	struct media_row media = {0};
	struct upload_result result = {0};
	struct error err = {0};
	if (media_upload_offset(*upload) < row->size_bytes)
		return true;
	const enum err_kind kind =
		media_upload_finish(upload, request->arena, (struct str){0}, &media, &result, &err);
	if (!media_respond_if_unfinished(api, request, response, kind, &result, &err))
		return false;
	http_response_header(response, "Posthorn-Media-Id", media.id);
	return true;
}

/* What the stream has is written: the answer says how far it is. */
static void answer(struct api *api, struct http_request *request, struct http_response *response,
		   int status)
{
	struct media_stream *stream = request->stream;
	const struct upload_row row = *media_upload_row(stream->upload);
	const int64_t offset_bytes = media_upload_offset(stream->upload);
	struct upload_row shown = row;
	shown.id = str_copy(request->arena, row.id);
	if (!finish_if_whole(api, request, response, &stream->upload))
		return;
	put_number(response, "Upload-Offset", offset_bytes);
	put_expires(response, &shown);
	response->status = status;
}

static void put_location(struct api *api, struct http_request *request,
			 struct http_response *response, struct str base, struct str upload_id)
{
	http_response_header(response, "Location",
			     str_format(request->arena, "%s" STR_FMT "/" STR_FMT,
					api->config.public_url, STR_ARG(base), STR_ARG(upload_id)));
}

void api_tus_create(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct media_stream *stream = request->stream;
	struct media_uploader uploader;
	struct creation c = {0};
	if (stream != NULL) {
		http_response_header(response, "Tus-Resumable", STR(TUS_VERSION));
		if (!media_uploader_find(api, request, response, true, &uploader))
			return;
		put_location(api, request, response, uploader.base,
			     media_upload_row(stream->upload)->id);
		answer(api, request, response, 201);
		return;
	}
	if (!create(api, request, response, &c))
		return;
	put_location(api, request, response, c.uploader.base, c.row.id);
	put_expires(response, &c.row);
	response->status = 201;
}

/* One without a body: nothing to add, but what is whole becomes a medium, and says its id. */
static void patch_nothing(struct api *api, struct http_request *request,
			  struct http_response *response)
{
	struct media_uploader uploader;
	struct upload_row row = {0};
	if (!find_upload(api, request, response, &uploader, &row) ||
	    !is_at_offset(request, response, &row))
		return;
	if (row.is_done) {
		http_response_header(response, "Posthorn-Media-Id", row.media_id);
		put_number(response, "Upload-Offset", row.offset_bytes);
		response->status = 204;
		return;
	}
	if (open_stream(api, request, response, &row, uploader.max_bytes)) {
		answer(api, request, response, 204);
		media_stream_end(api, request);
	}
}

void api_tus_patch(void *context, struct http_request *request, struct http_response *response)
{
	http_response_header(response, "Tus-Resumable", STR(TUS_VERSION));
	if (request->stream == NULL)
		patch_nothing(context, request, response);
	else
		answer(context, request, response, 204);
}

/* An upload that is whole and no medium yet, since the service died in between, becomes one now. */
static bool mend(struct api *api, struct http_request *request, struct http_response *response,
		 struct upload_row *row)
{
	struct media_upload *upload = NULL;
	struct error err = {0};
	if (row->is_done || row->offset_bytes != row->size_bytes)
		return true;
	const enum err_kind kind =
		media_upload_open(api->config.uploads, row->id, 0, &upload, &err);
	if (kind != ERR_NONE) {
		media_respond_upload_error(api, request, response, kind, &err);
		return false;
	}
	row->offset_bytes = media_upload_offset(upload);
	const bool is_well = finish_if_whole(api, request, response, &upload);
	media_upload_close(&upload, false);
	return is_well;
}

void api_tus_head(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct media_uploader uploader;
	struct upload_row row = {0};
	if (!find_upload(api, request, response, &uploader, &row) ||
	    !mend(api, request, response, &row))
		return;
	if (row.is_done)
		http_response_header(response, "Posthorn-Media-Id", row.media_id);
	put_number(response, "Upload-Offset", row.offset_bytes);
	put_number(response, "Upload-Length", row.size_bytes);
	if (!str_is_empty(row.metadata))
		http_response_header(response, "Upload-Metadata", row.metadata);
	put_expires(response, &row);
	response->status = 200;
}

void api_tus_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct media_uploader uploader;
	struct upload_row row = {0};
	struct error err = {0};
	if (!find_upload(api, request, response, &uploader, &row))
		return;
	const enum err_kind kind = row.is_done
					   ? store_upload_drop(api->config.store, row.id, &err)
					   : media_upload_drop(api->config.uploads, row.id, &err);
	if (kind == ERR_NONE)
		response->status = 204;
	else
		media_respond_upload_error(api, request, response, kind, &err);
}

void api_tus_options(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	http_response_header(response, "Tus-Resumable", STR(TUS_VERSION));
	http_response_header(response, "Tus-Version", STR(TUS_VERSION));
	http_response_header(response, "Tus-Extension", STR(TUS_EXTENSIONS));
	put_number(response, "Tus-Max-Size", MEDIA_FILE_MAX_BYTES);
	response->status = 204;
}
