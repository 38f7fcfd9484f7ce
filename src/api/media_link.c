/* SPDX-License-Identifier: Apache-2.0
 * Upload links (api-decisions.md 11): an address for one file that needs no token, so that a
 * customer's users upload from a browser. The token in the path is the only key; it is stored
 * hashed, and logged nowhere. Whoever has it writes one file, and reads nothing. */
#include "media_private.h"

#include "uuid.h"

#include "base64.h"

#include "digest.h"

#define TOKEN_BYTES 32
#define EXPIRES_IN_DEFAULT_S 3600
#define EXPIRES_IN_MAX_S 604800

static const char *const link_prefixes[] = {"/v1/media/links/", "/api/v1/media/links/"};

static bool is_link(struct str path)
{
	return str_has_prefix(path, str_of(link_prefixes[0])) ||
	       str_has_prefix(path, str_of(link_prefixes[1]));
}

void media_link_headers(const struct http_request *request, struct http_response *response)
{
	if (!is_link(request->path))
		return;
	http_response_header(response, "Access-Control-Allow-Origin", STR("*"));
	http_response_header(response, "Access-Control-Expose-Headers",
			     STR("Location, Tus-Resumable, Tus-Version, Tus-Max-Size, "
				 "Tus-Extension, Upload-Offset, Upload-Length, Upload-Expires, "
				 "Upload-Metadata, Posthorn-Media-Id, Retry-After, X-Request-Id"));
	if (!str_equal(request->method, STR("OPTIONS")))
		return;
	http_response_header(response, "Access-Control-Allow-Methods",
			     STR("POST, PUT, HEAD, GET, PATCH, DELETE, OPTIONS"));
	http_response_header(response, "Access-Control-Allow-Headers",
			     STR("Content-Type, Content-Disposition, Tus-Resumable, Upload-Length, "
				 "Upload-Offset, Upload-Metadata, X-HTTP-Method-Override, "
				 "X-Requested-With, X-Request-Id"));
	http_response_header(response, "Access-Control-Max-Age", STR("86400"));
}

/* ---- making one ---- */

static int64_t read_number(struct problems *problems, const struct json *body, const char *name,
			   int64_t fallback, int64_t max)
{
	const struct json *value = json_get(body, name);
	if (json_is_null(value))
		return fallback;
	if (json_is(value, JSON_TYPE_INT) && value->integer >= 1 && value->integer <= max)
		return value->integer;
	problem_add(problems, PROBLEM_SHAPE, str_of(name), "out_of_range",
		    str_format(problems->arena, "The %s must be a whole number from 1 to %lld.",
			       name, (long long)max));
	return fallback;
}

static struct str hash_of(struct arena *arena, struct str token)
{
	const struct digest digest = digest_token(token);
	return digest_hex(arena, &digest);
}

static void respond_link(const struct api *api, struct http_response *response,
			 const struct link_row *link, struct str token)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "media_id", link->media_id);
	json_member_str(&w, "upload_url",
			str_format(response->arena, "%s%s" STR_FMT, api->config.public_url,
				   link_prefixes[0], STR_ARG(token)));
	json_member_instant(&w, "expires_at", link->expires_at_us);
	json_end_object(&w);
	json_end_object(&w);
}

void api_media_link_create(void *context, struct http_request *request,
			   struct http_response *response)
{
	struct api *api = context;
	const struct json *body = NULL;
	struct problems problems;
	struct error err = {0};
	char secret[TOKEN_BYTES];
	problems_init(&problems, request->arena);
	if (!str_is_empty(request->body) &&
	    !respond_read_json(request, response, KNOWN("max_bytes", "expires_in"), &problems,
			       &body))
		return;
	const int64_t max_bytes =
		read_number(&problems, body, "max_bytes", 0, MEDIA_FILE_MAX_BYTES);
	const int64_t expires_in_s =
		read_number(&problems, body, "expires_in", EXPIRES_IN_DEFAULT_S, EXPIRES_IN_MAX_S);
	if (respond_if_problems(response, &problems))
		return;
	const int64_t now_us = clock_now_us(api->config.clock);
	random_fill(api->config.random, secret, sizeof(secret));
	const struct str token =
		base64url_encode(request->arena, (struct str){secret, sizeof(secret)});
	const struct link_row link = {
		.token_hash = hash_of(request->arena, token),
		.media_id =
			str_concat(request->arena, STR(MEDIA_ID_PREFIX),
				   uuid_str(request->arena, uuid_v7(now_us, api->config.random))),
		.app_id = request_app(request)->id,
		.max_bytes = max_bytes,
		.expires_at_us = now_us + expires_in_s * US_PER_S,
	};
	const enum err_kind kind = store_link_create(api->config.store, &link, &err);
	if (!respond_if_failed(api, request, response, kind, &err))
		respond_link(api, response, &link, token);
}

/* ---- who uploads ---- */

static struct str link_base(struct arena *arena, struct str token)
{
	return str_concat(arena, str_of(link_prefixes[0]), token);
}

/* A link of an app that is suspended, or gone, is as if it were not there. */
static bool app_is_well(struct api *api, struct arena *arena, struct str app_id)
{
	struct app_row app = {0};
	struct error err = {0};
	return store_app_find(api->config.store, arena, app_id, &app, &err) == ERR_NONE &&
	       app.state == APP_ACTIVE;
}

static bool find_link(struct api *api, struct http_request *request, struct http_response *response,
		      bool may_be_used, struct media_uploader *out)
{
	const struct str token = http_request_capture(request, "token");
	struct link_row link = {0};
	struct error err = {0};
	const enum err_kind kind = store_link_find(api->config.store, request->arena,
						   hash_of(request->arena, token), &link, &err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND) {
		respond_failure(api, request, response, kind, &err);
		return false;
	}
	if (kind == ERR_NOT_FOUND || link.expires_at_us <= clock_now_us(api->config.clock) ||
	    !app_is_well(api, request->arena, link.app_id)) {
		respond_not_found(request, response);
		return false;
	}
	if (link.used_at_us != 0 && !may_be_used) {
		respond_error(response, 409, "LINK_USED",
			      STR("This link was used: it is good for one file."));
		return false;
	}
	*out = (struct media_uploader){
		.app_id = link.app_id,
		.media_id = link.media_id,
		.link_hash = link.token_hash,
		.max_bytes = link.max_bytes > 0 ? link.max_bytes : MEDIA_FILE_MAX_BYTES,
		.until_us = link.expires_at_us,
		.base = link_base(request->arena, token),
	};
	return true;
}

bool media_uploader_find(struct api *api, struct http_request *request,
			 struct http_response *response, bool may_be_used,
			 struct media_uploader *out)
{
	const struct api_route *route = request->route->tag;
	if (route->who != WHO_BEARER)
		return find_link(api, request, response, may_be_used, out);
	if (request->user == NULL &&
	    (!bearer_check(api, request, response) || !api_has_no_stray_query(request, response)))
		return false;
	*out = (struct media_uploader){
		.app_id = request_app(request)->id,
		.max_bytes = MEDIA_FILE_MAX_BYTES,
		.base = STR("/v1/media/uploads"),
	};
	return true;
}
