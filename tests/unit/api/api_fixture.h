/* SPDX-License-Identifier: Apache-2.0
 * What the API's tests share: an API over a real SQLite store in a directory of its own, with a
 * clock and a randomness that the test moves, and a connector and a deliverer that only remember
 * what was asked of them. Requests go through the router. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "count_of.h"
#include "uuid.h"

#include "base64.h"

#include "digest.h"
#include "token.h"

#include "connect.h"
#include "delivery.h"
#include "media_files.h"
#include "media_upload.h"
#include "webhook.h"

#include "api_private.h"

#define NOW INT64_C(1800000000000000) /* 2027-01-15T08:00:00Z */
#define ARENA_BYTES ((size_t)256 << 20)
#define BACK "https://customer.example/back"

/* ---- what stands in for connect/ and delivery/ ---- */

struct connector {
	enum err_kind kind; /* what the next call answers */
	const char *text;
	struct connect_return back;
	int calls;
	struct connect_request request; /* of connector_begin */
	struct str state;               /* of connector_callback */
	struct str awaited;
	struct str browser_token;
	int64_t wait_ms;
	struct check_outcome check; /* of connector_check */
};

struct deliverer {
	int wakes;
};

void deliverer_wake(struct deliverer *deliverer)
{
	deliverer->wakes++;
}

void deliverer_wake_for(struct deliverer *deliverer, int64_t due_us)
{
	(void)due_us;
	deliverer_wake(deliverer);
}

void deliverer_wake_removals(struct deliverer *deliverer)
{
	(void)deliverer;
}

enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err)
{
	(void)arena;
	connector->calls++;
	connector->request = *request;
	*begun_out =
		(struct connect_begun){STR("https://platform.example/authorize"), STR("conn_1")};
	return connector->kind == ERR_NONE ? ERR_NONE
					   : error_set(err, connector->kind, "%s", connector->text);
}

enum err_kind connector_callback(struct connector *connector, struct arena *arena,
				 enum platform_id platform, const struct form *query,
				 int64_t wait_ms, struct connect_return *return_out,
				 struct error *err)
{
	(void)arena, (void)platform;
	const struct str *state = form_find(query, "state");
	connector->calls++;
	connector->state = state != NULL ? *state : STR("");
	connector->wait_ms = wait_ms;
	*return_out = connector->back;
	return connector->kind == ERR_NONE ? ERR_NONE
					   : error_set(err, connector->kind, "%s", connector->text);
}

enum err_kind connector_check(struct connector *connector, struct arena *arena,
			      const struct account_row *account, int64_t wait_ms,
			      struct check_outcome *outcome_out, struct error *err)
{
	(void)arena, (void)account;
	connector->calls++;
	connector->wait_ms = wait_ms;
	*outcome_out = connector->check;
	return connector->kind == ERR_NONE ? ERR_NONE
					   : error_set(err, connector->kind, "%s", connector->text);
}

enum err_kind connector_disconnect(struct connector *connector, struct arena *arena,
				   const struct account_row *account, int64_t wait_ms,
				   struct error *err)
{
	(void)arena, (void)account;
	connector->calls++;
	connector->wait_ms = wait_ms;
	return connector->kind == ERR_NONE ? ERR_NONE
					   : error_set(err, connector->kind, "%s", connector->text);
}

void webhooker_wake(struct webhooker *webhooker)
{
	(void)webhooker;
}

enum err_kind connector_await(struct connector *connector, struct arena *arena,
			      struct str connection_id, struct str browser_token, int64_t wait_ms,
			      struct connect_return *return_out, struct error *err)
{
	(void)arena, (void)err;
	connector->calls++;
	connector->awaited = connection_id;
	connector->browser_token = browser_token;
	connector->wait_ms = wait_ms;
	*return_out = connector->back;
	return ERR_NONE;
}

/* ---- the fixture ---- */

struct fixture {
	char directory[64];
	struct arena *arena;
	struct clock clock;
	int64_t now_us;
	int64_t boot_us;
	struct random_source random;
	uint64_t seed;
	/* called once, when randomness is next asked for: the moment before something is made */
	void (*on_fill)(struct fixture *fx);
	struct store *store;
	struct connector connector;
	struct deliverer deliverer;
	struct media_files media_files; /* its folders are not made: no file comes in */
	struct media_uploads *uploads;
	struct api_config config;
	struct api *api;
	struct app_row app;
	struct str client_secret;
	const char *bearer; /* whole header value */
	struct str lost_account;
};

static inline int64_t fixture_now(void *context)
{
	return ((struct fixture *)context)->now_us;
}

static inline int64_t fixture_boot(void *context)
{
	return ((struct fixture *)context)->boot_us;
}

static inline void fixture_fill(void *context, void *out, size_t size_bytes)
{
	struct fixture *fx = context;
	void (*on_fill)(struct fixture * fx) = fx->on_fill;
	fx->on_fill = NULL;
	if (on_fill != NULL)
		on_fill(fx);
	for (size_t i = 0; i < size_bytes; i++) {
		fx->seed = fx->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		((unsigned char *)out)[i] = (unsigned char)(fx->seed >> 56);
	}
}

static inline void ok(enum err_kind kind, const struct error *err)
{
	if (kind != ERR_NONE)
		fail_msg("%s: %s", err_kind_slug(kind), err->text);
}

static inline struct str fixture_uuid(struct fixture *fx)
{
	return uuid_str(fx->arena, uuid_v7(fx->now_us, &fx->random));
}

static inline const char *bearer_of(struct fixture *fx, struct str token)
{
	return str_z(fx->arena, str_concat(fx->arena, STR("Bearer "), token));
}

/* A live app with a token; what it has of its own is in *app. */
static inline const char *make_app(struct fixture *fx, const char *owner, struct app_row *app)
{
	struct error err = {0};
	struct str token = token_new(fx->arena, &fx->random, TOKEN_ACCESS);
	struct digest secret = digest_token(fx->client_secret);
	struct digest digest = digest_token(token);
	*app = (struct app_row){
		.id = fixture_uuid(fx),
		.name = STR("Test"),
		.client_id = token_new(fx->arena, &fx->random, TOKEN_CLIENT_ID),
		.client_secret_hash = digest_hex(fx->arena, &secret),
		.state = APP_ACTIVE,
		.created_at_us = fx->now_us,
	};
	ok(store_app_create(fx->store, app, str_of(owner), fixture_uuid(fx), &err), &err);
	ok(store_token_issue(fx->store, app->id, digest_hex(fx->arena, &digest),
			     fx->now_us + US_PER_DAY, fx->now_us, &err),
	   &err);
	return bearer_of(fx, token);
}

/* With another configuration: change fx->config first. */
static inline void fixture_restart_api(struct fixture *fx)
{
	struct error err = {0};
	api_free(&fx->api);
	ok(api_new(&fx->config, &fx->api, &err), &err);
}

static inline const char *fixture_media_check(void *context, struct arena *arena, struct str url)
{
	(void)context, (void)arena;
	return str_find(url, STR("private"), 0) != SIZE_MAX ? "private_address" : NULL;
}

static inline int fixture_begin(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct error err = {0};
	assert_non_null(fx);
	fx->arena = arena_new("test", ARENA_BYTES);
	fx->now_us = NOW;
	fx->boot_us = US_PER_HOUR;
	fx->clock = (struct clock){fixture_now, fixture_boot, fx};
	fx->random = (struct random_source){fixture_fill, fx};
	snprintf(fx->directory, sizeof(fx->directory), "/tmp/api-test-XXXXXX");
	assert_non_null(mkdtemp(fx->directory));
	const struct store_config store = {
		.url = str_z(fx->arena, str_format(fx->arena, "sqlite:%s/test.db", fx->directory)),
		.clock = &fx->clock,
		.is_owner = true};
	ok(store_open(&store, &fx->store, &err), &err);
	fx->media_files.directory = fx->directory;
	const struct media_uploads_config uploads = {.store = fx->store,
						     .files = &fx->media_files,
						     .clock = &fx->clock,
						     .random = &fx->random,
						     .keep_us = US_PER_DAY};
	fx->uploads = media_uploads_new(&uploads);
	assert_non_null(fx->uploads);
	fx->config = (struct api_config){
		.store = fx->store,
		.connector = &fx->connector,
		.deliverer = &fx->deliverer,
		.uploads = fx->uploads,
		.clock = &fx->clock,
		.random = &fx->random,
		.media_url_check = {fixture_media_check, NULL},
	};
	fixture_restart_api(fx);
	fx->client_secret = STR("phs_secret");
	fx->bearer = make_app(fx, "owner@example.com", &fx->app);
	*state = fx;
	return 0;
}

static inline int fixture_end(void **state)
{
	static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm",
					    "test.db.lock"};
	struct fixture *fx = *state;
	api_free(&fx->api);
	media_uploads_free(&fx->uploads);
	store_close(&fx->store);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char path[128];
		snprintf(path, sizeof(path), "%s/%s", fx->directory, names[i]);
		unlink(path);
	}
	rmdir(fx->directory);
	arena_free(&fx->arena);
	free(fx);
	return 0;
}

#define API_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

/* ---- calling ---- */

#define NO_TOKEN ""

struct sent {
	const char *method;
	const char *target;
	const char *authorization; /* NULL = the app's token; NO_TOKEN = none */
	const char *type;          /* Content-Type */
	const char *body;
	const char *address;
	struct http_header more[3];
};

static inline struct http_response *answer(struct fixture *fx, const struct sent *call)
{
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	struct http_response *response = ARENA_NEW(fx->arena, struct http_response);
	request->arena = fx->arena;
	request->method = str_of(call->method);
	request->target = str_of(call->target);
	request->body = str_of(call->body);
	request->body_size_bytes = (int64_t)request->body.len;
	request->remote_address = str_of(call->address);
	const char *authorization = call->authorization != NULL ? call->authorization : fx->bearer;
	if (authorization[0] != '\0')
		request->headers[request->header_count++] =
			(struct http_header){STR("authorization"), str_of(authorization)};
	if (call->type != NULL)
		request->headers[request->header_count++] =
			(struct http_header){STR("content-type"), str_of(call->type)};
	for (size_t i = 0; i < 3 && call->more[i].name.len > 0; i++)
		request->headers[request->header_count++] = call->more[i];
	http_request_prepare(request, &fx->random);
	http_response_init(response, fx->arena,
			   http_router_response_max_bytes(api_router(fx->api)));
	http_router_dispatch(api_router(fx->api), request, response);
	return response;
}

static inline struct http_response *get(struct fixture *fx, const char *target)
{
	return answer(fx, &(struct sent){.method = "GET", .target = target});
}

static inline struct http_response *post_json(struct fixture *fx, const char *target,
					      const char *body)
{
	return answer(fx, &(struct sent){.method = "POST",
					 .target = target,
					 .type = "application/json",
					 .body = body});
}

static inline struct str header_of(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return response->headers[i].value;
	}
	return STR("");
}

/* ---- judging ---- */

static inline const struct json *body_of(const struct http_response *response)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (json_parse(response->arena, buf_str(&response->body), NULL, &json, NULL, &err) !=
	    ERR_NONE)
		fail_msg("%d, not JSON: " STR_FMT, response->status,
			 STR_ARG(buf_str(&response->body)));
	return json;
}

/* "a.0.b" from the root; NULL when there is none. */
static inline const struct json *at(const struct json *json, const char *path)
{
	struct str rest = str_of(path), word;
	uint64_t index;
	while (json != NULL && rest.ptr != NULL && str_take_field(&rest, '.', &word)) {
		char key[64];
		snprintf(key, sizeof(key), STR_FMT, STR_ARG(word));
		json = json_is(json, JSON_TYPE_ARRAY) && str_parse_u64(word, &index)
			       ? json_at(json, (size_t)index)
			       : json_get(json, key);
	}
	return json;
}

static inline void assert_text(const struct json *json, const char *path, const char *expected)
{
	struct str got = json_string(at(json, path));
	if (!str_equal_z(got, expected))
		fail_msg("%s is \"" STR_FMT "\", not \"%s\"", path, STR_ARG(got), expected);
}

static inline void assert_status(const struct http_response *response, int status)
{
	if (response->status != status)
		fail_msg("%d instead of %d: " STR_FMT, response->status, status,
			 STR_ARG(buf_str(&response->body)));
}

/* "a b c": the names of an object in order. */
static inline const char *names_of(struct arena *arena, const struct json *object)
{
	struct buf out;
	buf_init(&out, arena, 65536);
	for (size_t i = 0; object != NULL && i < object->count; i++)
		buf_addf(&out, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(object->keys[i]));
	return str_z(arena, buf_str(&out));
}

/* The one error shape (api-decisions.md 1). Returns the body. */
static inline const struct json *assert_error(const struct http_response *response, int status,
					      const char *code)
{
	assert_status(response, status);
	const struct json *body = body_of(response);
	assert_text(body, "error", code);
	assert_true(json_string(json_get(body, "message")).len > 0);
	assert_true(header_of(response, "X-Request-Id").len > 0);
	assert_true(str_equal_z(header_of(response, "Cache-Control"), "no-store"));
	assert_true(str_equal_z(header_of(response, "Content-Type"), "application/json"));
	return body;
}

/* fields: "user_id redirect_url", in order. */
static inline const struct json *assert_fields(const struct http_response *response, int status,
					       const char *code, const char *fields)
{
	const struct json *body = assert_error(response, status, code);
	const char *got = names_of(response->arena, json_get(body, "errors"));
	if (strcmp(got, fields) != 0)
		fail_msg("errors of \"%s\", not of \"%s\": " STR_FMT, got, fields,
			 STR_ARG(buf_str(&response->body)));
	return body;
}

/* ---- things in the store ---- */

static inline struct connection_row make_connection(struct fixture *fx, const struct app_row *app,
						    enum platform_id platform)
{
	struct error err = {0};
	const struct connection_row connection = {
		.id = token_new(fx->arena, &fx->random, TOKEN_CONNECTION_ID),
		.app_id = app->id,
		.platform = platform,
		.user_id = STR("user-1"),
		.redirect_url = STR(BACK),
		.state_hash = fixture_uuid(fx),
		.state = CONNECTION_PENDING,
		.created_at_us = fx->now_us,
	};
	ok(store_connection_create(fx->store, &connection, &err), &err);
	return connection;
}

struct fixture_change {
	struct str id;
	const struct account_row *account;
	enum account_state state;
	struct str error;
	int64_t now_us;
};

static inline enum err_kind fixture_succeed(struct store_tx *tx, void *argument, struct error *err)
{
	const struct fixture_change *change = argument;
	return store_connection_succeed(tx, change->id, change->account, 1, change->now_us, NULL,
					err);
}

static inline enum err_kind fixture_fail(struct store_tx *tx, void *argument, struct error *err)
{
	const struct fixture_change *change = argument;
	return store_connection_fail(tx, change->id, change->error, STR("It was refused."),
				     change->now_us, err);
}

static inline enum err_kind fixture_set_state(struct store_tx *tx, void *argument,
					      struct error *err)
{
	const struct fixture_change *change = argument;
	return store_account_set_state(tx, change->id, change->state, STR(""), change->now_us, err);
}

static inline struct account_row make_account(struct fixture *fx, const struct app_row *app,
					      enum platform_id platform)
{
	struct error err = {0};
	struct connection_row connection = make_connection(fx, app, platform);
	const struct account_row account = {
		.id = fixture_uuid(fx),
		.app_id = app->id,
		.platform = platform,
		.user_id = STR("user-1"),
		.connection_id = connection.id,
		.platform_account_id = fixture_uuid(fx),
		.username = STR("anna"),
		.name = STR("Anna"),
		.type = ACCOUNT_PERSONAL,
		.access_token_sealed = STR("sealed"),
		.created_at_us = fx->now_us,
	};
	struct fixture_change change = {
		.id = connection.id, .account = &account, .now_us = fx->now_us};
	ok(store_write(fx->store, fixture_succeed, &change, &err), &err);
	return account;
}

static inline void set_account_state(struct fixture *fx, struct str account_id,
				     enum account_state state)
{
	struct error err = {0};
	struct fixture_change change = {.id = account_id, .state = state, .now_us = fx->now_us};
	ok(store_write(fx->store, fixture_set_state, &change, &err), &err);
}

/* POST /v1/posts/publish with these accounts ("," between) and more members
 * (",\"content\":..."). */
static inline struct http_response *publish(struct fixture *fx, struct str account_id,
					    const char *more)
{
	struct str body = str_format(fx->arena, "{\"account_ids\":[\"" STR_FMT "\"]%s}",
				     STR_ARG(account_id), more);
	return post_json(fx, "/v1/posts/publish", str_z(fx->arena, body));
}

static inline int64_t post_total(struct fixture *fx)
{
	const struct http_response *response = get(fx, "/v1/posts");
	assert_status(response, 200);
	return json_int(at(body_of(response), "meta.total"), -1);
}
