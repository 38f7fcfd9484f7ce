/* SPDX-License-Identifier: Apache-2.0
 * Several nodes on one database, where the database has room for them: who is there, and who gets
 * what another one had. On SQLite the same verbs say that there are no nodes. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_of.h"

#include "store_guard.h"
#include "store_node.h"
#include "store_private.h"

/* No lineage or identity of a server that there is. */
#define ANOTHER 4711

struct nodes {
	struct node_row *rows;
	size_t count;
};

static struct nodes list_nodes(struct fixture *fx)
{
	struct error err = {0};
	struct nodes nodes = {0};
	ok(store_node_list(fx->store, fx->arena, &nodes.rows, &nodes.count, &err), &err);
	return nodes;
}

static const struct node_row *find_node(const struct nodes *nodes, struct str id)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (str_equal(nodes->rows[i].id, id))
			return &nodes->rows[i];
	}
	return NULL;
}

static int64_t beat(struct fixture *fx)
{
	struct error err = {0};
	int64_t taken = -1;
	ok(store_node_beat(fx->store, &taken, &err), &err);
	return taken;
}

static void nodes_are_known_while_they_live(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	if (!store_is_shared(fx->store)) {
		assert_int_equal(beat(fx), 0);
		assert_int_equal(list_nodes(fx).count, 0);
		return;
	}
	struct fixture other = open_other(fx);
	const struct str id = str_copy(fx->arena, store_node_id(other.store));
	const struct node_row told = {
		.name = STR("otto"), .role = STR("worker"), .version = STR("1")};
	ok(store_node_tell(other.store, &told, &err), &err);
	const struct nodes both = list_nodes(fx);
	const struct node_row *found = find_node(&both, id);
	assert_non_null(found);
	assert_true(str_is(found->name, "otto") && str_is(found->role, "worker"));
	assert_true(found->is_alive && found->busy_count == 0);
	assert_non_null(find_node(&both, store_node_id(fx->store)));
	store_close(&other.store);
	const struct nodes one = list_nodes(fx);
	assert_null(find_node(&one, id));
}

/* Who takes its leave while it holds a lease leaves it to the others. */
static void what_a_node_left_is_taken_over(void **state)
{
	struct fixture *fx = *state;
	if (!store_is_shared(fx->store))
		return;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	struct fixture other = open_other(fx);
	const struct delivery_work first = claim_one(&other, NOW);
	const struct nodes nodes = list_nodes(fx);
	assert_int_equal(find_node(&nodes, store_node_id(other.store))->busy_count, 1);
	assert_int_equal(beat(fx), 0);
	assert_int_equal(claim(fx, NOW + 1, CLAIM_MAX).count, 0);
	store_close(&other.store);
	assert_int_equal(beat(fx), 1);
	assert_int_equal(beat(fx), 0);
	const struct delivery_work second = claim_one(fx, NOW + 1);
	assert_true(str_equal(first.id, second.id) && second.fence == first.fence + 1);
}

/* ---- what only time or another server does: written into the database ---- */

struct one_run {
	enum sql_name name;
	struct sql_args args;
};

static enum err_kind run_one(struct store_tx *tx, void *argument, struct error *err)
{
	const struct one_run *one = argument;
	return sql_run_one(tx->sql, one->name, one->args, ERR_NOT_FOUND, "row", err);
}

static void change(struct fixture *fx, enum sql_name name, struct sql_args args)
{
	struct error err = {0};
	struct one_run one = {name, args};
	ok(store_write(fx->store, run_one, &one, &err), &err);
}

static void fall_silent(struct fixture *fx, const struct fixture *silent)
{
	const int64_t silent_us = clock_now_us(store_clock(fx->store)) - NODE_DEAD_US - US_PER_S;
	change(fx, SQL_NODE_BEAT,
	       SQL_ARGS(sql_text(store_node_id(silent->store)), sql_int(silent_us),
			sql_int(silent->store->node_started_us)));
}

/* It may be asleep and send when it wakes: what it has begun to publish waits for the lease, all
 * else is taken over at once. */
static void a_silent_nodes_publish_call_waits_for_its_lease(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	if (!store_is_shared(fx->store))
		return;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_FACEBOOK)};
	struct fixture other = open_other(fx);
	post_now(fx, &app, &accounts[0]);
	const struct delivery_work begun = claim_one(&other, NOW);
	struct delivery_save intent = save_of(&begun, DELIVERY_KEEP, NOW);
	intent.call_state = CALL_STATE_STARTED;
	ok(save(&other, &intent, &err), &err);
	post_now(fx, &app, &accounts[1]);
	const struct delivery_work idle = claim_one(&other, NOW);
	fall_silent(fx, &other);
	assert_int_equal(beat(fx), 1);
	const struct delivery_work taken = claim_one(fx, NOW + 1);
	assert_true(str_equal(taken.id, idle.id));
	assert_int_equal(claim(fx, NOW + LEASE_US - 1, CLAIM_MAX).count, 0);
	const struct claimed later = claim(fx, NOW + LEASE_US + 1, CLAIM_MAX);
	bool is_begun_there = false;
	for (size_t i = 0; i < later.count; i++)
		is_begun_there = is_begun_there || (str_equal(later.work[i].id, begun.id) &&
						    later.work[i].call_state == CALL_STATE_STARTED);
	assert_true(is_begun_there);
	store_close(&other.store);
	beat(fx);
}

static int64_t asking_count(struct fixture *fx)
{
	struct error err = {0};
	int64_t count = 0;
	ok(store_hold_count(fx->store, HOLD_ASKING, &count, &err), &err);
	return count;
}

/* Of two numbers in meta: the server's system and timeline, and the database's own oids. */
static void another_history_is_asked_about(void **state)
{
	static const char *const names[] = {"server_lineage", "database_identity"};
	struct fixture *fx = *state;
	if (!store_is_shared(fx->store))
		return;
	fixture_reopen(fx);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct error err = {0};
		const struct app_row app = make_app(fx);
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		const int64_t due_us = clock_now_us(store_clock(fx->store)) - US_PER_HOUR;
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.now_us = due_us;
		assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
		const struct delivery_work before = claim_one(fx, due_us);
		fixture_reopen(fx);
		assert_int_equal(asking_count(fx), 0);
		change(fx, SQL_META_PUT, SQL_ARGS(sql_word(names[i]), sql_int(ANOTHER)));
		fixture_reopen(fx);
		assert_int_equal(asking_count(fx), 1);
		/* calls that may be in flight end first */
		assert_int_equal(claim(fx, due_us + US_PER_HOUR + US_PER_S, CLAIM_MAX).count, 0);
		const struct delivery_work after =
			claim_one(fx, clock_now_us(store_clock(fx->store)) + 2 * US_PER_MINUTE);
		assert_true(str_equal(after.id, before.id) && after.hold == HOLD_ASKING);
		/* whoever got a fence in the history that is lost holds none that is given now */
		assert_true(after.fence > before.fence + 100);
		const struct delivery_save late = save_of(&before, DELIVERY_PUBLISHED, NOW);
		assert_int_equal(save(fx, &late, &err), ERR_CONFLICT);
		const struct delivery_save drop = save_of(&after, DELIVERY_FAILED, NOW);
		save_ok(fx, &drop);
		fixture_reopen(fx);
		assert_int_equal(asking_count(fx), 0);
	}
}

/* ---- two who say they are one ---- */

static void a_later_start_takes_the_id(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t taken = 0;
	if (!store_is_shared(fx->store))
		return;
	const struct str id = str_copy(fx->arena, store_node_id(fx->store));
	const int64_t started_us = fx->store->node_started_us;
	change(fx, SQL_NODE_DELETE, SQL_ARGS(sql_text(id), sql_int(started_us)));
	assert_int_equal(store_node_beat(fx->store, &taken, &err), ERR_NOT_FOUND);
	const struct sql_value nothing = sql_word("");
	change(fx, SQL_NODE_PUT,
	       SQL_ARGS(sql_text(id), nothing, nothing, nothing, nothing, sql_int(started_us + 1),
			nothing));
	assert_int_equal(store_node_beat(fx->store, &taken, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.text, "copied"));
	fixture_reopen(fx); /* leaves the other's row alone */
	const struct nodes nodes = list_nodes(fx);
	assert_non_null(find_node(&nodes, id));
}

static bool has_mark(struct fixture *fx, const char *id)
{
	struct error err = {0};
	int64_t number = 0;
	const enum err_kind kind =
		store_number(fx->store, SQL_MARK_READ, SQL_ARGS(sql_word(id)), &number, &err);
	return kind == ERR_NONE && number == 7;
}

static void put_mark(struct fixture *fx, const char *id)
{
	struct error err = {0};
	ok(store_run(fx->store, SQL_MARK_PUT, SQL_ARGS(sql_word(id), sql_int(7)), ERR_NONE, "",
		     &err),
	   &err);
}

/* The marks of connections that wrote go with their node. */
static void write_marks_go_with_their_node(void **state)
{
	struct fixture *fx = *state;
	char mine[80];
	if (!store_is_shared(fx->store))
		return;
	snprintf(mine, sizeof(mine), STR_FMT "/test", STR_ARG(store_node_id(fx->store)));
	put_mark(fx, "a node that is gone/1");
	put_mark(fx, mine);
	assert_int_equal(beat(fx), 0);
	assert_false(has_mark(fx, "a node that is gone/1"));
	assert_true(has_mark(fx, mine));
}

static void a_program_that_is_too_old_must_end(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t taken = 0;
	if (!store_is_shared(fx->store))
		return;
	const struct sql_value name = sql_word("oldest_program");
	change(fx, SQL_META_PUT, SQL_ARGS(name, sql_int(9000)));
	assert_int_equal(store_node_beat(fx->store, &taken, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.text, "9000"));
	change(fx, SQL_META_PUT, SQL_ARGS(name, sql_int(1)));
	beat(fx);
}

/* Two stores accept and claim at once; each request is one post, each delivery one claim. */
static void a_request_is_one_post_on_every_node(void **state)
{
	struct fixture *fx = *state;
	if (!store_is_shared(fx->store))
		return;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct fixture other = open_other(fx);
	struct post_accept first = make_post(fx, &app, &account, 1);
	struct post_accept second = make_post(fx, &app, &account, 1);
	second.request_id = first.request_id;
	assert_int_equal(accept_post(fx, &first).outcome, POST_ACCEPTED);
	assert_int_equal(accept_post(&other, &second).outcome, POST_DUPLICATE);
	assert_int_equal(claim(&other, NOW, CLAIM_MAX).count, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	store_close(&other.store);
	beat(fx);
}

int run_node_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(nodes_are_known_while_they_live),
		STORE_TEST(what_a_node_left_is_taken_over),
		STORE_TEST(a_request_is_one_post_on_every_node),
		STORE_TEST(a_silent_nodes_publish_call_waits_for_its_lease),
		STORE_TEST(another_history_is_asked_about),
		STORE_TEST(a_later_start_takes_the_id),
		STORE_TEST(write_marks_go_with_their_node),
		STORE_TEST(a_program_that_is_too_old_must_end),
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
