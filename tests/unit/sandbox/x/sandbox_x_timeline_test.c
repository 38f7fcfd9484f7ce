/* SPDX-License-Identifier: Apache-2.0
 * Reading posts on the simulated X: fields by their current and former names, long texts
 * apart, subscriptions (x.md 0, 1.6, 2.7, 3.1). */
#include "x_flow.h"

#define TIMELINE "/api.x.com/2/users/1790000000000000123/tweets"

static void set(struct probe *probe, const char *knobs)
{
	assert_status(probe_ask(probe, (struct probe_request){.method = "POST",
							      .path = "/_sandbox/knobs",
							      .body = str_of(knobs)}),
		      200);
}

static const struct json *newest(const struct probe_answer *list)
{
	return json_at(json_get(list->json, "data"), 0);
}

static void replies_name_their_parent_by_either_name(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer first = x_post(probe, token, "{\"text\":\"1\"}");
	const struct str id = json_string(json_get(json_get(first.json, "data"), "id"));
	const struct str body =
		str_format(probe->arena,
			   "{\"text\":\"2\",\"reply\":{\"in_reply_to_tweet_id\":\"" STR_FMT "\"}}",
			   STR_ARG(id));
	assert_status(x_post(probe, token, probe_z(probe, body)), 201);
	const struct probe_answer now =
		x_get(probe, token, TIMELINE "?post.fields=text&expansions=referenced_posts");
	const struct probe_answer before =
		x_get(probe, token, TIMELINE "?tweet.fields=referenced_tweets");
	const struct json *now_names = json_at(json_get(newest(&now), "referenced_posts"), 0);
	const struct json *old_names = json_at(json_get(newest(&before), "referenced_tweets"), 0);
	assert_true(str_equal(json_string(json_get(now_names, "id")), id));
	assert_true(str_equal(json_string(json_get(old_names, "id")), id));
	assert_status(x_get(probe, token, TIMELINE "?post.fields=colour"), 400);
	set(probe, "{\"x_old_field_names\":1}");
	assert_status(x_get(probe, token, TIMELINE "?post.fields=text"), 400);
	assert_status(x_get(probe, token, TIMELINE "?tweet.fields=text"), 200);
}

static void subscribers_write_long_posts(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	char body[400] = "{\"text\":\"";
	memset(body + 9, 'a', 281);
	memcpy(body + 9 + 281, "\"}", 3);
	assert_status(x_post(probe, token, body), 403);
	set(probe, "{\"x_subscription\":1}");
	assert_status(x_post(probe, token, body), 201);
	const struct probe_answer me =
		x_get(probe, token, "/api.x.com/2/users/me?user.fields=subscription_type");
	assert_str(json_string(json_get(json_get(me.json, "data"), "subscription_type")), "Basic");
	const struct probe_answer list =
		x_get(probe, token, TIMELINE "?post.fields=note_post,text");
	const struct json *post = newest(&list);
	assert_true(json_string(json_get(post, "text")).len < 281);
	assert_int_equal(json_string(json_get(json_get(post, "note_post"), "text")).len, 281);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(replies_name_their_parent_by_either_name,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(subscribers_write_long_posts, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
