/* SPDX-License-Identifier: Apache-2.0
 * Endpoints 2 to 4: beginning a connection, the platforms' callback with the redirect back to the customer, and the accounts that
 * came of it (API.md sections 4 and 5). */
#include "api_private.h"

#include "url.h"

#include "connect.h"

#define REDIRECT_URL_MAX_BYTES 2048
#define USER_ID_MAX_BYTES 255
#define CALLBACK_WAIT_MS 8000 /* the browser shows its own progress for so long; then a page of ours that asks again */

struct connect_input {
	struct str platform;
	struct str user_id;
	struct str redirect_url;
	struct str name;
	struct str email;
};

/* ---- checks ---- */

static bool user_id_is_good(struct str user_id)
{
	return user_id.len >= 1 && user_id.len <= USER_ID_MAX_BYTES;
}

static bool parameters_are_there(struct http_response *response, const struct connect_input *input)
{
	struct problems problems;
	problems_init(&problems, response->arena);
	if (input->platform.len == 0)
		problem_add(&problems, PROBLEM_SHAPE, STR("platform"), "missing", STR("The platform field is required."));
	if (input->user_id.len == 0)
		problem_add(&problems, PROBLEM_SHAPE, STR("user_id"), "missing", STR("The user_id field is required."));
	else if (!user_id_is_good(input->user_id))
		problem_add(&problems, PROBLEM_SHAPE, STR("user_id"), "too_long", STR("The user_id must be 1 to 255 bytes long."));
	if (input->redirect_url.len == 0)
		problem_add(&problems, PROBLEM_SHAPE, STR("redirect_url"), "missing", STR("The redirect_url field is required."));
	if (problems.count == 0)
		return true;
	struct json_writer w;
	respond_error_begin(response, 400, "MISSING_PARAMETERS", problems.items[0].message, &w);
	respond_write_errors(&w, &problems, PROBLEM_SHAPE);
	json_end_object(&w);
	return false;
}

/* On the app's list, as a whole URL or as an origin; an empty list allows any (API.md section 3). */
static bool redirect_is_listed(struct arena *arena, const struct app_row *app, const struct url *url, struct str text)
{
	const struct json *list = NULL;
	if (app->redirect_urls.len == 0 || json_parse(arena, app->redirect_urls, NULL, &list, NULL, NULL) != ERR_NONE || list->count == 0)
		return true;
	struct str origin = url_origin(arena, url);
	for (size_t i = 0; i < list->count; i++) {
		struct str allowed = json_string(json_at(list, i));
		if (str_equal(allowed, text) || str_equal(allowed, origin))
			return true;
	}
	return false;
}

static const char *redirect_problem(struct arena *arena, const struct app_row *app, struct str text)
{
	struct url url;
	if (text.len > REDIRECT_URL_MAX_BYTES)
		return "The redirect_url is longer than 2,048 bytes.";
	if (url_parse(arena, text, &url, NULL) != ERR_NONE)
		return "The redirect_url must be an absolute http or https URL.";
	if (url.userinfo.len > 0)
		return "The redirect_url must not carry user information.";
	if (url.has_fragment)
		return "The redirect_url must not have a fragment.";
	if (!redirect_is_listed(arena, app, &url, text))
		return "The redirect_url is not on the app's list.";
	return NULL;
}

static void respond_begun(struct http_response *response, const struct connect_begun *begun)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "redirect_url", begun->authorize_url);
	json_member_str(&w, "connection_id", begun->connection_id);
	json_end_object(&w);
}

static void begin(struct api *api, struct http_request *request, struct http_response *response, const struct connect_input *input)
{
	enum platform_id platform = platform_id_of_slug(input->platform);
	if (platform == PLATFORM_NONE && input->platform.len > 0) {
		respond_error(response, 404, "PLATFORM_NOT_FOUND", STR("This platform is not supported."));
		return;
	}
	if (!parameters_are_there(response, input))
		return;
	const char *problem = redirect_problem(request->arena, request_app(request), input->redirect_url);
	if (problem != NULL) {
		respond_field_error(response, 422, "VALIDATION_ERROR", STR("redirect_url"), str_of(problem));
		return;
	}
	const struct connect_request connect = {
		request_app(request), platform, input->user_id, input->redirect_url, input->name, input->email};
	struct connect_begun begun = {0};
	struct error err = {0};
	enum err_kind kind = connector_begin(api->config.connector, request->arena, &connect, &begun, &err);
	if (kind == ERR_NONE)
		respond_begun(response, &begun);
	else if (kind == ERR_NOT_FOUND)
		respond_error(response, 400, "CREDENTIALS_NOT_FOUND", str_of(err.text));
	else if (kind == ERR_TEMPORARY)
		respond_failure(api, request, response, kind, &err);
	else {
		LOG(api->config.log, ERROR, "connect_failed", log_str("error", str_of(err.text)));
		respond_error(response, 500, "REDIRECT_URL_ERROR", STR("The redirect URL could not be made."));
	}
}

static struct str query_value(const struct http_request *request, const char *name)
{
	const struct str *value = form_find(&request->query, name);
	return value != NULL ? *value : STR("");
}

void connect_begin(void *context, struct http_request *request, struct http_response *response)
{
	if (request->has_bad_query) {
		respond_error(response, 422, "VALIDATION_ERROR", STR("The query is not valid percent-encoded UTF-8."));
		return;
	}
	const struct connect_input input = {
		.platform = http_request_capture(request, "platform"),
		.user_id = query_value(request, "user_id"),
		.redirect_url = query_value(request, "redirect_url"),
		.name = query_value(request, "name"),
		.email = query_value(request, "email"),
	};
	begin(context, request, response, &input);
}

static struct str member_text(const struct json *body, const char *name, struct problems *problems)
{
	const struct json *value = json_get(body, name);
	if (!json_is_null(value) && !json_is(value, JSON_TYPE_STRING))
		problem_add(problems, PROBLEM_SHAPE, str_of(name), "wrong_type",
			    str_format(problems->arena, "The %s field must be a string.", name));
	return json_string(value);
}

void connect_begin_json(void *context, struct http_request *request, struct http_response *response)
{
	const struct json *body = NULL;
	if (!request_json_object(request, response, &body))
		return;
	struct problems problems;
	problems_init(&problems, request->arena);
	const struct connect_input input = {
		.platform = member_text(body, "platform", &problems),
		.user_id = member_text(body, "user_id", &problems),
		.redirect_url = member_text(body, "redirect_url", &problems),
		.name = member_text(body, "name", &problems),
		.email = member_text(body, "email", &problems),
	};
	if (problems.count > 0)
		respond_problems(response, &problems);
	else
		begin(context, request, response, &input);
}

/* ---- the callback ---- */

static struct buf *page(struct http_response *response, int status, const char *title, const char *text)
{
	http_response_header(response, "Content-Security-Policy", STR("default-src 'none'; frame-ancestors 'none'; base-uri 'none'"));
	struct buf *out = http_response_text(response, status, "text/html; charset=utf-8");
	buf_addf(out, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>", title);
	buf_addf(out, "<meta name=\"viewport\" content=\"width=device-width\"></head><body><h1>%s</h1><p>%s</p></body></html>", title, text);
	return out;
}

static void respond_return(struct http_request *request, struct http_response *response, const struct connect_return *back)
{
	switch (back->kind) {
	case CONNECT_RETURN_INVALID:
		page(response, 400, "This link cannot be used",
		     "It was used already, has expired, or was not made by this service. Please start again where you came from.");
		return;
	case CONNECT_RETURN_PENDING:
		/* Asks again under the same path; the state itself is used up. */
		http_response_header(response, "Refresh",
				     str_format(request->arena, "2; url=" STR_FMT "?wait=" STR_FMT, STR_ARG(request->path),
						STR_ARG(back->connection_id)));
		page(response, 200, "One moment", "The platform has not answered yet. This page looks again by itself.");
		return;
	case CONNECT_RETURN_REDIRECT:
		page(response, 302, "Back to where you came from", "You are being sent back.");
		http_response_header(response, "Location", back->url);
		return;
	}
}

/* A look ahead must not use the state up (RELIABILITY.md 3.5, 34). */
static bool is_only_a_look(const struct http_request *request)
{
	const struct str *purpose = http_request_header(request, "Sec-Purpose");
	if (purpose == NULL)
		purpose = http_request_header(request, "Purpose");
	return request->is_head || (purpose != NULL && str_find(*purpose, STR("prefetch"), 0) != SIZE_MAX);
}

void connect_callback(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	enum platform_id platform = platform_id_of_slug(http_request_capture(request, "platform"));
	if (platform == PLATFORM_NONE) {
		respond_error(response, 404, "PLATFORM_NOT_FOUND", STR("This platform is not supported."));
		return;
	}
	if (is_only_a_look(request)) {
		page(response, 200, "Connecting an account", "Open this page to finish connecting the account.");
		return;
	}
	struct connect_return back = {.kind = CONNECT_RETURN_INVALID};
	struct error err = {0};
	enum err_kind kind = ERR_NONE;
	struct str waiting_id = query_value(request, "wait");
	if (waiting_id.len > 0)
		kind = connector_await(api->config.connector, request->arena, waiting_id, CALLBACK_WAIT_MS, &back, &err);
	else if (!request->has_bad_query)
		kind = connector_callback(api->config.connector, request->arena, platform, &request->query, CALLBACK_WAIT_MS, &back, &err);
	if (kind == ERR_NONE)
		respond_return(request, response, &back);
	else
		respond_failure(api, request, response, kind, &err);
}

/* ---- accounts of a connection ---- */

static void write_account(struct json_writer *w, const struct account_row *account)
{
	json_begin_object(w);
	json_member_str(w, "id", account->id);
	json_member_str(w, "app_user_id", account->user_id);
	json_member_int(w, "platform_id", account->platform);
	json_member_str(w, "platform", str_of(platform_id_slug(account->platform)));
	json_member_str(w, "platform_account_id", account->platform_account_id);
	json_member_str(w, "username", account->username);
	json_member_str(w, "name", account->name);
	json_member_str_or_null(w, "email", account->email);
	json_member_str_or_null(w, "avatar_url", account->avatar_url);
	json_member_str(w, "account_type", str_of(account_type_name(account->type)));
	json_member_str(w, "status", str_of(account_state_name(account->state)));
	json_end_object(w);
}

static void respond_connection(struct http_response *response, const struct connection_row *connection,
			       const struct account_row *accounts, size_t count)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "connection_id", connection->id);
	json_member_str(&w, "status", str_of(connection_state_name(connection->state)));
	json_key(&w, "accounts");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		write_account(&w, &accounts[i]);
	json_end_array(&w);
	if (connection->state == CONNECTION_FAILED) {
		json_member_str(&w, "error", connection->error);
		json_member_str(&w, "error_description", connection->error_description);
	}
	json_end_object(&w);
}

void connection_accounts(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct connection_row connection = {0};
	struct account_row *accounts = NULL;
	size_t count = 0;
	struct error err = {0};
	enum err_kind kind = store_connection_find(api->config.store, request->arena, request_app(request)->id,
						   http_request_capture(request, "connection_id"), clock_now_us(api->config.clock),
						   &connection, &err);
	if (kind == ERR_NOT_FOUND) {
		respond_error(response, 404, "CONNECTION_NOT_FOUND", STR("There is no such connection."));
		return;
	}
	if (kind == ERR_NONE && connection.state == CONNECTION_SUCCESS)
		kind = store_account_list_of_connection(api->config.store, request->arena, connection.id, &accounts, &count, &err);
	if (kind == ERR_NONE)
		respond_connection(response, &connection, accounts, count);
	else
		respond_failure(api, request, response, kind, &err);
}
