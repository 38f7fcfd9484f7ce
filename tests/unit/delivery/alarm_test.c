/* SPDX-License-Identifier: Apache-2.0
 * Alarms: what only the operator can put right is kept and logged once a minute, and costs no post
 * a try. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"
#include "store_alarm.h"

#define POSTS "POST https://api.linkedin.com/rest/posts"
#define ENDED \
	"{\"status\":426,\"code\":\"NONEXISTENT_VERSION\",\"message\":\"Requested version is not " \
	"active\"}"

static struct alarm_row *alarms(struct world *w, size_t *count_out)
{
	struct alarm_row *rows = NULL;
	struct error err = {0};
	ok(store_alarm_list(w->store, w->arena, &rows, count_out, &err), &err);
	return rows;
}

static struct str post_to_linkedin(struct world *w)
{
	const struct account_row account = world_account(w, PLATFORM_LINKEDIN, 0, NULL);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

static void an_ended_version_is_shown_and_costs_no_try(void **state)
{
	struct world *w = *state;
	size_t count = 0;
	FAKE_ANSWER(&w->transport, .match = POSTS, .status = 426, .body = ENDED, .times = 1);
	FAKE_ANSWER(&w->transport, .match = POSTS, .status = 201, .header_name = "x-restli-id",
		    .header_value = "urn:li:share:1", .times = 1);
	const struct str post = post_to_linkedin(w);
	world_run(w);
	const struct alarm_row *rows = alarms(w, &count);
	assert_int_equal(count, 1);
	assert_true(str_equal_z(rows[0].name, "linkedin"));
	assert_int_equal(rows[0].times, 1);
	assert_int_equal(world_delivery(w, post, 0).attempts, 0);
	world_pass(w, 20 * US_PER_MINUTE);
	assert_state(w, post, "published");
}

static void other_refusals_are_no_alarm(void **state)
{
	struct world *w = *state;
	size_t count = 0;
	FAKE_ANSWER(&w->transport, .match = POSTS, .status = 400,
		    .body = "{\"status\":400,\"code\":\"MISSING_FIELD\",\"message\":\"x\"}",
		    .times = 1);
	const struct str post = post_to_linkedin(w);
	world_run(w);
	assert_state(w, post, "failed");
	alarms(w, &count);
	assert_int_equal(count, 0);
}

static void alarms_are_forgotten_at_the_start(void **state)
{
	struct world *w = *state;
	size_t count = 0;
	struct error err = {0};
	ok(store_alarm_raise(w->store, STR("linkedin"), STR("x"), 1, &err), &err);
	alarm_forget_all(w->deliverer);
	alarms(w, &count);
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(an_ended_version_is_shown_and_costs_no_try),
		WORLD_TEST(other_refusals_are_no_alarm),
		WORLD_TEST(alarms_are_forgotten_at_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
