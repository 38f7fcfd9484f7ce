/* SPDX-License-Identifier: Apache-2.0
 * Conformance: a person's changes. Cancel, reschedule and retry, alone, against a claim and a save
 * at the same moment, and in random histories after which everything must still add up. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "count_of.h"

#include "store_post_change.h"
#include "store_quota.h"

static struct post_change_result cancel(struct fixture *fx, struct str app_id, struct str post_id)
{
	struct error err = {0};
	struct post_change_result result = {0};
	ok(store_post_cancel(fx->store, app_id, post_id, &result, &err), &err);
	return result;
}

static bool is_cancelled(struct fixture *fx, const struct app_row *app, struct str post_id)
{
	return cancel(fx, app->id, post_id).outcome == POST_CHANGED;
}

/* Another time, with the content that it has. */
static enum err_kind move(struct fixture *fx, struct str app_id, struct str post_id, int64_t at_us,
			  int64_t now_us, struct post_change_result *result, struct error *err)
{
	struct post_row post = {0};
	struct error ignored = {0};
	(void)store_post_get(fx->store, fx->arena, app_id, post_id, &post, &ignored);
	const struct post_edit edit = {.app_id = app_id,
				       .post_id = post_id,
				       .content_read = post.content,
				       .scheduled_read_us = post.scheduled_at_us,
				       .content = post.content,
				       .mode = post.mode,
				       .has_time = true,
				       .scheduled_at_us = at_us,
				       .now_us = now_us};
	return store_post_edit(fx->store, &edit, result, err);
}

static struct post_change_result reschedule(struct fixture *fx, const struct app_row *app,
					    struct str post_id, int64_t at_us)
{
	struct error err = {0};
	struct post_change_result result = {0};
	ok(move(fx, app->id, post_id, at_us, NOW, &result, &err), &err);
	return result;
}

static struct post_retry_result retry(struct fixture *fx, const struct post_retry *wish)
{
	struct error err = {0};
	struct post_retry_result result = {0};
	ok(store_post_retry(fx->store, fx->arena, wish, &result, &err), &err);
	return result;
}

static struct post_retry_result retry_all(struct fixture *fx, const struct app_row *app,
					  struct str post_id, bool republish)
{
	const struct post_retry wish = {
		.app_id = app->id, .post_id = post_id, .republish = republish, .now_us = NOW};
	return retry(fx, &wish);
}

static struct str post_at(struct fixture *fx, const struct app_row *app,
			  const struct account_row *accounts, size_t count, int64_t at_us)
{
	struct post_accept accept = make_post(fx, app, accounts, count);
	accept.scheduled_at_us = at_us;
	assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
	return accept.post_id;
}

static int64_t next_due(struct fixture *fx)
{
	struct error err = {0};
	int64_t due_us = -1;
	ok(store_delivery_next_due(fx->store, &due_us, &err), &err);
	return due_us;
}

static int64_t scheduled_count(struct fixture *fx)
{
	struct error err = {0};
	struct delivery_backlog backlog = {0};
	ok(store_delivery_backlog(fx->store, NOW, &backlog, &err), &err);
	return backlog.scheduled_count;
}

static int64_t total(struct fixture *fx, const struct app_row *app, const char *status,
		     int64_t from_us, int64_t to_us)
{
	const struct post_filter filter = {.app_id = app->id,
					   .status = str_of(status),
					   .date_from_us = from_us,
					   .date_to_us = to_us,
					   .page = 1,
					   .per_page = 1};
	return list_posts(fx, &filter).total;
}

static int64_t total_on(struct fixture *fx, const struct app_row *app, const char *status,
			int64_t day)
{
	return total(fx, app, status, TODAY + day * US_PER_DAY, TODAY + (day + 1) * US_PER_DAY);
}

static void save_fails(struct fixture *fx, const struct delivery_save *each)
{
	struct error err = {0};
	assert_int_equal(save(fx, each, &err), ERR_CONFLICT);
}

static const struct failure refused = {.class = FAILURE_PERMANENT,
				       .code = FAILURE_CODE_CONTENT_REJECTED,
				       .message = STR("No."),
				       .platform_code = STR("187"),
				       .platform_message = STR("no")};
static const struct failure unknown = {.class = FAILURE_PERMANENT,
				       .code = FAILURE_CODE_OUTCOME_UNKNOWN,
				       .message = STR("Nobody knows.")};

/* ---- cancel ---- */

static void a_scheduled_post_is_cancelled_whole(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK)};
	const struct str post_id = post_at(fx, &app, accounts, 2, NOW + US_PER_DAY);
	assert_int_equal(scheduled_count(fx), 2);
	assert_true(is_cancelled(fx, &app, post_id));

	const struct post_row post = get_post(fx, &app, post_id);
	assert_int_equal(post.state, POST_FAILED);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(post.deliveries[i].state, POST_FAILED);
		assert_true(str_is(post.deliveries[i].error_code, "CANCELLED"));
		assert_true(str_equal_z(post.deliveries[i].error_message,
					failure_code_sentence(FAILURE_CODE_CANCELLED)));
		assert_false(post.deliveries[i].error_is_transient);
		assert_int_equal(post.deliveries[i].next_attempt_at_us, 0);
	}
	assert_int_equal(total_on(fx, &app, "scheduled", 1), 0);
	assert_int_equal(total_on(fx, &app, "failed", 1), 1);
	assert_int_equal(scheduled_count(fx), 0);
	assert_int_equal(next_due(fx), 0);
	assert_int_equal(claim(fx, NOW + 2 * US_PER_DAY, CLAIM_MAX).count, 0);

	const struct post_change_result again = cancel(fx, app.id, post_id);
	assert_int_equal(again.outcome, POST_CHANGED); /* and nothing is changed */
	assert_int_equal(total_on(fx, &app, "failed", 1), 1);
	assert_int_equal(scheduled_count(fx), 0);
	const struct post_row same = get_post(fx, &app, post_id);
	assert_int_equal(same.state, POST_FAILED);
	assert_true(str_is(same.deliveries[0].error_code, "CANCELLED"));
}

static void a_pending_post_is_cancelled_and_its_account_goes_on(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str first = post_now(fx, &app, &account);
	const struct str second = post_at(fx, &app, &account, 1, NOW + US_PER_HOUR);
	assert_int_equal(next_due(fx), NOW);
	assert_true(is_cancelled(fx, &app, first));
	assert_int_equal(next_due(fx), NOW + US_PER_HOUR);
	assert_true(str_equal(claim_one(fx, NOW + US_PER_HOUR).post_id, second));
}

static void a_foreign_post_is_not_there(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_change_result result = {0};
	struct post_retry_result retried = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW + US_PER_DAY);
	const struct post_retry wish = {.app_id = other.id, .post_id = post_id, .now_us = NOW};
	assert_int_equal(store_post_cancel(fx->store, other.id, post_id, &result, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(move(fx, other.id, post_id, 0, NOW, &result, &err), ERR_NOT_FOUND);
	assert_int_equal(store_post_retry(fx->store, fx->arena, &wish, &retried, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(get_post(fx, &app, post_id).state, POST_SCHEDULED);
}

/* What a begun delivery looks like, and whether the post may still be cancelled. */
struct begun_case {
	const char *name;
	enum delivery_next next;
	enum call_state call_state;
	int64_t call_started_at_us;
	const char *parts;
	bool can_cancel;
	enum post_state state; /* told when it is too late */
};

static const struct begun_case begun_cases[] = {
	{"being prepared", DELIVERY_KEEP, CALL_STATE_NONE, 0, "", true, POST_PROCESSING},
	{"waiting for a container", DELIVERY_WAIT, CALL_STATE_NONE, 0,
	 "[{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]", true, POST_PROCESSING},
	{"to be tried again, refused", DELIVERY_RETRY, CALL_STATE_NONE, 0, "", true, POST_RETRYING},
	{"call started", DELIVERY_KEEP, CALL_STATE_STARTED, NOW, "", false, POST_PROCESSING},
	{"call in doubt", DELIVERY_WAIT, CALL_STATE_IN_DOUBT, NOW, "", false, POST_PROCESSING},
	{"call answered, not visible yet", DELIVERY_WAIT, CALL_STATE_NONE, NOW, "", false,
	 POST_PROCESSING},
	{"call answered, then a failed look", DELIVERY_RETRY, CALL_STATE_NONE, NOW, "", false,
	 POST_RETRYING},
	{"a part published", DELIVERY_RETRY, CALL_STATE_NONE, 0,
	 "[{\"state\":\"published\",\"remote_id\":\"r\",\"url\":null},"
	 "{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]",
	 false, POST_RETRYING},
	{"a part published without an id", DELIVERY_RETRY, CALL_STATE_NONE, 0,
	 "[{\"state\":\"published\",\"remote_id\":null,\"url\":null}]", false, POST_RETRYING},
	{"failed", DELIVERY_FAILED, CALL_STATE_NONE, 0, "", false, POST_FAILED},
	{"published", DELIVERY_PUBLISHED, CALL_STATE_NONE, NOW, "", false, POST_PUBLISHED},
};

static void a_begun_post_is_cancelled_before_its_first_publish_call(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	for (size_t i = 0; i < COUNT_OF(begun_cases); i++) {
		const struct begun_case *c = &begun_cases[i];
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		const struct str post_id = post_now(fx, &app, &account);
		const struct delivery_work work = claim_one(fx, NOW);
		struct delivery_save begun = save_of(&work, c->next, NOW);
		begun.call_state = c->call_state;
		begun.call_started_at_us = c->call_started_at_us;
		begun.parts = str_of(c->parts);
		begun.due_at_us = begun.lease_until_us = NOW + 300 * US_PER_DAY;
		begun.failure = c->next == DELIVERY_FAILED ? &refused : NULL;
		save_ok(fx, &begun);
		const struct post_change_result result = cancel(fx, app.id, post_id);
		const struct post_row post = get_post(fx, &app, post_id);
		const bool was_cancelled = str_is(post.deliveries[0].error_code, "CANCELLED");
		if ((result.outcome == POST_CHANGED) != c->can_cancel ||
		    was_cancelled != c->can_cancel)
			fail_msg("%s", c->name);
		if (!c->can_cancel) {
			assert_int_equal(result.state, c->state);
			assert_int_equal(post.state, c->state);
		}
	}
}

static void one_that_is_begun_makes_it_too_late_for_all(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK)};
	const struct str post_id = post_at(fx, &app, accounts, 2, NOW);
	const struct delivery_work work = claim(fx, NOW, 1).work[0];
	struct delivery_save begun = save_of(&work, DELIVERY_KEEP, NOW);
	begun.call_state = CALL_STATE_STARTED;
	begun.call_started_at_us = NOW;
	save_ok(fx, &begun);
	assert_int_equal(cancel(fx, app.id, post_id).outcome, POST_TOO_LATE);
	const struct post_row post = get_post(fx, &app, post_id);
	size_t scheduled = 0;
	for (size_t i = 0; i < 2; i++)
		scheduled += post.deliveries[i].state == POST_SCHEDULED;
	assert_int_equal(scheduled, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 1);
}

static void who_works_on_a_cancelled_delivery_cannot_save(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct str other = post_now(fx, &app, &account);
	assert_true(is_cancelled(fx, &app, post_id));
	struct delivery_save intent = save_of(&work, DELIVERY_KEEP, NOW);
	intent.call_state = CALL_STATE_STARTED;
	intent.call_started_at_us = NOW;
	save_fails(fx, &intent);
	assert_true(str_is(get_post(fx, &app, post_id).deliveries[0].error_code, "CANCELLED"));
	/* The account is free for its next. */
	const struct delivery_work next = claim_one(fx, NOW);
	assert_true(str_equal(next.post_id, other));
	const struct delivery_save done = save_of(&next, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);

	/* Nor after a person's retry, which is somebody else's claim. */
	assert_int_equal(retry_all(fx, &app, post_id, false).outcome, POST_RETRIED);
	save_fails(fx, &intent);
	const struct delivery_work again = claim_one(fx, NOW);
	assert_true(str_equal(again.post_id, post_id));
	assert_int_equal(again.fence, work.fence + 3); /* cancel, retry and claim each raised it */
	save_fails(fx, &intent);
}

/* ---- reschedule ---- */

static void a_scheduled_post_is_moved(void **state)
{
	struct fixture *fx = *state;
	static const int64_t days[] = {3, 1, 5, 2};
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK)};
	const struct str post_id = post_at(fx, &app, accounts, 2, NOW + 2 * US_PER_DAY);
	int64_t day_before = 2;
	for (size_t i = 0; i < 4; i++) {
		const int64_t at_us = NOW + days[i] * US_PER_DAY;
		assert_int_equal(reschedule(fx, &app, post_id, at_us).outcome, POST_CHANGED);
		const struct post_row post = get_post(fx, &app, post_id);
		assert_int_equal(post.state, POST_SCHEDULED);
		assert_int_equal(post.scheduled_at_us, at_us);
		assert_int_equal(post.deliveries[1].scheduled_at_us, at_us);
		assert_int_equal(post.deliveries[1].next_attempt_at_us, at_us);
		assert_int_equal(total_on(fx, &app, "scheduled", day_before), 0);
		assert_int_equal(total_on(fx, &app, "scheduled", days[i]), 1);
		assert_int_equal(next_due(fx), at_us);
		assert_int_equal(scheduled_count(fx), 2);
		day_before = days[i];
	}
	assert_int_equal(claim(fx, NOW + 2 * US_PER_DAY - 1, CLAIM_MAX).count, 0);
	assert_int_equal(claim(fx, NOW + 2 * US_PER_DAY, CLAIM_MAX).count, 2);
	assert_int_equal(scheduled_count(fx), 0);
}

static void a_time_that_is_now_makes_it_immediate(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW + 2 * US_PER_DAY);
	assert_int_equal(reschedule(fx, &app, post_id, 0).outcome, POST_CHANGED);
	const struct post_row post = get_post(fx, &app, post_id);
	assert_int_equal(post.state, POST_PENDING);
	assert_int_equal(post.scheduled_at_us, 0);
	assert_int_equal(post.deliveries[0].state, POST_PENDING);
	assert_int_equal(total_on(fx, &app, "scheduled", 2), 0);
	assert_int_equal(total_on(fx, &app, "pending", 0), 1);
	assert_int_equal(scheduled_count(fx), 0);
	assert_int_equal(next_due(fx), NOW);
	/* Nothing has begun: it may become a scheduled one again. */
	assert_int_equal(reschedule(fx, &app, post_id, NOW + US_PER_DAY).outcome, POST_CHANGED);
	assert_int_equal(scheduled_count(fx), 1);
	assert_int_equal(total_on(fx, &app, "scheduled", 1), 1);
	assert_int_equal(next_due(fx), NOW + US_PER_DAY);
	assert_int_equal(reschedule(fx, &app, post_id, 0).outcome, POST_CHANGED);
	assert_int_equal(claim_one(fx, NOW).state, POST_PENDING);
	assert_int_equal(reschedule(fx, &app, post_id, NOW + 1).outcome, POST_TOO_LATE);
}

/* ---- other content ---- */

static struct post_edit edit_of(const struct app_row *app, const struct post_row *post,
				const char *content)
{
	return (struct post_edit){.app_id = app->id,
				  .post_id = post->id,
				  .content_read = post->content,
				  .scheduled_read_us = post->scheduled_at_us,
				  .content = str_of(content),
				  .mode = POST_MODE_ADVANCED,
				  .now_us = NOW};
}

static enum post_change_outcome edited(struct fixture *fx, const struct post_edit *edit)
{
	struct error err = {0};
	struct post_change_result result = {0};
	ok(store_post_edit(fx->store, edit, &result, &err), &err);
	return result.outcome;
}

static int64_t post_bytes(struct fixture *fx, const struct app_row *app)
{
	struct quota_row rows[QUOTA_COUNT];
	struct error err = {0};
	ok(store_quota_list(fx->store, fx->arena, app->id, rows, &err), &err);
	return rows[QUOTA_POST_BYTES].used;
}

static void other_content_is_what_is_claimed(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW + US_PER_DAY);
	const struct post_row before = get_post(fx, &app, post_id);
	struct post_edit edit = edit_of(&app, &before, "{\"other\": true}");
	edit.only_asks = true;
	assert_int_equal(edited(fx, &edit), POST_CHANGED);
	assert_true(str_equal(get_post(fx, &app, post_id).content, before.content));
	edit.only_asks = false;
	assert_int_equal(edited(fx, &edit), POST_CHANGED);
	assert_int_equal(edited(fx, &edit), POST_CHANGED_BEFORE); /* made of what is gone */
	const struct post_row post = get_post(fx, &app, post_id);
	assert_true(str_equal(post.content, edit.content));
	assert_int_equal(post.mode, POST_MODE_ADVANCED);
	assert_int_equal(post.scheduled_at_us, before.scheduled_at_us);
	assert_int_equal(post_bytes(fx, &app), (int64_t)edit.content.len);
	assert_int_equal(scheduled_count(fx), 1);
	const struct delivery_work work = claim_one(fx, NOW + US_PER_DAY);
	assert_true(str_equal(work.content, edit.content));
	edit = edit_of(&app, &post, "{}");
	assert_int_equal(edited(fx, &edit), POST_TOO_LATE);
}

/* A retried one may have prepared the old content at the platform. */
static void what_was_begun_before_is_not_edited(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save failed = save_of(&work, DELIVERY_FAILED, NOW);
	failed.flow = STR("{\"container\": 1}");
	save_ok(fx, &failed);
	assert_int_equal(retry_all(fx, &app, post_id, false).outcome, POST_RETRIED);
	const struct post_row post = get_post(fx, &app, post_id);
	const struct post_edit edit = edit_of(&app, &post, "{}");
	assert_int_equal(post.state, POST_PENDING);
	assert_int_equal(edited(fx, &edit), POST_TOO_LATE);
}

static void a_longer_content_is_judged_by_the_quota(void **state)
{
	struct fixture *fx = *state;
	int64_t own[QUOTA_COUNT];
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW + US_PER_DAY);
	const struct post_row post = get_post(fx, &app, post_id);
	for (enum quota each = 0; each < QUOTA_COUNT; each++)
		own[each] = QUOTA_INHERITED;
	own[QUOTA_POST_BYTES] = (int64_t)post.content.len;
	ok(store_quota_set(fx->store, app.id, own, &err), &err);
	const struct str longer = str_concat(fx->arena, post.content, STR("!"));
	struct post_edit edit = edit_of(&app, &post, str_z(fx->arena, longer));
	assert_int_equal(edited(fx, &edit), POST_EDIT_OVER_QUOTA);
	assert_true(str_equal(get_post(fx, &app, post_id).content, post.content));
	assert_int_equal(post_bytes(fx, &app), (int64_t)post.content.len);
	edit.content = STR("{}");
	assert_int_equal(edited(fx, &edit), POST_CHANGED);
}

static void what_is_not_scheduled_any_more_stays(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK)};
	const struct str post_id = post_at(fx, &app, accounts, 2, NOW);
	const struct delivery_work work = claim(fx, NOW, 1).work[0];
	const struct post_change_result result = reschedule(fx, &app, post_id, NOW + US_PER_DAY);
	assert_int_equal(result.outcome, POST_TOO_LATE);
	assert_int_equal(result.state, POST_PROCESSING);
	assert_int_equal(get_post(fx, &app, post_id).scheduled_at_us, NOW);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 1);
	const struct delivery_save failed = save_of(&work, DELIVERY_FAILED, NOW);
	save_ok(fx, &failed);
}

/* ---- retry ---- */

/* Fails the only delivery of a post now: with parts, for a reason. */
static struct delivery_save fail_one(struct fixture *fx, const struct failure *failure,
				     const char *parts)
{
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save failed = save_of(&work, DELIVERY_FAILED, NOW);
	failed.failure = failure;
	failed.attempts = 5;
	failed.looks = 3;
	failed.parts = str_of(parts);
	save_ok(fx, &failed);
	return failed;
}

static void a_failed_delivery_is_pending_again_with_what_is_done(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_save failed =
		fail_one(fx, &refused,
			 "[{\"state\":\"published\",\"remote_id\":\"r1\",\"url\":\"https://x/1\"},"
			 "{\"state\":\"failed\",\"remote_id\":null,\"url\":null}]");
	const struct post_retry_result result = retry_all(fx, &app, post_id, false);
	assert_int_equal(result.outcome, POST_RETRIED);
	assert_int_equal(result.account_count, 1);
	assert_int_equal(result.accounts[0].verdict, RETRY_AGAIN);

	const struct post_row post = get_post(fx, &app, post_id);
	const struct delivery_row *delivery = &post.deliveries[0];
	assert_int_equal(post.state, POST_PENDING);
	assert_int_equal(delivery->state, POST_PENDING);
	assert_int_equal(delivery->attempts, 0);
	assert_true(str_is_empty(delivery->error_code));
	assert_true(str_is_empty(delivery->error_message));
	assert_true(str_is_empty(delivery->platform_code));
	assert_true(str_is_empty(delivery->platform_message));
	assert_true(
		str_is(delivery->parts,
		       "[{\"state\":\"published\",\"remote_id\":\"r1\",\"url\":\"https://x/1\"},"
		       "{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]"));
	assert_int_equal(total(fx, &app, "failed", 0, 0), 0);
	assert_int_equal(total(fx, &app, "pending", 0, 0), 1);
	assert_int_equal(next_due(fx), NOW);

	const struct delivery_work again = claim_one(fx, NOW);
	assert_int_equal(again.state, POST_PENDING);
	assert_true(again.fence > failed.fence + 1);
	assert_true(str_equal(again.flow, failed.flow));
	assert_true(str_equal(again.flow_sealed, failed.flow_sealed));
	assert_int_equal(again.looks, 0);
	assert_int_equal(again.attempts, 0);
	const struct delivery_save done = save_of(&again, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
	assert_int_equal(get_post(fx, &app, post_id).state, POST_PUBLISHED);
	assert_int_equal(retry_all(fx, &app, post_id, true).outcome, POST_RETRY_NOTHING);
}

/* Published, with everything out but what the warning names. */
static struct str lacking(struct fixture *fx, const struct app_row *app,
			  const struct account_row *account, const char *warnings)
{
	const struct str post_id = post_now(fx, app, account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save save = save_of(&work, DELIVERY_PUBLISHED, NOW);
	save.parts = STR("[{\"state\":\"published\",\"remote_id\":\"r\",\"url\":null}]");
	save.visibility = STR("private");
	save.warnings = str_of(warnings);
	save_ok(fx, &save);
	return post_id;
}

static void what_is_out_is_tried_again_only_for_what_can_be_repeated(void **state)
{
	struct fixture *fx = *state;
	static const char closed[] = "[{\"code\":\"visibility_restricted\",\"repeatable\":false}]";
	static const char bare[] = "[{\"code\":\"thumbnail_refused\",\"repeatable\":true}]";
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_YOUTUBE);
	struct str post_id = lacking(fx, &app, &account, closed);
	struct post_row post = get_post(fx, &app, post_id);
	assert_true(str_is(post.deliveries[0].visibility, "private"));
	assert_true(str_is(post.deliveries[0].warnings, closed));
	assert_int_equal(store_post_outcome_of(&post), POST_OUTCOME_PARTIAL);
	assert_int_equal(retry_all(fx, &app, post_id, true).outcome, POST_RETRY_NOTHING);
	post_id = lacking(fx, &app, &account, bare);
	assert_int_equal(retry_all(fx, &app, post_id, false).outcome, POST_RETRIED);
	const struct delivery_work again = claim_one(fx, NOW);
	assert_int_equal(again.state, POST_PENDING);
	assert_true(again.is_out);
	struct delivery_save save = save_of(&again, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &save); /* without parts nothing of it is touched */
	assert_true(str_is(get_post(fx, &app, post_id).deliveries[0].warnings, bare));
}

static void an_unknown_outcome_is_left_alone_without_a_word(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	fail_one(fx, &unknown, "");
	const struct post_retry_result left = retry_all(fx, &app, post_id, false);
	assert_int_equal(left.outcome, POST_RETRY_NOTHING);
	assert_int_equal(left.accounts[0].verdict, RETRY_OUTCOME_UNKNOWN);
	assert_int_equal(get_post(fx, &app, post_id).state, POST_FAILED);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(retry_all(fx, &app, post_id, true).outcome, POST_RETRIED);
	assert_int_equal(claim_one(fx, NOW).call_state, CALL_STATE_NONE);
}

static enum err_kind do_reauth(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_row *account = argument;
	return store_account_set_state(tx, account->id, ACCOUNT_REAUTH_REQUIRED, STR("gone"), NOW,
				       err);
}

/* Published, failed, unknown, failed with its account gone: what is named decides. */
static void only_what_is_named_is_tried(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct account_row accounts[4];
	for (size_t i = 0; i < 4; i++)
		accounts[i] = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, accounts, 4, 0);
	const struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
	assert_int_equal(claimed.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct delivery_work *work = &claimed.work[i];
		const bool is_first = str_equal(work->account.id, accounts[0].id);
		const bool is_third = str_equal(work->account.id, accounts[2].id);
		struct delivery_save end =
			save_of(work, is_first ? DELIVERY_PUBLISHED : DELIVERY_FAILED, NOW);
		end.failure = is_first ? NULL : is_third ? &unknown : &refused;
		save_ok(fx, &end);
	}
	ok(store_write(fx->store, do_reauth, &accounts[3], &err), &err);

	static const struct {
		const char *name;
		size_t named[4];
		size_t count;
		bool republish;
		enum post_retry_outcome outcome;
		enum post_retry_verdict verdicts[4];
	} rows[] = {
		{"all, one account gone",
		 {0},
		 0,
		 false,
		 POST_RETRY_ACCOUNTS_GONE,
		 {RETRY_PUBLISHED, RETRY_AGAIN, RETRY_OUTCOME_UNKNOWN, RETRY_ACCOUNT_UNUSABLE}},
		{"a published one", {0}, 1, true, POST_RETRY_NOTHING, {RETRY_PUBLISHED}},
		{"an unknown one", {2}, 1, false, POST_RETRY_NOTHING, {RETRY_OUTCOME_UNKNOWN}},
		{"one whose account is gone",
		 {3},
		 1,
		 false,
		 POST_RETRY_ACCOUNTS_GONE,
		 {RETRY_ACCOUNT_UNUSABLE}},
		{"a failed one",
		 {2, 1},
		 2,
		 false,
		 POST_RETRIED,
		 {RETRY_OUTCOME_UNKNOWN, RETRY_AGAIN}},
		{"the same, under way now", {1}, 1, false, POST_RETRY_NOTHING, {RETRY_UNDER_WAY}},
		{"the unknown one", {2}, 1, true, POST_RETRIED, {RETRY_AGAIN}},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str ids[4];
		for (size_t k = 0; k < rows[i].count; k++)
			ids[k] = accounts[rows[i].named[k]].id;
		const struct post_retry wish = {.app_id = app.id,
						.post_id = post_id,
						.account_ids = ids,
						.account_count = rows[i].count,
						.republish = rows[i].republish,
						.now_us = NOW};
		const struct post_retry_result result = retry(fx, &wish);
		if (result.outcome != rows[i].outcome)
			fail_msg("%s: outcome %d", rows[i].name, (int)result.outcome);
		for (size_t k = 0; k < result.account_count; k++) {
			if (result.accounts[k].verdict != rows[i].verdicts[k])
				fail_msg("%s: verdict %zu is %d", rows[i].name, k,
					 (int)result.accounts[k].verdict);
		}
	}
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 2);
	const struct str foreign[] = {accounts[1].id, new_uuid(fx)};
	const struct post_retry wish = {.app_id = app.id,
					.post_id = post_id,
					.account_ids = foreign,
					.account_count = 2,
					.now_us = NOW};
	const struct post_retry_result result = retry(fx, &wish);
	assert_int_equal(result.outcome, POST_RETRY_NOT_TARGETS);
	assert_int_equal(result.accounts[1].verdict, RETRY_NOT_A_TARGET);
}

static void a_cancelled_post_may_be_tried_after_all(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_at(fx, &app, &account, 1, NOW + 3 * US_PER_DAY);
	assert_true(is_cancelled(fx, &app, post_id));
	assert_int_equal(retry_all(fx, &app, post_id, false).outcome, POST_RETRIED);
	const struct post_row post = get_post(fx, &app, post_id);
	assert_int_equal(post.state, POST_PENDING);
	assert_int_equal(post.scheduled_at_us, 0);
	assert_int_equal(total_on(fx, &app, "failed", 3), 0);
	assert_int_equal(total_on(fx, &app, "pending", 0), 1);
	claim_one(fx, NOW);
	assert_int_equal(retry_all(fx, &app, post_id, false).outcome, POST_RETRY_NOTHING);
}

/* ---- races ---- */

#define RACES 120

struct racer {
	pthread_t thread;
	pthread_barrier_t *barrier;
	struct fixture fx;
	struct str app_id;
	struct str post_ids[RACES];
	bool won[RACES];
};

static void *race_cancel(void *argument)
{
	struct racer *racer = argument;
	for (size_t i = 0; i < RACES; i++) {
		pthread_barrier_wait(racer->barrier);
		racer->won[i] = cancel(&racer->fx, racer->app_id, racer->post_ids[i]).outcome ==
				POST_CHANGED;
		pthread_barrier_wait(racer->barrier);
	}
	return NULL;
}

/* As the engine: claims, makes the intent durable, and only then would send. */
static void *race_start(void *argument)
{
	struct racer *racer = argument;
	for (size_t i = 0; i < RACES; i++) {
		struct error err = {0};
		pthread_barrier_wait(racer->barrier);
		const struct claimed claimed = claim(&racer->fx, NOW, 1);
		if (claimed.count == 1) {
			struct delivery_save intent = save_of(&claimed.work[0], DELIVERY_KEEP, NOW);
			intent.call_state = CALL_STATE_STARTED;
			intent.call_started_at_us = NOW;
			const enum err_kind kind = save(&racer->fx, &intent, &err);
			racer->won[i] = kind == ERR_NONE;
			intent.next = DELIVERY_PUBLISHED;
			if (racer->won[i])
				save_ok(&racer->fx, &intent);
		}
		pthread_barrier_wait(racer->barrier);
	}
	return NULL;
}

static void of_a_cancel_and_a_send_exactly_one_wins(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct racer *racers = ARENA_ARRAY(fx->arena, struct racer, 2);
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, 3);
	for (size_t r = 0; r < 2; r++) {
		racers[r].barrier = &barrier;
		racers[r].fx = *fx;
		racers[r].fx.arena = arena_new("racer", (size_t)64 << 20);
		racers[r].app_id = app.id;
	}
	pthread_create(&racers[0].thread, NULL, race_cancel, &racers[0]);
	pthread_create(&racers[1].thread, NULL, race_start, &racers[1]);
	for (size_t i = 0; i < RACES; i++) {
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		racers[0].post_ids[i] = post_now(fx, &app, &account);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	size_t cancelled = 0;
	for (size_t r = 0; r < 2; r++) {
		pthread_join(racers[r].thread, NULL);
		arena_free(&racers[r].fx.arena);
	}
	pthread_barrier_destroy(&barrier);
	for (size_t i = 0; i < RACES; i++) {
		const enum post_state end = get_post(fx, &app, racers[0].post_ids[i]).state;
		assert_int_equal(racers[0].won[i] + racers[1].won[i], 1);
		assert_int_equal(end, racers[0].won[i] ? POST_FAILED : POST_PUBLISHED);
		cancelled += racers[0].won[i];
	}
	assert_int_equal(total(fx, &app, "failed", 0, 0), cancelled);
	assert_int_equal(total(fx, &app, "published", 0, 0), RACES - cancelled);
}

/* ---- whatever happens, it adds up ---- */

#define HISTORIES 6
#define STEPS 160
#define ACCOUNTS 5
#define POSTS_MAX STEPS
#define CHANGES 3

struct history {
	struct fixture *fx;
	uint64_t random;
	unsigned seed;
	struct app_row app;
	struct account_row accounts[ACCOUNTS];
	int64_t now_us;
	struct str posts[POSTS_MAX];
	size_t post_count;
	size_t changed[CHANGES]; /* cancelled, moved, tried again */
};

static uint64_t below(struct history *h, uint64_t limit)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 7;
	h->random ^= h->random << 17;
	return (h->random >> 11) % limit;
}

static int64_t some_time(struct history *h)
{
	return below(h, 3) == 0 ? 0 : h->now_us + (int64_t)below(h, 4) * US_PER_DAY + 1;
}

static void step_accept(struct history *h)
{
	const size_t count = 1 + below(h, 3);
	const size_t first = below(h, ACCOUNTS - count + 1);
	struct post_accept accept = make_post(h->fx, &h->app, &h->accounts[first], count);
	accept.now_us = h->now_us;
	accept.scheduled_at_us = some_time(h);
	accept_post(h->fx, &accept);
	h->posts[h->post_count++] = accept.post_id;
}

static struct str some_post(struct history *h)
{
	return h->post_count > 0 ? h->posts[below(h, h->post_count)] : STR("none");
}

/* A claim and what becomes of it at once, so that every fence that is held is known. */
static void step_work(struct history *h)
{
	const struct claimed claimed = claim(h->fx, h->now_us, 1 + below(h, 4));
	for (size_t i = 0; i < claimed.count; i++) {
		struct delivery_save each =
			save_of(&claimed.work[i], (enum delivery_next)below(h, DELIVERY_FAILED + 1),
				h->now_us);
		each.failure = each.next == DELIVERY_FAILED || each.next == DELIVERY_PARTIAL
				       ? (below(h, 3) == 0 ? &unknown : &refused)
				       : NULL;
		each.call_started_at_us = below(h, 3) == 0 ? h->now_us : 0;
		save_ok(h->fx, &each);
	}
}

static void step_cancel(struct history *h)
{
	struct error err = {0};
	struct post_change_result result = {.outcome = POST_TOO_LATE};
	store_post_cancel(h->fx->store, h->app.id, some_post(h), &result, &err);
	h->changed[0] += result.outcome == POST_CHANGED;
}

static void step_reschedule(struct history *h)
{
	struct error err = {0};
	struct post_change_result result = {.outcome = POST_TOO_LATE};
	(void)move(h->fx, h->app.id, some_post(h), some_time(h), h->now_us, &result, &err);
	h->changed[1] += result.outcome == POST_CHANGED;
}

static void step_retry(struct history *h)
{
	struct error err = {0};
	struct post_retry_result result = {.outcome = POST_RETRY_NOTHING};
	const struct post_retry wish = {.app_id = h->app.id,
					.post_id = some_post(h),
					.republish = below(h, 2) == 0,
					.now_us = h->now_us};
	store_post_retry(h->fx->store, h->fx->arena, &wish, &result, &err);
	h->changed[2] += result.outcome == POST_RETRIED;
}

static void step_time(struct history *h)
{
	h->now_us += (int64_t)below(h, 36) * US_PER_HOUR;
}

/* A filter that every post passes makes the store count rows. */
static void compare_totals(struct history *h)
{
	static const char *const statuses[] = {"", "pending", "scheduled", "published", "failed"};
	for (size_t i = 0; i < 5; i++) {
		for (int64_t day = -1; day < 8; day++) {
			struct post_filter filter = {.app_id = h->app.id,
						     .status = str_of(statuses[i]),
						     .page = 1,
						     .per_page = 1};
			filter.date_from_us = day >= 0 ? TODAY + day * US_PER_DAY : 0;
			filter.date_to_us = day >= 0 ? TODAY + (day + 1) * US_PER_DAY : 0;
			const int64_t counted = list_posts(h->fx, &filter).total;
			filter.platform = PLATFORM_X;
			const int64_t rows = list_posts(h->fx, &filter).total;
			if (counted != rows)
				fail_msg("seed %u, '%s' on day %d: %d counted, %d rows", h->seed,
					 statuses[i], (int)day, (int)counted, (int)rows);
		}
	}
}

static void compare_scheduled(struct history *h)
{
	int64_t count = 0;
	for (size_t i = 0; i < h->post_count; i++) {
		const struct post_row post = get_post(h->fx, &h->app, h->posts[i]);
		for (size_t k = 0; k < post.delivery_count; k++)
			count += post.deliveries[k].state == POST_SCHEDULED;
	}
	if (scheduled_count(h->fx) != count)
		fail_msg("seed %u: %d scheduled, not %d", h->seed, (int)count,
			 (int)scheduled_count(h->fx));
}

/* Nothing is forgotten: with time, whatever is open is claimed and comes to its end. */
static void finish(struct history *h)
{
	for (h->now_us += 10 * US_PER_DAY;; h->now_us += US_PER_HOUR) {
		const struct claimed claimed = claim(h->fx, h->now_us, CLAIM_MAX);
		if (claimed.count == 0)
			break;
		for (size_t i = 0; i < claimed.count; i++) {
			const struct delivery_save done =
				save_of(&claimed.work[i], DELIVERY_PUBLISHED, h->now_us);
			save_ok(h->fx, &done);
		}
	}
	for (size_t i = 0; i < h->post_count; i++) {
		if (!post_state_is_final(get_post(h->fx, &h->app, h->posts[i]).state))
			fail_msg("seed %u: post %zu is stuck", h->seed, i);
	}
}

static void run_history(struct fixture *fx, unsigned seed, size_t *changed)
{
	static void (*const steps[])(struct history *) = {
		step_accept, step_accept,     step_accept, step_work,  step_work, step_work,
		step_cancel, step_reschedule, step_retry,  step_retry, step_time};
	struct history h = {.fx = fx,
			    .seed = seed,
			    .random = seed * UINT64_C(0x9e3779b97f4a7c15),
			    .now_us = NOW};
	h.app = make_app(fx);
	for (size_t i = 0; i < ACCOUNTS; i++)
		h.accounts[i] = make_account(fx, &h.app, "u", PLATFORM_X);
	for (size_t i = 0; i < STEPS; i++) {
		steps[below(&h, COUNT_OF(steps))](&h);
		if (i % 40 == 39)
			compare_totals(&h);
	}
	compare_scheduled(&h);
	finish(&h);
	compare_totals(&h);
	for (size_t i = 0; i < CHANGES; i++)
		changed[i] += h.changed[i];
}

static void any_history_of_changes_adds_up(void **state)
{
	const char *given = getenv("POSTHORN_TEST_SEED");
	const unsigned first = given != NULL ? (unsigned)strtoul(given, NULL, 10) : 1;
	size_t changed[CHANGES] = {0};
	for (unsigned i = 0; i < HISTORIES; i++)
		run_history(*state, first + i, changed);
	for (size_t i = 0; i < CHANGES; i++)
		assert_true(changed[i] > HISTORIES); /* a run that did nothing fails */
}

int run_change_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_scheduled_post_is_cancelled_whole),
		STORE_TEST(a_pending_post_is_cancelled_and_its_account_goes_on),
		STORE_TEST(a_foreign_post_is_not_there),
		STORE_TEST(a_begun_post_is_cancelled_before_its_first_publish_call),
		STORE_TEST(one_that_is_begun_makes_it_too_late_for_all),
		STORE_TEST(who_works_on_a_cancelled_delivery_cannot_save),
		STORE_TEST(a_scheduled_post_is_moved),
		STORE_TEST(a_time_that_is_now_makes_it_immediate),
		STORE_TEST(other_content_is_what_is_claimed),
		STORE_TEST(what_was_begun_before_is_not_edited),
		STORE_TEST(a_longer_content_is_judged_by_the_quota),
		STORE_TEST(what_is_not_scheduled_any_more_stays),
		STORE_TEST(a_failed_delivery_is_pending_again_with_what_is_done),
		STORE_TEST(what_is_out_is_tried_again_only_for_what_can_be_repeated),
		STORE_TEST(an_unknown_outcome_is_left_alone_without_a_word),
		STORE_TEST(only_what_is_named_is_tried),
		STORE_TEST(a_cancelled_post_may_be_tried_after_all),
		STORE_TEST(of_a_cancel_and_a_send_exactly_one_wins),
		STORE_TEST(any_history_of_changes_adds_up),
	};
	return cmocka_run_group_tests_name("store: changes", tests, fixture_open, fixture_close);
}
