/* SPDX-License-Identifier: Apache-2.0
 * Fetching media while the world changes: the lock is let go of, so a reset may come in between,
 * and nothing that was found before may be used after. AddressSanitizer is the judge. */
#include "graph_world.h"

static int world_open(void **state)
{
	struct world *world = world_of("facebook", FACEBOOK_SCOPE);
	world->ig_page = graph_page_token_of(
		world->probe, graph_login(world->probe, "instagram", INSTAGRAM_SCOPE), BAKERY);
	*state = world;
	return 0;
}

static size_t swallow(char *bytes, size_t one, size_t len, void *context)
{
	(void)bytes;
	(void)one;
	(void)context;
	return len;
}

/* Runs on the picture server's thread, while the sandbox waits for the picture. */
static void reset_sandbox(void *context)
{
	struct world *world = context;
	const struct str base = sandbox_base_url(world->probe->sandbox);
	CURL *curl = curl_easy_init();
	char url[128];
	snprintf(url, sizeof(url), STR_FMT "/_sandbox/reset", STR_ARG(base));
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, swallow);
	curl_easy_perform(curl);
	curl_easy_cleanup(curl);
}

static void reset_during_fetch(struct world *world, bool is_ig, const char *path,
			       const char *parameter, const char *file)
{
	struct probe *probe = world->probe;
	const struct str form = probe_form(probe, parameter, media_url(probe, &world->server, file),
					   "message", "words", NULL);
	world->server.on_fetch = reset_sandbox;
	world->server.context = world;
	const struct probe_answer answer =
		graph_post(probe, is_ig ? world->ig_page : world->page, path, form);
	assert_status(answer, 400);
	assert_int_equal(graph_code(&answer), 190);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 0);
}

static void photo_fetch(void **state)
{
	reset_during_fetch(*state, false, GRAPH "/" BAKERY "/photos", "url", "square.jpg");
}

static void link_fetch(void **state)
{
	reset_during_fetch(*state, false, GRAPH "/" BAKERY "/feed", "link", "page.html");
}

static void video_fetch(void **state)
{
	reset_during_fetch(*state, false, GRAPH "/" BAKERY "/videos", "file_url", "clip.mp4");
}

static void container_fetch(void **state)
{
	reset_during_fetch(*state, true, GRAPH "/" BAKERY_IG "/media", "image_url", "square.jpg");
}

static void reel_fetch(void **state)
{
	reset_during_fetch(*state, true, GRAPH "/" BAKERY_IG "/media?media_type=REELS", "video_url",
			   "clip.mp4");
}

static void rupload_fetch(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct probe_answer step = graph_post(
		probe, world->page, GRAPH "/" BAKERY "/video_reels", STR("upload_phase=start"));
	const struct str auth =
		str_format(probe->arena, "Authorization: OAuth " STR_FMT, STR_ARG(world->page));
	const struct str file = str_format(probe->arena, "file_url: %s",
					   media_url(probe, &world->server, "clip.mp4"));
	world->server.on_fetch = reset_sandbox;
	world->server.context = world;
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){
			       .method = "POST",
			       .path = probe_z(probe, probe_json_string(&step, "upload_url")),
			       .headers = {probe_z(probe, auth), probe_z(probe, file)}});
	assert_status(answer, 400);
}

static void large_pictures_are_not_kept_but_known(void **state)
{
	struct world *world = *state;
	struct probe *probe = world->probe;
	const struct str bytes = jpeg_bytes(probe->arena, 800, 800, ((size_t)8 << 20) + 1);
	const struct str form =
		probe_form(probe, "url", media_url(probe, &world->server, "huge.jpg"), NULL);
	assert_status(graph_post(probe, world->page, GRAPH "/" BAKERY "/photos", form), 200);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const struct str sha256 =
		json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256"));
	assert_true(str_equal(sha256, probe_sha256_hex(probe, bytes)));
	assert_status(graph_get(probe, (struct str){0},
				probe_z(probe, str_format(probe->arena, "/_sandbox/media/" STR_FMT,
							  STR_ARG(sha256)))),
		      404);
	const struct probe_answer page = graph_get(probe, (struct str){0}, "/");
	assert_true(str_find(page.body, STR("image/jpeg, 8388609 bytes"), 0) != SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(photo_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(link_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(video_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(container_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(reel_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(rupload_fetch, world_open, world_close),
		cmocka_unit_test_setup_teardown(large_pictures_are_not_kept_but_known, world_open,
						world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
