/* SPDX-License-Identifier: Apache-2.0
 * Endpoints 2 to 4: beginning a connection, the platforms' callback with the redirect back to the
 * customer, and the connected accounts (api-decisions.md 4 and 5). */
#include "count_of.h"

#include "api_private.h"

#include "cookie.h"
#include "url.h"

#include "digest.h"

#include "connect.h"

/* A handler that waits holds up the other connections of its listener thread (httpd.h). Most
 * platforms answer within this time; for the others the page refreshes, which never waits. The
 * number of handlers that wait at once is bounded too. */
#define CALLBACK_WAIT_MS 2000
#define CALLBACKS_WAITING_MAX 16
/* api-decisions.md 5: a connection is pending for so long at most */
#define COOKIE_VALID_S (15 * 60)

struct connect_input {
	bool is_query; /* the fields come from the query, not from a body */
	struct str platform;
	struct str user_id;
	struct str redirect_url;
	struct str name;
	struct str email;
};

/* ---- checks, in the order of api-decisions.md 4 ---- */

/* A misspelt name is told beside the one that is missing. Those of a body were refused before. */
static void check_unknown(struct problems *problems, const struct http_request *request,
			  const struct connect_input *input)
{
	if (input->is_query)
		known_check_query(problems, &request->query, respond_known_query(request));
}

static bool parameters_are_there(const struct http_request *request, struct http_response *response,
				 const struct connect_input *input)
{
	struct problems problems;
	problems_init(&problems, response->arena);
	if (str_is_empty(input->platform))
		problem_add(&problems, PROBLEM_SHAPE, STR("platform"), "missing",
			    STR("The platform field is required."));
	if (str_is_empty(input->user_id))
		problem_add(&problems, PROBLEM_SHAPE, STR("user_id"), "missing",
			    STR("The user_id field is required."));
	else if (input->user_id.len > CONNECT_USER_ID_MAX_BYTES)
		problem_add(&problems, PROBLEM_SHAPE, STR("user_id"), "too_long",
			    STR("The user_id must be 1 to 255 bytes long."));
	if (str_is_empty(input->redirect_url))
		problem_add(&problems, PROBLEM_SHAPE, STR("redirect_url"), "missing",
			    STR("The redirect_url field is required."));
	if (problems.count == 0)
		return true;
	check_unknown(&problems, request, input);
	struct json_writer w;
	respond_error_begin(response, 400, "MISSING_PARAMETERS", problems.items[0].message, &w);
	respond_write_errors(&w, &problems, PROBLEM_SHAPE);
	json_end_object(&w);
	return false;
}

static bool is_origin(struct arena *arena, struct str allowed, struct str origin)
{
	struct url url;
	return url_parse(arena, allowed, &url, NULL) == ERR_NONE && str_is_empty(url.path) &&
	       str_is_empty(url.query) && !url.has_fragment &&
	       str_equal(url_origin(arena, &url), origin);
}

/* A program on the user's own machine listens on a port that is free at that moment: an entry with
 * a literal loopback address and no port fits every port (RFC 8252, 7.3). */
static bool is_loopback(struct arena *arena, struct str allowed, const struct url *url)
{
	struct url entry;
	if (url_parse(arena, allowed, &entry, NULL) != ERR_NONE || entry.has_port ||
	    !str_equal_z(entry.scheme, "http") ||
	    (!str_equal_z(entry.host, "127.0.0.1") && !str_equal_z(entry.host, "::1")))
		return false;
	return str_equal(entry.scheme, url->scheme) && str_equal(entry.host, url->host) &&
	       (str_is_empty(entry.path) ||
		(str_equal(entry.path, url->path) && str_equal(entry.query, url->query)));
}

/* On the app's list, as a whole URL or as an origin; an empty list allows any (api-decisions.md 3),
 * an unreadable one nothing. */
static bool redirect_is_listed(struct arena *arena, const struct app_row *app,
			       const struct url *url, struct str text)
{
	const struct json *list = NULL;
	if (str_is_empty(app->redirect_urls))
		return true;
	if (json_parse(arena, app->redirect_urls, NULL, &list, NULL, NULL) != ERR_NONE ||
	    !json_is(list, JSON_TYPE_ARRAY))
		return false;
	const struct str origin = url_origin(arena, url);
	bool is_listed = list->count == 0;
	for (size_t i = 0; i < list->count && !is_listed; i++) {
		const struct str allowed = json_string(json_at(list, i));
		is_listed = str_equal(allowed, text) || is_origin(arena, allowed, origin) ||
			    is_loopback(arena, allowed, url);
	}
	return is_listed;
}

static const char *redirect_problem(struct arena *arena, const struct app_row *app, struct str text)
{
	struct url url;
	if (text.len > HTTP_URL_MAX_BYTES)
		return "The redirect_url is longer than 2,048 bytes.";
	if (url_parse(arena, text, &url, NULL) != ERR_NONE)
		return "The redirect_url must be an absolute http or https URL.";
	if (!str_is_empty(url.userinfo))
		return "The redirect_url must not contain user information.";
	if (url.has_fragment)
		return "The redirect_url must not have a fragment.";
	if (!redirect_is_listed(arena, app, &url, text))
		return "The redirect_url is not on the app's list of redirect URLs.";
	return NULL;
}

static void check_text(struct problems *problems, const char *name, struct str text,
		       size_t max_bytes)
{
	if (text.len > max_bytes)
		problem_add(problems, PROBLEM_SHAPE, str_of(name), "too_long",
			    str_format(problems->arena, "The %s must not be longer than %zu bytes.",
				       name, max_bytes));
	else if (str_has_control(text))
		problem_add(problems, PROBLEM_SHAPE, str_of(name), "control_character",
			    str_format(problems->arena,
				       "The %s must not contain control characters.", name));
}

/* A repeated parameter is ambiguous. */
static void check_repeats(struct problems *problems, const struct http_request *request)
{
	static const char *const names[] = {"user_id", "redirect_url", "name", "email"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (form_count(&request->query, names[i]) > 1)
			problem_add(problems, PROBLEM_SHAPE, str_of(names[i]), "repeated",
				    str_format(problems->arena, "The %s must be given once.",
					       names[i]));
	}
}

static bool parameters_are_good(struct http_request *request, struct http_response *response,
				const struct connect_input *input)
{
	struct problems problems;
	problems_init(&problems, response->arena);
	check_unknown(&problems, request, input);
	if (input->is_query)
		check_repeats(&problems, request);
	const char *problem =
		redirect_problem(request->arena, request_app(request), input->redirect_url);
	if (problem != NULL)
		problem_add(&problems, PROBLEM_SHAPE, STR("redirect_url"), "bad_url",
			    str_of(problem));
	check_text(&problems, "user_id", input->user_id, CONNECT_USER_ID_MAX_BYTES);
	check_text(&problems, "name", input->name, CONNECT_NAME_MAX_BYTES);
	check_text(&problems, "email", input->email, CONNECT_EMAIL_MAX_BYTES);
	return !respond_if_problems(response, &problems);
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

static void begin(struct api *api, struct http_request *request, struct http_response *response,
		  const struct connect_input *input)
{
	const enum platform_id platform = platform_id_of_slug(input->platform);
	if (platform == PLATFORM_NONE && !str_is_empty(input->platform)) {
		respond_error(response, 404, "PLATFORM_NOT_FOUND",
			      STR("This platform is not supported."));
		return;
	}
	if (input->is_query && request->has_bad_query) {
		respond_field_error(response, 422, "VALIDATION_ERROR", STR("query"),
				    STR("The query is not valid percent-encoded UTF-8."));
		return;
	}
	if (!parameters_are_there(request, response, input) ||
	    !parameters_are_good(request, response, input))
		return;
	struct quota_over over;
	const struct connect_request connect = {.app = request_app(request),
						.platform = platform,
						.user_id = input->user_id,
						.redirect_url = input->redirect_url,
						.name = input->name,
						.email = input->email,
						.over_out = &over};
	struct connect_begun begun = {0};
	struct error err = {0};
	const enum err_kind kind =
		connector_begin(api->config.connector, request->arena, &connect, &begun, &err);
	if (kind == ERR_NONE)
		respond_begun(response, &begun);
	else if (kind == ERR_TOO_LARGE)
		respond_over_quota(response, &over);
	else if (kind == ERR_NOT_FOUND || kind == ERR_FORBIDDEN)
		respond_error(response, 400, "CREDENTIALS_NOT_FOUND", str_of(err.text));
	else if (kind == ERR_TEMPORARY)
		respond_failure(api, request, response, kind, &err);
	else {
		LOG(api->config.log, ERROR, "connect_failed", log_str("error", str_of(err.text)));
		respond_error(response, 500, "REDIRECT_URL_ERROR",
			      STR("The redirect URL could not be created."));
	}
}

static struct str query_value(const struct http_request *request, const char *name)
{
	const struct str *value = form_find(&request->query, name);
	return value != NULL ? *value : STR("");
}

void api_connect_begin(void *context, struct http_request *request, struct http_response *response)
{
	const struct connect_input input = {
		.is_query = true,
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

void api_connect_begin_json(void *context, struct http_request *request,
			    struct http_response *response)
{
	const struct json *body = NULL;
	struct problems problems;
	problems_init(&problems, request->arena);
	if (!respond_read_json(request, response,
			       KNOWN("platform", "user_id", "redirect_url", "name", "email"),
			       &problems, &body))
		return;
	const struct connect_input input = {
		.platform = member_text(body, "platform", &problems),
		.user_id = member_text(body, "user_id", &problems),
		.redirect_url = member_text(body, "redirect_url", &problems),
		.name = member_text(body, "name", &problems),
		.email = member_text(body, "email", &problems),
	};
	if (!respond_if_problems(response, &problems))
		begin(context, request, response, &input);
}

/* ---- the callback ---- */

/* A Location is ASCII (RFC 9110 10.2.2); the customer's URL may contain other characters. */
static struct str location_of(struct arena *arena, struct str url)
{
	struct buf out;
	buf_init(&out, arena, 3 * url.len + 1);
	for (size_t i = 0; i < url.len; i++) {
		if ((unsigned char)url.ptr[i] < 0x80)
			buf_add_char(&out, url.ptr[i]);
		else
			buf_addf(&out, "%%%02X", (unsigned char)url.ptr[i]);
	}
	return buf_str(&out);
}

/* One for each connection: a person may connect two accounts side by side. */
static struct str cookie_name(struct arena *arena, struct str connection_id)
{
	return str_format(arena, "posthorn_" STR_FMT, STR_ARG(connection_id));
}

/* Whoever knows the connection's id may ask how it ended; the browser that came back from the
 * platform alone is answered (api-decisions.md 5). */
static void set_cookie(struct http_request *request, struct http_response *response,
		       const struct connect_return *back)
{
	const struct str name = cookie_name(request->arena, back->connection_id);
	http_response_header(response, "Set-Cookie",
			     str_format(request->arena,
					STR_FMT "=" STR_FMT "; Path=" STR_FMT
						"; HttpOnly; SameSite=Lax; Max-Age=%d%s",
					STR_ARG(name), STR_ARG(back->browser_token),
					STR_ARG(request->path), COOKIE_VALID_S,
					back->is_https ? "; Secure" : ""));
}

static struct str cookie_of(const struct http_request *request, struct str connection_id)
{
	struct str token = STR("");
	const struct str *header = http_request_header(request, "Cookie");
	if (header != NULL)
		cookie_find(*header, cookie_name(request->arena, connection_id), &token);
	return token;
}

static void respond_return(struct http_request *request, struct http_response *response,
			   const struct connect_return *back)
{
	switch (back->kind) {
	case CONNECT_RETURN_INVALID:
		respond_page(response, 400, "This link cannot be used",
			     "It has already been used, has expired, or was not created by this "
			     "service. "
			     "Please start again from the site you came from: go back there, or "
			     "close this page. <a href=\"/\">What is this service?</a>");
		return;
	case CONNECT_RETURN_PENDING:
		/* Asks again under the same path; the state itself is used up. */
		if (!str_is_empty(back->browser_token))
			set_cookie(request, response, back);
		http_response_header(response, "Refresh",
				     str_format(request->arena, "1; url=" STR_FMT "?wait=" STR_FMT,
						STR_ARG(request->path),
						STR_ARG(back->connection_id)));
		respond_page(
			response, 200, "One moment",
			"The platform has not answered yet. This page refreshes automatically; "
			"then you are back where you came from.");
		return;
	case CONNECT_RETURN_REDIRECT:
		respond_page(response, 302, "Redirecting",
			     "You are being redirected to the site you came from.");
		http_response_header(response, "Location", location_of(request->arena, back->url));
		return;
	}
}

/* A prefetch or preview must not use up the state (rules.md 3.5, 34). */
static bool is_only_a_look(const struct http_request *request)
{
	static const char *const headers[] = {"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"};
	for (size_t i = 0; i < COUNT_OF(headers); i++) {
		const struct str *value = http_request_header(request, headers[i]);
		const struct str purpose =
			value != NULL ? str_lower(request->arena, *value) : STR("");
		if (str_find(purpose, STR("prefetch"), 0) != SIZE_MAX ||
		    str_find(purpose, STR("preview"), 0) != SIZE_MAX)
			return true;
	}
	return request->is_head;
}

static enum err_kind take_back(struct api *api, struct http_request *request,
			       enum platform_id platform, struct connect_return *back,
			       struct error *err)
{
	struct connector *connector = api->config.connector;
	const struct str waiting_id = query_value(request, "wait");
	if (!str_is_empty(waiting_id))
		return connector_await(connector, request->arena, waiting_id,
				       cookie_of(request, waiting_id), 0, back, err);
	if (request->has_bad_query)
		return ERR_NONE; /* INVALID, as it was set */
	const bool may_wait = atomic_fetch_add(&api->callbacks_waiting, 1) < CALLBACKS_WAITING_MAX;
	const enum err_kind kind =
		connector_callback(connector, request->arena, platform, &request->query,
				   may_wait ? CALLBACK_WAIT_MS : 0, back, err);
	atomic_fetch_sub(&api->callbacks_waiting, 1);
	return kind;
}

void api_connect_callback(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct api *api = context;
	const enum platform_id platform =
		platform_id_of_slug(http_request_capture(request, "platform"));
	if (platform == PLATFORM_NONE) {
		respond_error(response, 404, "PLATFORM_NOT_FOUND",
			      STR("This platform is not supported."));
		return;
	}
	if (is_only_a_look(request)) {
		respond_page(response, 200, "Connecting an account",
			     "Open this page to finish connecting the account.");
		return;
	}
	struct connect_return back = {.kind = CONNECT_RETURN_INVALID};
	struct error err = {0};
	const enum err_kind kind = take_back(api, request, platform, &back, &err);
	if (kind == ERR_NONE)
		respond_return(request, response, &back);
	else
		respond_failure(api, request, response, kind, &err);
}

/* ---- accounts of a connection ---- */

static void write_account_members(struct json_writer *w, const struct account_row *account,
				  int64_t now_us)
{
	const enum account_state shown =
		account_state_shown(account->state, account->ends_at_us, now_us);
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
	json_member_str(w, "status", str_of(account_state_name(shown)));
}

/* Platforms separate scopes by spaces or commas. */
static void write_scopes(struct json_writer *w, struct str scopes)
{
	size_t begin = 0;
	json_key(w, "scopes");
	json_begin_array(w);
	for (size_t i = 0; i <= scopes.len; i++) {
		if (i < scopes.len && scopes.ptr[i] != ' ' && scopes.ptr[i] != ',')
			continue;
		if (i > begin)
			json_put_str(w, str_slice(scopes, begin, i));
		begin = i + 1;
	}
	json_end_array(w);
}

/* What TikTok said of the creator when it was last asked (tiktok.md 2.1): what a person who posts
 * has to choose from. */
static void write_creator_info(struct json_writer *w, struct arena *arena,
			       const struct account_row *account)
{
	static const char *const facts[] = {"privacy_level_options", "max_video_post_duration_sec",
					    "comment_disabled",      "duet_disabled",
					    "stitch_disabled",       "is_unaudited"};
	const struct json *extra = NULL;
	if (account->platform != PLATFORM_TIKTOK ||
	    json_parse(arena, account->extra, NULL, &extra, NULL, NULL) != ERR_NONE)
		return;
	json_key(w, "creator_info");
	json_begin_object(w);
	for (size_t i = 0; i < COUNT_OF(facts); i++) {
		const struct json *fact = json_get(extra, facts[i]);
		if (json_is_null(fact))
			continue;
		json_key(w, facts[i]);
		json_put_value(w, fact);
	}
	json_end_object(w);
}

void api_account_write(struct json_writer *w, struct arena *arena,
		       const struct account_row *account, int64_t now_us)
{
	json_begin_object(w);
	write_account_members(w, account, now_us);
	json_member_str(w, "connection_id", account->connection_id);
	json_member_instant(w, "expires_at", account->expires_at_us);
	json_member_instant(w, "ends_at", account->ends_at_us);
	json_member_instant(w, "last_refresh_at", account->last_refresh_at_us);
	json_member_str_or_null(w, "last_error", account->last_error);
	write_scopes(w, account->scopes);
	json_member_bool(w, "confirmed", !account->is_unconfirmed);
	json_member_instant(w, "created_at", account->created_at_us);
	json_member_instant(w, "updated_at", account->updated_at_us);
	write_creator_info(w, arena, account);
	json_end_object(w);
}

void api_connection_write(struct json_writer *w, const struct connection_row *connection,
			  const struct account_row *accounts, size_t count, int64_t now_us)
{
	json_begin_object(w);
	json_member_str(w, "connection_id", connection->id);
	json_member_str(w, "status", str_of(connection_state_name(connection->state)));
	json_key(w, "accounts");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(w);
		write_account_members(w, &accounts[i], now_us);
		json_end_object(w);
	}
	json_end_array(w);
	if (connection->state == CONNECTION_FAILED) {
		json_member_str(w, "error", connection->error);
		json_member_str(w, "error_description", connection->error_description);
	}
	json_end_object(w);
}

/* Finds the connection by the path and answers it. */
static void answer_connection(struct api *api, struct http_request *request,
			      struct http_response *response)
{
	struct connection_row connection = {0};
	struct account_row *accounts = NULL;
	size_t count = 0;
	struct error err = {0};
	const int64_t now_us = clock_now_us(api->config.clock);
	enum err_kind kind = store_connection_find(
		api->config.store, request->arena, request_app(request)->id,
		http_request_capture(request, "connection_id"), now_us, &connection, &err);
	if (kind == ERR_NOT_FOUND) {
		respond_error(response, 404, "CONNECTION_NOT_FOUND", STR("Connection not found."));
		return;
	}
	if (kind == ERR_NONE && connection.state == CONNECTION_SUCCESS)
		kind = store_account_list_of_connection(api->config.store, request->arena,
							connection.id, &accounts, &count, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	api_connection_write(&w, &connection, accounts, count, now_us);
}

void api_connection_accounts(void *context, struct http_request *request,
			     struct http_response *response)
{
	answer_connection(context, request, response);
}

/* ---- confirmation ---- */

/* A field of a wrong type was told before. */
static void check_there(struct problems *problems, const struct json *body, const char *name,
			struct str text)
{
	const struct json *value = json_get(body, name);
	if (str_is_empty(text) && (json_is_null(value) || json_is(value, JSON_TYPE_STRING)))
		problem_add(problems, PROBLEM_SHAPE, str_of(name), "missing",
			    str_format(problems->arena, "The %s field is required.", name));
}

void api_connection_confirm(void *context, struct http_request *request,
			    struct http_response *response)
{
	struct api *api = context;
	const struct json *body = NULL;
	struct problems problems;
	struct error err = {0};
	problems_init(&problems, request->arena);
	if (!respond_read_json(request, response, KNOWN("confirmation_token", "user_id"), &problems,
			       &body))
		return;
	const struct str token = member_text(body, "confirmation_token", &problems);
	const struct str user_id = member_text(body, "user_id", &problems);
	check_there(&problems, body, "confirmation_token", token);
	check_there(&problems, body, "user_id", user_id);
	if (respond_if_problems(response, &problems))
		return;
	const struct digest digest = digest_token(token);
	const enum err_kind kind =
		store_connection_confirm(api->config.store, request_app(request)->id,
					 http_request_capture(request, "connection_id"), user_id,
					 digest_hex(request->arena, &digest), &err);
	if (kind == ERR_NOT_FOUND)
		respond_error(response, 404, "CONNECTION_NOT_FOUND", STR("Connection not found."));
	else if (kind == ERR_CONFLICT)
		respond_field_error(response, 422, "VALIDATION_ERROR", STR("confirmation_token"),
				    STR("The confirmation_token does not match the one that this "
					"user's browser returned with."));
	else if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else
		answer_connection(api, request, response);
}
