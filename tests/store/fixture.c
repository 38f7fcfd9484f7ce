/* SPDX-License-Identifier: Apache-2.0
 * The database is POSTHORN_TEST_DATABASE, or a SQLite file in a directory made for the run. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count_of.h"
#include "random.h"
#include "uuid.h"

#include "store_event.h"

#define TEST_ARENA_BYTES ((size_t)256 << 20)

bool str_is(struct str s, const char *expected)
{
	return str_equal_z(s, expected);
}

void ok(enum err_kind kind, const struct error *err)
{
	if (kind != ERR_NONE)
		fail_msg("%s: %s", err_kind_slug(kind), err->text);
}

static void open_store(struct fixture *fx)
{
	struct error err = {0};
	const struct store_config config = {
		.url = fx->url, .clock = clock_system(), .is_owner = true};
	ok(store_open(&config, &fx->store, &err), &err);
}

int fixture_open(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	const char *given = getenv("POSTHORN_TEST_DATABASE");
	assert_non_null(fx);
	if (given != NULL && given[0] != '\0') {
		snprintf(fx->url, sizeof(fx->url), "%s", given);
	} else {
		snprintf(fx->directory, sizeof(fx->directory), "/tmp/store-test-XXXXXX");
		assert_non_null(mkdtemp(fx->directory));
		snprintf(fx->url, sizeof(fx->url), "sqlite:%s/test.db", fx->directory);
	}
	open_store(fx);
	*state = fx;
	return 0;
}

static void remove_files(const struct fixture *fx)
{
	static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm",
					    "test.db.lock"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char path[128];
		snprintf(path, sizeof(path), "%s/%s", fx->directory, names[i]);
		unlink(path);
	}
	rmdir(fx->directory);
}

int fixture_close(void **state)
{
	struct fixture *fx = *state;
	store_close(&fx->store);
	if (fx->directory[0] != '\0')
		remove_files(fx);
	free(fx);
	return 0;
}

void fixture_reopen(struct fixture *fx)
{
	store_close(&fx->store);
	open_store(fx);
}

int fixture_begin(void **state)
{
	struct fixture *fx = *state;
	fx->arena = arena_new("test", TEST_ARENA_BYTES);
	return 0;
}

/* A year later every lease has run out and everything is due. */
static void drain(struct fixture *fx)
{
	for (int64_t now_us = NOW + 400 * US_PER_DAY;; now_us += US_PER_HOUR) {
		const struct claimed claimed = claim(fx, now_us, CLAIM_MAX);
		if (claimed.count == 0)
			return;
		for (size_t i = 0; i < claimed.count; i++) {
			const struct delivery_save drop =
				save_of(&claimed.work[i], DELIVERY_FAILED, now_us);
			save_ok(fx, &drop);
		}
	}
}

int fixture_end(void **state)
{
	struct fixture *fx = *state;
	drain(fx);
	arena_free(&fx->arena);
	return 0;
}

struct str new_uuid(struct fixture *fx)
{
	return uuid_str(fx->arena, uuid_v7(NOW, random_system()));
}

struct str new_name(struct fixture *fx, const char *prefix)
{
	uint64_t noise = 0;
	random_fill(random_system(), &noise, sizeof(noise));
	return str_format(fx->arena, "%s-%u-%016llx", prefix, ++fx->serial,
			  (unsigned long long)noise);
}

struct app_row make_app(struct fixture *fx)
{
	struct error err = {0};
	const struct app_row app = {
		.id = new_uuid(fx),
		.name = STR("Test"),
		.client_id = new_name(fx, "phc"),
		.client_secret_hash = STR("hash"),
		.state = APP_ACTIVE,
		.created_at_us = NOW,
	};
	ok(store_app_create(fx->store, &app, new_name(fx, "owner"), new_uuid(fx), &err), &err);
	return app;
}

struct connection_row make_connection(struct fixture *fx, const struct app_row *app,
				      const char *user_id, enum platform_id platform)
{
	struct error err = {0};
	const struct connection_row connection = {
		.id = new_name(fx, "conn"),
		.app_id = app->id,
		.platform = platform,
		.user_id = str_of(user_id),
		.redirect_url = STR("https://customer.example/back?x=1"),
		.name = STR("Ann"),
		.email = STR("ann@customer.example"),
		.state_hash = new_name(fx, "state"),
		.callback_url = STR("https://posthorn.example/cb"),
		.pkce_sealed = STR("pkce\0sealed"),
		.state = CONNECTION_PENDING,
		.flow = STR("{\"v\":1}"),
		.created_at_us = NOW,
	};
	ok(store_connection_create(fx->store, &connection, &err), &err);
	return connection;
}

struct success {
	struct str connection_id;
	const struct account_row *accounts;
	size_t count;
};

static enum err_kind succeed(struct store_tx *tx, void *argument, struct error *err)
{
	const struct success *s = argument;
	return store_connection_succeed(tx, s->connection_id, s->accounts, s->count, NOW, NULL,
					err);
}

static struct account_row connect_account(struct fixture *fx, const struct app_row *app,
					  const struct account_row *wanted)
{
	struct error err = {0};
	const struct connection_row connection =
		make_connection(fx, app, str_z(fx->arena, wanted->user_id), wanted->platform);
	const struct account_row account = {
		.id = new_uuid(fx),
		.app_id = app->id,
		.platform = wanted->platform,
		.user_id = wanted->user_id,
		.platform_account_id = wanted->platform_account_id,
		.username = STR("ann.example"),
		.type = ACCOUNT_PERSONAL,
		.state = ACCOUNT_ACTIVE,
		.access_token_sealed = STR("access\0sealed"),
		.refresh_token_sealed = STR("refresh\0sealed"),
		.scopes = STR("post"),
		.extra = STR("{}"),
	};
	struct success success = {connection.id, &account, 1};
	ok(store_write(fx->store, succeed, &success, &err), &err);
	return account;
}

struct account_row make_account(struct fixture *fx, const struct app_row *app, const char *user_id,
				enum platform_id platform)
{
	const struct account_row wanted = {.platform = platform,
					   .user_id = str_of(user_id),
					   .platform_account_id = new_name(fx, "remote")};
	return connect_account(fx, app, &wanted);
}

struct account_row make_same_account(struct fixture *fx, const struct app_row *app,
				     const char *user_id, const struct account_row *as)
{
	const struct account_row wanted = {.platform = as->platform,
					   .user_id = str_of(user_id),
					   .platform_account_id = as->platform_account_id};
	return connect_account(fx, app, &wanted);
}

struct post_accept make_post(struct fixture *fx, const struct app_row *app,
			     const struct account_row *accounts, size_t count)
{
	struct post_target *targets = ARENA_ARRAY(fx->arena, struct post_target, count);
	for (size_t i = 0; i < count; i++) {
		targets[i] = (struct post_target){
			.delivery_id = new_uuid(fx),
			.account_id = accounts[i].id,
			.platform = accounts[i].platform,
			.user_id = accounts[i].user_id,
		};
	}
	return (struct post_accept){
		.app_id = app->id,
		.post_id = new_uuid(fx),
		.request_id = new_name(fx, "request"),
		.content = STR("{\"mode\":\"basic\"}"),
		.mode = POST_MODE_BASIC,
		.now_us = NOW,
		.targets = targets,
		.target_count = count,
	};
}

struct post_accept_result accept_post(struct fixture *fx, const struct post_accept *accept)
{
	struct error err = {0};
	struct post_accept_result result = {0};
	ok(store_post_accept(fx->store, fx->arena, accept, &result, &err), &err);
	return result;
}

struct str post_now(struct fixture *fx, const struct app_row *app,
		    const struct account_row *account)
{
	const struct post_accept accept = make_post(fx, app, account, 1);
	assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
	return accept.post_id;
}

struct post_row get_post(struct fixture *fx, const struct app_row *app, struct str post_id)
{
	struct error err = {0};
	struct post_row post = {0};
	ok(store_post_get(fx->store, fx->arena, app->id, post_id, &post, &err), &err);
	return post;
}

struct claim_call {
	struct arena *arena;
	int64_t now_us;
	size_t max;
	struct claimed claimed;
};

static enum err_kind run_claim(struct store_tx *tx, void *argument, struct error *err)
{
	struct claim_call *call = argument;
	const struct delivery_claim wish = {
		.now_us = call->now_us, .lease_us = LEASE_US, .max = call->max};
	return store_delivery_claim(tx, call->arena, &wish, &call->claimed.work,
				    &call->claimed.count, err);
}

struct claimed claim(struct fixture *fx, int64_t now_us, size_t max)
{
	struct error err = {0};
	struct claim_call call = {.arena = fx->arena, .now_us = now_us, .max = max};
	ok(store_write(fx->store, run_claim, &call, &err), &err);
	return call.claimed;
}

struct after_call {
	struct arena *arena;
	struct after_claim wish;
	struct claimed_after claimed;
};

static enum err_kind run_after_claim(struct store_tx *tx, void *argument, struct error *err)
{
	struct after_call *call = argument;
	return store_after_claim(tx, call->arena, &call->wish, &call->claimed.work,
				 &call->claimed.count, err);
}

struct claimed_after claim_after(struct fixture *fx, enum after_kind kind, int64_t now_us)
{
	struct error err = {0};
	struct after_call call = {
		.arena = fx->arena,
		.wish = {.kind = kind, .now_us = now_us, .lease_us = LEASE_US, .max = 10}};
	ok(store_write(fx->store, run_after_claim, &call, &err), &err);
	return call.claimed;
}

struct delivery_work claim_one(struct fixture *fx, int64_t now_us)
{
	const struct claimed claimed = claim(fx, now_us, CLAIM_MAX);
	assert_int_equal(claimed.count, 1);
	return claimed.work[0];
}

struct delivery_save save_of(const struct delivery_work *work, enum delivery_next next,
			     int64_t now_us)
{
	return (struct delivery_save){
		.id = work->id,
		.fence = work->fence,
		.now_us = now_us,
		.next = next,
		.due_at_us = now_us + US_PER_MINUTE,
		.lease_until_us = now_us + LEASE_US,
		.flow = STR("{\"stage\":\"x\"}"),
		.flow_sealed = STR("flow\0sealed"),
		.attempts = work->attempts,
		.work = work,
	};
}

enum err_kind save_in(struct store_tx *tx, const struct delivery_save *each, struct error *err)
{
	struct delivery_saving *saving = NULL;
	const enum err_kind kind = store_delivery_save_begin(tx, each, &saving, err);
	return kind == ERR_NONE ? store_delivery_save_end(tx, saving, err) : kind;
}

static enum err_kind run_save(struct store_tx *tx, void *argument, struct error *err)
{
	return save_in(tx, argument, err);
}

enum err_kind save(struct fixture *fx, const struct delivery_save *each, struct error *err)
{
	return store_write(fx->store, run_save, (void *)each, err);
}

void save_ok(struct fixture *fx, const struct delivery_save *each)
{
	struct error err = {0};
	ok(save(fx, each, &err), &err);
}

struct page list_posts(struct fixture *fx, const struct post_filter *filter)
{
	struct error err = {0};
	struct page page = {0};
	ok(store_post_list(fx->store, fx->arena, filter, &page.posts, &page.count, &page.total,
			   &err),
	   &err);
	return page;
}

struct fixture open_other(const struct fixture *fx)
{
	struct fixture other = *fx;
	struct error err = {0};
	const struct store_config config = {
		.url = fx->url, .clock = clock_system(), .is_owner = true};
	other.store = NULL;
	ok(store_open(&config, &other.store, &err), &err);
	return other;
}

static size_t no_slots(void *context, struct str webhook_id)
{
	(void)context;
	(void)webhook_id;
	return 0;
}

static enum err_kind hand_over(struct store_tx *tx, void *argument, struct error *err)
{
	struct fixture *fx = argument;
	const struct webhook_claim wish = {
		.now_us = INT64_MAX / 2, .lease_us = US_PER_S, .max = 100, .slots = no_slots};
	struct webhook_claimed claimed;
	enum err_kind kind = store_webhook_claim(tx, fx->arena, &wish, &claimed, err);
	for (size_t i = 0; i < claimed.event_count && kind == ERR_NONE; i++)
		kind = store_event_dispatch(tx, &claimed.events[i], STR("{}"), NOW, err);
	return kind;
}

void hand_over_events(struct fixture *fx)
{
	struct error err = {0};
	ok(store_write(fx->store, hand_over, fx, &err), &err);
}

struct webhook_row make_webhook(struct fixture *fx, const struct app_row *app)
{
	struct error err = {0};
	const struct webhook_row webhook = {.id = new_uuid(fx),
					    .app_id = app->id,
					    .url = STR("https://c.example"),
					    .event_mask = EVENT_MASK_ALL,
					    .is_enabled = true,
					    .secret_sealed = STR("s"),
					    .old_secret_sealed = STR(""),
					    .created_at_us = NOW,
					    .updated_at_us = NOW};
	ok(store_webhook_create(fx->store, &webhook, &err), &err);
	return webhook;
}
