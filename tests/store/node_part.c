/* SPDX-License-Identifier: Apache-2.0
 * Several nodes on one database, where the database has room for them: who is there, and who gets
 * what another one had. On SQLite the same verbs say that there are no nodes. */
#include "fixture.h"

#include <stdlib.h>

#include "store_node.h"

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

/* As fx, through another node of the same database. */
static struct fixture open_other(const struct fixture *fx)
{
	struct fixture other = *fx;
	struct error err = {0};
	const struct store_config config = {
		.url = fx->url, .clock = clock_system(), .is_owner = true};
	other.store = NULL;
	ok(store_open(&config, &other.store, &err), &err);
	return other;
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
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
