/* SPDX-License-Identifier: Apache-2.0
 * Faults that name one of X's errors (x.md 4), and the credits that every call
 * costs (3.4). */
#include "count_of.h"

#include "x_flow.h"

static struct probe_answer knobs(struct probe *probe, const char *body)
{
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = "/_sandbox/knobs",
						       .body = str_of(body)});
}

static void every_named_error_is_told(void **state)
{
	static const struct {
		const char *name;
		long status;
		const char *has;
	} rows[] = {
		{"invalid-request", 400, "problems/invalid-request"},
		{"media-ids-invalid", 400, "Your media IDs are invalid."},
		{"reply-target-gone", 400, "deleted or not visible"},
		{"unauthorized", 401, "Unauthorized"},
		{"token-expired-v1", 401, "\"code\":89"},
		{"credits-depleted", 402, "CreditsDepleted"},
		{"duplicate-content", 403, "duplicate content"},
		{"reply-not-mentioned", 403, "mentioned or are the author"},
		{"reply-not-allowed", 403, "Reply to this conversation is not allowed"},
		{"feature-not-permitted", 403, "access this feature"},
		{"action-not-permitted", 403, "perform this action"},
		{"video-too-long", 403, "video longer than"},
		{"too-many-cashtags", 403, "maximum of one cashtag"},
		{"invalid-url", 403, "contains an invalid URL"},
		{"too-many-media", 403, "maximum of 4 items"},
		{"unsupported-authentication", 403, "Application-Only"},
		{"unknown-authentication", 403, "Authenticating with Unknown"},
		{"client-not-enrolled", 403, "problems/client-forbidden"},
		{"oauth1-permissions", 403, "problems/oauth1-permissions"},
		{"user-suspended", 403, "problems/user-suspended"},
		{"account-locked", 403, "temporarily locked"},
		{"forbidden", 403, "\"detail\":\"Forbidden\""},
		{"edge", 403, "<html>"},
		{"not-found", 404, "problems/resource-not-found"},
		{"rate-limit", 429, "Too Many Requests"},
		{"rate-limit-exceeded", 429, "problems/rate-limit-exceeded"},
		{"rate-limit-v1", 429, "\"code\":88"},
		{"usage-capped", 429, "problems/usage-capped"},
		{"internal-error", 500, "problems/internal-error"},
		{"service-unavailable", 503, "Service Unavailable"},
	};
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		probe_fault(probe, probe_z(probe, str_format(probe->arena,
							     "{\"platform\":\"x\",\"effect\":"
							     "\"status\",\"error\":\"%s\"}",
							     rows[i].name)));
		const struct probe_answer answer = x_post(probe, token, "{\"text\":\"a\"}");
		if (answer.status != rows[i].status ||
		    str_find(answer.body, str_of(rows[i].has), 0) == SIZE_MAX)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	assert_status(x_post(probe, token, "{\"text\":\"a\"}"), 201);
}

static void credits_run_out(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	assert_status(knobs(probe, "{\"x_budget_mils\":230}"), 200);
	assert_status(x_post(probe, token, "{\"text\":\"one\"}"), 201);
	assert_status(x_post(probe, token, "{\"text\":\"with https://example.com\"}"), 201);
	const struct probe_answer spent =
		probe_ask(probe, (struct probe_request){.method = "GET",
							.path = "/api.x.com/_sandbox/spent"});
	assert_int_equal(json_int(json_get(spent.json, "spent_mils"), 0), 215);
	assert_status(x_post(probe, token, "{\"text\":\"two\"}"), 201);
	const struct probe_answer refused = x_post(probe, token, "{\"text\":\"three\"}");
	assert_status(refused, 402);
	assert_str(probe_json_string(&refused, "title"), "CreditsDepleted");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 402);
	assert_status(knobs(probe, "{\"x_budget_mils\":-1}"), 200);
	assert_status(x_post(probe, token, "{\"text\":\"three\"}"), 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_named_error_is_told, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(credits_run_out, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
