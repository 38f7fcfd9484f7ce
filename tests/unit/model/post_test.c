/* SPDX-License-Identifier: Apache-2.0
 * States of a post, its stored form there and back, its media by flat index. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "post.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("post", 8 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void words_go_there_and_back(void **state)
{
	(void)state;
	for (int type = POST_TYPE_POST; type < POST_TYPE_COUNT; type++)
		assert_int_equal(post_type_of_name(str_of(post_type_name((enum post_type)type))),
				 type);
	for (int i = 0; i < POST_STATE_COUNT; i++)
		assert_int_equal(post_state_of_name(str_of(post_state_name((enum post_state)i))),
				 i);
	assert_int_equal(post_type_of_name(STR("comment")), POST_TYPE_NONE);
	assert_int_equal(post_type_of_name(STR("")), POST_TYPE_NONE);
	assert_int_equal(post_state_of_name(STR("done")), POST_STATE_COUNT);
	assert_string_equal(post_type_name(POST_TYPE_NONE), "");
	assert_string_equal(post_mode_name(POST_MODE_ADVANCED), "advanced");
}

static void work_under_way_shows_as_pending(void **state)
{
	(void)state;
	assert_string_equal(post_state_status(POST_PROCESSING), "pending");
	assert_string_equal(post_state_status(POST_RETRYING), "pending");
	assert_string_equal(post_state_status(POST_SCHEDULED), "scheduled");
	assert_string_equal(post_state_status(POST_PUBLISHED), "published");
	assert_true(post_state_is_final(POST_FAILED));
	assert_true(post_state_is_final(POST_PUBLISHED));
	assert_false(post_state_is_final(POST_RETRYING));
}

static void a_post_s_state_comes_from_its_deliveries(void **state)
{
	static const struct {
		const char *name;
		enum post_state states[3];
		size_t count;
		enum post_state want;
	} rows[] = {
		{"one published", {POST_PUBLISHED}, 1, POST_PUBLISHED},
		{"all published", {POST_PUBLISHED, POST_PUBLISHED}, 2, POST_PUBLISHED},
		{"one of two failed", {POST_PUBLISHED, POST_FAILED}, 2, POST_FAILED},
		{"failed, but one is still retried",
		 {POST_FAILED, POST_RETRYING},
		 2,
		 POST_RETRYING},
		{"retrying before processing",
		 {POST_PROCESSING, POST_RETRYING, POST_PENDING},
		 3,
		 POST_RETRYING},
		{"processing before pending", {POST_PENDING, POST_PROCESSING}, 2, POST_PROCESSING},
		{"pending before scheduled", {POST_SCHEDULED, POST_PENDING}, 2, POST_PENDING},
		{"scheduled before final",
		 {POST_PUBLISHED, POST_SCHEDULED, POST_FAILED},
		 3,
		 POST_SCHEDULED},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (post_state_of_deliveries(rows[i].states, rows[i].count) != rows[i].want)
			fail_msg("%s", rows[i].name);
	}
}

static struct str written(const struct post_content *content,
			  void (*write)(struct json_writer *, const struct post_content *))
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, 1024 * 1024);
	json_writer_init(&w, &out);
	write(&w, content);
	assert_false(out.is_over);
	return buf_str(&out);
}

static const char stored[] =
	"{\"mode\":\"advanced\",\"type\":\"carousel\",\"containers\":[{\"content\":\"a \\\"q\\\" "
	"\u00e9\",\"media\":["
	"{\"url\":\"https://e.example/1\",\"type\":\"image\",\"alt_text\":\"alt\"},"
	"{\"url\":\"https://e.example/2\",\"type\":\"video\",\"thumbnail_url\":\"https://e.example/"
	"t\",\"mime_type\":\"video/mp4\",\"duration\":0}]},"
	"{\"content\":\"c\",\"media\":[]}],\"options\":{\"x\":{\"nullcast\":true}}}";

static void the_stored_form_reads_back_as_it_was(void **state)
{
	struct post_content content = {0};
	struct post_content again = {0};
	(void)state;
	assert_int_equal(post_content_read(arena, str_of(stored), &content, NULL), ERR_NONE);
	assert_int_equal(content.mode, POST_MODE_ADVANCED);
	assert_int_equal(content.type, POST_TYPE_CAROUSEL);
	assert_int_equal(content.container_count, 2);
	assert_int_equal(content.containers[0].media_count, 2);
	assert_int_equal(content.containers[0].media[0].duration_s, -1);
	assert_int_equal(content.containers[0].media[1].duration_s, 0);
	assert_int_equal(content.containers[0].media[1].type, MEDIA_VIDEO);
	assert_true(json_bool(json_get(json_get(content.options, "x"), "nullcast"), false));
	const struct str text = written(&content, post_content_write);
	assert_int_equal(post_content_read(arena, text, &again, NULL), ERR_NONE);
	assert_true(str_equal(written(&again, post_content_write), text));
}

static void the_api_form_shows_nulls_for_what_was_not_given(void **state)
{
	struct post_content content = {0};
	(void)state;
	assert_int_equal(post_content_read(arena, str_of(stored), &content, NULL), ERR_NONE);
	const struct str text = written(&content, post_containers_write_api);
	const struct json *json = NULL;
	assert_int_equal(json_parse(arena, text, NULL, &json, NULL, NULL), ERR_NONE);
	assert_int_equal(json->count, 2);
	const struct json *media = json_at(json_get(json_at(json, 0), "media"), 0);
	assert_int_equal(media->count, 6);
	assert_true(json_is(json_get(media, "thumbnail_url"), JSON_TYPE_NULL));
	assert_true(json_is(json_get(media, "duration"), JSON_TYPE_NULL));
	assert_true(json_is(json_get(media, "mime_type"), JSON_TYPE_NULL));
	assert_true(str_equal_z(json_string(json_get(media, "alt_text")), "alt"));
}

static void broken_stored_forms_are_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"mode\":\"basic\"}",
		"{\"mode\":\"basic\",\"containers\":[]}",
		"{\"mode\":\"other\",\"containers\":[{\"content\":\"a\",\"media\":[]}]}",
		"{\"mode\":\"basic\",\"containers\":[{\"content\":1,\"media\":[]}]}",
		"{\"mode\":\"basic\",\"containers\":[{\"content\":\"a\"}]}",
		"{\"mode\":\"basic\",\"containers\":[{\"content\":\"a\",\"media\":[{}]}]}",
		("{\"mode\":\"basic\",\"containers\":[{\"content\":\"\",\"media\":[{\"url\":\"u\"}]"
		 "}"
		 "]}"),
		"{\"mode\":\"basic\",\"containers\":[1,2,3,4,5,6,7,8,9,10,11]}",
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct post_content content = {0};
		struct error err = {0};
		if (post_content_read(arena, str_of(rows[i]), &content, &err) == ERR_NONE ||
		    err.text[0] == '\0')
			fail_msg("%s", rows[i]);
	}
	for (size_t cut = 0; cut < sizeof(stored) - 1; cut++) {
		struct post_content content = {0};
		assert_int_not_equal(
			post_content_read(arena, (struct str){stored, cut}, &content, NULL),
			ERR_NONE);
	}
}

static void media_are_numbered_through_all_containers(void **state)
{
	struct media first[2] = {{.url = STR("a")}, {.url = STR("b")}};
	struct media third[1] = {{.url = STR("c")}};
	struct container containers[3] = {{.media = first, .media_count = 2},
					  {.media_count = 0},
					  {.media = third, .media_count = 1}};
	const struct post_content content = {.containers = containers, .container_count = 3};
	(void)state;
	assert_int_equal(post_media_total(&content), 3);
	assert_int_equal(post_media_base(&content, 0), 0);
	assert_int_equal(post_media_base(&content, 1), 2);
	assert_int_equal(post_media_base(&content, 2), 2);
	assert_int_equal(post_media_base(&content, 99), 3);
	assert_ptr_equal(post_media_at(&content, 1), &first[1]);
	assert_ptr_equal(post_media_at(&content, 2), &third[0]);
	assert_null(post_media_at(&content, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_go_there_and_back),
		cmocka_unit_test(work_under_way_shows_as_pending),
		cmocka_unit_test(a_post_s_state_comes_from_its_deliveries),
		cmocka_unit_test_setup_teardown(the_stored_form_reads_back_as_it_was, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_api_form_shows_nulls_for_what_was_not_given,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(broken_stored_forms_are_refused, set_up, tear_down),
		cmocka_unit_test(media_are_numbered_through_all_containers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
