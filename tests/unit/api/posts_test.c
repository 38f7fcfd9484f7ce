/* SPDX-License-Identifier: Apache-2.0
 * Endpoint 6 with its filters, and one post by itself. */
#include "count_of.h"

#include "api_fixture.h"

struct list_row {
	const char *query;
	const char *fields; /* what is refused; "" = answered */
};

static const struct list_row list_rows[] = {
	{"", ""},
	{"?page=1&per_page=100", ""},
	{"?page=0", "page"},
	{"?page=-1", "page"},
	{"?page=1.5", "page"},
	{"?page=", "page"},
	{"?page=+1", "page"},
	{"?page=abc", "page"},
	{"?page=1&page=2", "page"},
	{"?page=9223372036854775807", ""},
	{"?page=9223372036854775808", "page"},
	{"?per_page=0", "per_page"},
	{"?per_page=101", "per_page"},
	{"?per_page=", "per_page"},
	{"?per_page=10&per_page=10", "per_page"},
	{"?status=pending", ""},
	{"?status=processing", "status"},
	{"?status=Pending", "status"},
	{"?status=", "status"},
	{"?status=failed&status=pending", "status"},
	{"?date_from=2026-02-28&date_to=2026-02-28", ""},
	{"?date_from=2026-02-30", "date_from"},
	{"?date_from=2026-2-3", "date_from"},
	{"?date_from=2026-02-03T00:00:00Z", "date_from"},
	{"?date_from=", "date_from"},
	{"?date_to=tomorrow", "date_to"},
	{"?date_from=2026-02-02&date_to=2026-02-01", "date_to"},
	{"?date_from=nonsense&date_to=2026-02-01", "date_from"},
	{"?date_from=2026-02-02&date_from=2026-02-03", "date_from"},
	{"?external_user_ids[]=a&external_user_ids[]=b", ""},
	{"?external_user_ids[0]=a&external_user_ids%5B1%5D=b&external_user_ids%5B%5D=c", ""},
	{"?external_user_ids=a", "external_user_ids"},
	{"?external_user_ids[x]=a", "external_user_ids"},
	{"?external_user_ids[=a", "external_user_ids"},
	{"?external_user_ids[0][id]=a", "external_user_ids"},
	{"?account_ids[]=a", ""},
	{"?account_ids=a", "account_ids"},
	{"?platform=x", ""},
	{"?platform=twitter", ""},
	{"?platform=myspace", "platform"},
	{"?platform=", "platform"},
	{"?page=%zz", "query"},
	{"?page=%ff", "query"},
	{"?unknown=1", "unknown"},
	{"?status=x&page=0&per_page=101&date_from=x", "date_from status page per_page"},
};

static void the_filters_are_checked(void **state)
{
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(list_rows); i++) {
		char target[256];
		snprintf(target, sizeof(target), "/v1/posts%s", list_rows[i].query);
		const struct http_response *response = get(fx, target);
		const char *got = names_of(fx->arena, json_get(body_of(response), "errors"));
		if (strcmp(got, list_rows[i].fields) != 0 ||
		    response->status != (got[0] != '\0' ? 422 : 200))
			fail_msg("%s: %d, errors of \"%s\", not of \"%s\"", target,
				 response->status, got, list_rows[i].fields);
	}
}

static void the_message_counts_the_errors(void **state)
{
	struct fixture *fx = *state;
	const struct json *body = assert_error(get(fx, "/v1/posts?status=x&page=0&per_page=101"),
					       422, "VALIDATION_ERROR");
	assert_text(body, "message",
		    "The status must be one of pending, scheduled, published, failed. (and 2 more "
		    "errors)");
	body = assert_error(get(fx, "/v1/posts?page=0&per_page=101"), 422, "VALIDATION_ERROR");
	assert_true(
		str_has_suffix(json_string(json_get(body, "message")), STR(" (and 1 more error)")));
}

static void at_most_100_users(void **state)
{
	struct fixture *fx = *state;
	for (int count = 100; count <= 101; count++) {
		struct buf target;
		buf_init(&target, fx->arena, 65536);
		buf_add_z(&target, "/v1/posts?");
		for (int i = 0; i < count; i++)
			buf_addf(&target, "&external_user_ids[]=u%d", i);
		const struct http_response *response = get(fx, str_z(fx->arena, buf_str(&target)));
		if (count == 100)
			assert_status(response, 200);
		else
			assert_fields(response, 422, "VALIDATION_ERROR", "external_user_ids");
	}
}

static int64_t total(struct fixture *fx, const char *query)
{
	const struct http_response *response =
		get(fx, str_z(fx->arena, str_format(fx->arena, "/v1/posts?%s", query)));
	assert_status(response, 200);
	return json_int(at(body_of(response), "meta.total"), -1);
}

static void the_filters_find_what_they_say(void **state)
{
	struct fixture *fx = *state;
	const struct account_row x = make_account(fx, &fx->app, PLATFORM_X);
	const struct account_row linkedin = make_account(fx, &fx->app, PLATFORM_LINKEDIN);
	assert_status(publish(fx, x.id, ",\"content\":\"now\""), 202);
	assert_status(publish(fx, linkedin.id,
			      ",\"content\":\"later\",\"scheduled_at\":\"2027-02-01T23:59:59Z\""),
		      202);
	static const struct {
		const char *query;
		int64_t total;
	} rows[] = {
		{"status=pending", 1},
		{"status=scheduled", 1},
		{"status=published", 0},
		{"platform=x", 1},
		{"platform=instagram", 0},
		{"date_from=2027-01-15&date_to=2027-01-15", 1},
		{"date_from=2027-02-01&date_to=2027-02-01", 1},
		{"date_from=2027-01-16", 1},
		{"date_to=2027-01-31", 1},
		{"date_from=1970-01-01", 2},
		{"date_from=0001-01-01", 2},
		{"date_to=1969-12-31", 0},
		{"date_to=0001-01-01", 0},
		{"external_user_ids[]=user-1", 2},
		{"external_user_ids[]=user-2&external_user_ids[]=user-1", 2},
		{"external_user_ids[]=user-2", 0},
		{"external_user_ids[]=user-1&status=pending&platform=x", 1},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (total(fx, rows[i].query) != rows[i].total)
			fail_msg("%s: %d, not %d", rows[i].query, (int)total(fx, rows[i].query),
				 (int)rows[i].total);
	}
}

static void the_pages(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct json *empty = body_of(get(fx, "/v1/posts"));
	assert_string_equal(names_of(fx->arena, empty), "data meta");
	assert_string_equal(names_of(fx->arena, json_get(empty, "meta")),
			    "current_page per_page total last_page");
	assert_int_equal(json_int(at(empty, "meta.per_page"), 0), 20);
	assert_int_equal(json_int(at(empty, "meta.last_page"), 0), 1);
	for (int i = 0; i < 3; i++)
		assert_status(publish(fx, account.id, ",\"content\":\"a\""), 202);
	const struct json *second = body_of(get(fx, "/v1/posts?page=2&per_page=2"));
	assert_int_equal(json_get(second, "data")->count, 1);
	assert_int_equal(json_int(at(second, "meta.last_page"), 0), 2);
	const struct json *beyond =
		body_of(get(fx, "/v1/posts?page=9223372036854775807&per_page=100"));
	assert_int_equal(json_get(beyond, "data")->count, 0);
	assert_int_equal(json_int(at(beyond, "meta.current_page"), 0), INT64_MAX);
	assert_int_equal(json_int(at(beyond, "meta.total"), 0), 3);
}

static struct str id_of_new_post(struct fixture *fx)
{
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	return json_string(
		at(body_of(publish(fx, account.id, ",\"content\":\"a\"")), "data.post_id"));
}

static void one_post_and_its_timeline(void **state)
{
	struct fixture *fx = *state;
	struct str id = id_of_new_post(fx);
	const struct json *post =
		body_of(get(fx, str_z(fx->arena, str_concat(fx->arena, STR("/v1/posts/"), id))));
	assert_true(str_equal(json_string(at(post, "data.id")), id));
	struct str target =
		str_format(fx->arena, "/api/v1/posts/" STR_FMT "/timeline", STR_ARG(id));
	const struct json *timeline = body_of(get(fx, str_z(fx->arena, target)));
	assert_int_equal(json_get(timeline, "data")->count, 0);
}

static void foreign_and_unknown_posts_answer_alike(void **state)
{
	struct fixture *fx = *state;
	struct app_row other;
	const char *bearer = make_app(fx, "other@example.com", &other);
	struct str id = id_of_new_post(fx);
	static const char *const rests[] = {"", "/timeline"};
	for (size_t i = 0; i < 2; i++) {
		struct str target =
			str_format(fx->arena, "/v1/posts/" STR_FMT "%s", STR_ARG(id), rests[i]);
		struct str unknown = str_format(fx->arena, "/v1/posts/none%s", rests[i]);
		const struct sent foreign = {.method = "GET",
					     .target = str_z(fx->arena, target),
					     .authorization = bearer};
		const struct http_response *a = answer(fx, &foreign);
		const struct http_response *b = get(fx, str_z(fx->arena, unknown));
		assert_error(a, 404, "NOT_FOUND");
		assert_true(str_equal(buf_str(&a->body), buf_str(&b->body)));
	}
	const struct sent foreign = {
		.method = "GET", .target = "/v1/posts", .authorization = bearer};
	assert_int_equal(json_get(body_of(answer(fx, &foreign)), "data")->count, 0);
}

/* Posts may be so large that a hundred of them fit into no answer: that is told, not answered with
 * half of them. */
static void a_page_that_is_too_large_is_refused(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_INSTAGRAM);
	struct buf body;
	buf_init(&body, fx->arena, 8 << 20);
	buf_addf(&body, "{\"account_ids\":[\"" STR_FMT "\"],\"content\":\"a\",\"media\":[",
		 STR_ARG(account.id));
	buf_add_z(&body,
		  "{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\",\"mime_type\":\"");
	for (int i = 0; i < 990000; i++)
		buf_add_char(&body, 'x');
	buf_add_z(&body, "\"}]}");
	for (int i = 0; i < 40; i++)
		assert_status(post_json(fx, "/v1/posts/publish", str_z(fx->arena, buf_str(&body))),
			      202);
	assert_fields(get(fx, "/v1/posts?per_page=100"), 422, "VALIDATION_ERROR", "per_page");
	const struct http_response *one = get(fx, "/v1/posts?per_page=1");
	assert_status(one, 200);
	assert_int_equal(at(body_of(one), "data.0.containers.0.media")->count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(the_filters_are_checked),
		API_TEST(the_message_counts_the_errors),
		API_TEST(at_most_100_users),
		API_TEST(the_filters_find_what_they_say),
		API_TEST(the_pages),
		API_TEST(one_post_and_its_timeline),
		API_TEST(foreign_and_unknown_posts_answer_alike),
		API_TEST(a_page_that_is_too_large_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
