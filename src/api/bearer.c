/* SPDX-License-Identifier: Apache-2.0
 * Authentication: the Authorization header, and the app that a Bearer token belongs to. */
#include "api_private.h"

#include "digest.h"

bool bearer_authorization(const struct http_request *request, struct str *scheme_out,
			  struct str *rest_out)
{
	if (http_request_header_count(request, "Authorization") != 1)
		return false;
	const struct str value = str_trim(*http_request_header(request, "Authorization"));
	const size_t blank = str_find_char(value, ' ', 0);
	*scheme_out = str_slice(value, 0, blank);
	*rest_out = blank == SIZE_MAX ? STR("") : str_trim(str_slice(value, blank, value.len));
	return true;
}

static bool respond_no_token(struct http_response *response)
{
	http_response_header(response, "WWW-Authenticate", STR("Bearer"));
	respond_error(response, 401, "UNAUTHENTICATED",
		      STR("No access token was sent. Send one as Authorization: Bearer TOKEN."));
	return false;
}

/* RFC 6750, 3.1 */
static bool respond_bad_token(struct http_response *response)
{
	http_response_header(response, "WWW-Authenticate", STR("Bearer error=\"invalid_token\""));
	respond_error(response, 401, "UNAUTHENTICATED",
		      STR("This access token is not valid: it has expired, or a newer one replaced "
			  "it. Get one with POST /v1/oauth/token."));
	return false;
}

bool bearer_check(struct api *api, struct http_request *request, struct http_response *response)
{
	struct str scheme, token;
	if (!bearer_authorization(request, &scheme, &token) ||
	    !str_equal_nocase(scheme, STR("Bearer")) || str_is_empty(token))
		return respond_no_token(response);
	const struct digest digest = digest_token(token);
	struct app_row *app = ARENA_NEW(request->arena, struct app_row);
	struct error err = {0};
	const enum err_kind kind = store_token_find(api->config.store, request->arena,
						    digest_hex(request->arena, &digest),
						    clock_now_us(api->config.clock), app, &err);
	if (kind == ERR_NOT_FOUND)
		return respond_bad_token(response);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return false;
	}
	if (app->state == APP_SUSPENDED) {
		respond_error(response, 403, "app_not_active", STR("The app is not active."));
		return false;
	}
	request->user = app;
	return true;
}
