/* SPDX-License-Identifier: Apache-2.0
 * The worlds of test apps: each app has one of its own, and each visitor gets what is his. */
#include "worlds.h"

static int status_of(struct worlds_test *t, enum sandbox_visitor visitor, const char *method,
		     const char *target)
{
	const struct worlds_ask ask = {ONE, visitor, method, str_of(target), STR(""), STR("")};
	return worlds_send(t, &ask)->status;
}

static void worlds_are_apart(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "mine"), 201);
	assert_int_equal(worlds_tweet(t, TWO, token, "stolen"), 401);
	assert_true(str_find(worlds_ledger(t, ONE), STR("mine"), 0) != SIZE_MAX);
	assert_true(str_equal_z(worlds_ledger(t, TWO), "{\"posts\":[]}"));
}

static void only_its_own_credentials_are_good(void **state)
{
	struct worlds_test *t = *state;
	static const struct {
		const char *id;
		const char *secret;
	} others[] = {{"test-x-0-two", "secret-x-0-two"},
		      {"sandbox-x", "sandbox-secret-x"},
		      {"test-x-0-one", "sandbox-secret-x"},
		      {"sandbox-x", "secret-x-0-one"}};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct worlds_ask ask = {
			ONE,
			SANDBOX_SERVICE,
			"POST",
			STR("/api.x.com/2/oauth2/token"),
			STR(""),
			str_format(t->arena,
				   "grant_type=refresh_token&refresh_token=x&client_id=%s"
				   "&client_secret=%s",
				   others[i].id, others[i].secret)};
		const struct http_response *answer = worlds_send(t, &ask);
		assert_int_equal(answer->status, 401);
	}
}

static void unknown_apps_have_none(void **state)
{
	struct worlds_test *t = *state;
	const struct worlds_ask ask = {STR("0-three"), SANDBOX_SERVICE,
				       "GET",          STR("/api.x.com/2/users/me"),
				       STR(""),        STR("")};
	assert_int_equal(worlds_send(t, &ask)->status, 404);
}

static void each_visitor_gets_his_own(void **state)
{
	struct worlds_test *t = *state;
	assert_int_equal(status_of(t, SANDBOX_SERVICE, "GET", "/api.x.com/2/users/me"), 401);
	assert_int_equal(status_of(t, SANDBOX_SERVICE, "GET", "/_sandbox/ledger"), 404);
	assert_int_equal(status_of(t, SANDBOX_SERVICE, "GET", "/"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "GET", "/_sandbox/ledger"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "GET", "/_sandbox/log"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "POST", "/_sandbox/reset"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "POST", "/api.x.com/2/tweets"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "GET", "/"), 404);
	assert_int_equal(status_of(t, SANDBOX_BROWSER, "GET", "/_sandbox/style.css"), 200);
	assert_int_equal(status_of(t, SANDBOX_TOKEN, "GET", "/"), 404);
	assert_int_equal(status_of(t, SANDBOX_TOKEN, "POST", "/_sandbox/clock"), 404);
	assert_int_equal(status_of(t, SANDBOX_TOKEN, "GET", "/_sandbox/log"), 200);
	assert_int_equal(status_of(t, SANDBOX_TOKEN, "GET", "/api.x.com/2/users/me"), 404);
	assert_int_equal(status_of(t, SANDBOX_ADMIN, "GET", "/"), 200);
	assert_int_equal(status_of(t, SANDBOX_ADMIN, "GET", "/_sandbox/faults"), 200);
	assert_int_equal(status_of(t, SANDBOX_ADMIN, "GET", "/_sandbox/knobs"), 200);
	assert_int_equal(status_of(t, SANDBOX_ADMIN, "GET", "/_sandbox/log"), 404);
}

/* A good token of the platform is worth nothing in a browser: it is taken off, like the cookie. */
static void visitors_bring_nothing(void **state)
{
	struct worlds_test *t = *state;
	const struct worlds_ask ask = {
		ONE,    SANDBOX_BROWSER, "GET", STR("/api.x.com/2/users/me"), worlds_login(t, ONE),
		STR("")};
	assert_int_equal(worlds_send(t, &ask)->status, 401);
	const struct worlds_ask log = {ONE,     SANDBOX_TOKEN, "GET", STR("/_sandbox/log"),
				       STR(""), STR("")};
	const struct str text = buf_str(&worlds_send(t, &log)->body);
	const struct str last = worlds_after(text, "users/me");
	assert_true(str_find(last, STR("cookie"), 0) == SIZE_MAX);
	assert_true(str_find(last, STR("authorization"), 0) == SIZE_MAX);
}

static void answers_are_guarded(void **state)
{
	struct worlds_test *t = *state;
	static const char *const targets[] = {"/_sandbox/style.css", "/_sandbox/none",
					      "/x.com/i/oauth2/authorize?client_id=x",
					      "/no.such.host/", "/graph.facebook.com/v25.0/me"};
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		const struct worlds_ask ask = {NOBODY,  SANDBOX_BROWSER, "GET", str_of(targets[i]),
					       STR(""), STR("")};
		const struct http_response *answer = worlds_send(t, &ask);
		const struct str policy = worlds_answer_header(answer, "Content-Security-Policy");
		assert_true(str_has_prefix(policy, STR("sandbox")));
		assert_true(str_find(policy, STR("allow-scripts"), 0) == SIZE_MAX);
		assert_true(str_has_prefix(worlds_answer_header(answer, "X-Robots-Tag"),
					   STR("noindex")));
		assert_null(worlds_answer_header(answer, "Set-Cookie").ptr);
	}
}

static void faults_say_nothing_to_browsers(void **state)
{
	struct worlds_test *t = *state;
	static const char *const refused[] = {"Set-Cookie",
					      "Location",
					      "X-Accel-Redirect",
					      "X-Sendfile",
					      "Content-Security-Policy",
					      "Clear-Site-Data",
					      "Access-Control-Allow-Origin",
					      "Refresh",
					      "WWW-Authenticate",
					      "Link"};
	struct worlds_ask ask = {ONE,     SANDBOX_TOKEN, "POST", STR("/_sandbox/faults"),
				 STR(""), STR("")};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		ask.body = str_format(t->arena,
				      "{\"platform\":\"x\",\"effect\":\"status\",\"headers\":"
				      "{\"%s\":\"a\"}}",
				      refused[i]);
		assert_int_equal(worlds_send(t, &ask)->status, 400);
	}
	ask.body = STR("{\"platform\":\"x\",\"effect\":\"status\",\"status\":200,\"headers\":"
		       "{\"Content-Type\":\"text/html\",\"x-rate-limit-remaining\":\"0\"},"
		       "\"body\":\"<script>alert(1)</script><input type=password>\"}");
	assert_int_equal(worlds_send(t, &ask)->status, 201);
	const struct worlds_ask page = {
		ONE,     SANDBOX_BROWSER,
		"GET",   STR("/x.com/i/oauth2/authorize?client_id=test-x-0-one"),
		STR(""), STR("")};
	const struct http_response *answer = worlds_send(t, &page);
	assert_true(
		str_has_prefix(worlds_answer_header(answer, "Content-Type"), STR("text/plain")));
	assert_true(str_equal_z(worlds_answer_header(answer, "Content-Security-Policy"),
				"sandbox; default-src 'none'; frame-ancestors 'none'"));
}

/* There are two places: the third world takes that of the idlest, which is as it was afterwards. */
static void worlds_give_way(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "kept"), 201);
	worlds_ledger(t, TWO);
	const struct worlds_ask nobody = {
		NOBODY, SANDBOX_BROWSER, "GET", STR("/_sandbox/style.css"), STR(""), STR("")};
	assert_int_equal(worlds_send(t, &nobody)->status, 200);
	assert_true(str_find(worlds_ledger(t, ONE), STR("kept"), 0) != SIZE_MAX);
	assert_int_equal(worlds_tweet(t, ONE, token, "more"), 201);
}

static void forgotten_apps_leave_nothing(void **state)
{
	struct worlds_test *t = *state;
	worlds_tweet(t, ONE, worlds_login(t, ONE), "gone");
	assert_true(sandbox_worlds_bytes(t->worlds, ONE) > 0);
	sandbox_worlds_forget(t->worlds, ONE);
	assert_int_equal(sandbox_worlds_bytes(t->worlds, ONE), 0);
	sandbox_worlds_forget(t->worlds, STR("../../etc"));
	assert_int_equal(sandbox_worlds_bytes(t->worlds, STR("..")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(worlds_are_apart, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(only_its_own_credentials_are_good, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(unknown_apps_have_none, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(each_visitor_gets_his_own, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(visitors_bring_nothing, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(answers_are_guarded, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(faults_say_nothing_to_browsers, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(worlds_give_way, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(forgotten_apps_leave_nothing, worlds_open,
						worlds_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
