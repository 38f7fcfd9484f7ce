/* SPDX-License-Identifier: Apache-2.0
 * Pictures of accounts: when one is fetched, by which door, and what is kept of the answer. */
#include "connect_fixture.h"

#include "avatar.h"

#define PICTURE "https://pbs.twimg.com/a_normal.jpg"
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0"
#define PNG_BYTES (sizeof(PNG) - 1)

static struct account_row account_with(struct world *w, const char *url)
{
	struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	account.avatar_url = str_of(url);
	world_connect(w, &account, WORLD_ACCESS_TOKEN, NULL);
	return account;
}

static void answer_png(struct world *w)
{
	FAKE_ANSWER(&w->transport, .match = PICTURE, .body = PNG, .body_len = PNG_BYTES);
}

static bool is_here(struct world *w, const struct account_row *account)
{
	struct avatar avatar = {0};
	const bool is = avatar_cache_read(&w->connector->avatars, w->arena, account->id,
					  account->avatar_url, &avatar);
	if (is)
		assert_string_equal(avatar.mime_type, "image/png");
	return is;
}

static void look(struct world *w, const struct account_row *account, bool is_there)
{
	struct avatar avatar = {0};
	assert_int_equal(connector_avatar(w->connector, w->arena, account, false, &avatar),
			 is_there);
	world_turns(w, 4);
}

/* Through the guard, which the pool for files of strangers has; without a token. */
static void a_picture_is_fetched_once_by_the_guarded_door(void **state)
{
	struct world *w = *state;
	const struct account_row account = account_with(w, PICTURE);
	answer_png(w);
	look(w, &account, false);
	look(w, &account, true);
	assert_int_equal(fake_count(&w->transport, PICTURE), 1);
	assert_int_equal(w->transport.sent[0].pool, TRANSFER_MEDIA);
	assert_string_equal(w->transport.sent[0].authorization, "");
	struct avatar avatar = {0};
	assert_true(connector_avatar(w->connector, w->arena, &account, false, &avatar));
	assert_true(avatar.is_current);
	assert_true(str_equal(avatar.bytes, (struct str){PNG, PNG_BYTES}));
}

/* A page, a picture that is code, an error: none is kept, and none is asked for again within the
 * hour. */
static void only_pictures_are_kept(void **state)
{
	struct world *w = *state;
	const struct account_row account = account_with(w, PICTURE);
	FAKE_ANSWER(&w->transport, .match = PICTURE, .body = "<svg onload=\"alert(1)\"/>");
	look(w, &account, false);
	look(w, &account, false);
	assert_int_equal(fake_count(&w->transport, PICTURE), 1);
	assert_false(is_here(w, &account));
	fake_clock_advance(&w->clock, US_PER_HOUR + US_PER_S);
	FAKE_ANSWER(&w->transport, .match = PICTURE, .status = 403, .body = PNG,
		    .body_len = PNG_BYTES);
	look(w, &account, false);
	assert_int_equal(fake_count(&w->transport, PICTURE), 2);
	assert_false(is_here(w, &account));
	fake_clock_advance(&w->clock, US_PER_HOUR + US_PER_S);
	answer_png(w);
	look(w, &account, false);
	assert_true(is_here(w, &account));
}

static void no_address_that_is_not_https_is_asked(void **state)
{
	struct world *w = *state;
	const struct account_row plain = account_with(w, "http://pbs.twimg.com/a.jpg");
	const struct account_row none = account_with(w, "");
	look(w, &plain, false);
	look(w, &none, false);
	assert_int_equal(w->transport.sent_count, 0);
}

/* The old one is shown until the new one is here, and also when that never comes. */
static void a_new_address_replaces_the_picture(void **state)
{
	struct world *w = *state;
	struct account_row account = account_with(w, PICTURE);
	answer_png(w);
	look(w, &account, false);
	account.avatar_url = STR("https://pbs.twimg.com/b_normal.jpg");
	look(w, &account, true);
	assert_int_equal(fake_count(&w->transport, "b_normal.jpg"), 1);
	look(w, &account, true);
}

static void a_connection_and_a_check_bring_the_address(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct check_outcome outcome = {0};
	struct error err = {0};
	const struct account_row account = account_with(w, "https://pbs.twimg.com/old.jpg");
	FAKE_ANSWER(&w->transport, .match = ME,
		    .body = "{\"data\":{\"id\":\"77\",\"profile_image_url\":\"" PICTURE "\"}}");
	answer_png(w);
	driver_start(&driver, w);
	ok(connector_check(w->connector, w->arena, &account, WAIT_MS, &outcome, &err), &err);
	driver_stop(&driver);
	world_turns(w, 4);
	const struct account_row now = world_account_now(w, &account);
	assert_str(now.avatar_url, PICTURE);
	assert_true(is_here(w, &now));
}

static void a_disconnected_account_keeps_no_picture(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct account_row account = account_with(w, PICTURE);
	const struct account_row other = account_with(w, PICTURE "?other");
	answer_png(w);
	answer_png(w);
	look(w, &account, false);
	look(w, &other, false);
	ok(connector_disconnect(w->connector, w->arena, &account, 0, &err), &err);
	assert_false(is_here(w, &account));
	account = world_account_now(w, &account);
	look(w, &account, false);
	assert_int_equal(fake_count(&w->transport, "GET " PICTURE), 2);

	/* another node disconnects it: the sweep sees what this one was not told */
	ok(store_account_disconnect(w->store, other.id, FAKE_NOW_US, &err), &err);
	assert_true(is_here(w, &other));
	connector_sweep_avatars(w->connector);
	assert_false(is_here(w, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_picture_is_fetched_once_by_the_guarded_door),
		WORLD_TEST(only_pictures_are_kept),
		WORLD_TEST(no_address_that_is_not_https_is_asked),
		WORLD_TEST(a_new_address_replaces_the_picture),
		WORLD_TEST(a_connection_and_a_check_bring_the_address),
		WORLD_TEST(a_disconnected_account_keeps_no_picture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
