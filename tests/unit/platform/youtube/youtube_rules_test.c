/* SPDX-License-Identifier: Apache-2.0
 * What YouTube allows: titles, tags, options, comments, and what the account is known to be
 * (youtube.md 3, 6). */
#include "count_of.h"

#include "youtube.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"
#include "rules_fixture.h"

static struct talk talk;

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_youtube);
	talk_video(&talk, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

static void expect_problems(const char *name, const char *const *reasons)
{
	struct problems problems;
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_YOUTUBE), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	size_t count = 0;
	while (reasons[count] != NULL) {
		bool has = false;
		for (size_t i = 0; i < problems.count; i++)
			has = has || str_equal_z(problems.items[i].reason, reasons[count]);
		if (!has)
			fail_msg("%s: no problem %s", name, reasons[count]);
		count++;
	}
	if (problems.count != count)
		fail_msg("%s: %zu problems instead of %zu", name, problems.count, count);
}

static void rules_refuse_what_youtube_would(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *content;
		const char *options;
		const char *reasons[4];
	} rows[] = {
		{"plain", "text", "{}", {NULL}},
		{"title only", "", "{\"title\":\"T\"}", {NULL}},
		{"no title", "", "{}", {"title_missing"}},
		{"angle in the text",
		 "a <b>",
		 "{}",
		 {"title_characters", "description_characters"}},
		{"angle in the text's second line", "a\n<b>", "{}", {"description_characters"}},
		{"angle in the title", "a", "{\"title\":\"<\"}", {"title_characters"}},
		{"angle in the text, but description given",
		 "a\n<b>",
		 "{\"description\":\"d\"}",
		 {NULL}},
		{"tags", "a", "{\"tags\":[\"%s\"]}", {"tags_too_long"}},
		{"bad privacy", "a", "{\"privacyStatus\":\"secret\"}", {"bad_option"}},
	};
	char tag[502];
	memset(tag, 'x', 501);
	tag[501] = '\0';
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		talk.containers[0].content = str_of(rows[i].content);
		const struct str options = str_format(talk.arena, "%s", rows[i].options);
		if (str_find(options, STR("%s"), 0) == SIZE_MAX)
			talk_options(&talk, rows[i].options);
		else
			talk_options(&talk,
				     str_z(talk.arena,
					   str_format(talk.arena, "{\"tags\":[\"%s\"]}", tag)));
		expect_problems(rows[i].name, rows[i].reasons);
	}
}

static void rules_know_titles_by_characters_and_media_by_kind(void **state)
{
	(void)state;
	static const char *const too_long[] = {"title_too_long", NULL};
	static const char *const none[] = {NULL};
	char title[2 * 101 + 1];
	for (size_t i = 0; i < 202; i += 2)
		memcpy(title + i, "\xc3\xa9", 2);
	title[202] = '\0';
	talk_options(&talk, str_z(talk.arena, str_format(talk.arena, "{\"title\":\"%s\"}", title)));
	expect_problems("101 characters", too_long);
	title[200] = '\0';
	talk_options(&talk, str_z(talk.arena, str_format(talk.arena, "{\"title\":\"%s\"}", title)));
	expect_problems("100 characters", none);
	static const char *const image[] = {"too_many_images", NULL};
	talk.media.type = MEDIA_IMAGE;
	expect_problems("an image", image);
}

static void a_default_privacy_is_said_once(void **state)
{
	(void)state;
	struct problems problems;
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_YOUTUBE), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	rules_check(talk.arena, platform_of(PLATFORM_YOUTUBE), &talk.post,
		    &(struct rules_account){.id = STR("a2")}, &problems);
	assert_int_equal(problems.warning_count, 1);
	assert_true(str_equal_z(problems.warnings[0].field, "platforms.youtube.privacyStatus"));
	problems_init(&problems, talk.arena);
	talk_options(&talk, "{\"privacyStatus\":\"private\"}");
	rules_check(talk.arena, platform_of(PLATFORM_YOUTUBE), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.warning_count, 0);
}

#define CLIP(fields) "{\"url\":\"https://m.example/v.mp4\",\"type\":\"video\"" fields "}"
#define OPTIONS(options) \
	"{\"content\":\"a\",\"media\":[" CLIP("") "],\"platforms\":{\"youtube\":{" options "}}}"
#define COMMENTED(options) \
	"{\"containers\":[{\"content\":\"a\",\"media\":[" CLIP( \
		"") "]},{\"content\":\"c\"}]," \
		    "\"platforms\":{\"youtube\":{" options "}}}"

static void options_are_looked_at_one_by_one(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{OPTIONS("\"privacyStatus\":\"private\",\"publishAt\":\"2026-12-01T09:00:00Z\""),
		 ""},
		{OPTIONS("\"publishAt\":\"2026-12-01T09:00:00Z\""), ""},
		{OPTIONS("\"publishAt\":\"tomorrow\""),
		 "platforms.youtube.publishAt bad_option -1 -1"},
		{OPTIONS("\"publishAt\":7"),
		 "platforms.youtube.publishAt bad_option -1 -1\n"
		 "! platforms.youtube.privacyStatus youtube_privacy_default"},
		{OPTIONS("\"privacyStatus\":\"unlisted\",\"publishAt\":\"2026-12-01T09:00:00Z\""),
		 "platforms.youtube.privacyStatus publish_at_needs_private -1 -1"},
		{OPTIONS("\"privacyStatus\":\"public\",\"categoryId\":\"22\""), ""},
		{OPTIONS("\"privacyStatus\":\"public\",\"categoryId\":\"People\""),
		 "platforms.youtube.categoryId bad_option -1 -1"},
		{OPTIONS("\"privacyStatus\":\"public\",\"recordingDetails\":{\"recordingDate\":"
			 "\"2026-01-01T00:00:00Z\"}"),
		 ""},
		{OPTIONS("\"privacyStatus\":\"public\",\"recordingDetails\":{}"),
		 "platforms.youtube.recordingDetails bad_option -1 -1"},
		{OPTIONS("\"privacyStatus\":\"public\",\"paidProductPlacementDetails\":{"
			 "\"hasPaidProductPlacement\":\"yes\"}"),
		 "platforms.youtube.paidProductPlacementDetails bad_option -1 -1"},
		{OPTIONS("\"privacyStatus\":\"public\",\"localizations\":{\"de\":{\"title\":\"T\"}"
			 "}"),
		 "platforms.youtube.defaultLanguage default_language_missing -1 -1"},
		{OPTIONS("\"privacyStatus\":\"public\",\"defaultLanguage\":\"en\","
			 "\"localizations\":{\"de\":{\"title\":\"T\"}}"),
		 ""},
		{OPTIONS("\"privacyStatus\":\"public\",\"uploadStatus\":\"processed\""),
		 "! platforms.youtube.uploadStatus ignored"},
		{OPTIONS("\"privacyStatus\":\"public\",\"description\":\"{5001*x}\""),
		 "platforms.youtube.description option_too_large 5000 5001"},
	};
	CHECK_RULES(PLATFORM_YOUTUBE, rows);
}

static void descriptions_count_bytes(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{"{\"content\":\"t\\n{2499*\xc3\xa9}\",\"media\":[" CLIP(
			 "") "],\"platforms\":{\"youtube\":{\"privacyStatus\":\"public\"}}}",
		 ""},
		{"{\"content\":\"t\\n{2500*\xc3\xa9}\",\"media\":[" CLIP(
			 "") "],\"platforms\":{\"youtube\":{\"privacyStatus\":\"public\"}}}",
		 "content text_too_long 5000 5002"},
	};
	CHECK_RULES(PLATFORM_YOUTUBE, rows);
}

static void comments_need_a_video_that_takes_them(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{COMMENTED("\"privacyStatus\":\"public\""), ""},
		{COMMENTED("\"privacyStatus\":\"unlisted\""), ""},
		{COMMENTED("\"privacyStatus\":\"private\""),
		 "containers.1 comments_off_while_private -1 -1"},
		{COMMENTED("\"publishAt\":\"2026-12-01T09:00:00Z\""),
		 "containers.1 comments_off_while_private -1 -1"},
		{COMMENTED("\"privacyStatus\":\"public\",\"selfDeclaredMadeForKids\":true"),
		 "containers.1 comments_off_for_kids -1 -1"},
	};
	CHECK_RULES(PLATFORM_YOUTUBE, rows);
}

static void what_the_request_says_of_the_file_is_checked(void **state)
{
	(void)state;
	static const struct rules_row rows[] = {
		{"{\"content\":\"a\",\"media\":[" CLIP(
			 ",\"mime_type\":\"video/webm\",\"duration\":43200") "],\"platforms\":{"
									     "\"youtube\":{"
									     "\"privacyStatus\":"
									     "\"public\"}}}",
		 ""},
		{"{\"content\":\"a\",\"media\":[" CLIP(
			 ",\"mime_type\":\"image/gif\"") "],\"platforms\":{\"youtube\":{"
							 "\"privacyStatus\":\"public\"}}}",
		 "media.0.mime_type media_type_not_supported -1 -1"},
		{"{\"content\":\"a\",\"media\":[" CLIP(
			 ",\"duration\":43201") "],\"platforms\":{\"youtube\":{\"privacyStatus\":"
						"\"public\"}}}",
		 "media.0.duration media_too_long 43200 43201"},
	};
	CHECK_RULES(PLATFORM_YOUTUBE, rows);
}

static void expect_warning(const char *extra, const char *options, int64_t duration_s,
			   const char *code)
{
	struct problems problems;
	problems_init(&problems, talk.arena);
	talk_options(&talk, options);
	talk.media.duration_s = duration_s;
	rules_check(talk.arena, platform_of(PLATFORM_YOUTUBE), &talk.post,
		    &(struct rules_account){.id = STR("a1"), .extra = talk_json(&talk, extra)},
		    &problems);
	assert_int_equal(problems.count, 0);
	assert_int_equal(problems.warning_count, code != NULL);
	if (code != NULL)
		assert_true(str_equal_z(problems.warnings[0].code, code));
}

static void what_is_known_of_the_channel_is_warned_of(void **state)
{
	(void)state;
	expect_warning("{\"private_only\":true}", "{\"privacyStatus\":\"public\"}", -1,
		       "youtube_private_only");
	expect_warning("{\"private_only\":true}", "{\"privacyStatus\":\"private\"}", -1, NULL);
	expect_warning("{}", "{\"privacyStatus\":\"public\"}", -1, "youtube_audit_unknown");
	expect_warning("{}", "{\"privacyStatus\":\"private\"}", -1, NULL);
	expect_warning("{\"private_only\":false,\"long_uploads\":\"eligible\"}",
		       "{\"privacyStatus\":\"public\"}", 901, "youtube_long_video");
	expect_warning("{\"private_only\":false,\"long_uploads\":\"eligible\"}",
		       "{\"privacyStatus\":\"public\"}", 900, NULL);
	expect_warning("{\"private_only\":false,\"long_uploads\":\"allowed\"}",
		       "{\"privacyStatus\":\"public\"}", 901, NULL);
	expect_warning("{\"private_only\":false}", "{\"privacyStatus\":\"public\"}", 901, NULL);
}

static void a_short_is_upright_and_short(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct sniff sniff;
		bool is_short;
	} rows[] = {
		{"upright", {.width = 540, .height = 960, .duration_ms = 4000}, true},
		{"square, three minutes",
		 {.width = 720, .height = 720, .duration_ms = 180000},
		 true},
		{"longer", {.width = 540, .height = 960, .duration_ms = 180001}, false},
		{"wide", {.width = 961, .height = 960, .duration_ms = 4000}, false},
		{"no duration told", {.width = 540, .height = 960}, false},
		{"no size told", {.duration_ms = 4000}, false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (youtube_is_short(&rows[i].sniff) != rows[i].is_short)
			fail_msg("%s", rows[i].name);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rules_refuse_what_youtube_would),
		TEST(rules_know_titles_by_characters_and_media_by_kind),
		TEST(a_default_privacy_is_said_once),
		TEST(options_are_looked_at_one_by_one),
		TEST(descriptions_count_bytes),
		TEST(comments_need_a_video_that_takes_them),
		TEST(what_the_request_says_of_the_file_is_checked),
		TEST(what_is_known_of_the_channel_is_warned_of),
		TEST(a_short_is_upright_and_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
