/* SPDX-License-Identifier: Apache-2.0
 * Beginning a connection: who may begin, and what is stored of it. */
#include "connect_fixture.h"

static void without_a_good_credential_nothing_begins(void **state)
{
	struct world *w = *state;
	static const struct {
		enum credential_state state;
		const char *words;
	} rows[] = {{CREDENTIAL_PENDING, "pending"}, {CREDENTIAL_FAILED, "failed"}};
	struct connect_begun begun = {0};
	struct error err = {0};
	const struct connect_request request = {
		.app = &w->app, .platform = PLATFORM_X, .redirect_url = STR("https://c.example/")};
	for (size_t i = 0; i < 2; i++) {
		ok(store_credential_set_state(w->store, w->app.id, PLATFORM_X, STR("client-id"),
					      rows[i].state, STR(""), FAKE_NOW_US, &err),
		   &err);
		assert_int_equal(connector_begin(w->connector, w->arena, &request, &begun, &err),
				 ERR_FORBIDDEN);
		assert_non_null(strstr(err.text, rows[i].words));
	}
	const struct app_row other = {.id = world_uuid(w)};
	const struct connect_request of_other = {
		.app = &other, .platform = PLATFORM_X, .redirect_url = STR("https://c.example/")};
	assert_int_equal(connector_begin(w->connector, w->arena, &of_other, &begun, &err),
			 ERR_NOT_FOUND);
	assert_true(str_is_empty(begun.authorize_url));
}

static void an_owner_may_try_a_pending_one(void **state)
{
	struct world *w = *state;
	struct connect_begun begun = {0};
	struct error err = {0};
	struct connect_request request = {.app = &w->app,
					  .platform = PLATFORM_X,
					  .redirect_url = STR("https://c.example/"),
					  .allows_pending = true};
	ok(store_credential_set_state(w->store, w->app.id, PLATFORM_X, STR("client-id"),
				      CREDENTIAL_PENDING, STR(""), FAKE_NOW_US, &err),
	   &err);
	ok(connector_begin(w->connector, w->arena, &request, &begun, &err), &err);
	ok(store_credential_set_state(w->store, w->app.id, PLATFORM_X, STR("client-id"),
				      CREDENTIAL_FAILED, STR(""), FAKE_NOW_US, &err),
	   &err);
	assert_int_equal(connector_begin(w->connector, w->arena, &request, &begun, &err),
			 ERR_FORBIDDEN);
}

static void no_two_beginnings_are_alike(void **state)
{
	struct world *w = *state;
	const struct connect_begun first = begin(w);
	const struct connect_begun second = begin(w);
	assert_false(str_equal(first.connection_id, second.connection_id));
	assert_false(str_equal(state_of(w, &first), state_of(w, &second)));
	assert_int_equal(state_of(w, &first).len, 43);
	/* Neither state nor verifier is stored open. */
	const struct connection_row row = row_of(w, &first);
	assert_true(str_find(row.state_hash, state_of(w, &first), 0) == SIZE_MAX);
	assert_true(row.pkce_sealed.len > 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(without_a_good_credential_nothing_begins),
		WORLD_TEST(an_owner_may_try_a_pending_one),
		WORLD_TEST(no_two_beginnings_are_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
