/* SPDX-License-Identifier: Apache-2.0
 * The sandbox's frame: opening and closing, and the way of every platform call: into the log, past
 * the faults, through the platform's handler under the lock, and out, damaged if a fault says so.
 * Objects: sandbox (everything), bound_route (a module's route with its sandbox), sandbox_call (a
 * request in a handler), fault (a request to fail). */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>
#include <sodium.h>

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "random.h"
#include "str.h"
#include "thread.h"

#include "json_write.h"

#include "httpd.h"

#include "sandbox_core.h"

#define THREADS_DEFAULT 64
#define HANG_MS_DEFAULT 60000
#define SLOW_S_DEFAULT 5
#define BODY_MEMORY_MAX_BYTES ((size_t)1 << 20)
#define BODY_FILE_MAX_BYTES ((size_t)64 << 20)
#define RESPONSE_MAX_BYTES ((size_t)256 << 20) /* the whole request log, escaped */
#define REQUEST_ARENA_MAX_BYTES ((size_t)1 << 30)
#define CLOSE_TIMEOUT_MS 5000

/* ---- one call ---- */

static void answer_text(struct http_response *response, int status, const char *text)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "sandbox", str_of(text));
	json_end_object(&w);
}

static void answer_drop(struct http_response *response)
{
	response->status = 200; /* never sent */
	response->is_dropped = true;
	response->close = true;
}

/* Answers with what the fault specifies. Headers of the lost answer are dropped. */
static void answer_fault(struct sandbox_call *call, const struct fault *fault)
{
	struct http_response *response = call->response;
	const char *type = fault->is_json_body ? "application/json" : "text/plain; charset=utf-8";
	if (!fault->is_json_body && call->sandbox->world == NULL &&
	    str_has_prefix(fault->body, STR("<")))
		type = "text/html; charset=utf-8";
	response->header_count = 0;
	buf_clear(&response->body);
	for (size_t i = 0; i < fault->header_count && call->sandbox->world == NULL; i++) {
		if (str_equal_nocase(fault->headers[i].name, STR("content-type")))
			type = str_z(call->arena, fault->headers[i].value);
	}
	if (fault->has_body)
		buf_add(http_response_text(response, fault->status, type), fault->body);
	response->status = fault->status;
	if (fault->error.len > 0)
		call->module->render_error(call, fault->error);
	for (size_t i = 0; i < fault->header_count; i++) {
		if (!str_equal_nocase(fault->headers[i].name, STR("content-type")))
			http_response_header(response, str_z(call->arena, fault->headers[i].name),
					     str_copy(call->arena, fault->headers[i].value));
	}
	if (fault->retry_after_s >= 0)
		http_response_header(
			response, "Retry-After",
			str_format(call->arena, "%lld", (long long)fault->retry_after_s));
}

static void expire_token(struct sandbox_call *call)
{
	struct sandbox_token *token =
		call->module->token_of != NULL ? call->module->token_of(call) : NULL;
	if (token != NULL)
		token->is_expired = true;
	call->module->render_token_expired(call);
}

/* Applies a fault before the handler. True: the handler must not run. */
static bool fault_before(struct sandbox_call *call, const struct fault *fault)
{
	switch (fault->effect) {
	case FAULT_STATUS:
		answer_fault(call, fault);
		return true;
	case FAULT_RESET_BEFORE:
		answer_drop(call->response);
		return true;
	case FAULT_RATE_LIMIT:
		call->module->render_rate_limit(
			call, fault->retry_after_s > 0 ? fault->retry_after_s : 0);
		return true;
	case FAULT_EXPIRE_TOKEN:
		expire_token(call);
		return true;
	case FAULT_SLOW:
		sandbox_wait(call->sandbox, 1000 * (fault->retry_after_s >= 0 ? fault->retry_after_s
									      : SLOW_S_DEFAULT));
		return false;
	case FAULT_CUT:
		call->is_cut = true;
		call->body = str_slice(call->body, 0, (size_t)fault->kept_bytes);
		return false;
	case FAULT_STATUS_AFTER:
	case FAULT_RESET_AFTER:
	case FAULT_TIMEOUT_AFTER:
	case FAULT_TRUNCATE:
	case FAULT_GARBAGE:
	case FAULT_EFFECT_COUNT:
		break;
	}
	return false;
}

/* Applies a fault to the handler's answer. */
static void fault_after(struct sandbox_call *call, const struct fault *fault)
{
	struct http_response *response = call->response;
	switch (fault->effect) {
	case FAULT_STATUS_AFTER:
		answer_fault(call, fault);
		break;
	case FAULT_RESET_AFTER:
	case FAULT_TIMEOUT_AFTER:
	case FAULT_CUT:
		answer_drop(response);
		break;
	case FAULT_TRUNCATE:
		if (response->body.len == 0)
			answer_drop(response);
		else
			response->truncate_at_bytes = (int64_t)(response->body.len / 2);
		break;
	case FAULT_GARBAGE:
		buf_clear(&response->body);
		buf_add_z(&response->body, "\x7b\"\x01\xff\xfe garbage }]");
		break;
	case FAULT_STATUS:
	case FAULT_RESET_BEFORE:
	case FAULT_SLOW:
	case FAULT_RATE_LIMIT:
	case FAULT_EXPIRE_TOKEN:
	case FAULT_EFFECT_COUNT:
		break;
	}
}

static struct str path_without_host(struct str path)
{
	const size_t slash = str_find_char(path, '/', 1);
	return slash != SIZE_MAX ? str_slice(path, slash, path.len) : STR("/");
}

/* The texts of a fault belong to a list that a reset may free while the handler has released the
 * lock. */
static void fault_hold(struct arena *arena, struct fault *fault)
{
	fault->body = str_copy(arena, fault->body);
	fault->error = str_copy(arena, fault->error);
	for (size_t i = 0; i < fault->header_count; i++)
		fault->headers[i] = (struct http_header){str_copy(arena, fault->headers[i].name),
							 str_copy(arena, fault->headers[i].value)};
}

static bool take_fault(struct sandbox_call *call, struct fault *fault)
{
	if (!sandbox_fault_take(call->sandbox, call->platform, call->request->method,
				path_without_host(call->request->path), fault))
		return false;
	fault_hold(call->arena, fault);
	return true;
}

static void run_handler(struct sandbox_call *call, sandbox_handler handler)
{
	if (sandbox_is_full(call->sandbox)) {
		answer_text(call->response, 503, "the sandbox is full: POST /_sandbox/reset");
		return;
	}
	/* The effect slow waits, and a reset may come between. */
	call->state = sandbox_state(call->sandbox, call->module->platform);
	call->now_us = sandbox_now_us(call->sandbox);
	handler(call);
	if (call->response->status == 0)
		answer_text(call->response, 500, "the simulated platform gave no answer");
}

/* Past the faults, through the handler. The lock is held. */
static void handle(struct sandbox_call *call, sandbox_handler handler, uint64_t number)
{
	struct sandbox *sandbox = call->sandbox;
	const uint64_t generation = sandbox->generation;
	struct fault fault;
	call->state = sandbox_state(sandbox, call->module->platform);
	call->now_us = sandbox_now_us(sandbox);
	if (call->module->platform_of != NULL)
		call->platform = call->module->platform_of(call);
	const bool has_fault = take_fault(call, &fault);
	if (!has_fault || !fault_before(call, &fault))
		run_handler(call, handler);
	if (has_fault)
		fault_after(call, &fault);
	if (generation == sandbox->generation)
		sandbox_reqlog_set_status(&sandbox->reqlog, number,
					  call->response->is_dropped ? 0 : call->response->status);
	if (has_fault && fault.effect == FAULT_TIMEOUT_AFTER)
		sandbox_wait(sandbox, sandbox->hang_ms);
}

/* The request is logged before it is handled: a call that hangs must be visible while it hangs. */
static void dispatch(void *context, struct http_request *request, struct http_response *response)
{
	const struct bound_route *bound = context;
	struct sandbox *sandbox = bound->sandbox;
	struct sandbox_tape *tape = sandbox_tape_of(sandbox, request);
	request->user = sandbox; /* logged here, not in after_answer */
	struct sandbox_call call;
	sandbox_call_init(&call, bound, request, response, tape);
	const int64_t at_us = tape != NULL ? tape->now_us : clock_now_us(sandbox->clock);
	const struct str entry = sandbox_reqlog_format(request->arena, request, call.body, at_us);
	sandbox_lock(sandbox);
	if (sandbox->past != NULL)
		sandbox->past->tape = tape;
	handle(&call, bound->handler, sandbox_reqlog_add(&sandbox->reqlog, entry, at_us));
	if (sandbox->past != NULL)
		sandbox_past_call_ends(sandbox, request, tape);
	sandbox_unlock(sandbox);
}

/* ---- what the router says itself ---- */

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	static const int statuses[] = {
		[HTTP_FAULT_NOT_FOUND] = 404,      [HTTP_FAULT_METHOD_NOT_ALLOWED] = 405,
		[HTTP_FAULT_BODY_TOO_LARGE] = 413, [HTTP_FAULT_HEADERS_TOO_LARGE] = 431,
		[HTTP_FAULT_BAD_REQUEST] = 400,    [HTTP_FAULT_INTERNAL] = 500,
		[HTTP_FAULT_UNAVAILABLE] = 503,    [HTTP_FAULT_MISDIRECTED] = 421,
	};
	const struct str path = request != NULL ? request->path : (struct str){0};
	const struct str method = request != NULL ? request->method : (struct str){0};
	(void)context;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, statuses[fault]));
	json_begin_object(&w);
	json_member_str(&w, "sandbox",
			str_format(response->arena,
				   "%d: the sandbox has no route " STR_FMT " " STR_FMT
				   " (the first path segment is the platform's host)",
				   statuses[fault], STR_ARG(method), STR_ARG(path)));
	json_end_object(&w);
}

static bool is_own_path(struct str path)
{
	return str_equal_z(path, "/") || str_equal_z(path, "/favicon.ico") ||
	       str_has_prefix(path, STR("/_sandbox/"));
}

static void after_answer(void *context, const struct http_request *request,
			 struct http_response *response)
{
	struct sandbox *sandbox = context;
	if (request == NULL || request->user == sandbox || request->arena == NULL ||
	    is_own_path(request->path))
		return;
	sandbox_lock(sandbox);
	const int64_t at_us = clock_now_us(sandbox->clock);
	const struct str entry =
		sandbox_reqlog_format(request->arena, request, request->body, at_us);
	const uint64_t number = sandbox_reqlog_add(&sandbox->reqlog, entry, at_us);
	sandbox_reqlog_set_status(&sandbox->reqlog, number, response->status);
	sandbox_unlock(sandbox);
}

/* ---- opening ---- */

static size_t body_max_bytes(const struct sandbox_route *route)
{
	if (route->body_max_bytes > 0)
		return route->body_max_bytes;
	return route->body_mode == HTTP_BODY_FILE ? BODY_FILE_MAX_BYTES : BODY_MEMORY_MAX_BYTES;
}

static enum err_kind add_module(struct sandbox *sandbox, const struct sandbox_module *module,
				struct error *err)
{
	for (size_t i = 0; i < module->route_count; i++) {
		const struct sandbox_route *route = &module->routes[i];
		struct bound_route *bound = &sandbox->bound[sandbox->bound_count++];
		const struct http_route http = {
			.method = route->method,
			.pattern = route->pattern,
			.handler = dispatch,
			.context = bound,
			.body_mode = route->body_mode,
			.body_max_bytes = body_max_bytes(route),
		};
		*bound = (struct bound_route){sandbox, module, route->handler};
		const enum err_kind kind = http_router_add(sandbox->router, &http, 1, err);
		if (kind != ERR_NONE)
			return error_add(err, "%s", route->pattern);
	}
	return ERR_NONE;
}

enum err_kind sandbox_make_router(struct sandbox *sandbox, struct error *err)
{
	const struct http_router_config config = {
		.context = sandbox,
		.after = after_answer,
		.render_fault = render_fault,
		.response_max_bytes = RESPONSE_MAX_BYTES,
	};
	size_t count = 0;
	for (size_t i = 0; i < sandbox->module_count; i++)
		count += sandbox->modules[i]->route_count;
	sandbox->bound = calloc(count > 0 ? count : 1, sizeof(*sandbox->bound));
	if (sandbox->bound == NULL)
		return error_set(err, ERR_TEMPORARY, "out of memory");
	enum err_kind kind = http_router_new(&config, &sandbox->router, err);
	if (kind == ERR_NONE)
		kind = http_router_add(sandbox->router, sandbox_control_routes,
				       sandbox_control_route_count, err);
	for (size_t i = 0; i < sandbox->module_count && kind == ERR_NONE; i++)
		kind = add_module(sandbox, sandbox->modules[i], err);
	return kind;
}

static enum err_kind make_directory(struct sandbox *sandbox, struct error *err)
{
	const char *parent = getenv("TMPDIR");
	if (parent == NULL || parent[0] != '/' || strlen(parent) > 200)
		parent = "/tmp";
	char path[256];
	snprintf(path, sizeof(path), "%s/posthorn-sandbox-XXXXXX", parent);
	if (mkdtemp(path) == NULL)
		return error_set_native(err, ERR_TEMPORARY, errno,
					"cannot create a temporary directory in %s", parent);
	sandbox->directory = strdup(path);
	if (asprintf(&sandbox->body_directory, "%s/bodies", path) < 0)
		sandbox->body_directory = NULL;
	if (sandbox->directory == NULL || sandbox->body_directory == NULL ||
	    mkdir(sandbox->body_directory, 0700) != 0)
		return error_set_native(err, ERR_TEMPORARY, errno,
					"cannot create a temporary directory in %s", parent);
	return ERR_NONE;
}

static void init_lock(struct sandbox *sandbox)
{
	pthread_mutex_init(&sandbox->lock, NULL);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sandbox->closing, &attributes);
	pthread_condattr_destroy(&attributes);
}

static enum err_kind listen_on(struct sandbox *sandbox, const struct sandbox_config *config,
			       struct error *err)
{
	const struct httpd_config httpd = {
		.listen = config->listen,
		.router = sandbox->router,
		.log = sandbox->log,
		.random = sandbox->past != NULL ? sandbox->past->real_random : sandbox->random,
		.threads = config->threads > 0 ? config->threads : THREADS_DEFAULT,
		.arena_max_bytes = REQUEST_ARENA_MAX_BYTES,
		.header_max_bytes = 64 << 10,
		.body_directory = sandbox->body_directory,
	};
	return httpd_open(&httpd, &sandbox->httpd, err);
}

enum err_kind sandbox_new(const struct sandbox_config *config,
			  const struct sandbox_module *const *modules, size_t module_count,
			  struct sandbox **sandbox_out, struct error *err)
{
	struct sandbox *sandbox = calloc(1, sizeof(*sandbox));
	if (sandbox == NULL)
		return error_set(err, ERR_TEMPORARY, "out of memory");
	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		free(sandbox);
		return error_set(err, ERR_INTERNAL, "libsodium or libcurl failed to initialize");
	}
	init_lock(sandbox);
	sandbox->modules = modules;
	sandbox->module_count = module_count;
	sandbox->log = config->log;
	sandbox->clock = config->clock != NULL ? config->clock : clock_system();
	sandbox->random = config->random != NULL ? config->random : random_system();
	sandbox->hang_ms = config->hang_ms > 0 ? config->hang_ms : HANG_MS_DEFAULT;
	sandbox->state_max_bytes = SANDBOX_STATE_MAX_BYTES;
	*sandbox_out = sandbox;
	return ERR_NONE;
}

static enum err_kind begin_in_memory(struct sandbox *sandbox, struct error *err)
{
	const enum err_kind kind = make_directory(sandbox, err);
	if (kind == ERR_NONE)
		sandbox_reset(sandbox);
	return kind;
}

enum err_kind sandbox_open_with(const struct sandbox_config *config,
				const struct sandbox_module *const *modules, size_t module_count,
				struct sandbox **sandbox_out, struct error *err)
{
	struct sandbox *sandbox = NULL;
	enum err_kind kind = sandbox_new(config, modules, module_count, &sandbox, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sandbox_make_router(sandbox, err);
	if (kind == ERR_NONE)
		kind = config->directory != NULL ? sandbox_past_open(sandbox, config, err)
						 : begin_in_memory(sandbox, err);
	if (kind == ERR_NONE)
		kind = listen_on(sandbox, config, err);
	if (kind != ERR_NONE)
		sandbox_close(&sandbox);
	else
		*sandbox_out = sandbox;
	return kind;
}

struct str sandbox_base_url(const struct sandbox *sandbox)
{
	return httpd_base_url(sandbox->httpd);
}

/* ---- closing ---- */

void sandbox_wake_all(struct sandbox *sandbox)
{
	sandbox_lock(sandbox);
	sandbox->is_closing = true;
	pthread_cond_broadcast(&sandbox->closing);
	sandbox_unlock(sandbox);
}

void sandbox_close(struct sandbox **sandbox)
{
	struct sandbox *s = *sandbox;
	if (s == NULL)
		return;
	*sandbox = NULL;
	sandbox_wake_all(s);
	httpd_close(&s->httpd, CLOSE_TIMEOUT_MS);
	http_router_free(&s->router);
	sandbox_world_end(s);
	sandbox_fini(s);
	if (s->past == NULL) {
		sandbox_remove_directory(s->body_directory);
		sandbox_remove_directory(s->directory);
	}
	sandbox_past_close(s);
	free(s->world);
	free(s->body_directory);
	free(s->directory);
	free(s->bound);
	pthread_cond_destroy(&s->closing);
	pthread_mutex_destroy(&s->lock);
	free(s);
	curl_global_cleanup();
}
