/* SPDX-License-Identifier: Apache-2.0
 * The simulated Instagram: containers, polling, publishing, quotas, comments (meta.md
 * 4, 6.3, 7). */
#include "count_of.h"

#include "graph_world.h"

static int world_open(void **state)
{
	*state = world_of("instagram", INSTAGRAM_SCOPE);
	return 0;
}

static struct probe_answer container(struct world *world, const char *file, const char *more)
{
	struct probe *probe = world->probe;
	const struct str form =
		probe_form(probe, "image_url", media_url(probe, &world->server, file), NULL);
	return graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media",
			  str_format(probe->arena, STR_FMT "%s", STR_ARG(form), more));
}

static struct str status_of(struct world *world, struct str id)
{
	const struct probe_answer answer = graph_get(
		world->probe, world->page,
		probe_z(world->probe,
			str_format(world->probe->arena,
				   GRAPH "/" STR_FMT "?fields=status_code,status", STR_ARG(id))));
	assert_status(answer, 200);
	return probe_json_string(&answer, "status_code");
}

static struct probe_answer publish(struct world *world, struct str id)
{
	return graph_post(world->probe, world->page, GRAPH "/" BAKERY_IG "/media_publish",
			  str_format(world->probe->arena, "creation_id=" STR_FMT, STR_ARG(id)));
}

static void turn(struct world *world, const char *json)
{
	assert_status(probe_ask(world->probe, (struct probe_request){.method = "POST",
								     .path = "/_sandbox/knobs",
								     .body = str_of(json)}),
		      200);
}

static void image_goes_the_whole_way(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made =
		container(world, "square.jpg", "&caption=Warm+%23bread&alt_text=a+loaf");
	assert_status(made, 200);
	const struct str id = probe_json_string(&made, "id");
	assert_true(str_has_prefix(id, STR("178")));
	const struct probe_answer early = publish(world, id);
	assert_int_equal(graph_code(&early), 9007);
	assert_int_equal(graph_subcode(&early), 2207027);
	assert_str(status_of(world, id), "IN_PROGRESS");
	assert_str(status_of(world, id), "FINISHED");
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	const struct probe_answer done = publish(world, id);
	assert_status(done, 200);
	const struct str media = probe_json_string(&done, "id");
	assert_false(str_equal(media, id));
	assert_str(status_of(world, id), "PUBLISHED");
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "platform")), "instagram");
	assert_str(json_string(json_get(posts[0], "account_id")), BAKERY_IG);
	assert_true(str_equal(json_string(json_get(posts[0], "id")), media));
	assert_str(json_string(json_get(posts[0], "text")), "Warm #bread");
	assert_str(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "alt_text")),
		   "a loaf");
	const struct probe_answer read = graph_get(
		probe, world->page,
		probe_z(probe, str_format(probe->arena,
					  GRAPH "/" STR_FMT
						"?fields=permalink,media_product_type,timestamp",
					  STR_ARG(media))));
	assert_str(probe_json_string(&read, "media_product_type"), "FEED");
	assert_true(str_equal(probe_json_string(&read, "permalink"),
			      json_string(json_get(posts[0], "url"))));
	assert_status(graph_get(probe, (struct str){0},
				probe_z(probe, probe_json_string(&read, "permalink"))),
		      302);
	const struct probe_answer list = graph_get(
		probe, world->page, GRAPH "/" BAKERY_IG "/media?fields=id,caption,timestamp");
	assert_int_equal(json_get(list.json, "data")->count, 1);
	const struct probe_answer again = publish(world, id);
	assert_status(again, 400);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
}

static void container_refusals(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	char *caption = arena_alloc(probe->arena, 2300);
	char *hashtags = arena_alloc(probe->arena, 200);
	char *mentions = arena_alloc(probe->arena, 200);
	memcpy(caption, "&caption=", 9);
	memset(caption + 9, 'x', 2201);
	memcpy(hashtags, "&caption=", 9);
	for (int i = 0; i < 31; i++)
		memcpy(hashtags + 9 + i * 4, "%23a", 4);
	memcpy(mentions, "&caption=", 9);
	for (int i = 0; i < 21; i++)
		memcpy(mentions + 9 + i * 4, "%40a", 4);
	const struct {
		const char *name;
		const char *file;
		const char *more;
		int64_t code;
		int64_t subcode;
	} rows[] = {
		{"not there", "missing.jpg", "", 9004, 2207052},
		{"no picture at all", "page.html", "", 9004, 2207052},
		{"PNG", "picture.png", "", 36001, 2207005},
		{"a video for a picture", "clip.mp4", "", 36001, 2207005},
		{"over 8 MB", "huge.jpg", "", 36000, 2207004},
		{"too wide", "wide.jpg", "", 36003, 2207009},
		{"too tall", "tall.jpg", "", 36003, 2207009},
		{"caption too long", "square.jpg", caption, 36004, 2207010},
		{"31 hashtags", "square.jpg", hashtags, 36004, 2207010},
		{"unknown type", "square.jpg", "&media_type=HOLOGRAM", 100, 2207023},
		{"caption on a child", "square.jpg", "&is_carousel_item=true&caption=no", 100, 0},
		{"21 mentions", "square.jpg", mentions, 36004, 2207010},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = container(world, rows[i].file, rows[i].more);
		if (answer.status != 400 || graph_code(&answer) != rows[i].code ||
		    graph_subcode(&answer) != rows[i].subcode)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	assert_status(container(world, "edge.jpg", ""), 200);
	assert_status(container(world, "tall.jpg", "&media_type=STORIES"), 200);
	const struct probe_answer dead =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media",
			   STR("image_url=http%3A%2F%2F127.0.0.1%3A1%2Fa.jpg"));
	assert_int_equal(graph_subcode(&dead), 2207052);
	const struct probe_answer none = graph_post(
		probe, world->page, GRAPH "/" BAKERY_IG "/media", STR("caption=text+only"));
	assert_int_equal(graph_code(&none), 100);
}

static void container_expires(void **state)
{
	struct world *world = *state;
	const struct probe_answer made = container(world, "square.jpg", "");
	const struct str id = probe_json_string(&made, "id");
	probe_advance(world->probe, US_PER_DAY + US_PER_S);
	assert_str(status_of(world, id), "EXPIRED");
	const struct probe_answer late = publish(world, id);
	assert_int_equal(graph_code(&late), 24);
	assert_int_equal(graph_subcode(&late), 2207008);
	const struct probe_answer unknown = publish(world, STR("17800000000000001"));
	assert_int_equal(graph_subcode(&unknown), 2207008);
}

static struct str ready_container(struct world *world, const char *more)
{
	const struct probe_answer made = container(world, "square.jpg", more);
	assert_status(made, 200);
	probe_advance(world->probe, 61 * US_PER_S);
	return probe_json_string(&made, "id");
}

static int64_t usage(struct world *world, int64_t total)
{
	const struct probe_answer answer = graph_get(
		world->probe, world->page,
		GRAPH "/" BAKERY_IG "/content_publishing_limit?fields=quota_usage,config");
	const struct json *row = json_at(json_get(answer.json, "data"), 0);
	assert_int_equal(json_int(json_get(json_get(row, "config"), "quota_total"), 0), total);
	return json_int(json_get(row, "quota_usage"), -1);
}

static void quota_is_counted_and_kept(void **state)
{
	struct world *world = *state;
	assert_int_equal(usage(world, 100), 0);
	turn(world, "{\"instagram_publish_quota\":50}");
	for (int i = 0; i < 50; i++)
		assert_status(publish(world, ready_container(world, "")), 200);
	assert_int_equal(usage(world, 50), 50);
	const struct str one_more = ready_container(world, "");
	const struct probe_answer refused = publish(world, one_more);
	assert_int_equal(graph_code(&refused), 9);
	assert_int_equal(graph_subcode(&refused), 2207042);
	probe_advance(world->probe, US_PER_DAY - 30 * US_PER_MINUTE);
	assert_status(publish(world, one_more), 200);
}

static void second_publish_is_refused_or_doubles(void **state)
{
	struct world *world = *state;
	const struct str id = ready_container(world, "");
	assert_status(publish(world, id), 200);
	const struct probe_answer again = publish(world, id);
	assert_int_equal(graph_code(&again), 100);
	turn(world, "{\"instagram_publishes_twice\":1}");
	assert_status(publish(world, id), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(world->probe, posts, 5), 2);
}

static void published_shows_late(void **state)
{
	struct world *world = *state;
	const struct str id = ready_container(world, "");
	turn(world, "{\"instagram_published_late_s\":180}");
	assert_status(publish(world, id), 200);
	assert_str(status_of(world, id), "FINISHED");
	probe_advance(world->probe, 179 * US_PER_S);
	assert_str(status_of(world, id), "FINISHED");
	assert_status(publish(world, id), 400);
	probe_advance(world->probe, US_PER_S);
	assert_str(status_of(world, id), "PUBLISHED");
}

static void page_tokens_may_not_read_for_a_while(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str id = ready_container(world, "");
	const char *path =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT "?fields=status_code",
					  STR_ARG(id)));
	turn(world, "{\"instagram_page_reads_fail\":1}");
	const struct probe_answer refused = graph_get(probe, world->page, path);
	assert_int_equal(graph_code(&refused), 100);
	assert_int_equal(graph_subcode(&refused), 33);
	assert_status(graph_get(probe, world->user, path), 200);
	assert_status(publish(world, id), 200);
}

static void words_that_belong_elsewhere(void **state)
{
	struct world *world = *state;
	char *alt_text = arena_alloc(world->probe->arena, 1100);
	memcpy(alt_text, "&alt_text=", 10);
	memset(alt_text + 10, 'x', 1001);
	const struct {
		const char *name;
		const char *more;
		int64_t code;
		int64_t subcode;
	} rows[] = {
		{"a child with a place", "&is_carousel_item=true&location_id=4", 100, 0},
		{"a child with collaborators", "&is_carousel_item=true&collaborators=%5B%5D", 100,
		 0},
		{"a child that says how it was made", "&is_carousel_item=true&is_ai_generated=true",
		 100, 0},
		{"a place that is none", "&location_id=here", 100, 0},
		{"four collaborators", "&collaborators=%5B%22a%22%2C%22b%22%2C%22c%22%2C%22d%22%5D",
		 100, 0},
		{"collaborators that are no list", "&collaborators=a", 100, 0},
		{"a tag without a place", "&user_tags=%5B%7B%22username%22%3A%22jo%22%7D%5D", 100,
		 2207036},
		{"a tag outside the picture",
		 "&user_tags=%5B%7B%22username%22%3A%22jo%22%2C%22x%22%3A1.5%2C%22y%22%3A0%7D%5D",
		 100, 2207036},
		{"a tag of nobody", "&user_tags=%5B%7B%22x%22%3A0%2C%22y%22%3A0%7D%5D", 100,
		 2207037},
		{"a long description", alt_text, 100, 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = container(world, "square.jpg", rows[i].more);
		if (answer.status != 400 || graph_code(&answer) != rows[i].code ||
		    graph_subcode(&answer) != rows[i].subcode)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	assert_status(container(world, "square.jpg",
				"&user_tags=%5B%7B%22username%22%3A%22jo%22%2C%22x%22%3A0.5%2C%"
				"22y%22%3A1%7D%5D&location_id=4&collaborators=%5B%22a%22%5D"),
		      200);
	assert_status(container(world, "square.jpg",
				"&media_type=STORIES&user_tags=%5B%7B%22username%22%3A%22jo%22%"
				"7D%5D"),
		      200);
}

static void covers_are_fetched(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *file;
		long status;
		int64_t subcode;
	} rows[] = {
		{"tall.jpg", 200, 0},
		{"picture.png", 400, 2207005},
		{"huge.jpg", 400, 2207004},
		{"missing.jpg", 400, 2207052},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = graph_post(
			world->probe, world->page, GRAPH "/" BAKERY_IG "/media",
			probe_form(world->probe, "media_type", "REELS", "upload_type", "resumable",
				   "cover_url",
				   media_url(world->probe, &world->server, rows[i].file), NULL));
		assert_status(answer, rows[i].status);
		if (rows[i].status != 200)
			assert_int_equal(graph_subcode(&answer), rows[i].subcode);
	}
}

static struct probe_answer send_bytes(struct world *world, struct str url, struct str bytes)
{
	struct probe *probe = world->probe;
	const struct str size = str_format(probe->arena, "file_size: %zu", bytes.len);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = probe_z(probe, url),
			.headers = {probe_z(probe, str_format(probe->arena,
							      "Authorization: OAuth " STR_FMT,
							      STR_ARG(world->page))),
				    "offset: 0", probe_z(probe, size)},
			.content_type = "application/octet-stream",
			.body = bytes});
}

static void bytes_fill_a_container_once(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer made = graph_post(
		probe, world->page, GRAPH "/" BAKERY_IG "/media",
		probe_form(probe, "media_type", "STORIES", "upload_type", "resumable", NULL));
	const struct str id = probe_json_string(&made, "id");
	const struct str url = probe_json_string(&made, "uri");
	assert_status(made, 200);
	assert_str(status_of(world, id), "IN_PROGRESS");
	assert_status(send_bytes(world, url, probe_video(probe, 100000)), 200);
	const struct probe_answer again = send_bytes(world, url, probe_video(probe, 100000));
	assert_status(again, 400);
	assert_str(json_string(json_get(json_get(again.json, "debug_info"), "type")),
		   "ProcessingFailedError");
	probe_advance(probe, 61 * US_PER_S);
	assert_str(status_of(world, id), "FINISHED");
	assert_status(publish(world, id), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "story");
}

/* A day takes 400 (4.1); what was made 24 hours ago no longer counts. */
static void containers_are_counted(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str form =
		probe_form(probe, "media_type", "REELS", "upload_type", "resumable", NULL);
	for (int i = 0; i < 400; i++)
		assert_status(graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", form),
			      200);
	const struct probe_answer refused =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", form);
	assert_int_equal(graph_subcode(&refused), 2207042);
	probe_advance(probe, US_PER_DAY);
	assert_status(graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", form), 200);
}

static void errors_have_names(void **state)
{
	struct world *world = *state;
	probe_fault(world->probe,
		    "{\"platform\":\"instagram\",\"match\":{\"method\":\"POST\",\"path\":\"/*/*/"
		    "media\"},\"effect\":\"status\",\"error\":\"-2/2207003\"}");
	const struct probe_answer refused = container(world, "square.jpg", "");
	assert_int_equal(graph_code(&refused), -2);
	assert_int_equal(graph_subcode(&refused), 2207003);
	assert_str(json_string(json_get(json_get(refused.json, "error"), "error_user_title")),
		   "Download timed out");
	assert_status(container(world, "square.jpg", ""), 200);
}

static void carousel_of_children(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str one = ready_container(world, "&is_carousel_item=true&alt_text=one");
	const struct str two = ready_container(world, "&is_carousel_item=true");
	const struct probe_answer alone = publish(world, one);
	assert_int_equal(graph_subcode(&alone), 2207008);
	const struct str lonely =
		str_format(probe->arena, "media_type=CAROUSEL&children=" STR_FMT, STR_ARG(one));
	const struct probe_answer few =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", lonely);
	assert_int_equal(graph_subcode(&few), 2207028);
	const struct str form = str_format(
		probe->arena, "media_type=CAROUSEL&caption=both&children=" STR_FMT "%%2C" STR_FMT,
		STR_ARG(one), STR_ARG(two));
	const struct probe_answer made =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", form);
	assert_status(made, 200);
	const struct str id = probe_json_string(&made, "id");
	probe_advance(probe, 61 * US_PER_S);
	assert_status(publish(world, id), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "carousel");
	assert_int_equal(json_get(posts[0], "media")->count, 2);
	assert_str(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "alt_text")),
		   "one");
}

static void reel_takes_longer_and_may_fail(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str good =
		probe_form(probe, "media_type", "REELS", "caption", "moving", "video_url",
			   media_url(probe, &world->server, "clip.mp4"), NULL);
	const struct str bad = probe_form(probe, "media_type", "REELS", "video_url",
					  media_url(probe, &world->server, "page.html"), NULL);
	struct probe_answer made =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", good);
	struct str id = probe_json_string(&made, "id");
	for (int i = 0; i < 3; i++)
		assert_str(status_of(world, id), "IN_PROGRESS");
	assert_str(status_of(world, id), "FINISHED");
	assert_status(publish(world, id), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "reel");
	assert_str(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "type")), "video");
	made = graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media", bad);
	assert_status(made, 200);
	id = probe_json_string(&made, "id");
	probe_advance(probe, 61 * US_PER_S);
	assert_str(status_of(world, id), "ERROR");
	const struct probe_answer plain = graph_post(
		probe, world->page, GRAPH "/" BAKERY_IG "/media",
		probe_form(probe, "media_type", "VIDEO", "video_url", "http://127.0.0.1:1/", NULL));
	assert_status(plain, 400);
}

static void stories_show_no_text(void **state)
{
	struct world *world = *state;
	assert_status(publish(world, ready_container(world, "&media_type=STORIES&caption=unseen")),
		      200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(world->probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "story");
	assert_str(json_string(json_get(posts[0], "text")), "");
	const struct probe_answer stories =
		graph_get(world->probe, world->page, GRAPH "/" BAKERY_IG "/stories");
	assert_int_equal(json_get(stories.json, "data")->count, 1);
	const struct probe_answer media =
		graph_get(world->probe, world->page, GRAPH "/" BAKERY_IG "/media");
	assert_int_equal(json_get(media.json, "data")->count, 0);
}

static void comments_hang_on_media(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer done = publish(world, ready_container(world, ""));
	const struct str media = probe_json_string(&done, "id");
	const char *path =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT "/comments?message=first",
					  STR_ARG(media)));
	const struct probe_answer first = graph_post(probe, world->page, path, (struct str){0});
	assert_status(first, 200);
	const struct str comment = probe_json_string(&first, "id");
	const char *below = probe_z(
		probe, str_format(probe->arena, GRAPH "/" STR_FMT "/replies", STR_ARG(comment)));
	const struct probe_answer second =
		graph_post(probe, world->page, below, STR("message=second"));
	assert_status(second, 200);
	/* An answer to an answer goes to the comment at the top. */
	const struct str reply = probe_json_string(&second, "id");
	const char *deep = probe_z(
		probe, str_format(probe->arena, GRAPH "/" STR_FMT "/replies", STR_ARG(reply)));
	assert_status(graph_post(probe, world->page, deep, STR("message=third")), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 4);
	assert_true(str_equal(json_string(json_get(posts[1], "reply_to")), media));
	assert_true(str_equal(json_string(json_get(posts[2], "reply_to")), comment));
	assert_true(str_equal(json_string(json_get(posts[3], "reply_to")), comment));
}

static void tokens_and_scopes_are_needed(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str reader =
		graph_login(probe, "instagram", "instagram_basic,pages_show_list");
	const struct str form = probe_form(probe, "image_url",
					   media_url(probe, &world->server, "square.jpg"), NULL);
	const struct probe_answer refused =
		graph_post(probe, reader, GRAPH "/" BAKERY_IG "/media", form);
	assert_status(refused, 403);
	assert_int_equal(graph_code(&refused), 200);
	/* The user's token works for reads and writes of what was ticked (4). */
	assert_status(graph_post(probe, world->user, GRAPH "/" BAKERY_IG "/media", form), 200);
	/* Another Page's token sees nothing. */
	const struct str books = graph_page_token_of(probe, world->user, BOOKS);
	const struct probe_answer foreign =
		graph_post(probe, books, GRAPH "/" BAKERY_IG "/media", form);
	assert_int_equal(graph_subcode(&foreign), 33);
	const struct probe_answer profile =
		graph_get(probe, world->page,
			  GRAPH "/" BAKERY_IG "?fields=id,username,name,profile_picture_url");
	assert_str(probe_json_string(&profile, "username"), "harbour.bakery");
}

/* Whole posts, by an app that was granted instagram_manage_contents (4.6). */
static void deleting_needs_a_scope_of_its_own(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct json *posts[5];
	const struct probe_answer made = container(world, "square.jpg", "&caption=Warm");
	probe_advance(probe, 61 * US_PER_S);
	assert_status(publish(world, probe_json_string(&made, "id")), 200);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const char *path =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT,
					  STR_ARG(json_string(json_get(posts[0], "id")))));
	const struct probe_answer seen =
		graph_get(probe, world->page,
			  probe_z(probe, str_format(probe->arena, "%s?fields=owner", path)));
	assert_str(json_string(json_get(json_get(seen.json, "owner"), "id")), BAKERY_IG);
	const struct probe_answer refused = probe_ask(
		probe,
		(struct probe_request){.method = "DELETE", .path = path, .bearer = world->page});
	assert_status(refused, 403);
	assert_int_equal(graph_code(&refused), 200);
	const struct str user =
		graph_login(probe, "instagram",
			    "instagram_basic,instagram_content_publish,instagram_manage_contents,"
			    "pages_show_list");
	const struct str page = graph_page_token_of(probe, user, BAKERY);
	const struct probe_answer gone = probe_ask(
		probe, (struct probe_request){.method = "DELETE", .path = path, .bearer = page});
	assert_status(gone, 200);
	assert_true(str_equal(probe_json_string(&gone, "deleted_id"),
			      str_slice(str_of(path), strlen(GRAPH "/"), strlen(path))));
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
}

static void lost_publish_shows_in_the_container(void **state)
{
	struct world *world = *state;
	const struct str id = ready_container(world, "");
	probe_fault(world->probe, "{\"platform\":\"instagram\",\"match\":{\"method\":\"POST\","
				  "\"path\":\"/*/*/media_publish\"},"
				  "\"effect\":\"status_after\",\"status\":500}");
	assert_status(publish(world, id), 500);
	assert_str(status_of(world, id), "PUBLISHED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(image_goes_the_whole_way, world_open, world_close),
		cmocka_unit_test_setup_teardown(container_refusals, world_open, world_close),
		cmocka_unit_test_setup_teardown(container_expires, world_open, world_close),
		cmocka_unit_test_setup_teardown(quota_is_counted_and_kept, world_open, world_close),
		cmocka_unit_test_setup_teardown(second_publish_is_refused_or_doubles, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(published_shows_late, world_open, world_close),
		cmocka_unit_test_setup_teardown(page_tokens_may_not_read_for_a_while, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(words_that_belong_elsewhere, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(covers_are_fetched, world_open, world_close),
		cmocka_unit_test_setup_teardown(bytes_fill_a_container_once, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(containers_are_counted, world_open, world_close),
		cmocka_unit_test_setup_teardown(errors_have_names, world_open, world_close),
		cmocka_unit_test_setup_teardown(carousel_of_children, world_open, world_close),
		cmocka_unit_test_setup_teardown(reel_takes_longer_and_may_fail, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(stories_show_no_text, world_open, world_close),
		cmocka_unit_test_setup_teardown(comments_hang_on_media, world_open, world_close),
		cmocka_unit_test_setup_teardown(deleting_needs_a_scope_of_its_own, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(tokens_and_scopes_are_needed, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(lost_publish_shows_in_the_container, world_open,
						world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
