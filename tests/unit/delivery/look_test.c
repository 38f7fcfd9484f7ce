/* SPDX-License-Identifier: Apache-2.0
 * What was seen of a post's files, and what it means for each account. */
#include "look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"

#include "problem.h"

#include "rules.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("look", 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct post_content content_of(const char *text)
{
	struct post_content content = {0};
	struct error err = {0};
	assert_int_equal(post_content_read(arena, str_of(text), &content, &err), ERR_NONE);
	return content;
}

#define POST(media, more) \
	"{\"mode\":\"basic\",\"type\":\"post\",\"containers\":[{\"content\":\"a\",\"media\":" \
	"[" media "]}]" more "}"
#define IMAGE(url) "{\"url\":\"" url "\",\"type\":\"image\"}"

static void see(struct look *look, size_t index, enum sniff_type type, uint32_t width,
		uint32_t height)
{
	look->files[index].state = LOOK_DONE;
	look->files[index].seen.size_bytes = 1000;
	sniff_set_type(&look->files[index].seen.sniff, type);
	look->files[index].seen.sniff.width = width;
	look->files[index].seen.sniff.height = height;
}

static struct problems judged(struct look *look, const struct post_content *content,
			      enum platform_id platform)
{
	const struct rules_subject subject = {
		.platform = platform, .account_id = STR("a1"), .type = ACCOUNT_BUSINESS};
	struct problems problems;
	problems_init(&problems, arena);
	look_show(look);
	look_judge(look, arena, content, &subject, &problems);
	return problems;
}

static void the_same_file_is_looked_at_once(void **state)
{
	(void)state;
	const struct post_content content = content_of(
		POST(IMAGE("https://a.example/1.jpg") "," IMAGE("https://a.example/1.jpg"), ""));
	struct look look;
	look_begin(&look, arena, &content);
	assert_int_equal(look.use_count, 2);
	assert_int_equal(look.file_count, 1);
}

static void options_name_files_and_pages(void **state)
{
	(void)state;
	const struct post_content content = content_of(POST(
		"", ",\"options\":{\"linkedin\":{\"article\":{\"url\":\"https://a.example/page\","
		    "\"thumbnail_url\":\"https://a.example/t.jpg\"},\"document\":{\"url\":"
		    "\"https://a.example/d.pdf\"}}}"));
	struct look look;
	look_begin(&look, arena, &content);
	assert_int_equal(look.file_count, 2);
	assert_true(str_equal_z(look.uses[0].field, "platforms.linkedin.article.thumbnail_url"));
	assert_true(str_equal_z(look.uses[1].field, "platforms.linkedin.document.url"));
}

static void bytes_are_judged_for_each_platform(void **state)
{
	(void)state;
	const struct post_content content = content_of(POST(IMAGE("https://a.example/1.jpg"), ""));
	struct look look;
	look_begin(&look, arena, &content);
	see(&look, 0, SNIFF_JPEG, 4000, 1000);
	const struct problems instagram = judged(&look, &content, PLATFORM_INSTAGRAM);
	assert_int_equal(instagram.count, 1);
	assert_true(str_equal_z(instagram.items[0].reason, "media_aspect_ratio"));
	assert_true(str_equal_z(instagram.items[0].field, "media.0.url"));
	assert_int_equal(judged(&look, &content, PLATFORM_X).count, 0);
}

static void what_is_fitted_is_no_problem(void **state)
{
	(void)state;
	const struct post_content content = content_of(POST(IMAGE("https://a.example/1.png"), ""));
	struct look look;
	look_begin(&look, arena, &content);
	see(&look, 0, SNIFF_PNG, 600, 600);
	assert_int_equal(judged(&look, &content, PLATFORM_INSTAGRAM).count, 0);
	see(&look, 0, SNIFF_PNG, 4000, 1000); /* its shape stays */
	assert_int_equal(judged(&look, &content, PLATFORM_INSTAGRAM).count, 1);
	content.containers[0].media[0].fit = MEDIA_FIT_PAD;
	assert_int_equal(judged(&look, &content, PLATFORM_INSTAGRAM).count, 0);
	content.containers[0].media[0].fit = MEDIA_FIT_OFF;
	const struct problems off = judged(&look, &content, PLATFORM_INSTAGRAM);
	assert_true(str_equal_z(off.items[0].reason, "media_type_not_supported"));
}

static void a_missing_file_beside_the_media_is_its_platform_s(void **state)
{
	(void)state;
	const struct post_content content =
		content_of(POST("", ",\"options\":{\"linkedin\":{\"document\":{\"url\":\"https://"
				    "a.example/d.pdf\"}}}"));
	struct look look;
	look_begin(&look, arena, &content);
	look.files[0].state = LOOK_DONE;
	look.files[0].seen.why = STR("the server answered with status 404.");
	const struct problems linkedin = judged(&look, &content, PLATFORM_LINKEDIN);
	assert_int_equal(linkedin.count, 1);
	assert_true(str_equal_z(linkedin.items[0].reason, "media_unreachable"));
	assert_int_equal(judged(&look, &content, PLATFORM_X).count, 0);
	const struct str kept = look_warnings_text(&linkedin);
	assert_true(look_warnings_have(arena, kept, STR("platforms.linkedin.document.url"),
				       STR("media_unreachable")));
	assert_false(look_warnings_have(arena, kept, STR("media.0.url"), STR("media_unreachable")));
	assert_false(look_warnings_have(arena, STR(""), STR("media.0.url"), STR("a")));
}

static void what_was_not_seen_is_a_warning_and_no_problem(void **state)
{
	(void)state;
	const struct post_content content = content_of(POST(IMAGE("https://a.example/1.jpg"), ""));
	struct look look;
	struct problems problems;
	look_begin(&look, arena, &content);
	look.files[0].state = LOOK_LATE;
	assert_int_equal(judged(&look, &content, PLATFORM_INSTAGRAM).count, 0);
	problems_init(&problems, arena);
	look_warn(&look, &problems);
	assert_int_equal(problems.warning_count, 1);
	assert_true(str_equal_z(problems.warnings[0].code, "media_not_inspected"));
}

int main(void)
{
#define LOOK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LOOK_TEST(the_same_file_is_looked_at_once),
		LOOK_TEST(options_name_files_and_pages),
		LOOK_TEST(bytes_are_judged_for_each_platform),
		LOOK_TEST(what_is_fitted_is_no_problem),
		LOOK_TEST(a_missing_file_beside_the_media_is_its_platform_s),
		LOOK_TEST(what_was_not_seen_is_a_warning_and_no_problem),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
