/* SPDX-License-Identifier: Apache-2.0
 * Endpoint 1: the order of its checks, its limits, and that nothing but the header is read. */
#include "count_of.h"

#include "store_admin.h"

#include "api_fixture.h"

#define PATH "/v1/oauth/token"
#define FORM "application/x-www-form-urlencoded"
#define GRANT "grant_type=client_credentials"

static const char *basic(struct fixture *fx, struct str client_id, const char *secret)
{
	struct str pair = str_format(fx->arena, STR_FMT ":%s", STR_ARG(client_id), secret);
	return str_z(fx->arena,
		     str_concat(fx->arena, STR("Basic "), base64_encode(fx->arena, pair)));
}

static struct http_response *ask(struct fixture *fx, const char *authorization, const char *body)
{
	return answer(fx, &(struct sent){.method = "POST",
					 .target = PATH,
					 .authorization = authorization,
					 .type = FORM,
					 .body = body,
					 .address = "192.0.2.1"});
}

static struct http_response *ask_rightly(struct fixture *fx)
{
	return ask(fx, basic(fx, fx->app.client_id, "phs_secret"), GRANT);
}

static const struct json *assert_token_error(const struct http_response *response, int status,
					     const char *code)
{
	const struct json *body = assert_error(response, status, code);
	struct str message = json_string(json_get(body, "message"));
	assert_text(body, "error_description", str_z(response->arena, message));
	return body;
}

static void a_right_request_is_given_a_token(void **state)
{
	struct fixture *fx = *state;
	const struct http_response *response = ask_rightly(fx);
	assert_status(response, 200);
	const struct json *body = body_of(response);
	struct str token = json_string(json_get(body, "access_token"));
	assert_string_equal(names_of(fx->arena, body), "access_token token_type expires_in");
	assert_true(token.len == 47 && str_has_prefix(token, STR("pht_")));
	assert_text(body, "token_type", "Bearer");
	assert_int_equal(json_int(json_get(body, "expires_in"), 0), 31536000);
	assert_true(str_equal_z(header_of(response, "Cache-Control"), "no-store"));
	assert_error(get(fx, "/v1/posts"), 401, "UNAUTHENTICATED"); /* the previous one is dead */
	fx->bearer = bearer_of(fx, token);
	assert_status(get(fx, "/v1/posts"), 200);
}

static void headers_that_are_none(void **state)
{
	static const char *const values[] = {NO_TOKEN,      "Basic", "Basic ",
					     "Bearer YTpi", "YTpi",  "Digest a=b"};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		assert_token_error(ask(fx, values[i], GRANT), 400, "invalid_authorization_header");
	const char *right = basic(fx, fx->app.client_id, "phs_secret");
	const struct sent twice = {.method = "POST",
				   .target = PATH,
				   .authorization = right,
				   .type = FORM,
				   .body = GRANT,
				   .more = {{STR("Authorization"), str_of(right)}}};
	assert_token_error(answer(fx, &twice), 400, "invalid_authorization_header");
}

static void formats_that_are_none(void **state)
{
	static const char *const values[] = {
		"Basic !!!!", "Basic YWI=",     "Basic Og==", "Basic OnM=",
		"Basic aTo=", "Basic //46Yg==", "Basic YT pi"};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		assert_token_error(ask(fx, values[i], GRANT), 400, "invalid_authorization_format");
}

/* Every check hides those behind it (api-decisions.md 2). */
static void the_order_of_the_checks(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const char *right = basic(fx, fx->app.client_id, "phs_secret");
	assert_token_error(ask(fx, basic(fx, STR("phc_none"), "x"), ""), 401, "invalid_client_id");
	assert_token_error(ask(fx, basic(fx, fx->app.client_id, "x"), ""), 401,
			   "invalid_client_secret");
	assert_token_error(ask(fx, basic(fx, fx->app.client_id, "phs_secret:"), ""), 401,
			   "invalid_client_secret");
	const struct json *body = assert_token_error(ask(fx, right, ""), 422, "VALIDATION_ERROR");
	assert_string_equal(names_of(fx->arena, json_get(body, "errors")), "grant_type");
	ok(store_app_set_state(fx->store, fx->app.id, APP_DRAFT, &err), &err);
	assert_token_error(ask(fx, right, ""), 409, "app_not_live");
	ok(store_admin_remove(fx->store, STR("owner@example.com"), STR(""), false, &err), &err);
	assert_token_error(ask(fx, right, ""), 404, "admin_not_found");
	ok(store_app_set_state(fx->store, fx->app.id, APP_SUSPENDED, &err), &err);
	assert_token_error(ask(fx, right, ""), 403, "app_not_active");
}

static void grants_that_are_none(void **state)
{
	static const char *const bodies[] = {"",
					     "grant_type=",
					     "grant_type=password",
					     "grant_type=Client_Credentials",
					     "grant_type=client_credentials%20",
					     GRANT "&" GRANT,
					     "grant_type=%zz",
					     "scope=x"};
	struct fixture *fx = *state;
	const char *right = basic(fx, fx->app.client_id, "phs_secret");
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_fields(ask(fx, right, bodies[i]), 422, "VALIDATION_ERROR", "grant_type");
	assert_status(get(fx, "/v1/posts"), 200); /* a refused request leaves the token */
}

static void credentials_elsewhere_are_not_read(void **state)
{
	struct fixture *fx = *state;
	struct str body =
		str_format(fx->arena, GRANT "&client_id=" STR_FMT "&client_secret=phs_secret",
			   STR_ARG(fx->app.client_id));
	struct str target = str_format(fx->arena, PATH "?" STR_FMT, STR_ARG(body));
	assert_token_error(ask(fx, NO_TOKEN, str_z(fx->arena, body)), 400,
			   "invalid_authorization_header");
	const struct sent in_query = {.method = "POST",
				      .target = str_z(fx->arena, target),
				      .authorization = NO_TOKEN,
				      .type = FORM};
	assert_token_error(answer(fx, &in_query), 400, "invalid_authorization_header");
}

static void other_media_types_are_refused(void **state)
{
	struct fixture *fx = *state;
	struct sent call = {.method = "POST",
			    .target = PATH,
			    .authorization = basic(fx, fx->app.client_id, "phs_secret"),
			    .body = GRANT};
	assert_token_error(answer(fx, &call), 415, "UNSUPPORTED_MEDIA_TYPE");
	call.type = "application/json";
	assert_token_error(answer(fx, &call), 415, "UNSUPPORTED_MEDIA_TYPE");
	call.type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8";
	assert_status(answer(fx, &call), 200);
}

/* What the frame answers for this endpoint has the words that standard OAuth clients show, too. */
static void the_frames_own_answers_are_described_too(void **state)
{
	struct fixture *fx = *state;
	const char *const paths[] = {PATH, "/api" PATH};
	for (size_t i = 0; i < 2; i++) {
		const struct http_response *response =
			answer(fx, &(struct sent){.method = "GET", .target = paths[i]});
		assert_token_error(response, 405, "METHOD_NOT_ALLOWED");
		assert_true(str_equal_z(header_of(response, "Allow"), "POST"));
	}
	struct http_request request = {.arena = fx->arena, .path = STR(PATH)};
	struct http_response response;
	http_response_init(&response, fx->arena, 4096);
	http_router_fault(api_router(fx->api), HTTP_FAULT_BODY_TOO_LARGE, STR(""), &request,
			  &response);
	assert_text(body_of(&response), "error_description", "The body is too large.");
}

static void limited_start(struct fixture *fx)
{
	fx->config.token_failure_limit_per_minute = 3;
	fixture_restart_api(fx);
}

static void failures_of_a_client_id_are_limited(void **state)
{
	struct fixture *fx = *state;
	limited_start(fx);
	struct sent call = {.method = "POST",
			    .target = PATH,
			    .authorization = basic(fx, fx->app.client_id, "x"),
			    .type = FORM,
			    .body = GRANT};
	for (int i = 0; i < 3; i++) {
		call.address = str_z(fx->arena, str_format(fx->arena, "192.0.2.%d", i));
		assert_token_error(answer(fx, &call), 401, "invalid_client_secret");
	}
	const struct http_response *response = answer(fx, &call);
	assert_token_error(response, 429, "RATE_LIMITED");
	assert_true(str_equal_z(header_of(response, "Retry-After"), "60"));
	fx->boot_us += US_PER_MINUTE;
	assert_token_error(answer(fx, &call), 401, "invalid_client_secret");
}

static void failures_of_an_address_are_limited(void **state)
{
	struct fixture *fx = *state;
	limited_start(fx);
	for (int i = 0; i < 3; i++)
		assert_token_error(ask(fx, "Basic !", GRANT), 400, "invalid_authorization_format");
	assert_token_error(ask(fx, basic(fx, STR("phc_new"), "x"), GRANT), 429, "RATE_LIMITED");
	fx->boot_us += US_PER_MINUTE;
	assert_token_error(ask(fx, basic(fx, STR("phc_new"), "x"), GRANT), 401,
			   "invalid_client_id");
}

/* An IPv6 client has a whole network of addresses. */
static void failures_of_an_ipv6_network_are_limited(void **state)
{
	struct fixture *fx = *state;
	limited_start(fx);
	struct sent call = {.method = "POST",
			    .target = PATH,
			    .authorization = "Basic !",
			    .type = FORM,
			    .body = GRANT};
	for (int i = 0; i < 3; i++) {
		call.address = str_z(fx->arena, str_format(fx->arena, "2001:db8::%d", i + 1));
		assert_status(answer(fx, &call), 400);
	}
	call.address = "2001:db8::9:9:9:9";
	assert_status(answer(fx, &call), 429);
	call.address = "2001:db8:0:1::9";
	assert_status(answer(fx, &call), 400);
}

/* Whatever others do: from the same address, and with the same client id. */
static void the_right_secret_always_passes(void **state)
{
	struct fixture *fx = *state;
	limited_start(fx);
	for (int i = 0; i < 6; i++)
		ask(fx, basic(fx, fx->app.client_id, "x"), GRANT);
	assert_token_error(ask(fx, basic(fx, fx->app.client_id, "x"), GRANT), 429, "RATE_LIMITED");
	assert_status(ask_rightly(fx), 200);
	/* what is right but for the grant is no failure either */
	assert_status(ask(fx, basic(fx, fx->app.client_id, "phs_secret"), ""), 422);
	assert_token_error(ask(fx, basic(fx, fx->app.client_id, "x"), GRANT), 429, "RATE_LIMITED");
}

static void other_refusals_and_successes_are_not_counted(void **state)
{
	struct fixture *fx = *state;
	limited_start(fx);
	for (int i = 0; i < 5; i++) {
		assert_status(ask_rightly(fx), 200);
		assert_status(ask(fx, basic(fx, fx->app.client_id, "phs_secret"), ""), 422);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(a_right_request_is_given_a_token),
		API_TEST(headers_that_are_none),
		API_TEST(formats_that_are_none),
		API_TEST(the_order_of_the_checks),
		API_TEST(grants_that_are_none),
		API_TEST(credentials_elsewhere_are_not_read),
		API_TEST(other_media_types_are_refused),
		API_TEST(the_frames_own_answers_are_described_too),
		API_TEST(failures_of_a_client_id_are_limited),
		API_TEST(failures_of_an_address_are_limited),
		API_TEST(failures_of_an_ipv6_network_are_limited),
		API_TEST(the_right_secret_always_passes),
		API_TEST(other_refusals_and_successes_are_not_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
