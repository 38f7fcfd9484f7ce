/* SPDX-License-Identifier: Apache-2.0
 * What the admin API's tests share: an admin API over a real SQLite store in a directory of its
 * own, and a connector that checks credentials as the test says. Requests go through the router. */
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

#include "digest.h"
#include "seal.h"
#include "token.h"

#include "connect.h"

#include "admin_private.h"

#define NOW INT64_C(1800000000000000) /* 2027-01-15T08:00:00Z */
#define ARENA_BYTES ((size_t)64 << 20)

/* ---- what stands in for connect/ ---- */

struct connector {
	struct store *store;
	enum err_kind kind;
	enum credential_state state;
	const char *message;
	int calls;
};

enum err_kind connector_verify(struct connector *connector, struct arena *arena, struct str app_id,
			       enum platform_id platform, int64_t wait_ms,
			       struct verify_outcome *outcome_out, struct error *err)
{
	struct credential_row credential = {0};
	connector->calls++;
	assert_true(wait_ms > 0);
	*outcome_out = (struct verify_outcome){connector->state, str_of(connector->message)};
	if (connector->kind != ERR_NONE)
		return error_set(err, connector->kind, "not now");
	enum err_kind kind =
		store_credential_find(connector->store, arena, app_id, platform, &credential, err);
	if (kind != ERR_NONE)
		return kind;
	return store_credential_set_state(connector->store, app_id, platform, credential.client_id,
					  connector->state, str_of(connector->message), NOW, err);
}

struct str connector_callback_url(const struct connector *connector, struct arena *arena,
				  enum platform_id platform)
{
	(void)connector;
	return str_format(arena, "http://public/v1/oauth/%s/callback", platform_id_slug(platform));
}

/* As the real one: what the credential's state allows. */
enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err)
{
	struct credential_row credential = {0};
	enum err_kind kind = store_credential_find(connector->store, arena, request->app->id,
						   request->platform, &credential, err);
	if (kind != ERR_NONE)
		return kind;
	if (credential.state == CREDENTIAL_FAILED ||
	    (credential.state == CREDENTIAL_PENDING && !request->allows_pending))
		return error_set(err, ERR_NOT_FOUND, "The app's credentials are not verified.");
	*begun_out = (struct connect_begun){request->redirect_url, request->user_id};
	return ERR_NONE;
}

/* ---- the fixture ---- */

struct fixture {
	char directory[64];
	struct arena *arena;
	struct clock clock;
	int64_t now_us;
	struct random_source random;
	uint64_t seed;
	struct store *store;
	struct seal *seal;
	struct connector connector;
	struct admin *admin;
};

static inline int64_t fixture_now(void *context)
{
	return ((struct fixture *)context)->now_us;
}

static inline void fixture_fill(void *context, void *out, size_t size_bytes)
{
	struct fixture *fx = context;
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

static inline int fixture_begin(void **state)
{
	static const uint8_t key[SEAL_KEY_BYTES] = {1};
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct error err = {0};
	assert_non_null(fx);
	fx->arena = arena_new("test", ARENA_BYTES);
	fx->now_us = NOW;
	fx->clock = (struct clock){fixture_now, fixture_now, fx};
	fx->random = (struct random_source){fixture_fill, fx};
	snprintf(fx->directory, sizeof(fx->directory), "/tmp/admin-test-XXXXXX");
	assert_non_null(mkdtemp(fx->directory));
	const struct store_config store = {
		.url = str_z(fx->arena, str_format(fx->arena, "sqlite:%s/test.db", fx->directory)),
		.clock = &fx->clock,
		.is_owner = true};
	ok(store_open(&store, &fx->store, &err), &err);
	ok(seal_open_key(key, &fx->seal, &err), &err);
	fx->connector.store = fx->store;
	const struct admin_config config = {fx->store,  fx->seal,    &fx->connector,
					    &fx->clock, &fx->random, NULL};
	ok(admin_new(&config, &fx->admin, &err), &err);
	*state = fx;
	return 0;
}

static inline int fixture_end(void **state)
{
	static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm",
					    "test.db.lock"};
	struct fixture *fx = *state;
	admin_free(&fx->admin);
	seal_free(&fx->seal);
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

#define ADMIN_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

/* arena: of the handler; the answer lives in the fixture's. */
static inline struct http_response *send_within(struct fixture *fx, struct arena *arena,
						const char *method, const char *target,
						const char *body)
{
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	struct http_response *response = ARENA_NEW(fx->arena, struct http_response);
	request->arena = arena;
	request->method = str_of(method);
	request->target = str_of(target);
	request->body = str_of(body);
	request->body_size_bytes = (int64_t)request->body.len;
	http_request_prepare(request, &fx->random);
	http_response_init(response, fx->arena,
			   http_router_response_max_bytes(admin_router(fx->admin)));
	http_router_dispatch(admin_router(fx->admin), request, response);
	return response;
}

static inline struct http_response *send(struct fixture *fx, const char *method, const char *target,
					 const char *body)
{
	return send_within(fx, fx->arena, method, target, body);
}

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

static inline const struct json *assert_status(const struct http_response *response, int status)
{
	if (response->status != status)
		fail_msg("%d instead of %d: " STR_FMT, response->status, status,
			 STR_ARG(buf_str(&response->body)));
	return body_of(response);
}

static inline const struct json *assert_error(const struct http_response *response, int status,
					      const char *code)
{
	const struct json *body = assert_status(response, status);
	assert_true(str_equal_z(json_string(json_get(body, "error")), code));
	assert_true(json_string(json_get(body, "message")).len > 0);
	return body;
}

static inline void assert_text(const struct json *json, const char *name, const char *expected)
{
	struct str got = json_string(json_get(json, name));
	if (!str_equal_z(got, expected))
		fail_msg("%s is \"" STR_FMT "\", not \"%s\"", name, STR_ARG(got), expected);
}

/* The client id of a new app. */
static inline struct str create_app(struct fixture *fx, bool is_live)
{
	const char *body =
		is_live ? "{\"name\":\"One\",\"owner\":\"Ann@Example.com\",\"live\":true}"
			: "{\"name\":\"One\",\"owner\":\"Ann@Example.com\"}";
	return json_string(
		json_get(assert_status(send(fx, "POST", "/admin/apps", body), 201), "client_id"));
}

static inline const char *app_path(struct fixture *fx, struct str client_id, const char *rest)
{
	return str_z(fx->arena,
		     str_format(fx->arena, "/admin/apps/" STR_FMT "%s", STR_ARG(client_id), rest));
}
