/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the audit trail (design.md 5). Every route with an action in admin_routes.def is
 * served through admin_audit_serve(): the row is written first, so that there is no change without
 * one; then the handler runs; then the row is completed with the outcome and with what the route's
 * view (a GET handler, so without secrets) shows differently than before. */
#include "admin_private.h"

#include <pwd.h>

#include "count_of.h"

#include "store_audit.h"

#include "admin_difference.h"
#include "refusals.h"

/* Two answers, and each parsed. */
#define AUDIT_ARENA_BYTES (ADMIN_ANSWER_MAX_BYTES * 16)
#define OBJECT_MAX_BYTES 512
#define USER_BUFFER_BYTES 4096
#define PAGE_DEFAULT 100

/* One call that is recorded. */
struct recording {
	struct admin *admin;
	struct arena *arena;
	const struct admin_route *route;
	struct http_request *request;
	struct audit_row row;
	const struct json *before;
};

struct named {
	const char *name;
	const char *word;
};

/* ---- who, and on what ---- */

static struct str local_user(struct arena *arena, const struct http_request *request)
{
	struct passwd entry;
	struct passwd *found = NULL;
	char *buffer = arena_alloc(arena, USER_BUFFER_BYTES);
	if (!request->has_peer_uid)
		return STR("cli");
	if (getpwuid_r(request->peer_uid, &entry, buffer, USER_BUFFER_BYTES, &found) == 0 &&
	    found != NULL)
		return str_format(arena, "cli:%s", found->pw_name);
	return str_format(arena, "cli:%u", request->peer_uid);
}

/* What comes from outside is cut, and shows nothing but itself on a terminal. */
static struct str plain(struct arena *arena, struct str text)
{
	char *out = str_z(arena, str_slice(text, 0, OBJECT_MAX_BYTES));
	struct str all = str_of(out);
	for (size_t i = 0; i < all.len; i++) {
		if ((unsigned char)out[i] < 0x20 || out[i] == 0x7f)
			out[i] = '?';
	}
	return all;
}

static void object_add(struct recording *r, const char *word, struct str name)
{
	struct str *object = &r->row.object;
	if (str_is_empty(name))
		return;
	*object =
		plain(r->arena, str_format(r->arena, STR_FMT "%s%s " STR_FMT, STR_ARG(*object),
					   str_is_empty(*object) ? "" : " ", word, STR_ARG(name)));
}

/* The objects that the path names, and those that the body names. */
static void object_of_request(struct recording *r)
{
	static const struct named captures[] = {
		{"client_id", "app"},        {"platform", "platform"},
		{"key_id", "key"},           {"email", "admin"},
		{"account_id", "account"},   {"connection_id", "connection"},
		{"post_id", "post"},         {"webhook_id", "webhook"},
		{"delivery_id", "delivery"}, {"session_id", "session"},
	};
	static const struct named members[] = {
		{"path", "file"}, {"platform", "platform"}, {"app", "app"}, {"account", "account"}};
	const struct json *body = NULL;
	for (size_t i = 0; i < COUNT_OF(captures); i++)
		object_add(r, captures[i].word, http_request_capture(r->request, captures[i].name));
	const struct str rest = http_request_capture(r->request, "rest");
	if (!str_is_empty(rest))
		object_add(r, str_z(r->arena, r->request->method),
			   str_concat(r->arena, STR("/v1/"), rest));
	if (!r->route->has_body || !str_is_empty(rest) ||
	    json_parse(r->arena, r->request->body, NULL, &body, NULL, NULL) != ERR_NONE)
		return;
	for (size_t i = 0; i < COUNT_OF(members); i++)
		object_add(r, members[i].word, json_string(json_get(body, members[i].name)));
}

static void app_find(struct recording *r, struct str client_id)
{
	struct app_row app = {0};
	struct error err = {0};
	if (!str_is_empty(client_id) &&
	    store_app_find_by_client_id(r->admin->config.store, r->arena, client_id, &app, &err) ==
		    ERR_NONE)
		r->row.app_id = app.id;
}

static void app_of_request(struct recording *r)
{
	const struct json *body = NULL;
	const struct caller *caller = admin_request_caller(r->request);
	if (caller != NULL && caller->has_app)
		r->row.app_id = caller->app.id;
	else
		app_find(r, http_request_capture(r->request, "client_id"));
	if (str_is_empty(r->row.app_id) && r->route->has_body &&
	    json_parse(r->arena, r->request->body, NULL, &body, NULL, NULL) == ERR_NONE)
		app_find(r, json_string(json_get(body, "app")));
}

/* What the call has made. */
static struct str object_of_answer(struct recording *r, const struct http_response *response)
{
	static const struct named members[] = {{"client_id", "app"},
					       {"email", "admin"},
					       {"connection_id", "connection"},
					       {"id", "key"}};
	const struct json *answer = NULL;
	if (response->status != 201 ||
	    json_parse(r->arena, buf_str(&response->body), NULL, &answer, NULL, NULL) != ERR_NONE)
		return STR("");
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct str name = json_string(json_get(answer, members[i].name));
		if (str_is_empty(name))
			continue;
		object_add(r, members[i].word, name);
		return i == 0 ? name : STR("");
	}
	return STR("");
}

/* ---- what it shows ---- */

/* The route's view as it is now; NULL = there is none. made: the client id of an app that the call
 * made, else empty. */
static const struct json *view(const struct recording *r, struct str made)
{
	const struct json *json = NULL;
	if (r->route->view == NULL)
		return NULL;
	struct http_request *request = ARENA_NEW(r->arena, struct http_request);
	struct http_response *response = ARENA_NEW(r->arena, struct http_response);
	*request = *r->request;
	request->arena = r->arena;
	request->method = STR("GET");
	request->body = STR("");
	request->query = (struct form){0};
	request->has_bad_query = false;
	if (!str_is_empty(made) && request->capture_count < HTTP_CAPTURES_MAX)
		request->captures[request->capture_count++] =
			(struct http_capture){STR("client_id"), made};
	if (request->user != NULL) {
		struct caller *caller = ARENA_NEW(r->arena, struct caller);
		*caller = *admin_request_caller(request);
		caller->has_app = false; /* read again */
		request->user = caller;
	}
	http_response_init(response, r->arena, ADMIN_ANSWER_MAX_BYTES);
	r->route->view(r->admin, request, response);
	if (response->status != 200 ||
	    json_parse(r->arena, buf_str(&response->body), NULL, &json, NULL, NULL) != ERR_NONE)
		return NULL;
	return json;
}

/* ---- recording ---- */

static enum audit_outcome outcome_of(int status)
{
	return status < 400 ? AUDIT_DONE : status < 500 ? AUDIT_REFUSED : AUDIT_FAILED;
}

static void log_row(const struct admin *admin, const struct audit_row *row)
{
	LOG(admin->config.log, INFO, "admin_action", log_str("actor", row->actor),
	    log_str("source", row->source), log_str("action", row->action),
	    log_str("object", row->object),
	    log_str("outcome", str_of(store_audit_outcome_name(row->outcome))),
	    log_int("times", row->times));
}

static void log_loss(const struct admin *admin, const struct audit_row *row,
		     const struct error *err)
{
	LOG(admin->config.log, ERROR, "audit_row_lost", log_str("actor", row->actor),
	    log_str("action", row->action), log_str("object", row->object),
	    log_str("outcome", str_of(store_audit_outcome_name(row->outcome))),
	    log_str("error", str_of(err->text)));
}

static struct recording begin(struct admin *admin, struct arena *arena,
			      const struct admin_route *route, struct http_request *request)
{
	const struct caller *caller = admin_request_caller(request);
	return (struct recording){
		.admin = admin,
		.arena = arena,
		.route = route,
		.request = request,
		.row = {.at_us = clock_now_us(admin->config.clock),
			.actor = caller != NULL ? caller->session.admin.email
						: local_user(arena, request),
			.source = str_is_empty(request->remote_address) ? STR("control socket")
									: request->remote_address,
			.action = str_of(route->action),
			.times = 1},
	};
}

static void end(struct recording *r, const struct http_response *response)
{
	const struct str made = object_of_answer(r, response);
	struct error err = {0};
	if (str_is_empty(r->row.app_id))
		app_find(r, made);
	r->row.outcome = outcome_of(response->status);
	if (r->row.outcome == AUDIT_DONE)
		admin_difference(r->arena, r->before, view(r, made), &r->row.before, &r->row.after);
	if (store_audit_end(r->admin->config.store, &r->row, &err) != ERR_NONE)
		log_loss(r->admin, &r->row, &err);
	log_row(r->admin, &r->row);
}

static void serve_change(struct admin *admin, const struct admin_route *route,
			 struct http_request *request, struct http_response *response)
{
	struct arena *arena = arena_new("audit", AUDIT_ARENA_BYTES);
	struct recording r = begin(admin, arena, route, request);
	struct error err = {0};
	object_of_request(&r);
	app_of_request(&r);
	const enum err_kind kind = store_audit_add(admin->config.store, &r.row, &r.row.seq, &err);
	if (kind == ERR_NONE) {
		r.before = view(&r, STR(""));
		route->handler(admin, request, response);
		end(&r, response);
	} else {
		admin_respond_failure(response, kind, &err, "audit trail");
	}
	arena_free(&arena);
}

/* ---- signing in ---- */

/* Whose session the answer begins. */
static struct str admin_let_in(struct recording *r, const struct http_response *response)
{
	const struct json *answer = NULL;
	if (json_parse(r->arena, buf_str(&response->body), NULL, &answer, NULL, NULL) != ERR_NONE)
		return STR("");
	return json_string(json_get(json_get(answer, "admin"), "email"));
}

/* The email that the body gives, if it is an admin's: another text may be a mistyped password. */
static struct str admin_named(struct recording *r)
{
	struct admin_row found = {0};
	struct error err = {0};
	const struct json *body = NULL;
	if (json_parse(r->arena, r->request->body, NULL, &body, NULL, NULL) != ERR_NONE)
		return STR("");
	const struct str email =
		str_lower(r->arena, str_trim(json_string(json_get(body, "email"))));
	return email.len <= ADMIN_EMAIL_MAX_BYTES &&
			       store_admin_find(r->admin->config.store, r->arena, email, &found,
						&err) == ERR_NONE
		       ? email
		       : STR("");
}

static void record_refusal(struct recording *r, bool is_unread)
{
	const struct str network = http_request_network(r->request);
	const struct str key = str_format(r->arena, "%s %d " STR_FMT " " STR_FMT, r->route->action,
					  is_unread, STR_ARG(network), STR_ARG(r->row.object));
	struct audit_row row = r->row;
	const struct refusal refusal = {key, &row, is_unread};
	struct error err = {0};
	if (refusals_note(r->admin->refusals, &refusal, &r->row.times, &err) != ERR_NONE)
		log_loss(r->admin, &r->row, &err);
	if (r->row.times > 0)
		log_row(r->admin, &r->row);
}

/* Whoever calls is not known before the handler has run: the row is written right after it. */
static void serve_sign_in(struct admin *admin, const struct admin_route *route,
			  struct http_request *request, struct http_response *response)
{
	route->handler(admin, request, response);
	if (response->status >= 500 || response->status == 422 || response->status == 400)
		return;
	struct arena *arena = arena_new("audit", AUDIT_ARENA_BYTES);
	struct recording r = begin(admin, arena, route, request);
	struct error err = {0};
	const bool is_unread = response->status == 429;
	r.row.outcome = outcome_of(response->status);
	const struct str email = is_unread                     ? STR("")
				 : r.row.outcome == AUDIT_DONE ? admin_let_in(&r, response)
							       : admin_named(&r);
	object_add(&r, "admin", email);
	r.row.actor = r.row.outcome == AUDIT_DONE ? email : STR("");
	if (r.row.outcome == AUDIT_REFUSED)
		record_refusal(&r, is_unread);
	else if (store_audit_add(admin->config.store, &r.row, &r.row.seq, &err) == ERR_NONE)
		log_row(admin, &r.row);
	else
		log_loss(admin, &r.row, &err);
	arena_free(&arena);
}

/* Of the app's API, what only reads is not recorded; validate checks a post and keeps nothing. */
static bool is_recorded(const struct http_request *request)
{
	return !str_equal_z(request->method, "GET") && !str_equal_z(request->method, "HEAD") &&
	       !str_equal_z(http_request_capture(request, "rest"), "posts/validate");
}

void admin_audit_serve(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct admin_route *route = request->route->tag;
	const bool is_open = route->where == WHERE_WEB && route->who == PRINCIPAL_NONE;
	if (!is_recorded(request))
		route->handler(admin, request, response);
	else if (is_open)
		serve_sign_in(admin, route, request, response);
	else
		serve_change(admin, route, request, response);
}

/* ---- reading it ---- */

static void put_json_or_null(struct json_writer *w, const char *name, struct str text)
{
	json_key(w, name);
	if (str_is_empty(text))
		json_put_null(w);
	else
		json_put_raw(w, text);
}

static void write_row(struct json_writer *w, const struct audit_row *row)
{
	json_begin_object(w);
	json_member_int(w, "id", row->seq);
	json_member_instant(w, "time", row->at_us);
	json_member_str_or_null(w, "actor", row->actor);
	json_member_str_or_null(w, "source", row->source);
	json_member_str(w, "action", row->action);
	json_member_str_or_null(w, "object", row->object);
	json_member_str_or_null(w, "app", row->client_id);
	json_member_str(w, "outcome", str_of(store_audit_outcome_name(row->outcome)));
	put_json_or_null(w, "before", row->before);
	put_json_or_null(w, "after", row->after);
	json_member_int(w, "times", row->times);
	json_member_instant(w, "last_at", row->last_at_us);
	json_end_object(w);
}

static bool read_since(const struct http_request *request, struct http_response *response,
		       int64_t *out)
{
	struct str text;
	struct civil_date date;
	if (!admin_request_query_text(request, response, "since", 40, &text))
		return false;
	*out = 0;
	if (str_is_empty(text) || timetext_parse_instant(text, out))
		return true;
	if (timetext_parse_date(text, &date)) {
		*out = timetext_date_us(date);
		return true;
	}
	admin_respond_field_error(response, "since",
				  STR("since must be a time as 2026-11-22T12:00:00Z or a date as "
				      "2026-11-22."));
	return false;
}

static bool read_filter(const struct http_request *request, struct http_response *response,
			struct audit_filter *filter)
{
	const struct caller *caller = admin_request_caller(request);
	int64_t max = 0;
	filter->owner_id = caller != NULL && caller->session.admin.role != ADMIN_ROOT
				   ? caller->session.admin.id
				   : STR("");
	if (!read_since(request, response, &filter->since_us) ||
	    !admin_request_query_text(request, response, "actor", 320, &filter->actor) ||
	    !admin_request_query_text(request, response, "action", 64, &filter->action) ||
	    !admin_request_query_text(request, response, "client_id", 255, &filter->client_id) ||
	    !admin_request_query_number(request, response, "before", 0, INT64_MAX,
					&filter->before_seq) ||
	    !admin_request_query_number(request, response, "limit", PAGE_DEFAULT, AUDIT_PAGE_MAX,
					&max))
		return false;
	filter->max = (size_t)max;
	return true;
}

static void write_actions(struct json_writer *w)
{
	size_t count = 0;
	const struct admin_route *routes = admin_routes(&count);
	json_key(w, "actions");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		bool is_new = routes[i].action[0] != '\0';
		for (size_t k = 0; k < i && is_new; k++)
			is_new = !str_equal_z(str_of(routes[i].action), routes[k].action);
		if (is_new)
			json_put_str(w, str_of(routes[i].action));
	}
	json_end_array(w);
}

void admin_audit_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct audit_filter filter = {0};
	struct audit_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	if (!read_filter(request, response, &filter))
		return;
	const enum err_kind kind =
		store_audit_list(admin->config.store, request->arena, &filter, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "audit trail");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		write_row(&w, &rows[i]);
	json_end_array(&w);
	if (count == filter.max)
		json_member_int(&w, "next", rows[count - 1].seq);
	else
		json_member_null(&w, "next");
	write_actions(&w);
	json_end_object(&w);
}
