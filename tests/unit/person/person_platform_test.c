/* SPDX-License-Identifier: Apache-2.0
 * platforms. */
#include "person_fixture.h"

#define X \
	"{\"id\":3,\"slug\":\"x\",\"name\":\"X\",\"post_types\":[{\"type\":\"post\",\"default\":" \
	"true," \
	"\"summary\":\"Text\\u001b.\",\"images\":{\"min\":0,\"max\":4},\"videos\":{\"min\":0," \
	"\"max\":1},\"text_max\":280}],\"limits\":{\"text_max\":280,\"text_unit\":\"code_" \
	"points\"," \
	"\"comments_max\":9,\"comment_text_max\":281,\"comment_images_max\":4," \
	"\"comment_videos_max\":1,\"alt_text_max\":1000},\"options\":[{\"name\":\"reply\"," \
	"\"type\":\"string\",\"values\":[\"a\",\"b\"],\"summary\":\"Who.\"},{\"name\":\"poll\"," \
	"\"type\":\"object\",\"summary\":\"A poll.\"}]}"
#define TIKTOK \
	"{\"id\":6,\"slug\":\"tiktok\",\"name\":\"TikTok\",\"post_types\":[],\"limits\":{}," \
	"\"options\":[]}"
#define ANSWER(sandbox) "{\"data\":[" X "," TIKTOK "],\"sandbox\":" sandbox "}"

static void all(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/platforms",
		    .body = ANSWER("false"), .times = 2);
	assert_int_equal(DESK_RUN(desk, "platforms"), PERSON_DONE);
	assert_string_equal(desk->out, "PLATFORM  NAME    TYPES  TEXT             COMMENTS\n"
				       "x         X       post   280 code points  9\n"
				       "tiktok    TikTok  -      0                0\n"
				       "More about one of them: posthorn platforms PLATFORM\n");
	assert_string_equal(desk->err, "");
	assert_int_equal(DESK_RUN(desk, "platforms", "x", "--json"), PERSON_DONE);
	desk_said(desk->out, ANSWER("false") "\n");
}

static void one(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET", .body = ANSWER("true"));
	assert_int_equal(DESK_RUN(desk, "platforms", "twitter"), PERSON_DONE);
	assert_string_equal(desk->out, "Platform    x\n"
				       "Name        X\n"
				       "Text        280 code points\n"
				       "Comments    up to 9 of 281, each with 4 images, 1 videos\n"
				       "--alt       up to 1000\n"
				       "\n"
				       "--type  IMAGES  VIDEOS  TEXT       WHAT\n"
				       "post    0 to 4  0 to 1  up to 280  Text .\n"
				       "\n"
				       "--option  VALUE   WHAT\n"
				       "x.reply   string  Who. One of: a, b\n"
				       "x.poll    object  A poll.\n");
	desk_said(desk->err, "sandbox mode");
}

static void none(void **state)
{
	struct desk *desk = *state;
	assert_int_equal(DESK_RUN(desk, "platforms", "linkdin"), PERSON_WRONG_USE);
	desk_said(desk->err, "linkdin is no platform; did you mean linkedin?");
	assert_int_equal(DESK_RUN(desk, "platforms", "myspace"), PERSON_WRONG_USE);
	desk_said(desk->err, "myspace is no platform: instagram, facebook");
	assert_int_equal(fake_count(&desk->fake, "GET"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(all),
		DESK_TEST(one),
		DESK_TEST(none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
