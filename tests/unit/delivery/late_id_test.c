/* SPDX-License-Identifier: Apache-2.0
 * Ids that TikTok tells later: looked for with waits that grow, through deaths, refused tokens and
 * an outage, for a day; the post stays published whatever comes. */
#include "delivery.h"

#include "damaged_rows.h"
#include "world.h"

#define PULL \
	"{\"mode\":\"basic\",\"containers\":[{\"content\":\"hi\",\"type\":\"carousel\",\"media\":" \
	"[" \
	"{\"url\":\"https://customer.example/a.jpg\",\"type\":\"image\"}]}]}"
#define OK ",\"error\":{\"code\":\"ok\"}}"
#define INIT "/content/init/"
#define STATUS "/status/fetch/"
#define NAMELESS "{\"data\":{\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[]}" OK
#define NAMED \
	"{\"data\":{\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[" \
	"7512345678901234567]}" OK
#define ID "7512345678901234567"
#define MISSING "platform_post_id_missing"

static const char jpeg[] = "\xff\xd8\xff\xc0\x00\x11\x08\x04\x38\x04\x38\x03"
			   "\x01\x22\x00\x02\x11\x01\x03\x11\x01";

/* Published after the minute in which the id is asked for. */
static struct str published(struct world *w, struct account_row *account)
{
	*account = world_account(w, PLATFORM_TIKTOK, 0, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = "/creator_info/",
		    .body = "{\"data\":{\"creator_username\":\"ann\",\"privacy_level_options\":["
			    "\"PUBLIC_TO_EVERYONE\"]}" OK);
	FAKE_ANSWER(&w->transport, .match = "GET https://customer.example/a.jpg", .body = jpeg,
		    .body_len = sizeof(jpeg) - 1, .times = 9);
	FAKE_ANSWER(&w->transport, .match = INIT,
		    .body = "{\"data\":{\"publish_id\":\"p_pub_url~v2.1\"}" OK);
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMELESS, .times = 7);
	const struct str post = world_post(w, PULL, account, 1);
	world_run(w);
	for (int i = 0; i < 8; i++)
		world_pass(w, 10 * US_PER_S);
	return post;
}

static void assert_nameless(struct world *w, struct str post)
{
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_string_equal(post_state_name(row.state), "published");
	assert_str(row.remote_id, "");
	assert_str(row.url, "https://www.tiktok.com/@ann");
	assert_non_null(strstr(str_z(w->arena, row.warnings), MISSING));
	assert_int_equal(store_post_delivery_outcome(&row), POST_OUTCOME_ALL);
}

static void assert_named(struct world *w, struct str post)
{
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_published(w, post, ID);
	assert_str(row.url, "https://www.tiktok.com/@ann/photo/" ID);
	assert_str(row.parts, "[{\"state\":\"published\",\"remote_id\":\"" ID
			      "\",\"url\":\"https://www.tiktok.com/@ann/photo/" ID "\"}]");
	assert_str(row.warnings, "");
	assert_int_equal(fake_count(&w->transport, INIT), 1);
}

static void an_id_is_found_later(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	assert_nameless(w, post);
	assert_int_equal(fake_count(&w->transport, STATUS), 7);
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMELESS, .times = 2);
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMED);
	world_pass(w, US_PER_MINUTE);
	world_pass(w, US_PER_MINUTE);
	assert_int_equal(fake_count(&w->transport, STATUS), 8);
	world_pass(w, US_PER_MINUTE);
	world_pass(w, 4 * US_PER_MINUTE);
	assert_int_equal(fake_count(&w->transport, STATUS), 9);
	assert_nameless(w, post);
	world_pass(w, 2 * US_PER_MINUTE);
	assert_named(w, post);
	world_pass(w, 2 * US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, STATUS), 10);
}

static void it_is_given_up_after_a_day(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMELESS, .times = 99);
	for (int i = 0; i < 24 * 6; i++)
		world_pass(w, 10 * US_PER_MINUTE);
	const size_t looks = fake_count(&w->transport, STATUS) - 7;
	assert_nameless(w, post);
	assert_in_range(looks, 20, 40);
	assert_non_null(strstr(str_z(w->arena, world_delivery(w, post, 0).warnings), "gave no id"));
	world_pass(w, 7 * US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, STATUS) - 7, looks);
}

static void deaths_and_failed_looks_change_nothing(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	FAKE_ANSWER(&w->transport, .match = STATUS, .status = 503);
	FAKE_ANSWER(&w->transport, .match = STATUS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = STATUS, .status = 429,
		    .body = "{\"error\":{\"code\":\"rate_limit_exceeded\"}}");
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMED);
	for (int i = 0; i < 6; i++) {
		world_crash(w);
		assert_nameless(w, post);
		world_pass(w, 20 * US_PER_MINUTE);
		if (world_delivery(w, post, 0).remote_id.len > 0)
			break;
	}
	assert_named(w, post);
}

static void a_refused_token_is_refreshed(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	FAKE_ANSWER(&w->transport, .match = STATUS, .status = 401,
		    .body = "{\"error\":{\"code\":\"access_token_invalid\"}}");
	FAKE_ANSWER(&w->transport, .match = "/oauth/token/",
		    .body = "{\"access_token\":\"new\",\"expires_in\":86400,\"refresh_token\":"
			    "\"new-refresh\",\"refresh_expires_in\":31536000,\"scope\":"
			    "\"video.publish\",\"open_id\":\"o\",\"token_type\":\"Bearer\"}");
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMED);
	world_pass(w, US_PER_MINUTE);
	assert_named(w, post);
	assert_int_equal(fake_count(&w->transport, "/oauth/token/"), 1);
}

static void a_task_that_is_unknown_by_now_tells_none(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	FAKE_ANSWER(&w->transport, .match = STATUS, .status = 400,
		    .body = "{\"error\":{\"code\":\"invalid_publish_id\"}}");
	world_pass(w, US_PER_MINUTE);
	world_pass(w, 2 * US_PER_DAY);
	assert_nameless(w, post);
	assert_int_equal(fake_count(&w->transport, STATUS), 8);
}

static void an_account_that_is_gone_is_not_asked_about(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	world_set_account_state(w, &account, ACCOUNT_REAUTH_REQUIRED);
	world_pass(w, US_PER_HOUR);
	assert_int_equal(fake_count(&w->transport, STATUS), 7);
	world_set_account_state(w, &account, ACCOUNT_ACTIVE);
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMELESS);
	world_pass(w, US_PER_HOUR);
	assert_int_equal(fake_count(&w->transport, STATUS), 8);
	world_set_account_state(w, &account, ACCOUNT_DISCONNECTED);
	world_pass(w, US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, STATUS), 8);
	assert_nameless(w, post);
}

/* What would end a delivery as failed is a look that told nothing: here, a flow that cannot be
 * read. */
static void a_look_that_cannot_be_made_is_made_later(void **state)
{
	struct world *w = *state;
	struct account_row account;
	const struct str post = published(w, &account);
	const struct str id = world_delivery(w, post, 0).id;
	damage_rows(w,
		    str_format(w->arena,
			       "UPDATE deliveries SET flow = '!' || flow WHERE id = '" STR_FMT "'",
			       STR_ARG(id)));
	for (int i = 0; i < 5; i++)
		world_pass(w, US_PER_MINUTE);
	assert_int_equal(fake_count(&w->transport, STATUS), 7);
	assert_nameless(w, post);
	assert_str(world_delivery(w, post, 0).error_code, "");
	damage_rows(w,
		    str_format(w->arena,
			       "UPDATE deliveries SET flow = substr(flow, 2) WHERE id = '" STR_FMT
			       "'",
			       STR_ARG(id)));
	FAKE_ANSWER(&w->transport, .match = STATUS, .body = NAMED);
	world_pass(w, US_PER_HOUR);
	assert_named(w, post);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_id_is_found_later),
		TEST(it_is_given_up_after_a_day),
		TEST(deaths_and_failed_looks_change_nothing),
		TEST(a_refused_token_is_refreshed),
		TEST(a_task_that_is_unknown_by_now_tells_none),
		TEST(an_account_that_is_gone_is_not_asked_about),
		TEST(a_look_that_cannot_be_made_is_made_later),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
