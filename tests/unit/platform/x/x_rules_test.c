/* SPDX-License-Identifier: Apache-2.0
 * X's rules: what can be published there now, and nothing more. The conversations are in
 * tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rules_fixture.h"

static void posts_that_x_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"Hello\"}", ""},
		{"{\"content\":\"Hello\",\"type\":\"post\"}", ""},
		{"{\"content\":\"a\",\"type\":\"video\"}", "media too_few_videos 1 0"},
		{"{\"containers\":[{\"content\":\"a\",\"type\":\"story\"}]}",
		 "containers.0.type type_not_supported -1 -1"},
		{"{\"content\":\"{280*a}\"}", ""},
		{"{\"content\":\"{281*a}\"}", "content text_too_long 280 281"},
		{"{\"content\":\"{141*\343\201\256}\"}", "content text_too_long 280 282"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"{281*b}\"}]}",
		 "containers.1.content text_too_long 280 281"},
		{"{\"content\":\"   \"}", "content text_required 1 0"},
		{"{\"content\":\"buy $ABC and $DEF\"}", "content too_many_cashtags 1 2"},
		{"{\"content\":\"costs $5 or US$AB, $ABC\"}", ""},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"$A $B\"}]}",
		 "containers.1.content too_many_cashtags 1 2"},
		{"{\"content\":\"a\357\273\277b\"}", "content forbidden_character -1 -1"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"reply_settings\":\"nobody\"}}}",
		 "platforms.x.reply_settings bad_option -1 -1"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"reply_settings\":\"everyone\","
		 "\"nullcast\":true,\"geo_place_id\":\"1\",\"in_reply_to_tweet_id\":\"5\","
		 "\"exclude_reply_user_ids\":[\"1\"],"
		 "\"poll\":null}}}",
		 "! platforms.x.in_reply_to_tweet_id needs_mention"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"nullcast\":\"yes\",\"community_id\":5,"
		 "\"exclude_reply_user_ids\":[1],\"poll\":[]}}}",
		 "platforms.x.nullcast bad_option -1 -1\nplatforms.x.community_id bad_option -1 "
		 "-1\nplatforms.x.exclude_reply_user_ids bad_option -1 -1\nplatforms.x.poll "
		 "bad_option -1 -1\n! platforms.x.exclude_reply_user_ids ignored"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"text\":\"b\",\"media\":{}}}}",
		 "! platforms.x.text ignored\n! platforms.x.media ignored"},
		{"{\"content\":\"a\",\"platforms\":{\"twitter\":{\"what\":1},\"facebook\":{"
		 "\"nullcast\":\"no\"}}}",
		 "! platforms.x.what ignored"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"poll\":{\"options\":[\"a\"],"
		 "\"duration_minutes\":60}}}}",
		 "platforms.x.poll bad_poll -1 -1"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"poll\":{\"options\":[\"a\",\"{26*b}\"]"
		 ",\"duration_minutes\":60}}}}",
		 "platforms.x.poll bad_poll -1 -1"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"poll\":{\"options\":[\"a\",\"b\","
		 "\"c\",\"d\",\"e\"],\"duration_minutes\":4}}}}",
		 "platforms.x.poll bad_poll -1 -1\nplatforms.x.poll bad_poll 10080 4"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"poll\":{\"options\":[\"a\",\"{25*b}\"]"
		 ",\"duration_minutes\":10080}}}}",
		 ""},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"poll\":{}}}}",
		 "platforms.x.poll bad_poll -1 -1\nplatforms.x.poll bad_poll 10080 0"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"quote_tweet_id\":\"1\",\"card_uri\":"
		 "\"card://1\"}}}",
		 "platforms.x exclusive_options 1 2\n! platforms.x.quote_tweet_id "
		 "needs_enterprise"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"exclude_reply_user_ids\":[\"1\"]}}}",
		 "! platforms.x.exclude_reply_user_ids ignored"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_X, rows);
}

static void files_that_x_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"video\",\"thumbnail_url\":\"https://cdn.example/b\"}]}",
		 "! media ignored"},
		{"{\"content\":\"\",\"media\":[" IMAGE "," IMAGE "," IMAGE "," IMAGE "]}", ""},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE
		 "]}",
		 "media too_many_images 4 5\nmedia too_many_media 4 5"},
		{"{\"content\":\"a\",\"media\":[" VIDEO "]}", ""},
		{"{\"content\":\"a\",\"media\":[" VIDEO "," VIDEO "]}",
		 "media too_many_videos 1 2"},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," VIDEO "]}", "media mixed_media 1 2"},
		{"{\"content\":\"a\",\"type\":\"video\",\"media\":[" IMAGE "]}",
		 "media too_many_images 0 1"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"\",\"media\":[" IMAGE
		 "]},{\"content\":\"b\",\"media\":[" VIDEO "]}]}",
		 ""},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[" IMAGE
		 "," VIDEO "]}]}",
		 "containers.1.media mixed_media 1 2"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"image\",\"mime_type\":\"application/pdf\"}]}",
		 "media.0.mime_type media_type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"video\",\"duration\":1201,\"alt_text\":\"b\"}]}",
		 "media.0.duration media_too_long 1200 1201\n! media ignored"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"image\",\"alt_text\":\"{1001*b}\"}]}",
		 "media.0.alt_text alt_text_too_long 1000 1001"},
		{"{\"content\":\"a\",\"media\":[" IMAGE
		 "],\"platforms\":{\"x\":{\"poll\":{\"options\":[\"a\",\"b\"],"
		 "\"duration_minutes\":60}}}}",
		 "platforms.x exclusive_options 1 2"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_X, rows);
}

static void options_that_x_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"community_id\":"
		 "\"https://x.com/i/communities/77\",\"tagged_user_ids\":[\"1\",\"2\"]}}}",
		 ""},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"community_id\":\"mine\","
		 "\"preview_media_id\":\"12345678901234567890\",\"tagged_user_ids\":[\"jo\"]}}}",
		 "platforms.x.community_id bad_option -1 -1\nplatforms.x.preview_media_id "
		 "bad_option -1 -1\nplatforms.x.tagged_user_ids bad_option -1 -1"},
		{"{\"content\":\"a\",\"media\":[" VIDEO "],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"https://cdn.example/a.srt\",\"language\":\"de\",\"name\":\"Deutsch\"},{"
		 "\"url\":\"https://cdn.example/b.srt\",\"language\":\"EN\"}]}}}",
		 ""},
		{"{\"content\":\"a\",\"media\":[" VIDEO "],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"https://cdn.example/a.srt\",\"language\":\"pt-BR\"}]}}}",
		 "platforms.x.captions bad_option -1 -1"},
		{"{\"content\":\"a\",\"media\":[" VIDEO "],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"a.srt\",\"language\":\"de\"}]}}}",
		 "platforms.x.captions bad_option -1 -1"},
		{"{\"content\":\"a\",\"media\":[" VIDEO "],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"https://cdn.example/a.srt\",\"language\":\"de\"},{"
		 "\"url\":\"https://cdn.example/b.srt\",\"language\":\"DE\"}]}}}",
		 "platforms.x.captions bad_option -1 -1"},
		{"{\"content\":\"a\",\"media\":[" IMAGE "],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"https://cdn.example/a.srt\",\"language\":\"de\"}]}}}",
		 "platforms.x.captions captions_without_video -1 -1"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[" VIDEO
		 "]}],\"platforms\":{\"x\":{\"captions\":[{"
		 "\"url\":\"https://cdn.example/a.srt\",\"language\":\"de\"}]}}}",
		 "platforms.x.captions captions_without_video -1 -1"},
		{"{\"content\":\"https://example.com\",\"platforms\":{\"x\":{\"strip_links\":"
		 "true}}}",
		 "content text_required 1 0"},
		{"{\"content\":\"a\",\"platforms\":{\"x\":{\"article\":{}}}}",
		 "! platforms.x.article ignored"},
		{"{\"content\":\"{9999*ab }\",\"type\":\"article\"}", "! type needs_subscription"},
		{"{\"content\":\"a\",\"type\":\"article\",\"media\":[" VIDEO "]}",
		 "media too_many_videos 0 1\n! type needs_subscription"},
		{"{\"containers\":[{\"content\":\"a\",\"type\":\"article\"},{\"content\":"
		 "\"b\"}],\"platforms\":{\"x\":{\"article\":{\"status\":\"draft\",\"cover_url\":"
		 "\"cover.png\"}}}}",
		 "platforms.x.article bad_option -1 -1\ncontainers.1 comments_not_supported 0 1\n"
		 "! type needs_subscription"},
		{"{\"content\":\"a\",\"type\":\"article\",\"platforms\":{\"x\":{\"article\":{"
		 "\"status\":\"now\"}}}}",
		 "platforms.x.article bad_option -1 -1\n! type needs_subscription"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_X, rows);
}

/* How many problems that account has with a post and a reply of so many letters. */
static size_t problems_of(const char *subscription, size_t letters)
{
	struct arena *arena = arena_new("rules", 64 * 1024 * 1024);
	const struct str extra_text =
		str_format(arena, "{\"subscription_type\":\"%s\"}", subscription);
	const struct str body = str_format(
		arena, "{\"containers\":[{\"content\":\"{%zu*a}\"},{\"content\":\"{%zu*b}\"}]}",
		letters, letters);
	const struct post_content post = rules_post(arena, str_z(arena, body));
	const struct json *extra = NULL;
	struct problems problems;
	assert_int_equal(json_parse(arena, extra_text, NULL, &extra, NULL, NULL), ERR_NONE);
	problems_init(&problems, arena);
	rules_check(arena, platform_of(PLATFORM_X), &post,
		    &(struct rules_account){.id = STR("acc"), .extra = extra}, &problems);
	const size_t count = problems.count;
	arena_free(&arena);
	return count;
}

static void a_subscription_allows_long_texts(void **state)
{
	(void)state;
	assert_int_equal(problems_of("None", 280), 0);
	assert_int_equal(problems_of("None", 281), 2);
	assert_int_equal(problems_of("Basic", 25000), 0);
	assert_int_equal(problems_of("Premium", 25000), 0);
	assert_int_equal(problems_of("PremiumPlus", 25001), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_that_x_takes_and_those_it_does_not),
		cmocka_unit_test(files_that_x_takes_and_those_it_does_not),
		cmocka_unit_test(options_that_x_takes_and_those_it_does_not),
		cmocka_unit_test(a_subscription_allows_long_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
