/* SPDX-License-Identifier: Apache-2.0
 * Reading publish requests: each row is a body and what must be said of it. A body without
 * complaint is part of the table too. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"

#include "publish_request.h"

#define NOW "2026-11-21T12:00:00Z"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("publish_request", 64 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Refuses what has "private" in it, as the guard would an address. */
static const char *check_url(void *context, struct arena *unused, struct str url)
{
	(void)context;
	(void)unused;
	return str_find(url, STR("private"), 0) != SIZE_MAX ? "private_address" : NULL;
}

static const struct media_url_check guard = {.check = check_url};

struct reading {
	struct publish_request request;
	struct problems problems;
};

static struct reading read_with(struct str body, struct str header)
{
	const struct json *json = NULL;
	struct error err = {0};
	struct reading reading;
	int64_t now_us = 0;
	if (json_parse(arena, body, NULL, &json, NULL, &err) != ERR_NONE)
		fail_msg("%s: " STR_FMT, err.text, STR_ARG(body));
	assert_true(timetext_parse_instant(STR(NOW), &now_us));
	problems_init(&reading.problems, arena);
	publish_request_read(arena, json, header, now_us, &guard, &reading.request,
			     &reading.problems);
	return reading;
}

static struct reading read_body(const char *body)
{
	return read_with(str_of(body), (struct str){0});
}

/* "kind field reason" of every problem, then "! field code" of every warning, one a line. */
static struct str told(const struct reading *reading)
{
	static const char *const kinds[] = {"shape", "media", "schedule", "account", "rule"};
	struct buf out;
	buf_init(&out, arena, 1024 * 1024);
	for (size_t i = 0; i < reading->problems.count; i++) {
		const struct problem *p = &reading->problems.items[i];
		buf_addf(&out, "%s%s " STR_FMT " " STR_FMT, out.len > 0 ? "\n" : "", kinds[p->kind],
			 STR_ARG(p->field), STR_ARG(p->reason));
	}
	for (size_t i = 0; i < reading->problems.warning_count; i++) {
		const struct warning *w = &reading->problems.warnings[i];
		buf_addf(&out, "%s! " STR_FMT " " STR_FMT, out.len > 0 ? "\n" : "",
			 STR_ARG(w->field), STR_ARG(w->code));
	}
	return buf_str(&out);
}

struct row {
	const char *body;
	const char *want;
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct reading reading = read_body(rows[i].body);
		const struct str got = told(&reading);
		if (!str_equal_z(got, rows[i].want))
			fail_msg("%s\nwant: %s\ngot:  " STR_FMT, rows[i].body, rows[i].want,
				 STR_ARG(got));
	}
}

#define CHECK_ROWS(rows) check_rows((rows), COUNT_OF(rows))
#define A "\"account_ids\":[\"a\"]"
#define C "\"content\":\"hi\""
#define IMAGE "{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}"

static void bodies_without_complaint(void **state)
{
	static const struct row rows[] = {
		{"{" A "," C "}", ""},
		{"{" A ",\"media\":[" IMAGE "]}", ""},
		{"{" A ",\"content\":\"\",\"media\":[" IMAGE "]}", ""},
		{"{" A ",\"content\":null,\"media\":[" IMAGE "]}", ""},
		{"{" A "," C ",\"media\":null,\"containers\":null,\"platforms\":null,\"scheduled_"
		 "at\":null,\"request_id\":null,\"type\":null}",
		 ""},
		{"{" A "," C ",\"type\":\"story\"}", ""},
		{"{" A ",\"containers\":[{\"content\":\"a\",\"type\":\"post\"},{\"content\":\"b\","
		 "\"type\":null}]}",
		 ""},
		{"{" A ",\"containers\":[{\"content\":\"\",\"media\":[" IMAGE "]}]}", ""},
		{"{" A ",\"media\":[{\"url\":\"http://cdn.example/"
		 "v\",\"type\":\"video\",\"alt_text\":\"x\",\"thumbnail_url\":\"https://"
		 "cdn.example/t\",\"mime_type\":\"video/mp4\",\"duration\":3}]}",
		 ""},
	};
	(void)state;
	CHECK_ROWS(rows);
}

static void shapes_that_are_wrong(void **state)
{
	static const struct row rows[] = {
		{"[]", "shape body not_an_object"},
		{"\"text\"", "shape body not_an_object"},
		{"null", "shape body not_an_object"},
		{"{}", "shape account_ids required\nshape content required"},
		{"{" A "}", "shape content required"},
		{"{" A ",\"content\":\"\"}", "shape content required"},
		{"{" A ",\"content\":\"\",\"media\":[]}", "shape content required"},
		{"{" A ",\"content\":7}", "shape content not_text"},
		{"{" A ",\"content\":7,\"media\":[" IMAGE "]}", "shape content not_text"},
		{"{" A ",\"media\":{}}", "shape media not_a_list"},
		{"{" A "," C ",\"type\":\"reel\"}", "shape type unknown_type"},
		{"{" A "," C ",\"type\":1}", "shape type not_text"},
		{"{" C ",\"account_ids\":\"a\"}", "shape account_ids not_a_list"},
		{"{" C ",\"account_ids\":[]}", "shape account_ids required"},
		{"{" C ",\"account_ids\":[\"a\",\"b\",\"a\",3,null]}",
		 "shape account_ids.2 duplicate\nshape account_ids.3 not_text\nshape account_ids.4 "
		 "not_text"},
		{"{" A ",\"containers\":[]}", "shape containers required"},
		{"{" A ",\"containers\":{}}", "shape containers not_a_list"},
		{"{" A ",\"containers\":[1]}", "shape containers.0 not_an_object"},
		{"{" A ",\"containers\":[{}]}", "shape containers.0.content required"},
		{"{" A ",\"containers\":[{\"content\":null}]}",
		 "shape containers.0.content required"},
		{"{" A ",\"containers\":[{\"content\":\"\"}]}",
		 "shape containers.0.content required"},
		{"{" A ",\"containers\":[{\"media\":[" IMAGE "]}]}",
		 "shape containers.0.content required"},
		{"{" A ",\"containers\":[{\"content\":[]}]}",
		 "shape containers.0.content not_text"},
		{"{" A ",\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"type\":"
		 "\"comment\"},{\"content\":\"c\",\"type\":\"post\"}]}",
		 "shape containers.1.type type_not_allowed\nshape containers.2.type "
		 "type_not_allowed"},
		{"{" A ",\"containers\":[{\"content\":\"a\",\"type\":\"comment\"}]}",
		 "shape containers.0.type unknown_type"},
		{"{" A ",\"containers\":[{\"content\":\"a\",\"media\":3}]}",
		 "shape containers.0.media not_a_list"},
		{"{" A ",\"media\":[1,{}]}", "shape media.0 not_an_object\nshape media.1.url "
					     "required\nshape media.1.type required"},
		{"{" A ",\"media\":[{\"url\":1,\"type\":2,\"alt_text\":3,\"thumbnail_url\":4,"
		 "\"mime_type\":5,\"duration\":\"6\"}]}",
		 "shape media.0.url not_text\nshape media.0.type not_text\nshape media.0.alt_text "
		 "not_text\n"
		 "shape media.0.mime_type not_text\nshape media.0.thumbnail_url not_text\nshape "
		 "media.0.duration not_a_number"},
		{"{" A "," C
		 ",\"media\":[{\"url\":\"https://a.example\",\"type\":\"image\",\"duration\":-1}]}",
		 "shape media.0.duration not_a_number"},
		{"{" A "," C ",\"media\":[{\"url\":\"https://"
		 "a.example\",\"type\":\"image\",\"duration\":1.5}]}",
		 "shape media.0.duration not_a_number"},
		{"{" A "," C ",\"platforms\":[]}", "shape platforms not_an_object"},
		{"{" A "," C ",\"platforms\":{\"x\":1}}", "shape platforms.x not_an_object"},
		{"{" A "," C ",\"request_id\":\"\"}", "shape request_id bad_request_id"},
		{"{" A "," C ",\"request_id\":5}", "shape request_id not_text"},
		{"{" A "," C ",\"request_id\":\"a\\nb\"}", "shape request_id bad_request_id"},
		{"{" A "," C ",\"request_id\":\"a\\u0085b\"}", "shape request_id bad_request_id"},
	};
	(void)state;
	CHECK_ROWS(rows);
}

static void media_that_is_wrong(void **state)
{
	static const struct row rows[] = {
		{"{" A ",\"media\":[{\"url\":\"\",\"type\":\"image\"}]}",
		 "media media.0.url bad_url"},
		{"{" A ",\"media\":[{\"url\":\"/a.jpg\",\"type\":\"image\"}]}",
		 "media media.0.url bad_url"},
		{"{" A ",\"media\":[{\"url\":\"ftp://a.example/b\",\"type\":\"image\"}]}",
		 "media media.0.url bad_url"},
		{"{" A ",\"media\":[" IMAGE
		 ",{\"url\":\"https://private.example/b\",\"type\":\"image\"}]}",
		 "media media.1.url private_address"},
		{"{" A ",\"media\":[{\"url\":\"https://a.example/b\",\"type\":\"audio\"}]}",
		 "media media.0.type bad_type"},
		{"{" A ",\"media\":[{\"url\":\"https://a.example/b\",\"type\":\"Image\"}]}",
		 "media media.0.type bad_type"},
		{"{" A ",\"media\":[{\"url\":\"https://a.example/"
		 "b\",\"type\":\"video\",\"thumbnail_url\":\"nope\"}]}",
		 "media media.0.thumbnail_url bad_url"},
		{"{" A ",\"containers\":[{\"content\":\"a\"},{\"content\":\"b\",\"media\":[{"
		 "\"url\":\"x\",\"type\":\"image\"}]}]}",
		 "media containers.1.media.0.url bad_url"},
	};
	(void)state;
	CHECK_ROWS(rows);
}

static void schedules(void **state)
{
	static const struct row rows[] = {
		{"{" A "," C ",\"scheduled_at\":7}", "schedule scheduled_at bad_instant"},
		{"{" A "," C ",\"scheduled_at\":\"\"}", "schedule scheduled_at bad_instant"},
		{"{" A "," C ",\"scheduled_at\":\"tomorrow\"}",
		 "schedule scheduled_at bad_instant"},
		{"{" A "," C ",\"scheduled_at\":\"2026-11-22T12:00:00+00:00\"}",
		 "schedule scheduled_at bad_instant"},
		{"{" A "," C ",\"scheduled_at\":\"2026-02-30T12:00:00Z\"}",
		 "schedule scheduled_at bad_instant"},
		{"{" A "," C ",\"scheduled_at\":\"2026-11-21T11:54:59Z\"}",
		 "schedule scheduled_at in_the_past"},
		{"{" A "," C ",\"scheduled_at\":\"2032-01-01T00:00:00Z\"}",
		 "schedule scheduled_at too_far_ahead"},
		{"{" A "," C ",\"scheduled_at\":\"2026-11-21T11:55:00Z\"}", ""},
		{"{" A "," C ",\"scheduled_at\":\"2031-11-20T00:00:00.123456789Z\"}", ""},
	};
	(void)state;
	CHECK_ROWS(rows);
	assert_int_equal(read_body("{" A "," C ",\"scheduled_at\":\"2026-11-21T11:55:00Z\"}")
				 .request.scheduled_at_us,
			 0);
	assert_int_equal(
		read_body("{" A "," C ",\"scheduled_at\":\"" NOW "\"}").request.scheduled_at_us, 0);
	int64_t us = 0;
	assert_true(timetext_parse_instant(STR("2026-11-21T12:00:00.5Z"), &us));
	assert_int_equal(read_body("{" A "," C ",\"scheduled_at\":\"2026-11-21T12:00:00.5Z\"}")
				 .request.scheduled_at_us,
			 us);
}

static void what_is_unknown_or_ignored_is_named(void **state)
{
	static const struct row rows[] = {
		{"{" A "," C ",\"extra\":1,\"containers\":null}", "shape extra unknown"},
		{"{" A "," C
		 ",\"media\":[{\"url\":\"https://a.example\",\"type\":\"image\",\"size\":1}]}",
		 "shape media.0.size unknown"},
		{"{" A ",\"content\":\"x\",\"media\":[],\"type\":\"post\",\"containers\":[{"
		 "\"content\":\"a\",\"tags\":[]}]}",
		 "shape containers.0.tags unknown\n! content ignored\n! media ignored\n! type "
		 "ignored"},
		{"{" A ",\"content\":7,\"containers\":[{\"content\":\"a\"}]}", "! content ignored"},
		{"{" A "," C ",\"platforms\":{\"myspace\":{},\"x\":{},\"twitter\":{}}}",
		 "! platforms.myspace ignored\n! platforms.twitter ignored"},
	};
	(void)state;
	CHECK_ROWS(rows);
}

static void every_problem_is_told_at_once(void **state)
{
	static const struct row rows[] = {
		{"{\"account_ids\":[1],\"content\":5,\"media\":[{\"url\":\"x\",\"type\":\"image\"}]"
		 ",\"scheduled_at\":1,\"request_id\":2}",
		 "shape request_id not_text\nshape account_ids.0 not_text\nmedia media.0.url "
		 "bad_url\nshape content not_text\n"
		 "schedule scheduled_at bad_instant"},
	};
	(void)state;
	CHECK_ROWS(rows);
}

static struct str repeated(const char *before, const char *item, size_t count,
			   const char *separator, const char *after)
{
	struct buf out;
	buf_init(&out, arena, 4 * 1024 * 1024);
	buf_add_z(&out, before);
	for (size_t i = 0; i < count; i++) {
		buf_add_z(&out, i > 0 ? separator : "");
		buf_add_z(&out, item);
	}
	buf_add_z(&out, after);
	return buf_str(&out);
}

static void expect_told(struct str body, const char *want)
{
	const struct reading reading = read_with(body, (struct str){0});
	const struct str got = told(&reading);
	if (!str_equal_z(got, want))
		fail_msg("want: %s\ngot:  " STR_FMT, want, STR_ARG(got));
}

static void numbers_have_limits(void **state)
{
	const char *two_bytes = "\xc3\xa9";
	(void)state;
	expect_told(repeated("{" A ",\"containers\":[", "{\"content\":\"a\"}", 10, ",", "]}"), "");
	expect_told(repeated("{" A ",\"containers\":[", "{\"content\":\"a\"}", 11, ",", "]}"),
		    "shape containers too_many");
	expect_told(repeated("{" A ",\"media\":[", IMAGE, 35, ",", "]}"), "");
	expect_told(repeated("{" A ",\"media\":[", IMAGE, 36, ",", "]}"), "shape media too_many");
	expect_told(repeated("{" C ",\"account_ids\":[", "\"a\"", 101, ",", "]}"),
		    "shape account_ids too_many");
	expect_told(repeated("{" A ",\"content\":\"", "a", 100000, "", "\"}"), "");
	expect_told(repeated("{" A ",\"content\":\"", "a", 100001, "", "\"}"),
		    "shape content text_too_long");
	expect_told(repeated("{" A ",\"containers\":[{\"content\":\"", "a", 100001, "", "\"}]}"),
		    "shape containers.0.content text_too_long");
	expect_told(repeated("{" A "," C ",\"request_id\":\"", two_bytes, 128, "", "\"}"), "");
	expect_told(repeated("{" A "," C ",\"request_id\":\"", two_bytes, 129, "", "\"}"),
		    "shape request_id bad_request_id");
	expect_told(repeated("{" A ",\"media\":[{\"type\":\"image\",\"url\":\"https://a.example/",
			     "a", 2048 - 18, "", "\"}]}"),
		    "");
	expect_told(repeated("{" A ",\"media\":[{\"type\":\"image\",\"url\":\"https://a.example/",
			     "a", 2049 - 18, "", "\"}]}"),
		    "media media.0.url url_too_long");
}

static void a_hundred_accounts_keep_their_order(void **state)
{
	struct buf out;
	(void)state;
	buf_init(&out, arena, 1024 * 1024);
	for (int i = 0; i < 100; i++)
		buf_addf(&out, "%s\"a%d\"", i > 0 ? "," : "{" C ",\"account_ids\":[", i);
	buf_add_z(&out, "]}");
	const struct reading reading = read_with(buf_str(&out), (struct str){0});
	assert_int_equal(reading.problems.count, 0);
	assert_int_equal(reading.request.account_count, 100);
	assert_true(str_equal_z(reading.request.account_ids[99], "a99"));
}

static void another_id_stands_in_for_the_request_id(void **state)
{
	struct reading reading = read_with(STR("{" A "," C "}"), STR("draft-1"));
	(void)state;
	assert_true(str_equal_z(reading.request.request_id, "draft-1"));
	assert_int_equal(reading.problems.count, 0);
	reading = read_with(STR("{" A "," C ",\"request_id\":null}"), STR("draft-1"));
	assert_true(str_equal_z(reading.request.request_id, "draft-1"));
	reading = read_with(STR("{" A "," C ",\"request_id\":\"mine\"}"), STR("draft-1"));
	assert_true(str_equal_z(reading.request.request_id, "mine"));
	assert_int_equal(reading.problems.warning_count, 0);
	reading = read_with(STR("{" A "," C "}"), (struct str){0});
	assert_true(str_is_empty(reading.request.request_id));
}

static void content_is_read_as_it_was_given(void **state)
{
	const struct reading basic =
		read_body("{" A ",\"content\":\" hi \",\"type\":\"video\",\"media\":[" IMAGE
			  ",{\"url\":\"https://b.example/v\",\"type\":\"video\",\"duration\":9}]}");
	(void)state;
	assert_int_equal(basic.request.content.mode, POST_MODE_BASIC);
	assert_int_equal(basic.request.content.type, POST_TYPE_VIDEO);
	assert_int_equal(basic.request.content.container_count, 1);
	assert_true(str_equal_z(basic.request.content.containers[0].content, " hi "));
	assert_int_equal(basic.request.content.containers[0].media_count, 2);
	assert_int_equal(basic.request.content.containers[0].media[0].duration_s, -1);
	assert_int_equal(basic.request.content.containers[0].media[1].type, MEDIA_VIDEO);
	assert_int_equal(basic.request.content.containers[0].media[1].duration_s, 9);
	const struct reading advanced =
		read_body("{" A ",\"content\":\"root\",\"containers\":[{\"content\":\"a\",\"type\":"
			  "\"story\"},{\"content\":\"b\"}]}");
	assert_int_equal(advanced.request.content.mode, POST_MODE_ADVANCED);
	assert_int_equal(advanced.request.content.type, POST_TYPE_STORY);
	assert_int_equal(advanced.request.content.container_count, 2);
	assert_true(str_equal_z(advanced.request.content.containers[1].content, "b"));
}

static void options_stand_under_our_slugs(void **state)
{
	const struct reading reading =
		read_body("{" A "," C ",\"platforms\":{\"twitter\":{\"a\":1},\"facebook\":{\"b\":2}"
			  ",\"other\":{},\"tiktok\":null}}");
	const struct json *options = reading.request.content.options;
	(void)state;
	assert_int_equal(options->count, 2);
	assert_int_equal(json_int(json_get(json_get(options, "x"), "a"), 0), 1);
	assert_int_equal(json_int(json_get(json_get(options, "facebook"), "b"), 0), 2);
	assert_null(json_get(options, "twitter"));
	assert_null(json_get(options, "tiktok"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(bodies_without_complaint),
		TEST(shapes_that_are_wrong),
		TEST(media_that_is_wrong),
		TEST(schedules),
		TEST(what_is_unknown_or_ignored_is_named),
		TEST(every_problem_is_told_at_once),
		TEST(numbers_have_limits),
		TEST(a_hundred_accounts_keep_their_order),
		TEST(another_id_stands_in_for_the_request_id),
		TEST(content_is_read_as_it_was_given),
		TEST(options_stand_under_our_slugs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
