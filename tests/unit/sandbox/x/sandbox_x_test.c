/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's posts: what it takes, what it refuses, how a lost answer is looked up
 * (x.md 2 to 5). */
#include "count_of.h"

#include "x_flow.h"

#define TIMELINE "/api.x.com/2/users/1790000000000000123/tweets"

static struct str posted_id(const struct probe_answer *answer)
{
	return json_string(json_get(json_get(answer->json, "data"), "id"));
}

static void create_shortens_links_for_readers_of_the_api(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer made =
		x_post(probe, token,
		       "{\"text\":\"r\\u00e9sum\\u00e9 https://example.com/a?b=1&c=2 & <more>\"}");
	assert_status(made, 201);
	assert_int_equal(posted_id(&made).len, 19);
	const struct str text = json_string(json_get(json_get(made.json, "data"), "text"));
	assert_true(str_has_prefix(text, STR("r\xc3\xa9sum\xc3\xa9 https://t.co/")));
	assert_true(str_has_suffix(text, STR(" &amp; &lt;more&gt;")));
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "text")),
		   "r\xc3\xa9sum\xc3\xa9 https://example.com/a?b=1&c=2 & <more>");
	assert_true(str_equal(json_string(json_get(posts[0], "url")),
			      str_format(probe->arena, "https://x.com/jodoe/status/" STR_FMT,
					 STR_ARG(posted_id(&made)))));
	const struct probe_answer list = x_get(
		probe, token, TIMELINE "?max_results=5&tweet.fields=created_at,text,entities");
	const struct json *seen = json_at(json_get(list.json, "data"), 0);
	assert_true(str_equal(json_string(json_get(seen, "id")), posted_id(&made)));
	assert_str(json_string(json_get(seen, "created_at")), "2026-11-21T05:46:40.000Z");
	const struct json *url = json_at(json_get(json_get(seen, "entities"), "urls"), 0);
	assert_str(json_string(json_get(url, "expanded_url")), "https://example.com/a?b=1&c=2");
	assert_int_equal(json_int(json_get(url, "start"), -1), 7);
	assert_int_equal(json_int(json_get(url, "end"), -1), 7 + 23);
	assert_int_equal(json_int(json_get(json_get(list.json, "meta"), "result_count"), 0), 1);
}

static void refusals(void **state)
{
	static const struct {
		const char *name;
		const char *body; /* NULL = long_text */
		long status;
		const char *has;
	} rows[] = {
		{"281 letters", NULL, 403, "not permitted to perform this action"},
		{"nothing", "{}", 400, "invalid-request"},
		{"no JSON", "text=hello", 400, "invalid-request"},
		{"broken JSON", "{\"text\":", 400, "invalid-request"},
		{"unknown member", "{\"text\":\"a\",\"colour\":\"red\"}", 400, "colour"},
		{"two cashtags", "{\"text\":\"$ABC $DEF\"}", 403, "maximum of one cashtag"},
		{"unknown media", "{\"text\":\"a\",\"media\":{\"media_ids\":[\"1\"]}}", 400,
		 "Your media IDs are invalid."},
		{"no media", "{\"text\":\"a\",\"media\":{\"media_ids\":[]}}", 400,
		 "Your media IDs are invalid."},
		{"five media", "{\"media\":{\"media_ids\":[\"1\",\"2\",\"3\",\"4\",\"5\"]}}", 403,
		 "maximum of 4 items"},
		{"media and poll", "{\"text\":\"a\",\"media\":{\"media_ids\":[\"1\"]},\"poll\":{}}",
		 400, "only provide one of"},
		{"poll with one option",
		 "{\"text\":\"a\",\"poll\":{\"options\":[\"x\"],\"duration_minutes\":5}}", 400,
		 "poll"},
		{"reply_settings everyone", "{\"text\":\"a\",\"reply_settings\":\"everyone\"}", 400,
		 "reply_settings"},
		{"quote", "{\"text\":\"a\",\"quote_tweet_id\":\"1\"}", 403,
		 "not permitted to access this feature"},
		{"reply to a stranger",
		 "{\"text\":\"a\",\"reply\":{\"in_reply_to_tweet_id\":\"1234567890\"}}", 403,
		 "mentioned or are the author"},
		{"reply to no id", "{\"text\":\"a\",\"reply\":{\"in_reply_to_tweet_id\":\"x\"}}",
		 400, "in_reply_to_tweet_id"},
	};
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	char long_text[400] = "{\"text\":\"";
	memset(long_text + 9, 'a', 281);
	memcpy(long_text + 9 + 281, "\"}", 3);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			x_post(probe, token, rows[i].body != NULL ? rows[i].body : long_text);
		if (answer.status != rows[i].status ||
		    str_find(answer.body, str_of(rows[i].has), 0) == SIZE_MAX)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	memcpy(long_text + 9 + 280, "\"}", 3);
	assert_status(x_post(probe, token, long_text), 201);
}

static void duplicates_are_forbidden_for_a_day(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	assert_status(x_post(probe, token, "{\"text\":\"same\"}"), 201);
	const struct probe_answer second = x_post(probe, token, "{\"text\":\"same\"}");
	assert_status(second, 403);
	assert_str(probe_json_string(&second, "detail"),
		   "You are not allowed to create a Tweet with duplicate content.");
	assert_str(probe_json_string(&second, "type"), "about:blank");
	probe_advance(probe, US_PER_DAY);
	assert_status(x_post(probe, x_login(probe), "{\"text\":\"same\"}"), 201);
}

static void threads_hang_together(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer first = x_post(probe, token, "{\"text\":\"1\"}");
	const char *reply = probe_z(
		probe,
		str_format(probe->arena,
			   "{\"text\":\"2\",\"reply\":{\"in_reply_to_tweet_id\":\"" STR_FMT "\"}}",
			   STR_ARG(posted_id(&first))));
	const struct probe_answer second = x_post(probe, token, reply);
	assert_status(second, 201);
	int64_t ids[2];
	assert_true(str_parse_i64(posted_id(&first), &ids[0]) &&
		    str_parse_i64(posted_id(&second), &ids[1]));
	assert_true(ids[1] > ids[0]);
	const char *path = probe_z(probe, str_format(probe->arena,
						     "/api.x.com/2/tweets/" STR_FMT
						     "?tweet.fields=referenced_tweets",
						     STR_ARG(posted_id(&second))));
	const struct probe_answer read = x_get(probe, token, path);
	const struct json *reference =
		json_at(json_get(json_get(read.json, "data"), "referenced_tweets"), 0);
	assert_str(json_string(json_get(reference, "type")), "replied_to");
	assert_true(str_equal(json_string(json_get(reference, "id")), posted_id(&first)));
}

static void timeline_pages_and_windows(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	for (int i = 0; i < 7; i++) {
		x_post(probe, token,
		       probe_z(probe, str_format(probe->arena, "{\"text\":\"post %d\"}", i)));
		probe_advance(probe, US_PER_S);
	}
	const struct probe_answer first = x_get(probe, token, TIMELINE "?max_results=5");
	assert_int_equal(json_get(first.json, "data")->count, 5);
	assert_str(json_string(json_get(json_at(json_get(first.json, "data"), 0), "text")),
		   "post 6");
	const struct str next = json_string(json_get(json_get(first.json, "meta"), "next_token"));
	const struct probe_answer second =
		x_get(probe, token,
		      probe_z(probe, str_format(probe->arena,
						TIMELINE "?max_results=5&pagination_token=" STR_FMT,
						STR_ARG(next))));
	assert_int_equal(json_get(second.json, "data")->count, 2);
	assert_null(json_get(json_get(second.json, "meta"), "next_token"));
	const struct probe_answer late =
		x_get(probe, token, TIMELINE "?max_results=5&start_time=2026-11-21T05:46:45Z");
	assert_int_equal(json_get(late.json, "data")->count, 2);
	const struct probe_answer none =
		x_get(probe, token, TIMELINE "?start_time=2027-01-01T00:00:00Z");
	assert_str(none.body, "{\"meta\":{\"result_count\":0}}");
	assert_status(x_get(probe, token, TIMELINE "?max_results=4"), 400);
	assert_status(x_get(probe, token, TIMELINE "?start_time=yesterday"), 400);
	assert_status(x_get(probe, token, "/api.x.com/2/users/1/tweets"), 404);
}

static void lookups_and_deletion(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer made = x_post(probe, token, "{\"text\":\"here\"}");
	const struct str id = posted_id(&made);
	const char *one = probe_z(
		probe, str_format(probe->arena, "/api.x.com/2/tweets/" STR_FMT, STR_ARG(id)));
	const char *many =
		probe_z(probe, str_format(probe->arena, "/api.x.com/2/tweets?ids=" STR_FMT ",12345",
					  STR_ARG(id)));
	assert_status(x_get(probe, token, one), 200);
	const struct probe_answer both = x_get(probe, token, many);
	assert_int_equal(json_get(both.json, "data")->count, 1);
	assert_int_equal(json_get(both.json, "errors")->count, 1);
	const struct probe_answer gone = probe_ask(
		probe, (struct probe_request){.method = "DELETE", .path = one, .bearer = token});
	assert_str(gone.body, "{\"data\":{\"deleted\":true}}");
	const struct probe_answer missing = x_get(probe, token, one);
	assert_status(missing, 404);
	assert_true(str_has_suffix(probe_json_string(&missing, "type"), STR("resource-not-found")));
	/* A deleted text may be posted again, and a deleted post may not be answered. */
	assert_status(x_post(probe, token, "{\"text\":\"here\"}"), 201);
	assert_status(x_post(probe, token,
			     probe_z(probe, str_format(probe->arena,
						       "{\"text\":\"b\",\"reply\":{\"in_reply_to_"
						       "tweet_id\":\"" STR_FMT "\"}}",
						       STR_ARG(id)))),
		      400);
}

static void rate_window_closes_and_opens(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	for (int i = 0; i < 75; i++)
		assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
	const struct probe_answer limited = x_get(probe, token, "/api.x.com/2/users/me");
	assert_status(limited, 429);
	int64_t reset;
	assert_true(str_parse_i64(probe_header(&limited, "x-rate-limit-reset"), &reset));
	assert_int_equal(reset, PROBE_START_US / US_PER_S + 900);
	assert_status(x_post(probe, token, "{\"text\":\"another window\"}"), 201);
	probe_advance(probe, 15 * US_PER_MINUTE);
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
}

static void scopes_are_needed(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		x_exchange(probe, x_code(probe, "tweet.read users.read"), X_CALLBACK, X_VERIFIER);
	const struct str token = probe_json_string(&answer, "access_token");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
	assert_status(x_post(probe, token, "{\"text\":\"a\"}"), 403);
	assert_status(x_post(probe, STR("junk"), "{\"text\":\"a\"}"), 401);
	assert_status(x_post(probe, (struct str){0}, "{\"text\":\"a\"}"), 401);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_shortens_links_for_readers_of_the_api,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(refusals, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(duplicates_are_forbidden_for_a_day, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(threads_hang_together, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(timeline_pages_and_windows, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(lookups_and_deletion, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(rate_window_closes_and_opens, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(scopes_are_needed, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
