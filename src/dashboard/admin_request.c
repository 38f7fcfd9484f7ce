/* SPDX-License-Identifier: Apache-2.0
 * See admin_request.h. */
#include "admin_private.h"

/* ---- the body ---- */

const struct json *admin_request_body(struct http_request *request, struct http_response *response,
				      const char *const *known)
{
	const struct json *body = NULL;
	struct problems problems;
	struct error err = {0};
	if (json_parse(request->arena, request->body, NULL, &body, NULL, &err) != ERR_NONE) {
		admin_respond_error(response, 400, "MALFORMED_JSON", str_of(err.text));
		return NULL;
	}
	if (!json_is(body, JSON_TYPE_OBJECT)) {
		admin_respond_error(response, 422, "VALIDATION_ERROR",
				    STR("The body must be a JSON object."));
		return NULL;
	}
	problems_init(&problems, request->arena);
	known_check(&problems, body, STR(""), known);
	if (problems.count == 0)
		return body;
	admin_respond_problems(response, &problems);
	return NULL;
}

bool admin_request_text(struct http_response *response, const struct json *body, const char *name,
			size_t max_bytes, struct str *out)
{
	const struct str value = json_string(json_get(body, name));
	*out = value;
	if (value.len >= 1 && value.len <= max_bytes && !str_has_control(value))
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena,
			   "%s must be a string of 1 to %zu bytes without control characters.",
			   name, max_bytes));
	return false;
}

/* Something on both sides of one @; the rest is up to the mail system. */
bool admin_request_email(struct http_response *response, struct str text, struct str *out)
{
	const size_t at = str_find_char(text, '@', 0);
	if (text.len <= ADMIN_EMAIL_MAX_BYTES && at != SIZE_MAX && at > 0 && at + 1 < text.len &&
	    str_find_char(text, '@', at + 1) == SIZE_MAX &&
	    str_find_char(text, ' ', 0) == SIZE_MAX && !str_has_control(text)) {
		*out = str_lower(response->arena, text);
		return true;
	}
	admin_respond_field_error(response, "email", STR("Not a valid email address."));
	return false;
}

/* ---- the path ---- */

bool admin_request_app(struct admin *admin, struct http_request *request,
		       struct http_response *response, struct app_row *app)
{
	const struct caller *caller = admin_request_caller(request);
	struct error err = {0};
	if (caller != NULL && caller->has_app) {
		*app = caller->app;
		return true;
	}
	const enum err_kind kind =
		store_app_find_by_client_id(admin->config.store, request->arena,
					    http_request_capture(request, "client_id"), app, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}

bool admin_request_platform(struct http_request *request, struct http_response *response,
			    enum platform_id *out)
{
	*out = platform_id_of_slug(http_request_capture(request, "platform"));
	if (*out != PLATFORM_NONE)
		return true;
	admin_respond_error(response, 404, "PLATFORM_NOT_FOUND",
			    STR("This platform is not supported."));
	return false;
}

/* RFC 9110 13.1.2: a list of tags, or "*". */
bool admin_request_has(const struct http_request *request, struct str etag)
{
	const struct str *header = http_request_header(request, "If-None-Match");
	struct str rest = header != NULL ? *header : (struct str){0};
	struct str tag;
	while (rest.ptr != NULL && str_take_field(&rest, ',', &tag)) {
		tag = str_trim(tag);
		str_skip(&tag, STR("W/"));
		if (str_equal(tag, etag) || str_equal_z(tag, "*"))
			return true;
	}
	return false;
}

/* ---- the query ---- */

bool admin_request_query_text(const struct http_request *request, struct http_response *response,
			      const char *name, size_t max_bytes, struct str *out)
{
	const struct str *value = form_find(&request->query, name);
	*out = value != NULL ? *value : STR("");
	if (!request->has_bad_query && form_count(&request->query, name) <= 1 &&
	    out->len <= max_bytes)
		return true;
	admin_respond_field_error(response, name,
				  str_format(response->arena,
					     "%s must be given once, with at most %zu bytes.", name,
					     max_bytes));
	return false;
}

bool admin_request_query_number(const struct http_request *request, struct http_response *response,
				const char *name, int64_t fallback, int64_t max, int64_t *out)
{
	struct str text;
	if (!admin_request_query_text(request, response, name, 20, &text))
		return false;
	*out = fallback;
	if (str_is_empty(text) || (str_parse_i64(text, out) && *out >= 1 && *out <= max))
		return true;
	admin_respond_field_error(response, name,
				  str_format(response->arena,
					     "%s must be a whole number from 1 to %lld.", name,
					     (long long)max));
	return false;
}

bool admin_request_query_date(const struct http_request *request, struct http_response *response,
			      const char *name, struct civil_date *out)
{
	struct str text;
	if (!admin_request_query_text(request, response, name, 20, &text))
		return false;
	*out = (struct civil_date){0};
	if (str_is_empty(text) || timetext_parse_date(text, out))
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena, "%s must be a date of the form YYYY-MM-DD.", name));
	return false;
}

bool admin_request_query_apps(struct admin *admin, struct http_request *request,
			      struct http_response *response, struct admin_apps *out)
{
	const struct caller *caller = admin_request_caller(request);
	struct app_row *all = NULL;
	size_t count = 0;
	struct str wanted;
	struct error err = {0};
	if (!admin_request_query_text(request, response, "client_id", 255, &wanted))
		return false;
	enum err_kind kind =
		store_app_list(admin->config.store, request->arena, &all, &count, &err);
	*out = (struct admin_apps){all, 0};
	for (size_t i = 0; kind == ERR_NONE && i < count && out->count < ADMIN_APPS_MAX; i++) {
		const bool is_meant = str_is_empty(wanted) || str_equal(all[i].client_id, wanted);
		if (is_meant && admin_may_have(caller, &all[i]))
			out->rows[out->count++] = all[i];
	}
	if (kind == ERR_NONE && !str_is_empty(wanted) && out->count == 0)
		kind = ERR_NOT_FOUND;
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}
