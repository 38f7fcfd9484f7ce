/* SPDX-License-Identifier: Apache-2.0
 * Conformance: what the overview counts by must equal a count of the events, whatever happened. */
#include "fixture.h"

#include <stdio.h>

#include "buf.h"
#include "count_of.h"

#include "failure.h"
#include "store_app_end.h"
#include "store_post_change.h"
#include "store_post_resolve.h"
#include "store_retention.h"
#include "store_tally.h"

#define POSTS 60
#define TEXT_MAX_BYTES ((size_t)65536)

static const struct failure unknown = {.class = FAILURE_PERMANENT,
				       .code = FAILURE_CODE_OUTCOME_UNKNOWN,
				       .message = STR("Nobody knows.")};
static const struct failure refused = {
	.class = FAILURE_PERMANENT, .code = FAILURE_CODE_PLATFORM_REJECTED, .message = STR("No.")};

static struct tally *list(struct fixture *fx, const struct app_row *app, size_t *count)
{
	struct error err = {0};
	struct tally *tallies = NULL;
	ok(store_tally_list(fx->store, fx->arena, app->id, 0, &tallies, count, &err), &err);
	return tallies;
}

static int64_t sum(struct fixture *fx, const struct app_row *app, enum tally_kind kind,
		   const char *code)
{
	size_t count = 0;
	const struct tally *tallies = list(fx, app, &count);
	int64_t found = 0;
	for (size_t i = 0; i < count; i++) {
		const bool fits =
			tallies[i].kind == kind && (code == NULL || str_is(tallies[i].code, code));
		found += fits ? tallies[i].count : 0;
	}
	return found;
}

static void end_post(struct fixture *fx, const struct delivery_work *work, enum delivery_next next,
		     const struct failure *failure, int64_t now_us)
{
	struct delivery_save end = save_of(work, next, now_us);
	end.failure = failure;
	save_ok(fx, &end);
}

static void retry(struct fixture *fx, const struct app_row *app, struct str post_id)
{
	struct error err = {0};
	struct post_retry_result result = {0};
	const struct post_retry wish = {
		.app_id = app->id, .post_id = post_id, .republish = true, .now_us = NOW};
	ok(store_post_retry(fx->store, fx->arena, &wish, &result, &err), &err);
	assert_int_equal(result.outcome, POST_RETRIED);
}

#define VALUES 60

/* From before its time (a clock was set back) to weeks late. */
static int64_t lateness_of(int i)
{
	int64_t us = i - 1;
	for (int k = 0; k < i; k++)
		us += us / 2 + 1;
	return us;
}

static void bins_are_narrow(void **state)
{
	struct fixture *fx = *state;
	size_t count = 0, value = 0;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	for (int i = 0; i < VALUES; i++) {
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.now_us = NOW;
		accept_post(fx, &accept);
		const struct delivery_work work = claim_one(fx, NOW);
		end_post(fx, &work, DELIVERY_PUBLISHED, NULL, NOW + lateness_of(i));
	}
	int64_t parts[TALLY_BINS] = {0}, most_us[TALLY_BINS] = {0};
	const struct tally *tallies = list(fx, &app, &count);
	for (size_t i = 0; i < count; i++) {
		if (tallies[i].kind != TALLY_LATENESS)
			continue;
		assert_in_range(tallies[i].part, 0, TALLY_BINS - 1);
		parts[tallies[i].part] += tallies[i].count;
		if (tallies[i].most_us > most_us[tallies[i].part])
			most_us[tallies[i].part] = tallies[i].most_us;
	}
	for (size_t part = 0; part < TALLY_BINS; part++) {
		for (; parts[part] > 0; parts[part]--) {
			const int64_t us = value == 0 ? 0 : lateness_of((int)value);
			assert_true(us <= most_us[part] && most_us[part] <= us + us / 4);
			value++;
		}
	}
	assert_int_equal(value, VALUES);
}

static void each_end_is_counted_where_it_belongs(void **state)
{
	struct fixture *fx = *state;
	size_t count = 0;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_TIKTOK);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	accept.now_us = NOW;
	accept_post(fx, &accept);
	struct delivery_work work = claim_one(fx, NOW);
	end_post(fx, &work, DELIVERY_PUBLISHED, NULL, NOW + 1500 * US_PER_MS);
	post_now(fx, &app, &account);
	work = claim_one(fx, NOW);
	end_post(fx, &work, DELIVERY_FAILED, &refused, NOW + US_PER_HOUR);
	const struct tally *tallies = list(fx, &app, &count);
	assert_int_equal(count, 3);
	assert_int_equal(tallies[0].hour, NOW / US_PER_HOUR);
	assert_int_equal(tallies[0].kind, TALLY_PUBLISHED);
	assert_int_equal(tallies[0].part, PLATFORM_TIKTOK);
	assert_int_equal(tallies[1].kind, TALLY_LATENESS);
	assert_int_equal(tallies[1].most_us, 1500 * US_PER_MS);
	assert_int_equal(tallies[2].hour, NOW / US_PER_HOUR + 1);
	assert_int_equal(tallies[2].kind, TALLY_FAILED);
	assert_true(str_is(tallies[2].code, "PLATFORM_REJECTED"));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(tallies[i].count, 1);
}

/* It has failed in its hour for ever; why, only as long as nobody tries it again. */
static void a_retry_takes_the_reason_away(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	struct delivery_work work = claim_one(fx, NOW);
	end_post(fx, &work, DELIVERY_FAILED, &refused, NOW + 1);
	retry(fx, &app, post_id);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, NULL), 1);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, ""), 1);
	work = claim_one(fx, NOW + 2);
	end_post(fx, &work, DELIVERY_FAILED, &unknown, NOW + US_PER_DAY);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, "OUTCOME_UNKNOWN"), 1);
	const struct post_appeared seen = {app.id,    post_id, account.id,
					   STR("42"), STR(""), NOW + US_PER_DAY + 1};
	ok(store_post_appeared(fx->store, &seen, &err), &err);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, NULL), 2);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, ""), 2);
	assert_int_equal(sum(fx, &app, TALLY_PUBLISHED, NULL), 1);
	assert_int_equal(sum(fx, &app, TALLY_LATENESS, NULL), 1);
}

/* "kind/part/code=count most" for each, over all hours: the tests' clock is not the events'. */
static struct str sums_of(struct fixture *fx, const struct app_row *app)
{
	size_t count = 0;
	struct tally *all = list(fx, app, &count);
	struct buf text;
	buf_init(&text, fx->arena, TEXT_MAX_BYTES);
	for (enum tally_kind kind = 0; kind < TALLY_KIND_COUNT; kind++) {
		for (int64_t part = 0; part < TALLY_BINS; part++) {
			int64_t found = 0, unexplained = 0, most_us = 0;
			for (size_t i = 0; i < count; i++) {
				if (all[i].kind != kind || all[i].part != part)
					continue;
				found += all[i].count;
				unexplained += str_is_empty(all[i].code) ? all[i].count : 0;
				most_us = all[i].most_us > most_us ? all[i].most_us : most_us;
			}
			if (found > 0)
				buf_addf(&text, "%d/%lld=%lld-%lld %lld\n", (int)kind,
					 (long long)part, (long long)found, (long long)unexplained,
					 (long long)most_us);
		}
	}
	assert_false(text.is_over);
	return buf_str(&text);
}

static void end_somehow(struct fixture *fx, const struct app_row *app, size_t i)
{
	struct error err = {0};
	struct post_change_result changed = {0};
	static const enum platform_id platforms[] = {PLATFORM_X, PLATFORM_TIKTOK};
	const struct account_row account =
		make_account(fx, app, "ann", platforms[i % COUNT_OF(platforms)]);
	const struct str post_id = post_now(fx, app, &account);
	if (i % 7 == 6) {
		ok(store_post_cancel(fx->store, app->id, post_id, &changed, &err), &err);
		assert_int_equal(changed.outcome, POST_CHANGED);
	} else {
		const struct delivery_work work = claim_one(fx, NOW);
		static const enum delivery_next ends[] = {DELIVERY_PUBLISHED, DELIVERY_FAILED,
							  DELIVERY_PARTIAL};
		end_post(fx, &work, ends[i % 3], i % 3 == 0 ? NULL : &refused,
			 NOW + (int64_t)(i * i) * US_PER_S);
	}
	if (i % 7 != 6 && (i % 4 != 3 || i % 3 == 0))
		return;
	retry(fx, app, post_id);
	const struct delivery_work again = claim_one(fx, NOW + US_PER_DAY);
	end_post(fx, &again, i % 5 == 0 ? DELIVERY_FAILED : DELIVERY_PUBLISHED,
		 i % 5 == 0 ? &unknown : NULL, NOW + US_PER_DAY);
}

static void they_equal_a_count_of_the_events(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	for (size_t i = 0; i < POSTS; i++)
		end_somehow(fx, i % 6 == 5 ? &other : &app, i);
	const struct str kept[] = {sums_of(fx, &app), sums_of(fx, &other)};
	ok(store_counters_rebuild(fx->store, &err), &err);
	const struct str counted[] = {sums_of(fx, &app), sums_of(fx, &other)};
	for (size_t i = 0; i < COUNT_OF(kept); i++) {
		assert_true(kept[i].len > 0);
		if (!str_equal(kept[i], counted[i]))
			fail_msg("kept:\n" STR_FMT "counted:\n" STR_FMT, STR_ARG(kept[i]),
				 STR_ARG(counted[i]));
	}
}

static enum err_kind expire(struct store_tx *tx, void *argument, struct error *err)
{
	const struct store_retention retention = {0};
	int64_t removed = 0;
	return store_retention_expire(tx, &retention, *(const int64_t *)argument, 1000, &removed,
				      err);
}

static enum err_kind erase(struct store_tx *tx, void *argument, struct error *err)
{
	return store_app_end_erase(tx, NOW + 1, 100, argument, err);
}

static void hours_leave_by_age(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	end_post(fx, &work, DELIVERY_FAILED, &refused, NOW);
	int64_t now_us = NOW + TALLIES_KEPT_US;
	ok(store_write(fx->store, expire, &now_us, &err), &err);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, NULL), 1);
	now_us += US_PER_HOUR;
	ok(store_write(fx->store, expire, &now_us, &err), &err);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, NULL), 0);
	/* What is over is not counted back, and no alarm is raised for it. */
	bool is_mended = true;
	retry(fx, &app, post_id);
	assert_int_equal(sum(fx, &app, TALLY_FAILED, "PLATFORM_REJECTED"), 0);
	ok(store_counters_mend(fx->store, true, &is_mended, &err), &err);
	assert_false(is_mended);
	const struct delivery_work again = claim_one(fx, NOW + 1);
	end_post(fx, &again, DELIVERY_PUBLISHED, NULL, NOW + 1);
}

static void they_go_with_their_app(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t erased = 1;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	end_post(fx, &work, DELIVERY_PUBLISHED, NULL, NOW);
	ok(store_app_end_begin(fx->store, app.id, NOW, &err), &err);
	ok(store_app_end_cancel_all(fx->store, NOW, &err), &err);
	assert_int_equal(sum(fx, &app, TALLY_PUBLISHED, NULL), 1);
	while (erased > 0)
		ok(store_write(fx->store, erase, &erased, &err), &err);
	assert_int_equal(sum(fx, &app, TALLY_PUBLISHED, NULL), 0);
}

int run_tally_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(bins_are_narrow),
		STORE_TEST(each_end_is_counted_where_it_belongs),
		STORE_TEST(a_retry_takes_the_reason_away),
		STORE_TEST(they_equal_a_count_of_the_events),
		STORE_TEST(hours_leave_by_age),
		STORE_TEST(they_go_with_their_app),
	};
	return cmocka_run_group_tests_name("store: tallies", tests, fixture_open, fixture_close);
}
