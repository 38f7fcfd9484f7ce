/* SPDX-License-Identifier: Apache-2.0
 * What one account gets of a post with overrides, and where each part of it came from
 * (api-decisions.md 10). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "post_shape.h"
#include "problem.h"
#include "publish_request.h"

#define ACCOUNT "019a1fcd-7451-7617-8dc3-203f49eaf280"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("shape", 8 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* members: what stands beside account_ids. Through the stored form, as the deliverer reads it. */
static struct post_shape shape_of(const char *members, enum platform_id platform)
{
	const struct json *body = NULL;
	struct publish_request request;
	struct problems problems;
	struct post_content content;
	struct buf out;
	struct json_writer w;
	struct post_shape shape;
	const struct str text =
		str_format(arena, "{\"account_ids\": [\"" ACCOUNT "\"], %s}", members);
	problems_init(&problems, arena);
	assert_int_equal(json_parse(arena, text, NULL, &body, NULL, NULL), ERR_NONE);
	publish_request_read(arena, body, STR(""), 0, NULL, &request, &problems);
	assert_int_equal(problems.count, 0);
	buf_init(&out, arena, 65536);
	json_writer_init(&w, &out);
	post_content_write(&w, &request.content);
	assert_int_equal(post_content_read(arena, buf_str(&out), &content, NULL), ERR_NONE);
	struct post_content *root = arena_alloc(arena, sizeof(*root));
	*root = content;
	post_shape_of(arena, root, platform, STR(ACCOUNT), &shape);
	return shape;
}

static const char *field(const struct post_shape *shape, const char *of)
{
	return str_z(arena, post_shape_field(arena, shape, str_of(of)));
}

static const char *content(const struct post_shape *shape, size_t container)
{
	assert_true(container < shape->content.container_count);
	return str_z(arena, shape->content.containers[container].content);
}

static void the_account_lies_over_the_platform_and_that_over_the_root(void **state)
{
	(void)state;
	const char *members = "\"content\": \"root\", \"media\": [{\"type\": \"image\", "
			      "\"url\": \"https://a.example/1.jpg\"}], \"overrides\": {"
			      "\"twitter\": {\"content\": \"x\", \"media\": []}, "
			      "\"" ACCOUNT "\": {\"content\": \"mine\"}}";
	const struct post_shape x = shape_of(members, PLATFORM_X);
	assert_string_equal(content(&x, 0), "mine");
	assert_int_equal(x.content.containers[0].media_count, 0);
	assert_string_equal(field(&x, "content"), "overrides." ACCOUNT ".content");
	assert_string_equal(field(&x, "media.0.url"), "overrides.x.media.0.url");
	assert_string_equal(field(&x, "containers"), "containers");
	const struct post_shape facebook = shape_of(members, PLATFORM_FACEBOOK);
	assert_int_equal(facebook.content.containers[0].media_count, 1);
	assert_string_equal(field(&facebook, "media"), "media");
}

static void containers_replace_text_media_and_type(void **state)
{
	(void)state;
	const struct post_shape shape =
		shape_of("\"content\": \"root\", \"type\": \"story\", \"overrides\": {\"x\": "
			 "{\"containers\": [{\"content\": \"one\"}, {\"content\": \"two\"}]}, "
			 "\"" ACCOUNT "\": {\"type\": \"article\", \"content\": \"first\"}}",
			 PLATFORM_X);
	assert_int_equal(shape.content.mode, POST_MODE_ADVANCED);
	assert_int_equal(shape.content.type, POST_TYPE_ARTICLE);
	assert_string_equal(content(&shape, 0), "first");
	assert_string_equal(content(&shape, 1), "two");
	assert_string_equal(field(&shape, "containers.0.content"), "overrides." ACCOUNT ".content");
	assert_string_equal(field(&shape, "containers.0.type"), "overrides." ACCOUNT ".type");
	assert_string_equal(field(&shape, "containers.1.content"),
			    "overrides.x.containers.1.content");
	assert_string_equal(field(&shape, "containers.0.media.1"),
			    "overrides.x.containers.0.media.1");
}

static void a_first_container_keeps_its_comments(void **state)
{
	(void)state;
	const struct post_shape shape =
		shape_of("\"containers\": [{\"content\": \"one\"}, {\"content\": \"two\"}], "
			 "\"overrides\": {\"x\": {\"content\": \"short\"}}",
			 PLATFORM_X);
	assert_string_equal(content(&shape, 0), "short");
	assert_string_equal(content(&shape, 1), "two");
	assert_string_equal(field(&shape, "containers.0.content"), "overrides.x.content");
	assert_string_equal(field(&shape, "containers.1.content"), "containers.1.content");
}

static void options_are_laid_over_key_by_key(void **state)
{
	(void)state;
	const struct post_shape shape = shape_of(
		"\"content\": \"root\", \"platforms\": {\"x\": {\"a\": 1, \"b\": 1, \"c\": 1}}, "
		"\"overrides\": {\"x\": {\"options\": {\"b\": 2, \"c\": 2, \"d\": null}}, "
		"\"" ACCOUNT "\": {\"options\": {\"c\": 3}}}",
		PLATFORM_X);
	const struct json *options = json_get(shape.content.options, "x");
	assert_int_equal(json_int(json_get(options, "a"), 0), 1);
	assert_int_equal(json_int(json_get(options, "b"), 0), 2);
	assert_int_equal(json_int(json_get(options, "c"), 0), 3);
	assert_string_equal(field(&shape, "platforms.x.a"), "platforms.x.a");
	assert_string_equal(field(&shape, "platforms.x.b.0"), "overrides.x.options.b.0");
	assert_string_equal(field(&shape, "platforms.x.c"), "overrides." ACCOUNT ".options.c");
	assert_string_equal(field(&shape, "platforms.x"), "platforms.x");
}

static void an_account_with_nothing_is_named(void **state)
{
	(void)state;
	struct problems problems;
	const struct post_shape emptied = shape_of(
		"\"content\": \"root\", \"overrides\": {\"x\": {\"content\": \"\"}}", PLATFORM_X);
	const struct post_shape none =
		shape_of("\"overrides\": {\"x\": {\"content\": \"only here\"}}", PLATFORM_LINKEDIN);
	problems_init(&problems, arena);
	assert_true(post_shape_is_empty(&emptied, &problems));
	assert_true(post_shape_is_empty(&none, &problems));
	assert_int_equal(problems.count, 2);
	assert_string_equal(str_z(arena, problems.items[0].field), "overrides.x.content");
	assert_string_equal(str_z(arena, problems.items[1].field), "content");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_account_lies_over_the_platform_and_that_over_the_root, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(containers_replace_text_media_and_type, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_first_container_keeps_its_comments, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(options_are_laid_over_key_by_key, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_account_with_nothing_is_named, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
