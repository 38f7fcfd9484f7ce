/* SPDX-License-Identifier: Apache-2.0
 * Conformance: acceptances that come together are written together, and each ends as if it had been
 * alone. */
#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

#include "count_of.h"

#include "store_private.h" /* holds the writers, so that a group comes together */
#include "store_quota.h"

#define GROUP_MAX 64
#define TOGETHER_US 150000
#define TRIES 5

struct acceptor {
	pthread_t thread;
	struct fixture *fx;
	struct arena *arena;
	struct post_accept accept;
	struct post_accept_result result;
	struct error err;
	enum err_kind kind;
};

struct gate {
	pthread_t thread;
	struct writer *writer;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_held;
	bool is_open;
};

static enum err_kind wait_at_gate(struct store_tx *tx, void *argument, struct error *err)
{
	struct gate *gate = argument;
	(void)tx;
	(void)err;
	pthread_mutex_lock(&gate->lock);
	gate->is_held = true;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return ERR_NONE;
}

static void *hold(void *argument)
{
	struct gate *gate = argument;
	struct error err = {0};
	ok(writer_run(gate->writer, wait_at_gate, gate, &err), &err);
	return NULL;
}

/* Returns when the writer runs nothing but the gate. */
static void gate_close(struct gate *gate, struct writer *writer)
{
	*gate = (struct gate){.writer = writer,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER};
	pthread_create(&gate->thread, NULL, hold, gate);
	pthread_mutex_lock(&gate->lock);
	while (!gate->is_held)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->is_open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
	pthread_join(gate->thread, NULL);
}

/* The writers that acceptances go through: one where one process owns the database. */
static size_t writers_of(struct fixture *fx, struct writer *writers[ACCEPTERS])
{
	if (!sql_is_shared(fx->store->sql)) {
		writers[0] = fx->store->writer;
		return 1;
	}
	for (size_t i = 0; i < ACCEPTERS; i++)
		writers[i] = fx->store->accepters[i];
	return ACCEPTERS;
}

static void *run_acceptor(void *argument)
{
	struct acceptor *a = argument;
	a->kind = store_post_accept(a->fx->store, a->arena, &a->accept, &a->result, &a->err);
	return NULL;
}

/* All at once: in a group for each of the writers. */
static void accept_together(struct fixture *fx, struct acceptor *acceptors, size_t count)
{
	struct writer *writers[ACCEPTERS];
	struct gate gates[ACCEPTERS];
	const size_t gate_count = writers_of(fx, writers);
	for (size_t i = 0; i < gate_count; i++)
		gate_close(&gates[i], writers[i]);
	for (size_t i = 0; i < count; i++) {
		acceptors[i].fx = fx;
		acceptors[i].arena = arena_new("acceptor", 65536);
		pthread_create(&acceptors[i].thread, NULL, run_acceptor, &acceptors[i]);
	}
	usleep(TOGETHER_US);
	for (size_t i = 0; i < gate_count; i++)
		gate_open(&gates[i]);
	for (size_t i = 0; i < count; i++)
		pthread_join(acceptors[i].thread, NULL);
}

static void free_arenas(struct acceptor *acceptors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		arena_free(&acceptors[i].arena);
}

static int64_t total(struct fixture *fx, const struct app_row *app, const char *status)
{
	const struct post_filter filter = {
		.app_id = app->id, .status = str_of(status), .page = 1, .per_page = 100};
	const struct page page = list_posts(fx, &filter);
	assert_int_equal(page.count, page.total);
	return page.total;
}

static int64_t quota_used(struct fixture *fx, const struct app_row *app, enum quota quota)
{
	struct quota_row rows[QUOTA_COUNT];
	struct error err = {0};
	ok(store_quota_list(fx->store, fx->arena, app->id, rows, &err), &err);
	return rows[quota].used;
}

/* Two apps' posts of both kinds: every number that they share is as if they had come one by one. */
static void a_group_counts_as_its_posts_would_alone(void **state)
{
	struct fixture *fx = *state;
	const struct app_row apps[] = {make_app(fx), make_app(fx)};
	struct account_row accounts[2][2];
	struct acceptor acceptors[GROUP_MAX] = {0};
	for (size_t i = 0; i < 2; i++) {
		accounts[i][0] = make_account(fx, &apps[i], "ann", PLATFORM_X);
		accounts[i][1] = make_account(fx, &apps[i], "bob", PLATFORM_LINKEDIN);
	}
	for (size_t i = 0; i < GROUP_MAX; i++) {
		acceptors[i].accept = make_post(fx, &apps[i % 2], accounts[i % 2], 1 + i / 2 % 2);
		acceptors[i].accept.scheduled_at_us = i % 4 < 2 ? NOW + US_PER_DAY : 0;
	}
	accept_together(fx, acceptors, GROUP_MAX);
	bool is_taken[2][GROUP_MAX] = {{false}};
	for (size_t i = 0; i < GROUP_MAX; i++) {
		ok(acceptors[i].kind, &acceptors[i].err);
		assert_int_equal(acceptors[i].result.outcome, POST_ACCEPTED);
		const struct post_row post =
			get_post(fx, &apps[i % 2], acceptors[i].accept.post_id);
		assert_int_equal(post.delivery_count, acceptors[i].accept.target_count);
	}
	for (size_t i = 0; i < 2; i++) {
		const struct post_filter all = {.app_id = apps[i].id, .page = 1, .per_page = 100};
		const struct page page = list_posts(fx, &all);
		assert_int_equal(page.total, GROUP_MAX / 2);
		for (size_t k = 0; k < page.count; k++) {
			for (size_t m = 0; m < GROUP_MAX; m++)
				is_taken[i][m] |=
					str_equal(page.posts[k].id, acceptors[m].accept.post_id);
		}
		for (size_t m = 0; m < GROUP_MAX; m++)
			assert_int_equal(is_taken[i][m], m % 2 == i);
		assert_int_equal(total(fx, &apps[i], "scheduled"), GROUP_MAX / 4);
		assert_int_equal(total(fx, &apps[i], "pending"), GROUP_MAX / 4);
		assert_int_equal(quota_used(fx, &apps[i], QUOTA_PENDING_POSTS), GROUP_MAX / 2);
		assert_int_equal(quota_used(fx, &apps[i], QUOTA_POST_BYTES),
				 GROUP_MAX / 2 * (int64_t)acceptors[0].accept.content.len);
	}
	/* an account has one under way: the lanes were offered, though once for all */
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 4);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	free_arenas(acceptors, GROUP_MAX);
}

/* What a client may bring about fails nobody else: repeated requests, an account that is gone, a
 * quota that is full. */
static void refusals_in_a_group_are_answers(void **state)
{
	enum { FIRST, SECOND, GONE, FOREIGN, FREE_1, FREE_2, FREE_3, OTHER_APP, COUNT };
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row good = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row foreign = make_account(fx, &other, "u", PLATFORM_X);
	const struct account_row pair[] = {good, foreign};
	struct acceptor acceptors[COUNT] = {0};
	int64_t own[QUOTA_COUNT];
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		own[quota] = quota == QUOTA_PENDING_POSTS ? 3 : QUOTA_INHERITED;
	ok(store_quota_set(fx->store, app.id, own, &err), &err);
	for (size_t i = 0; i < COUNT; i++)
		acceptors[i].accept = make_post(fx, &app, &good, 1);
	acceptors[SECOND].accept.request_id = acceptors[FIRST].accept.request_id;
	acceptors[GONE].accept = make_post(fx, &app, pair, 2);
	((struct post_target *)acceptors[GONE].accept.targets)[1].account_id = new_uuid(fx);
	acceptors[FOREIGN].accept = make_post(fx, &app, pair, 2);
	acceptors[OTHER_APP].accept = make_post(fx, &other, &foreign, 1);
	acceptors[OTHER_APP].accept.request_id = acceptors[FIRST].accept.request_id;
	accept_together(fx, acceptors, COUNT);
	size_t outcomes[POST_OVER_QUOTA + 1] = {0};
	for (size_t i = 0; i < COUNT; i++) {
		ok(acceptors[i].kind, &acceptors[i].err);
		outcomes[acceptors[i].result.outcome]++;
	}
	assert_int_equal(acceptors[OTHER_APP].result.outcome, POST_ACCEPTED);
	assert_int_equal(outcomes[POST_ACCOUNT_GONE], 2);
	for (size_t i = GONE; i <= FOREIGN; i++)
		assert_int_equal(acceptors[i].result.account_index, 1);
	/* Five ask for three places; whether the repeated one came first is the threads' affair. */
	assert_int_equal(outcomes[POST_ACCEPTED], 3 + 1);
	assert_int_equal(outcomes[POST_DUPLICATE] + outcomes[POST_OVER_QUOTA], 2);
	const size_t won = acceptors[FIRST].result.outcome == POST_ACCEPTED ? FIRST : SECOND;
	const struct acceptor *lost = &acceptors[FIRST + SECOND - won];
	assert_int_not_equal(lost->result.outcome, POST_ACCEPTED);
	if (lost->result.outcome == POST_DUPLICATE) {
		assert_true(
			str_equal(lost->result.duplicate_post_id, acceptors[won].accept.post_id));
		assert_int_equal(lost->result.duplicate_state, POST_PENDING);
	}
	for (size_t i = 0; i < COUNT; i++) {
		if (acceptors[i].result.outcome == POST_OVER_QUOTA)
			assert_int_equal(acceptors[i].result.over.used, 3);
	}
	assert_int_equal(total(fx, &app, ""), 3);
	assert_int_equal(total(fx, &other, ""), 1);
	claim(fx, NOW, CLAIM_MAX);
	free_arenas(acceptors, COUNT);
}

/* What cannot be written fails alone and keeps nothing; the others are kept whole, once. */
static void who_fails_in_a_group_fails_alone(void **state)
{
	enum { BAD = 5, COUNT = 12 };
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct post_accept before = make_post(fx, &app, &account, 1);
	struct acceptor acceptors[COUNT] = {0};
	assert_int_equal(accept_post(fx, &before).outcome, POST_ACCEPTED);
	for (size_t i = 0; i < COUNT; i++)
		acceptors[i].accept = make_post(fx, &app, &account, 1);
	acceptors[BAD].accept.post_id = before.post_id; /* refused by the table */
	accept_together(fx, acceptors, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(acceptors[i].kind, i == BAD ? ERR_CONFLICT : ERR_NONE);
	assert_true(acceptors[BAD].err.text[0] != '\0');
	assert_int_equal(total(fx, &app, "pending"), COUNT);
	assert_int_equal(quota_used(fx, &app, QUOTA_PENDING_POSTS), COUNT);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 1);
	const struct post_accept after = make_post(fx, &app, &account, 1);
	assert_int_equal(accept_post(fx, &after).outcome, POST_ACCEPTED);
	free_arenas(acceptors, COUNT);
}

static int64_t waits_so_far(struct fixture *fx)
{
	int64_t waits = 0;
	for (size_t i = 0; i < ACCEPTERS; i++)
		waits += fx->store->sql->driver->waits(fx->store->accepter_sql[i]);
	return waits;
}

static int64_t waits_of(struct fixture *fx, struct acceptor *acceptors, size_t count)
{
	const int64_t before = waits_so_far(fx);
	accept_together(fx, acceptors, count);
	return waits_so_far(fx) - before;
}

/* Over a network every wait is a way there and back. A thread that a busy machine starts too late
 * makes a group of its own: then it is tried again. */
static void a_group_waits_twice_for_a_database_far_away(void **state)
{
	struct fixture *fx = *state;
	if (!sql_is_shared(fx->store->sql))
		return;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "ann", PLATFORM_X),
					       make_account(fx, &app, "bob", PLATFORM_X)};
	const int64_t of_holding = waits_of(fx, NULL, 0);
	int64_t fewest = INT64_MAX;
	for (int tries = 0; tries < TRIES && fewest > 2; tries++) {
		struct acceptor acceptors[GROUP_MAX] = {0};
		for (size_t i = 0; i < GROUP_MAX; i++)
			acceptors[i].accept = make_post(fx, &app, accounts, 2);
		const int64_t waits = waits_of(fx, acceptors, GROUP_MAX) - of_holding;
		for (size_t i = 0; i < GROUP_MAX; i++)
			ok(acceptors[i].kind, &acceptors[i].err);
		fewest = waits < fewest ? waits : fewest;
		free_arenas(acceptors, GROUP_MAX);
	}
	assert_int_equal(fewest, 2);
	claim(fx, NOW, CLAIM_MAX);
}

int run_accept_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_group_counts_as_its_posts_would_alone),
		STORE_TEST(refusals_in_a_group_are_answers),
		STORE_TEST(who_fails_in_a_group_fails_alone),
		STORE_TEST(a_group_waits_twice_for_a_database_far_away),
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
