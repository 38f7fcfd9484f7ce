/* SPDX-License-Identifier: Apache-2.0
 * Conformance: files of scheduled posts that are to be looked at. Asked for with the post, claimed
 * once, a few of an app at a time, and for nothing once the post was edited. */
#include "fixture.h"

#include "store_event.h"
#include "store_look.h"
#include "store_post_change.h"

#define LATER (NOW + US_PER_DAY)
#define WARNING "[{\"field\":\"media.0.url\",\"code\":\"media_unreachable\"}]"

static struct str post_later(struct fixture *fx, const struct app_row *app,
			     const struct account_row *account)
{
	struct post_accept accept = make_post(fx, app, account, 1);
	accept.scheduled_at_us = LATER;
	accept.look_at_us = NOW;
	assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
	return accept.post_id;
}

struct looking {
	struct fixture *fx;
	size_t slots;
	int64_t now_us;
	struct look_work *work;
	size_t count;
};

static size_t slots(void *context, struct str app_id)
{
	const struct looking *l = context;
	(void)app_id;
	return l->slots;
}

static enum err_kind claim_command(struct store_tx *tx, void *argument, struct error *err)
{
	struct looking *l = argument;
	const struct look_claim wish = {.now_us = l->now_us,
					.lease_us = LEASE_US,
					.max = 10,
					.of_app_max = 4,
					.slots = slots,
					.context = l};
	return store_look_claim(tx, l->fx->arena, &wish, &l->work, &l->count, err);
}

static struct looking claim_looks(struct fixture *fx, int64_t now_us, size_t of_app)
{
	struct error err = {0};
	struct looking l = {.fx = fx, .slots = of_app, .now_us = now_us};
	ok(store_write(fx->store, claim_command, &l, &err), &err);
	return l;
}

static enum err_kind save_command(struct store_tx *tx, void *argument, struct error *err)
{
	return store_look_save(tx, argument, err);
}

static enum err_kind save_look(struct fixture *fx, struct look_save *save)
{
	struct error err = {0};
	return store_write(fx->store, save_command, save, &err);
}

static void end_all(struct fixture *fx, int64_t now_us)
{
	for (;;) {
		struct looking l = claim_looks(fx, now_us, 100);
		for (size_t i = 0; i < l.count; i++) {
			struct look_save save = {.post_id = l.work[i].post_id,
						 .app_id = l.work[i].app_id,
						 .fence = l.work[i].fence};
			assert_int_equal(save_look(fx, &save), ERR_NONE);
		}
		if (l.count == 0)
			return;
	}
}

static void a_look_is_claimed_once_and_written_by_its_fence(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	const struct str post_id = post_later(fx, &app, &account);
	struct looking l = claim_looks(fx, NOW, 4);
	assert_int_equal(l.count, 1);
	assert_true(str_equal(l.work[0].post_id, post_id));
	assert_int_equal(l.work[0].target_count, 1);
	assert_true(str_equal(l.work[0].targets[0].account_id, account.id));
	assert_int_equal(claim_looks(fx, NOW, 4).count, 0);

	/* Its lease has run out: another takes it, and the first writes nothing. */
	struct looking second = claim_looks(fx, NOW + LEASE_US, 4);
	assert_int_equal(second.count, 1);
	const struct look_finding finding = {l.work[0].targets[0].delivery_id, STR(WARNING)};
	const struct str subject = str_concat(fx->arena, finding.delivery_id, STR(":c:f"));
	struct look_save save = {.post_id = post_id,
				 .app_id = app.id,
				 .fence = l.work[0].fence,
				 .findings = &finding,
				 .finding_count = 1,
				 .problems = &subject,
				 .problem_count = 1};
	assert_int_equal(save_look(fx, &save), ERR_CONFLICT);
	assert_true(str_is_empty(get_post(fx, &app, post_id).deliveries[0].warnings));
	save.fence = second.work[0].fence;
	assert_int_equal(save_look(fx, &save), ERR_NONE);
	assert_true(str_is(get_post(fx, &app, post_id).deliveries[0].warnings, WARNING));
	assert_int_equal(claim_looks(fx, LATER, 4).count, 0);

	struct event_row *events = NULL;
	struct error err = {0};
	size_t count = 0;
	ok(store_event_list(fx->store, fx->arena, app.id, 0, 10, &events, &count, &err), &err);
	assert_int_equal(count, 2); /* the account's connection, and this */
	assert_int_equal(events[1].kind, EVENT_POST_MEDIA_PROBLEM);
	assert_true(str_equal(events[1].subject_id, subject));
	assert_true(str_equal(events[1].post_id, post_id));
}

static void a_try_that_failed_comes_again(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	struct error err = {0};
	int64_t due_us = 0;
	post_later(fx, &app, &account);
	struct looking l = claim_looks(fx, NOW, 4);
	assert_int_equal(l.work[0].tries, 0);
	struct look_save save = {.post_id = l.work[0].post_id,
				 .app_id = app.id,
				 .fence = l.work[0].fence,
				 .due_at_us = NOW + US_PER_MINUTE};
	assert_int_equal(save_look(fx, &save), ERR_NONE);
	ok(store_look_next_due(fx->store, &due_us, &err), &err);
	assert_int_equal(due_us, NOW + US_PER_MINUTE);
	assert_int_equal(claim_looks(fx, NOW, 4).count, 0);
	assert_int_equal(claim_looks(fx, due_us, 4).work[0].tries, 1);
	end_all(fx, LATER);
}

static void an_app_has_no_more_than_its_slots(void **state)
{
	struct fixture *fx = *state;
	const struct app_row one = make_app(fx), other = make_app(fx);
	const struct account_row account = make_account(fx, &one, "user", PLATFORM_X);
	const struct account_row others = make_account(fx, &other, "user", PLATFORM_X);
	for (int i = 0; i < 6; i++)
		post_later(fx, &one, &account);
	post_later(fx, &other, &others);
	assert_int_equal(claim_looks(fx, NOW, 0).count, 0);
	assert_int_equal(claim_looks(fx, NOW, 2).count, 3); /* two of one, and the other's */
	assert_int_equal(claim_looks(fx, NOW, 100).count, 4);
	end_all(fx, NOW + LEASE_US);
}

static void edit(struct fixture *fx, const struct app_row *app, struct str post_id,
		 int64_t look_at_us)
{
	const struct post_row post = get_post(fx, app, post_id);
	struct post_change_result result = {0};
	struct error err = {0};
	const struct post_edit wish = {.app_id = app->id,
				       .post_id = post_id,
				       .content_read = post.content,
				       .scheduled_read_us = post.scheduled_at_us,
				       .content = post.content,
				       .mode = post.mode,
				       .now_us = NOW,
				       .look_at_us = look_at_us};
	ok(store_post_edit(fx->store, &wish, &result, &err), &err);
	assert_int_equal(result.outcome, POST_CHANGED);
}

static void an_edit_makes_a_look_worthless(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	const struct str post_id = post_later(fx, &app, &account);
	struct looking l = claim_looks(fx, NOW, 4);
	edit(fx, &app, post_id, NOW);
	struct look_save save = {.post_id = post_id, .app_id = app.id, .fence = l.work[0].fence};
	assert_int_equal(save_look(fx, &save), ERR_CONFLICT);
	struct looking again = claim_looks(fx, NOW, 4);
	assert_int_equal(again.count, 1);
	const struct look_finding finding = {again.work[0].targets[0].delivery_id, STR(WARNING)};
	save.fence = again.work[0].fence;
	save.findings = &finding;
	save.finding_count = 1;
	assert_int_equal(save_look(fx, &save), ERR_NONE);
	/* Without anything to look at, what was found is forgotten. */
	edit(fx, &app, post_id, 0);
	assert_true(str_is_empty(get_post(fx, &app, post_id).deliveries[0].warnings));
	assert_int_equal(claim_looks(fx, LATER, 4).count, 0);
}

static void a_cancelled_post_has_no_targets(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user", PLATFORM_X);
	const struct str post_id = post_later(fx, &app, &account);
	struct post_change_result result = {0};
	struct error err = {0};
	ok(store_post_cancel(fx->store, app.id, post_id, &result, &err), &err);
	const struct looking l = claim_looks(fx, NOW, 4);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.work[0].target_count, 0);
	end_all(fx, NOW + LEASE_US);
}

int run_look_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_look_is_claimed_once_and_written_by_its_fence),
		STORE_TEST(a_try_that_failed_comes_again),
		STORE_TEST(an_app_has_no_more_than_its_slots),
		STORE_TEST(an_edit_makes_a_look_worthless),
		STORE_TEST(a_cancelled_post_has_no_targets),
	};
	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
