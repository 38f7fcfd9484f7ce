/* SPDX-License-Identifier: Apache-2.0
 * What is stored and cannot be read: the delivery ends with a reason, and forgets nothing. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static struct account_row x_account(struct world *w)
{
	return world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
}

static struct str x_post(struct world *w)
{
	const struct account_row account = x_account(w);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

static void use_key(struct world *w, uint8_t first)
{
	struct error err = {0};
	const uint8_t key[SEAL_KEY_BYTES] = {first};
	world_stop_parts(w);
	seal_free(&w->seal);
	ok(seal_open_key(key, &w->seal, &err), &err);
	world_start_parts(w);
}

/* Another master key is the operator's matter and never the post's: with the right one it goes
 * on. */
static void what_another_key_sealed_is_given_back(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	use_key(w, 9);
	world_turns(w, 6);
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.error_code, "");
	assert_int_equal(w->transport.sent_count, 0);
	use_key(w, 7);
	world_run(w);
	assert_published(w, post, "1001");
}

struct damage {
	struct account_row account;
	int64_t now_us;
};

static enum err_kind damage_token(struct store_tx *tx, void *argument, struct error *err)
{
	const struct damage *damage = argument;
	const struct account_tokens tokens = {.account_id = damage->account.id,
					      .token_version = 1,
					      .access_token_sealed = STR("damaged")};
	return store_account_save_token(tx, &tokens, damage->now_us, err);
}

static void damage(struct world *w, const struct account_row *account)
{
	struct error err = {0};
	struct damage damage = {*account, clock_now_us(w->deliverer->config.clock)};
	ok(store_write(w->store, damage_token, &damage, &err), &err);
}

static void a_damaged_secret_fails_with_a_reason(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	damage(w, &account);
	world_run(w);
	assert_failed(w, post, "INTERNAL_ERROR");
	assert_int_equal(w->transport.sent_count, 0);
}

/* The post is out there in part, and with a call in doubt: neither may be forgotten. */
static void an_unreadable_delivery_in_doubt_is_told_as_unknown(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
			   "{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	world_stop_parts(w);
	fake_transport_forget(&w->transport);
	world_start_parts(w);
	damage(w, &account);
	world_run(w);
	assert_partial(w, post, "OUTCOME_UNKNOWN");
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.remote_id, "1001");
	assert_non_null(strstr(str_z(w->arena, row.parts), "\"remote_id\":\"1001\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(what_another_key_sealed_is_given_back),
		WORLD_TEST(a_damaged_secret_fails_with_a_reason),
		WORLD_TEST(an_unreadable_delivery_in_doubt_is_told_as_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
