/* SPDX-License-Identifier: Apache-2.0
 * The simulated Facebook Pages: posts, photos, comments and the look-ups after an unknown outcome
 * (meta.md 3, 6, 7). */
#include "count_of.h"

#include "graph_world.h"

static int world_open(void **state)
{
	*state = world_of("facebook", FACEBOOK_SCOPE);
	return 0;
}

static struct probe_answer feed(struct world *world, struct str token, struct str form)
{
	return graph_post(world->probe, token, GRAPH "/" BAKERY "/feed?fields=id,permalink_url",
			  form);
}

static void text_post_is_seen(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made =
		feed(world, world->page,
		     probe_form(probe, "message", "Fresh bread \xf0\x9f\x8d\x9e", NULL));
	assert_status(made, 200);
	const struct str id = probe_json_string(&made, "id");
	assert_true(str_has_prefix(id, STR(BAKERY "_")));
	const struct str permalink = probe_json_string(&made, "permalink_url");
	assert_true(
		str_has_prefix(permalink, str_concat(probe->arena, sandbox_base_url(probe->sandbox),
						     STR("/www.facebook.com/"))));
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "platform")), "facebook");
	assert_str(json_string(json_get(posts[0], "account_id")), BAKERY);
	assert_true(str_equal(json_string(json_get(posts[0], "id")), id));
	assert_str(json_string(json_get(posts[0], "text")), "Fresh bread \xf0\x9f\x8d\x9e");
	assert_true(str_equal(json_string(json_get(posts[0], "url")), permalink));
	const struct probe_answer page =
		graph_get(probe, (struct str){0}, probe_z(probe, permalink));
	assert_status(page, 302);
	const struct probe_answer read = graph_get(
		probe, world->page,
		probe_z(probe,
			str_format(probe->arena,
				   GRAPH "/" STR_FMT "?fields=message,permalink_url,created_time",
				   STR_ARG(id))));
	assert_str(probe_json_string(&read, "message"), "Fresh bread \xf0\x9f\x8d\x9e");
	assert_str(probe_json_string(&read, "created_time"), "2026-11-21T05:46:40+0000");
	const struct probe_answer list = graph_get(
		probe, world->page,
		GRAPH "/" BAKERY
		      "/published_posts?fields=id,message,created_time,permalink_url&limit=25");
	assert_int_equal(json_get(list.json, "data")->count, 1);
}

static void json_bodies_work_too(void **state)
{
	struct world *world = *state;
	assert_status(feed(world, world->page, STR("{\"message\":\"as JSON\"}")), 200);
}

static void feed_refusals(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	char *long_message = arena_alloc(probe->arena, 63208);
	const struct str other = graph_page_token_of(probe, world->user, BOOKS);
	memset(long_message, 'x', 63207);
	const struct {
		const char *name;
		struct str token;
		struct str form;
		long status;
		int64_t code;
		int64_t subcode;
	} rows[] = {
		{"nothing in it", world->page, STR("message="), 400, 100, 0},
		{"too long", world->page, probe_form(probe, "message", long_message, NULL), 400,
		 100, 0},
		{"user token", world->user, STR("message=a"), 403, 200, 0},
		{"another Page's token", other, STR("message=a"), 400, 100, 33},
		{"junk token", STR("junk"), STR("message=a"), 400, 190, 0},
		{"dead link", world->page, STR("message=a&link=http%3A%2F%2F127.0.0.1%3A1%2Fx"),
		 400, 100, 1609005},
		{"facebook link", world->page, STR("link=https%3A%2F%2Fwww.facebook.com%2Fx"), 400,
		 100, 1609008},
		{"unknown photo", world->page,
		 STR("attached_media=%5B%7B%22media_fbid%22%3A%2212%22%7D%5D"), 400, 100, 0},
		{"broken photo list", world->page, STR("message=a&attached_media=%5B"), 400, 100,
		 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = feed(world, rows[i].token, rows[i].form);
		if (answer.status != rows[i].status || graph_code(&answer) != rows[i].code ||
		    graph_subcode(&answer) != rows[i].subcode)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
}

static void permission_is_needed(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str user =
		graph_login(probe, "facebook", "pages_show_list,pages_read_engagement");
	const struct probe_answer answer =
		feed(world, graph_page_token_of(probe, user, BAKERY), STR("message=a"));
	assert_status(answer, 403);
	assert_int_equal(graph_code(&answer), 200);
}

static void same_text_twice_is_a_duplicate(void **state)
{
	struct world *world = *state;
	assert_status(feed(world, world->page, STR("message=again")), 200);
	const struct probe_answer second = feed(world, world->page, STR("message=again"));
	assert_status(second, 400);
	assert_int_equal(graph_code(&second), 506);
	probe_advance(world->probe, 2 * US_PER_HOUR);
	assert_status(feed(world, world->page, STR("message=again")), 200);
}

static void good_link_is_part_of_the_text(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const char *url = media_url(probe, &world->server, "page.html");
	assert_status(
		feed(world, world->page, probe_form(probe, "message", "Look", "link", url, NULL)),
		200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_true(str_has_suffix(json_string(json_get(posts[0], "text")), str_of(url)));
	assert_true(str_has_prefix(str_of(world->server.text), STR("facebookexternalhit/1.1")));
}

static struct str photo(struct world *world, const char *name, const char *published)
{
	struct probe *probe = world->probe;
	const struct probe_answer made = graph_post(
		probe, world->page, GRAPH "/" BAKERY "/photos",
		probe_form(probe, "url", media_url(probe, &world->server, name), "published",
			   published, "alt_text_custom", "a loaf", "caption", "the caption", NULL));
	assert_status(made, 200);
	return probe_json_string(&made, "id");
}

static void photos_are_attached(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str one = photo(world, "square.jpg", "false");
	const struct str two = photo(world, "picture.png", "false");
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	const struct str list = str_format(
		probe->arena, "[{\"media_fbid\":\"" STR_FMT "\"},{\"media_fbid\":\"" STR_FMT "\"}]",
		STR_ARG(one), STR_ARG(two));
	const struct probe_answer made = feed(
		world, world->page,
		probe_form(probe, "message", "two", "attached_media", probe_z(probe, list), NULL));
	assert_status(made, 200);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const struct json *media = json_get(posts[0], "media");
	assert_int_equal(media->count, 2);
	assert_str(json_string(json_get(json_at(media, 0), "mime_type")), "image/jpeg");
	assert_str(json_string(json_get(json_at(media, 0), "alt_text")), "a loaf");
	assert_int_equal(json_int(json_get(json_at(media, 0), "bytes"), 0), 2000);
	const struct str bytes = jpeg_bytes(probe->arena, 800, 800, 2000);
	const struct str sha256 = json_string(json_get(json_at(media, 0), "sha256"));
	assert_true(str_equal(sha256, probe_sha256_hex(probe, bytes)));
	const struct probe_answer shown =
		graph_get(probe, (struct str){0},
			  probe_z(probe, str_format(probe->arena, "/_sandbox/media/" STR_FMT,
						    STR_ARG(sha256))));
	assert_status(shown, 200);
	assert_true(str_equal(shown.body, bytes));
	/* The photos' ids are found again in the post (7). */
	const struct probe_answer read = graph_get(
		probe, world->page,
		GRAPH "/" BAKERY
		      "/published_posts?fields=id,attachments%7Btarget,subattachments%7D");
	assert_true(str_find(read.body, one, 0) != SIZE_MAX &&
		    str_find(read.body, two, 0) != SIZE_MAX);
	const struct probe_answer again =
		feed(world, world->page,
		     probe_form(probe, "message", "other", "attached_media", probe_z(probe, list),
				NULL));
	assert_int_equal(graph_subcode(&again), 1366051);
}

static void photo_by_bracket_names_and_too_old(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	struct str one = photo(world, "square.jpg", "false");
	struct str value =
		str_format(probe->arena, "{\"media_fbid\":\"" STR_FMT "\"}", STR_ARG(one));
	const struct str form = probe_form(probe, "attached_media[0]", probe_z(probe, value), NULL);
	probe_advance(probe, US_PER_DAY + US_PER_S);
	const struct str page = world->page;
	assert_status(feed(world, page, form), 400);
	one = photo(world, "square.jpg", "false");
	value = str_format(probe->arena, "{\"media_fbid\":\"" STR_FMT "\"}", STR_ARG(one));
	assert_status(feed(world, page,
			   probe_form(probe, "attached_media[0]", probe_z(probe, value), NULL)),
		      200);
}

static void photo_publishes_by_itself(void **state)
{
	struct world *world = *state;
	photo(world, "square.jpg", "true");
	const struct json *posts[5];
	assert_int_equal(probe_ledger(world->probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "text")), "the caption");
	assert_str(json_string(json_get(posts[0], "type")), "photo");
}

static void photo_as_multipart(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str bytes = jpeg_bytes(probe->arena, 10, 10, 0);
	struct str body = str_format(
		probe->arena,
		"--BOUND\r\nContent-Disposition: form-data; name=\"access_token\"\r\n\r\n" STR_FMT
		"\r\n"
		"--BOUND\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nby hand\r\n"
		"--BOUND\r\nContent-Disposition: form-data; name=\"source\"; filename=\"a.jpg\"\r\n"
		"Content-Type: image/jpeg\r\n\r\n",
		STR_ARG(world->page));
	body = str_concat(probe->arena, str_concat(probe->arena, body, bytes),
			  STR("\r\n--BOUND--\r\n"));
	const struct probe_answer made = probe_ask(
		probe, (struct probe_request){.method = "POST",
					      .path = GRAPH "/" BAKERY "/photos",
					      .content_type = "multipart/form-data; boundary=BOUND",
					      .body = body});

	assert_status(made, 200);
	assert_true(probe_json_string(&made, "post_id").len > 0);
	/* The token was in a body with binary parts: the log must not show it there either. */
	const struct probe_answer log = graph_get(probe, (struct str){0}, "/_sandbox/log");
	const struct json *requests = json_get(log.json, "requests");
	const struct str base64 =
		json_string(json_get(json_at(requests, requests->count - 1), "body_base64"));
	struct str plain;
	assert_true(base64_decode(probe->arena, base64, &plain));
	assert_true(str_find(plain, world->page, 0) == SIZE_MAX);
	assert_true(str_find(plain, STR("name=\"access_token\"\r\n\r\n***\r\n"), 0) != SIZE_MAX);
}

static void photo_refusals(void **state)
{
	static const struct {
		const char *name;
		const char *file;
		int64_t code;
	} rows[] = {{"not there", "missing.jpg", 389},
		    {"a page", "page.html", 324},
		    {"a video", "clip.mp4", 324}};
	struct world *world = *state;
	struct probe *probe = world->probe;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = graph_post(
			probe, world->page, GRAPH "/" BAKERY "/photos",
			probe_form(probe, "url", media_url(probe, &world->server, rows[i].file),
				   NULL));
		if (graph_code(&answer) != rows[i].code)
			fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(answer.body));
	}
	const struct probe_answer none =
		graph_post(probe, world->page, GRAPH "/" BAKERY "/photos", STR("caption=x"));
	assert_int_equal(graph_code(&none), 324);
}

static void comments_hang_on_posts(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made = feed(world, world->page, STR("message=post"));
	const struct str post = str_copy(probe->arena, probe_json_string(&made, "id"));
	const char *path = probe_z(
		probe, str_format(probe->arena, GRAPH "/" STR_FMT "/comments", STR_ARG(post)));
	const struct probe_answer first =
		graph_post(probe, world->page, path, STR("message=first"));
	assert_status(first, 200);
	const struct str comment = probe_json_string(&first, "id");
	const char *below = probe_z(
		probe, str_format(probe->arena, GRAPH "/" STR_FMT "/comments", STR_ARG(comment)));
	assert_status(graph_post(probe, world->page, below, STR("message=answer")), 200);
	assert_status(graph_post(probe, world->page, path, STR("message=")), 400);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 3);
	assert_str(json_string(json_get(posts[1], "type")), "comment");
	assert_true(str_equal(json_string(json_get(posts[1], "reply_to")), post));
	assert_true(str_equal(json_string(json_get(posts[2], "reply_to")), comment));
	const struct probe_answer list = graph_get(probe, world->page, path);
	const struct json *data = json_get(list.json, "data");
	assert_int_equal(data->count, 1);
	assert_str(json_string(json_get(json_at(data, 0), "message")), "first");
	assert_str(json_string(json_get(json_get(json_at(data, 0), "from"), "id")), BAKERY);
}

static struct str photo_put_up(struct world *world)
{
	struct probe *probe = world->probe;
	const struct probe_answer made =
		graph_post(probe, world->page, GRAPH "/" BAKERY "/photos",
			   probe_form(probe, "published", "false", "alt_text_custom", "Bread",
				      "url", media_url(probe, &world->server, "square.jpg"), NULL));
	assert_status(made, 200);
	return str_copy(probe->arena, probe_json_string(&made, "id"));
}

static void a_comment_may_carry_a_picture(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made = feed(world, world->page, STR("message=post"));
	const struct str post = str_copy(probe->arena, probe_json_string(&made, "id"));
	const struct str photo = photo_put_up(world);
	const char *path = probe_z(
		probe, str_format(probe->arena, GRAPH "/" STR_FMT "/comments", STR_ARG(post)));
	const struct str form = str_format(probe->arena, "attachment_id=" STR_FMT, STR_ARG(photo));
	assert_status(graph_post(probe, world->page, path, form), 200);
	const struct probe_answer again = graph_post(probe, world->page, path, form);
	assert_int_equal(graph_subcode(&again), 1366051);
	assert_status(graph_post(probe, world->page, path, STR("attachment_id=17")), 400);
	assert_status(graph_post(probe, world->page, path,
				 probe_form(probe, "message", "seen", "attachment_url",
					    media_url(probe, &world->server, "square.jpg"), NULL)),
		      200);
	assert_status(graph_post(probe, world->page, path,
				 probe_form(probe, "attachment_url",
					    media_url(probe, &world->server, "page.html"), NULL)),
		      400);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 3);
	const struct json *media = json_at(json_get(posts[1], "media"), 0);
	assert_str(json_string(json_get(media, "alt_text")), "Bread");
	const struct probe_answer list = graph_get(
		probe, world->page,
		probe_z(probe, str_format(probe->arena,
					  "%s?fields=id,message,attachment{target}&order=REVERSE_"
					  "CHRONOLOGICAL",
					  path)));
	const struct json *data = json_get(list.json, "data");
	assert_int_equal(data->count, 2);
	assert_str(json_string(json_get(json_at(data, 0), "message")), "seen");
	const struct json *target = json_get(json_get(json_at(data, 1), "attachment"), "target");
	assert_true(str_equal(json_string(json_get(target, "id")), photo));
}

static void a_shared_link_is_told_as_it_was_given(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	assert_status(feed(world, world->page,
			   probe_form(probe, "link", "https://example.com/?a=1&b=2", NULL)),
		      200);
	const struct probe_answer list = graph_get(
		probe, world->page,
		GRAPH "/" BAKERY "/published_posts?fields=message,attachments{unshimmed_url}");
	const struct json *post = json_at(json_get(list.json, "data"), 0);
	const struct json *first = json_at(json_get(json_get(post, "attachments"), "data"), 0);
	assert_str(json_string(json_get(first, "unshimmed_url")), "https://example.com/?a=1&b=2");
}

static void usage_is_told_after_some_traffic(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	struct probe_answer answer = {0};
	for (int i = 0; i < 12; i++) {
		answer = graph_get(probe, world->page, GRAPH "/" BAKERY "?fields=id");
		assert_status(answer, 200);
		assert_true((probe_header(&answer, "X-Business-Use-Case-Usage").len > 0) ==
			    (i >= 9));
	}
}

static void deleted_posts_are_gone(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made = feed(world, world->page, STR("message=post"));
	const struct str id = probe_json_string(&made, "id");
	const char *path = probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT, STR_ARG(id)));
	assert_status(probe_ask(probe, (struct probe_request){.method = "DELETE",
							      .path = path,
							      .bearer = world->page}),
		      200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	const struct probe_answer read = graph_get(probe, world->page, path);
	assert_int_equal(graph_subcode(&read), 33);
}

/* Reads may show a deletion late; a second deletion knows it at once. */
static void deletions_show_late(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made = feed(world, world->page, STR("message=post"));
	const struct str id = probe_json_string(&made, "id");
	const char *path = probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT, STR_ARG(id)));
	const struct probe_request delete = {
		.method = "DELETE", .path = path, .bearer = world->page};
	const struct json *posts[5];
	assert_status(
		probe_ask(probe,
			  (struct probe_request){.method = "POST",
						 .path = "/_sandbox/knobs",
						 .body = STR("{\"deletions_late_ms\":5000}")}),
		200);
	graph_post(probe, world->page,
		   probe_z(probe,
			   str_format(probe->arena, GRAPH "/" STR_FMT "/comments", STR_ARG(id))),
		   STR("message=first"));
	assert_int_equal(probe_ledger(probe, posts, 5), 2);
	assert_status(probe_ask(probe, delete), 200);
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	assert_status(probe_ask(probe, delete), 400);
	const struct probe_answer read = graph_get(
		probe, world->page,
		probe_z(probe, str_format(probe->arena, "%s?fields=from,created_time", path)));
	assert_status(read, 200);
	assert_str(json_string(json_get(json_get(read.json, "from"), "id")), BAKERY);
	probe_advance(probe, 5 * US_PER_S);
	assert_status(graph_get(probe, world->page, path), 400);
}

static void published_posts_come_in_pages(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	for (int i = 0; i < 3; i++) {
		feed(world, world->page, str_format(probe->arena, "message=post+%d", i));
		probe_advance(probe, US_PER_MINUTE);
	}
	const struct probe_answer first = graph_get(
		probe, world->page, GRAPH "/" BAKERY "/published_posts?limit=2&fields=message");
	assert_int_equal(json_get(first.json, "data")->count, 2);
	assert_str(json_string(json_get(json_at(json_get(first.json, "data"), 0), "message")),
		   "post 2");
	const struct str next = json_string(json_get(json_get(first.json, "paging"), "next"));
	const struct probe_answer second = graph_get(probe, (struct str){0}, probe_z(probe, next));
	assert_status(second, 200);
	assert_int_equal(json_get(second.json, "data")->count, 1);
	assert_null(json_get(json_get(second.json, "paging"), "next"));
	const int64_t since = (PROBE_START_US + US_PER_MINUTE) / US_PER_S;
	const struct probe_answer late =
		graph_get(probe, world->page,
			  probe_z(probe, str_format(probe->arena,
						    GRAPH "/" BAKERY "/published_posts?since=%lld",
						    (long long)since)));
	assert_int_equal(json_get(late.json, "data")->count, 2);
}

static void unknown_edges_speak_graph(void **state)
{
	struct world *world = *state;
	const struct probe_answer answer =
		graph_get(world->probe, world->page, GRAPH "/123456/feed");
	assert_status(answer, 400);
	assert_int_equal(graph_code(&answer), 100);
	assert_int_equal(graph_subcode(&answer), 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_post_is_seen, world_open, world_close),
		cmocka_unit_test_setup_teardown(json_bodies_work_too, world_open, world_close),
		cmocka_unit_test_setup_teardown(feed_refusals, world_open, world_close),
		cmocka_unit_test_setup_teardown(permission_is_needed, world_open, world_close),
		cmocka_unit_test_setup_teardown(same_text_twice_is_a_duplicate, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(good_link_is_part_of_the_text, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(photos_are_attached, world_open, world_close),
		cmocka_unit_test_setup_teardown(photo_by_bracket_names_and_too_old, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(photo_publishes_by_itself, world_open, world_close),
		cmocka_unit_test_setup_teardown(photo_as_multipart, world_open, world_close),
		cmocka_unit_test_setup_teardown(photo_refusals, world_open, world_close),
		cmocka_unit_test_setup_teardown(comments_hang_on_posts, world_open, world_close),
		cmocka_unit_test_setup_teardown(a_comment_may_carry_a_picture, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(a_shared_link_is_told_as_it_was_given, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(usage_is_told_after_some_traffic, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(deleted_posts_are_gone, world_open, world_close),
		cmocka_unit_test_setup_teardown(deletions_show_late, world_open, world_close),
		cmocka_unit_test_setup_teardown(published_posts_come_in_pages, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(unknown_edges_speak_graph, world_open, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
