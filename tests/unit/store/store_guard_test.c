/* SPDX-License-Identifier: Apache-2.0
 * The restore guard on a real database: a copy of the file, put back later, is the restore. What
 * becomes of held deliveries is tests/unit/delivery/hold_test.c. */
#include "store_guard.h"

#include "world.h"

#include "store_backup.h"
#include "store_post_change.h"

#define LINEAGE 4711

/* A world whose store has an epoch file; its engine is not used. */
struct house {
	struct world *w;
	char epoch[128];
	char database[128];
	char backup[128];
};

static void open_store(struct house *h)
{
	struct error err = {0};
	const struct store_config config = {.url = h->w->url,
					    .clock = &h->w->clock.clock,
					    .log = &h->w->log,
					    .epoch_path = h->epoch,
					    .is_owner = true};
	ok(store_open(&config, &h->w->store, &err), &err);
}

static int begin(void **state)
{
	struct house *h = calloc(1, sizeof(*h));
	void *world = NULL;
	assert_non_null(h);
	world_setup(&world);
	h->w = world;
	snprintf(h->epoch, sizeof(h->epoch), "%s/epoch", h->w->directory);
	snprintf(h->database, sizeof(h->database), "%s/test.db", h->w->directory);
	snprintf(h->backup, sizeof(h->backup), "%s/backup.db", h->w->directory);
	store_close(&h->w->store);
	open_store(h);
	*state = h;
	return 0;
}

static int end(void **state)
{
	struct house *h = *state;
	void *world = h->w;
	world_teardown(&world);
	free(h);
	return 0;
}

static struct guard_start start(struct house *h)
{
	struct guard_start told = {0};
	struct error err = {0};
	ok(store_guard_start(h->w->store, LINEAGE, clock_now_us(&h->w->clock.clock), &told, &err),
	   &err);
	return told;
}

static void beat(struct house *h)
{
	struct error err = {0};
	fake_clock_advance(&h->w->clock, US_PER_MINUTE);
	ok(store_guard_beat(h->w->store, clock_now_us(&h->w->clock.clock), &err), &err);
}

static struct guard_start start_again(struct house *h)
{
	store_close(&h->w->store);
	open_store(h);
	return start(h);
}

static void back_up(struct house *h)
{
	struct error err = {0};
	int64_t size_bytes = 0;
	ok(store_backup(h->w->store, h->backup, clock_now_us(&h->w->clock.clock), &size_bytes,
			&err),
	   &err);
	assert_true(size_bytes > 4096);
}

static void put_back(struct house *h)
{
	store_close(&h->w->store);
	assert_int_equal(rename(h->backup, h->database), 0);
	open_store(h);
}

static struct epoch file_of(struct house *h)
{
	struct epoch epoch = {0};
	struct error err = {0};
	ok(epoch_file_read(h->epoch, &epoch, &err), &err);
	return epoch;
}

static int64_t count_of(struct house *h, enum hold_state state)
{
	struct hold_counts counts;
	struct error err = {0};
	int64_t count = 0;
	ok(store_hold_counts(h->w->store, &counts, &err), &err);
	ok(store_hold_count(h->w->store, state, &count, &err), &err);
	if (state != HOLD_ADOPTED && state != HOLD_SET_ASIDE)
		assert_int_equal(count, counts.of[PLATFORM_NONE][state]);
	return counts.of[PLATFORM_NONE][state];
}

static void starts_raise_the_epoch_and_hold_nothing(void **state)
{
	struct house *h = *state;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	world_post(h->w, WORLD_TEXT("hello"), &account, 1);
	assert_int_equal(start(h).finding, EPOCH_SAME); /* the first file came first */
	assert_int_equal(file_of(h).number, 1);
	assert_int_equal(file_of(h).lineage, LINEAGE);
	fake_clock_advance(&h->w->clock, US_PER_DAY); /* downtime */
	assert_int_equal(start_again(h).finding, EPOCH_SAME);
	assert_int_equal(file_of(h).number, 2);
	beat(h);
	assert_int_equal(file_of(h).number, 3);
	h->w->clock.now_us = FAKE_NOW_US - US_PER_DAY; /* the clock was set back */
	beat(h);
	assert_int_equal(start_again(h).finding, EPOCH_SAME);
	assert_int_equal(count_of(h, HOLD_ASKING), 0);
}

static void a_restored_database_is_held(void **state)
{
	struct house *h = *state;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	start(h);
	world_post(h->w, WORLD_TEXT("due"), &account, 1);
	back_up(h); /* raises the epoch: no minute need pass */
	world_post(h->w, WORLD_TEXT("lost"), &account, 1);
	put_back(h);
	struct error err = {0};
	ok(store_guard_beat(h->w->store, FAKE_NOW_US, &err), &err); /* a command beside it */
	const struct guard_start told = start(h);
	assert_int_equal(told.finding, EPOCH_DATABASE_OLDER);
	assert_int_equal(told.marked_count, 1);
	assert_int_equal(count_of(h, HOLD_ASKING), 1);
	assert_int_equal(start_again(h).finding, EPOCH_SAME);
	assert_int_equal(count_of(h, HOLD_ASKING), 1); /* until it is asked about */
}

static void what_is_due_later_is_not_held(void **state)
{
	struct house *h = *state;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	start(h);
	back_up(h);
	put_back(h);
	fake_clock_advance(&h->w->clock, US_PER_HOUR);
	world_post(h->w, WORLD_TEXT("an hour from the start on"), &account, 1);
	h->w->clock.now_us = FAKE_NOW_US;
	const struct guard_start told = start(h);
	assert_int_equal(told.finding, EPOCH_DATABASE_OLDER);
	assert_int_equal(told.marked_count, 0);
}

/* What was due by the time that the last run saw may have gone out in it. */
static void what_was_due_before_the_clock_was_set_back_is_held(void **state)
{
	struct house *h = *state;
	struct error err = {0};
	int64_t due_us = 0;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	start(h);
	fake_clock_advance(&h->w->clock, US_PER_HOUR);
	world_post(h->w, WORLD_TEXT("due when the copy was made"), &account, 1);
	back_up(h);
	beat(h);
	fake_clock_advance(&h->w->clock, US_PER_MINUTE - 1);
	put_back(h);
	h->w->clock.now_us = FAKE_NOW_US;
	const struct guard_start told = start(h);
	assert_int_equal(told.finding, EPOCH_DATABASE_OLDER);
	assert_int_equal(told.marked_count, 1);
	fake_clock_advance(&h->w->clock, 1);
	ok(store_delivery_oldest_due(h->w->store, FAKE_NOW_US + 1, &due_us, &err), &err);
	assert_int_equal(due_us, FAKE_NOW_US); /* it is asked about now, not in an hour */
}

static struct str failed_post(struct house *h)
{
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	struct post_change_result cancelled = {0};
	struct error err = {0};
	const struct str post = world_post(h->w, WORLD_TEXT("hello"), &account, 1);
	ok(store_post_cancel(h->w->store, h->w->app.id, post, &cancelled, &err), &err);
	assert_int_equal(cancelled.outcome, POST_CHANGED);
	return post;
}

static void try_again(struct house *h, struct str post, bool republish)
{
	const struct post_retry wish = {.app_id = h->w->app.id,
					.post_id = post,
					.republish = republish,
					.now_us = clock_now_us(&h->w->clock.clock)};
	struct post_retry_result result = {0};
	struct error err = {0};
	ok(store_post_retry(h->w->store, h->w->arena, &wish, &result, &err), &err);
	assert_int_equal(result.outcome, POST_RETRIED);
}

/* A person may have retried it in the history that is lost. */
static void a_retry_of_what_had_failed_asks_first(void **state)
{
	struct house *h = *state;
	start(h);
	const struct str post = failed_post(h);
	back_up(h);
	put_back(h);
	const struct guard_start told = start(h);
	assert_int_equal(told.finding, EPOCH_DATABASE_OLDER);
	assert_int_equal(told.marked_count, 0);
	assert_int_equal(count_of(h, HOLD_ASKING), 0);
	try_again(h, post, false);
	assert_int_equal(count_of(h, HOLD_ASKING), 1);
}

static void who_publishes_again_is_not_asked(void **state)
{
	struct house *h = *state;
	start(h);
	const struct str post = failed_post(h);
	back_up(h);
	put_back(h);
	start(h);
	try_again(h, post, true);
	assert_int_equal(count_of(h, HOLD_ASKING), 0);
}

static void what_fails_after_the_restore_is_retried_at_once(void **state)
{
	struct house *h = *state;
	start(h);
	back_up(h);
	put_back(h);
	start(h);
	try_again(h, failed_post(h), false);
	assert_int_equal(count_of(h, HOLD_ASKING), 0);
}

static void stop(struct house *h)
{
	struct error err = {0};
	ok(store_guard_end(h->w->store, clock_now_us(&h->w->clock.clock), &err), &err);
}

/* A volume that was rolled back whole looks like that. */
static void an_unclean_end_with_a_gap_is_looked_after(void **state)
{
	struct house *h = *state;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	start(h);
	world_post(h->w, WORLD_TEXT("overdue"), &account, 1);
	fake_clock_advance(&h->w->clock, 5 * US_PER_MINUTE);
	assert_int_equal(start_again(h).look_count, 0); /* no gap */
	fake_clock_advance(&h->w->clock, 5 * US_PER_MINUTE + 1);
	stop(h);
	fake_clock_advance(&h->w->clock, US_PER_DAY);
	assert_int_equal(start_again(h).look_count, 0); /* it was stopped */
	beat(h);
	fake_clock_advance(&h->w->clock, 5 * US_PER_MINUTE + 1);
	const struct guard_start told = start_again(h);
	assert_int_equal(told.finding, EPOCH_SAME);
	assert_int_equal(told.look_count, 1);
	assert_int_equal(count_of(h, HOLD_LOOKING), 1);
	assert_int_equal(count_of(h, HOLD_ASKING), 0);
	assert_int_equal(start_again(h).look_count, 0);
	back_up(h); /* what is looked for in a copy is asked about, when the copy is put back */
	put_back(h);
	assert_int_equal(start(h).marked_count, 1);
	assert_int_equal(count_of(h, HOLD_LOOKING), 0);
	assert_int_equal(count_of(h, HOLD_ASKING), 1);
}

static void a_missing_or_foreign_file_holds(void **state)
{
	struct house *h = *state;
	struct error err = {0};
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	const struct epoch foreign = {true, 1, FAKE_NOW_US, LINEAGE + 1};
	start(h);
	world_post(h->w, WORLD_TEXT("due"), &account, 1);
	unlink(h->epoch);
	assert_int_equal(start_again(h).finding, EPOCH_FILE_MISSING);
	assert_int_equal(count_of(h, HOLD_ASKING), 1);
	ok(epoch_file_write(h->epoch, &foreign, &err), &err);
	assert_int_equal(start_again(h).finding, EPOCH_OTHER_DATABASE);
	assert_int_equal(file_of(h).lineage, LINEAGE);
	assert_int_equal(start_again(h).finding, EPOCH_SAME);
}

static void the_poisoned_is_marked_once(void **state)
{
	struct house *h = *state;
	struct error err = {0};
	bool is_marked = true;
	const struct account_row account = world_account(h->w, PLATFORM_X, 0, NULL);
	const struct str post = world_post(h->w, WORLD_TEXT("poison"), &account, 1);
	const struct str id = world_delivery(h->w, post, 0).id;
	ok(store_hold_poison(h->w->store, STR("nobody"), &is_marked, &err), &err);
	assert_false(is_marked);
	ok(store_hold_poison(h->w->store, id, &is_marked, &err), &err);
	assert_true(is_marked);
	ok(store_hold_poison(h->w->store, id, &is_marked, &err), &err);
	assert_int_equal(count_of(h, HOLD_POISONED), 1);
}

static void without_a_file_there_is_no_guard(void **state)
{
	struct world *w = *state;
	struct guard_start told = {0};
	struct error err = {0};
	assert_int_equal(store_guard_start(w->store, LINEAGE, FAKE_NOW_US, &told, &err),
			 ERR_INTERNAL);
	ok(store_guard_beat(w->store, FAKE_NOW_US, &err), &err);
}

#define GUARD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GUARD_TEST(starts_raise_the_epoch_and_hold_nothing),
		GUARD_TEST(a_restored_database_is_held),
		GUARD_TEST(what_is_due_later_is_not_held),
		GUARD_TEST(what_was_due_before_the_clock_was_set_back_is_held),
		GUARD_TEST(a_retry_of_what_had_failed_asks_first),
		GUARD_TEST(who_publishes_again_is_not_asked),
		GUARD_TEST(what_fails_after_the_restore_is_retried_at_once),
		GUARD_TEST(an_unclean_end_with_a_gap_is_looked_after),
		GUARD_TEST(a_missing_or_foreign_file_holds),
		GUARD_TEST(the_poisoned_is_marked_once),
		WORLD_TEST(without_a_file_there_is_no_guard),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
