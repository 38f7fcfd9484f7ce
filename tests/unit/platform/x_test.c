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
		{"{\"content\":\"a\",\"type\":\"video\"}", "type type_not_supported -1 -1"},
		{"{\"containers\":[{\"content\":\"a\",\"type\":\"story\"}]}",
		 "containers.0.type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "media too_many_images 0 1\nmedia too_many_media 0 1"},
		{"{\"content\":\"{280*a}\"}", ""},
		{"{\"content\":\"{281*a}\"}", "content text_too_long 280 281"},
		{"{\"content\":\"{141*\343\201\256}\"}", "content text_too_long 280 282"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"{281*b}\"}]}",
		 "containers.1.content text_too_long 280 281"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[{\"url\":"
		 "\"https://cdn.example/a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.mp4\",\"type\":\"video\"}]}]}",
		 "containers.1.media too_many_images 0 1\ncontainers.1.media too_many_videos 0 1"},
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
		 ""},
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
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"image\",\"alt_text\":\"b\"}]}",
		 "media too_many_images 0 1\nmedia too_many_media 0 1\n! media.0.alt_text ignored"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_X, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_that_x_takes_and_those_it_does_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
