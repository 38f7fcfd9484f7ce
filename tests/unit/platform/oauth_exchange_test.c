/* SPDX-License-Identifier: Apache-2.0
 * Asking a token endpoint and reading its answers, with a platform of the test's own. What the
 * three platforms ask and hear is in tests/transcripts. */
#include "oauth_exchange.h"

#include "arena_fixture.h"
#include "clock.h"
#include "count_of.h"

#define NOW_US (INT64_C(1795000000) * US_PER_S)

static const struct refusal refusals[] = {
	REFUSAL(0, "invalid_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE, "app"),
	REFUSAL(0, NULL, NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE, "other"),
	{0},
};

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	(void)flow;
	if (oauth_exchange_read(env, reply, &answer, step))
		step_done(step);
	return NULL;
}

static const struct stage connect_stages[] = {
	{OAUTH_STAGE_EXCHANGE, oauth_exchange_ask, exchange_answer},
	{.name = NULL},
};

static const struct oauth_profile with_pkce = {.client_id_name = "client_key",
					       .pkce = PKCE_S256_HEX};
static const struct oauth_profile without_pkce = {.client_id_name = "client_id", .pkce = PKCE_NONE};
static const struct oauth_exchange by_code = {
	.token_url = "https://a.example/token",
	.refusals = refusals,
	.verify_code = "no-such-code",
	.verified_errors = {"invalid_grant"},
	.refresh_needs_fresh_connection = true,
};
static const struct oauth_exchange by_app = {.token_url = "https://b.example/token",
					     .refusals = refusals};

#define STAGES \
	.stages = {[OPERATION_VERIFY] = oauth_verify_stages, \
		   [OPERATION_CONNECT] = connect_stages, \
		   [OPERATION_REFRESH] = oauth_refresh_stages}

static const struct platform a = {.oauth = &with_pkce, .exchange = &by_code, STAGES};
static const struct platform b = {.oauth = &without_pkce, .exchange = &by_app, STAGES};

static struct step run(const struct platform *platform, enum operation operation,
		       const struct reply *reply)
{
	const struct env env = {
		.arena = arena,
		.now_us = NOW_US,
		.client_id = STR("id"),
		.client_secret = STR("s"),
		.code = STR("c"),
		.redirect_uri = STR("u"),
		.pkce_verifier = STR("v"),
		.refresh_token = STR("r/1"),
	};
	struct flow flow;
	struct step step = {0};
	flow_init(&flow, arena, 0);
	platform_run(platform, operation, &env, &flow, reply, &step);
	return step;
}

static void the_row_decides_what_is_asked(void **state)
{
	static const struct {
		const struct platform *platform;
		enum operation operation;
		const char *body;
		bool is_fresh;
	} rows[] = {
		{&a, OPERATION_VERIFY,
		 "grant_type=authorization_code&code=no-such-code&redirect_uri=u&code_verifier=v&"
		 "client_key=id&client_secret=s",
		 false},
		{&b, OPERATION_VERIFY, "grant_type=client_credentials&client_id=id&client_secret=s",
		 false},
		{&a, OPERATION_CONNECT,
		 "grant_type=authorization_code&code=c&redirect_uri=u&code_verifier=v&"
		 "client_key=id&client_secret=s",
		 false},
		{&b, OPERATION_CONNECT,
		 "grant_type=authorization_code&code=c&redirect_uri=u&client_id=id&"
		 "client_secret=s",
		 false},
		{&a, OPERATION_REFRESH,
		 "grant_type=refresh_token&refresh_token=r%2F1&client_key=id&client_secret=s",
		 true},
		{&b, OPERATION_REFRESH,
		 "grant_type=refresh_token&refresh_token=r%2F1&client_id=id&client_secret=s",
		 false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct step step = run(rows[i].platform, rows[i].operation, NULL);
		assert_int_equal(step.kind, STEP_SEND);
		assert_int_equal(step.call.kind, CALL_PREPARE);
		assert_true(str_equal_z(step.call.url, rows[i].platform->exchange->token_url));
		if (!str_equal_z(step.call.body, rows[i].body))
			fail_msg("row %zu: " STR_FMT, i, STR_ARG(step.call.body));
		assert_int_equal(step.call.needs_fresh_connection, rows[i].is_fresh);
	}
}

static void a_refresh_needs_a_token(void **state)
{
	const struct env env = {.arena = arena, .now_us = NOW_US};
	struct flow flow;
	struct step step = {0};
	(void)state;
	flow_init(&flow, arena, 0);
	platform_run(&a, OPERATION_REFRESH, &env, &flow, NULL, &step);
	assert_int_equal(step.kind, STEP_FAIL);
	assert_int_equal(step.failure.class, FAILURE_REAUTH);
}

static void answers_are_read(void **state)
{
	static const struct {
		const char *name;
		const struct platform *platform;
		enum operation operation;
		int status;
		const char *body;
		enum step_kind kind;
		enum failure_class class;
		enum connection_error error;
	} rows[] = {
		{"verify: the error that proves", &a, OPERATION_VERIFY, 400,
		 "{\"error\":\"invalid_grant\"}", STEP_DONE, 0, 0},
		{"verify: it proves nothing here", &b, OPERATION_VERIFY, 400,
		 "{\"error\":\"invalid_grant\"}", STEP_FAIL, FAILURE_TRANSIENT, 0},
		{"verify: a token", &b, OPERATION_VERIFY, 200, "{\"access_token\":\"t\"}",
		 STEP_DONE, 0, 0},
		{"verify: a bad app", &a, OPERATION_VERIFY, 401, "{\"error\":\"invalid_client\"}",
		 STEP_FAIL, FAILURE_APP, 0},
		{"connect: tokens", &a, OPERATION_CONNECT, 200, "{\"access_token\":\"t\"}",
		 STEP_DONE, 0, 0},
		{"connect: refused", &a, OPERATION_CONNECT, 400, "{\"error\":\"no\"}", STEP_FAIL,
		 FAILURE_PERMANENT, CONNECTION_ERROR_EXCHANGE_FAILED},
		{"connect: unreadable", &a, OPERATION_CONNECT, 400, "no", STEP_FAIL,
		 FAILURE_TRANSIENT, CONNECTION_ERROR_PLATFORM_ERROR},
		{"refresh: tokens", &a, OPERATION_REFRESH, 200, "{\"access_token\":\"t\"}",
		 STEP_DONE, 0, 0},
		{"refresh: refused", &a, OPERATION_REFRESH, 400, "{\"error\":\"no\"}", STEP_FAIL,
		 FAILURE_REAUTH, 0},
		{"refresh: a fault there, whatever it says", &a, OPERATION_REFRESH, 500,
		 "{\"access_token\":\"t\"}", STEP_FAIL, FAILURE_TRANSIENT,
		 CONNECTION_ERROR_PLATFORM_ERROR},
		{"refresh: no tokens", &a, OPERATION_REFRESH, 200, "{}", STEP_FAIL,
		 FAILURE_TRANSIENT, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct reply reply = {.outcome = REPLY_ANSWERED,
				      .status = rows[i].status,
				      .body = str_of(rows[i].body)};
		json_parse(arena, reply.body, NULL, &reply.json, NULL, NULL);
		const struct step step = run(rows[i].platform, rows[i].operation, &reply);
		if (step.kind != rows[i].kind)
			fail_msg("%s: step %d", rows[i].name, step.kind);
		if (step.kind == STEP_FAIL && (step.failure.class != rows[i].class ||
					       step.failure.connection_error != rows[i].error))
			fail_msg("%s: class %d, error %d", rows[i].name, step.failure.class,
				 step.failure.connection_error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_row_decides_what_is_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(a_refresh_needs_a_token, setup, teardown),
		cmocka_unit_test_setup_teardown(answers_are_read, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
