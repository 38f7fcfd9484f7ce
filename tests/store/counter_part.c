/* SPDX-License-Identifier: Apache-2.0
 * Conformance: the counters that lists take their totals from must equal a count of the rows,
 * whatever happened. Random histories from a seed, which a failure names. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "count_of.h"

#define HISTORIES 6
#define STEPS 150
#define ACCOUNTS 6
#define OPEN_MAX 64

struct history {
	struct fixture *fx;
	uint64_t random;
	unsigned seed;
	struct app_row app;
	struct account_row accounts[ACCOUNTS];
	int64_t now_us;
	struct delivery_work open[OPEN_MAX];
	size_t open_count;
	size_t accepted;
};

/* xorshift64: the same history for the same seed everywhere. */
static uint64_t below(struct history *h, uint64_t limit)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 7;
	h->random ^= h->random << 17;
	return (h->random >> 11) % limit;
}

static void step_accept(struct history *h)
{
	const size_t count = 1 + below(h, 3);
	const size_t first = below(h, ACCOUNTS - count + 1);
	struct post_accept accept = make_post(h->fx, &h->app, &h->accounts[first], count);
	accept.now_us = h->now_us;
	if (below(h, 3) == 0)
		accept.scheduled_at_us = h->now_us + (int64_t)below(h, 4) * US_PER_DAY + 1;
	assert_int_equal(accept_post(h->fx, &accept).outcome, POST_ACCEPTED);
	h->accepted++;
}

static void step_claim(struct history *h)
{
	const size_t max = 1 + below(h, 4);
	const struct claimed claimed = claim(h->fx, h->now_us, max);
	assert_true(claimed.count <= max);
	for (size_t i = 0; i < claimed.count && h->open_count < OPEN_MAX; i++)
		h->open[h->open_count++] = claimed.work[i];
}

/* Also with fences that are lost: then nothing may count differently. */
static void step_save(struct history *h)
{
	if (h->open_count == 0)
		return;
	struct error err = {0};
	const size_t index = below(h, h->open_count);
	const enum delivery_next next = (enum delivery_next)below(h, DELIVERY_FAILED + 1);
	struct delivery_save each = save_of(&h->open[index], next, h->now_us);
	each.fence -= below(h, 8) == 0;
	const enum err_kind kind = save(h->fx, &each, &err);
	assert_true(kind == ERR_NONE || kind == ERR_CONFLICT);
	if (next != DELIVERY_KEEP)
		h->open[index] = h->open[--h->open_count];
}

static void step_time(struct history *h)
{
	h->now_us += (int64_t)below(h, 36) * US_PER_HOUR;
}

/* A platform that every post has makes the store count rows. */
static void compare_totals(struct history *h, struct post_filter filter)
{
	filter.app_id = h->app.id;
	filter.page = 1;
	filter.per_page = 1;
	const int64_t by_counters = list_posts(h->fx, &filter).total;
	filter.platform = PLATFORM_X;
	const int64_t by_rows = list_posts(h->fx, &filter).total;
	if (by_counters != by_rows)
		fail_msg("seed %u, status '" STR_FMT "', from %lld: %lld, but %lld rows", h->seed,
			 STR_ARG(filter.status), (long long)filter.date_from_us,
			 (long long)by_counters, (long long)by_rows);
}

static void compare_all(struct history *h)
{
	static const char *const statuses[] = {"", "pending", "scheduled", "published", "failed"};
	int64_t sum = 0;
	for (size_t i = 0; i < 5; i++) {
		struct post_filter filter = {.status = str_of(statuses[i])};
		compare_totals(h, filter);
		for (int64_t day = 0; day < 6; day++) {
			filter.date_from_us = TODAY + day * US_PER_DAY;
			filter.date_to_us = TODAY + (day + 1 + day % 2) * US_PER_DAY;
			compare_totals(h, filter);
		}
		const struct post_filter whole = {.app_id = h->app.id,
						  .status = str_of(statuses[i]),
						  .page = 1,
						  .per_page = 1};
		const int64_t total = list_posts(h->fx, &whole).total;
		if (i == 0)
			assert_int_equal(total, h->accepted);
		else
			sum += total;
	}
	assert_int_equal(sum, h->accepted);
}

static void run_history(struct fixture *fx, unsigned seed)
{
	static void (*const steps[])(struct history *) = {step_accept, step_accept, step_claim,
							  step_claim,  step_save,   step_save,
							  step_save,   step_save,   step_time};
	struct history h = {.fx = fx,
			    .seed = seed,
			    .random = seed * UINT64_C(0x9e3779b97f4a7c15),
			    .now_us = NOW};
	h.app = make_app(fx);
	for (size_t i = 0; i < ACCOUNTS; i++)
		h.accounts[i] = make_account(fx, &h.app, "u", PLATFORM_X);
	for (size_t i = 0; i < STEPS; i++) {
		steps[below(&h, COUNT_OF(steps))](&h);
		if (i % 25 == 24)
			compare_all(&h);
	}
}

static void counters_equal_a_count_after_any_history(void **state)
{
	const char *given = getenv("POSTHORN_TEST_SEED");
	const unsigned first = given != NULL ? (unsigned)strtoul(given, NULL, 10) : 1;
	for (unsigned i = 0; i < HISTORIES; i++)
		run_history(*state, first + i);
}

static struct page by_status(struct fixture *fx, const struct app_row *app, const char *status)
{
	const struct post_filter filter = {
		.app_id = app->id, .status = str_of(status), .page = 1, .per_page = 20};
	return list_posts(fx, &filter);
}

static void expect_status(struct fixture *fx, const struct app_row *app, const char *expected,
			  enum post_state post_state)
{
	static const char *const statuses[] = {"pending", "scheduled", "published", "failed"};
	for (size_t i = 0; i < 4; i++) {
		const struct page page = by_status(fx, app, statuses[i]);
		const int64_t wanted = str_is(str_of(statuses[i]), expected) ? 1 : 0;
		assert_int_equal(page.total, wanted);
		assert_int_equal(page.count, wanted);
		if (wanted == 1)
			assert_int_equal(page.posts[0].state, post_state);
	}
}

static void work_under_way_is_found_as_pending(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	accept.scheduled_at_us = NOW + 1;
	accept_post(fx, &accept);
	expect_status(fx, &app, "scheduled", POST_SCHEDULED);
	struct delivery_work work = claim_one(fx, NOW + 1);
	expect_status(fx, &app, "pending", POST_PROCESSING);
	struct delivery_save each = save_of(&work, DELIVERY_RETRY, NOW + 1);
	save_ok(fx, &each);
	expect_status(fx, &app, "pending", POST_RETRYING);
	work = claim_one(fx, each.due_at_us);
	each = save_of(&work, DELIVERY_WAIT, NOW + 2);
	save_ok(fx, &each);
	expect_status(fx, &app, "pending", POST_PROCESSING);
	work = claim_one(fx, each.due_at_us);
	each = save_of(&work, DELIVERY_PUBLISHED, NOW + 3);
	save_ok(fx, &each);
	expect_status(fx, &app, "published", POST_PUBLISHED);
}

int run_counter_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(counters_equal_a_count_after_any_history),
		STORE_TEST(work_under_way_is_found_as_pending),
	};
	return cmocka_run_group_tests_name("store: counters", tests, fixture_open, fixture_close);
}
