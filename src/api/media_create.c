/* SPDX-License-Identifier: Apache-2.0
 * A file in one request (api-decisions.md 11): POST /v1/media, its bytes or a form with the one
 * part "file", and PUT to a link. What breaks off leaves nothing. */
#include "media_private.h"

#include "count_of.h"

#include "utf8.h"

#define FILE_NAME_MAX_BYTES 255

/* ---- what the headers say ---- */

/* The announced length of the body; -1 = none. */
static int64_t content_length(const struct http_request *request)
{
	const struct str *text = http_request_header(request, "Content-Length");
	int64_t length = -1;
	return text != NULL && str_parse_i64(*text, &length) ? length : -1;
}

struct str media_file_name(struct arena *arena, struct str given)
{
	for (size_t i = given.len; i > 0; i--) {
		if (given.ptr[i - 1] == '/' || given.ptr[i - 1] == '\\') {
			given = str_slice(given, i, given.len);
			break;
		}
	}
	if (given.len > FILE_NAME_MAX_BYTES || !utf8_is_valid(given) || utf8_has_control(given))
		return (struct str){0};
	return str_copy(arena, given);
}

/* filename*=UTF-8''..., percent-encoded (RFC 6266): names of other letters than ASCII. */
static struct str encoded_name(struct arena *arena, struct str text)
{
	const struct str mark = STR("filename*=UTF-8''");
	const size_t at = str_find(text, mark, 0);
	struct str name = {0};
	if (at == SIZE_MAX ||
	    !percent_decode(arena,
			    str_slice(text, at + mark.len, str_find_char(text, ';', at + mark.len)),
			    &name))
		return (struct str){0};
	return media_file_name(arena, name);
}

/* Of Content-Disposition: attachment; filename="..." */
static struct str disposition_name(const struct http_request *request)
{
	const struct str *text = http_request_header(request, "Content-Disposition");
	const struct str mark = STR("filename=\"");
	const struct str encoded =
		text != NULL ? encoded_name(request->arena, *text) : (struct str){0};
	const size_t at = text != NULL ? str_find(*text, mark, 0) : SIZE_MAX;
	if (!str_is_empty(encoded) || at == SIZE_MAX)
		return encoded;
	const size_t end = str_find_char(*text, '"', at + mark.len);
	return end == SIZE_MAX
		       ? (struct str){0}
		       : media_file_name(request->arena, str_slice(*text, at + mark.len, end));
}

/* ---- answers ---- */

void media_respond_too_large(struct http_response *response, int64_t max_bytes)
{
	respond_error(response, 413, "PAYLOAD_TOO_LARGE",
		      str_format(response->arena,
				 "The file is too large: it may have at most %lld bytes.",
				 (long long)max_bytes));
}

static void respond_no_media(struct http_response *response)
{
	respond_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
		      STR("These bytes are no image, video or document that any platform takes. "
			  "Send the file itself."));
}

void media_respond_upload_error(struct api *api, struct http_request *request,
				struct http_response *response, enum err_kind kind,
				const struct error *err)
{
	if (kind == ERR_TOO_LARGE)
		respond_error(response, 413, "PAYLOAD_TOO_LARGE",
			      str_copy(response->arena, str_of(err->text)));
	else if (kind == ERR_INVALID)
		respond_no_media(response);
	else if (kind == ERR_NOT_FOUND && request->stream == NULL)
		respond_not_found(request, response);
	else if (kind == ERR_CONFLICT || kind == ERR_NOT_FOUND)
		respond_error(
			response, 409, "UPLOAD_CONFLICT",
			STR("This upload has ended, or another request has taken its place. Ask "
			    "for its offset and go on from there, or send the file again."));
	else
		respond_failure(api, request, response, kind, err);
}

bool media_respond_if_unfinished(struct api *api, struct http_request *request,
				 struct http_response *response, enum err_kind kind,
				 const struct upload_result *result, const struct error *err)
{
	if (kind != ERR_NONE) {
		media_respond_upload_error(api, request, response, kind, err);
		return false;
	}
	switch (result->outcome) {
	case UPLOAD_WRITTEN:
		return true;
	case UPLOAD_OVER_QUOTA:
		respond_over_quota(response, &result->over);
		return false;
	case UPLOAD_LINK_USED:
		respond_error(response, 409, "LINK_USED",
			      STR("This link was used: it is good for one file."));
		return false;
	}
	return false;
}

/* ---- the stream ---- */

static bool take_part(void *context, const struct form_data_part *part)
{
	struct http_request *request = context;
	struct media_stream *stream = request->stream;
	const bool is_file = str_equal(part->name, STR("file"));
	if (is_file && stream->has_part) {
		stream->has_parts_too_many = true;
		return false;
	}
	stream->is_in_part = is_file;
	stream->has_part = stream->has_part || is_file;
	if (is_file)
		stream->file_name = media_file_name(request->arena, part->file_name);
	return true;
}

static bool take_bytes(void *context, struct str bytes)
{
	const struct http_request *request = context;
	struct media_stream *stream = request->stream;
	if (!stream->is_in_part)
		return true;
	stream->part_kind = media_upload_write(stream->upload, bytes, &stream->part_err);
	return stream->part_kind == ERR_NONE;
}

/* Why a write was refused. */
static void respond_unwritten(struct api *api, struct http_request *request,
			      struct http_response *response, enum err_kind kind,
			      const struct error *err)
{
	const struct media_stream *stream = request->stream;
	if (kind == ERR_FORBIDDEN)
		respond_over_quota(response, media_upload_over(stream->upload));
	else
		media_respond_upload_error(api, request, response, kind, err);
}

static void respond_bad_form(struct http_response *response)
{
	respond_field_error(response, 422, "VALIDATION_ERROR", STR("file"),
			    STR("Send a whole form with the one part file, or the file as the "
				"body."));
}

/* The upload is closed by the end hook. */
static void respond_form(struct api *api, struct http_request *request,
			 struct http_response *response)
{
	const struct media_stream *stream = request->stream;
	if (stream->form->state == FORM_DATA_STOPPED && !stream->has_parts_too_many)
		respond_unwritten(api, request, response, stream->part_kind, &stream->part_err);
	else
		respond_bad_form(response);
}

bool media_stream_take(void *context, struct http_request *request, struct str piece,
		       struct http_response *response)
{
	struct api *api = context;
	struct media_stream *stream = request->stream;
	struct error err = {0};
	if (stream->form != NULL) {
		if (form_data_push(stream->form, piece))
			return true;
		respond_form(api, request, response);
		return false;
	}
	const enum err_kind kind = media_upload_write(stream->upload, piece, &err);
	if (kind != ERR_NONE)
		respond_unwritten(api, request, response, kind, &err);
	return kind == ERR_NONE;
}

void media_stream_end(void *context, struct http_request *request)
{
	struct media_stream *stream = request->stream;
	(void)context;
	media_upload_close(&stream->upload, !stream->is_resumable);
}

static struct form_data *form_of(struct http_request *request)
{
	const struct str *type = http_request_header(request, "Content-Type");
	struct str boundary = {0};
	if (type == NULL || !form_data_boundary(*type, &boundary))
		return NULL;
	const struct form_data_sink sink = {take_part, take_bytes, request};
	struct form_data *form = ARENA_NEW(request->arena, struct form_data);
	form_data_init(form, boundary, &sink);
	return form;
}

/* One file, streamed: begins the upload and opens it. False: answered. */
static bool stream_begin(struct api *api, struct http_request *request,
			 struct http_response *response, const struct media_uploader *uploader)
{
	struct media_stream *stream = ARENA_NEW(request->arena, struct media_stream);
	struct upload_row row = {0};
	struct upload_result result = {0};
	struct error err = {0};
	*stream = (struct media_stream){.form = form_of(request)};
	if (stream->form == NULL)
		stream->file_name = disposition_name(request);
	const struct media_wish wish = {
		.app_id = uploader->app_id,
		.media_id = uploader->media_id,
		.link_hash = uploader->link_hash,
		.size_bytes = content_length(request),
		.file_name = stream->file_name,
		.until_us = uploader->until_us,
	};
	if (stream->form == NULL && wish.size_bytes > uploader->max_bytes) {
		media_respond_too_large(response, uploader->max_bytes);
		return false;
	}
	enum err_kind kind =
		media_upload_begin(api->config.uploads, request->arena, &wish, &row, &result, &err);
	if (!media_respond_if_unfinished(api, request, response, kind, &result, &err))
		return false;
	kind = media_upload_open(api->config.uploads, row.id, uploader->max_bytes, &stream->upload,
				 &err);
	request->stream = stream;
	if (kind != ERR_NONE)
		media_respond_upload_error(api, request, response, kind, &err);
	return kind == ERR_NONE;
}

static bool begin(void *context, struct http_request *request, struct http_response *response)
{
	struct media_uploader uploader;
	return media_uploader_find(context, request, response, false, &uploader) &&
	       stream_begin(context, request, response, &uploader);
}

const struct http_stream media_create_stream = {begin, media_stream_take, media_stream_end};

/* ---- the end ---- */

/* A form must have ended, and had its part. False: answered. */
static bool has_file(const struct http_request *request, struct http_response *response)
{
	const struct media_stream *stream = request->stream;
	if (stream == NULL) {
		respond_no_media(response);
		return false;
	}
	if (stream->form == NULL || (stream->form->state == FORM_DATA_ENDED && stream->has_part))
		return true;
	respond_bad_form(response);
	return false;
}

/* False: answered. */
static bool finish(struct api *api, struct http_request *request, struct http_response *response,
		   struct media_row *media)
{
	struct media_stream *stream = request->stream;
	struct upload_result result = {0};
	struct error err = {0};
	if (!has_file(request, response))
		return false;
	const enum err_kind kind = media_upload_finish(&stream->upload, request->arena,
						       stream->file_name, media, &result, &err);
	return media_respond_if_unfinished(api, request, response, kind, &result, &err);
}

void api_media_create(void *context, struct http_request *request, struct http_response *response)
{
	struct media_row media = {0};
	struct json_writer w;
	if (!finish(context, request, response, &media))
		return;
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	json_key(&w, "data");
	media_write(&w, context, &media);
	json_end_object(&w);
}

/* Who holds a link learns no more than the id. */
void api_media_link_put(void *context, struct http_request *request, struct http_response *response)
{
	struct media_row media = {0};
	struct json_writer w;
	struct media_uploader uploader;
	if (request->stream == NULL &&
	    !media_uploader_find(context, request, response, false, &uploader))
		return;
	if (!finish(context, request, response, &media))
		return;
	http_response_header(response, "Posthorn-Media-Id", media.id);
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "media_id", media.id);
	json_end_object(&w);
	json_end_object(&w);
}
