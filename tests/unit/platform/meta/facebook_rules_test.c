/* SPDX-License-Identifier: Apache-2.0
 * The rules of Facebook Pages (meta.md 3, 5 and 8). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "rules_fixture.h"

#include "facebook_adapter.h"

#define TEN \
	IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE "," IMAGE \
	      "," IMAGE
#define POST(media, more) "{\"content\":\"a\",\"media\":[" media "]" more "}"
#define OPTIONS(members) ",\"platforms\":{\"facebook\":{" members "}}"
#define TYPE(name) ",\"type\":\"" name "\""

static void posts_that_a_page_takes_and_those_it_does_not(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\"Hello\"}", ""},
		{"{\"content\":\"\",\"media\":[" IMAGE "]}", ""},
		{"{\"media\":[" TEN "]}", ""},
		{"{\"media\":[" TEN "," IMAGE "]}",
		 "media too_many_images 10 11\nmedia too_many_media 10 11"},
		{POST(VIDEO, ""), ""},
		{POST(VIDEO "," VIDEO, ""), "media too_many_videos 1 2"},
		{POST(VIDEO "," IMAGE, ""), "media mixed_media -1 -1"},
		{POST(IMAGE "," IMAGE, TYPE("carousel")), ""},
		{POST(IMAGE, TYPE("carousel")),
		 "media too_few_images 2 1\nmedia too_few_media 2 1"},
		{POST(IMAGE "," VIDEO, TYPE("carousel")),
		 "media too_few_images 2 1\nmedia too_many_videos 0 1\nmedia mixed_media -1 -1"},
		{POST(VIDEO, TYPE("article")), "type type_not_supported -1 -1"},
		{"{\"content\":\"{63206*a}\"}", ""},
		{"{\"content\":\"{63207*a}\"}", "content text_too_long 63206 63207"},
		{"{\"content\":\" \"}", "content text_required 1 0"},
		{"{\"media\":[{\"url\":\"https://cdn.example/"
		 "a\",\"type\":\"image\",\"alt_text\":\"{1001*a}\"}]}",
		 "media.0.alt_text alt_text_too_long 1000 1001"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

static void reels_and_stories(void **state)
{
	static const struct rules_row rows[] = {
		{POST(VIDEO, TYPE("video")), ""},
		{POST(IMAGE, TYPE("video")), "media too_many_images 0 1"},
		{POST(VIDEO "," VIDEO, TYPE("video")),
		 "media too_many_videos 1 2\nmedia too_many_media 1 2"},
		{"{\"content\":\"\",\"media\":[" IMAGE "]" TYPE("story") "}", ""},
		{"{\"content\":\"\",\"media\":[" VIDEO "]" TYPE("story") "}", ""},
		{POST(IMAGE, TYPE("story")), "! content ignored"},
		{"{\"content\":\"a\"" TYPE("story") "}",
		 "media too_few_media 1 0\n! content ignored"},
		{POST(IMAGE "," IMAGE, TYPE("story")),
		 "media too_many_images 1 2\nmedia too_many_media 1 2\n! content ignored"},
		{"{\"containers\":[{\"content\":\"\",\"type\":\"story\",\"media\":[" IMAGE
		 "]},{\"content\":\"b\"}]}",
		 "containers.1 comments_not_supported 0 1"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

#define SAID(type, mime, seconds) \
	"{\"url\":\"https://cdn.example/a\",\"type\":\"" type "\",\"mime_type\":\"" mime \
	"\",\"duration\":" seconds "}"

static void what_the_request_says_of_its_media(void **state)
{
	static const struct rules_row rows[] = {
		{POST(SAID("image", "image/webp", "null"), ""), "! media.0.mime_type media_fitted"},
		{POST(SAID("image", "image/webp", "null,\"fit\":\"off\""), ""),
		 "media.0.mime_type media_type_not_supported -1 -1"},
		{POST(SAID("image", "image/png", "null"), ""), ""},
		{POST(SAID("video", "video/mp4", "600"), ""), ""},
		{POST(SAID("video", "video/mp4", "90"), TYPE("video")), ""},
		{POST(SAID("video", "video/mp4", "91"), TYPE("video")),
		 "media.0.duration media_too_long 90 91"},
		{POST(SAID("video", "video/mp4", "2"), TYPE("video")),
		 "media.0.duration media_too_short 3 2"},
		{POST(SAID("video", "video/webm", "9"), TYPE("video")),
		 "media.0.mime_type media_type_not_supported -1 -1"},
		{"{\"content\":\"\",\"media\":[" SAID("video", "video/mp4",
						      "61") "]" TYPE("story") "}",
		 "media.0.duration media_too_long 60 61"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

static void options_and_where_they_belong(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"content\":\" \"" OPTIONS("\"link\":\"https://e.example\"") "}", ""},
		{POST(IMAGE, OPTIONS("\"link\":\"https://e.example\"")),
		 "platforms.facebook.link link_with_media -1 -1"},
		{POST(VIDEO, TYPE("video") OPTIONS("\"link\":\"https://e.example\"")),
		 "platforms.facebook.link link_with_media -1 -1"},
		{"{\"content\":\"a\"" OPTIONS("\"call_to_action\":{\"type\":\"SHOP_NOW\"}") "}",
		 "platforms.facebook.call_to_action link_required -1 -1"},
		{"{\"content\":\"{131*a}\"" OPTIONS("\"text_format_preset_id\":\"1\"") "}",
		 "platforms.facebook.text_format_preset_id text_too_long 130 131"},
		/* what is ours cannot be set from outside */
		{"{\"content\":\"a\"" OPTIONS(
			 "\"published\":false,\"scheduled_publish_time\":1,\"access_token\":\"x\","
			 "\"upload_phase\":\"start\",\"attached_media\":[]") "}",
		 "! platforms.facebook.published ignored\n"
		 "! platforms.facebook.scheduled_publish_time ignored\n"
		 "! platforms.facebook.access_token ignored\n"
		 "! platforms.facebook.upload_phase ignored\n"
		 "! platforms.facebook.attached_media ignored"},
		{"{\"content\":\"a\"" OPTIONS(
			 "\"targeting\":\"all\",\"backdated_time_granularity\":\"week\"") "}",
		 "platforms.facebook.targeting bad_option -1 -1\n"
		 "platforms.facebook.backdated_time_granularity bad_option -1 -1"},
		{POST(VIDEO, OPTIONS("\"title\":\"T\",\"content_category\":\"MUSIC\","
				     "\"content_tags\":[\"a\"],\"embeddable\":false")),
		 "! platforms.facebook.content_category depends_on_the_video\n"
		 "! platforms.facebook.content_tags depends_on_the_video\n"
		 "! platforms.facebook.embeddable depends_on_the_video"},
		{POST(VIDEO, OPTIONS("\"collaborators\":[\"1\"],\"photo_captions\":[\"a\"]")),
		 "! platforms.facebook.collaborators depends_on_the_video\n"
		 "! platforms.facebook.photo_captions ignored"},
		{POST(IMAGE, OPTIONS("\"photo_captions\":[\"a\"]")), ""},
		{POST(VIDEO, TYPE("video") OPTIONS("\"collaborators\":[\"1\"]")), ""},
		{POST(VIDEO, OPTIONS("\"content_category\":\"NONSENSE\",\"embeddable\":1")),
		 "platforms.facebook.content_category bad_option -1 -1\n"
		 "platforms.facebook.embeddable bad_option -1 -1\n"
		 "! platforms.facebook.content_category depends_on_the_video\n"
		 "! platforms.facebook.embeddable depends_on_the_video"},
		{"{\"content\":\"a\"" OPTIONS("\"title\":\"T\",\"embeddable\":true") "}",
		 "! platforms.facebook.title ignored\n! platforms.facebook.embeddable ignored"},
		{POST(VIDEO, TYPE("video") OPTIONS("\"title\":\"T\",\"place\":\"1\","
						   "\"video_state\":\"DRAFT\"")),
		 ""},
		{POST(VIDEO, TYPE("video") OPTIONS("\"backdated_time\":\"2020-01-01\"")),
		 "! platforms.facebook.backdated_time ignored"},
		{"{\"content\":\"\",\"media\":[" IMAGE "]" TYPE("story")
			 OPTIONS("\"place\":\"1\"") "}",
		 "! platforms.facebook.place ignored"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

static void comments(void **state)
{
	static const struct rules_row rows[] = {
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[" IMAGE
		 "]},{\"content\":\"\",\"media\":[" IMAGE "]}]}",
		 ""},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[" IMAGE
		 "," IMAGE "]},{\"content\":\"b\",\"media\":[" VIDEO "]}]}",
		 "containers.1.media too_many_images 1 2\ncontainers.2.media too_many_videos 0 1"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\" \"}]}",
		 "containers.1.content text_required 1 0"},
		{"{\"containers\":[{\"content\":\"a\"},{\"content\":\"{8001*b}\"}]}",
		 "containers.1.content text_too_long 8000 8001"},
	};
	(void)state;
	CHECK_RULES(PLATFORM_FACEBOOK, rows);
}

static void a_post_becomes_one_of_five_kinds(void **state)
{
	static const struct {
		const char *body;
		enum post_type type;
		enum facebook_kind kind;
	} rows[] = {
		{"{\"content\":\"a\"}", POST_TYPE_POST, FACEBOOK_FEED},
		{POST(IMAGE, ""), POST_TYPE_POST, FACEBOOK_FEED},
		{POST(IMAGE "," IMAGE, ""), POST_TYPE_CAROUSEL, FACEBOOK_FEED},
		{POST(VIDEO, ""), POST_TYPE_POST, FACEBOOK_VIDEO},
		{POST(VIDEO, ""), POST_TYPE_VIDEO, FACEBOOK_REEL},
		{POST(IMAGE, ""), POST_TYPE_STORY, FACEBOOK_PHOTO_STORY},
		{POST(VIDEO, ""), POST_TYPE_STORY, FACEBOOK_VIDEO_STORY},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("rules", 16 * 1024 * 1024);
		const struct post_content post = rules_post(arena, rows[i].body);
		assert_int_equal(facebook_kind_of(&post, rows[i].type), rows[i].kind);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_that_a_page_takes_and_those_it_does_not),
		cmocka_unit_test(reels_and_stories),
		cmocka_unit_test(what_the_request_says_of_its_media),
		cmocka_unit_test(options_and_where_they_belong),
		cmocka_unit_test(comments),
		cmocka_unit_test(a_post_becomes_one_of_five_kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
