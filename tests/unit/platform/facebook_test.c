/* SPDX-License-Identifier: Apache-2.0
 * The rules of Facebook Pages. The conversations are in tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rules_fixture.h"

static void posts_that_a_page_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"Hello\"}", ""},
		{"{\"content\":\"\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "media too_many_images 10 11\nmedia too_many_media 10 11"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.mp4\",\"type\":\"video\"}]}",
		 "media too_many_videos 0 1"},
		{"{\"content\":\"a\",\"type\":\"video\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.mp4\",\"type\":\"video\"}]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"type\":\"carousel\",\"media\":[{\"url\":\"https://"
		 "cdn.example/a.jpg\",\"type\":\"image\"}]}",
		 "media too_few_images 2 1\nmedia too_few_media 2 1"},
		{"{\"content\":\"a\",\"type\":\"carousel\",\"media\":[{\"url\":\"https://"
		 "cdn.example/a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"{63206*a}\"}", ""},
		{"{\"content\":\"{63207*a}\"}", "content text_too_long 63206 63207"},
		{"{\"content\":\" \"}", "content text_required 1 0"},
		{"{\"content\":\" "
		 "\",\"platforms\":{\"facebook\":{\"link\":\"https://e.example\"}}}",
		 ""},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}],\"platforms\":{\"facebook\":{\"link\":\"https://"
		 "e.example\"}}}",
		 "platforms.facebook.link link_with_media -1 -1"},
		{"{\"content\":\"a\",\"platforms\":{\"facebook\":{\"call_to_action\":{\"type\":"
		 "\"SHOP_NOW\"}}}}",
		 "platforms.facebook.call_to_action link_required -1 -1"},
		{"{\"content\":\"{131*a}\",\"platforms\":{\"facebook\":{\"text_format_preset_id\":"
		 "\"1\"}}}",
		 "platforms.facebook.text_format_preset_id text_too_long 130 131"},
		{"{\"content\":\"a\",\"platforms\":{\"facebook\":{\"published\":false,\"scheduled_"
		 "publish_time\":1,\"access_token\":\"x\"}}}",
		 "! platforms.facebook.published ignored\n! "
		 "platforms.facebook.scheduled_publish_time ignored\n! "
		 "platforms.facebook.access_token ignored"},
		{"{\"content\":\"a\",\"platforms\":{\"facebook\":{\"targeting\":\"all\","
		 "\"backdated_time_granularity\":\"week\"}}}",
		 "platforms.facebook.targeting bad_option -1 "
		 "-1\nplatforms.facebook.backdated_time_granularity bad_option -1 -1"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[{\"url\":"
		 "\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]},{\"content\":\"\",\"media\":[{\"url\":\"https://"
		 "cdn.example/a.jpg\",\"type\":\"image\"}]}]}",
		 ""},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[{\"url\":"
		 "\"https://cdn.example/a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]},{\"content\":\"b\",\"media\":[{\"url\":\"https://"
		 "cdn.example/a.mp4\",\"type\":\"video\"}]}]}",
		 "containers.1.media too_many_images 1 2\ncontainers.2.media too_many_videos 0 1"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\" \"}]}",
		 "containers.1.content text_required 1 0"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"{8001*b}\"}]}",
		 "containers.1.content text_too_long 8000 8001"},
		{"{\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"image\",\"alt_text\":\"{1001*a}\"}]}",
		 "media.0.alt_text alt_text_too_long 1000 1001"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_that_a_page_takes_and_those_it_does_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
