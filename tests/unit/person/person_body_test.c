/* SPDX-License-Identifier: Apache-2.0
 * Flags become the body of a post. */
#include "person_fixture.h"

#include "person_body.h"
#include "person_targets.h"

/* The body that the words make. */
static const char *body_of(struct desk *desk, const char *const *words)
{
	static const struct person_targets targets = {.ids = {{ID_1, 36}, {ID_2, 36}}, .count = 2};
	struct person_body body;
	assert_true(desk_parse(desk, words, NULL));
	assert_int_equal(person_body_check(&desk->person, &body), PERSON_DONE);
	return str_z(desk->person.arena,
		     person_body_write(&desk->person, &body, &targets, STR("id")));
}

#define BODY(desk, ...) body_of((desk), (const char *const[]){__VA_ARGS__, NULL})
#define HEAD "{\"request_id\":\"id\",\"account_ids\":[\"" ID_1 "\",\"" ID_2 "\"],"

static void bodies(void **state)
{
	struct desk *desk = *state;
	assert_string_equal(BODY(desk, "post", "a \"b\""), HEAD "\"content\":\"a \\\"b\\\"\"}");
	assert_string_equal(BODY(desk, "post", ""), HEAD "\"content\":\"\"}");
	assert_string_equal(BODY(desk, "post", "t", "--at", "+1h", "--type", "story"),
			    HEAD "\"type\":\"story\",\"content\":\"t\",\"scheduled_at\":"
				 "\"2027-01-15T09:00:00Z\"}");
	assert_string_equal(
		BODY(desk, "post", "--media", "https://a.example/b.JPG?c#d.mp4", "--media",
		     "video:http://a.example/e", "--alt", "seen"),
		HEAD "\"media\":[{\"url\":\"https://a.example/b.JPG?c#d.mp4\",\"type\":\"image\"},"
		     "{\"url\":\"http://a.example/e\",\"type\":\"video\",\"alt_text\":\"seen\"}]}");
	assert_string_equal(BODY(desk, "post", "t", "--comment", "1", "--comment", "2", "--media",
				 "HTTPS://a.example/v.mov"),
			    HEAD "\"containers\":[{\"content\":\"t\",\"media\":[{\"url\":"
				 "\"HTTPS://a.example/v.mov\",\"type\":\"video\"}]},"
				 "{\"content\":\"1\"},{\"content\":\"2\"}]}");
	assert_string_equal(
		BODY(desk, "post", "t", "--option", "youtube.title=A b", "--option",
		     "twitter.reply_settings=following", "--option", "youtube.madeForKids=false",
		     "--option", "x.poll={\"options\":[\"a\"]}", "--option", "youtube.tags="),
		HEAD "\"content\":\"t\",\"platforms\":{\"x\":{\"reply_settings\":\"following\","
		     "\"poll\":{\"options\":[\"a\"]}},\"youtube\":{\"title\":\"A b\","
		     "\"madeForKids\":false,\"tags\":\"\"}}}");
}

static void standard_input(void **state)
{
	static char text[] = "one\ntwo\n\n";
	struct desk *desk = *state;
	FILE *in = fmemopen(text, strlen(text), "r");
	desk->person.in = in;
	assert_string_equal(BODY(desk, "post", "-"), HEAD "\"content\":\"one\\ntwo\"}");
	fclose(in);
}

static void wrong(struct desk *desk, const char *const *words, const char *part)
{
	struct person_body body;
	assert_true(desk_parse(desk, words, NULL));
	assert_int_equal(person_body_check(&desk->person, &body), PERSON_WRONG_USE);
	fflush(desk->person.err);
	desk_said(desk->err, part);
}

#define WRONG(desk, part, ...) wrong((desk), (const char *const[]){__VA_ARGS__, NULL}, (part))

static void what_is_wrong(void **state)
{
	struct desk *desk = *state;
	WRONG(desk, "photo.png: No such file", "post", "t", "--media", "photo.png");
	WRONG(desk, "/a.png: No such file", "post", "--media", "image:/a.png");
	WRONG(desk, "http:/a.png: No such file", "post", "--media", "http:/a.png");
	WRONG(desk, "the ending does not say", "post", "--media", "https://a.example/a.pdf");
	WRONG(desk, "--alt must stand after", "post", "t", "--alt", "a", "--media",
	      "https://a.example/a.png");
	WRONG(desk, "--alt must stand after", "post", "t", "--media", "https://a.example/a.png",
	      "--alt", "a", "--alt", "b");
	WRONG(desk, "needs a text or --media", "post");
	WRONG(desk, "--at noon is no time", "post", "t", "--at", "noon");
	WRONG(desk, "write PLATFORM.NAME=VALUE", "post", "t", "--option", "x=1");
	WRONG(desk, "write PLATFORM.NAME=VALUE", "post", "t", "--option", "x.=1");
	WRONG(desk, "write PLATFORM.NAME=VALUE", "post", "t", "--option", "y.a=1");
	WRONG(desk, "--option x.a is given twice", "post", "t", "--option", "x.a=1", "--option",
	      "x.a=1");
	WRONG(desk, "the text is not UTF-8", "post", "\xff");
	WRONG(desk, "a flag's value is not UTF-8", "post", "t", "--comment", "\xc3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(bodies),
		DESK_TEST(standard_input),
		DESK_TEST(what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
