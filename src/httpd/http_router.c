/* SPDX-License-Identifier: Apache-2.0
 * The router: patterns, matching, dispatch. Routes are kept in the order of how exact they are (a
 * literal segment before a capture before "{*rest}", compared segment by segment), so that the
 * first pattern that takes the path is the right one: its routes alone decide about the method.
 * /posts/publish is never the post "publish", by no method (api-decisions.md 1). */
#include "http.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

#include "utf8.h"

#define SEGMENTS_MAX 16
#define ROUTES_MAX 1024
#define RESPONSE_DEFAULT_MAX_BYTES ((size_t)4 * 1024 * 1024)

enum segment_kind { SEGMENT_LITERAL, SEGMENT_CAPTURE, SEGMENT_REST };

struct segment {
	enum segment_kind kind;
	struct str text; /* the literal, or the capture's name */
};

struct entry {
	struct http_route route;
	struct segment segments[SEGMENTS_MAX];
	size_t segment_count;
	size_t capture_count;
};

struct http_router {
	struct http_router_config config;
	struct entry *entries; /* most exact first */
	size_t count;
	size_t capacity;
};

/* A request's path, cut at the slashes before anything is decoded, so that %2F stays inside its
 * segment. */
struct split_path {
	struct str text;
	struct str raw[SEGMENTS_MAX];
	struct str decoded[SEGMENTS_MAX];
	size_t starts[SEGMENTS_MAX]; /* where each segment begins in text, for "{*rest}" */
	size_t count;
	bool is_longer; /* has more segments than any pattern: only "{*rest}" can take it */
};

enum err_kind http_router_new(const struct http_router_config *config,
			      struct http_router **router_out, struct error *err)
{
	struct http_router *router = calloc(1, sizeof(*router));
	if (router == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the router");
	router->config = *config;
	if (router->config.response_max_bytes == 0)
		router->config.response_max_bytes = RESPONSE_DEFAULT_MAX_BYTES;
	*router_out = router;
	return ERR_NONE;
}

void http_router_free(struct http_router **router)
{
	if (*router == NULL)
		return;
	free((*router)->entries);
	free(*router);
	*router = NULL;
}

static bool segment_parse(struct str text, bool is_last, struct segment *segment_out)
{
	const bool has_brace =
		str_find_char(text, '{', 0) != SIZE_MAX || str_find_char(text, '}', 0) != SIZE_MAX;
	if (!has_brace) {
		*segment_out = (struct segment){SEGMENT_LITERAL, text};
		return !str_is_empty(text) || is_last;
	}
	if (!str_skip(&text, STR("{")) || !str_has_suffix(text, STR("}")))
		return false;
	const enum segment_kind kind = str_skip(&text, STR("*")) ? SEGMENT_REST : SEGMENT_CAPTURE;
	text = str_slice(text, 0, text.len - 1);
	*segment_out = (struct segment){kind, text};
	return !str_is_empty(text) && str_find_char(text, '{', 0) == SIZE_MAX &&
	       str_find_char(text, '}', 0) == SIZE_MAX && (kind != SEGMENT_REST || is_last);
}

static bool pattern_parse(const char *pattern, struct entry *entry)
{
	struct str rest = str_of(pattern);
	struct str text;
	if (!str_skip(&rest, STR("/")))
		return false;
	while (str_take_field(&rest, '/', &text)) {
		if (entry->segment_count == SEGMENTS_MAX)
			return false;
		struct segment *segment = &entry->segments[entry->segment_count++];
		if (!segment_parse(text, rest.ptr == NULL, segment))
			return false;
		if (segment->kind != SEGMENT_LITERAL && ++entry->capture_count > HTTP_CAPTURES_MAX)
			return false;
	}
	return entry->segment_count > 0;
}

/* <0: a is tried first. 0: the two take the same paths. */
static int pattern_compare(const struct entry *a, const struct entry *b)
{
	for (size_t i = 0; i < a->segment_count && i < b->segment_count; i++) {
		const struct segment *x = &a->segments[i];
		const struct segment *y = &b->segments[i];
		if (x->kind != y->kind)
			return (int)x->kind - (int)y->kind;
		const int order = x->kind == SEGMENT_LITERAL ? str_compare(x->text, y->text) : 0;
		if (order != 0)
			return order;
	}
	return (int)a->segment_count - (int)b->segment_count;
}

static int entry_compare(const struct entry *a, const struct entry *b)
{
	const int order = pattern_compare(a, b);
	if (order != 0)
		return order;
	const bool a_any = strcmp(a->route.method, "*") == 0;
	const bool b_any = strcmp(b->route.method, "*") == 0;
	return a_any != b_any ? (int)a_any - (int)b_any : strcmp(a->route.method, b->route.method);
}

static bool entries_reserve(struct http_router *router)
{
	if (router->count < router->capacity)
		return true;
	const size_t capacity = router->capacity > 0 ? router->capacity * 2 : 32;
	struct entry *entries = reallocarray(router->entries, capacity, sizeof(*entries));
	if (entries == NULL)
		return false;
	router->entries = entries;
	router->capacity = capacity;
	return true;
}

static enum err_kind route_add(struct http_router *router, const struct http_route *route,
			       struct error *err)
{
	struct entry entry = {.route = *route};
	if (route->method == NULL || route->pattern == NULL || route->handler == NULL)
		return error_set(err, ERR_INTERNAL, "a route lacks its method, pattern or handler");
	if (!pattern_parse(route->pattern, &entry))
		return error_set(err, ERR_INTERNAL, "the route pattern %s is malformed",
				 route->pattern);
	if (router->count == ROUTES_MAX)
		return error_set(err, ERR_INTERNAL, "more than %d routes", ROUTES_MAX);
	if (!entries_reserve(router))
		return error_set(err, ERR_TEMPORARY, "no memory for routes");
	size_t at = 0;
	while (at < router->count && entry_compare(&router->entries[at], &entry) < 0)
		at++;
	if (at < router->count && entry_compare(&router->entries[at], &entry) == 0)
		return error_set(err, ERR_INTERNAL, "the route %s %s is there twice", route->method,
				 route->pattern);
	memmove(&router->entries[at + 1], &router->entries[at],
		(router->count - at) * sizeof(entry));
	router->entries[at] = entry;
	router->count++;
	return ERR_NONE;
}

enum err_kind http_router_add(struct http_router *router, const struct http_route *routes,
			      size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const enum err_kind kind = route_add(router, &routes[i], err);
		if (kind != ERR_NONE)
			return kind;
	}
	return ERR_NONE;
}

/* Decoded once and checked after that (rules.md 3.3): no control character, NUL, or broken
 * UTF-8 gets past here. */
static bool segment_decode(struct arena *arena, struct str text, struct str *decoded_out)
{
	struct str decoded = text;
	if (str_find_char(text, '%', 0) != SIZE_MAX && !percent_decode(arena, text, &decoded))
		return false;
	if (str_has_control(decoded) || !utf8_is_valid(decoded))
		return false;
	*decoded_out = decoded;
	return true;
}

static bool path_split(struct arena *arena, struct str path, struct split_path *split)
{
	struct str rest = path;
	struct str text;
	if (!str_skip(&rest, STR("/")))
		return false;
	split->text = path;
	while (str_take_field(&rest, '/', &text)) {
		if (split->count == SEGMENTS_MAX) {
			split->is_longer = true;
			return true;
		}
		split->starts[split->count] = (size_t)(text.ptr - path.ptr);
		split->raw[split->count] = text;
		if (!segment_decode(arena, text, &split->decoded[split->count]))
			return false;
		split->count++;
	}
	return true;
}

/* Most patterns do not even have as many segments. */
static bool entry_has_length(const struct entry *entry, const struct split_path *split)
{
	if (entry->segment_count == split->count)
		return true;
	const struct segment *last = &entry->segments[entry->segment_count - 1];
	return last->kind == SEGMENT_REST && split->count > entry->segment_count;
}

static bool entry_takes(const struct entry *entry, const struct split_path *split)
{
	if (!entry_has_length(entry, split))
		return false;
	for (size_t i = 0; i < entry->segment_count; i++) {
		const struct segment *segment = &entry->segments[i];
		if (i >= split->count)
			return false;
		if (segment->kind == SEGMENT_REST)
			return true;
		/* As sent: a proxy's rule for /metrics must mean every way to write it. */
		if (segment->kind == SEGMENT_LITERAL && !str_equal(segment->text, split->raw[i]))
			return false;
		if (segment->kind == SEGMENT_CAPTURE && str_is_empty(split->decoded[i]))
			return false;
	}
	return entry->segment_count == split->count && !split->is_longer;
}

static bool method_fits(const struct http_route *route, struct str method)
{
	return strcmp(route->method, "*") == 0 || str_equal_z(method, route->method) ||
	       (str_equal(method, STR("HEAD")) && strcmp(route->method, "GET") == 0);
}

static bool captures_fill(const struct entry *entry, const struct split_path *split,
			  struct http_request *request)
{
	request->capture_count = 0;
	for (size_t i = 0; i < entry->segment_count; i++) {
		const struct segment *segment = &entry->segments[i];
		if (segment->kind == SEGMENT_LITERAL)
			continue;
		struct str value = split->decoded[i];
		if (segment->kind == SEGMENT_REST &&
		    !segment_decode(request->arena,
				    str_slice(split->text, split->starts[i], split->text.len),
				    &value))
			return false;
		request->captures[request->capture_count++] =
			(struct http_capture){segment->text, value};
	}
	return true;
}

/* Adds the method unless the list has it. */
static void allow_add(struct buf *allow, const char *method)
{
	struct str rest = buf_str(allow);
	struct str one;
	while (!str_is_empty(rest) && str_take_field(&rest, ',', &one)) {
		if (str_equal_z(str_trim(one), method))
			return;
	}
	if (allow->len > 0)
		buf_add_z(allow, ", ");
	buf_add_z(allow, method);
}

const struct http_route *http_router_match(const struct http_router *router,
					   struct http_request *request, enum http_fault *fault_out,
					   struct str *allow_out)
{
	struct split_path split = {0};
	struct buf allow;
	request->capture_count = 0;
	*fault_out = HTTP_FAULT_NOT_FOUND;
	if (!path_split(request->arena, request->path, &split))
		return NULL;
	buf_init(&allow, request->arena, 256);
	const struct entry *first = NULL;
	for (size_t i = 0; i < router->count; i++) {
		const struct entry *entry = &router->entries[i];
		if (first != NULL && pattern_compare(first, entry) != 0)
			break;
		if (!entry_takes(entry, &split))
			continue;
		first = entry;
		if (method_fits(&entry->route, request->method))
			return captures_fill(entry, &split, request) ? &entry->route : NULL;
		allow_add(&allow, entry->route.method);
	}
	if (allow.len > 0) {
		*fault_out = HTTP_FAULT_METHOD_NOT_ALLOWED;
		*allow_out = buf_str(&allow);
	}
	return NULL;
}

static const struct {
	int status;
	const char *text;
} fault_texts[] = {
	[HTTP_FAULT_NOT_FOUND] = {404, "not found\n"},
	[HTTP_FAULT_METHOD_NOT_ALLOWED] = {405, "method not allowed\n"},
	[HTTP_FAULT_BODY_TOO_LARGE] = {413, "the body is too large\n"},
	[HTTP_FAULT_MISDIRECTED] = {421, "this host is not served here\n"},
	[HTTP_FAULT_HEADERS_TOO_LARGE] = {431, "the headers are too large\n"},
	[HTTP_FAULT_BAD_REQUEST] = {400, "bad request\n"},
	[HTTP_FAULT_INTERNAL] = {500, "internal error\n"},
	[HTTP_FAULT_UNAVAILABLE] = {503, "try again later\n"},
};

static void response_reset(struct http_response *response)
{
	http_response_init(response, response->arena, response->body.max_bytes);
}

static void fault_render(const struct http_router *router, enum http_fault fault,
			 const struct http_request *request, struct http_response *response)
{
	if (router->config.render_fault != NULL)
		router->config.render_fault(router->config.context, fault, request, response);
	if (response->status != 0 && !response->body.is_over)
		return;
	buf_add_z(http_response_text(response, fault_texts[fault].status,
				     "text/plain; charset=utf-8"),
		  fault_texts[fault].text);
}

/* Checks that the handler left an answer: a status that a client can read, and a body within its
 * ceiling. */
static bool response_is_usable(const struct http_response *response)
{
	if (response->is_dropped)
		return true;
	return response->status >= 200 && response->status <= 599 && !response->body.is_over;
}

static void response_finish(const struct http_router *router, const struct http_request *request,
			    struct http_response *response)
{
	if (!response_is_usable(response)) {
		response_reset(response);
		fault_render(router, HTTP_FAULT_INTERNAL, request, response);
	}
	if (router->config.after != NULL)
		router->config.after(router->config.context, request, response);
	if (response->header_count == HTTP_RESPONSE_HEADERS_MAX)
		response->header_count--; /* the id is on every answer (api-decisions.md 1) */
	http_response_header(response, "X-Request-Id", str_of(request->request_id));
}

void http_router_fault(const struct http_router *router, enum http_fault fault, struct str allow,
		       const struct http_request *request, struct http_response *response)
{
	response_reset(response);
	if (fault == HTTP_FAULT_METHOD_NOT_ALLOWED && !str_is_empty(allow))
		http_response_header(response, "Allow", allow);
	fault_render(router, fault, request, response);
	response_finish(router, request, response);
}

static void *route_context(const struct http_router *router, const struct http_route *route)
{
	return route->context != NULL ? route->context : router->config.context;
}

enum http_admission http_router_admit(const struct http_router *router,
				      struct http_request *request, struct http_response *response,
				      bool may_wait)
{
	const struct http_route *route = request->route;
	if (route->admit == NULL)
		return HTTP_ADMITTED;
	const enum http_admission admission =
		route->admit(route_context(router, route), request, response, may_wait);
	if (admission == HTTP_REFUSED)
		response_finish(router, request, response);
	return admission;
}

bool http_router_stream_begin(const struct http_router *router, struct http_request *request,
			      struct http_response *response)
{
	const struct http_route *route = request->route;
	const bool has_begun =
		route->stream->begin(route_context(router, route), request, response);
	if (!has_begun)
		response_finish(router, request, response);
	return has_begun;
}

bool http_router_stream_take(const struct http_router *router, struct http_request *request,
			     struct str piece, struct http_response *response)
{
	const struct http_route *route = request->route;
	const bool is_taken =
		route->stream->take(route_context(router, route), request, piece, response);
	if (!is_taken)
		response_finish(router, request, response);
	return is_taken;
}

void http_router_stream_end(const struct http_router *router, struct http_request *request)
{
	const struct http_route *route = request->route;
	route->stream->end(route_context(router, route), request);
}

static void route_run(const struct http_router *router, struct http_request *request,
		      struct http_response *response)
{
	const struct http_route *route = request->route;
	if (router->config.before != NULL &&
	    !router->config.before(router->config.context, request, response))
		return;
	route->handler(route_context(router, route), request, response);
}

void http_router_dispatch(const struct http_router *router, struct http_request *request,
			  struct http_response *response)
{
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	struct str allow = {0};
	if (request->route == NULL)
		request->route = http_router_match(router, request, &fault, &allow);
	if (request->route == NULL) {
		http_router_fault(router, fault, allow, request, response);
		return;
	}
	route_run(router, request, response);
	response_finish(router, request, response);
}

size_t http_router_response_max_bytes(const struct http_router *router)
{
	return router->config.response_max_bytes;
}
