/* SPDX-License-Identifier: Apache-2.0
 * What Meta's servers call when a person removes the app or asks for the deletion of their data,
 * and the page that says how far that is (api-decisions.md 17). Facebook and Instagram alone have
 * them. */
#include "api_private.h"

#include "connect.h"
#include "store_user.h"

#define CODE_MAX_BYTES 64

static enum platform_id platform_of_path(const struct http_request *request)
{
	const enum platform_id platform =
		platform_id_of_slug(http_request_capture(request, "platform"));
	return platform == PLATFORM_FACEBOOK || platform == PLATFORM_INSTAGRAM ? platform
									       : PLATFORM_NONE;
}

/* Failures are counted with those of the token endpoint: both are guesses at an app's secret. */
static void refuse(struct api *api, struct http_request *request, struct http_response *response,
		   const struct error *err)
{
	const struct str key = str_format(request->arena, "address " STR_FMT,
					  STR_ARG(http_request_network(request)));
	const struct limit_state state = limiter_look(api->failures, key);
	if (state.is_over) {
		http_response_header(response, "Retry-After",
				     str_format(response->arena, "%lld", (long long)state.reset_s));
		respond_error(response, 429, "RATE_LIMITED",
			      STR("Too many requests with a wrong signature. Try again later."));
		return;
	}
	limiter_count(api->failures, key);
	respond_field_error(response, 400, "INVALID_SIGNATURE", STR("signed_request"),
			    str_copy(response->arena, str_of(err->text)));
}

/* False: answered. */
static bool read_person(struct api *api, struct http_request *request,
			struct http_response *response, struct signed_person *person)
{
	struct form form = {0};
	struct error err = {0};
	const enum platform_id platform = platform_of_path(request);
	if (platform == PLATFORM_NONE) {
		respond_error(response, 404, "PLATFORM_NOT_FOUND",
			      STR("Only facebook and instagram have this callback."));
		return false;
	}
	if (!respond_content_type_is(request, "application/x-www-form-urlencoded") &&
	    !str_is_empty(request->body)) {
		respond_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
			      STR("The body must be sent as application/x-www-form-urlencoded."));
		return false;
	}
	const bool is_form = form_parse(request->arena, request->body, 0, &form, NULL) == ERR_NONE;
	if (!is_form || form_count(&form, "signed_request") != 1) {
		error_set(&err, ERR_INVALID, "The form must have one signed_request.");
		refuse(api, request, response, &err);
		return false;
	}
	const enum err_kind kind =
		connector_read_signed(api->config.connector, request->arena, platform,
				      *form_find(&form, "signed_request"), person, &err);
	if (kind == ERR_INVALID)
		refuse(api, request, response, &err);
	else if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	return kind == ERR_NONE;
}

void api_meta_deauthorize(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct api *api = context;
	struct signed_person person = {0};
	struct error err = {0};
	if (!read_person(api, request, response, &person))
		return;
	const enum err_kind kind =
		connector_deauthorize(api->config.connector, request->arena, &person, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_end_object(&w);
}

void api_meta_data_deletion(void *context, struct http_request *request,
			    struct http_response *response)
{
	struct api *api = context;
	struct signed_person person = {0};
	struct error err = {0};
	if (!read_person(api, request, response, &person))
		return;
	const enum err_kind kind = connector_erase_person(api->config.connector, request->arena,
							  &person, request->remote_address, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "url",
			str_format(response->arena, "%s/v1/oauth/%s/data-deletion/" STR_FMT,
				   api->config.public_url, platform_id_slug(person.platform),
				   STR_ARG(person.code)));
	json_member_str(&w, "confirmation_code", person.code);
	json_end_object(&w);
}

void api_meta_deletion_status(void *context, struct http_request *request,
			      struct http_response *response)
{
	static const struct {
		int status;
		const char *title;
		const char *text;
	} pages[] = {
		[ERASURE_UNKNOWN] = {404, "Unknown confirmation code",
				     "There is no request for the deletion of data with this "
				     "confirmation code."},
		[ERASURE_RUNS] = {200, "Your data is being deleted",
				  "The request was received. Reload this page to see when it is "
				  "done."},
		[ERASURE_ENDED] = {200, "Your data was deleted",
				   "Nothing that you connected here is stored any more."},
	};
	struct api *api = context;
	struct error err = {0};
	enum erasure_state state = ERASURE_UNKNOWN;
	const struct str code = http_request_capture(request, "code");
	const enum platform_id platform = platform_of_path(request);
	if (platform != PLATFORM_NONE && code.len <= CODE_MAX_BYTES) {
		const enum err_kind kind = store_user_code_state(
			api->config.store, platform, connector_code_hash(request->arena, code),
			&state, &err);
		if (kind != ERR_NONE) {
			respond_failure(api, request, response, kind, &err);
			return;
		}
	}
	http_response_header(response, "X-Robots-Tag", STR("noindex"));
	respond_page(response, pages[state].status, pages[state].title, pages[state].text);
}
