/* SPDX-License-Identifier: Apache-2.0
 * What an app does with its Basic credentials: endpoint 1, POST /v1/oauth/token, issues its one
 * access token; POST /v1/oauth/revoke ends a token or key. The checks come in the order of
 * api-decisions.md 2; credentials in the body or the query are never read. */
#include "api_private.h"

#include "base64.h"
#include "utf8.h"

#include "digest.h"
#include "token.h"

#define HASH_HEX_BYTES (2 * DIGEST_BYTES)

static struct str failure_key(struct arena *arena, const char *what, struct str value)
{
	return str_format(arena, "%s " STR_FMT, what, STR_ARG(value));
}

struct basic {
	struct str client_id;
	struct str client_secret;
};

/* Credentials that are not right. NULL in its place: they are. */
struct refusal {
	int status;
	const char *code;
	const char *message;
};

static const struct refusal bad_header = {
	400, "invalid_authorization_header",
	"Send the app's credentials in one Authorization header with the scheme Basic."};
static const struct refusal bad_format = {
	400, "invalid_authorization_format",
	"The Basic credentials must be base64 of client_id:client_secret."};
static const struct refusal unknown_id = {401, "invalid_client_id", "Unknown client id."};
static const struct refusal wrong_secret = {401, "invalid_client_secret",
					    "The client secret is wrong."};

static const struct refusal *read_basic(const struct http_request *request, struct basic *basic_out)
{
	struct str scheme, encoded, text;
	if (!bearer_authorization(request, &scheme, &encoded) ||
	    !str_equal_nocase(scheme, STR("Basic")) || str_is_empty(encoded))
		return &bad_header;
	size_t colon = SIZE_MAX;
	const bool is_good = base64_decode(request->arena, encoded, &text) && utf8_is_valid(text) &&
			     (colon = str_find_char(text, ':', 0)) != SIZE_MAX;
	basic_out->client_id = is_good ? str_slice(text, 0, colon) : STR("");
	basic_out->client_secret = is_good ? str_slice(text, colon + 1, text.len) : STR("");
	return !str_is_empty(basic_out->client_id) && !str_is_empty(basic_out->client_secret)
		       ? NULL
		       : &bad_format;
}

/* Unknown ids cost the same work as wrong secrets: the digest is computed and compared either way.
 * On an error of the store the answer is made already, and nothing is refused. */
static const struct refusal *find_app(struct api *api, struct http_request *request,
				      struct http_response *response, const struct basic *basic,
				      struct app_row *app)
{
	static const char nobody[HASH_HEX_BYTES + 1] =
		"0000000000000000000000000000000000000000000000000000000000000000";
	struct error err = {0};
	const enum err_kind kind = store_app_find_by_client_id(api->config.store, request->arena,
							       basic->client_id, app, &err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND) {
		respond_failure(api, request, response, kind, &err);
		return NULL;
	}
	const struct digest digest = digest_token(basic->client_secret);
	const struct str expected =
		kind == ERR_NONE ? app->client_secret_hash : (struct str){nobody, HASH_HEX_BYTES};
	const bool is_right = digest_equal_str(digest_hex(request->arena, &digest), expected);
	if (kind == ERR_NOT_FOUND)
		return &unknown_id;
	return is_right ? NULL : &wrong_secret;
}

static bool app_may_have_token(struct http_response *response, const struct app_row *app)
{
	if (app->state == APP_SUSPENDED)
		respond_oauth_error(response, 403, "app_not_active", STR("The app is not active."));
	else if (str_is_empty(app->owner_email))
		respond_oauth_error(response, 404, "admin_not_found",
				    STR("The app's admin user does not exist."));
	else if (app->state != APP_ACTIVE)
		respond_oauth_error(response, 409, "app_not_live", STR("The app is not live."));
	return response->status == 0;
}

static void respond_grant_error(struct http_response *response, const char *message)
{
	struct json_writer w;
	respond_error_begin(response, 422, "VALIDATION_ERROR", str_of(message), &w);
	json_member_str(&w, "error_description", str_of(message));
	json_key(&w, "errors");
	json_begin_object(&w);
	json_key(&w, "grant_type");
	json_begin_array(&w);
	json_put_str(&w, str_of(message));
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

/* Is the body a form? No body at all is an empty one. False: answered 415. */
static bool is_form(const struct http_request *request, struct http_response *response)
{
	if (respond_content_type_is(request, "application/x-www-form-urlencoded") ||
	    (str_is_empty(request->body) && http_request_header(request, "Content-Type") == NULL))
		return true;
	respond_oauth_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
			    STR("The body must be sent as application/x-www-form-urlencoded."));
	return false;
}

static bool grant_is_good(struct http_request *request, struct http_response *response)
{
	struct form form = {0};
	if (!is_form(request, response))
		return false;
	if (form_parse(request->arena, request->body, 0, &form, NULL) != ERR_NONE ||
	    form_count(&form, "grant_type") == 0)
		respond_grant_error(response, "The grant_type field is required.");
	else if (form_count(&form, "grant_type") > 1)
		respond_grant_error(response, "The grant_type field must be given once.");
	else if (!str_equal_z(*form_find(&form, "grant_type"), "client_credentials"))
		respond_grant_error(response, "The grant_type must be client_credentials.");
	return response->status == 0;
}

static void issue(struct api *api, struct http_request *request, struct http_response *response,
		  const struct app_row *app)
{
	if (!app_may_have_token(response, app) || !grant_is_good(request, response))
		return;
	const struct str token = token_new(request->arena, api->config.random,
					   app->world.is_test ? TOKEN_ACCESS_TEST : TOKEN_ACCESS);
	const struct digest digest = digest_token(token);
	const int64_t now_us = clock_now_us(api->config.clock);
	struct error err = {0};
	const enum err_kind kind =
		store_token_issue(api->config.store, app->id, digest_hex(request->arena, &digest),
				  now_us + api->config.token_ttl_s * US_PER_S, now_us, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "access_token", token);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_member_int(&w, "expires_in", api->config.token_ttl_s);
	json_end_object(&w);
}

/* ---- revoking (RFC 7009) ---- */

static void respond_invalid_request(struct http_response *response, const char *message)
{
	respond_oauth_error(response, 400, "invalid_request", str_of(message));
}

/* token_type_hint is only a hint: tokens and keys are told apart by their hash. */
static bool read_revoked(struct http_request *request, struct http_response *response,
			 struct str *token_out)
{
	struct form form = {0};
	if (!is_form(request, response))
		return false;
	if (form_parse(request->arena, request->body, 0, &form, NULL) != ERR_NONE ||
	    form_count(&form, "token") == 0 || str_is_empty(*form_find(&form, "token")))
		respond_invalid_request(response, "The token field is required.");
	else if (form_count(&form, "token") > 1)
		respond_invalid_request(response, "The token field must be given once.");
	else
		*token_out = *form_find(&form, "token");
	return response->status == 0;
}

/* A token that is unknown, dead, or another app's answers alike, and nothing is done. */
static void revoke(struct api *api, struct http_request *request, struct http_response *response,
		   const struct app_row *app)
{
	struct str token = {0};
	struct error err = {0};
	struct json_writer w;
	if (!read_revoked(request, response, &token))
		return;
	const struct digest digest = digest_token(token);
	const enum err_kind kind = store_token_revoke(api->config.store, app->id,
						      digest_hex(request->arena, &digest), &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_end_object(&w);
}

/* ---- the app's own calls ---- */

/* Failures are counted against failures alone: whoever has the right secret never meets the limit,
 * whatever others do from the same address or with the same client id (api-decisions.md 1). */
static void refuse(struct api *api, struct http_request *request, struct http_response *response,
		   const struct basic *basic, const struct refusal *refusal)
{
	const struct str keys[] = {
		failure_key(request->arena, "address", http_request_network(request)),
		failure_key(request->arena, "client", basic->client_id)};
	const size_t count = str_is_empty(basic->client_id) ? 1 : 2;
	for (size_t i = 0; i < count; i++) {
		const struct limit_state state = limiter_look(api->failures, keys[i]);
		if (!state.is_over)
			continue;
		http_response_header(response, "Retry-After",
				     str_format(response->arena, "%lld", (long long)state.reset_s));
		respond_oauth_error(response, 429, "RATE_LIMITED",
				    STR("Too many failed token requests. Try again later, or send "
					"the right client id and secret."));
		return;
	}
	for (size_t i = 0; i < count; i++)
		limiter_count(api->failures, keys[i]);
	respond_oauth_error(response, refusal->status, refusal->code, str_of(refusal->message));
}

typedef void (*basic_work)(struct api *api, struct http_request *request,
			   struct http_response *response, const struct app_row *app);

/* Finds the app of the Basic credentials, within the limit of failures, and lets work answer. */
static void serve_basic(struct api *api, struct http_request *request,
			struct http_response *response, basic_work work)
{
	struct basic basic = {0};
	struct app_row app = {0};
	http_response_header(
		response, "Pragma",
		STR("no-cache")); /* RFC 6749 5.1, beside the frame's Cache-Control: no-store */
	const struct refusal *refusal = read_basic(request, &basic);
	if (refusal == NULL)
		refusal = find_app(api, request, response, &basic, &app);
	if (refusal != NULL)
		refuse(api, request, response, &basic, refusal);
	else if (response->status == 0)
		work(api, request, response, &app);
}

void api_token_issue(void *context, struct http_request *request, struct http_response *response)
{
	serve_basic(context, request, response, issue);
}

/* Of a suspended app too: revoking is always right. */
void api_token_revoke(void *context, struct http_request *request, struct http_response *response)
{
	serve_basic(context, request, response, revoke);
}
