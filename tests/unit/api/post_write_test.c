/* SPDX-License-Identifier: Apache-2.0
 * A post as answers show it, row by row from what the store gives. */
#include "count_of.h"

#include "api_fixture.h"

static struct delivery_row delivery_in(enum post_state state)
{
	return (struct delivery_row){.id = STR("d"),
				     .account_id = STR("a"),
				     .platform = PLATFORM_X,
				     .handle = STR("anna"),
				     .state = state};
}

static const struct json *written(struct fixture *fx, const struct post_row *post, bool is_full)
{
	struct buf out;
	struct json_writer w;
	const struct json *json = NULL;
	struct error err = {0};
	buf_init(&out, fx->arena, 1 << 20);
	json_writer_init(&w, &out);
	const struct post_view view = {fx->arena, is_full ? fx->api : NULL};
	post_write(&w, &view, post);
	ok(json_parse(fx->arena, buf_str(&out), NULL, &json, NULL, &err), &err);
	return json;
}

static struct str content_of(struct fixture *fx)
{
	struct container container = {.content = STR("hi")};
	const struct post_content content = {.containers = &container, .container_count = 1};
	struct buf out;
	struct json_writer w;
	buf_init(&out, fx->arena, 4096);
	json_writer_init(&w, &out);
	post_content_write(&w, &content);
	return buf_str(&out);
}

static struct post_row post_of(struct fixture *fx, struct delivery_row *deliveries, size_t count,
			       enum post_state state)
{
	return (struct post_row){
		.id = STR("p"),
		.request_id = STR("r"),
		.external_user_id = STR("u"),
		.state = state,
		.created_at_us = NOW,
		.content = content_of(fx),
		.deliveries = deliveries,
		.delivery_count = count,
	};
}

static void the_lists_element(void **state)
{
	struct fixture *fx = *state;
	struct delivery_row delivery = delivery_in(POST_RETRYING);
	struct post_row post = post_of(fx, &delivery, 1, POST_RETRYING);
	const struct json *json = written(fx, &post, false);
	assert_string_equal(names_of(fx->arena, json),
			    "id request_id external_user_id status state outcome mode scheduled_at "
			    "max_lateness "
			    "created_at containers overrides platform_posts tags");
	/* work under way shows as pending (api-decisions.md 7) */
	assert_text(json, "status", "pending");
	assert_text(json, "state", "retrying");
	assert_text(json, "outcome", "none");
	assert_text(json, "created_at", "2027-01-15T08:00:00Z");
	assert_true(json_is(json_get(json, "scheduled_at"), JSON_TYPE_NULL));
	assert_text(json, "containers.0.content", "hi");
	assert_int_equal(json_get(json, "tags")->count, 0);
	assert_string_equal(names_of(fx->arena, at(json, "platform_posts.0")),
			    "id account_id platform platform_id handle status outcome visibility "
			    "warnings scheduled_at platform_post_id url error removal");
	assert_text(json, "platform_posts.0.platform", "x");
	assert_text(json, "platform_posts.0.status", "pending");
	assert_true(json_is(at(json, "platform_posts.0.error"), JSON_TYPE_NULL));
}

static void what_is_out_says_what_it_lacks(void **state)
{
	struct fixture *fx = *state;
	struct delivery_row delivery = delivery_in(POST_PUBLISHED);
	delivery.parts = STR("[{\"state\":\"published\"}]");
	delivery.visibility = STR("private");
	delivery.warnings = STR("[{\"field\":\"f\",\"code\":\"visibility_restricted\","
				"\"message\":\"m\",\"repeatable\":false}]");
	struct post_row post = post_of(fx, &delivery, 1, POST_PUBLISHED);
	const struct json *json = written(fx, &post, false);
	assert_text(json, "outcome", "partial");
	assert_text(json, "platform_posts.0.outcome", "partial");
	assert_text(json, "platform_posts.0.visibility", "private");
	assert_text(json, "platform_posts.0.warnings.0.code", "visibility_restricted");
	assert_string_equal(names_of(fx->arena, at(json, "platform_posts.0.warnings.0")),
			    "field code message");
	delivery.state = POST_PROCESSING; /* a person's retry goes on */
	assert_int_equal(at(written(fx, &post, false), "platform_posts.0.warnings")->count, 0);
}

static void one_posts_own_page(void **state)
{
	struct fixture *fx = *state;
	struct delivery_row delivery = delivery_in(POST_RETRYING);
	delivery.error_code = STR("RATE_LIMITED");
	delivery.error_message = STR("Slow down.");
	delivery.platform_code = STR("429");
	delivery.error_is_transient = true;
	delivery.attempts = 2;
	delivery.standing.due_at_us = NOW + US_PER_S;
	delivery.parts = STR("[{\"state\":\"pending\"}]");
	struct post_row post = post_of(fx, &delivery, 1, POST_RETRYING);
	const struct json *json = written(fx, &post, true);
	assert_text(json, "status", "retrying"); /* one of the six */
	const struct json *target = at(json, "platform_posts.0");
	assert_text(target, "status", "pending"); /* one of the four */
	assert_string_equal(names_of(fx->arena, json_get(target, "error")),
			    "code message platform_code platform_message transient");
	assert_text(target, "error.code", "RATE_LIMITED");
	assert_true(json_bool(at(target, "error.transient"), false));
	assert_true(json_is(at(target, "error.platform_message"), JSON_TYPE_NULL));
	assert_int_equal(json_int(json_get(target, "attempts"), 0), 2);
	assert_text(target, "next_attempt_at", "2027-01-15T08:00:01Z");
	assert_text(target, "waiting.reason", "platform_limit");
	assert_text(target, "waiting.until", "2027-01-15T08:00:01Z");
	assert_true(json_is(at(target, "waiting.ahead"), JSON_TYPE_NULL));
	assert_true(json_is(json_get(target, "published_at"), JSON_TYPE_NULL));
	assert_text(target, "parts.0.state", "pending");
}

static void outcomes(void **state)
{
	static const struct {
		enum post_state states[2];
		const char *outcome;
	} rows[] = {
		{{POST_PENDING, POST_FAILED}, "none"},
		{{POST_PUBLISHED, POST_FAILED}, "partial"},
		{{POST_PUBLISHED, POST_PUBLISHED}, "all"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct delivery_row deliveries[] = {delivery_in(rows[i].states[0]),
						    delivery_in(rows[i].states[1])};
		struct post_row post = post_of(fx, deliveries, 2, POST_FAILED);
		assert_text(written(fx, &post, false), "outcome", rows[i].outcome);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {API_TEST(the_lists_element),
					   API_TEST(what_is_out_says_what_it_lacks),
					   API_TEST(one_posts_own_page), API_TEST(outcomes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
