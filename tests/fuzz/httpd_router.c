/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes httpd/http.h: no target leads to a route that is not its own. A match is checked against
 * the pattern here, segment by segment, from the bytes as they came; what was captured is text, and
 * leads to the same route when it is written into a path again. What is answered is always whole.
 * The input is "METHOD TARGET". */
#include "http.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "url.h"
#include "utf8.h"

#define TARGET_MAX_BYTES 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void handler(void *context, struct http_request *request, struct http_response *response)
{
	(void)context, (void)request;
	response->status = 204;
}

#define ROUTE(verb, text) \
	{ \
		.method = verb, .pattern = text, .handler = handler \
	}

static const struct http_route routes[] = {
	ROUTE("GET", "/"),
	ROUTE("GET", "/metrics"),
	ROUTE("GET", "/posts"),
	ROUTE("POST", "/posts"),
	ROUTE("POST", "/posts/publish"),
	ROUTE("GET", "/posts/{post_id}"),
	ROUTE("DELETE", "/posts/{post_id}"),
	ROUTE("GET", "/posts/{post_id}/deliveries/{delivery_id}"),
	ROUTE("*", "/apps/{client_id}/v1/{*rest}"),
	ROUTE("GET", "/apps/{client_id}/v1/own"),
	ROUTE("GET", "/{*rest}"),
};

static const struct http_router *router(void)
{
	static struct http_router *made;
	const struct http_router_config config = {.context = NULL};
	if (made == NULL) {
		assert(http_router_new(&config, &made, NULL) == ERR_NONE);
		assert(http_router_add(made, routes, COUNT_OF(routes), NULL) == ERR_NONE);
	}
	return made;
}

static struct http_request *request_of(struct arena *arena, struct str method, struct str target)
{
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	request->arena = arena;
	request->method = method;
	request->target = target;
	http_request_prepare(request, random_system());
	return request;
}

/* ---- a match, read again ---- */

static bool is_text(struct str value)
{
	return utf8_is_valid(value) && !str_has_control(value);
}

static void check_capture(const struct http_request *request, struct str name, struct str raw)
{
	struct str expected;
	const struct str value = http_request_capture(request, str_z(request->arena, name));
	assert(percent_decode(request->arena, raw, &expected));
	assert(str_equal(value, expected) && is_text(value));
}

static void check_segments(const struct http_request *request)
{
	struct str pattern = str_of(request->route->pattern);
	struct str path = request->path;
	struct str wanted, raw;
	assert(str_skip(&pattern, STR("/")) && str_skip(&path, STR("/")));
	while (pattern.ptr != NULL && str_take_field(&pattern, '/', &wanted)) {
		assert(path.ptr != NULL);
		if (str_skip(&wanted, STR("{*"))) {
			check_capture(request, str_slice(wanted, 0, wanted.len - 1), path);
			return;
		}
		assert(str_take_field(&path, '/', &raw));
		if (str_skip(&wanted, STR("{"))) {
			assert(raw.len > 0);
			check_capture(request, str_slice(wanted, 0, wanted.len - 1), raw);
		} else {
			assert(str_equal(raw, wanted));
		}
	}
	assert(path.ptr == NULL);
}

static void check_method(const struct http_request *request)
{
	const char *of_route = request->route->method;
	assert(strcmp(of_route, "*") == 0 || str_equal_z(request->method, of_route) ||
	       (request->is_head && strcmp(of_route, "GET") == 0));
}

/* The captures written into the pattern are a way to the same place. */
static void check_again(const struct http_request *request)
{
	struct arena *arena = request->arena;
	struct str pattern = str_of(request->route->pattern);
	struct str wanted, allow;
	struct buf path;
	enum http_fault fault;
	buf_init(&path, arena, 8 * TARGET_MAX_BYTES);
	str_skip(&pattern, STR("/"));
	while (pattern.ptr != NULL && str_take_field(&pattern, '/', &wanted)) {
		if (str_skip(&wanted, STR("{*")))
			return; /* its slashes may be of one segment or of several */
		buf_add_char(&path, '/');
		if (!str_skip(&wanted, STR("{"))) {
			buf_add(&path, wanted);
			continue;
		}
		const struct str name = str_slice(wanted, 0, wanted.len - 1);
		percent_encode(&path, http_request_capture(request, str_z(arena, name)));
	}
	struct http_request *again = request_of(arena, request->method, buf_str(&path));
	const struct http_route *route = http_router_match(router(), again, &fault, &allow);
	/* An id that is spelled like a literal segment belongs to the literal. */
	assert(route == request->route || str_equal(request->captures[0].value, STR("publish")));
}

static void check_answer(struct http_request *request)
{
	struct http_response *response = ARENA_NEW(request->arena, struct http_response);
	request->route = NULL;
	http_response_init(response, request->arena, http_router_response_max_bytes(router()));
	http_router_dispatch(router(), request, response);
	assert(response->status == 204 || response->status == 404 || response->status == 405);
	assert((response->status == 204) == (request->route != NULL));
	for (size_t i = 0; i < response->header_count; i++)
		assert(!str_has_control(response->headers[i].value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str target = {(const char *)data, size};
	struct str method, allow;
	enum http_fault fault;
	if (!str_take_until(&target, ' ', &method) || !str_skip(&target, STR(" ")) ||
	    method.len == 0 || target.len > TARGET_MAX_BYTES)
		return 0;
	struct arena *arena = arena_new("fuzz", (size_t)16 << 20);
	struct http_request *request = request_of(arena, method, target);
	request->route = http_router_match(router(), request, &fault, &allow);
	if (request->route != NULL) {
		check_method(request);
		check_segments(request);
		check_again(request);
	}
	check_answer(request);
	arena_free(&arena);
	return 0;
}
