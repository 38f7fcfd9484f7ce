/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the admin API through both of its doors, the control socket's and the dashboard's with a
 * signed-in root, over a real store: bodies, queries, cursors, ids. Whatever is asked, the answer
 * is JSON in one shape, no fault of ours, and names no hash and no sealed secret.
 * The input is up to MANY requests as text, with a line of "%%" between them: "METHOD TARGET" and
 * the body. A target under /admin goes to the control socket. $C is the app's client id, $K the
 * last key's id. */
#include "web_fixture.h"

#include <assert.h>
#include <string.h>

#include "remove_tree.h"

#define INPUT_MAX_BYTES 8192
#define MANY 4
#define CALLS_OF_A_STORE 2000
#define SECRET "very-secret-of-the-platform"
#define SECRET_MASK 0x55
#define ARGON2_MASKED "\x71\x34\x27\x32\x3a\x3b\x67\x3c\x31\x71\x23" /* "$argon2id$v" */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct {
	struct fixture *fx;
	struct browser browser;
	int calls;
	struct str client_id; /* in the fixture's arena */
	char key_id[128];
} world;

static void world_open(void)
{
	void *state = NULL;
	assert(fixture_begin(&state) == 0);
	world.fx = state;
	browser_open(&world.browser, world.fx);
	set_up(&world.browser);
	world.client_id = create_app(world.fx, true);
	assert_status(send(world.fx, "PUT", app_path(world.fx, world.client_id, "/credentials/x"),
			   "{\"client_id\":\"id\",\"client_secret\":\"" SECRET "\"}"),
		      200);
	world.calls = 0;
}

static void world_close(void)
{
	void *state = world.fx;
	char directory[64];
	if (state == NULL)
		return;
	memcpy(directory, world.fx->directory, sizeof(directory));
	browser_close(&world.browser);
	fixture_end(&state);
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

static struct str filled_in(struct arena *arena, struct str text)
{
	struct buf out;
	buf_init(&out, arena, 16 * INPUT_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		const char next = text.ptr[i] == '$' && i + 1 < text.len ? text.ptr[i + 1] : '\0';
		if (next == 'C')
			buf_add(&out, world.client_id);
		else if (next == 'K')
			buf_add_z(&out, world.key_id);
		else
			buf_add_char(&out, text.ptr[i]);
		i += next == 'C' || next == 'K';
	}
	return out.is_over ? text : buf_str(&out);
}

static bool read_request(struct arena *arena, struct str text, struct http_request *request)
{
	struct str target = {0};
	str_take_field(&text, '\n', &target);
	target = filled_in(arena, target);
	request->arena = arena;
	request->body = filled_in(arena, text);
	request->body_size_bytes = (int64_t)request->body.len;
	if (!str_take_until(&target, ' ', &request->method))
		return false;
	request->target = str_slice(target, 1, target.len);
	/* It writes a file where the caller says, which only the operator can. */
	return str_find(request->target, STR("backup"), 0) == SIZE_MAX;
}

static void serve(struct http_request *request, struct http_response *response)
{
	const struct browser *b = &world.browser;
	const bool is_control = str_has_prefix(request->target, STR("/admin"));
	const struct http_router *router = is_control ? admin_router(world.fx->admin) : b->router;
	if (!is_control) {
		request->remote_address = STR("192.0.2.1");
		add_header(request, "Cookie", b->cookie);
		add_header(request, "X-CSRF-Token", b->csrf);
	}
	add_header(request, "Content-Type", STR("application/json"));
	http_request_prepare(request, &world.fx->random);
	http_response_init(response, request->arena, 4 << 20);
	http_router_dispatch(router, request, response);
}

/* ---- judging ---- */

static bool has_header(const struct http_response *response, const char *name, struct str prefix)
{
	const struct str *value = response_header(response, name);
	return value != NULL && str_has_prefix(*value, prefix);
}

/* Is it there? masked: XOR SECRET_MASK, so that the fuzzer does not learn it from a comparison and
 * write it itself. */
static bool holds(struct str text, struct str masked)
{
	for (size_t at = 0; at + masked.len <= text.len; at++) {
		size_t same = 0;
		while (same < masked.len &&
		       ((text.ptr[at + same] ^ masked.ptr[same]) & 0xff) == SECRET_MASK)
			same++;
		if (same == masked.len)
			return true;
	}
	return false;
}

static struct str masked_secret(void)
{
	static char masked[sizeof(SECRET)];
	for (size_t i = 0; i < sizeof(SECRET) - 1; i++)
		masked[i] = SECRET[i] ^ SECRET_MASK;
	return (struct str){masked, sizeof(SECRET) - 1};
}

static void check_answer(const struct http_request *request, const struct http_response *response)
{
	const struct json *body = NULL;
	const struct str text = buf_str(&response->body);
	/* 503: the rest of the service, which is not here, would have to answer. */
	assert(response->status >= 200 && (response->status < 500 || response->status == 503));
	for (size_t i = 0; i < response->header_count; i++)
		assert(!str_has_control(response->headers[i].value));
	assert(!holds(text, STR(ARGON2_MASKED)) && !holds(text, masked_secret()));
	if (!has_header(response, "Content-Type", STR("application/json")) || text.len == 0)
		return;
	assert(json_parse(request->arena, text, NULL, &body, NULL, NULL) == ERR_NONE);
	if (response->status >= 400)
		assert(json_string(json_get(body, "error")).len > 0 &&
		       json_string(json_get(body, "message")).len > 0);
	const struct str id = json_string(json_get(body, "id"));
	if (id.len > 0 && id.len < sizeof(world.key_id)) {
		memcpy(world.key_id, id.ptr, id.len);
		world.key_id[id.len] = '\0';
	}
}

static void call(struct str text)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	struct http_response *response = ARENA_NEW(arena, struct http_response);
	if (read_request(arena, text, request)) {
		serve(request, response);
		check_answer(request, response);
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
	world.key_id[0] = '\0';
	for (int i = 0; i < MANY && rest.len > 0; i++) {
		const size_t end = str_find(rest, STR("\n%%\n"), 0);
		call(str_slice(rest, 0, end == SIZE_MAX ? rest.len : end));
		rest = end == SIZE_MAX ? (struct str){0} : str_slice(rest, end + 4, rest.len);
		world.calls++;
	}
	return 0;
}
