/* SPDX-License-Identifier: Apache-2.0
 * Conformance: finding what a person has in hand, within the apps that were named and no others;
 * and the webhooks' calls about a post. */
#include "fixture.h"

#include <string.h>

#include "store_event.h"
#include "store_find.h"

struct found {
	struct found_post *posts;
	size_t count;
};

static struct found find_in(struct fixture *fx, const struct app_row *app, struct str term)
{
	struct found found = {0};
	struct error err = {0};
	const struct find_query query = {term, &app->id, 1};
	ok(store_find_posts(fx->store, fx->arena, &query, &found.posts, &found.count, &err), &err);
	return found;
}

static void assert_found(struct fixture *fx, const struct app_row *app, struct str term,
			 const char *how, int64_t ordinal)
{
	const struct found found = find_in(fx, app, term);
	assert_int_equal(found.count, 1);
	assert_true(str_is(found.posts[0].matched, how));
	assert_int_equal(found.posts[0].ordinal, ordinal);
	assert_true(str_equal(found.posts[0].app_id, app->id));
}

/* Publishes the one that is due, as the platform's remote_id at url. */
static void publish_as(struct fixture *fx, struct str remote_id, struct str url)
{
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save keep = save_of(&work, DELIVERY_KEEP, NOW + 1);
	keep.remote_id = remote_id;
	keep.parts = str_format(fx->arena,
				"[{\"state\":\"published\",\"remote_id\":\"%.*s\",\"url\":null}]",
				(int)remote_id.len, remote_id.ptr);
	save_ok(fx, &keep);
	struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW + 2);
	done.url = url;
	save_ok(fx, &done);
}

static void a_post_is_found_by_each_of_its_names(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str remote_id = new_name(fx, "18000");
	const struct str url =
		str_concat(fx->arena, STR("https://x.example/ann/status/"), remote_id);
	post_now(fx, &app, &account);
	publish_as(fx, remote_id, url);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	const struct str cause = new_name(fx, "ticket");
	accept.request_id = new_name(fx, "order");
	accept.cause = str_concat(fx->arena, cause, STR(" 0af7651916cd43dd8448eb211c80319c"));
	accept.scheduled_at_us = NOW + US_PER_DAY;
	accept_post(fx, &accept);
	const struct post_row second = get_post(fx, &app, accept.post_id);

	assert_found(fx, &app, second.id, "post_id", 2);
	assert_found(fx, &app, second.deliveries[0].id, "delivery_id", 2);
	assert_found(fx, &app, accept.request_id, "request_id", 2);
	assert_found(fx, &app, cause, "http_request_id", 2);
	assert_found(fx, &app, STR("0af7651916cd43dd8448eb211c80319c"), "http_request_id", 2);
	assert_found(fx, &app, remote_id, "platform_id", 1);
	assert_found(fx, &app, str_concat(fx->arena, url, STR("/?s=20")), "platform_id", 1);
	assert_true(str_equal(find_in(fx, &app, remote_id).posts[0].account_id, account.id));
	assert_int_equal(find_in(fx, &app, str_slice(cause, 0, cause.len - 1)).count, 0);
	assert_int_equal(find_in(fx, &app, STR("0af765")).count, 0);
	assert_int_equal(find_in(fx, &app, STR("https://x.example/")).count, 0);

	const struct str all[] = {
		second.id, second.deliveries[0].id, accept.request_id, cause, remote_id, url};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(find_in(fx, &other, all[i]).count, 0);
}

static void an_address_without_an_id_is_found_as_it_is(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_INSTAGRAM);
	const struct str url = str_concat(fx->arena, STR("https://ig.example/p/"),
					  str_concat(fx->arena, new_name(fx, "short"), STR("/")));
	post_now(fx, &app, &account);
	publish_as(fx, new_name(fx, "remote"), url);
	assert_found(fx, &app, url, "url", 1);
	assert_found(fx, &app, str_slice(url, 0, url.len - 1), "url", 1);
}

/* An id of our own tells when the request was: only posts of that time are looked at. */
static void a_request_id_with_a_time_is_looked_for_around_it(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	const struct str tail = str_slice(new_uuid(fx), 18, 36);
	accept.scheduled_at_us = NOW + US_PER_DAY;
	/* about a second after the request */
	accept.post_id = str_concat(fx->arena, STR("01bb1532-8800-7001"), tail);
	accept.cause = str_concat(fx->arena, STR("01bb1532-8400-7000"), tail);
	accept_post(fx, &accept);
	assert_found(fx, &app, accept.cause, "http_request_id", 1);
	struct post_accept late = make_post(fx, &app, &account, 1);
	late.scheduled_at_us = NOW + US_PER_DAY;
	late.post_id = str_concat(fx->arena, STR("01bb1539-8800-7001"), tail);
	late.cause = str_concat(fx->arena, STR("01bb1532-8400-7002"), tail);
	accept_post(fx, &late);
	assert_int_equal(find_in(fx, &app, late.cause).count, 0);
}

static void accounts_are_found_by_name_and_user(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct found_account *accounts = NULL;
	size_t count = 0;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "user_7", PLATFORM_X);
	make_account(fx, &app, "userx7", PLATFORM_LINKEDIN);
	make_account(fx, &other, "user_7", PLATFORM_X);
	static const struct {
		const char *term;
		size_t count;
	} rows[] = {{"user_7", 1}, {"ANN.exam", 2}, {"@ann.example", 2}, {"a_n", 0}, {"%", 0}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct find_query query = {str_of(rows[i].term), &app.id, 1};
		ok(store_find_accounts(fx->store, fx->arena, &query, &accounts, &count, &err),
		   &err);
		assert_int_equal(count, rows[i].count);
	}
	const struct str exact[] = {ann.id, ann.platform_account_id};
	for (size_t i = 0; i < 2; i++) {
		const struct find_query query = {exact[i], &app.id, 1};
		ok(store_find_accounts(fx->store, fx->arena, &query, &accounts, &count, &err),
		   &err);
		assert_int_equal(count, 1);
		assert_true(str_equal(accounts[0].id, ann.id));
		assert_true(str_is(accounts[0].user_id, "user_7"));
		assert_int_equal(accounts[0].platform, PLATFORM_X);
	}
}

static void the_calls_about_a_post(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_call *calls = NULL;
	struct found_thing *things = NULL;
	size_t count = 0;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct webhook_row webhook = make_webhook(fx, &app);
	const struct str first = post_now(fx, &app, &account);
	publish_as(fx, new_name(fx, "remote"), STR(""));
	hand_over_events(fx);
	post_now(fx, &app, &account);
	publish_as(fx, new_name(fx, "remote"), STR(""));
	hand_over_events(fx);
	ok(store_find_post_calls(fx->store, fx->arena, app.id, first, &calls, &count, &err), &err);
	assert_int_equal(count, 2); /* published, and the post completed */
	for (size_t i = 0; i < count; i++) {
		assert_true(str_equal(calls[i].webhook_id, webhook.id));
		assert_true(str_is(calls[i].webhook_url, "https://c.example"));
		assert_int_equal(calls[i].state, WEBHOOK_PENDING);
	}
	assert_true(calls[0].id < calls[1].id);
	ok(store_find_post_calls(fx->store, fx->arena, other.id, first, &calls, &count, &err),
	   &err);
	assert_int_equal(count, 0);

	const struct find_query query = {webhook.id, &app.id, 1};
	ok(store_find_things(fx->store, fx->arena, &query, &things, &count, &err), &err);
	assert_int_equal(count, 1);
	assert_true(str_is(things[0].kind, "webhook"));
	const struct find_query foreign = {webhook.id, &other.id, 1};
	ok(store_find_things(fx->store, fx->arena, &foreign, &things, &count, &err), &err);
	assert_int_equal(count, 0);
	ok(store_webhook_delete(fx->store, app.id, webhook.id, &err), &err);
}

int run_find_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_post_is_found_by_each_of_its_names),
		STORE_TEST(an_address_without_an_id_is_found_as_it_is),
		STORE_TEST(a_request_id_with_a_time_is_looked_for_around_it),
		STORE_TEST(accounts_are_found_by_name_and_user),
		STORE_TEST(the_calls_about_a_post),
	};
	return cmocka_run_group_tests_name("find", tests, fixture_open, fixture_close);
}
