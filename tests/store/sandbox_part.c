/* SPDX-License-Identifier: Apache-2.0
 * The sandbox of the test apps among nodes: one has it, and only that one writes. Where there are
 * no nodes nobody asks. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store_node.h"
#include "store_sandbox.h"

#define LASTS_US (60 * US_PER_S)

/* The fence; 0: somebody else has it. */
static int64_t take(struct fixture *fx, const char *address)
{
	struct sandbox_lease lease = {
		.address = str_of(address), .pass = STR("sealed"), .left_us = LASTS_US};
	struct error err = {0};
	const enum err_kind kind = store_sandbox_lease_take(fx->store, &lease, &err);
	assert_true(kind == ERR_NONE || kind == ERR_CONFLICT);
	return kind == ERR_NONE ? lease.fence : 0;
}

static enum err_kind write_to(struct fixture *fx, const struct app_row *app, int64_t fence,
			      const char *bytes, bool is_all)
{
	const struct sandbox_journal_part part = {
		.fence = fence, .app_id = app->id, .bytes = str_of(bytes), .is_all = is_all};
	struct error err = {0};
	return store_sandbox_journal_write(fx->store, &part, &err);
}

static struct str read_of(struct fixture *fx, const struct app_row *app)
{
	struct str bytes = STR("?");
	struct error err = {0};
	ok(store_sandbox_journal_read(fx->store, fx->arena, app->id, &bytes, &err), &err);
	return bytes;
}

static void one_node_has_it(void **state)
{
	struct fixture *fx = *state;
	struct sandbox_lease lease = {0};
	struct error err = {0};
	if (!store_is_shared(fx->store))
		return;
	struct fixture other = open_other(fx);
	const int64_t first = take(fx, "http://first");
	assert_true(first > 0);
	assert_int_equal(take(&other, "http://other"), 0);
	ok(store_sandbox_lease_get(other.store, fx->arena, &lease, &err), &err);
	assert_true(str_equal_z(lease.address, "http://first") && lease.fence == first);
	assert_true(lease.left_us > 0 && lease.left_us <= LASTS_US);
	assert_true(str_equal(lease.node_id, store_node_id(fx->store)));
	/* the same node, started anew */
	const int64_t again = take(fx, "http://again");
	assert_int_equal(again, first + 1);
	assert_int_equal(store_sandbox_lease_renew(fx->store, first, LASTS_US, &err), ERR_CONFLICT);
	ok(store_sandbox_lease_renew(fx->store, again, LASTS_US, &err), &err);
	ok(store_sandbox_lease_renew(fx->store, again, 0, &err), &err);
	assert_int_equal(take(&other, "http://other"), again + 1);
	assert_int_equal(store_sandbox_lease_renew(fx->store, again, LASTS_US, &err), ERR_CONFLICT);
	ok(store_sandbox_lease_renew(other.store, again + 1, 0, &err), &err); /* for the others */
	store_close(&other.store);
}

static void only_who_has_it_writes(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	if (!store_is_shared(fx->store))
		return;
	const struct app_row app = make_app(fx);
	const struct app_row neighbour = make_app(fx);
	struct fixture other = open_other(fx);
	const int64_t first = take(fx, "http://first");
	assert_int_equal(write_to(fx, &app, first, "head", true), ERR_NONE);
	assert_int_equal(write_to(fx, &app, first, "+one", false), ERR_NONE);
	assert_int_equal(write_to(fx, &neighbour, first, "other", true), ERR_NONE);
	ok(store_sandbox_lease_renew(fx->store, first, 0, &err), &err);
	const int64_t second = take(&other, "http://other");
	assert_int_equal(write_to(fx, &app, first, "late", false), ERR_CONFLICT);
	assert_int_equal(write_to(fx, &app, first, "late", true), ERR_CONFLICT);
	assert_true(str_equal_z(read_of(&other, &app), "head+one"));
	assert_int_equal(write_to(&other, &app, second, "+two", false), ERR_NONE);
	assert_true(str_equal_z(read_of(fx, &app), "head+one+two"));
	assert_int_equal(write_to(&other, &app, second, "anew", true), ERR_NONE);
	assert_true(str_equal_z(read_of(fx, &app), "anew"));
	assert_true(str_equal_z(read_of(fx, &neighbour), "other"));
	ok(store_sandbox_lease_renew(other.store, second, 0, &err), &err);
	store_close(&other.store);
}

/* More than a piece, and more pieces than are read at once. */
static void a_large_one_comes_back_whole(void **state)
{
	struct fixture *fx = *state;
	if (!store_is_shared(fx->store))
		return;
	const size_t len = ((size_t)5 << 20) + 17;
	const struct app_row app = make_app(fx);
	const int64_t fence = take(fx, "http://first");
	char *bytes = malloc(len + 1);
	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)('a' + i % 23);
	bytes[len] = '\0';
	assert_int_equal(write_to(fx, &app, fence, bytes, true), ERR_NONE);
	for (int i = 0; i < 40; i++)
		assert_int_equal(write_to(fx, &app, fence, "+", false), ERR_NONE);
	struct arena *arena = arena_new("journal", (size_t)64 << 20);
	struct str found = {0};
	struct error err = {0};
	ok(store_sandbox_journal_read(fx->store, arena, app.id, &found, &err), &err);
	assert_int_equal(found.len, len + 40);
	assert_memory_equal(found.ptr, bytes, len);
	arena_free(&arena);
	free(bytes);
}

int run_sandbox_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(one_node_has_it),
		STORE_TEST(only_who_has_it_writes),
		STORE_TEST(a_large_one_comes_back_whole),
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
