/* SPDX-License-Identifier: Apache-2.0
 * Whether an account's token works, and forgetting it: what each answer makes of the account. */
#include "connect_fixture.h"

#define REVOKE "POST https://api.x.com/2/oauth2/revoke"

static struct check_outcome check(struct world *w, const struct account_row *account)
{
	struct driver driver;
	struct check_outcome outcome = {0};
	struct error err = {0};
	driver_start(&driver, w);
	ok(connector_check(w->connector, w->arena, account, WAIT_MS, &outcome, &err), &err);
	driver_stop(&driver);
	return outcome;
}

static void a_good_token_makes_the_account_active(void **state)
{
	struct world *w = *state;
	struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	world_set_account_state(w, &account, ACCOUNT_REAUTH_REQUIRED);
	account = world_account_now(w, &account);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER);
	assert_int_equal(check(w, &account).verdict, CHECK_GOOD);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
}

static void a_refused_token_wants_the_user_again(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = ME, .status = 401,
		    .body = "{\"title\":\"Unauthorized\",\"status\":401}");
	assert_int_equal(check(w, &account).verdict, CHECK_REFUSED);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
}

/* An expired token that deliveries refresh is not asked about. */
static void an_expired_token_that_is_renewed_is_good(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_X, FAKE_NOW_US - US_PER_S, WORLD_REFRESH_TOKEN);
	assert_int_equal(check(w, &account).verdict, CHECK_GOOD);
	assert_int_equal(w->transport.sent_count, 0);
}

/* Neither the account nor its tokens are touched: they are good under the right key. */
static void an_unreadable_token_decides_nothing(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	restart_with_another_key(w);
	FAKE_ANSWER(&w->transport, .match = ME, .status = 401, .body = "{}");
	const struct check_outcome outcome = check(w, &account);
	assert_int_equal(outcome.verdict, CHECK_UNKNOWN);
	assert_str(outcome.message,
		   "The client secret of the X credential cannot be opened with this master key.");
	assert_int_equal(w->transport.sent_count, 0);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);

	/* The same when the credential was entered again, and only the account's is old. */
	world_add_credential(w, PLATFORM_X);
	assert_str(check(w, &account).message,
		   "The account's tokens cannot be opened with this master key.");
	assert_int_equal(w->transport.sent_count, 0);
}

static void a_disconnected_account_is_forgotten_there_and_here(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct error err = {0};
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = REVOKE, .body = "{\"revoked\":true}");
	driver_start(&driver, w);
	ok(connector_disconnect(w->connector, w->arena, &account, WAIT_MS, &err), &err);
	driver_stop(&driver);
	assert_int_equal(fake_count(&w->transport, REVOKE), 1);
	const struct account_row now = world_account_now(w, &account);
	assert_int_equal(now.state, ACCOUNT_DISCONNECTED);
	assert_true(str_is_empty(now.access_token_sealed));
	assert_int_equal(check(w, &now).verdict, CHECK_REFUSED);
}

static void an_unreadable_token_is_forgotten_here_all_the_same(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	restart_with_another_key(w);
	ok(connector_disconnect(w->connector, w->arena, &account, WAIT_MS, &err), &err);
	assert_int_equal(w->transport.sent_count, 0);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_DISCONNECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_good_token_makes_the_account_active),
		WORLD_TEST(a_refused_token_wants_the_user_again),
		WORLD_TEST(an_expired_token_that_is_renewed_is_good),
		WORLD_TEST(an_unreadable_token_decides_nothing),
		WORLD_TEST(a_disconnected_account_is_forgotten_there_and_here),
		WORLD_TEST(an_unreadable_token_is_forgotten_here_all_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
