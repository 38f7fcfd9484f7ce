/* SPDX-License-Identifier: Apache-2.0
 * The admin API over HTTP: authorizes every request in one place, by the row of its route in
 * admin_routes.def; serves an app's own API without a token, and the pages (web_pages.c). Sessions
 * begin in admin_session.c. */
#include "count_of.h"

#include "http_origin.h"

#include "admin_private.h"

#include "web_pages.h"

/* Only the dashboard's own files may run, so text that contained markup could do nothing. */
#define POLICY \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " \
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/* ---- may they? ---- */

static bool changes(const struct http_request *request)
{
	return !str_equal_z(request->method, "GET") && !str_equal_z(request->method, "HEAD");
}

/* Was the request sent by one of our pages? A client that is not a browser sends neither header,
 * and has no cookie that other sites could use. Sec-Fetch-Site is the browser's own verdict and
 * needs no comparison. */
static bool is_from_our_page(const struct admin *admin, const struct http_request *request)
{
	const struct str *site = http_request_header(request, "Sec-Fetch-Site");
	const struct str *origin = http_request_header(request, "Origin");
	if (site != NULL)
		return str_equal_z(*site, "same-origin");
	return origin == NULL || http_origin_is_ours(request, *origin, admin_dashboard_url(admin));
}

static bool refuse_csrf(struct http_response *response, struct str message)
{
	admin_respond_error(response, 403, "CSRF", message);
	return false;
}

static bool has_csrf_token(struct http_request *request, struct http_response *response,
			   const struct caller *caller)
{
	const struct str *token = http_request_header(request, "X-CSRF-Token");
	if (token != NULL &&
	    digest_equal_str(*token, admin_session_csrf_token(request->arena, caller)))
		return true;
	return refuse_csrf(
		response, STR("The X-CSRF-Token header is missing or belongs to another session."));
}

static bool body_is_json(const struct http_request *request, struct http_response *response)
{
	const struct str *type = http_request_header(request, "Content-Type");
	struct str rest = type != NULL ? *type : (struct str){0};
	struct str media_type = rest;
	if (str_is_empty(request->body))
		return true;
	if (rest.ptr != NULL)
		str_take_field(&rest, ';', &media_type);
	if (str_equal_nocase(str_trim(media_type), STR("application/json")))
		return true;
	admin_respond_error(response, 415, "UNSUPPORTED_MEDIA_TYPE",
			    STR("The body must be application/json."));
	return false;
}

/* The public API has its own limit. */
static bool fits(const struct http_request *request, struct http_response *response,
		 const struct admin_route *row)
{
	if (request->body.len <= REQUEST_ADMIN_MAX_BYTES || row->handler == admin_app_api)
		return true;
	admin_respond_error(response, 413, "PAYLOAD_TOO_LARGE", STR("The body is too large."));
	return false;
}

/* False: answered. */
static bool is_signed_in(struct admin *admin, struct http_request *request,
			 struct http_response *response, bool is_use, struct caller *caller)
{
	struct error err = {0};
	const enum err_kind kind = admin_session_find(admin, request, is_use, caller, &err);
	if (kind == ERR_NOT_FOUND)
		admin_respond_error(response, 401, "UNAUTHENTICATED", STR("Sign in to continue."));
	else if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "session");
	return kind == ERR_NONE;
}

/* Another owner's app gets the same answer as one that does not exist. */
static bool owns_app(struct admin *admin, struct http_request *request,
		     struct http_response *response, struct caller *caller)
{
	struct error err = {0};
	enum err_kind kind = store_app_find_by_client_id(admin->config.store, request->arena,
							 http_request_capture(request, "client_id"),
							 &caller->app, &err);
	if (kind == ERR_NONE && !admin_may_have(caller, &caller->app))
		kind = ERR_NOT_FOUND;
	caller->has_app = kind == ERR_NONE;
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}

/* One's own account stays open: it is where the second factor is turned on. */
static bool has_needed_factor(const struct admin *admin, struct http_response *response,
			      const struct admin_route *row, const struct caller *caller)
{
	if (!admin->web.needs_second_factor || row->who == PRINCIPAL_SELF ||
	    caller->session.admin.has_second_factor)
		return true;
	admin_respond_error(response, 403, "SECOND_FACTOR_REQUIRED",
			    STR("This installation asks every admin for a second factor. Turn "
				"yours on under Your account."));
	return false;
}

static bool is_root(struct http_response *response, const struct caller *caller)
{
	if (caller->session.admin.role == ADMIN_ROOT)
		return true;
	admin_respond_error(response, 403, "FORBIDDEN", STR("Only a root admin may do this."));
	return false;
}

/* All that is known with the headers. */
static bool may_enter(struct admin *admin, struct http_request *request,
		      struct http_response *response, const struct admin_route *row, bool is_use)
{
	if (changes(request) && !is_from_our_page(admin, request))
		return refuse_csrf(response, STR("This request came from another site."));
	if (row->who == PRINCIPAL_NONE)
		return true;
	struct caller *caller = ARENA_NEW(request->arena, struct caller);
	if (!is_signed_in(admin, request, response, is_use, caller) ||
	    (changes(request) && !has_csrf_token(request, response, caller)) ||
	    !has_needed_factor(admin, response, row, caller) ||
	    (row->who == PRINCIPAL_ROOT && !is_root(response, caller)) ||
	    (row->who == PRINCIPAL_OWNER && !owns_app(admin, request, response, caller)))
		return false;
	request->user = caller;
	return true;
}

static bool may_pass(struct admin *admin, struct http_request *request,
		     struct http_response *response, const struct admin_route *row)
{
	return may_enter(admin, request, response, row, true) && fits(request, response, row) &&
	       (!row->has_body || body_is_json(request, response));
}

bool admin_web_may_see(struct admin *admin, struct http_request *request, const struct app_row *app)
{
	struct caller caller = {0};
	return admin_session_find(admin, request, false, &caller, NULL) == ERR_NONE &&
	       (app == NULL || admin_may_have(&caller, app));
}

/* ---- the door ---- */

/* NULL: answered. */
static const struct http_route *find_route(struct admin *admin, struct http_request *request,
					   struct http_response *response)
{
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	struct str allow = {0};
	http_response_header(response, "Content-Security-Policy", STR(POLICY));
	const struct http_route *route =
		http_router_match(admin->web_router, request, &fault, &allow);
	if (route != NULL)
		return route;
	if (!str_is_empty(allow))
		http_response_header(response, "Allow", allow);
	admin_respond_fault(admin, fault, request, response);
	return NULL;
}

/* Who is not signed in sends no more than a sign-in needs. */
static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	struct admin *admin = context;
	const struct http_route *route = find_route(admin, request, response);
	const struct admin_route *row = route != NULL ? route->tag : NULL;
	if (row == NULL)
		return HTTP_REFUSED;
	if (row->who == PRINCIPAL_NONE)
		request->body_max_bytes = REQUEST_OPEN_MAX_BYTES;
	else if (!may_wait)
		return HTTP_MUST_WAIT;
	return may_enter(admin, request, response, row, false) ? HTTP_ADMITTED : HTTP_REFUSED;
}

static void serve(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct http_route *route = find_route(admin, request, response);
	if (route == NULL)
		return;
	request->route = route;
	if (may_pass(admin, request, response, route->tag))
		route->handler(admin, request, response);
}

/* On the control socket nobody has looked for it. */
static enum err_kind app_called(const struct admin *admin, const struct http_request *request,
				struct app_row *app_out, struct error *err)
{
	const struct caller *caller = admin_request_caller(request);
	if (caller == NULL)
		return store_app_find_by_client_id(admin->config.store, request->arena,
						   http_request_capture(request, "client_id"),
						   app_out, err);
	*app_out = caller->app;
	return ERR_NONE;
}

/* The rest of the path is the app's API; the query stays. */
void admin_app_api(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct admin_app_port *port = &admin->web.app_port;
	struct app_row app = {0};
	struct error err = {0};
	const enum err_kind kind = app_called(admin, request, &app, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "app");
		return;
	}
	if (port->serve == NULL) {
		admin_respond_error(response, 503, "UNAVAILABLE",
				    STR("The service does not run here. Start it with posthorn "
					"serve."));
		return;
	}
	request->path = str_slice(request->path, str_find(request->path, STR("/v1/"), 1),
				  request->path.len);
	port->serve(port->context, &app, request, response,
		    caller != NULL ? caller->session.admin.email : STR("cli"));
}

/* ---- pages ---- */

/* RFC 9110 12.5.3, as browsers write it: gzip among the codings, and not with q=0. */
static bool takes_gzip(const struct http_request *request)
{
	const struct str *header = http_request_header(request, "Accept-Encoding");
	struct str rest = header != NULL ? *header : (struct str){0};
	struct str coding;
	while (rest.ptr != NULL && str_take_field(&rest, ',', &coding)) {
		coding = str_trim(coding);
		if (!str_skip(&coding, STR("gzip")))
			continue;
		coding = str_trim(coding);
		if (str_skip(&coding, STR(";")))
			return !str_has_prefix(str_trim(coding), STR("q=0"));
		return str_is_empty(coding);
	}
	return false;
}

/* Takes the folder of this program's files off the path; what has it in its name never changes. */
static bool skip_folder(struct str *rest)
{
	struct str path = *rest;
	if (!str_skip(&path, str_of(web_pages_folder)) || !str_skip(&path, STR("/")))
		return false;
	*rest = path;
	return true;
}

/* Every path without a dot in its last segment is the page; its router does the rest. */
static struct str file_of(struct str rest)
{
	size_t name_at = 0;
	for (size_t i = 0; i < rest.len; i++)
		name_at = rest.ptr[i] == '/' ? i + 1 : name_at;
	return str_find_char(rest, '.', name_at) != SIZE_MAX ? rest : STR("index.html");
}

static void serve_page(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct str rest = http_request_capture(request, "rest");
	const bool is_fixed = skip_folder(&rest);
	const struct str name = file_of(rest);
	const struct web_page *page = NULL;
	http_response_header(response, "Content-Security-Policy", STR(POLICY));
	for (size_t i = 0; i < web_pages_count && page == NULL; i++)
		page = str_equal_z(name, web_pages[i].name) ? &web_pages[i] : NULL;
	if (page == NULL) {
		admin_respond_fault(admin, HTTP_FAULT_NOT_FOUND, request, response);
		return;
	}
	const bool is_news = !admin_request_has(request, str_of(page->etag));
	const bool is_packed = takes_gzip(request);
	struct buf *body = http_response_text(response, is_news ? 200 : 304, page->content_type);
	if (is_news)
		buf_add(body, is_packed ? (struct str){page->packed, page->packed_bytes}
					: (struct str){page->body, page->size_bytes});
	if (is_news && is_packed)
		http_response_header(response, "Content-Encoding", STR("gzip"));
	http_response_header(response, "Vary", STR("Accept-Encoding"));
	/* weak: the packed bytes are others */
	http_response_header(response, "ETag", str_format(request->arena, "W/%s", page->etag));
	http_response_header(response, "Cache-Control",
			     is_fixed ? STR("public, max-age=31536000, immutable")
				      : STR("no-cache")); /* kept, asked about */
}

enum err_kind admin_web_open(struct admin *admin, const struct admin_web_config *config,
			     struct http_router *router, struct error *err)
{
	const struct http_route routes[] = {
		{.method = "*",
		 .pattern = "/dashboard/api/{*rest}",
		 .handler = serve,
		 .context = admin,
		 .body_max_bytes = REQUEST_JSON_MAX_BYTES,
		 .body_mode = HTTP_BODY_MEMORY,
		 .run_mode = HTTP_RUN_PLATFORM, /* some of its routes ask one */
		 .admit = admit},
		{.method = "*", .pattern = "/dashboard/api", .handler = serve, .context = admin},
		{.method = "GET",
		 .pattern = "/dashboard",
		 .handler = serve_page,
		 .context = admin,
		 .run_mode = HTTP_RUN_INLINE},
		{.method = "GET",
		 .pattern = "/dashboard/{*rest}",
		 .handler = serve_page,
		 .context = admin,
		 .run_mode = HTTP_RUN_INLINE},
	};
	const struct http_router_config router_config = {
		.context = admin,
		.render_fault = admin_respond_fault,
		.response_max_bytes = ADMIN_ANSWER_MAX_BYTES,
	};
	admin->web = *config;
	enum err_kind kind = http_router_new(&router_config, &admin->web_router, err);
	if (kind == ERR_NONE)
		kind = admin_add_routes(admin->web_router, WHERE_WEB, err);
	if (kind == ERR_NONE)
		kind = http_router_add(router, routes, COUNT_OF(routes), err);
	return kind;
}
