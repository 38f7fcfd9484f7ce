/* SPDX-License-Identifier: Apache-2.0
 * A whole service without its ears: real store, seal, spool, engine, deliverer, connector and
 * adapters; fake clock, randomness and transport. A test adds apps, accounts and posts, writes the
 * platform's answers, and lets turns pass. world_crash() is the process dying: what was under way
 * is gone, and a new one opens the same files. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remove_tree.h"

#include "arena.h"
#include "log.h"
#include "uuid.h"

#include "seal.h"

#include "store.h"
#include "store_admin.h"
#include "store_app.h"
#include "store_connection.h"
#include "store_credential.h"
#include "store_delivery.h"
#include "store_post.h"

#include "spool.h"

#include "engine.h"

#include "connect.h"
#include "delivery.h"

#include "fake_clock.h"
#include "fake_random.h"
#include "fake_transport.h"

#define WORLD_ACCESS_TOKEN "access-token-of-the-account"
#define WORLD_REFRESH_TOKEN "refresh-token-of-the-account"
#define WORLD_CLIENT_SECRET "client-secret-of-the-app"

struct world {
	char directory[64];
	char url[128];
	char spool_path[128];
	char avatar_path[128];
	struct arena *arena;
	struct fake_clock clock;
	struct fake_random random;
	struct fake_transport transport;
	struct platform_settings settings;
	struct seal *seal;
	struct store *store;
	struct spool *spool;
	struct engine *engine;
	struct deliverer *deliverer;
	struct connector *connector;
	struct app_row app;
	int64_t spool_budget_bytes;
	unsigned serial;
	int64_t max_lateness_s; /* of the posts to come */
	/* A store that fails: this many writes of the engine, with that kind; behind = after the
	 * command ran. */
	enum err_kind fail_kind;
	int fail_count;
	struct log log; /* level above everything: silent */
};

static inline void ok(enum err_kind kind, const struct error *err)
{
	if (kind != ERR_NONE)
		fail_msg("%s: %s", err_kind_slug(kind), err->text);
}

struct world_command {
	engine_command command;
	void *argument;
};

static inline enum err_kind world_run_command(struct store_tx *tx, void *argument,
					      struct error *err)
{
	const struct world_command *call = argument;
	return call->command(tx, call->argument, err);
}

static inline enum err_kind world_write(void *context, const struct engine_writing *writing,
					struct error *err)
{
	struct world *w = context;
	struct world_command call = {writing->command, writing->argument};
	if (w->fail_count > 0) {
		w->fail_count--;
		return error_set(err, w->fail_kind, "as the test wants");
	}
	return store_write(w->store, world_run_command, &call, err);
}

static inline void world_start_parts(struct world *w)
{
	struct error err = {0};
	const struct store_config store_config = {
		.url = w->url, .clock = &w->clock.clock, .log = &w->log, .is_owner = true};
	ok(store_open(&store_config, &w->store, &err), &err);
	const struct spool_config spool_config = {.directory = w->spool_path,
						  .budget_bytes = w->spool_budget_bytes};
	ok(spool_open(&spool_config, &w->spool, &err), &err);
	const struct engine_config engine_config = {
		.transport = w->transport.transport,
		.store = {world_write, w},
		.clock = &w->clock.clock,
		.log = &w->log,
	};
	ok(engine_new(&engine_config, &w->engine, &err), &err);
	const struct deliverer_config deliverer_config = {
		.store = w->store,
		.seal = w->seal,
		.spool = w->spool,
		.engine = w->engine,
		.clock = &w->clock.clock,
		.random = &w->random.source,
		.log = &w->log,
		.settings = &w->settings,
	};
	ok(deliverer_new(&deliverer_config, &w->deliverer, &err), &err);
	const struct connector_config connector_config = {
		.store = w->store,
		.seal = w->seal,
		.engine = w->engine,
		.clock = &w->clock.clock,
		.random = &w->random.source,
		.log = &w->log,
		.settings = &w->settings,
		.public_url = "https://posthorn.example",
		.avatar_directory = w->avatar_path,
	};
	ok(connector_new(&connector_config, &w->connector, &err), &err);
}

static inline void world_stop_parts(struct world *w)
{
	engine_free(&w->engine);
	deliverer_free(&w->deliverer);
	connector_free(&w->connector);
	spool_close(&w->spool);
	store_close(&w->store);
}

static inline void world_crash(struct world *w)
{
	world_stop_parts(w);
	fake_transport_forget(&w->transport);
	world_start_parts(w);
}

static inline struct str world_uuid(struct world *w)
{
	return uuid_str(w->arena, uuid_v7(clock_now_us(&w->clock.clock), &w->random.source));
}

static inline struct str world_sealed(struct world *w, const char *table, const char *column,
				      struct str row_id, const char *text)
{
	const struct seal_place place = {str_of(table), str_of(column), row_id};
	if (text == NULL)
		return STR("");
	return seal_secret(w->seal, w->arena, &place, str_of(text), &w->random.source);
}

static inline void world_add_credential(struct world *w, enum platform_id platform)
{
	struct error err = {0};
	const struct str row_id =
		str_format(w->arena, STR_FMT "/%s", STR_ARG(w->app.id), platform_id_slug(platform));
	const struct credential_row credential = {
		.app_id = w->app.id,
		.platform = platform,
		.client_id = STR("client-id"),
		.client_secret_sealed = world_sealed(w, "platform_credentials", "client_secret",
						     row_id, WORLD_CLIENT_SECRET),
		.updated_at_us = clock_now_us(&w->clock.clock),
	};
	ok(store_credential_put(w->store, &credential, &err), &err);
	ok(store_credential_set_state(w->store, w->app.id, platform, credential.client_id,
				      CREDENTIAL_VERIFIED, STR(""), FAKE_NOW_US, &err),
	   &err);
}

static inline void world_add_app(struct world *w, bool retry_unknown_once)
{
	struct error err = {0};
	w->app = (struct app_row){
		.id = world_uuid(w),
		.name = STR("Test"),
		.client_id = str_format(w->arena, "phc_%u", ++w->serial),
		.client_secret_hash = STR("hash"),
		.state = APP_ACTIVE,
		.retry_unknown_once = retry_unknown_once,
		.created_at_us = FAKE_NOW_US,
	};
	ok(store_app_create(w->store, &w->app, STR("owner@posthorn.example"), world_uuid(w), &err),
	   &err);
	for (enum platform_id id = PLATFORM_INSTAGRAM; id <= PLATFORM_TIKTOK; id++)
		world_add_credential(w, id);
}

static inline int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	uint8_t key[SEAL_KEY_BYTES] = {7};
	struct error err = {0};
	assert_non_null(w);
	snprintf(w->directory, sizeof(w->directory), "/tmp/world-XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	snprintf(w->url, sizeof(w->url), "sqlite:%s/test.db", w->directory);
	snprintf(w->spool_path, sizeof(w->spool_path), "%s/spool", w->directory);
	snprintf(w->avatar_path, sizeof(w->avatar_path), "%s/avatars", w->directory);
	w->arena = arena_new("world", (size_t)256 << 20);
	w->log = (struct log){.fd = STDERR_FILENO, .level = (enum log_level)(LOG_ERROR + 1)};
	w->settings = (struct platform_settings){STR("v25.0"), STR("202609")};
	fake_clock_init(&w->clock);
	fake_random_init(&w->random);
	fake_transport_init(&w->transport);
	ok(seal_open_key(key, &w->seal, &err), &err);
	world_start_parts(w);
	world_add_app(w, false);
	*state = w;
	return 0;
}

static inline int world_teardown(void **state)
{
	struct world *w = *state;
	world_stop_parts(w);
	seal_free(&w->seal);
	fake_transport_free(&w->transport);
	arena_free(&w->arena);
	remove_tree(w->directory);
	free(w);
	return 0;
}

/* ---- accounts and posts ---- */

struct world_success {
	struct str connection_id;
	const struct account_row *account;
};

static inline enum err_kind world_succeed(struct store_tx *tx, void *argument, struct error *err)
{
	const struct world_success *success = argument;
	return store_connection_succeed(tx, success->connection_id, success->account, 1,
					FAKE_NOW_US, NULL, err);
}

/* Connects row's account (again, when it is known); its tokens are sealed here. */
static inline void world_connect(struct world *w, struct account_row *row, const char *access_token,
				 const char *refresh_token)
{
	struct error err = {0};
	const struct connection_row connection = {
		.id = str_format(w->arena, "conn_%u", ++w->serial),
		.app_id = w->app.id,
		.platform = row->platform,
		.user_id = STR("user-1"),
		.redirect_url = STR("https://customer.example/back"),
		.state_hash = str_format(w->arena, "state-%u", w->serial),
		.callback_url = STR("https://posthorn.example/v1/oauth/x/callback"),
		.state = CONNECTION_PENDING,
		.created_at_us = clock_now_us(&w->clock.clock),
	};
	ok(store_connection_create(w->store, &connection, &err), &err);
	row->access_token_sealed =
		world_sealed(w, "accounts", "access_token", row->id, access_token);
	row->refresh_token_sealed =
		world_sealed(w, "accounts", "refresh_token", row->id, refresh_token);
	struct world_success success = {connection.id, row};
	ok(store_write(w->store, world_succeed, &success, &err), &err);
}

static inline struct account_row world_account(struct world *w, enum platform_id platform,
					       int64_t expires_at_us, const char *refresh_token)
{
	struct account_row row = {
		.id = world_uuid(w),
		.app_id = w->app.id,
		.platform = platform,
		.user_id = STR("user-1"),
		.platform_account_id = str_format(w->arena, "40%u", ++w->serial),
		.username = STR("ann"),
		.type = ACCOUNT_PERSONAL,
		.state = ACCOUNT_ACTIVE,
		.extra = STR("{}"),
		.expires_at_us = expires_at_us,
	};
	world_connect(w, &row, WORLD_ACCESS_TOKEN, refresh_token);
	return row;
}

static inline struct account_row world_account_now(struct world *w,
						   const struct account_row *account)
{
	struct error err = {0};
	struct account_row now = {0};
	bool found = false;
	ok(store_account_get_many(w->store, w->arena, w->app.id, &account->id, 1, &now, &found,
				  &err),
	   &err);
	assert_true(found);
	return now;
}

struct world_state {
	struct str account_id;
	enum account_state state;
};

static inline enum err_kind world_state_command(struct store_tx *tx, void *argument,
						struct error *err)
{
	const struct world_state *change = argument;
	return store_account_set_state(tx, change->account_id, change->state, STR(""), FAKE_NOW_US,
				       err);
}

static inline void world_set_account_state(struct world *w, const struct account_row *account,
					   enum account_state state)
{
	struct error err = {0};
	struct world_state change = {account->id, state};
	ok(store_write(w->store, world_state_command, &change, &err), &err);
}

/* content: the stored form. Returns the post's id. */
static inline struct str world_post(struct world *w, const char *content,
				    const struct account_row *accounts, size_t count)
{
	struct error err = {0};
	struct post_target targets[8];
	for (size_t i = 0; i < count; i++)
		targets[i] = (struct post_target){world_uuid(w), accounts[i].id,
						  accounts[i].platform, accounts[i].user_id};
	const struct post_accept accept = {
		.app_id = w->app.id,
		.post_id = world_uuid(w),
		.request_id = str_format(w->arena, "request-%u", ++w->serial),
		.content = str_of(content),
		.mode = POST_MODE_BASIC,
		.max_lateness_s = w->max_lateness_s,
		.now_us = clock_now_us(&w->clock.clock),
		.targets = targets,
		.target_count = count,
	};
	struct post_accept_result result = {0};
	ok(store_post_accept(w->store, w->arena, &accept, &result, &err), &err);
	assert_int_equal(result.outcome, POST_ACCEPTED);
	deliverer_wake(w->deliverer);
	return accept.post_id;
}

#define WORLD_TEXT(text) \
	"{\"mode\":\"basic\",\"containers\":[{\"content\":\"" text "\",\"media\":[]}]}"

static inline void world_turns(struct world *w, int count)
{
	for (int i = 0; i < count; i++)
		engine_turn(w->engine, 0);
}

/* Until nothing more happens without time passing. */
static inline void world_run(struct world *w)
{
	size_t sent = SIZE_MAX;
	do {
		sent = w->transport.sent_count;
		world_turns(w, 6);
	} while (sent != w->transport.sent_count);
}

static inline void world_pass(struct world *w, int64_t us)
{
	fake_clock_advance(&w->clock, us);
	world_run(w);
}

static inline struct delivery_row world_delivery(struct world *w, struct str post_id, size_t index)
{
	struct error err = {0};
	struct post_row post = {0};
	ok(store_post_get(w->store, w->arena, w->app.id, post_id, &post, &err), &err);
	assert_true(index < post.delivery_count);
	return post.deliveries[index];
}

static inline struct timeline_row *world_timeline(struct world *w, struct str post_id,
						  size_t *count_out)
{
	struct error err = {0};
	struct timeline_row *rows = NULL;
	ok(store_timeline_list(w->store, w->arena, post_id, &rows, count_out, &err), &err);
	return rows;
}

#define assert_str(actual, expected) \
	do { \
		const struct str seen_ = (actual); \
		if (!str_equal_z(seen_, (expected))) \
			fail_msg("\"" STR_FMT "\" is not \"%s\"", STR_ARG(seen_), (expected)); \
	} while (0)

#define assert_published(w, post_id, remote) \
	do { \
		const struct delivery_row row_ = world_delivery((w), (post_id), 0); \
		assert_str(row_.error_code, ""); \
		assert_string_equal(post_state_name(row_.state), "published"); \
		assert_str(row_.remote_id, (remote)); \
	} while (0)

#define assert_failed(w, post_id, code) \
	do { \
		const struct delivery_row row_ = world_delivery((w), (post_id), 0); \
		assert_string_equal(post_state_name(row_.state), "failed"); \
		assert_str(row_.error_code, (code)); \
	} while (0)

/* Its first part is out, and code says why a later one is not. */
#define assert_partial(w, post_id, code) \
	do { \
		const struct delivery_row row_ = world_delivery((w), (post_id), 0); \
		assert_string_equal(post_state_name(row_.state), "published"); \
		assert_str(row_.error_code, (code)); \
		assert_true(row_.published_at_us > 0); \
	} while (0)

#define assert_state(w, post_id, name) \
	assert_string_equal(post_state_name(world_delivery((w), (post_id), 0).state), (name))

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
