/* SPDX-License-Identifier: Apache-2.0
 * Instagram's rules. The conversations are in tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rules_fixture.h"

#define VIDEOS_3 VIDEO "," VIDEO "," VIDEO
#define VIDEOS_9 VIDEOS_3 "," VIDEOS_3 "," VIDEOS_3
#define IMAGES_5 IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE
#define IMAGES_10 IMAGES_5 "," IMAGES_5
#define TAG "{\"username\":\"jo\",\"x\":0.5,\"y\":1}"
#define CHILD_TAG "{\"username\":\"jo\",\"x\":0.5,\"y\":1,\"media\":1}"
#define TAGS_7 TAG "," TAG "," TAG "," TAG "," TAG "," TAG "," TAG
#define TAGS_21 TAGS_7 "," TAGS_7 "," TAGS_7

static void posts_that_instagram_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"Hello\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 ""},
		{"{\"content\":\"Hello\"}", "media too_few_images 1 0"},
		{"{\"content\":\"a\",\"media\":[" VIDEO "]}", ""},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," IMAGE "]}", ""},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," VIDEO "]}", ""},
		{"{\"content\":\"a\",\"type\":\"post\",\"media\":[" VIDEO "]}",
		 "media too_many_videos 0 1"},
		{"{\"content\":\"a\",\"type\":\"video\",\"media\":[" IMAGE "]}",
		 "media too_many_images 0 1"},
		{"{\"content\":\"a\",\"type\":\"carousel\",\"media\":[" IMAGE "]}",
		 "media too_few_media 2 1"},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," VIDEOS_9 "]}", ""},
		{"{\"content\":\"a\",\"media\":[" IMAGE "," IMAGES_10 "]}",
		 "media too_many_images 10 11\nmedia too_many_media 10 11"},
		{"{\"content\":\"a\",\"type\":\"article\",\"media\":[" IMAGE "]}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"type\":\"post\",\"media\":[{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"},{\"url\":\"https://cdn.example/"
		 "a.jpg\",\"type\":\"image\"}]}",
		 "media too_many_images 1 2\nmedia too_many_media 1 2"},
		{"{\"content\":\"\",\"type\":\"story\",\"media\":[" IMAGE "]}", ""},
		{"{\"content\":\"\",\"type\":\"story\",\"media\":[" VIDEO "]}", ""},
		{"{\"content\":\"a {31*#a }\",\"type\":\"story\",\"media\":[" IMAGE "]}",
		 "! content ignored"},
		{"{\"containers\":[{\"content\":\"\",\"type\":\"story\",\"media\":[" IMAGE
		 "]},{\"content\":\"b\"}]}",
		 "containers.1 comments_not_supported 0 1"},
		{"{\"content\":\"\",\"type\":\"story\",\"media\":[" IMAGE "," IMAGE "]}",
		 "media too_many_images 1 2\nmedia too_many_media 1 2"},
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
		 ""},
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
		/* Options have their places (meta.md 8). */
		{"{\"media\":[" IMAGE "],\"platforms\":{\"instagram\":{\"share_to_feed\":true,"
		 "\"audio_name\":\"a\",\"location_id\":\"4\"}}}",
		 "! platforms.instagram.share_to_feed ignored\n"
		 "! platforms.instagram.audio_name ignored"},
		{"{\"media\":[" VIDEO "],\"platforms\":{\"instagram\":{\"share_to_feed\":true,"
		 "\"audio_name\":\"a\",\"thumb_offset\":1500,\"cover_url\":\"https://c.example/"
		 "c.jpg\",\"trial_params\":{\"graduation_strategy\":\"MANUAL\"},"
		 "\"audio_configuration\":{\"audio_id\":\"1\"},\"is_ai_generated\":false,"
		 "\"is_paid_partnership\":true,\"branded_content_sponsor_ids\":[\"1\"],"
		 "\"product_tags\":[{\"product_id\":\"1\"}],\"user_tags\":[{\"username\":"
		 "\"jo\"}],\"collaborators\":[\"jo\"],\"location_id\":\"4\"}}}",
		 ""},
		{"{\"media\":[" VIDEO
		 "],\"platforms\":{\"instagram\":{\"cover_url\":\"ftp://c.example/c.jpg\","
		 "\"trial_params\":{\"graduation_strategy\":\"LUCK\"},\"user_tags\":[{\"x\":1}]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1\n"
		 "platforms.instagram.trial_params bad_option -1 -1\n"
		 "platforms.instagram.cover_url bad_option -1 -1"},
		{"{\"media\":[" IMAGE "],\"platforms\":{\"instagram\":{\"user_tags\":[\"jo\"]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1\n"
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" IMAGE "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAGS_21
		 "]}}}",
		 "platforms.instagram.user_tags option_too_large 20 21"},
		{"{\"media\":[" IMAGE "," IMAGE
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[{\"username\":\"jo\"}],"
		 "\"location_id\":\"4\"}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" IMAGE "," IMAGE
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAGS_7 "," TAGS_7 "," CHILD_TAG
		 "]}}}",
		 ""},
		{"{\"media\":[" IMAGE "," IMAGE
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAGS_21 "]}}}",
		 "platforms.instagram.user_tags option_too_large 20 21"},
		{"{\"media\":[" IMAGE "," VIDEO
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[" CHILD_TAG "]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" IMAGE "],\"platforms\":{\"instagram\":{\"user_tags\":[" CHILD_TAG
		 "]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" IMAGE
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[{\"username\":\"jo\"}]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" IMAGE "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAG
		 ",{\"username\":\"jo\",\"x\":1.01,\"y\":0}]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"media\":[" VIDEO "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAG "]}}}",
		 "platforms.instagram.user_tags bad_option -1 -1"},
		{"{\"type\":\"story\",\"media\":[" VIDEO
		 "],\"platforms\":{\"instagram\":{\"user_tags\":[" TAG ",{\"username\":\"jo\"}]}}}",
		 ""},
		/* What the request says of its files (meta.md 5). */
		{"{\"media\":[{\"url\":\"https://cdn.example/a\",\"type\":\"image\",\"mime_type\":"
		 "\"image/png\"}]}",
		 "! media.0.mime_type media_fitted"},
		{"{\"media\":[{\"url\":\"https://cdn.example/a\",\"type\":\"video\",\"mime_type\":"
		 "\"video/webm\",\"duration\":2}]}",
		 "media.0.mime_type media_type_not_supported -1 -1\nmedia.0.duration "
		 "media_too_short 3 "
		 "2"},
		{"{\"media\":[{\"url\":\"https://cdn.example/a\",\"type\":\"video\",\"duration\":"
		 "900}]}",
		 ""},
		{"{\"media\":[{\"url\":\"https://cdn.example/a\",\"type\":\"video\",\"duration\":"
		 "901}]}",
		 "media.0.duration media_too_long 900 901"},
		{"{\"type\":\"story\",\"media\":[{\"url\":\"https://cdn.example/a\",\"type\":"
		 "\"video\",\"duration\":61}]}",
		 "media.0.duration media_too_long 60 61"},
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
