/* SPDX-License-Identifier: Apache-2.0
 * Connected accounts as a resource: list, show with the state of the token, check at the platform,
 * disconnect (api-decisions.md 9). connections.c creates them. */
#include "api_private.h"

#include "connect.h"

#define CHECK_WAIT_MS 8000
#define REVOKE_WAIT_MS 3000

/* The value of a parameter; empty when it is not given. */
static struct str text_of(const struct http_request *request, struct problems *problems,
			  const char *name)
{
	const struct str *text = form_find(&request->query, name);
	if (text == NULL)
		return STR("");
	if (form_count(&request->query, name) > 1 || str_is_empty(*text))
		problem_add(problems, PROBLEM_SHAPE, str_of(name), "bad_value",
			    str_format(problems->arena,
				       "The %s must be given once and must not be empty.", name));
	return *text;
}

static void read_platform(const struct http_request *request, struct problems *problems,
			  struct account_filter *filter)
{
	const struct str slug = text_of(request, problems, "platform");
	if (str_is_empty(slug))
		return;
	filter->platform = platform_id_of_slug(slug);
	if (filter->platform == PLATFORM_NONE)
		problem_add(problems, PROBLEM_SHAPE, STR("platform"), "bad_value",
			    STR("The platform must be one of instagram, facebook, x, linkedin, "
				"youtube, tiktok."));
}

static void read_state(const struct http_request *request, struct problems *problems,
		       struct account_filter *filter)
{
	const struct str name = text_of(request, problems, "status");
	filter->state = !str_is_empty(name) ? account_state_of_name(name) : ACCOUNT_STATE_COUNT;
	if (!str_is_empty(name) && filter->state == ACCOUNT_STATE_COUNT)
		problem_add(problems, PROBLEM_SHAPE, STR("status"), "bad_value",
			    STR("The status must be one of active, expiring, reauth_required, "
				"disconnected."));
}

static void respond_list(struct http_response *response, const struct account_filter *filter,
			 const struct account_row *rows, size_t count, int64_t total)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		api_account_write(&w, response->arena, &rows[i], filter->now_us);
	json_end_array(&w);
	respond_write_meta(&w, filter->page, filter->per_page, total);
	json_end_object(&w);
}

void api_account_list(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct problems problems;
	struct account_row *rows = NULL;
	size_t count = 0;
	int64_t total = 0;
	struct error err = {0};
	respond_problems_init(&problems, request);
	struct account_filter filter = {.app_id = request_app(request)->id,
					.now_us = clock_now_us(api->config.clock)};
	if (request->has_bad_query)
		problem_add(&problems, PROBLEM_SHAPE, STR("query"), "malformed",
			    STR("The query is not valid percent-encoded UTF-8."));
	filter.user_id = text_of(request, &problems, "user_id");
	read_platform(request, &problems, &filter);
	read_state(request, &problems, &filter);
	api_page_read(request, &problems, &filter.page, &filter.per_page);
	if (respond_if_problems(response, &problems))
		return;
	const enum err_kind kind = store_account_list(api->config.store, request->arena, &filter,
						      &rows, &count, &total, &err);
	if (kind == ERR_NONE)
		respond_list(response, &filter, rows, count, total);
	else
		respond_failure(api, request, response, kind, &err);
}

/* The app's account of the path. False: answered. */
static bool find_account(struct api *api, struct http_request *request,
			 struct http_response *response, struct account_row *account)
{
	const struct str id = http_request_capture(request, "account_id");
	bool is_found = false;
	struct error err = {0};
	const enum err_kind kind =
		store_account_get_many(api->config.store, request->arena, request_app(request)->id,
				       &id, 1, account, &is_found, &err);
	if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else if (!is_found)
		respond_not_found(request, response);
	return kind == ERR_NONE && is_found;
}

void api_account_get(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct account_row account = {0};
	if (!find_account(api, request, response, &account))
		return;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	api_account_write(&w, response->arena, &account, clock_now_us(api->config.clock));
	json_end_object(&w);
}

/* ---- check and disconnect ---- */

static void write_check(struct http_response *response, const struct check_outcome *outcome,
			const struct account_row *account, int64_t now_us)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	if (outcome->verdict == CHECK_UNKNOWN)
		json_member_null(&w, "ok");
	else
		json_member_bool(&w, "ok", outcome->verdict == CHECK_GOOD);
	json_member_str_or_null(&w, "message", outcome->message);
	json_key(&w, "account");
	api_account_write(&w, response->arena, account, now_us);
	json_end_object(&w);
	json_end_object(&w);
}

void api_account_check(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct account_row account = {0};
	struct check_outcome outcome = {0};
	struct error err = {0};
	if (!find_account(api, request, response, &account))
		return;
	const enum err_kind kind = connector_check(api->config.connector, request->arena, &account,
						   CHECK_WAIT_MS, &outcome, &err);
	if (kind == ERR_LIMITED)
		respond_too_many(response, &err);
	else if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else if (find_account(api, request, response, &account)) /* as it is now */
		write_check(response, &outcome, &account, clock_now_us(api->config.clock));
}

void api_account_disconnect(void *context, struct http_request *request,
			    struct http_response *response)
{
	struct api *api = context;
	struct account_row account = {0};
	struct error err = {0};
	if (!find_account(api, request, response, &account))
		return;
	const enum err_kind kind = connector_disconnect(api->config.connector, request->arena,
							&account, REVOKE_WAIT_MS, &err);
	if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else
		response->status = 204;
}
