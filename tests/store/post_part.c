/* SPDX-License-Identifier: Apache-2.0
 * Conformance: accepting posts, reading them, listing them. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "count_of.h"

#include "store_private.h" /* to write past the verbs: a_request_id_is_used_once_in_the_table */

static void a_post_is_read_back_whole(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "user-b", PLATFORM_X),
					       make_account(fx, &app, "user-a", PLATFORM_TIKTOK)};
	struct post_accept accept = make_post(fx, &app, accounts, 2);
	accept.mode = POST_MODE_ADVANCED;
	const struct post_accept_result result = accept_post(fx, &accept);
	assert_int_equal(result.outcome, POST_ACCEPTED);
	assert_int_equal(result.created_at_us, NOW);

	const struct post_row post = get_post(fx, &app, accept.post_id);
	assert_true(str_equal(post.id, accept.post_id));
	assert_true(str_equal(post.app_id, app.id));
	assert_true(str_equal(post.request_id, accept.request_id));
	assert_true(str_is(post.external_user_id, "user-b"));
	assert_int_equal(post.state, POST_PENDING);
	assert_int_equal(post.mode, POST_MODE_ADVANCED);
	assert_int_equal(post.scheduled_at_us, 0);
	assert_int_equal(post.created_at_us, NOW);
	assert_true(str_equal(post.content, accept.content));
	assert_int_equal(post.delivery_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct delivery_row *delivery = &post.deliveries[i];
		assert_true(str_equal(delivery->id, accept.targets[i].delivery_id));
		assert_true(str_equal(delivery->account_id, accounts[i].id));
		assert_int_equal(delivery->platform, accounts[i].platform);
		assert_true(str_is(delivery->handle, "ann.example"));
		assert_int_equal(delivery->state, POST_PENDING);
		assert_int_equal(delivery->attempts, 0);
		assert_int_equal(delivery->next_attempt_at_us, 0);
		assert_true(str_is_empty(delivery->error_code));
	}
}

static void a_scheduled_post_says_so(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	accept.scheduled_at_us = NOW + US_PER_HOUR;
	accept_post(fx, &accept);
	const struct post_row post = get_post(fx, &app, accept.post_id);
	assert_int_equal(post.state, POST_SCHEDULED);
	assert_int_equal(post.scheduled_at_us, NOW + US_PER_HOUR);
	assert_int_equal(post.deliveries[0].state, POST_SCHEDULED);
	assert_int_equal(post.deliveries[0].scheduled_at_us, NOW + US_PER_HOUR);
	assert_int_equal(post.deliveries[0].next_attempt_at_us, NOW + US_PER_HOUR);
}

static void another_apps_post_is_not_found(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_row post = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str id = post_now(fx, &app, &account);
	assert_int_equal(store_post_get(fx->store, fx->arena, other.id, id, &post, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(store_post_get(fx->store, fx->arena, app.id, STR("none"), &post, &err),
			 ERR_NOT_FOUND);
	const struct post_filter filter = {.app_id = other.id, .page = 1, .per_page = 20};
	assert_int_equal(list_posts(fx, &filter).total, 0);
}

static enum err_kind do_disconnect(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_row *account = argument;
	return store_account_set_state(tx, account->id, ACCOUNT_DISCONNECTED, STR(""), NOW, err);
}

static void an_account_that_is_gone_is_named_and_nothing_written(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_row post = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	struct account_row good = make_account(fx, &app, "u", PLATFORM_X);
	struct account_row gone = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row foreign = make_account(fx, &other, "u", PLATFORM_X);
	ok(store_write(fx->store, do_disconnect, &gone, &err), &err);
	const struct account_row bad[] = {gone, foreign};
	for (size_t i = 0; i < 2; i++) {
		const struct account_row pair[] = {good, bad[i]};
		const struct post_accept accept = make_post(fx, &app, pair, 2);
		const struct post_accept_result result = accept_post(fx, &accept);
		assert_int_equal(result.outcome, POST_ACCOUNT_GONE);
		assert_int_equal(result.account_index, 1);
		assert_int_equal(
			store_post_get(fx->store, fx->arena, app.id, accept.post_id, &post, &err),
			ERR_NOT_FOUND);
	}
	const struct post_filter filter = {.app_id = app.id, .page = 1, .per_page = 20};
	assert_int_equal(list_posts(fx, &filter).total, 0);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
}

static void a_request_id_is_used_once_an_app(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row others = make_account(fx, &other, "u", PLATFORM_X);
	struct post_accept first = make_post(fx, &app, &account, 1);
	first.scheduled_at_us = NOW + US_PER_DAY;
	accept_post(fx, &first);
	struct post_accept second = make_post(fx, &app, &account, 1);
	second.request_id = first.request_id;
	const struct post_accept_result result = accept_post(fx, &second);
	assert_int_equal(result.outcome, POST_DUPLICATE);
	assert_true(str_equal(result.duplicate_post_id, first.post_id));
	assert_int_equal(result.duplicate_state, POST_SCHEDULED);
	struct post_accept elsewhere = make_post(fx, &other, &others, 1);
	elsewhere.request_id = first.request_id;
	assert_int_equal(accept_post(fx, &elsewhere).outcome, POST_ACCEPTED);
}

struct bare_post {
	const struct post_accept *accept;
	struct str post_id;
	struct str request_id;
	enum err_kind inserted;
};

/* The row alone, without looking for a first request. Nothing of it stays. */
static enum err_kind insert_bare_post(struct store_tx *tx, void *argument, struct error *err)
{
	struct bare_post *post = argument;
	int64_t waited_for = 0; /* PostgreSQL answers an INSERT with the next question */
	post->inserted =
		sql_run(tx->sql, SQL_POST_INSERT,
			SQL_ARGS(sql_text(post->post_id), sql_text(post->accept->app_id),
				 sql_int(1000000), sql_text(post->request_id), sql_text(STR("u")),
				 sql_word("pending"), sql_word("pending"), sql_int(POST_MODE_BASIC),
				 sql_int(0), sql_int(0), sql_int(NOW), sql_int(NOW),
				 sql_text(STR("{}")), sql_int(0), sql_text(STR("a-request"))),
			NULL, err);
	if (post->inserted == ERR_NONE)
		post->inserted =
			sql_number(tx->sql, SQL_META_GET, SQL_ARGS(sql_word("")), &waited_for, err);
	return post->inserted == ERR_NONE ? error_set(err, ERR_INVALID, "undone") : post->inserted;
}

/* The second net: what the look for a first request misses is refused by the table. */
static void a_request_id_is_used_once_in_the_table(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct post_accept first = make_post(fx, &app, &account, 1);
	accept_post(fx, &first);
	struct bare_post second = {&first, new_uuid(fx), new_name(fx, "request"), ERR_NONE};
	assert_int_equal(store_write(fx->store, insert_bare_post, &second, &err), ERR_INVALID);
	assert_int_equal(second.inserted, ERR_NONE);
	second.request_id = first.request_id;
	assert_int_equal(store_write(fx->store, insert_bare_post, &second, &err), ERR_CONFLICT);
	assert_int_equal(second.inserted, ERR_CONFLICT);
}

static void a_post_without_accounts_or_for_too_many_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_accept_result result = {0};
	const struct app_row app = make_app(fx);
	struct post_accept accept = make_post(fx, &app, NULL, 0);
	assert_int_equal(store_post_accept(fx->store, fx->arena, &accept, &result, &err),
			 ERR_INVALID);
	accept.target_count = POST_ACCOUNTS_MAX + 1;
	assert_int_equal(store_post_accept(fx->store, fx->arena, &accept, &result, &err),
			 ERR_INVALID);
}

#define RACERS 32

struct racer {
	pthread_t thread;
	struct store *store;
	struct arena *arena;
	struct post_accept accept;
	struct post_accept_result result;
	enum err_kind kind;
};

static void *race(void *argument)
{
	struct racer *racer = argument;
	struct error err = {0};
	racer->kind =
		store_post_accept(racer->store, racer->arena, &racer->accept, &racer->result, &err);
	return NULL;
}

static void of_equal_requests_at_once_one_is_accepted(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str request_id = new_name(fx, "race");
	struct racer *racers = ARENA_ARRAY(fx->arena, struct racer, RACERS);
	struct str winner = {0};
	int accepted = 0;
	for (size_t i = 0; i < RACERS; i++) {
		racers[i].store = fx->store;
		racers[i].arena = arena_new("racer", 65536);
		racers[i].accept = make_post(fx, &app, &account, 1);
		racers[i].accept.request_id = request_id;
	}
	for (size_t i = 0; i < RACERS; i++)
		pthread_create(&racers[i].thread, NULL, race, &racers[i]);
	for (size_t i = 0; i < RACERS; i++) {
		pthread_join(racers[i].thread, NULL);
		assert_int_equal(racers[i].kind, ERR_NONE);
		if (racers[i].result.outcome == POST_ACCEPTED) {
			accepted++;
			winner = racers[i].accept.post_id;
		}
	}
	assert_int_equal(accepted, 1);
	for (size_t i = 0; i < RACERS; i++) {
		if (racers[i].result.outcome == POST_DUPLICATE)
			assert_true(str_equal(racers[i].result.duplicate_post_id, winner));
		arena_free(&racers[i].arena);
	}
	const struct post_filter filter = {.app_id = app.id, .page = 1, .per_page = 20};
	assert_int_equal(list_posts(fx, &filter).total, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 1);
}

/* Accepted in this order, with clocks read in another. */
static void a_list_goes_by_acceptance_and_its_times_never_rise(void **state)
{
	struct fixture *fx = *state;
	static const int64_t clocks[] = {NOW + 5, NOW + 3, NOW + 3, NOW + 9, NOW + 8};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct str ids[5];
	for (size_t i = 0; i < 5; i++) {
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.now_us = clocks[i];
		accept_post(fx, &accept);
		ids[i] = accept.post_id;
	}
	const struct post_filter filter = {.app_id = app.id, .page = 1, .per_page = 20};
	const struct page page = list_posts(fx, &filter);
	assert_int_equal(page.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(str_equal(page.posts[i].id, ids[4 - i]));
		assert_true(i == 0 ||
			    page.posts[i].created_at_us <= page.posts[i - 1].created_at_us);
	}
}

static void a_clock_set_back_is_told_as_it_is(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct post_accept ahead = make_post(fx, &app, &account, 1);
	ahead.now_us = NOW + US_PER_HOUR;
	accept_post(fx, &ahead);
	const struct post_accept back = make_post(fx, &app, &account, 1);
	assert_int_equal(accept_post(fx, &back).created_at_us, NOW);
}

#define MANY 700

/* Deep enough for both scales of the counters and for pages that straddle their buckets. */
static void every_page_of_a_long_list_is_right(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct str *ids = ARENA_ARRAY(fx->arena, struct str, MANY);
	for (size_t i = 0; i < MANY; i++) {
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.scheduled_at_us = i % 3 == 0 ? NOW + US_PER_DAY : 0;
		accept_post(fx, &accept);
		ids[i] = accept.post_id;
	}
	static const int64_t sizes[] = {1, 7, 20, 100};
	for (size_t s = 0; s < 4; s++) {
		const int64_t pages = (MANY + sizes[s] - 1) / sizes[s];
		for (int64_t number = 1; number <= pages + 1; number += s == 0 ? 13 : 1) {
			const struct post_filter filter = {
				.app_id = app.id, .page = number, .per_page = sizes[s]};
			const struct page page = list_posts(fx, &filter);
			assert_int_equal(page.total, MANY);
			const int64_t offset = (number - 1) * sizes[s];
			const int64_t left = MANY - offset;
			assert_int_equal(page.count,
					 left < 0 ? 0 : (left < sizes[s] ? left : sizes[s]));
			for (size_t i = 0; i < page.count; i++)
				assert_true(str_equal(page.posts[i].id,
						      ids[MANY - 1 - offset - (int64_t)i]));
		}
	}
	struct post_filter scheduled = {
		.app_id = app.id, .status = STR("scheduled"), .page = 12, .per_page = 20};
	const struct page last = list_posts(fx, &scheduled);
	assert_int_equal(last.total, (MANY + 2) / 3);
	assert_int_equal(last.count, (MANY + 2) / 3 - 11 * 20);
	assert_true(str_equal(last.posts[last.count - 1].id, ids[0]));
}

static void pages_that_are_not_there_are_empty(void **state)
{
	struct fixture *fx = *state;
	static const int64_t pages[] = {2, 1000000, INT64_MAX, 0, -1};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	for (size_t i = 0; i < 5; i++) {
		const struct post_filter filter = {
			.app_id = app.id, .page = pages[i], .per_page = 100};
		const struct page page = list_posts(fx, &filter);
		assert_int_equal(page.count, 0);
		assert_int_equal(page.total, 1);
	}
}

/* Three users with an account each; posts on different days, platforms and states. */
static void filters_find_what_they_say(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &app, "bob", PLATFORM_LINKEDIN);
	const struct account_row cy = make_account(fx, &app, "cy", PLATFORM_X);
	const struct account_row both[] = {ann, bob};
	const struct post_accept a = make_post(fx, &app, &ann, 1);
	const struct post_accept ab = make_post(fx, &app, both, 2);
	struct post_accept c = make_post(fx, &app, &cy, 1);
	c.scheduled_at_us = TODAY + 2 * US_PER_DAY;
	accept_post(fx, &a);
	accept_post(fx, &ab);
	accept_post(fx, &c);
	const struct str users[] = {STR("bob"), STR("cy")};
	const struct str quoted[] = {STR("a\"nn"), STR("ann\\")};
	const struct str accounts[] = {ann.id};
	const struct app_row other = make_app(fx);
	const struct account_row stranger = make_account(fx, &other, "ann", PLATFORM_X);
	const struct str foreign[] = {stranger.id};
	post_now(fx, &other, &stranger);
	const struct {
		const char *name;
		struct post_filter filter;
		const char *expected;
	} rows[] = {
		{"all", {.page = 1}, "c ab a"},
		{"status", {.status = STR("scheduled")}, "c"},
		{"other status", {.status = STR("failed")}, ""},
		{"today", {.date_from_us = TODAY, .date_to_us = TODAY + US_PER_DAY}, "ab a"},
		{"from tomorrow", {.date_from_us = TODAY + US_PER_DAY}, "c"},
		{"to the day before", {.date_to_us = TODAY + 2 * US_PER_DAY}, "ab a"},
		{"to the day", {.date_to_us = TODAY + 3 * US_PER_DAY}, "c ab a"},
		{"date and status", {.date_from_us = TODAY, .status = STR("pending")}, "ab a"},
		{"not a whole day", {.date_from_us = NOW, .date_to_us = NOW + 1}, "ab a"},
		{"users", {.user_ids = users, .user_id_count = 2}, "c ab"},
		{"one user", {.user_ids = users, .user_id_count = 1}, "ab"},
		{"strange users", {.user_ids = quoted, .user_id_count = 2}, ""},
		{"account", {.account_ids = accounts, .account_id_count = 1}, "ab a"},
		{"another app's account", {.account_ids = foreign, .account_id_count = 1}, ""},
		{"account and user",
		 {.account_ids = accounts,
		  .account_id_count = 1,
		  .user_ids = users,
		  .user_id_count = 1},
		 "ab"},
		{"account and another user",
		 {.account_ids = accounts,
		  .account_id_count = 1,
		  .user_ids = users + 1,
		  .user_id_count = 1},
		 ""},
		{"platform", {.platform = PLATFORM_LINKEDIN}, "ab"},
		{"platform and status", {.platform = PLATFORM_X, .status = STR("pending")}, "ab a"},
		{"account, platform, status, date",
		 {.account_ids = accounts,
		  .account_id_count = 1,
		  .platform = PLATFORM_LINKEDIN,
		  .status = STR("pending"),
		  .date_from_us = TODAY},
		 "ab"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct post_filter filter = rows[i].filter;
		filter.app_id = app.id;
		filter.page = 1;
		filter.per_page = 20;
		const struct page page = list_posts(fx, &filter);
		char found[64] = "";
		for (size_t k = 0; k < page.count; k++) {
			const struct str id = page.posts[k].id;
			const char *name = str_equal(id, a.post_id)    ? "a"
					   : str_equal(id, ab.post_id) ? "ab"
								       : "c";
			const size_t used = strlen(found);
			snprintf(found + used, sizeof(found) - used, "%s%s", k > 0 ? " " : "",
				 name);
		}
		if (strcmp(found, rows[i].expected) != 0)
			fail_msg("%s: found '%s'", rows[i].name, found);
		if (page.total != (int64_t)page.count)
			fail_msg("%s: total %d", rows[i].name, (int)page.total);
	}
}

static void listed_posts_have_their_own_deliveries(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK),
					       make_account(fx, &app, "u", PLATFORM_YOUTUBE)};
	for (size_t i = 0; i < 3; i++) {
		const struct post_accept accept = make_post(fx, &app, accounts, i + 1);
		accept_post(fx, &accept);
	}
	const struct post_filter filter = {.app_id = app.id, .page = 1, .per_page = 20};
	const struct page page = list_posts(fx, &filter);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(page.posts[i].delivery_count, 3 - i);
		for (size_t k = 0; k < page.posts[i].delivery_count; k++)
			assert_true(
				str_equal(page.posts[i].deliveries[k].account_id, accounts[k].id));
	}
}

int run_post_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_post_is_read_back_whole),
		STORE_TEST(a_scheduled_post_says_so),
		STORE_TEST(another_apps_post_is_not_found),
		STORE_TEST(an_account_that_is_gone_is_named_and_nothing_written),
		STORE_TEST(a_request_id_is_used_once_an_app),
		STORE_TEST(a_request_id_is_used_once_in_the_table),
		STORE_TEST(a_post_without_accounts_or_for_too_many_is_refused),
		STORE_TEST(of_equal_requests_at_once_one_is_accepted),
		STORE_TEST(a_list_goes_by_acceptance_and_its_times_never_rise),
		STORE_TEST(a_clock_set_back_is_told_as_it_is),
		STORE_TEST(every_page_of_a_long_list_is_right),
		STORE_TEST(pages_that_are_not_there_are_empty),
		STORE_TEST(filters_find_what_they_say),
		STORE_TEST(listed_posts_have_their_own_deliveries),
	};
	return cmocka_run_group_tests_name("store: posts", tests, fixture_open, fixture_close);
}
