/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's articles: drafts are checked by the documented schema, published once, and only
 * with a subscription (x.md 2.6). */
#include "count_of.h"

#include "media_server.h"
#include "x_flow.h"

#define ARTICLES "/api.x.com/2/articles/"
#define GOOD \
	"{\"title\":\"T\",\"content_state\":{\"blocks\":[{\"text\":\"One " \
	"\\ud83d\\ude00\",\"type\":" \
	"\"unstyled\",\"entity_ranges\":[{\"key\":0,\"offset\":0,\"length\":6}]}],\"entities\":[{" \
	"\"key\":\"0\",\"value\":{\"type\":\"link\",\"mutability\":\"mutable\",\"data\":{\"url\":" \
	"\"https://example.com\"}}}]}}"

static struct probe_answer ask(struct probe *probe, struct str token, const char *path,
			       const char *body)
{
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = path,
						       .bearer = token,
						       .body = str_of(body)});
}

static void subscribe(struct probe *probe)
{
	assert_status(ask(probe, STR(""), "/_sandbox/knobs", "{\"x_subscription\":2}"), 200);
}

static const char *publish_path(struct probe *probe, const struct probe_answer *draft)
{
	const struct str id = json_string(json_get(json_get(draft->json, "data"), "id"));
	return probe_z(probe, str_format(probe->arena, ARTICLES STR_FMT "/publish", STR_ARG(id)));
}

static void a_draft_becomes_a_post_once(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	subscribe(probe);
	const struct probe_answer draft = ask(probe, token, ARTICLES "draft", GOOD);
	assert_status(draft, 201);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	const struct probe_answer made = ask(probe, token, publish_path(probe, &draft), "");
	assert_status(made, 200);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "article");
	assert_str(json_string(json_get(posts[0], "text")), "One \xf0\x9f\x98\x80");
	assert_true(str_equal(json_string(json_get(posts[0], "id")),
			      json_string(json_get(json_get(made.json, "data"), "post_id"))));
	const struct probe_answer again = ask(probe, token, publish_path(probe, &draft), "");
	assert_status(again, 400);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_status(ask(probe, token, ARTICLES "1/publish", ""), 404);
}

static void who_reads_the_timeline_sees_a_link_to_it(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	subscribe(probe);
	const struct probe_answer draft = ask(probe, token, ARTICLES "draft", GOOD);
	assert_status(ask(probe, token, publish_path(probe, &draft), ""), 200);
	const struct probe_answer list =
		x_get(probe, token,
		      "/api.x.com/2/users/1790000000000000123/tweets?post.fields=entities,text");
	assert_status(list, 200);
	const struct json *post = json_at(json_get(list.json, "data"), 0);
	const struct json *url = json_at(json_get(json_get(post, "entities"), "urls"), 0);
	assert_true(
		str_equal(json_string(json_get(post, "text")), json_string(json_get(url, "url"))));
	assert_true(
		str_equal(json_string(json_get(url, "expanded_url")),
			  str_concat(probe->arena, STR("https://x.com/i/article/"),
				     json_string(json_get(json_get(draft.json, "data"), "id")))));
}

static void refusals(void **state)
{
	static const struct {
		const char *name;
		const char *body;
	} rows[] = {
		{"no JSON", "x"},
		{"no title", "{\"title\":\"\",\"content_state\":{\"blocks\":[],\"entities\":[]}}"},
		{"no content", "{\"title\":\"T\"}"},
		{"no entities", "{\"title\":\"T\",\"content_state\":{\"blocks\":[]}}"},
		{"more than the schema has", "{\"title\":\"T\",\"colour\":1,\"content_state\":{"
					     "\"blocks\":[],\"entities\":[]}}"},
		{"a block of no type",
		 "{\"title\":\"T\",\"content_state\":{\"blocks\":[{\"text\":\"a\",\"type\":\"p\"}],"
		 "\"entities\":[]}}"},
		{"a range beyond its text",
		 "{\"title\":\"T\",\"content_state\":{\"blocks\":[{\"text\":\"a\",\"type\":"
		 "\"unstyled\",\"entity_ranges\":[{\"key\":0,\"offset\":0,\"length\":2}]}],"
		 "\"entities\":[{\"key\":\"0\",\"value\":{\"type\":\"divider\",\"mutability\":"
		 "\"immutable\",\"data\":{}}}]}}"},
		{"a range of no entity",
		 "{\"title\":\"T\",\"content_state\":{\"blocks\":[{\"text\":\"a\",\"type\":"
		 "\"unstyled\",\"entity_ranges\":[{\"key\":0,\"offset\":0,\"length\":1}]}],"
		 "\"entities\":[]}}"},
		{"a picture that was not uploaded",
		 "{\"title\":\"T\",\"content_state\":{\"blocks\":[],\"entities\":[{\"key\":\"0\","
		 "\"value\":{\"type\":\"image\",\"mutability\":\"immutable\",\"data\":{\"media_"
		 "items\":"
		 "[{\"media_id\":\"1\",\"media_category\":\"tweet_image\"}]}}}]}}"},
	};
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	assert_status(ask(probe, token, ARTICLES "draft", GOOD), 403);
	subscribe(probe);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			ask(probe, token, ARTICLES "draft", rows[i].body);
		if (answer.status != 400)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_draft_becomes_a_post_once, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(who_reads_the_timeline_sees_a_link_to_it,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(refusals, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
