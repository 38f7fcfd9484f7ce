/* SPDX-License-Identifier: Apache-2.0
 * The frame of every request: the route table under its two prefixes, authentication, the rate
 * limit, common headers, faults. */
#include "api_private.h"

#include <stdlib.h>

#include "count_of.h"

#include "http_origin.h"
#include "httpd.h"

#include "media_private.h"

/* httpd/ does not see model/request_limits.h: its copies are compared here. */
_Static_assert(HTTP_HEADERS_MAX == REQUEST_HEADERS_MAX, "request_limits.def");
_Static_assert(HTTPD_HEADER_MAX_BYTES == REQUEST_HEADERS_MAX_BYTES, "request_limits.def");
_Static_assert(HTTPD_HEADER_TIMEOUT_S == REQUEST_HEADER_TIMEOUT_S, "request_limits.def");
_Static_assert(HTTPD_IDLE_TIMEOUT_S == REQUEST_IDLE_TIMEOUT_S, "request_limits.def");

static const struct api_route routes[] = {
#define ROUTE(method, path, who, body, handler, scope, operation, verb, summary) \
	{#method, path, WHO_##who, BODY_##body, handler, SCOPES_##scope, summary, false},
#include "routes.def"
#undef ROUTE
};

/* Of the public listener, and of those beside it. */
enum page_place {
	PAGE_PUBLIC = 1 << 0,
	PAGE_METRICS = 1 << 1,
	PAGE_DASHBOARD = 1 << 2,
	PAGE_SANDBOX = 1 << 3,
	PAGE_DOCS = PAGE_PUBLIC | PAGE_DASHBOARD,
	PAGE_EVERY = PAGE_PUBLIC | PAGE_METRICS | PAGE_DASHBOARD | PAGE_SANDBOX
};

static const struct {
	const char *path;
	enum page_place where;
	http_handler handler;
	enum http_run_mode run_mode;
} pages[] = {
#define PAGE(path, where, handler, runs) {path, PAGE_##where, handler, HTTP_RUN_##runs},
#include "pages.def"
#undef PAGE
};

static const char *const prefixes[] = {"/v1", "/api/v1"};

const struct api_route *api_routes(size_t *count_out)
{
	*count_out = COUNT_OF(routes);
	return routes;
}

/* ---- limits ---- */

static void limit_headers(struct http_response *response, const struct api *api,
			  const struct limit_state *state)
{
	const int64_t reset_at_s = clock_now_us(api->config.clock) / US_PER_S + state->reset_s;
	http_response_header(response, "X-RateLimit-Limit",
			     str_format(response->arena, "%lld", (long long)state->limit));
	http_response_header(response, "X-RateLimit-Remaining",
			     str_format(response->arena, "%lld", (long long)state->remaining));
	http_response_header(response, "X-RateLimit-Reset",
			     str_format(response->arena, "%lld", (long long)reset_at_s));
}

bool api_is_within_rate(struct api *api, struct str app_id, bool is_counted,
			struct http_response *response)
{
	if (limiter_is_off(api->requests))
		return true;
	const struct limit_state state = is_counted ? limiter_count(api->requests, app_id)
						    : limiter_look(api->requests, app_id);
	if (!is_counted && !state.is_over)
		return true; /* the headers come with the answer */
	limit_headers(response, api, &state);
	if (!state.is_over)
		return true;
	http_response_header(response, "Retry-After",
			     str_format(response->arena, "%lld", (long long)state.reset_s));
	respond_error(response, 429, "RATE_LIMITED", STR("Too many requests. Try again later."));
	return false;
}

static void count_request(struct api *api, struct str app_id)
{
	if (api->config.rate_limit_per_minute > 0)
		(void)limiter_count(api->requests, app_id);
}

/* ---- checks before a handler ---- */

/* A route whose query is read refuses unknown parameters together with its other problems
 * (respond_problems_init); the others do it here. */
bool api_has_no_stray_query(const struct http_request *request, struct http_response *response)
{
	struct problems problems;
	if (respond_known_query(request) != NULL)
		return true;
	respond_problems_init(&problems, request);
	return !respond_if_problems(response, &problems);
}

/* Answers 503 while the API is closed (api_set_open). False: answered. */
static bool is_open(const struct api *api, const struct http_request *request,
		    struct http_response *response)
{
	if (!atomic_load(&api->is_closed))
		return true;
	http_response_header(response, "Retry-After", STR("1"));
	respond_error_to(request, response, 503, "UNAVAILABLE",
			 STR("The service is starting. Try again."));
	return false;
}

/* A browser names the site whose page sends a request; what is no browser names none. */
static bool is_welcome(const struct api *api, const struct http_request *request,
		       struct http_response *response)
{
	const struct api_route *route = request->route->tag;
	const struct str *origin = http_request_header(request, "Origin");
	if (route == NULL || !route->refuses_other_sites || origin == NULL ||
	    http_origin_is_ours(request, *origin, str_of(api->config.public_url)))
		return true;
	respond_error(response, 403, "FOREIGN_ORIGIN",
		      STR("A page of another site may not call this address. Call it from a "
			  "program, which sends no Origin."));
	return false;
}

static bool before(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	const struct api_route *route = request->route->tag;
	if (!is_open(api, request, response) || !is_welcome(api, request, response))
		return false;
	if (route == NULL || route->who != WHO_BEARER)
		return true;
	if (!bearer_check(api, request, response))
		return false;
	/* A body that was let in and taken is not thrown away for the rate that others reached. */
	if (request->stream != NULL) {
		count_request(api, request_app(request)->id);
		return true;
	}
	return api_is_within_rate(api, request_app(request)->id, true, response) &&
	       api_has_no_stray_query(request, response);
}

/* For the routes whose callers have a token. The token form has its credentials in the headers too,
 * and a body of no more than REQUEST_FORM_MAX_BYTES: its handler judges both. */
static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	struct api *api = context;
	return is_open(api, request, response) && is_welcome(api, request, response)
		       ? bearer_admit(api, request, response, may_wait)
		       : HTTP_REFUSED;
}

/* These wait for a platform, and the ends of uploads for the disk and for who looks at the file;
 * all others for no more than the database. */
static enum http_run_mode run_mode_of(const struct api_route *route)
{
	static const http_handler waiting[] = {api_account_check, api_account_disconnect,
					       api_connect_callback};
	for (size_t i = 0; i < COUNT_OF(waiting); i++) {
		if (route->handler == waiting[i] || route->body == BODY_STREAM)
			return HTTP_RUN_PLATFORM;
	}
	return HTTP_RUN_STORE;
}

/* ---- every answer ---- */

static bool has_header(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return true;
	}
	return false;
}

/* Below /sandbox, which belongs to the test apps (api-decisions.md 14), also what says that there
 * are none. */
static bool is_sandbox(const struct http_request *request)
{
	struct str path = request != NULL ? request->target : (struct str){0};
	return str_skip(&path, STR("/sandbox")) &&
	       (str_is_empty(path) || path.ptr[0] == '/' || path.ptr[0] == '?');
}

static void sandbox_headers(struct http_response *response)
{
	if (!has_header(response, "Content-Security-Policy"))
		http_response_header(response, "Content-Security-Policy",
				     STR("sandbox; default-src 'none'; frame-ancestors 'none'"));
	if (!has_header(response, "X-Robots-Tag"))
		http_response_header(response, "X-Robots-Tag", STR("noindex, nofollow"));
}

static void count_answer(struct api *api, int status)
{
	if (status >= ANSWER_STATUS_MIN && status < ANSWER_STATUS_MIN + ANSWER_STATUS_COUNT)
		atomic_fetch_add_explicit(&api->answers[status - ANSWER_STATUS_MIN], 1,
					  memory_order_relaxed);
}

static void after(void *context, const struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	count_answer(api, response->status);
	http_response_header(response, "X-Content-Type-Options", STR("nosniff"));
	if (!has_header(response, "Cache-Control"))
		http_response_header(response, "Cache-Control", STR("no-store"));
	if (!has_header(response, "Referrer-Policy"))
		http_response_header(response, "Referrer-Policy", STR("no-referrer"));
	if (is_sandbox(request))
		sandbox_headers(response);
	media_link_headers(request, response);
	access_note(api->access, request, response->status);
}

struct fault_answer {
	int status;
	const char *code;
	const char *message;
};

static const struct fault_answer fault_answers[] = {
	[HTTP_FAULT_NOT_FOUND] = {404, "NOT_FOUND", API_NO_SUCH_PATH},
	[HTTP_FAULT_METHOD_NOT_ALLOWED] = {405, "METHOD_NOT_ALLOWED",
					   "This path does not support that method."},
	[HTTP_FAULT_BODY_TOO_LARGE] = {413, "PAYLOAD_TOO_LARGE", "The body is too large."},
	[HTTP_FAULT_MISDIRECTED] = {421, "MISDIRECTED_REQUEST",
				    "The Host of this request is not one of this service. Its "
				    "operator can set public-url, or name the host with "
				    "allow-host."},
	[HTTP_FAULT_HEADERS_TOO_LARGE] = {431, "HEADERS_TOO_LARGE",
					  "The headers are too large or too many."},
	[HTTP_FAULT_BAD_REQUEST] = {400, "BAD_REQUEST", "The request is not well-formed HTTP."},
	[HTTP_FAULT_INTERNAL] = {500, "INTERNAL_ERROR", "Something went wrong on our side."},
	[HTTP_FAULT_UNAVAILABLE] = {503, "UNAVAILABLE",
				    "The service is temporarily unavailable. Try again."},
};

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	const struct fault_answer *answer = &fault_answers[fault];
	if (answer->status == 503)
		http_response_header(response, "Retry-After", STR("1"));
	respond_error_to(request, response, answer->status, answer->code, str_of(answer->message));
}

/* ---- making it ---- */

static enum http_body_mode body_mode_of(const struct api_route *route)
{
	if (route->body == BODY_STREAM)
		return HTTP_BODY_STREAM;
	return route->body == BODY_NONE ? HTTP_BODY_NONE : HTTP_BODY_MEMORY;
}

static const struct http_stream *stream_of(const struct api_route *route)
{
	if (route->body != BODY_STREAM)
		return NULL;
	return route->handler == api_media_create || route->handler == api_media_link_put
		       ? &media_create_stream
		       : &media_tus_stream;
}

static enum err_kind add_routes(struct api *api, struct error *err)
{
	static const size_t body_max[] = {[BODY_NONE] = 0,
					  [BODY_JSON] = REQUEST_JSON_MAX_BYTES,
					  [BODY_FORM] = REQUEST_FORM_MAX_BYTES,
					  /* a file, and what a form has around it */
					  [BODY_STREAM] = MEDIA_FILE_MAX_BYTES + 65536};
	for (size_t p = 0; p < COUNT_OF(prefixes); p++) {
		for (size_t i = 0; i < COUNT_OF(routes); i++) {
			const struct str pattern =
				str_concat(api->arena, str_of(prefixes[p]), str_of(routes[i].path));
			const struct http_route route = {
				.method = routes[i].method,
				.pattern = str_z(api->arena, pattern),
				.handler = routes[i].handler,
				.body_max_bytes = body_max[routes[i].body],
				.body_mode = body_mode_of(&routes[i]),
				.run_mode = run_mode_of(&routes[i]),
				.admit = routes[i].who == WHO_BEARER ? admit : NULL,
				.stream = stream_of(&routes[i]),
				.tag = &routes[i],
			};
			const enum err_kind kind = http_router_add(api->router, &route, 1, err);
			if (kind != ERR_NONE)
				return kind;
		}
	}
	return ERR_NONE;
}

/* Browsers, and clients of the tus protocol, ask what there is without a token. */
static enum err_kind add_upload_options(struct api *api, struct error *err)
{
	static const char *const paths[] = {"/media/uploads", "/media/uploads/{upload_id}",
					    "/media/links/{token}",
					    "/media/links/{token}/{upload_id}"};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(prefixes) * COUNT_OF(paths) && kind == ERR_NONE; i++) {
		const char *prefix = prefixes[i / COUNT_OF(paths)];
		const char *path = paths[i % COUNT_OF(paths)];
		const struct http_route route = {
			.method = "OPTIONS",
			.pattern = str_z(api->arena, str_format(api->arena, "%s%s", prefix, path)),
			.handler = api_tus_options,
			.run_mode = HTTP_RUN_INLINE,
		};
		kind = http_router_add(api->router, &route, 1, err);
	}
	return kind;
}

static enum err_kind add_pages(struct http_router *router, enum page_place where, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(pages) && kind == ERR_NONE; i++) {
		const struct http_route route = {
			.method = "GET",
			.pattern = pages[i].path,
			.handler = pages[i].handler,
			.run_mode = pages[i].run_mode,
			.takes_any_host = pages[i].where == PAGE_EVERY,
		};
		if ((pages[i].where & where) != 0)
			kind = http_router_add(router, &route, 1, err);
	}
	return kind;
}

static enum err_kind new_router(struct api *api, enum page_place where,
				struct http_router **router_out, struct error *err)
{
	const struct http_router_config config = {
		.context = api,
		.before = before,
		.after = after,
		.render_fault = render_fault,
		.response_max_bytes = ANSWER_MAX_BYTES,
	};
	const enum err_kind kind = http_router_new(&config, router_out, err);
	return kind == ERR_NONE ? add_pages(*router_out, where, err) : kind;
}

enum err_kind api_side_router_new(struct api *api, enum api_side side,
				  struct http_router **router_out, struct error *err)
{
	static const enum page_place places[] = {[API_SIDE_METRICS] = PAGE_METRICS,
						 [API_SIDE_DASHBOARD] = PAGE_DASHBOARD,
						 [API_SIDE_SANDBOX] = PAGE_SANDBOX};
	return new_router(api, places[side], router_out, err);
}

enum err_kind api_new(const struct api_config *config, struct api **api_out, struct error *err)
{
	struct api *api = calloc(1, sizeof(*api));
	*api_out = NULL;
	if (api == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the API");
	api->config = *config;
	api->arena = arena_new("api routes", 65536);
	api->started_at_us = clock_now_us(config->clock);
	if (api->config.token_ttl_s == 0)
		api->config.token_ttl_s = 31536000;
	api->known = bearer_known_new();
	api->access =
		access_new(&(struct access_config){config->clock, config->log, config->access_log});
	api->requests = limiter_new(config->rate_limit_per_minute, config->clock);
	api->failures = limiter_new(config->token_failure_limit_per_minute, config->clock);
	enum err_kind kind = new_router(api, PAGE_PUBLIC, &api->router, err);
	if (kind == ERR_NONE && (api->known == NULL || api->access == NULL))
		kind = error_set(err, ERR_INTERNAL, "no memory for the API");
	if (kind == ERR_NONE)
		kind = add_routes(api, err);
	if (kind == ERR_NONE)
		kind = add_upload_options(api, err);
	if (kind != ERR_NONE)
		api_free(&api);
	*api_out = api;
	return kind;
}

void api_free(struct api **api)
{
	if (*api == NULL)
		return;
	http_router_free(&(*api)->router);
	arena_free(&(*api)->arena);
	bearer_known_free(&(*api)->known);
	access_free(&(*api)->access);
	limiter_free(&(*api)->requests);
	limiter_free(&(*api)->failures);
	free(*api);
	*api = NULL;
}

void api_set_limits(struct api *api, int64_t rate_per_minute, int64_t token_failures_per_minute)
{
	limiter_set(api->requests, rate_per_minute);
	limiter_set(api->failures, token_failures_per_minute);
}

void api_set_open(struct api *api, bool is_open)
{
	atomic_store(&api->is_closed, !is_open);
}

void api_set_webhooker(struct api *api, struct webhooker *webhooker)
{
	api->config.webhooker = webhooker;
}

/* As the token endpoint, refuses an app that is not live (api-decisions.md 2). False: answered. */
static bool may_publish(const struct app_row *app, struct http_response *response)
{
	if (app->state == APP_ACTIVE)
		return true;
	if (app->state == APP_DRAFT)
		respond_error(response, 409, "app_not_live", STR("The app is not live yet."));
	else
		respond_error(response, 403, "app_not_active", STR("The app is suspended."));
	return false;
}

/* The row of the request's route for callers with a token. NULL: there is none; answered. */
static const struct api_route *find_row(struct api *api, struct http_request *request,
					struct http_response *response)
{
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	struct str allow = {0};
	const struct http_route *route = http_router_match(api->router, request, &fault, &allow);
	const struct api_route *row = route != NULL ? route->tag : NULL;
	if (row != NULL && row->who == WHO_BEARER) {
		request->route = route;
		return row;
	}
	if (!str_is_empty(allow))
		http_response_header(response, "Allow", allow);
	render_fault(api, fault, request, response);
	return NULL;
}

void api_serve_as(struct api *api, const struct app_row *app, struct http_request *request,
		  struct http_response *response, struct str admin)
{
	const struct api_route *row = find_row(api, request, response);
	if (row == NULL)
		return;
	struct api_caller *caller = ARENA_NEW(request->arena, struct api_caller);
	*caller = (struct api_caller){.app = *app, .scopes = SCOPES_ANY, .admin = admin};
	request->user = caller;
	request->caller = app->id;
	if (api_has_no_stray_query(request, response) &&
	    ((row->handler != api_post_publish && row->handler != api_draft_publish) ||
	     may_publish(app, response)))
		row->handler(api, request, response);
}

/* ---- doors ---- */

enum err_kind api_door_add(struct api *api, const struct api_door *door, struct error *err)
{
	struct api_route *row = ARENA_NEW(api->arena, struct api_route);
	*row = (struct api_route){.method = "POST",
				  .path = door->path,
				  .who = WHO_BEARER,
				  .body = BODY_JSON,
				  .handler = door->handler,
				  .scopes = SCOPES_ANY,
				  .summary = door->summary,
				  .refuses_other_sites = true};
	const struct http_route route = {.method = row->method,
					 .pattern = row->path,
					 .handler = row->handler,
					 .body_max_bytes = REQUEST_JSON_MAX_BYTES,
					 .body_mode = HTTP_BODY_MEMORY,
					 .run_mode = HTTP_RUN_PLATFORM, /* a file may be fetched */
					 .admit = admit,
					 .tag = row};
	return http_router_add(api->router, &route, 1, err);
}

void api_serve_within(struct api *api, const struct http_request *outer,
		      struct http_request *request, struct http_response *response)
{
	const struct api_route *row = find_row(api, request, response);
	if (row == NULL)
		return;
	request->user = outer->user;
	if (bearer_may_call(request, response, row->scopes) &&
	    api_has_no_stray_query(request, response))
		row->handler(api, request, response);
}

bool api_may_call(const struct http_request *outer, const char *method, const char *path)
{
	for (size_t i = 0; i < COUNT_OF(routes); i++) {
		if (str_equal_z(str_of(routes[i].method), method) &&
		    str_equal_z(str_of(routes[i].path), path))
			return (request_caller(outer)->scopes & routes[i].scopes) != 0;
	}
	return false;
}

struct str api_version(const struct api *api)
{
	return str_of(api->config.version);
}

const struct random_source *api_random(const struct api *api)
{
	return api->config.random;
}

const struct log *api_log(const struct api *api)
{
	return api->config.log;
}

void api_serve_metrics(struct api *api, struct http_request *request,
		       struct http_response *response)
{
	metrics_show(api, request, response);
}

struct http_router *api_router(struct api *api)
{
	return api->router;
}
