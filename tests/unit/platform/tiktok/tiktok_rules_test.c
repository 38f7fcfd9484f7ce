/* SPDX-License-Identifier: Apache-2.0
 * What TikTok allows: videos and photo posts, their texts and options, and what the creator is
 * known to be able to (tiktok.md 2.4, 3, 6). */
#include "tiktok.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"
#include "rules_fixture.h"

static struct talk talk;

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_tiktok);
	talk_video(&talk, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

static void comments_are_refused_and_the_default_is_said(void **state)
{
	(void)state;
	struct problems problems;
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 0);
	assert_int_equal(problems.warning_count, 1);
	assert_true(str_equal_z(problems.warnings[0].field, "platforms.tiktok.privacy_level"));
	talk.post.container_count = 2;
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 1);
	assert_true(str_equal_z(problems.items[0].reason, "comments_not_supported"));
	assert_int_equal(problems.warning_count, 1);
}

static void captions_count_utf16_units_and_brands_are_not_private(void **state)
{
	(void)state;
	char caption[4 * 1101 + 1];
	for (size_t i = 0; i + 1 < sizeof(caption); i += 4)
		memcpy(caption + i, "\xf0\x9f\x93\xaf", 4);
	struct problems problems;
	problems_init(&problems, talk.arena);
	talk.containers[0].content = (struct str){caption, 4 * 1100};
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 0);
	talk.containers[0].content = (struct str){caption, 4 * 1101};
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 1);
	assert_int_equal(problems.items[0].limit, 2200);
	assert_int_equal(problems.items[0].actual, 2202);
	problems_init(&problems, talk.arena);
	talk.containers[0].content = STR("");
	talk_options(&talk, "{\"privacy_level\":\"SELF_ONLY\",\"brand_content_toggle\":true}");
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 1);
	assert_true(str_equal_z(problems.items[0].reason, "branded_content_private"));
}

#define PHOTO "{\"url\":\"https://m.example/a.jpg\",\"type\":\"image\"}"
#define LEVEL "\"privacy_level\":\"SELF_ONLY\""
#define PHOTOS(media, options) \
	"{\"content\":\"a\",\"media\":[" media "],\"platforms\":{\"tiktok\":{" LEVEL options "}}}"
#define CLIP(fields, options) \
	"{\"content\":\"a\",\"media\":[{\"url\":\"https://m.example/" \
	"v.mp4\",\"type\":\"video\"" fields "}],\"platforms\":{\"tiktok\":{" LEVEL options "}}}"

static void photo_posts_have_rules_of_their_own(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{PHOTOS(PHOTO, ""), ""},
		{PHOTOS(PHOTO "," PHOTO,
			",\"photo_cover_index\":1,\"title\":\"{90*t}\",\"auto_add_music\":true"),
		 ""},
		{PHOTOS(PHOTO, ",\"title\":\"{91*t}\""),
		 "platforms.tiktok.title option_too_large 90 91"},
		{PHOTOS(PHOTO "," PHOTO, ",\"photo_cover_index\":2"),
		 "platforms.tiktok.photo_cover_index no_such_photo 1 2"},
		{PHOTOS(PHOTO, ",\"source\":\"FILE_UPLOAD\""),
		 "platforms.tiktok.source photos_are_pulled -1 -1"},
		{PHOTOS(PHOTO, ",\"source\":\"PULL_FROM_URL\""), ""},
		{PHOTOS(PHOTO, ",\"disable_duet\":true"),
		 "! platforms.tiktok.disable_duet ignored"},
		{PHOTOS("{\"url\":\"https://m.example/"
			"a.png\",\"type\":\"image\",\"mime_type\":\"image/png\"}",
			""),
		 "! media.0.mime_type media_fitted"},
		{PHOTOS("{\"url\":\"https://m.example/"
			"a.webp\",\"type\":\"image\",\"mime_type\":\"image/webp\"}",
			""),
		 ""},
		{"{\"type\":\"carousel\",\"content\":\"a\",\"media\":[" PHOTO
		 ",{\"url\":\"https://m.example/v.mp4\",\"type\":\"video\"}],"
		 "\"platforms\":{\"tiktok\":{" LEVEL "}}}",
		 "media too_many_videos 0 1\n! media.1.url media_type_suspect"},
		{"{\"type\":\"post\",\"content\":\"a\",\"media\":[" PHOTO
		 "],\"platforms\":{\"tiktok\":{" LEVEL "}}}",
		 "type type_not_supported -1 -1"},
		{"{\"content\":\"{4000*a}\",\"media\":[" PHOTO "],\"platforms\":{\"tiktok\":{" LEVEL
		 "}}}",
		 ""},
		{"{\"content\":\"{4001*a}\",\"media\":[" PHOTO "],\"platforms\":{\"tiktok\":{" LEVEL
		 "}}}",
		 "content text_too_long 4000 4001"},
	};
	CHECK_RULES(PLATFORM_TIKTOK, rows);
}

static void videos_have_theirs(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{CLIP("", ""), ""},
		{CLIP("", ",\"title\":\"t\""), "! platforms.tiktok.title ignored"},
		{CLIP("", ",\"source\":\"FILE_UPLOAD\",\"post_mode\":\"DIRECT_POST\""), ""},
		{CLIP("", ",\"post_mode\":\"LATER\""),
		 "platforms.tiktok.post_mode bad_option -1 -1"},
		{CLIP(",\"duration\":600,\"mime_type\":\"video/quicktime\"", ""), ""},
		{CLIP(",\"duration\":601", ""), "media.0.duration media_too_long 600 601"},
		{CLIP("", ",\"video_cover_timestamp_ms\":-1"),
		 "platforms.tiktok.video_cover_timestamp_ms bad_option -1 -1"},
		{CLIP("", ",\"privacy_level_options\":[]"),
		 "! platforms.tiktok.privacy_level_options ignored"},
		{"{\"content\":\"{2201*a}\",\"media\":[{\"url\":\"https://m.example/"
		 "v.mp4\",\"type\":\"video\"}],"
		 "\"platforms\":{\"tiktok\":{" LEVEL "}}}",
		 "content text_too_long 2200 2201"},
	};
	CHECK_RULES(PLATFORM_TIKTOK, rows);
}

static void expect_warning(const char *extra, const char *level, int64_t duration_s,
			   const char *code)
{
	struct problems problems;
	problems_init(&problems, talk.arena);
	talk_options(&talk, str_z(talk.arena,
				  str_format(talk.arena, "{\"privacy_level\":\"%s\"}", level)));
	talk.media.duration_s = duration_s;
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1"), .extra = talk_json(&talk, extra)},
		    &problems);
	assert_int_equal(problems.count, 0);
	assert_int_equal(problems.warning_count, code != NULL);
	if (code != NULL)
		assert_true(str_equal_z(problems.warnings[0].code, code));
}

static void what_tiktok_said_last_is_warned_of(void **state)
{
	(void)state;
	static const char offered[] =
		"{\"privacy_level_options\":[\"SELF_ONLY\"],\"max_video_post_duration_sec\":60}";
	expect_warning(offered, "PUBLIC_TO_EVERYONE", -1, "tiktok_privacy_not_offered");
	expect_warning(offered, "SELF_ONLY", 60, NULL);
	expect_warning(offered, "SELF_ONLY", 61, "tiktok_long_video");
	expect_warning("{\"is_unaudited\":true}", "PUBLIC_TO_EVERYONE", -1, "tiktok_unaudited_app");
	expect_warning("{\"is_unaudited\":true}", "SELF_ONLY", -1, NULL);
	expect_warning("{\"is_unaudited\":false}", "PUBLIC_TO_EVERYONE", -1, NULL);
}

static void app_says_what_becomes_of_a_post_without_a_level(void **state)
{
	(void)state;
	struct problems problems;
	struct rules_account account = {.id = STR("a1"), .tiktok_privacy = APP_TIKTOK_SELF_ONLY};
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post, &account, &problems);
	assert_int_equal(problems.count, 0);
	assert_true(str_find(problems.warnings[0].message, STR("tiktok_privacy"), 0) != SIZE_MAX);
	account.tiktok_privacy = APP_TIKTOK_REFUSE;
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post, &account, &problems);
	assert_int_equal(problems.count, 1);
	assert_true(str_equal_z(problems.items[0].field, "platforms.tiktok.privacy_level"));
	assert_true(str_equal_z(problems.items[0].reason, "option_required"));
}

static void draft_of_a_video_keeps_nothing_but_the_file(void **state)
{
	(void)state;
	struct problems problems;
	problems_init(&problems, talk.arena);
	talk.containers[0].content = STR("a");
	talk_options(&talk, "{\"post_mode\":\"MEDIA_UPLOAD\",\"privacy_level\":\"SELF_ONLY\","
			    "\"brand_content_toggle\":true,\"is_aigc\":true,\"auto_add_music\":"
			    "true}");
	rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 0);
	static const char *const fields[] = {
		"platforms.tiktok.auto_add_music", "platforms.tiktok.privacy_level",
		"platforms.tiktok.brand_content_toggle", "platforms.tiktok.is_aigc", "content"};
	assert_int_equal(problems.warning_count, COUNT_OF(fields));
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		assert_true(str_equal_z(problems.warnings[i].field, fields[i]));
		assert_true(str_equal_z(problems.warnings[i].code, "ignored"));
	}
}

static void what_was_not_granted_is_refused_with_the_remedy(void **state)
{
	(void)state;
	static const struct {
		const char *extra, *options;
		const char *permission; /* NULL = taken */
	} rows[] = {
		{"{\"can_post\":true,\"can_draft\":false}", "{\"post_mode\":\"MEDIA_UPLOAD\"}",
		 "video.upload"},
		{"{\"can_post\":false,\"can_draft\":true}", "{\"privacy_level\":\"SELF_ONLY\"}",
		 "video.publish"},
		{"{\"can_post\":false,\"can_draft\":true}", "{\"post_mode\":\"MEDIA_UPLOAD\"}",
		 NULL},
		{"{}", "{\"post_mode\":\"MEDIA_UPLOAD\"}", NULL},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct problems problems;
		problems_init(&problems, talk.arena);
		talk_options(&talk, rows[i].options);
		rules_check(talk.arena, platform_of(PLATFORM_TIKTOK), &talk.post,
			    &(struct rules_account){.id = STR("a1"),
						    .extra = talk_json(&talk, rows[i].extra)},
			    &problems);
		assert_int_equal(problems.count, rows[i].permission != NULL);
		if (rows[i].permission == NULL)
			continue;
		assert_true(str_equal_z(problems.items[0].reason, "scope_missing"));
		assert_true(str_find(problems.items[0].message, str_of(rows[i].permission), 0) !=
			    SIZE_MAX);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(comments_are_refused_and_the_default_is_said),
		TEST(captions_count_utf16_units_and_brands_are_not_private),
		TEST(photo_posts_have_rules_of_their_own),
		TEST(videos_have_theirs),
		TEST(what_tiktok_said_last_is_warned_of),
		TEST(app_says_what_becomes_of_a_post_without_a_level),
		TEST(draft_of_a_video_keeps_nothing_but_the_file),
		TEST(what_was_not_granted_is_refused_with_the_remedy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
