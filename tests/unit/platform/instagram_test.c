/* SPDX-License-Identifier: Apache-2.0
 * Instagram's rules. The conversations are in tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rules_fixture.h"

static void posts_that_instagram_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"Hello\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"Hello\"}", "media too_few_images 1 0\nmedia too_few_media 1 0"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.mp4\",\"type\":\"video\"}]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.mp4\",\"type\":\"video\"}]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"type\":\"post\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "media too_many_images 1 2\nmedia too_many_media 1 2"},
		{"{\"content\":\"a\",\"type\":\"story\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"{2200*\343\201\256}\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"{2201*a}\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "content text_too_long 2200 2201"},
		{"{\"content\":\"{30*#a "
		 "}\",\"media\":[{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}]}",
		 "! content many_hashtags"},
		{"{\"content\":\"{31*#a "
		 "}\",\"media\":[{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}]}",
		 "content too_many_hashtags 30 31"},
		{"{\"content\":\"{40*# "
		 "}\",\"media\":[{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"@a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a @a "
		 "\",\"media\":[{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}]}",
		 "content too_many_mentions 20 21"},
		{"{\"media\":[{\"url\":\"https://cdn.example/\303\251.jpg\",\"type\":\"image\"}]}",
		 "media.0.url url_not_ascii -1 -1"},
		{"{\"containers\":[{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]},{\"content\":\"b\",\"media\":[{\"url\":\"https://"
		 "cdn.example/a.jpg\",\"type\":\"image\"}]}]}",
		 "containers.1.media too_many_images 0 1"},
		{"{\"containers\":[{\"content\":\"a\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]},{\"content\":\"b\"}]}",
		 ""},
		{"{\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}],\"platforms\":{\"instagram\":{\"collaborators\":["
		 "\"a\",\"b\",\"c\",\"d\"],\"media_type\":\"REELS\",\"is_ai_generated\":1}}}",
		 "platforms.instagram.collaborators option_too_large 3 "
		 "4\nplatforms.instagram.is_ai_generated bad_option -1 -1\n! "
		 "platforms.instagram.media_type ignored"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_INSTAGRAM, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_that_instagram_takes_and_those_it_does_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
