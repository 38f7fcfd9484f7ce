/* SPDX-License-Identifier: Apache-2.0
 * See admin_desk.h. */
#include "admin_desk.h"

bool desk_query_text(const struct http_request *request, struct http_response *response,
		     const char *name, size_t max_bytes, struct str *out)
{
	const struct str *value = form_find(&request->query, name);
	*out = value != NULL ? *value : STR("");
	if (!request->has_bad_query && form_count(&request->query, name) <= 1 &&
	    out->len <= max_bytes)
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena,
			   "%s must be given once, as a text of at most %zu bytes.", name,
			   max_bytes));
	return false;
}

bool desk_query_number(const struct http_request *request, struct http_response *response,
		       const char *name, int64_t fallback, int64_t max, int64_t *out)
{
	struct str text;
	if (!desk_query_text(request, response, name, 20, &text))
		return false;
	*out = fallback;
	if (text.len == 0 || (str_parse_i64(text, out) && *out >= 1 && *out <= max))
		return true;
	admin_respond_field_error(response, name,
				  str_format(response->arena,
					     "%s must be a whole number from 1 to %lld.", name,
					     (long long)max));
	return false;
}

bool desk_query_date(const struct http_request *request, struct http_response *response,
		     const char *name, struct civil_date *out)
{
	struct str text;
	if (!desk_query_text(request, response, name, 20, &text))
		return false;
	*out = (struct civil_date){0};
	if (text.len == 0 || timetext_parse_date(text, out))
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena, "%s must be a date of the form YYYY-MM-DD.", name));
	return false;
}

bool desk_find_apps(struct admin *admin, struct http_request *request,
		    struct http_response *response, struct desk_apps *out)
{
	const struct caller *caller = request_caller(request);
	struct app_row *all = NULL;
	size_t count = 0;
	struct str wanted;
	struct error err = {0};
	if (!desk_query_text(request, response, "client_id", 255, &wanted))
		return false;
	enum err_kind kind =
		store_app_list(admin->config.store, request->arena, &all, &count, &err);
	*out = (struct desk_apps){all, 0};
	for (size_t i = 0; kind == ERR_NONE && i < count && out->count < DESK_APPS_MAX; i++) {
		const bool is_meant = wanted.len == 0 || str_equal(all[i].client_id, wanted);
		if (is_meant && str_equal(all[i].owner_id, caller->session.admin.id))
			out->rows[out->count++] = all[i];
	}
	if (kind == ERR_NONE && wanted.len > 0 && out->count == 0)
		kind = ERR_NOT_FOUND;
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}
