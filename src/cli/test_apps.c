/* SPDX-License-Identifier: Apache-2.0
 * See test_apps.h. What comes in from outside is sorted here by who asks: an admin with a session,
 * an app with its token, or a browser that a platform's address was given to. What each may have is
 * the worlds' business (sandbox_world.h). */
#include "test_apps.h"

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "json_write.h"

#include "seal.h"

#include "store_app.h"
#include "store_credential.h"
#include "store_node.h"
#include "store_quota.h"
#include "store_sandbox.h"

#include "guard.h"
#include "spool.h"
#include "transfer_curl.h"

#include "http_hosts.h"
#include "httpd.h"

#include "api.h"

#include "admin.h"

#include "sandbox_world.h"

#include "test_apps_private.h"

#define PREFIX "/sandbox"
#define SOCKET_THREADS 4
#define SOCKET_CALLS_MAX 256
#define SOCKET_BODY_MAX_BYTES ((size_t)8 << 30) /* the platforms' own limits are lower */
#define SOCKET_DRAIN_MS 5000
#define ANSWER_MAX_BYTES ((size_t)32 << 20)
#define TOKEN_BODY_MAX_BYTES ((size_t)1 << 20) /* a fault */
#define ROOM_LEAST_BYTES (INT64_C(1) << 20)
#define CLIENT_ID_MAX_BYTES 64
#define BEAT_MS 1500
#define ENDED_ARENA_BYTES ((size_t)1 << 20)
/* A test app is over when its deletion has ended, which may take a while. */
#define ENDED_BACK_US (7 * US_PER_DAY)

/* ---- settings ---- */

bool test_apps_are_on(const struct settings *settings)
{
	return strcmp(settings_text(settings, SETTING_ID_test_apps), "on") == 0;
}

const char *test_apps_socket(struct service *service)
{
	return test_apps_are_on(service->settings) && service->role != SERVICE_COMMAND
		       ? service_path(service, "sandbox.sock")
		       : NULL;
}

void test_apps_set_url(struct service *service)
{
	struct test_apps *apps = &service->test_apps;
	if (apps->seen.hosts == NULL)
		snprintf(apps->url, sizeof(apps->url), "%s" PREFIX, service->public_url);
	else if (apps->seen.base_url[0] != '\0')
		snprintf(apps->url, sizeof(apps->url), STR_FMT,
			 STR_ARG(service_reachable_url(service->arena,
						       str_of(apps->seen.base_url))));
}

/* ---- how worlds reach the outside ---- */

static bool allows_url(void *context, struct arena *arena, struct str url)
{
	const struct service *service = context;
	return guard_check_url(service->guard, arena, url) == NULL;
}

static bool allows_address(void *context, const struct sockaddr *address)
{
	const struct service *service = context;
	return guard_allows_address(service->guard, address);
}

static enum err_kind add_credential(const struct service *service, struct arena *arena,
				    const struct credential_row *row, struct sandbox_world_app *out,
				    struct error *err)
{
	const char *slug = platform_id_slug(row->platform);
	const struct str row_id = str_format(arena, STR_FMT "/%s", STR_ARG(row->app_id), slug);
	const struct seal_place place = {STR("platform_credentials"), STR("client_secret"), row_id};
	struct sandbox_world_credential *own = &out->credentials[out->credential_count++];
	*own = (struct sandbox_world_credential){.slug = str_of(slug), .client_id = row->client_id};
	return seal_open_secret(service->seal, arena, &place, row->client_secret_sealed,
				&own->client_secret, err);
}

/* What its quota of media leaves beside the files that are fetched for its posts. */
static int64_t room_of(const struct service *service, struct arena *arena, struct str app_id)
{
	struct quota_limits limits = {0};
	int64_t bytes = 0;
	int64_t files = 0;
	if (store_quota_limits(service->store, arena, app_id, &limits, NULL) != ERR_NONE ||
	    limits.of[QUOTA_MEDIA_BYTES] <= 0)
		return 0;
	spool_share_use(service->spool, app_id, &bytes, &files);
	const int64_t left = limits.of[QUOTA_MEDIA_BYTES] - bytes;
	return left > ROOM_LEAST_BYTES ? left : ROOM_LEAST_BYTES;
}

static enum err_kind find_app(void *context, struct arena *arena, struct str app_id,
			      struct sandbox_world_app *out, struct error *err)
{
	const struct service *service = context;
	struct app_row app = {0};
	struct credential_row *rows = NULL;
	size_t count = 0;
	enum err_kind kind = store_app_find(service->store, arena, app_id, &app, err);
	if (kind == ERR_NONE && !app.world.is_test)
		kind = error_set(err, ERR_NOT_FOUND, "the app is no test app");
	if (kind == ERR_NONE)
		kind = store_credential_list(service->store, arena, app_id, &rows, &count, err);
	*out = (struct sandbox_world_app){.id = app.id, .mark = app.client_id};
	for (size_t i = 0; kind == ERR_NONE && i < count && i < COUNT_OF(out->credentials); i++)
		kind = add_credential(service, arena, &rows[i], out, err);
	out->bytes_max = room_of(service, arena, app_id);
	return kind;
}

/* ---- the socket: the engine's calls ---- */

static void cut_header(struct http_request *request, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		if (!str_equal_nocase(request->headers[i].name, str_of(name)))
			request->headers[kept++] = request->headers[i];
	}
	request->header_count = kept;
}

/* As a visitor at this node. */
static void visit(struct service *service, struct str app_id, enum sandbox_visitor visitor,
		  struct http_request *request, struct http_response *response)
{
	const struct sandbox_home home = test_apps_home(service, request->arena);
	const struct sandbox_visit at = {app_id, visitor, &home};
	test_apps_visit(service, &at, request, response);
}

static void serve_engine(void *context, struct http_request *request,
			 struct http_response *response)
{
	struct service *service = context;
	const struct str *app = http_request_header(request, TRANSFER_TEST_APP_HEADER);
	const struct str app_id = app != NULL ? str_copy(request->arena, *app) : STR("none");
	cut_header(request, TRANSFER_TEST_APP_HEADER);
	visit(service, app_id, SANDBOX_SERVICE, request, response);
}

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	(void)request;
	http_response_text(response, fault == HTTP_FAULT_BODY_TOO_LARGE ? 413 : 400,
			   "text/plain; charset=utf-8");
}

static enum err_kind open_socket(struct service *service, struct error *err)
{
	struct test_apps *apps = &service->test_apps;
	const struct http_router_config router = {.context = service,
						  .render_fault = render_fault,
						  .response_max_bytes = ANSWER_MAX_BYTES};
	const struct http_route route = {.method = "*",
					 .pattern = "/{*rest}",
					 .handler = serve_engine,
					 .body_mode = HTTP_BODY_FILE,
					 .body_max_bytes = SOCKET_BODY_MAX_BYTES,
					 .run_mode = HTTP_RUN_PLATFORM};
	const struct httpd_config config = {
		.unix_path = service_path(service, "sandbox.sock"),
		.log = &service->log,
		.random = random_system(),
		.threads = SOCKET_THREADS,
		.platform_threads = SOCKET_CALLS_MAX,
		.arena_max_bytes = (size_t)1 << 30,
		.header_max_bytes = 64 << 10,
		.body_directory = sandbox_worlds_body_directory(apps->worlds),
	};
	enum err_kind kind = http_router_new(&router, &apps->inside, err);
	if (kind == ERR_NONE)
		kind = http_router_add(apps->inside, &route, 1, err);
	if (kind != ERR_NONE)
		return kind;
	struct httpd_config with_router = config;
	with_router.router = apps->inside;
	kind = httpd_open(&with_router, &apps->socket, err);
	return kind == ERR_NONE ? kind : error_add(err, "%s", config.unix_path);
}

/* ---- what goes on by itself ---- */

/* Of test apps that are over nothing stays. A world that is busy now goes the next time. */
static void forget_ended(struct service *service)
{
	struct test_apps *apps = &service->test_apps;
	struct arena *arena = arena_new("ended test apps", ENDED_ARENA_BYTES);
	const int64_t now_us = clock_now_us(store_clock(service->store));
	struct str *ids = NULL;
	size_t count = 0;
	if (store_sandbox_ended(service->store, arena, apps->ended_since_us, &ids, &count, NULL) ==
	    ERR_NONE) {
		for (size_t i = 0; i < count; i++)
			sandbox_worlds_forget(apps->worlds, ids[i]);
		apps->ended_since_us = now_us - ENDED_BACK_US;
	}
	arena_free(&arena);
}

static void beat(void *context)
{
	struct service *service = context;
	test_apps_lease_beat(service);
	forget_ended(service);
}

static enum err_kind open_worlds(struct service *service, struct error *err)
{
	const bool is_shared = store_is_shared(service->store);
	const struct sandbox_worlds_config config = {
		.directory = service_path(service, "sandbox"),
		.port = {.allows_url = allows_url,
			 .allows_address = allows_address,
			 .find_app = find_app,
			 .journal_read = is_shared ? test_apps_journal_read : NULL,
			 .journal_write = is_shared ? test_apps_journal_write : NULL,
			 .context = service},
		.log = &service->log,
		.clock = store_clock(service->store),
		.random = random_system(),
	};
	return sandbox_worlds_open(&config, &service->test_apps.worlds, err);
}

enum err_kind test_apps_open(struct service *service, struct error *err)
{
	struct test_apps *apps = &service->test_apps;
	if (!test_apps_are_on(service->settings))
		return ERR_NONE;
	transfer_curl_set_test_url(service->curl, apps->url);
	enum err_kind kind = test_apps_lease_open(service, err);
	if (kind == ERR_NONE)
		kind = open_socket(service, err);
	return kind == ERR_NONE ? heartbeat_start(BEAT_MS, beat, service, &apps->heartbeat, err)
				: kind;
}

void test_apps_end_waits(struct service *service)
{
	atomic_store(&service->test_apps.is_ending, true);
	if (service->test_apps.worlds != NULL)
		sandbox_worlds_end_waits(service->test_apps.worlds);
}

void test_apps_close(struct service *service)
{
	struct test_apps *apps = &service->test_apps;
	heartbeat_stop(&apps->heartbeat);
	httpd_close(&apps->socket, SOCKET_DRAIN_MS);
	http_router_free(&apps->inside);
	sandbox_worlds_close(&apps->worlds);
	test_apps_lease_close(service);
}

const char *test_apps_body_directory(const struct service *service)
{
	const struct sandbox_worlds *worlds = service->test_apps.worlds;
	return worlds != NULL ? sandbox_worlds_body_directory(worlds) : NULL;
}

int64_t test_apps_bytes(const struct service *service, struct str app_id)
{
	struct sandbox_worlds *worlds = service->test_apps.worlds;
	return worlds != NULL ? sandbox_worlds_bytes(worlds, app_id) : 0;
}

/* ---- the pages: everybody else ---- */

/* The path as the worlds know it: from the host on. */
static void cut_prefix(const struct service *service, struct http_request *request)
{
	struct str path = request->path;
	if (service->test_apps.seen.hosts == NULL)
		str_skip(&path, STR(PREFIX));
	if (str_is_empty(path))
		path = STR("/");
	request->path = path;
	request->target = str_is_empty(request->query_text)
				  ? path
				  : str_format(request->arena, STR_FMT "?" STR_FMT, STR_ARG(path),
					       STR_ARG(request->query_text));
}

static void answer(struct http_response *response, int status, const char *code, const char *text)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "message", str_of(text));
	json_member_str(&w, "error", str_of(code));
	json_end_object(&w);
}

/* "phc_" and what stands at the end of "test-x-...": an app's client id at a platform is made of
 * its own (admin_test_app.c). */
static struct str mark_of_client_id(struct arena *arena, struct str client_id)
{
	size_t dashes = 0;
	size_t at = 0;
	while (at < client_id.len && dashes < 2)
		dashes += client_id.ptr[at++] == '-' ? 1 : 0;
	if (!str_has_prefix(client_id, STR("test-")) || dashes < 2)
		return STR("");
	return str_format(arena, "phc_" STR_FMT, STR_ARG(str_slice(client_id, at, client_id.len)));
}

static struct str query_text(const struct http_request *request, const char *name)
{
	const struct str *value = form_find(&request->query, name);
	return value != NULL && value->len <= CLIENT_ID_MAX_BYTES + 16 ? *value : STR("");
}

/* The app that the address names, as a login's does, or as the dashboard's links do. False: it
 * names none that there is. */
static bool find_named(struct service *service, struct http_request *request, bool *is_login_out,
		       struct app_row *app_out)
{
	static const char *const names[] = {"client_id", "client_key"};
	struct str mark = STR("");
	for (size_t i = 0; i < COUNT_OF(names) && str_is_empty(mark); i++)
		mark = mark_of_client_id(request->arena, query_text(request, names[i]));
	*is_login_out = !str_is_empty(mark);
	if (!*is_login_out)
		mark = query_text(request, "sandbox_app");
	return !str_is_empty(mark) &&
	       store_app_find_by_client_id(service->store, request->arena, mark, app_out, NULL) ==
		       ERR_NONE &&
	       app_out->world.is_test;
}

static void serve_token(struct service *service, struct http_request *request,
			struct http_response *response)
{
	struct app_row app = {0};
	if (!api_find_app(service->api, request, response, &app))
		return;
	if (!app.world.is_test)
		answer(response, 404, "NOT_FOUND",
		       "Not found. This app is live: only a test app has a sandbox.");
	else if (str_equal_z(request->path, "/_sandbox/clock"))
		answer(response, 403, "FORBIDDEN",
		       "Only a root admin sets the clock, in the dashboard.");
	else
		visit(service, app.id, SANDBOX_TOKEN, request, response);
}

/* Feed and posts: to admins who may have the app. */
static void serve_to_admin(struct service *service, const struct app_row *app,
			   struct http_request *request, struct http_response *response)
{
	if (!admin_web_may_see(service->admin, request, app)) {
		buf_add_z(http_response_text(response, 401, "text/plain; charset=utf-8"),
			  "Sign in to the dashboard, and open this page from the app there.\n");
		return;
	}
	visit(service, app != NULL ? app->id : STR(""), SANDBOX_ADMIN, request, response);
}

static bool is_open_page(struct str path)
{
	return str_equal_z(path, "/_sandbox/style.css") ||
	       str_has_prefix(path, STR("/_sandbox/media/"));
}

static void sort_visitor(struct service *service, struct http_request *request,
			 struct http_response *response)
{
	struct app_row app = {0};
	bool is_login = false;
	if (str_has_prefix(request->path, STR("/_sandbox/")) && !is_open_page(request->path)) {
		serve_token(service, request, response);
		return;
	}
	const bool is_named = find_named(service, request, &is_login, &app);
	const bool is_feed = str_equal_z(request->path, "/");
	if (is_feed || (is_named && !is_login && !is_open_page(request->path)))
		serve_to_admin(service, is_named ? &app : NULL, request, response);
	else
		visit(service, is_named ? app.id : STR(""), SANDBOX_BROWSER, request, response);
}

static bool has_header(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return true;
	}
	return false;
}

static void serve_page(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	const struct str path = request->path;
	const struct str target = request->target;
	cut_prefix(service, request);
	sort_visitor(service, request, response);
	request->path = path; /* as the log knows it */
	request->target = target;
	if (!has_header(response, "Content-Security-Policy"))
		http_response_header(response, "Content-Security-Policy",
				     STR("sandbox; default-src 'none'; frame-ancestors 'none'"));
	if (!has_header(response, "X-Robots-Tag"))
		http_response_header(response, "X-Robots-Tag", STR("noindex, nofollow"));
}

void test_apps_serve_admin(void *context, struct str app_id, struct http_request *request,
			   struct http_response *response)
{
	struct service *service = context;
	request->target = request->path;
	visit(service, app_id, SANDBOX_ADMIN, request, response);
}

/* Only who shows a token sends a body. */
static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	(void)context;
	(void)may_wait;
	if (http_request_header(request, "Authorization") != NULL)
		return HTTP_ADMITTED;
	answer(response, 401, "UNAUTHENTICATED",
	       "No access token was sent. Send the test app's as Authorization: Bearer TOKEN.");
	return HTTP_REFUSED;
}

enum err_kind test_apps_open_pages(struct service *service, struct error *err)
{
	struct side *seen = &service->test_apps.seen;
	struct http_router *router = api_router(service->api);
	const struct http_route route = {.method = "*",
					 .pattern = seen->hosts != NULL ? "/{*rest}"
									: PREFIX "/{*rest}",
					 .handler = serve_page,
					 .context = service,
					 .body_mode = HTTP_BODY_MEMORY,
					 .body_max_bytes = TOKEN_BODY_MAX_BYTES,
					 .run_mode = HTTP_RUN_PLATFORM,
					 .admit = admit};
	struct http_route bare = route;
	bare.pattern = seen->hosts != NULL ? "/" : PREFIX;
	if (!test_apps_are_on(service->settings))
		return ERR_NONE;
	enum err_kind kind = open_worlds(service, err);
	if (kind == ERR_NONE)
		kind = test_apps_relay_open(service, err);
	if (kind == ERR_NONE && seen->hosts != NULL) {
		kind = api_side_router_new(service->api, API_SIDE_SANDBOX, &seen->router, err);
		router = seen->router;
	}
	if (kind == ERR_NONE)
		kind = http_router_add(router, &route, 1, err);
	return kind == ERR_NONE ? http_router_add(router, &bare, 1, err) : kind;
}

void test_apps_close_pages(struct service *service)
{
	http_router_free(&service->test_apps.seen.router);
}
