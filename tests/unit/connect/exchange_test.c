/* SPDX-License-Identifier: Apache-2.0
 * From the code to accounts: what is stored, what is told when the platform refuses, and connecting
 * again. With the adapters of X and Facebook; no thread waits here, turns are made by hand. */
#include "count_of.h"

#include "connect.h"

#include "another_key.h"
#include "world.h"

#include "url.h"

#define TOKEN "POST https://api.x.com/2/oauth2/token"
#define ME "GET https://api.x.com/2/users/me"
#define GRANT \
	"{\"token_type\":\"bearer\",\"expires_in\":7200,\"access_token\":\"new-access-token\"," \
	"\"refresh_token\":\"new-refresh-token\"," \
	"\"scope\":\"tweet.read tweet.write users.read media.write offline.access\"}"
#define USER "{\"data\":{\"id\":\"77\",\"username\":\"ann\",\"name\":\"Ann\"}}"

/* Begins, comes back with a code, and makes no turn yet. Returns the connection's id. */
static struct str come_back(struct world *w, enum platform_id platform, const char *user_id)
{
	const struct connect_request request = {.app = &w->app,
						.platform = platform,
						.user_id = str_of(user_id),
						.redirect_url =
							STR("https://customer.example/back")};
	struct connect_begun begun = {0};
	struct connect_return out = {0};
	struct form form = {0};
	struct url url;
	struct error err = {0};
	ok(connector_begin(w->connector, w->arena, &request, &begun, &err), &err);
	ok(url_parse(w->arena, begun.authorize_url, &url, &err), &err);
	ok(form_parse(w->arena, url.query, 0, &form, &err), &err);
	struct form_pair pairs[] = {{STR("state"), *form_find(&form, "state")},
				    {STR("code"), STR("the-authorization-code")}};
	const struct form query = {pairs, 2};
	ok(connector_callback(w->connector, w->arena, platform, &query, 0, &out, &err), &err);
	assert_int_equal(out.kind, CONNECT_RETURN_PENDING);
	return begun.connection_id;
}

static struct connection_row row_of(struct world *w, struct str id)
{
	struct connection_row row = {0};
	struct error err = {0};
	ok(store_connection_find(w->store, w->arena, w->app.id, id, FAKE_NOW_US, &row, &err), &err);
	return row;
}

static struct account_row only_account(struct world *w, struct str connection_id)
{
	struct account_row *accounts = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_account_list_of_connection(w->store, w->arena, connection_id, &accounts, &count,
					    &err),
	   &err);
	assert_int_equal(count, 1);
	return accounts[0];
}

static struct str opened(struct world *w, const char *column, const struct account_row *account,
			 struct str sealed)
{
	const struct seal_place place = {STR("accounts"), str_of(column), account->id};
	struct str text = STR("");
	struct error err = {0};
	ok(seal_open_secret(w->seal, w->arena, &place, sealed, &text, &err), &err);
	return text;
}

static void an_account_is_stored_with_its_tokens_sealed(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER);
	world_run(w);
	const struct connection_row row = row_of(w, id);
	assert_int_equal(row.state, CONNECTION_SUCCESS);
	assert_true(str_is_empty(row.code_sealed));
	assert_true(str_is_empty(row.flow));
	assert_true(str_is_empty(row.flow_sealed));
	const struct account_row account = only_account(w, id);
	assert_str(account.platform_account_id, "77");
	assert_str(account.username, "ann");
	assert_int_equal(account.state, ACCOUNT_ACTIVE);
	assert_int_equal(account.expires_at_us, FAKE_NOW_US + 7200 * US_PER_S);
	assert_str(opened(w, "access_token", &account, account.access_token_sealed),
		   "new-access-token");
	assert_str(opened(w, "refresh_token", &account, account.refresh_token_sealed),
		   "new-refresh-token");
	assert_int_equal(engine_task_count(w->engine), 0);
}

/* Tokens that were got half-way are saved before they are used, and never in the clear. */
static void tokens_on_the_way_are_saved_and_sealed(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT);
	world_run(w);
	const struct connection_row row = row_of(w, id);
	assert_int_equal(row.state, CONNECTION_PENDING);
	assert_true(str_find(row.flow, STR("\"me\""), 0) != SIZE_MAX);
	assert_true(row.flow_sealed.len > 0);
	assert_true(str_find(row.flow, STR("new-access-token"), 0) == SIZE_MAX);
	assert_true(str_find(row.flow_sealed, STR("new-access-token"), 0) == SIZE_MAX);
}

static void connecting_again_keeps_the_account(void **state)
{
	struct world *w = *state;
	const struct str first = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT, .times = 3);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER, .times = 3);
	world_run(w);
	const struct account_row before = only_account(w, first);
	world_set_account_state(w, &before, ACCOUNT_REAUTH_REQUIRED);
	const struct str second = come_back(w, PLATFORM_X, "user-1");
	world_run(w);
	const struct account_row after = only_account(w, second);
	assert_true(str_equal(before.id, after.id));
	assert_int_equal(after.state, ACCOUNT_ACTIVE);
	assert_true(after.token_version > before.token_version);
	assert_str(opened(w, "access_token", &after, after.access_token_sealed),
		   "new-access-token");
	/* Another user's is another account. */
	const struct str third = come_back(w, PLATFORM_X, "user-2");
	world_run(w);
	assert_false(str_equal(only_account(w, third).id, before.id));
}

/* Two connections bring a new account in one and the same turn. */
static void the_same_account_twice_in_one_turn_is_one(void **state)
{
	struct world *w = *state;
	const struct str first = come_back(w, PLATFORM_X, "user-1");
	const struct str second = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT, .times = 2);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER, .times = 9);
	world_run(w);
	assert_int_equal(row_of(w, first).state, CONNECTION_SUCCESS);
	assert_int_equal(row_of(w, second).state, CONNECTION_SUCCESS);
	const struct account_row account = only_account(w, second);
	assert_true(str_equal(only_account(w, first).id, account.id));
	assert_str(opened(w, "access_token", &account, account.access_token_sealed),
		   "new-access-token");
	assert_int_equal(fake_count(&w->transport, TOKEN), 2); /* no code was used twice */
}

struct refusal {
	const char *name;
	struct fake_answer token;
	const char *me_body; /* NULL = not reached */
	int me_status;
	const char *error;
	const char *words;
};

static const struct refusal refusals[] = {
	{"the code is refused",
	 {.match = TOKEN,
	  .status = 400,
	  .body = "{\"error\":\"invalid_request\",\"error_description\":\"Value passed for the "
		  "authorization code was invalid.\"}"},
	 NULL,
	 0,
	 "exchange_failed",
	 "authorization code was invalid"},
	{"scopes are missing",
	 {.match = TOKEN,
	  .body = "{\"access_token\":\"new-access-token\",\"scope\":\"tweet.read\"}"},
	 NULL,
	 0,
	 "missing_permissions",
	 "tweet.write"},
	{"the account cannot be read",
	 {.match = TOKEN, .body = GRANT},
	 "{\"title\":\"Forbidden\",\"detail\":\"no\"}",
	 403,
	 "platform_error",
	 "no"},
};

static void a_refusal_is_told(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		const struct str id = come_back(w, PLATFORM_X, "user-1");
		fake_add(&w->transport, refusals[i].token);
		if (refusals[i].me_body != NULL)
			FAKE_ANSWER(&w->transport, .match = ME, .status = refusals[i].me_status,
				    .body = refusals[i].me_body);
		world_run(w);
		const struct connection_row row = row_of(w, id);
		assert_int_equal(row.state, CONNECTION_FAILED);
		if (!str_equal_z(row.error, refusals[i].error))
			fail_msg("%s: " STR_FMT, refusals[i].name, STR_ARG(row.error));
		if (str_find(row.error_description, str_of(refusals[i].words), 0) == SIZE_MAX)
			fail_msg("%s: " STR_FMT, refusals[i].name, STR_ARG(row.error_description));
		assert_true(str_is_empty(row.code_sealed));
	}
}

static void what_passes_is_tried_a_few_times(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .outcome = TRANSFER_NEVER_SENT, .times = 2,
		    .error_text = "connect failed");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT);
	FAKE_ANSWER(&w->transport, .match = ME, .status = 503);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER);
	world_run(w);
	for (int i = 0; i < 4; i++)
		world_pass(w, 5 * US_PER_S);
	assert_int_equal(row_of(w, id).state, CONNECTION_SUCCESS);
	assert_int_equal(fake_count(&w->transport, TOKEN), 3);
}

static void what_does_not_pass_ends(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 503, .times = 99);
	world_run(w);
	for (int i = 0; i < 6; i++)
		world_pass(w, 5 * US_PER_S);
	assert_int_equal(row_of(w, id).state, CONNECTION_FAILED);
	assert_int_equal(fake_count(&w->transport, TOKEN), 4);
	assert_int_equal(engine_task_count(w->engine), 0);
}

/* A platform that repeats what it was sent. */
static void the_platforms_words_hold_no_secret(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\",\"error_description\":\"the-"
			    "authorization-code and " WORLD_CLIENT_SECRET " do not fit\"}");
	world_run(w);
	const struct str seen = row_of(w, id).error_description;
	assert_true(str_find(seen, STR("*** and *** do not fit"), 0) != SIZE_MAX);
}

/* The secret belongs to another row, the code is readable. */
static void without_its_secret_nothing_is_asked(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	struct error err = {0};
	const struct credential_row bad = {
		.app_id = w->app.id,
		.platform = PLATFORM_X,
		.client_id = STR("client-id"),
		.client_secret_sealed = world_sealed(w, "platform_credentials", "client_secret",
						     STR("another/row"), WORLD_CLIENT_SECRET),
	};
	ok(store_credential_put(w->store, &bad, &err), &err);
	world_run(w);
	const struct connection_row row = row_of(w, id);
	assert_int_equal(row.state, CONNECTION_FAILED);
	assert_str(row.error, "platform_error");
	assert_str(row.error_description,
		   "The client secret of the X credential cannot be opened with this master key.");
	assert_int_equal(w->transport.sent_count, 0);
}

static void with_another_key_the_connection_is_unreadable(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	restart_with_another_key(w);
	world_run(w);
	assert_str(row_of(w, id).error_description, "The connection could not be read.");
	assert_int_equal(w->transport.sent_count, 0);
}

static void without_its_credential_it_ends(void **state)
{
	struct world *w = *state;
	const struct str id = come_back(w, PLATFORM_X, "user-1");
	struct error err = {0};
	const uint8_t other[SEAL_KEY_BYTES] = {9};
	world_stop_parts(w);
	seal_free(&w->seal);
	ok(seal_open_key(other, &w->seal, &err), &err);
	world_start_parts(w);
	world_run(w);
	assert_int_equal(row_of(w, id).state, CONNECTION_FAILED);
	assert_int_equal(w->transport.sent_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(an_account_is_stored_with_its_tokens_sealed),
		WORLD_TEST(tokens_on_the_way_are_saved_and_sealed),
		WORLD_TEST(connecting_again_keeps_the_account),
		WORLD_TEST(the_same_account_twice_in_one_turn_is_one),
		WORLD_TEST(a_refusal_is_told),
		WORLD_TEST(what_passes_is_tried_a_few_times),
		WORLD_TEST(what_does_not_pass_ends),
		WORLD_TEST(the_platforms_words_hold_no_secret),
		WORLD_TEST(without_its_secret_nothing_is_asked),
		WORLD_TEST(with_another_key_the_connection_is_unreadable),
		WORLD_TEST(without_its_credential_it_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
