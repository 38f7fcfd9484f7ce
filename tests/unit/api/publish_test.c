/* SPDX-License-Identifier: Apache-2.0
 * Endpoint 5: the order of its checks, what it says of each, and that a refused request leaves
 * nothing behind. */
#include "count_of.h"

#include "api_fixture.h"

static void an_accepted_post_is_told_and_the_engine_woken(void **state)
{
	struct fixture *fx = *state;
	struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct http_response *response = publish(fx, account.id, ",\"content\":\"hello\"");
	assert_status(response, 202);
	const struct json *body = body_of(response);
	assert_text(body, "message", "Post accepted for publishing.");
	assert_text(body, "data.status", "pending");
	assert_text(body, "data.mode", "basic");
	assert_int_equal(json_int(at(body, "data.total_accounts"), 0), 1);
	assert_true(json_is(at(body, "data.scheduled_at"), JSON_TYPE_NULL));
	assert_string_equal(names_of(fx->arena, at(body, "data.platform_posts.0")),
			    "id account_id platform_id status");
	assert_true(
		str_equal(json_string(at(body, "data.platform_posts.0.account_id")), account.id));
	assert_int_equal(json_int(at(body, "data.platform_posts.0.platform_id"), 0), 3);
	assert_null(at(body, "data.warnings"));
	assert_int_equal(fx->deliverer.wakes, 1);
	assert_int_equal(post_total(fx), 1);
}

static void a_scheduled_post(void **state)
{
	struct fixture *fx = *state;
	struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct json *body =
		body_of(publish(fx, account.id,
				",\"content\":\"later\",\"scheduled_at\":\"2027-"
				"01-16T08:00:00.250Z\",\"platforms\":{\"tiktok\":{}}"));
	assert_text(body, "message", "Post scheduled.");
	assert_text(body, "data.status", "scheduled");
	assert_text(body, "data.scheduled_at", "2027-01-16T08:00:00.25Z");
	assert_text(body, "data.platform_posts.0.status", "scheduled");
	assert_text(body, "data.warnings.0.field", "platforms.tiktok");
}

/* api-decisions.md 6: each row has what is behind its own check wrong too. */
static void the_order_of_the_checks(void **state)
{
	static const struct {
		const char *account;
		const char *more;
		const char *code;
		const char *fields;
	} rows[] = {
		{"nobody",
		 ",\"content\":7,\"media\":[{\"url\":\"nonsense\",\"type\":\"image\"}],\"scheduled_"
		 "at\":\"x\"",
		 "VALIDATION_ERROR", "content"},
		{"nobody",
		 ",\"content\":\"\",\"media\":[{\"url\":\"nonsense\",\"type\":\"image\"}],"
		 "\"scheduled_at\":\"x\"",
		 "INVALID_MEDIA", "media.0.url"},
		{"nobody", ",\"content\":\"a\",\"scheduled_at\":\"x\"", "INVALID_SCHEDULE",
		 "scheduled_at"},
		{"nobody",
		 ",\"content\":\"\",\"containers\":[{\"content\":\"a\",\"type\":\"story\"}]",
		 "INVALID_ACCOUNT", "account_ids.0"},
		{NULL,
		 ",\"containers\":[{\"content\":\"a\",\"type\":\"story\"}],\"request_id\":\"used\"",
		 "VALIDATION_ERROR", "containers.0.type"},
	};
	struct fixture *fx = *state;
	struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	assert_status(publish(fx, account.id, ",\"content\":\"first\",\"request_id\":\"used\""),
		      202);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str id = rows[i].account != NULL ? str_of(rows[i].account) : account.id;
		assert_fields(publish(fx, id, rows[i].more), 422, rows[i].code, rows[i].fields);
	}
	assert_error(publish(fx, account.id, ",\"content\":\"again\",\"request_id\":\"used\""), 409,
		     "DUPLICATE_REQUEST");
	assert_int_equal(post_total(fx), 1);
	assert_int_equal(fx->deliverer.wakes, 1);
}

static void media_refused_says_why(void **state)
{
	struct fixture *fx = *state;
	struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct json *body = assert_error(
		publish(fx, account.id,
			",\"content\":\"a\",\"media\":[{\"url\":\"nonsense\",\"type\":\"image\"}]"),
		422, "INVALID_MEDIA");
	assert_text(body, "details.reason", "bad_url");
	body = assert_fields(publish(fx, account.id,
				     ",\"content\":\"a\",\"media\":[{\"url\":\"http://private/"
				     "a.jpg\",\"type\":\"image\"}]"),
			     422, "INVALID_MEDIA", "media.0.url");
	assert_text(body, "details.reason", "private_address");
}

static void every_unusable_account_is_named_with_its_reason(void **state)
{
	struct fixture *fx = *state;
	struct app_row other;
	make_app(fx, "other@example.com", &other);
	const struct account_row good = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row expiring = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row reauth = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row gone = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row foreign = make_account(fx, &other, PLATFORM_X);
	set_account_state(fx, expiring.id, ACCOUNT_EXPIRING);
	set_account_state(fx, reauth.id, ACCOUNT_REAUTH_REQUIRED);
	set_account_state(fx, gone.id, ACCOUNT_DISCONNECTED);
	struct str ids = str_format(fx->arena,
				    STR_FMT "\",\"" STR_FMT "\",\"" STR_FMT "\",\"" STR_FMT
					    "\",\"" STR_FMT "\",\"none",
				    STR_ARG(good.id), STR_ARG(expiring.id), STR_ARG(reauth.id),
				    STR_ARG(gone.id), STR_ARG(foreign.id));
	const struct json *body =
		assert_fields(publish(fx, ids, ",\"content\":\"a\""), 422, "INVALID_ACCOUNT",
			      "account_ids.2 account_ids.3 account_ids.4 account_ids.5");
	static const char *const reasons[] = {"reauth_required", "disconnected", "unknown",
					      "unknown"};
	const struct json *accounts = at(body, "details.accounts");
	assert_int_equal(accounts->count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(names_of(fx->arena, json_at(accounts, i)), "id reason");
		assert_text(json_at(accounts, i), "reason", reasons[i]);
	}
	assert_true(str_equal(json_string(at(body, "details.accounts.0.id")), reauth.id));
	assert_int_equal(post_total(fx), 0);
}

static void a_rule_broken_for_two_accounts_names_both(void **state)
{
	struct fixture *fx = *state;
	const struct account_row one = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row two = make_account(fx, &fx->app, PLATFORM_X);
	struct str ids =
		str_format(fx->arena, STR_FMT "\",\"" STR_FMT, STR_ARG(one.id), STR_ARG(two.id));
	const struct json *body = assert_fields(
		publish(fx, ids, ",\"containers\":[{\"content\":\"a\",\"type\":\"story\"}]"), 422,
		"VALIDATION_ERROR", "containers.0.type");
	assert_true(str_equal(json_string(at(body, "details.rules.0.account_id")), one.id));
	assert_true(str_equal(json_string(at(body, "details.rules.1.account_id")), two.id));
	assert_text(body, "details.rules.1.rule", "type_not_supported");
	assert_int_equal(post_total(fx), 0);
}

static void a_used_request_id_names_the_first_post(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct http_response *first =
		publish(fx, account.id, ",\"content\":\"a\",\"request_id\":\"r1\"");
	assert_status(first, 202);
	const struct http_response *second =
		publish(fx, account.id, ",\"content\":\"b\",\"request_id\":\"r1\"");
	const struct json *body = assert_error(second, 409, "DUPLICATE_REQUEST");
	assert_true(str_equal(json_string(at(body, "details.post_id")),
			      json_string(at(body_of(first), "data.post_id"))));
	assert_text(body, "details.status", "pending");
	assert_int_equal(post_total(fx), 1);
}

static struct http_response *publish_with_key(struct fixture *fx, struct str account_id,
					      const char *key, const char *more)
{
	struct str body =
		str_format(fx->arena, "{\"account_ids\":[\"" STR_FMT "\"],\"content\":\"a\"%s}",
			   STR_ARG(account_id), more);
	return answer(fx, &(struct sent){.method = "POST",
					 .target = "/v1/posts/publish",
					 .type = "application/json",
					 .body = str_z(fx->arena, body),
					 .more = {{STR("idempotency-key"), str_of(key)}}});
}

static bool is_replayed(const struct http_response *response)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_z(response->headers[i].name, "Idempotency-Replayed"))
			return true;
	}
	return false;
}

static void an_idempotency_key_replays_the_answer(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	struct http_response *first = publish_with_key(fx, account.id, "k1", "");
	assert_status(first, 202);
	assert_false(is_replayed(first));
	struct http_response *again = publish_with_key(fx, account.id, "k1", "");
	assert_status(again, 202);
	assert_true(is_replayed(again));
	assert_true(str_equal(buf_str(&again->body), buf_str(&first->body)));
	assert_error(publish_with_key(fx, account.id, "k1", " "), 422, "IDEMPOTENCY_KEY_REUSED");
	assert_int_equal(post_total(fx), 1);
	/* a request_id rules, and is a name of another space */
	assert_status(publish_with_key(fx, account.id, "k1", ",\"request_id\":\"k1\""), 202);
	assert_error(publish_with_key(fx, account.id, "k1", ",\"request_id\":\"k1\""), 409,
		     "DUPLICATE_REQUEST");
	assert_fields(publish_with_key(fx, account.id, "a b", ""), 422, "VALIDATION_ERROR",
		      "Idempotency-Key");
	assert_fields(publish_with_key(fx, account.id, "", ""), 422, "VALIDATION_ERROR",
		      "Idempotency-Key");
	struct str body =
		str_format(fx->arena, "{\"account_ids\":[\"" STR_FMT "\"],\"content\":\"a\"}",
			   STR_ARG(account.id));
	const struct sent two = {
		.method = "POST",
		.target = "/v1/posts/publish",
		.type = "application/json",
		.body = str_z(fx->arena, body),
		.more = {{STR("Idempotency-Key"), STR("a")}, {STR("Idempotency-Key"), STR("b")}}};
	assert_fields(answer(fx, &two), 422, "VALIDATION_ERROR", "Idempotency-Key");
}

static void lose_account(struct fixture *fx)
{
	set_account_state(fx, fx->lost_account, ACCOUNT_REAUTH_REQUIRED);
}

/* Between our look at the accounts and the transaction that writes the post. */
static void an_account_lost_in_the_last_moment_is_named_with_its_reason(void **state)
{
	struct fixture *fx = *state;
	fx->lost_account = make_account(fx, &fx->app, PLATFORM_X).id;
	struct str body =
		str_format(fx->arena, "{\"account_ids\":[\"" STR_FMT "\"],\"content\":\"a\"}",
			   STR_ARG(fx->lost_account));
	const struct sent sent = {.method = "POST",
				  .target = "/v1/posts/publish",
				  .type = "application/json",
				  .body = str_z(fx->arena, body),
				  .more = {{STR("X-Request-Id"), STR("mine")}}};
	fx->on_fill = lose_account;
	const struct json *answered =
		assert_fields(answer(fx, &sent), 422, "INVALID_ACCOUNT", "account_ids.0");
	assert_null(fx->on_fill);
	assert_text(answered, "details.accounts.0.reason", "reauth_required");
	assert_int_equal(post_total(fx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(an_accepted_post_is_told_and_the_engine_woken),
		API_TEST(a_scheduled_post),
		API_TEST(the_order_of_the_checks),
		API_TEST(media_refused_says_why),
		API_TEST(every_unusable_account_is_named_with_its_reason),
		API_TEST(a_rule_broken_for_two_accounts_names_both),
		API_TEST(a_used_request_id_names_the_first_post),
		API_TEST(an_account_lost_in_the_last_moment_is_named_with_its_reason),
		API_TEST(an_idempotency_key_replays_the_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
