/* SPDX-License-Identifier: Apache-2.0
 * The worlds of a service: opened when somebody asks, closed when others need the place; and the
 * door to them, which lets each visitor in to what is his and takes off what he must not bring.
 * Objects: worlds (all), slot (a place for one that is open). */
#include "sandbox_world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "log.h"
#include "str.h"

#include "url.h"

#include "sandbox_core.h"

#define OPEN_MAX_DEFAULT 32
#define APP_ID_MAX_BYTES 64
#define FIND_ARENA_MAX_BYTES ((size_t)1 << 20)
/* Of the service in one world at once: a world that hangs on purpose must leave threads to the
 * others; and of all browsers. */
#define CALLS_OF_WORLD_MAX 32
#define BROWSERS_MAX 16

enum slot_state { SLOT_FREE, SLOT_OPENING, SLOT_OPEN, SLOT_ALONE };

struct slot {
	enum slot_state state;             /* ALONE: somebody makes room in it, and others wait */
	char app_id[APP_ID_MAX_BYTES + 1]; /* "" = the world that knows nobody */
	struct sandbox *sandbox;
	unsigned calls;
	uint64_t used;  /* by the counter of uses */
	int64_t hold;   /* under which it was opened */
	bool is_broken; /* what is in memory was not kept: to be opened anew */
};

struct sandbox_worlds {
	struct sandbox_worlds_config config;
	char *directory;
	char *body_directory;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct slot *slots;
	unsigned slot_count;
	uint64_t uses;
	unsigned browsers;
	int64_t hold;
};

/* ---- answers of our own ---- */

static void refuse(struct http_response *response, int status, const char *text)
{
	struct json_writer w;
	response->header_count = 0;
	buf_clear(&response->body);
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "sandbox", str_of(text));
	json_end_object(&w);
}

/* ---- opening a world ---- */

static enum sandbox_platform platform_of_slug(struct str slug)
{
	size_t i = 0;
	while (i < SANDBOX_PLATFORM_COUNT &&
	       !str_equal_z(slug, sandbox_platform_slug((enum sandbox_platform)i)))
		i++;
	return (enum sandbox_platform)i;
}

static char *copy(struct str text)
{
	char *z = malloc(text.len + 1);
	if (z == NULL)
		abort(); /* as arena_alloc */
	if (text.len > 0)
		memcpy(z, text.ptr, text.len);
	z[text.len] = '\0';
	return z;
}

static struct sandbox_of_app *world_new(const struct sandbox_worlds *worlds,
					const struct sandbox_world_app *app)
{
	struct sandbox_of_app *world = calloc(1, sizeof(*world));
	if (world == NULL)
		abort();
	*world = (struct sandbox_of_app){
		.app_id = copy(app->id),
		.mark = copy(app->mark),
		.port = &worlds->config.port,
		.bytes_max = app->bytes_max > 0 && app->bytes_max < SANDBOX_WORLD_BYTES_MAX
				     ? app->bytes_max
				     : SANDBOX_WORLD_BYTES_MAX,
	};
	for (size_t i = 0; i < app->credential_count; i++) {
		const struct sandbox_world_credential *own = &app->credentials[i];
		const enum sandbox_platform platform = platform_of_slug(own->slug);
		if (platform == SANDBOX_PLATFORM_COUNT)
			continue;
		world->names[platform].client_id = copy(own->client_id);
		world->names[platform].client_secret = copy(own->client_secret);
	}
	return world;
}

static enum err_kind make_directory(const char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, errno, "cannot make the directory %.150s",
				path);
}

/* The world that knows nobody has no past. */
static enum err_kind fill(struct sandbox *sandbox, bool is_nobody, struct error *err)
{
	const enum err_kind kind = sandbox_make_router(sandbox, err);
	if (kind != ERR_NONE || !is_nobody)
		return kind == ERR_NONE ? sandbox_journal_open(sandbox, err) : kind;
	sandbox_reset(sandbox);
	return ERR_NONE;
}

static enum err_kind open_app(struct sandbox_worlds *worlds, const struct sandbox_world_app *app,
			      int64_t hold, struct sandbox **out, struct error *err)
{
	const struct sandbox_config config = {.log = worlds->config.log,
					      .clock = worlds->config.clock,
					      .random = worlds->config.random};
	size_t module_count = 0;
	const struct sandbox_module *const *modules = sandbox_modules(&module_count);
	struct sandbox *sandbox = NULL;
	const bool is_nobody = str_is_empty(app->id);
	enum err_kind kind = sandbox_new(&config, modules, module_count, &sandbox, err);
	if (kind != ERR_NONE)
		return kind;
	sandbox->world = world_new(worlds, app);
	sandbox->past = sandbox_past_new(worlds->config.clock, worlds->config.random);
	sandbox->world->hold = hold;
	sandbox->state_max_bytes = SANDBOX_WORLD_STATE_MAX_BYTES;
	if (asprintf(&sandbox->directory, "%s/%s", worlds->directory,
		     is_nobody ? "nobody" : sandbox->world->app_id) < 0)
		abort();
	kind = make_directory(sandbox->directory, err);
	if (kind == ERR_NONE)
		kind = fill(sandbox, is_nobody, err);
	if (kind != ERR_NONE)
		sandbox_close(&sandbox);
	else
		*out = sandbox;
	return kind;
}

static enum err_kind open_world(struct sandbox_worlds *worlds, const struct slot *slot,
				struct sandbox **out, struct error *err)
{
	const struct sandbox_world_port *port = &worlds->config.port;
	struct arena *arena = arena_new("sandbox app", FIND_ARENA_MAX_BYTES);
	struct sandbox_world_app app = {0};
	const struct str app_id = str_of(slot->app_id);
	enum err_kind kind = ERR_NONE;
	if (!str_is_empty(app_id))
		kind = port->find_app(port->context, arena, app_id, &app, err);
	if (kind == ERR_NONE)
		kind = open_app(worlds, &app, slot->hold, out, err);
	arena_free(&arena);
	return kind;
}

/* ---- places ---- */

static struct slot *slot_find(struct sandbox_worlds *worlds, struct str app_id)
{
	for (unsigned i = 0; i < worlds->slot_count; i++) {
		struct slot *slot = &worlds->slots[i];
		if (slot->state != SLOT_FREE && str_equal_z(app_id, slot->app_id))
			return slot;
	}
	return NULL;
}

/* A free place, or that of the world which was idle the longest; NULL: all are busy. */
static struct slot *slot_take(struct sandbox_worlds *worlds)
{
	struct slot *best = NULL;
	for (unsigned i = 0; i < worlds->slot_count; i++) {
		struct slot *slot = &worlds->slots[i];
		if (slot->state == SLOT_FREE)
			return slot;
		if (slot->state == SLOT_OPEN && slot->calls == 0 &&
		    (best == NULL || slot->used < best->used))
			best = slot;
	}
	return best;
}

/* The mutex is held, and let go of meanwhile. */
static enum err_kind slot_open(struct sandbox_worlds *worlds, struct slot *slot, struct str app_id,
			       struct error *err)
{
	struct sandbox *before = slot->sandbox;
	struct sandbox *sandbox = NULL;
	*slot = (struct slot){.state = SLOT_OPENING, .hold = worlds->hold};
	memcpy(slot->app_id, app_id.ptr != NULL ? app_id.ptr : "", app_id.len);
	pthread_mutex_unlock(&worlds->mutex);
	sandbox_close(&before);
	const enum err_kind kind = open_world(worlds, slot, &sandbox, err);
	pthread_mutex_lock(&worlds->mutex);
	slot->sandbox = sandbox;
	slot->state = kind == ERR_NONE ? SLOT_OPEN : SLOT_FREE;
	pthread_cond_broadcast(&worlds->changed);
	return kind;
}

static bool is_stale(const struct sandbox_worlds *worlds, const struct slot *slot)
{
	return slot->is_broken || slot->hold != worlds->hold;
}

/* The app's place, once nobody makes room in it and nobody is in one that is stale. The mutex is
 * held, and let go of meanwhile. */
static struct slot *slot_wait(struct sandbox_worlds *worlds, struct str app_id)
{
	struct slot *slot;
	while ((slot = slot_find(worlds, app_id)) != NULL &&
	       (slot->state != SLOT_OPEN || (is_stale(worlds, slot) && slot->calls > 0)))
		pthread_cond_wait(&worlds->changed, &worlds->mutex);
	return slot;
}

/* LIMITED: too many calls; NOT_FOUND: no such test app. The mutex is held. */
static enum err_kind slot_enter(struct sandbox_worlds *worlds, struct str app_id, struct slot **out,
				struct error *err)
{
	struct slot *slot = slot_wait(worlds, app_id);
	if (slot == NULL || is_stale(worlds, slot)) {
		slot = slot != NULL ? slot : slot_take(worlds);
		if (slot == NULL)
			return error_set(err, ERR_LIMITED, "too many test apps are at work");
		const enum err_kind kind = slot_open(worlds, slot, app_id, err);
		if (kind != ERR_NONE)
			return kind;
	}
	if (slot->calls >= CALLS_OF_WORLD_MAX)
		return error_set(err, ERR_LIMITED, "too many calls of this test app are under way");
	slot->calls++;
	slot->used = ++worlds->uses;
	*out = slot;
	return ERR_NONE;
}

static void slot_leave(struct sandbox_worlds *worlds, struct slot *slot)
{
	pthread_mutex_lock(&worlds->mutex);
	slot->calls--;
	pthread_cond_broadcast(&worlds->changed);
	pthread_mutex_unlock(&worlds->mutex);
}

/* Only while nobody else is in the world: what is played again must not meet what is new. False:
 * it is full. */
static bool make_room(struct sandbox_worlds *worlds, struct slot *slot)
{
	bool has_room = true;
	if (slot->sandbox->past->journal == NULL)
		return true;
	pthread_mutex_lock(&worlds->mutex);
	const bool is_alone = slot->calls == 1 && slot->state == SLOT_OPEN;
	slot->state = is_alone ? SLOT_ALONE : slot->state;
	pthread_mutex_unlock(&worlds->mutex);
	if (!is_alone)
		return true;
	sandbox_lock(slot->sandbox);
	has_room = sandbox_journal_make_room(slot->sandbox);
	sandbox_unlock(slot->sandbox);
	pthread_mutex_lock(&worlds->mutex);
	slot->state = SLOT_OPEN;
	pthread_cond_broadcast(&worlds->changed);
	pthread_mutex_unlock(&worlds->mutex);
	return has_room;
}

/* ---- who may ask for what ---- */

static bool is_reading(const struct http_request *request)
{
	return str_equal_z(request->method, "GET") || request->is_head;
}

static bool may_ask(enum sandbox_visitor visitor, const struct http_request *request)
{
	static const char *const of_token[] = {"/_sandbox/ledger", "/_sandbox/log",
					       "/_sandbox/faults", "/_sandbox/knobs",
					       "/_sandbox/reset",  NULL};
	static const char *const of_admin[] = {"/",
					       "/_sandbox/clock",
					       "/_sandbox/ledger",
					       "/_sandbox/faults",
					       "/_sandbox/knobs",
					       "/_sandbox/reset",
					       NULL};
	const struct str path = request->path;
	const bool is_own = str_equal_z(path, "/") || str_has_prefix(path, STR("/_sandbox"));
	switch (visitor) {
	case SANDBOX_SERVICE:
		return !is_own;
	case SANDBOX_BROWSER:
		return is_reading(request) &&
		       (!is_own || str_equal_z(path, "/_sandbox/style.css") ||
			str_has_prefix(path, STR("/_sandbox/media/")));
	case SANDBOX_TOKEN:
		return sandbox_is_one_of(path, of_token);
	case SANDBOX_ADMIN:
		return sandbox_is_one_of(path, of_admin) || (!is_own && is_reading(request));
	}
	return false;
}

/* Of a visitor from outside this alone comes in. */
void sandbox_visitor_take_off(enum sandbox_visitor visitor, struct http_request *request)
{
	static const char *const allowed[] = {
		"host", "user-agent", "accept", "accept-language", "content-type", NULL};
	size_t kept = 0;
	if (visitor == SANDBOX_SERVICE)
		return;
	for (size_t i = 0; i < request->header_count; i++) {
		const struct str name = str_lower(request->arena, request->headers[i].name);
		if (sandbox_is_one_of(name, allowed))
			request->headers[kept++] = request->headers[i];
	}
	request->header_count = kept;
}

static bool leads_to_us(const struct sandbox_home *home, struct str url)
{
	const struct str seen_url = home->seen_url;
	return str_has_prefix(url, home->redirect_prefix) ||
	       (str_has_prefix(url, seen_url) && url.len > seen_url.len &&
		url.ptr[seen_url.len] == '/');
}

/* ---- what goes out ---- */

static void add_policy(struct http_response *response, bool is_page)
{
	http_response_header(
		response, "Content-Security-Policy",
		is_page ? STR("sandbox allow-forms; default-src 'none'; img-src 'self'; "
			      "media-src 'self'; style-src 'self'; base-uri 'none'; "
			      "frame-ancestors 'none'")
			: STR("sandbox; default-src 'none'; frame-ancestors 'none'"));
	http_response_header(response, "X-Robots-Tag", STR("noindex, nofollow"));
	http_response_header(response, "Referrer-Policy", STR("no-referrer"));
}

/* Of an answer to somebody outside, what is known to do no harm. */
static void guard_answer(const struct sandbox_home *home, struct http_response *response)
{
	static const char *const allowed[] = {"content-type", "cache-control", "retry-after",
					      "allow", NULL};
	bool is_page = false;
	size_t kept = 0;
	for (size_t i = 0; i < response->header_count; i++) {
		const struct http_header header = response->headers[i];
		const struct str name = str_lower(response->arena, header.name);
		const bool is_location =
			str_equal_z(name, "location") && leads_to_us(home, header.value);
		if (!is_location && !sandbox_is_one_of(name, allowed))
			continue;
		is_page = is_page || (str_equal_z(name, "content-type") &&
				      str_has_prefix(header.value, STR("text/html")));
		response->headers[kept++] = header;
	}
	response->header_count = kept;
	add_policy(response, is_page);
}

/* ---- serving ---- */

/* A body that came as a file, for a route that wants it in memory. False: it is too large. */
static bool fit_body(const struct sandbox *sandbox, struct http_request *request,
		     const struct http_route *route)
{
	const size_t inline_max = sandbox->world->port->journal_write != NULL
					  ? SANDBOX_BODY_KEPT_MAX_BYTES
					  : SANDBOX_BODY_INLINE_MAX_BYTES;
	const int64_t size = request->body_size_bytes;
	if (request->body_path == NULL)
		return request->body.len <= route->body_max_bytes;
	if ((uint64_t)size > route->body_max_bytes)
		return false;
	if (route->body_mode == HTTP_BODY_FILE && (size_t)size > inline_max)
		return true;
	FILE *file = fopen(request->body_path, "re");
	char *bytes = arena_alloc(request->arena, (size_t)size + 1);
	const size_t len = file != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
	if (file != NULL)
		fclose(file);
	request->body = (struct str){bytes, len};
	request->body_path = NULL;
	return true;
}

/* "/sandbox" of "https://social.example.com/sandbox". */
static const char *path_in(struct arena *arena, struct str url)
{
	const size_t slashes = str_find(url, STR("//"), 0);
	const size_t slash = slashes != SIZE_MAX ? str_find_char(url, '/', slashes + 2) : SIZE_MAX;
	return slash != SIZE_MAX ? str_z(arena, str_slice(url, slash, url.len)) : "";
}

/* False: the call could not be kept, and what is in memory is not to be trusted. */
static bool serve_in(struct sandbox *sandbox, const struct sandbox_visit *visit,
		     struct http_request *request, struct http_response *response)
{
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	struct str allow = {0};
	const struct http_route *route =
		http_router_match(sandbox->router, request, &fault, &allow);
	if (route == NULL) {
		http_router_fault(sandbox->router, fault, allow, request, response);
		return true;
	}
	struct sandbox_tape tape;
	const char *body_path = request->body_path;
	if (!fit_body(sandbox, request, route)) {
		http_router_fault(sandbox->router, HTTP_FAULT_BODY_TOO_LARGE, allow, request,
				  response);
		return true;
	}
	sandbox_tape_begin(sandbox, &tape, request->arena);
	tape.home = visit->home;
	tape.seen_path = path_in(request->arena, visit->home->seen_url);
	tape.is_browsers = visit->visitor == SANDBOX_BROWSER;
	request->route = route;
	request->user = &tape;
	http_router_dispatch(sandbox->router, request, response);
	request->body_path = body_path; /* the listener removes it */
	return !tape.is_lost;
}

static void answer_refused(struct http_response *response, enum err_kind kind,
			   const struct error *err)
{
	if (kind == ERR_NOT_FOUND)
		refuse(response, 404, "there is no such test app");
	else
		refuse(response, 503, err->text);
}

/* Nobody knows what became of it, as when a platform's answer is lost. */
static void break_off(struct sandbox_worlds *worlds, struct slot *slot,
		      struct http_response *response)
{
	refuse(response, 503, "this test app's sandbox has just moved: try again");
	response->is_dropped = true;
	pthread_mutex_lock(&worlds->mutex);
	slot->is_broken = true;
	pthread_mutex_unlock(&worlds->mutex);
}

static void serve_world(struct sandbox_worlds *worlds, const struct sandbox_visit *visit,
			struct http_request *request, struct http_response *response)
{
	struct slot *slot = NULL;
	struct error err = {0};
	pthread_mutex_lock(&worlds->mutex);
	const enum err_kind kind = slot_enter(worlds, visit->app_id, &slot, &err);
	pthread_mutex_unlock(&worlds->mutex);
	if (kind != ERR_NONE) {
		answer_refused(response, kind, &err);
		return;
	}
	const bool is_reset = str_equal_z(request->path, "/_sandbox/reset");
	if (!make_room(worlds, slot) && !is_reset)
		refuse(response, 503,
		       "this test app's sandbox is full: POST /sandbox/_sandbox/reset, or raise "
		       "its "
		       "quota of media bytes");
	else if (!serve_in(slot->sandbox, visit, request, response))
		break_off(worlds, slot, response);
	slot_leave(worlds, slot);
}

/* Browsers are strangers: only so many at once, so that a fault that hangs holds up nobody. */
static bool browser_enter(struct sandbox_worlds *worlds, enum sandbox_visitor visitor)
{
	if (visitor != SANDBOX_BROWSER)
		return true;
	pthread_mutex_lock(&worlds->mutex);
	const bool is_in = worlds->browsers < BROWSERS_MAX;
	worlds->browsers += is_in ? 1 : 0;
	pthread_mutex_unlock(&worlds->mutex);
	return is_in;
}

static void browser_leave(struct sandbox_worlds *worlds, enum sandbox_visitor visitor)
{
	if (visitor != SANDBOX_BROWSER)
		return;
	pthread_mutex_lock(&worlds->mutex);
	worlds->browsers--;
	pthread_mutex_unlock(&worlds->mutex);
}

void sandbox_worlds_serve(struct sandbox_worlds *worlds, const struct sandbox_visit *visit,
			  struct http_request *request, struct http_response *response)
{
	const enum sandbox_visitor visitor = visit->visitor;
	sandbox_visitor_take_off(visitor, request);
	if (visit->app_id.len > APP_ID_MAX_BYTES || !may_ask(visitor, request))
		refuse(response, 404, "there is nothing here");
	else if (!browser_enter(worlds, visitor))
		refuse(response, 503, "too many visitors: try again");
	else {
		serve_world(worlds, visit, request, response);
		browser_leave(worlds, visitor);
	}
	if (visitor != SANDBOX_SERVICE)
		guard_answer(visit->home, response);
}

void sandbox_worlds_set_hold(struct sandbox_worlds *worlds, int64_t hold)
{
	pthread_mutex_lock(&worlds->mutex);
	worlds->hold = hold;
	for (unsigned i = 0; i < worlds->slot_count; i++) {
		if (worlds->slots[i].sandbox != NULL && is_stale(worlds, &worlds->slots[i]))
			sandbox_wake_all(worlds->slots[i].sandbox);
	}
	pthread_mutex_unlock(&worlds->mutex);
}

/* ---- the disk ---- */

static bool is_app_id(struct str app_id)
{
	for (size_t i = 0; i < app_id.len; i++) {
		const char c = app_id.ptr[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'))
			return false;
	}
	return app_id.len > 0 && app_id.len <= APP_ID_MAX_BYTES;
}

static void path_of(const struct sandbox_worlds *worlds, struct str app_id, char out[512])
{
	snprintf(out, 512, "%s/" STR_FMT, worlds->directory, STR_ARG(app_id));
}

int64_t sandbox_worlds_bytes(struct sandbox_worlds *worlds, struct str app_id)
{
	char path[512];
	path_of(worlds, app_id, path);
	return is_app_id(app_id) ? sandbox_files_bytes(path, "") : 0;
}

void sandbox_worlds_forget(struct sandbox_worlds *worlds, struct str app_id)
{
	char path[512];
	struct sandbox *sandbox = NULL;
	if (!is_app_id(app_id))
		return;
	path_of(worlds, app_id, path);
	pthread_mutex_lock(&worlds->mutex);
	struct slot *slot = slot_find(worlds, app_id);
	const bool is_busy = slot != NULL && (slot->state != SLOT_OPEN || slot->calls > 0);
	if (slot != NULL && !is_busy) {
		sandbox = slot->sandbox;
		*slot = (struct slot){.state = SLOT_FREE};
	}
	pthread_mutex_unlock(&worlds->mutex);
	sandbox_close(&sandbox);
	if (!is_busy)
		sandbox_remove_directory(path);
}

/* ---- all of them ---- */

static enum err_kind make_directories(struct sandbox_worlds *worlds, struct error *err)
{
	const enum err_kind kind = make_directory(worlds->directory, err);
	return kind == ERR_NONE ? make_directory(worlds->body_directory, err) : kind;
}

enum err_kind sandbox_worlds_open(const struct sandbox_worlds_config *config,
				  struct sandbox_worlds **out, struct error *err)
{
	struct sandbox_worlds *worlds = calloc(1, sizeof(*worlds));
	if (worlds == NULL)
		return error_set(err, ERR_TEMPORARY, "out of memory");
	worlds->config = *config;
	worlds->directory = copy(str_of(config->directory));
	worlds->slot_count = config->open_max > 0 ? config->open_max : OPEN_MAX_DEFAULT;
	worlds->slots = calloc(worlds->slot_count, sizeof(*worlds->slots));
	pthread_mutex_init(&worlds->mutex, NULL);
	pthread_cond_init(&worlds->changed, NULL);
	if (worlds->slots == NULL ||
	    asprintf(&worlds->body_directory, "%s/bodies", worlds->directory) < 0)
		abort();
	const enum err_kind kind = make_directories(worlds, err);
	if (kind != ERR_NONE)
		sandbox_worlds_close(&worlds);
	else
		*out = worlds;
	return kind;
}

void sandbox_worlds_end_waits(struct sandbox_worlds *worlds)
{
	pthread_mutex_lock(&worlds->mutex);
	for (unsigned i = 0; i < worlds->slot_count; i++) {
		if (worlds->slots[i].sandbox != NULL)
			sandbox_wake_all(worlds->slots[i].sandbox);
	}
	pthread_mutex_unlock(&worlds->mutex);
}

void sandbox_worlds_close(struct sandbox_worlds **pointer)
{
	struct sandbox_worlds *worlds = *pointer;
	if (worlds == NULL)
		return;
	*pointer = NULL;
	for (unsigned i = 0; i < worlds->slot_count; i++)
		sandbox_close(&worlds->slots[i].sandbox);
	free(worlds->slots);
	free(worlds->directory);
	free(worlds->body_directory);
	pthread_cond_destroy(&worlds->changed);
	pthread_mutex_destroy(&worlds->mutex);
	free(worlds);
}

const char *sandbox_worlds_body_directory(const struct sandbox_worlds *worlds)
{
	return worlds->body_directory;
}
