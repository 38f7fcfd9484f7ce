/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the public API behind its router, over a real store and media store: bodies, queries,
 * cursors, ids, uploads and the tus headers, links, and the agents' door. Whatever is asked, the
 * answer is whole, in the service's own shape, no fault of ours, and splits no header; and no
 * answer to one app names what belongs to the other.
 * The input is up to MANY requests as text, with a line of "%%" between them: "METHOD TARGET",
 * lines of headers, an empty line, the body. $A is the account, $P the post, $W the webhook, $L the
 * path of the last Location or upload_url, $I the last id, $T the other app's post. */
#include "api_fixture.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "seal.h"

#include "mcp.h"

#include "remove_tree.h"

#define INPUT_MAX_BYTES 16384
#define MANY 6
#define CALLS_OF_A_STORE 3000
#define PIECE_BYTES 50

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct {
	struct fixture *fx;
	struct seal *seal;
	int calls;
	struct str account, post, webhook, others_post; /* in the fixture's arena */
	char location[512];
	char id[128];
} world;

/* ---- the service ---- */

/* As a prober in its child would say. */
static bool probe(void *context, int fd, struct sniff *sniff_out)
{
	char bytes[SNIFF_BYTES_WANTED];
	const ssize_t count = pread(fd, bytes, sizeof(bytes), 0);
	(void)context;
	*sniff_out = sniff_media((struct str){bytes, count > 0 ? (size_t)count : 0});
	return true;
}

static struct str id_of(const struct http_response *response, const char *path)
{
	const struct json *body = body_of(response);
	const struct str id = json_string(at(body, path));
	assert(id.len > 0);
	return id;
}

static struct str make_post(struct fixture *fx, struct str account)
{
	return id_of(publish(fx, account,
			     ",\"content\":\"words\",\"scheduled_at\":\"2027-02-01T00:00:00Z\""),
		     "data.post_id");
}

static void open_media(struct fixture *fx)
{
	struct error err = {0};
	const struct media_uploads_config uploads = {.store = fx->store,
						     .files = &fx->media_files,
						     .clock = &fx->clock,
						     .random = &fx->random,
						     .probe = probe,
						     .keep_us = US_PER_DAY};
	ok(media_files_init(&fx->media_files, fx->directory, NULL, &err), &err);
	media_uploads_free(&fx->uploads);
	fx->uploads = media_uploads_new(&uploads);
	fx->config.uploads = fx->uploads;
}

static void world_open(void)
{
	static const uint8_t key[SEAL_KEY_BYTES] = {1};
	struct app_row other;
	struct error err = {0};
	void *state = NULL;
	assert(fixture_begin(&state) == 0);
	struct fixture *fx = state;
	open_media(fx);
	ok(seal_open_key(key, &world.seal, &err), &err);
	fx->config.seal = world.seal;
	fx->config.public_url = "https://posts.example";
	fixture_restart_api(fx);
	ok(mcp_open(fx->api, &err), &err);
	world.account = make_account(fx, &fx->app, PLATFORM_X).id;
	world.post = make_post(fx, world.account);
	world.webhook =
		id_of(post_json(fx, "/v1/webhooks", "{\"url\":\"https://h.example/\"}"), "data.id");
	const char *own = fx->bearer;
	fx->bearer = make_app(fx, "other@example.com", &other);
	world.others_post = make_post(fx, make_account(fx, &other, PLATFORM_X).id);
	fx->bearer = own;
	world.fx = fx;
	world.calls = 0;
}

static void world_close(void)
{
	void *state = world.fx;
	char directory[64];
	if (state == NULL)
		return;
	memcpy(directory, world.fx->directory, sizeof(directory));
	fixture_end(&state);
	seal_free(&world.seal);
	remove_tree(directory);
	world.fx = NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	atexit(world_close);
	return 0;
}

/* ---- a request of the text ---- */

static struct str named(char name)
{
	switch (name) {
	case 'A':
		return world.account;
	case 'P':
		return world.post;
	case 'W':
		return world.webhook;
	case 'T':
		return world.others_post;
	case 'L':
		return str_of(world.location);
	case 'I':
		return str_of(world.id);
	default:
		return (struct str){0};
	}
}

static struct str filled_in(struct arena *arena, struct str text)
{
	struct buf out;
	buf_init(&out, arena, 16 * INPUT_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		const struct str name = text.ptr[i] == '$' && i + 1 < text.len
						? named(text.ptr[i + 1])
						: (struct str){0};
		if (name.ptr == NULL)
			buf_add_char(&out, text.ptr[i]);
		else
			buf_add(&out, name);
		i += name.ptr != NULL;
	}
	return out.is_over ? text : buf_str(&out);
}

/* As the listener would: nothing that http_strict.h refuses. */
static bool read_header(struct http_request *request, struct str line)
{
	struct str name;
	if (!str_take_until(&line, ':', &name) || name.len == 0 || str_has_control(line) ||
	    request->header_count + 4 >= HTTP_HEADERS_MAX)
		return false;
	request->headers[request->header_count++] =
		(struct http_header){name, str_trim(str_slice(line, 1, line.len))};
	return true;
}

static bool is_target(struct str target)
{
	for (size_t i = 0; i < target.len; i++) {
		if (target.ptr[i] <= ' ' || target.ptr[i] >= 0x7f)
			return false;
	}
	return target.len > 0 && target.ptr[0] == '/';
}

static bool read_request(struct arena *arena, struct str text, struct http_request *request)
{
	struct str line = {0};
	str_take_field(&text, '\n', &line);
	struct str target = filled_in(arena, line);
	if (!str_take_until(&target, ' ', &request->method))
		return false;
	request->arena = arena;
	request->target = str_slice(target, 1, target.len);
	if (!is_target(request->target))
		return false;
	while (text.ptr != NULL && str_take_field(&text, '\n', &line)) {
		if (line.len == 0 || !read_header(request, line))
			break;
	}
	request->body = filled_in(arena, text);
	request->body_size_bytes = (int64_t)request->body.len;
	request->remote_address = STR("192.0.2.1");
	return true;
}

static void add_header(struct http_request *request, const char *name, struct str value)
{
	if (http_request_header(request, name) == NULL)
		request->headers[request->header_count++] =
			(struct http_header){str_of(name), value};
}

/* ---- as the listener serves it ---- */

/* False: answered in the middle. */
static bool take_body(const struct http_router *router, struct http_request *request,
		      struct http_response *response)
{
	struct str rest = request->body;
	request->body = (struct str){0};
	if (request->route->admit != NULL &&
	    http_router_admit(router, request, response, true) != HTTP_ADMITTED)
		return false;
	if (!http_router_stream_begin(router, request, response))
		return false;
	while (rest.len > 0) {
		const struct str piece = str_slice(rest, 0, PIECE_BYTES);
		rest = str_slice(rest, PIECE_BYTES, rest.len);
		if (!http_router_stream_take(router, request, piece, response)) {
			http_router_stream_end(router, request);
			return false;
		}
	}
	http_router_dispatch(router, request, response);
	http_router_stream_end(router, request);
	return false;
}

static void serve(struct http_request *request, struct http_response *response)
{
	const struct http_router *router = api_router(world.fx->api);
	enum http_fault fault;
	struct str allow;
	http_response_init(response, request->arena, http_router_response_max_bytes(router));
	request->route = http_router_match(router, request, &fault, &allow);
	if (request->route != NULL && request->route->body_mode == HTTP_BODY_STREAM &&
	    request->body.len > 0 && !take_body(router, request, response))
		return;
	if (request->route != NULL && request->body.len > request->route->body_max_bytes)
		return;
	http_router_dispatch(router, request, response);
}

/* ---- judging ---- */

static bool is_json(const struct http_response *response)
{
	return str_has_prefix(header_of(response, "Content-Type"), STR("application/json"));
}

static void check_answer(const struct http_request *request, const struct http_response *response)
{
	const struct json *body = NULL;
	struct error err = {0};
	assert(response->status >= 200 && response->status < 500);
	for (size_t i = 0; i < response->header_count; i++)
		assert(!str_has_control(response->headers[i].value));
	assert(header_of(response, "X-Request-Id").len > 0);
	if (!is_json(response) || response->body.len == 0)
		return;
	if (json_parse(request->arena, buf_str(&response->body), NULL, &body, NULL, &err) !=
	    ERR_NONE) {
		/* A parameter that is not known is named, and our reader takes no longer names. */
		assert(strstr(err.text, "a key that is too long") != NULL);
		return;
	}
	if (response->status >= 400 && str_find(request->path, STR("/mcp"), 0) == SIZE_MAX) {
		assert(json_string(json_get(body, "error")).len > 0);
		assert(json_string(json_get(body, "message")).len > 0);
	}
}

/* Our app never sees the other's post, unless it named it itself. */
static void check_isolation(const struct http_request *request,
			    const struct http_response *response)
{
	const bool is_asked = str_find(request->target, world.others_post, 0) != SIZE_MAX ||
			      str_find(request->body, world.others_post, 0) != SIZE_MAX;
	/* A query stands in the page that says what this service is; others quote nothing of it. */
	const bool is_page = str_equal_z(request->path, "/");
	if (is_asked)
		assert(response->status != 200 || is_json(response) || is_page);
	else
		assert(str_find(buf_str(&response->body), world.others_post, 0) == SIZE_MAX);
}

static void keep(char *out, size_t size_bytes, struct str text)
{
	if (text.len == 0 || text.len >= size_bytes)
		return;
	memcpy(out, text.ptr, text.len);
	out[text.len] = '\0';
}

/* What the next request may name. */
static void remember(const struct http_response *response)
{
	static const char *const ids[] = {"data.id",      "data.media_id",    "post_id",
					  "data.post_id", "meta.next_cursor", "data.cursor",
					  "cursor"};
	struct str location = header_of(response, "Location");
	const struct json *body = NULL;
	if (is_json(response) && response->status < 300 &&
	    json_parse(response->arena, buf_str(&response->body), NULL, &body, NULL, NULL) ==
		    ERR_NONE) {
		for (size_t i = 0; i < COUNT_OF(ids); i++)
			keep(world.id, sizeof(world.id), json_string(at(body, ids[i])));
		if (location.len == 0)
			location = json_string(at(body, "data.upload_url"));
	}
	str_skip(&location, STR("https://posts.example"));
	keep(world.location, sizeof(world.location), location);
}

static void call(struct str text)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	struct http_response *response = ARENA_NEW(arena, struct http_response);
	if (read_request(arena, text, request)) {
		add_header(request, "Authorization", str_of(world.fx->bearer));
		add_header(request, "Content-Type", STR("application/json"));
		http_request_prepare(request, &world.fx->random);
		serve(request, response);
		if (response->status != 0) {
			check_answer(request, response);
			check_isolation(request, response);
			remember(response);
		}
	}
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {(const char *)data, size};
	if (size > INPUT_MAX_BYTES)
		return 0;
	if (world.fx == NULL || world.calls > CALLS_OF_A_STORE) {
		world_close();
		world_open();
	}
	world.location[0] = world.id[0] = '\0';
	for (int i = 0; i < MANY && rest.len > 0; i++) {
		const size_t end = str_find(rest, STR("\n%%\n"), 0);
		call(str_slice(rest, 0, end == SIZE_MAX ? rest.len : end));
		rest = end == SIZE_MAX ? (struct str){0} : str_slice(rest, end + 4, rest.len);
		world.calls++;
	}
	return 0;
}
