/* SPDX-License-Identifier: Apache-2.0
 * The shapes of answers (api-decisions.md 1): errors, problems, and reading a JSON body. */
#include "api_private.h"

#include "count_of.h"

void respond_error_begin(struct http_response *response, int status, const char *code,
			 struct str message, struct json_writer *w)
{
	json_writer_init(w, http_response_json(response, status));
	json_begin_object(w);
	json_member_str(w, "message", message);
	json_member_str(w, "error", str_of(code));
}

void respond_error(struct http_response *response, int status, const char *code, struct str message)
{
	struct json_writer w;
	respond_error_begin(response, status, code, message, &w);
	json_end_object(&w);
}

void respond_oauth_error(struct http_response *response, int status, const char *code,
			 struct str message)
{
	struct json_writer w;
	respond_error_begin(response, status, code, message, &w);
	json_member_str(&w, "error_description", message);
	json_end_object(&w);
}

void respond_error_to(const struct http_request *request, struct http_response *response,
		      int status, const char *code, struct str message)
{
	static const char *const oauth_paths[] = {"/v1/oauth/token", "/api/v1/oauth/token",
						  "/v1/oauth/revoke", "/api/v1/oauth/revoke"};
	bool is_oauth = false;
	for (size_t i = 0; i < COUNT_OF(oauth_paths); i++)
		is_oauth = is_oauth || str_equal_z(request->path, oauth_paths[i]);
	if (is_oauth)
		respond_oauth_error(response, status, code, message);
	else
		respond_error(response, status, code, message);
}

void respond_field_error(struct http_response *response, int status, const char *code,
			 struct str field, struct str message)
{
	struct json_writer w;
	respond_error_begin(response, status, code, message, &w);
	json_key(&w, "errors");
	json_begin_object(&w);
	json_key_str(&w, field);
	json_begin_array(&w);
	json_put_str(&w, message);
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

void respond_too_many(struct http_response *response, const struct error *err)
{
	http_response_header(response, "Retry-After", STR("1"));
	respond_error(response, 429, "RATE_LIMITED", str_copy(response->arena, str_of(err->text)));
}

void respond_over_quota(struct http_response *response, const struct quota_over *over)
{
	struct json_writer w;
	respond_error_begin(response, 429, "QUOTA_EXCEEDED", quota_message(response->arena, over),
			    &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_str(&w, "quota", str_of(quota_name(over->quota)));
	json_member_int(&w, "limit", over->limit);
	json_member_int(&w, "used", over->used);
	json_end_object(&w);
	json_end_object(&w);
}

/* What a path names by an id. The id is not said: what another app has is answered, to the byte, as
 * what nobody has. */
struct named_thing {
	const char *capture;
	const char *missing;
};

static const struct named_thing named_things[] = {
	{"token", API_NO_SUCH_PATH}, /* a secret in the path; also of an upload by it */
	{"post_id", "There is no such post in this app. GET /v1/posts lists those that are."},
	{"account_id",
	 "There is no such account in this app. GET /v1/accounts lists those that are."},
	{"draft_id", "There is no such draft in this app. GET /v1/drafts lists those that are."},
	{"webhook_id",
	 "There is no such webhook in this app. GET /v1/webhooks lists those that are."},
	{"media_id", "There is no such file in this app. GET /v1/media lists those that are."},
	{"upload_id", "There is no such upload in this app."},
	{"user_id", "There is no such user in this app."},
};

void respond_not_found(const struct http_request *request, struct http_response *response)
{
	const char *missing = API_NO_SUCH_PATH;
	for (size_t i = COUNT_OF(named_things); i-- > 0;) {
		if (!str_is_empty(http_request_capture(request, named_things[i].capture)))
			missing = named_things[i].missing;
	}
	respond_error(response, 404, "NOT_FOUND", str_of(missing));
}

void respond_failure(const struct api *api, const struct http_request *request,
		     struct http_response *response, enum err_kind kind, const struct error *err)
{
	LOG(api->config.log, ERROR, "request_failed",
	    log_str("request", str_of(request->request_id)),
	    log_str("kind", str_of(err_kind_slug(kind))), log_str("error", str_of(err->text)),
	    log_int("native", err->native));
	if (kind == ERR_TEMPORARY) {
		http_response_header(response, "Retry-After", STR("1"));
		respond_error_to(request, response, 503, "UNAVAILABLE",
				 STR("The service is temporarily unavailable; nothing was stored. "
				     "Try again."));
		return;
	}
	respond_error_to(request, response, 500, "INTERNAL_ERROR",
			 kind == ERR_UNCERTAIN
				 ? STR("The database went away: it is unknown whether this was "
				       "stored. Send it again with the same request_id or "
				       "Idempotency-Key, and it happens once.")
				 : STR("Something went wrong on our side."));
}

bool respond_if_failed(const struct api *api, const struct http_request *request,
		       struct http_response *response, enum err_kind kind, const struct error *err)
{
	if (kind == ERR_NOT_FOUND)
		respond_not_found(request, response);
	else if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, err);
	return kind != ERR_NONE;
}

/* ---- problems ---- */

struct problem_answer {
	const char *code;
	int status;
};

static const struct problem_answer problem_answers[PROBLEM_KIND_COUNT] = {
	[PROBLEM_SHAPE] = {"VALIDATION_ERROR", 422},
	[PROBLEM_MEDIA] = {"INVALID_MEDIA", 422},
	[PROBLEM_SCHEDULE] = {"INVALID_SCHEDULE", 422},
	[PROBLEM_ACCOUNT] = {"INVALID_ACCOUNT", 422},
	[PROBLEM_RULE] = {"VALIDATION_ERROR", 422},
};

static bool was_written(const struct problems *problems, enum problem_kind kind, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (problems->items[i].kind == kind &&
		    str_equal(problems->items[i].field, problems->items[index].field))
			return true;
	}
	return false;
}

void respond_write_errors(struct json_writer *w, const struct problems *problems,
			  enum problem_kind kind)
{
	json_key(w, "errors");
	json_begin_object(w);
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *problem = &problems->items[i];
		if (problem->kind != kind || was_written(problems, kind, i))
			continue;
		json_key_str(w, problem->field);
		json_begin_array(w);
		for (size_t j = i; j < problems->count; j++) {
			if (problems->items[j].kind == kind &&
			    str_equal(problems->items[j].field, problem->field))
				json_put_str(w, problems->items[j].message);
		}
		json_end_array(w);
	}
	json_end_object(w);
}

static void write_number_or_null(struct json_writer *w, const char *key, int64_t value)
{
	if (value < 0)
		json_member_null(w, key);
	else
		json_member_int(w, key, value);
}

void respond_write_limit(struct json_writer *w, const struct problem *problem)
{
	write_number_or_null(w, "limit", problem->limit);
	write_number_or_null(w, "actual", problem->actual);
}

static void write_rule(struct json_writer *w, const struct problem *problem)
{
	json_begin_object(w);
	json_member_str(w, "account_id", problem->account_id);
	json_member_str(w, "field", problem->field);
	json_member_str(w, "rule", problem->reason);
	respond_write_limit(w, problem);
	json_member_str(w, "message", problem->message);
	json_end_object(w);
}

static void write_account(struct json_writer *w, const struct problem *problem)
{
	json_begin_object(w);
	json_member_str(w, "id", problem->account_id);
	json_member_str(w, "reason", problem->reason);
	json_end_object(w);
}

static void write_each(struct json_writer *w, const struct problems *problems,
		       enum problem_kind kind, const char *key,
		       void (*write)(struct json_writer *, const struct problem *))
{
	json_key(w, key);
	json_begin_array(w);
	for (size_t i = 0; i < problems->count; i++) {
		if (problems->items[i].kind == kind)
			write(w, &problems->items[i]);
	}
	json_end_array(w);
}

/* A moving picture is named as other media are (api-decisions.md 11). */
static void write_rules(struct json_writer *w, const struct problems *problems,
			const struct problem *first)
{
	write_each(w, problems, PROBLEM_RULE, "rules", write_rule);
	if (str_equal_z(first->reason, "animated_image"))
		json_member_str(w, "reason", first->reason);
}

static void write_details(struct json_writer *w, const struct problems *problems,
			  const struct problem *first)
{
	if (first->kind == PROBLEM_SHAPE)
		return;
	json_key(w, "details");
	json_begin_object(w);
	if (first->kind == PROBLEM_ACCOUNT)
		write_each(w, problems, PROBLEM_ACCOUNT, "accounts", write_account);
	else if (first->kind == PROBLEM_RULE)
		write_rules(w, problems, first);
	else
		json_member_str(w, "reason", first->reason);
	json_end_object(w);
}

static const struct problem *first_problem(const struct problems *problems)
{
	for (enum problem_kind kind = PROBLEM_SHAPE; kind < PROBLEM_KIND_COUNT; kind++) {
		for (size_t i = 0; i < problems->count; i++) {
			if (problems->items[i].kind == kind)
				return &problems->items[i];
		}
	}
	return NULL;
}

static size_t count_kind(const struct problems *problems, enum problem_kind kind)
{
	size_t count = 0;
	for (size_t i = 0; i < problems->count; i++)
		count += problems->items[i].kind == kind;
	return count;
}

void respond_problems(struct http_response *response, const struct problems *problems)
{
	const struct problem *first = first_problem(problems);
	const size_t more = count_kind(problems, first->kind) - 1;
	struct str message = first->message;
	if (more > 0)
		message = str_format(response->arena, STR_FMT " (and %zu more error%s)",
				     STR_ARG(first->message), more, more == 1 ? "" : "s");
	const struct problem_answer *answer = &problem_answers[first->kind];
	struct json_writer w;
	respond_error_begin(response, answer->status, answer->code, message, &w);
	respond_write_errors(&w, problems, first->kind);
	write_details(&w, problems, first);
	json_end_object(&w);
}

static const struct query_names {
	http_handler handler;
	const char *const *known;
} queries[] = {
#define QUERY(handler, ...) {handler, KNOWN(__VA_ARGS__)},
#include "queries.def"
#undef QUERY
};

const char *const *respond_known_query(const struct http_request *request)
{
	for (size_t i = 0; i < COUNT_OF(queries); i++) {
		if (queries[i].handler == request->route->handler)
			return queries[i].known;
	}
	return NULL;
}

void respond_problems_init(struct problems *problems, const struct http_request *request)
{
	const char *const *known = respond_known_query(request);
	problems_init(problems, request->arena);
	known_check_query(problems, &request->query, known != NULL ? known : KNOWN_NONE);
}

bool respond_if_problems(struct http_response *response, const struct problems *problems)
{
	if (problems->count > 0)
		respond_problems(response, problems);
	return problems->count > 0;
}

void respond_write_meta(struct json_writer *w, int64_t page, int64_t per_page, int64_t total)
{
	json_key(w, "meta");
	json_begin_object(w);
	json_member_int(w, "current_page", page);
	json_member_int(w, "per_page", per_page);
	json_member_int(w, "total", total);
	json_member_int(w, "last_page", total > 0 ? (total + per_page - 1) / per_page : 1);
	json_end_object(w);
}

void respond_write_warnings(struct json_writer *w, const struct problems *problems)
{
	if (problems->warning_count == 0)
		return;
	json_key(w, "warnings");
	json_begin_array(w);
	for (size_t i = 0; i < problems->warning_count; i++) {
		json_begin_object(w);
		json_member_str(w, "field", problems->warnings[i].field);
		json_member_str(w, "code", problems->warnings[i].code);
		json_member_str(w, "message", problems->warnings[i].message);
		json_end_object(w);
	}
	json_end_array(w);
}

/* ---- bodies ---- */

bool respond_content_type_is(const struct http_request *request, const char *media_type)
{
	const struct str *header = http_request_header(request, "Content-Type");
	if (header == NULL)
		return false;
	const struct str type = str_trim(str_slice(*header, 0, str_find_char(*header, ';', 0)));
	return str_equal_nocase(type, str_of(media_type));
}

static void respond_malformed(struct http_response *response, const struct json_position *position,
			      const struct error *err)
{
	struct json_writer w;
	respond_error_begin(
		response, 400, "MALFORMED_JSON",
		str_format(response->arena, "The body is not valid JSON: %s", err->text), &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_int(&w, "line", position->line);
	json_member_int(&w, "column", position->column);
	json_end_object(&w);
	json_end_object(&w);
}

bool respond_read_json(struct http_request *request, struct http_response *response,
		       const char *const *known, struct problems *problems,
		       const struct json **body_out)
{
	if (!respond_content_type_is(request, "application/json")) {
		respond_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
			      STR("The body must be sent as application/json."));
		return false;
	}
	struct json_position position = {1, 1};
	struct error err = {0};
	const enum err_kind kind =
		json_parse(request->arena, request->body, NULL, body_out, &position, &err);
	if (kind == ERR_TOO_LARGE) {
		respond_error(response, 413, "PAYLOAD_TOO_LARGE", STR("The body is too large."));
		return false;
	}
	if (kind != ERR_NONE) {
		respond_malformed(response, &position, &err);
		return false;
	}
	if (!json_is(*body_out, JSON_TYPE_OBJECT)) {
		respond_error(response, 422, "VALIDATION_ERROR",
			      STR("The body must be a JSON object."));
		return false;
	}
	if (known != NULL)
		known_check(problems, *body_out, STR(""), known);
	return true;
}

struct buf *respond_page_begin(struct http_response *response, int status, const char *title)
{
	http_response_header(
		response, "Content-Security-Policy",
		STR("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; "
		    "frame-ancestors 'none'; base-uri 'none'"));
	struct buf *out = http_response_text(response, status, "text/html; charset=utf-8");
	buf_addf(out,
		 "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>"
		 "<meta name=\"viewport\" content=\"width=device-width\">"
		 "<link rel=\"icon\" href=\"/favicon.ico\" type=\"image/svg+xml\">"
		 "<link rel=\"stylesheet\" href=\"/docs/style.css\"></head>",
		 title);
	buf_addf(out,
		 "<body><header class=\"top\"><a class=\"brand\" href=\"/\">"
		 "<span class=\"horn\" aria-hidden=\"true\"></span>Posthorn</a></header>"
		 "<main class=\"intro\"><h1>%s</h1>",
		 title);
	return out;
}

void respond_page_end(struct buf *out)
{
	buf_add_z(out, "</main></body></html>");
}

struct buf *respond_page(struct http_response *response, int status, const char *title,
			 const char *text)
{
	struct buf *out = respond_page_begin(response, status, title);
	buf_addf(out, "<p>%s</p>", text);
	respond_page_end(out);
	return out;
}
