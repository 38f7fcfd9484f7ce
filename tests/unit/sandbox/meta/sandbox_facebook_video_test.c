/* SPDX-License-Identifier: Apache-2.0
 * The simulated videos, reels and stories of Pages, and rupload for them and for Instagram
 * (meta.md 3.1 to 3.3, 4.1). */
#include "count_of.h"

#include "graph_world.h"

static int world_open(void **state)
{
	*state = world_of("facebook", FACEBOOK_SCOPE);
	return 0;
}

static struct probe_answer page_post(struct world *world, const char *edge, struct str form)
{
	return graph_post(world->probe, world->page,
			  probe_z(world->probe,
				  str_format(world->probe->arena, GRAPH "/" BAKERY "/%s", edge)),
			  form);
}

static struct probe_answer transfer(struct world *world, struct str session, struct str offset,
				    struct str bytes)
{
	struct probe *probe = world->probe;
	const struct str head = str_format(
		probe->arena,
		"--B\r\nContent-Disposition: form-data; name=\"upload_phase\"\r\n\r\ntransfer\r\n"
		"--B\r\nContent-Disposition: form-data; name=\"upload_session_id\"\r\n\r\n" STR_FMT
		"\r\n"
		"--B\r\nContent-Disposition: form-data; name=\"start_offset\"\r\n\r\n" STR_FMT
		"\r\n"
		"--B\r\nContent-Disposition: form-data; name=\"video_file_chunk\"; "
		"filename=\"c\"\r\n\r\n",
		STR_ARG(session), STR_ARG(offset));
	const struct str body = str_concat(probe->arena, str_concat(probe->arena, head, bytes),
					   STR("\r\n--B--\r\n"));
	return probe_ask(probe, (struct probe_request){
					.method = "POST",
					.path = "/graph-video.facebook.com/v25.0/" BAKERY "/videos",
					.bearer = world->page,
					.content_type = "multipart/form-data; boundary=B",
					.body = body});
}

static void video_in_chunks(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str video = probe_video(probe, 1500000);
	struct probe_answer step =
		page_post(world, "videos", STR("upload_phase=start&file_size=1500000"));
	const struct str session = probe_json_string(&step, "upload_session_id");
	const struct str id = probe_json_string(&step, "video_id");
	assert_str(probe_json_string(&step, "end_offset"), "1048576");
	const struct str finish = str_format(
		probe->arena, "upload_phase=finish&upload_session_id=" STR_FMT "&description=Dawn",
		STR_ARG(session));
	assert_status(page_post(world, "videos", finish), 400);
	step = transfer(world, session, STR("5"), str_slice(video, 0, 10));
	assert_int_equal(graph_code(&step), 6001);
	assert_int_equal(graph_subcode(&step), 1363037);
	const struct json *data = json_get(json_get(step.json, "error"), "error_data");
	assert_int_equal(json_int(json_get(data, "start_offset"), -1), 0);
	assert_int_equal(json_int(json_get(data, "end_offset"), -1), 1048576);
	assert_status(page_post(world, "videos",
				STR("upload_phase=start&file_size=5&file_url=http://x/")),
		      400);
	step = transfer(world, session, STR("0"), str_slice(video, 0, 1048576));
	assert_str(probe_json_string(&step, "start_offset"), "1048576");
	assert_str(probe_json_string(&step, "end_offset"), "1500000");
	step = transfer(world, session, STR("1048576"), str_slice(video, 1048576, 1500000));
	assert_str(probe_json_string(&step, "start_offset"), "1500000");
	step = page_post(world, "videos", finish);
	assert_status(step, 200);
	assert_str(step.body, "{\"success\":true}");
	page_post(world, "videos", finish);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_true(str_equal(json_string(json_get(posts[0], "id")), id));
	assert_str(json_string(json_get(posts[0], "text")), "Dawn");
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, video)));
}

static void video_by_url(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	assert_status(page_post(world, "videos",
				probe_form(probe, "file_url",
					   media_url(probe, &world->server, "clip.mp4"), "title",
					   "T", NULL)),
		      200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const char *path =
		probe_z(probe, str_format(probe->arena, GRAPH "/" STR_FMT,
					  STR_ARG(json_string(json_get(posts[0], "id")))));
	const struct probe_answer seen =
		graph_get(probe, world->page,
			  probe_z(probe, str_format(probe->arena, "%s?fields=from", path)));
	assert_str(json_string(json_get(json_get(seen.json, "from"), "id")), BAKERY);
	assert_status(probe_ask(probe, (struct probe_request){.method = "DELETE",
							      .path = path,
							      .bearer = world->page}),
		      200);
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	assert_status(graph_get(probe, world->page, path), 400);
	struct probe_answer bad = page_post(
		world, "videos",
		probe_form(probe, "file_url", media_url(probe, &world->server, "page.html"), NULL));
	assert_int_equal(graph_code(&bad), 6000);
	bad = page_post(world, "videos", STR("file_url=http%3A%2F%2F127.0.0.1%3A1%2Fx"));
	assert_int_equal(graph_code(&bad), 389);
}

static struct probe_answer rupload(struct world *world, struct str url, const char *first,
				   const char *second, struct str body)
{
	struct probe *probe = world->probe;
	const struct str auth =
		str_format(probe->arena, "Authorization: OAuth " STR_FMT, STR_ARG(world->page));
	return probe_ask(probe,
			 (struct probe_request){.method = "POST",
						.path = probe_z(probe, url),
						.headers = {probe_z(probe, auth), first, second},
						.content_type = "application/octet-stream",
						.body = body});
}

static struct str video_status(struct world *world, struct str id)
{
	const struct probe_answer answer = graph_get(
		world->probe, world->page,
		probe_z(world->probe, str_format(world->probe->arena,
						 GRAPH "/" STR_FMT "?fields=status", STR_ARG(id))));
	return json_string(json_get(json_get(answer.json, "status"), "video_status"));
}

static void reel_by_bytes_in_two_parts(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str video = probe_video(probe, 2000);
	const struct probe_answer step = page_post(world, "video_reels", STR("upload_phase=start"));
	const struct str url = probe_json_string(&step, "upload_url");
	const struct str id = probe_json_string(&step, "video_id");
	const struct str finish = str_format(
		probe->arena,
		"upload_phase=finish&video_state=PUBLISHED&description=Reel&video_id=" STR_FMT,
		STR_ARG(id));
	assert_true(str_has_prefix(url, sandbox_base_url(probe->sandbox)));
	assert_str(video_status(world, id), "uploading");
	assert_status(page_post(world, "video_reels", finish), 400);
	const struct probe_answer lacking = rupload(world, url, NULL, NULL, video);
	assert_str(json_string(json_get(json_get(lacking.json, "debug_info"), "type")),
		   "ParameterValidationError");
	const struct probe_answer part =
		rupload(world, url, "offset: 0", "file_size: 2000", str_slice(video, 0, 1200));
	assert_str(json_string(json_get(json_get(part.json, "debug_info"), "type")),
		   "PartialRequestError");
	const struct probe_answer wrong =
		rupload(world, url, "offset: 0", "file_size: 2000", video);
	assert_str(json_string(json_get(json_get(wrong.json, "debug_info"), "type")),
		   "OffsetInvalidError");
	assert_status(rupload(world, url, "offset: 1200", "file_size: 2000",
			      str_slice(video, 1200, 2000)),
		      200);
	assert_str(video_status(world, id), "processing");
	assert_status(page_post(world, "video_reels", finish), 200);
	for (int i = 0; i < 2; i++)
		assert_str(video_status(world, id), "processing");
	assert_str(video_status(world, id), "ready");
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "reel");
	assert_true(str_equal(json_string(json_get(posts[0], "id")), id));
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, video)));
	const struct probe_answer page = graph_get(
		probe, (struct str){0}, probe_z(probe, json_string(json_get(posts[0], "url"))));
	assert_status(page, 302);
}

static void story_by_file_url(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	struct probe_answer step = page_post(world, "video_stories", STR("upload_phase=start"));
	const struct str id = probe_json_string(&step, "video_id");
	const struct str header = str_format(probe->arena, "file_url: %s",
					     media_url(probe, &world->server, "clip.mp4"));
	assert_status(rupload(world, probe_json_string(&step, "upload_url"), probe_z(probe, header),
			      NULL, (struct str){0}),
		      200);
	step = page_post(
		world, "video_stories",
		str_format(probe->arena, "upload_phase=finish&video_id=" STR_FMT, STR_ARG(id)));
	assert_status(step, 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "story");
	assert_true(str_equal(json_string(json_get(posts[0], "id")),
			      json_text(probe->arena, json_get(step.json, "post_id"))));
	const struct probe_answer stories =
		graph_get(probe, world->page, GRAPH "/" BAKERY "/stories");
	const struct json *story = json_at(json_get(stories.json, "data"), 0);
	assert_true(str_equal(json_string(json_get(story, "media_id")), id));
	assert_str(json_string(json_get(story, "media_type")), "video");
}

/* Facebook fetches only where it is let in, and not from itself (1). */
static void file_url_heeds_robots_txt(void **state)
{
	static const struct {
		const char *robots;
		int status;
	} rows[] = {
		{"User-agent: *\nDisallow: /\n", 400},
		{"User-agent: *\nDisallow: /\nUser-agent: facebookexternalhit\nAllow: /clip.mp4\n",
		 200},
		{"User-agent: facebookexternalhit # us\nDisallow: /clip\n", 400},
		{"User-agent: other\nDisallow: /\n", 200},
		{"User-agent: *\nDisallow:\n", 200},
		{"no robots at all", 200},
		{NULL, 200},
	};
	struct world *world = *state;
	struct probe *probe = world->probe;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer step =
			page_post(world, "video_reels", STR("upload_phase=START"));
		const struct str header = str_format(probe->arena, "file_url: %s",
						     media_url(probe, &world->server, "clip.mp4"));
		world->server.robots = rows[i].robots;
		assert_status(rupload(world, probe_json_string(&step, "upload_url"),
				      probe_z(probe, header), NULL, (struct str){0}),
			      rows[i].status);
	}
	const struct probe_answer step = page_post(world, "video_reels", STR("upload_phase=start"));
	assert_status(rupload(world, probe_json_string(&step, "upload_url"),
			      "file_url: https://video.xx.fbcdn.net/v.mp4", NULL, (struct str){0}),
		      400);
}

static void a_draft_is_seen_by_nobody(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str video = probe_video(probe, 2000);
	const struct probe_answer step = page_post(world, "video_reels", STR("upload_phase=start"));
	const struct str id = probe_json_string(&step, "video_id");
	assert_status(rupload(world, probe_json_string(&step, "upload_url"), "offset: 0",
			      "file_size: 2000", video),
		      200);
	assert_status(
		page_post(world, "video_reels",
			  str_format(probe->arena,
				     "upload_phase=finish&video_state=DRAFT&video_id=" STR_FMT,
				     STR_ARG(id))),
		200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
	for (int i = 0; i < 3; i++)
		video_status(world, id);
	struct probe_answer read =
		graph_get(probe, world->page,
			  probe_z(probe, str_format(probe->arena,
						    GRAPH "/" STR_FMT "?fields=status,published",
						    STR_ARG(id))));
	const struct json *phase = json_get(json_get(read.json, "status"), "publishing_phase");
	assert_str(json_string(json_get(phase, "publish_status")), "draft");
	assert_false(json_bool(json_get(read.json, "published"), true));
	/* Finished once more, now for the world. */
	assert_status(page_post(world, "video_reels",
				str_format(probe->arena, "upload_phase=finish&video_id=" STR_FMT,
					   STR_ARG(id))),
		      200);
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	read = graph_get(probe, world->page, GRAPH "/" BAKERY "/video_reels");
	assert_true(str_equal(json_string(json_get(json_at(json_get(read.json, "data"), 0), "id")),
			      id));
	read = graph_get(probe, world->page, GRAPH "/" BAKERY "/videos");
	assert_int_equal(json_get(read.json, "data")->count, 0);
}

static void photo_story_uses_a_photo_once(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer photo =
		page_post(world, "photos",
			  probe_form(probe, "published", "false", "url",
				     media_url(probe, &world->server, "square.jpg"), NULL));
	const struct str form = str_format(probe->arena, "photo_id=" STR_FMT,
					   STR_ARG(probe_json_string(&photo, "id")));
	assert_status(page_post(world, "photo_stories", form), 200);
	assert_status(page_post(world, "photo_stories", form), 400);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "story");
}

static void bad_bytes_end_in_an_error(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer step = page_post(world, "video_reels", STR("upload_phase=start"));
	const struct str id = probe_json_string(&step, "video_id");
	assert_status(rupload(world, probe_json_string(&step, "upload_url"), "offset: 0",
			      "file_size: 5", STR("hello")),
		      200);
	for (int i = 0; i < 3; i++)
		video_status(world, id);
	assert_str(video_status(world, id), "error");
	const struct str finish =
		str_format(probe->arena, "upload_phase=finish&video_id=" STR_FMT, STR_ARG(id));
	const struct probe_answer refused = page_post(world, "video_reels", finish);
	assert_int_equal(graph_code(&refused), 6000);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
}

static void instagram_takes_bytes_too(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str video = probe_video(probe, 3000);
	const struct str user = graph_login(probe, "instagram", INSTAGRAM_SCOPE);
	world->page = graph_page_token_of(probe, user, BAKERY);
	const struct probe_answer made =
		graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media",
			   STR("media_type=REELS&upload_type=resumable&caption=bytes"));
	assert_status(made, 200);
	const struct str id = probe_json_string(&made, "id");
	const struct str publish = str_format(probe->arena, "creation_id=" STR_FMT, STR_ARG(id));
	probe_advance(probe, 61 * US_PER_S);
	assert_status(graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media_publish", publish),
		      400);
	assert_status(rupload(world, probe_json_string(&made, "uri"), "offset: 0",
			      "file_size: 3000", video),
		      200);
	assert_status(graph_post(probe, world->page, GRAPH "/" BAKERY_IG "/media_publish", publish),
		      200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	assert_str(json_string(json_get(posts[0], "type")), "reel");
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, video)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(video_in_chunks, world_open, world_close),
		cmocka_unit_test_setup_teardown(video_by_url, world_open, world_close),
		cmocka_unit_test_setup_teardown(reel_by_bytes_in_two_parts, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(story_by_file_url, world_open, world_close),
		cmocka_unit_test_setup_teardown(file_url_heeds_robots_txt, world_open, world_close),
		cmocka_unit_test_setup_teardown(a_draft_is_seen_by_nobody, world_open, world_close),
		cmocka_unit_test_setup_teardown(photo_story_uses_a_photo_once, world_open,
						world_close),
		cmocka_unit_test_setup_teardown(bad_bytes_end_in_an_error, world_open, world_close),
		cmocka_unit_test_setup_teardown(instagram_takes_bytes_too, world_open, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
