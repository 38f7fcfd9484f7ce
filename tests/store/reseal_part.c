/* SPDX-License-Identifier: Apache-2.0
 * Conformance: the walk over all sealed values, and the keys that a database knows. */
#include "fixture.h"

#include "store_event.h"
#include "store_identity.h"
#include "store_reseal.h"

#define NEW_HEAD STR("\x01\xee\xee\xee\xee")
#define OLD(text) STR("\x01\xdd\xdd\xdd\xdd" text)
#define NEW(text) STR("\x01\xee\xee\xee\xee" text)
#define COLUMNS_MAX 32

struct walk {
	struct sealed_record records[64];
	size_t count;
	int pages;
	size_t of_column[COLUMNS_MAX];
};

static bool is_of(const struct sealed_record *record, const struct str *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(record->id, ids[i]))
			return true;
	}
	return false;
}

/* Of the rows with these ids: the database may hold more. */
static struct walk walk(struct fixture *fx, const struct str *ids, size_t id_count, size_t rows_max)
{
	struct walk walk = {0};
	struct sealed_cursor cursor = {0};
	struct error err = {0};
	while (store_sealed_column(cursor.column) != NULL) {
		struct sealed_record *page = NULL;
		size_t count = 0;
		ok(store_sealed_list(fx->store, fx->arena, NEW_HEAD, rows_max, &cursor, &page,
				     &count, &err),
		   &err);
		assert_true(count <= rows_max);
		walk.pages++;
		for (size_t i = 0; i < count; i++) {
			assert_false(str_has_prefix(page[i].sealed, NEW_HEAD));
			if (!is_of(&page[i], ids, id_count))
				continue;
			assert_true(walk.count < 64);
			walk.records[walk.count++] = page[i];
			walk.of_column[page[i].column]++;
		}
	}
	return walk;
}

static struct account_row get_account(struct fixture *fx, const struct account_row *account)
{
	struct account_row found = {0};
	bool is_found = false;
	struct error err = {0};
	ok(store_account_get_many(fx->store, fx->arena, account->app_id, &account->id, 1, &found,
				  &is_found, &err),
	   &err);
	assert_true(is_found);
	return found;
}

static enum err_kind save_token(struct store_tx *tx, void *argument, struct error *err)
{
	return store_account_save_token(tx, argument, NOW, err);
}

/* As a delivery saves what the platform has given it. */
static void refresh(struct fixture *fx, const struct account_row *account, struct str access)
{
	struct error err = {0};
	struct account_tokens tokens = {.account_id = account->id,
					.token_version = get_account(fx, account).token_version,
					.access_token_sealed = access};
	ok(store_write(fx->store, save_token, &tokens, &err), &err);
}

static int64_t replace(struct fixture *fx, struct walk *walk, struct str again)
{
	int64_t replaced = -1;
	struct error err = {0};
	for (size_t i = 0; i < walk->count; i++)
		walk->records[i].again = again;
	ok(store_sealed_replace(fx->store, walk->records, walk->count, &replaced, &err), &err);
	return replaced;
}

static void a_walk_sees_what_is_not_of_the_key_once(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct account_row accounts[5];
	struct str ids[5];
	for (size_t i = 0; i < 5; i++) {
		accounts[i] = make_account(fx, &app, "user", PLATFORM_X);
		ids[i] = accounts[i].id;
	}
	refresh(fx, &accounts[2], NEW("already"));
	for (size_t rows_max = 1; rows_max < 8; rows_max += 3) {
		struct walk seen = walk(fx, ids, 5, rows_max);
		assert_int_equal(seen.count, 9); /* of each two tokens, but for one */
		for (size_t i = 0; i < seen.count; i++) {
			const char *table = store_sealed_column(seen.records[i].column)->table;
			assert_string_equal(table, "accounts");
			assert_true(str_equal(seen.records[i].row_id, seen.records[i].id));
		}
	}
	struct walk seen = walk(fx, ids, 5, 100);
	assert_int_equal(replace(fx, &seen, NEW("again")), 9);
	assert_int_equal(walk(fx, ids, 5, 100).count, 0);
	const struct account_row first = get_account(fx, &accounts[0]);
	assert_true(str_equal(first.access_token_sealed, NEW("again")));
	assert_true(str_equal(first.refresh_token_sealed, NEW("again")));
	const struct account_row third = get_account(fx, &accounts[2]);
	assert_true(str_equal(third.access_token_sealed, NEW("already")));
}

static void what_has_changed_meanwhile_stays(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	const struct account_row before = get_account(fx, &account);
	struct walk seen = walk(fx, &account.id, 1, 100);
	assert_int_equal(seen.count, 2);
	refresh(fx, &account, OLD("fresh"));
	assert_int_equal(replace(fx, &seen, NEW("stale")), 1); /* the refresh token */
	const struct account_row after = get_account(fx, &account);
	assert_true(str_equal(after.access_token_sealed, OLD("fresh")));
	assert_true(str_equal(after.refresh_token_sealed, NEW("stale")));
	/* nobody who read the account before is told that it is another */
	assert_int_equal(after.token_version, before.token_version + 1);
	seen = walk(fx, &account.id, 1, 100);
	assert_int_equal(seen.count, 1);
	assert_true(str_equal(seen.records[0].sealed, OLD("fresh")));
	assert_int_equal(replace(fx, &seen, STR("")), 0); /* nothing in its place */
	assert_int_equal(walk(fx, &account.id, 1, 100).count, 1);
}

/* Everything an app has, but for the flow of a delivery. */
static void every_kind_of_secret_is_walked(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row connection = make_connection(fx, &app, "user", PLATFORM_X);
	const struct webhook_row webhook = {.id = new_uuid(fx),
					    .app_id = app.id,
					    .url = STR("https://a.example"),
					    .is_enabled = true,
					    .secret_sealed = OLD("w"),
					    .old_secret_sealed = OLD("ow"),
					    .created_at_us = NOW};
	const struct str ids[] = {app.id, connection.id, webhook.id};
	struct credential_row credential = {.app_id = app.id,
					    .client_id = STR("id"),
					    .client_secret_sealed = OLD("c"),
					    .updated_at_us = NOW};
	ok(store_webhook_create(fx->store, &webhook, &err), &err);
	ok(store_webhook_rotate(fx->store, &webhook, &err), &err);
	for (int platform = 1; platform <= PLATFORM_ID_MAX; platform++) {
		credential.platform = (enum platform_id)platform;
		ok(store_credential_put(fx->store, &credential, &err), &err);
		ok(store_candidate_put(fx->store, &credential, &err), &err);
	}
	struct walk seen = walk(fx, ids, 3, 4);
	assert_int_equal(seen.count, 2 * PLATFORM_ID_MAX + 2 + 1);
	assert_int_equal(seen.of_column[0], PLATFORM_ID_MAX);
	assert_int_equal(seen.of_column[1], PLATFORM_ID_MAX);
	assert_true(str_equal(
		seen.records[0].row_id,
		str_format(fx->arena, STR_FMT "/%s", STR_ARG(app.id),
			   platform_id_slug((enum platform_id)seen.records[0].platform))));
	assert_int_equal(replace(fx, &seen, NEW("again")), (int64_t)seen.count);
	assert_int_equal(walk(fx, ids, 3, 4).count, 0);
	ok(store_candidate_find(fx->store, fx->arena, app.id, PLATFORM_TIKTOK, &credential, &err),
	   &err);
	assert_true(str_equal(credential.client_secret_sealed, NEW("again")));
	ok(store_webhook_delete(fx->store, app.id, webhook.id, &err), &err);
}

static void flows_of_deliveries_are_walked(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	post_now(fx, &app, &account);
	struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save begun = save_of(&work, DELIVERY_FAILED, NOW);
	begun.flow_sealed = OLD("flow");
	save_ok(fx, &begun);
	struct walk seen = walk(fx, &work.id, 1, 50);
	assert_int_equal(seen.count, 1);
	assert_string_equal(store_sealed_column(seen.records[0].column)->table, "deliveries");
	assert_int_equal(replace(fx, &seen, NEW("flow")), 1);
	assert_int_equal(walk(fx, &work.id, 1, 50).count, 0);
}

static int64_t count_of(struct fixture *fx, struct str head)
{
	struct sealed_count *counts = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_sealed_count(fx->store, fx->arena, &counts, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(counts[i].head, head))
			return counts[i].records;
	}
	return 0;
}

static void records_are_counted_by_their_key(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const int64_t before = count_of(fx, NEW_HEAD);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	assert_int_equal(count_of(fx, NEW_HEAD), before);
	refresh(fx, &account, NEW("t"));
	assert_int_equal(count_of(fx, NEW_HEAD), before + 1);
}

static struct store_keys keys(int64_t master, int64_t old)
{
	struct store_keys keys = {.numbers = {master, old}, .count = old == 0 ? 1 : 2};
	keys.heads[0] = STR("\x01mmmm");
	keys.heads[1] = STR("\x01oooo");
	return keys;
}

static void an_old_key_may_become_the_master_key(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t known = 0;
	static const int64_t turns[][2] = {{7, 0}, {7, 8}, {8, 7}, {7, 8}, {8, 7}, {8, 0}};
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		const struct store_keys ours = keys(turns[i][0], turns[i][1]);
		ok(store_key_agree(fx->store, &ours, &known, &err), &err);
		assert_int_equal(known, turns[i][0]);
	}
}

static void a_record_of_no_given_key_is_found(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct store_keys ours = {.count = 0};
	make_account(fx, &app, "user", PLATFORM_X);
	struct sealed_count *counts = NULL;
	size_t count = 0;
	struct str found = STR("");
	ok(store_sealed_count(fx->store, fx->arena, &counts, &count, &err), &err);
	ours.heads[ours.count++] = STR("\x01none");
	ok(store_key_find_other(fx->store, fx->arena, &ours, &found, &err), &err);
	assert_int_equal(found.len, 5);
	for (size_t i = 0; i < count && ours.count < STORE_KEYS_MAX; i++)
		ours.heads[ours.count++] = counts[i].head;
	ok(store_key_find_other(fx->store, fx->arena, &ours, &found, &err), &err);
	for (size_t i = 0; i < ours.count; i++)
		assert_false(str_equal(found, ours.heads[i]));
	if (count < STORE_KEYS_MAX) /* else the database holds those of other tests too */
		assert_true(str_is_empty(found));
}

int run_reseal_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_walk_sees_what_is_not_of_the_key_once),
		STORE_TEST(what_has_changed_meanwhile_stays),
		STORE_TEST(every_kind_of_secret_is_walked),
		STORE_TEST(flows_of_deliveries_are_walked),
		STORE_TEST(records_are_counted_by_their_key),
		STORE_TEST(an_old_key_may_become_the_master_key),
		STORE_TEST(a_record_of_no_given_key_is_found),
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
