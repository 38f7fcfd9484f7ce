/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the API that take uploads: media_create.c (a file in one request),
 * media_tus.c (the tus protocol), media_link.c (who holds a link), media_list.c (reading). */
#pragma once

#include "api_private.h"

#include "form_data.h"

#include "media_id.h"

#include "media_upload.h"

/* A request whose body goes to an upload; request->stream. In the request's arena. */
struct media_stream {
	struct media_upload *upload;
	struct form_data *form; /* of a multipart body; NULL = the body is the file */
	struct str file_name;
	bool has_part; /* the part "file" came */
	bool is_in_part;
	bool has_parts_too_many; /* "file" came twice */
	bool is_resumable;       /* what came stays when the connection breaks */
	enum err_kind part_kind; /* why a part was not taken */
	struct error part_err;
};

/* Who uploads: an app by its token, or a link. */
struct media_uploader {
	struct str app_id;
	struct str media_id; /* the link's; else empty */
	struct str link_hash;
	int64_t max_bytes; /* of one file */
	int64_t until_us;  /* 0 = no end of its own */
	struct str base;   /* path of its uploads: "/v1/media/uploads" */
};

/* ---- media_link.c ---- */

/* By the request's route: checks its token, or its link. False: answered. may_be_used: a link that
 * was used is let pass. */
bool media_uploader_find(struct api *api, struct http_request *request,
			 struct http_response *response, bool may_be_used,
			 struct media_uploader *out);
/* CORS, for the paths of links alone. For every answer. */
void media_link_headers(const struct http_request *request, struct http_response *response);

/* ---- media_create.c ---- */

/* The answer to what opening, writing or finishing an upload said. */
void media_respond_upload_error(struct api *api, struct http_request *request,
				struct http_response *response, enum err_kind kind,
				const struct error *err);
/* What became of the end of an upload. False: answered. */
bool media_respond_if_unfinished(struct api *api, struct http_request *request,
				 struct http_response *response, enum err_kind kind,
				 const struct upload_result *result, const struct error *err);
/* A file's name as people may see it: its last part, without control characters; in arena. */
struct str media_file_name(struct arena *arena, struct str given);
void media_respond_too_large(struct http_response *response, int64_t max_bytes);
extern const struct http_stream media_create_stream;
/* The hooks that write a piece and end, for every stream. */
bool media_stream_take(void *context, struct http_request *request, struct str piece,
		       struct http_response *response);
void media_stream_end(void *context, struct http_request *request);

/* ---- media_tus.c ---- */

extern const struct http_stream media_tus_stream;
/* OPTIONS, of all paths of uploads and links. */
void api_tus_options(void *context, struct http_request *request, struct http_response *response);

/* ---- media_list.c ---- */

/* {id, type, ...} of api-decisions.md 11. */
void media_write(struct json_writer *w, const struct api *api, const struct media_row *row);
