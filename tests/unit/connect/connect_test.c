/* SPDX-License-Identifier: Apache-2.0
 * A new connector resumes what an earlier run left unfinished. */
#include "connect_fixture.h"

static void a_crash_between_code_and_exchange_is_made_good(void **state)
{
	struct world *w = *state;
	const struct connect_begun begun = begin(w);
	callback(w, w->arena, with_state(w, &begun, "&code=the-code"), 0);
	world_crash(w);
	answer_exchange(w);
	world_run(w);
	assert_int_equal(row_of(w, &begun).state, CONNECTION_SUCCESS);
	assert_non_null(strstr(fake_nth(&w->transport, TOKEN, 0)->body, "code=the-code"));
}

/* The code works once: after the crash its tokens are known, and it is not sent again. */
static void a_crash_after_the_token_goes_on_after_it(void **state)
{
	struct world *w = *state;
	const struct connect_begun begun = begin(w);
	callback(w, w->arena, with_state(w, &begun, "&code=the-code"), 0);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, ME), 1);
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER);
	world_run(w);
	assert_int_equal(row_of(w, &begun).state, CONNECTION_SUCCESS);
	assert_int_equal(fake_count(&w->transport, TOKEN), 1);
	assert_string_equal(fake_nth(&w->transport, ME, 1)->authorization,
			    "Bearer new-access-token");
}

/* The refusal's second half was cut off: there is no code to exchange, and none is made up. */
static void a_crash_in_a_refusal_ends_as_a_failure(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	const struct connect_begun begun = begin(w);
	ok(store_connection_consume_state(w->store, begun.connection_id,
					  row_of(w, &begun).state_hash, STR(""), STR(""), &err),
	   &err);
	world_crash(w);
	world_run(w);
	assert_int_equal(row_of(w, &begun).state, CONNECTION_FAILED);
	assert_int_equal(w->transport.sent_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_crash_between_code_and_exchange_is_made_good),
		WORLD_TEST(a_crash_after_the_token_goes_on_after_it),
		WORLD_TEST(a_crash_in_a_refusal_ends_as_a_failure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
