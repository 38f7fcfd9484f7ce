/* SPDX-License-Identifier: Apache-2.0
 * posts, show, explain and accounts. */
#include "person_fixture.h"

#include "json.h"

#include "person_read.h"

#define META "\"meta\":{\"current_page\":2,\"per_page\":20,\"total\":41,\"last_page\":3}"

static void a_list_of_posts(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(
		desk, .match = "GET",
		.body = "{\"data\":[{\"id\":\"p\",\"state\":\"published\",\"outcome\":\"partial\","
			"\"scheduled_at\":null,\"created_at\":\"2027-01-15T08:00:00.5Z\","
			"\"containers\":[{\"content\":\"one\\ntwo\"}],\"platform_posts\":["
			"{\"platform\":\"x\",\"handle\":\"jo\"},{\"platform\":\"tiktok\","
			"\"handle\":\"a_long_name_that_is_cut\"}]}]," META "}");
	assert_int_equal(DESK_RUN(desk, "posts", "--status", "failed", "--account", "a&b",
				  "--account", "c", "--user", "u", "--page", "2"),
			 PERSON_DONE);
	assert_string_equal(
		desk->out,
		"POST  STATE              WHEN                  TO                              "
		"TEXT\np     published in part  2027-01-15T08:00:00Z  x:jo, "
		"tiktok:a_long_name_th...  one two\npage 2 of 3, 41 posts\n");
	assert_string_equal(fake_nth(&desk->fake, "GET", 0)->url,
			    "http://service.example/v1/posts?status=failed&account_ids%5B%5D=a%26b"
			    "&account_ids%5B%5D=c&external_user_ids%5B%5D=u&page=2");
}

static void a_list_of_accounts(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET",
		    .body = "{\"data\":[" ACCOUNT_ROW("i", "@jo", "active", "false") "]," META "}");
	assert_int_equal(DESK_RUN(desk, "accounts", "--user", "u"), PERSON_DONE);
	desk_said(desk->out, "x:jo  Name  personal  unconfirmed  me    i\npage 2 of 3, 41 acc");
	desk_said(fake_nth(&desk->fake, "GET", 0)->url, "/v1/accounts?user_id=u");
}

static void one_post(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED, .times = 2);
	assert_int_equal(DESK_RUN(desk, "show", ID_2), PERSON_DONE);
	desk_said(desk->out, "Post        " ID_2 "\nState       published\nText        Hello\n");
	desk_said(desk->out, "https://x.com/1");
	assert_int_equal(DESK_RUN(desk, "show", ID_2, "--json"), PERSON_DONE);
	desk_said(desk->out, PUBLISHED "\n");
}

static void a_post_with_an_uploaded_file(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET",
		    .body = "{\"data\":{\"id\":\"" ID_2 "\",\"containers\":[{\"content\":\"Hello\","
			    "\"media\":[{\"url\":null,\"media_id\":\"med_1\"},{\"url\":"
			    "\"https://a.example/b.jpg\",\"media_id\":null}]}]}}");
	assert_int_equal(DESK_RUN(desk, "show", ID_2), PERSON_DONE);
	desk_said(desk->out, "Media       med_1\nMedia       https://a.example/b.jpg\n");
}

#define TAKEN_BACK(url, status, error) \
	"{\"platform\":\"x\",\"handle\":\"jo\",\"state\":\"published\",\"outcome\":\"all\"," \
	"\"url\":" url ",\"error\":null,\"removal\":{\"status\":\"" status "\",\"error\":" error \
	",\"removed_at\":null}}"

static void a_post_that_is_taken_back(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET",
		    .body = POST_DATA("published", "all",
				      TAKEN_BACK("null", "removed", "null") ","                //
				      TAKEN_BACK("\"https://x.com/1\"", "pending", "null") "," //
				      TAKEN_BACK("\"https://x.com/2\"", "failed",
						 "{\"code\":\"PERMISSION_MISSING\","
						 "\"message\":\"No right.\"}")),
		    .times = 3);
	assert_int_equal(DESK_RUN(desk, "show", ID_2), PERSON_DONE);
	desk_said(desk->out, "jo       published  removed from the platform\n");
	desk_said(desk->out, "published  https://x.com/1 (is being removed)\n");
	desk_said(desk->out, "published  https://x.com/2 (not removed: No right.)\n");
	DESK_ANSWER(desk, .match = "/timeline", .body = "{\"data\":[]}");
	assert_int_equal(DESK_RUN(desk, "explain", ID_2), PERSON_DONE);
	desk_said(desk->out, "  where     removed from the platform\n");
}

static void what_happened(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(
		desk, .match = "/timeline",
		.body = "{\"data\":[{\"at\":\"T1\",\"delivery_id\":\"d\",\"stage\":\"publish\","
			"\"method\":\"POST\",\"host_path\":\"api.x.com/2/tweets\",\"status\":403,"
			"\"duration_ms\":12,\"verdict\":\"refused\",\"decision\":\"failed\","
			"\"excerpt\":\"No\\u001b[31m.\"},{\"at\":\"T2\",\"delivery_id\":\"e\","
			"\"stage\":\"hold\",\"method\":\"\",\"host_path\":\"\",\"status\":null,"
			"\"duration_ms\":0,\"verdict\":\"v\",\"decision\":\"w\",\"excerpt\":null},"
			"{\"at\":\"T3\",\"delivery_id\":\"d\",\"stage\":\"s\",\"method\":\"GET\","
			"\"host_path\":\"h\",\"status\":null,\"duration_ms\":9,\"verdict\":"
			"\"lost\","
			"\"decision\":\"wait\",\"excerpt\":null},{\"at\":\"T4\","
			"\"delivery_id\":\"d\",\"stage\":\"s\",\"method\":\"GET\",\"host_path\":"
			"\"h\",\"status\":200,\"duration_ms\":9,\"verdict\":\"ok\",\"decision\":"
			"\"\",\"excerpt\":null}]}");
	DESK_ANSWER(
		desk, .match = "GET",
		.body = POST_DATA("failed", "none",
				  TARGET("failed", "none", "null",
					 "{\"code\":\"OUTCOME_UNKNOWN\",\"message\":\"Unknown.\","
					 "\"platform_message\":\"Oops\"}")));
	assert_int_equal(DESK_RUN(desk, "explain", ID_2), PERSON_DONE);
	desk_said(desk->out, "x jodoe: failed\n  why       Unknown.\n  it said   Oops\n");
	desk_said(desk->out, "  do        look at the account; if the post is not there: posthorn "
			     "retry " ID_2 " --republish\n");
	desk_said(desk->out,
		  "T1  x jodoe  publish: POST api.x.com/2/tweets, 403 in 12 ms: refused, "
		  "failed\n    No [31m.\n");
	desk_said(desk->out, "T2  e  hold: v, w\n");
	desk_said(desk->out, "T3  x jodoe  s: GET h, no answer: lost, wait\n");
	desk_said(desk->out, "T4  x jodoe  s: GET h, 200 in 9 ms: ok\n");
}

static const struct json *parse(struct desk *desk, const char *text)
{
	const struct json *json = NULL;
	assert_int_equal(json_parse(desk->person.arena, str_of(text), NULL, &json, NULL, NULL),
			 ERR_NONE);
	return json;
}

static void outcomes(void **state)
{
	struct desk *desk = *state;
	assert_int_equal(person_read_outcome(json_get(parse(desk, PUBLISHED), "data")),
			 PERSON_DONE);
	assert_int_equal(person_read_outcome(json_get(
				 parse(desk, POST_DATA("published", "partial", "")), "data")),
			 PERSON_FAILED);
	assert_int_equal(person_read_outcome(json_get(
				 parse(desk, POST_DATA("processing", "none", "")), "data")),
			 PERSON_FAILED);
}

static void advice_for_every_code(void **state)
{
	static const char *const codes[] = {
		"ACCOUNT_REAUTH_REQUIRED", "PERMISSION_MISSING", "OUTCOME_UNKNOWN",
		"MEDIA_UNREACHABLE",       "MEDIA_REJECTED",     "CONTENT_REJECTED",
		"DUPLICATE_CONTENT",       "RATE_LIMITED",       "QUOTA_EXHAUSTED",
		"PLATFORM_UNAVAILABLE",    "PLATFORM_REJECTED",  "EXPIRED",
		"APP_CREDENTIALS_INVALID", "INTERNAL_ERROR",
	};
	struct desk *desk = *state;
	char text[128];
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		snprintf(
			text, sizeof(text),
			"{\"id\":\"p\",\"platform_posts\":[{\"platform\":\"x\",\"error\":{\"code\":"
			"\"%s\"}}]}",
			codes[i]);
		fseek(desk->person.out, 0, SEEK_SET);
		person_read_print_targets(&desk->person, parse(desk, text));
		fputc('\0', desk->person.out);
		fflush(desk->person.out);
		desk_said(desk->out, "\nx: ");
	}
	fseek(desk->person.out, 0, SEEK_SET);
	person_read_print_targets(
		&desk->person,
		parse(desk, "{\"platform_posts\":[{\"platform\":\"x\",\"error\":{\"code\":"
			    "\"CANCELLED\"}},{\"platform\":\"x\"}]}"));
	fputc('\0', desk->person.out);
	fflush(desk->person.out);
	assert_null(strstr(desk->out, "\nx: "));
}

static void what_is_refused(void **state)
{
	static const char *const verbs[] = {"posts", "accounts"};
	struct desk *desk = *state;
	for (size_t i = 0; i < 2; i++) {
		DESK_ANSWER(desk, .match = "GET", .status = 422,
			    .body = "{\"message\":\"No.\",\"error\":\"VALIDATION_ERROR\"}");
		assert_int_equal(DESK_RUN(desk, verbs[i]), PERSON_FAILED);
	}
	DESK_ANSWER(desk, .match = "GET", .status = 404,
		    .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}", .times = 2);
	assert_int_equal(DESK_RUN(desk, "explain", "x"), PERSON_FAILED);
	assert_int_equal(DESK_RUN(desk, "show", "x", "--json"), PERSON_FAILED);
	assert_string_equal(desk->out, "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(a_list_of_posts),
		DESK_TEST(a_list_of_accounts),
		DESK_TEST(one_post),
		DESK_TEST(a_post_with_an_uploaded_file),
		DESK_TEST(a_post_that_is_taken_back),
		DESK_TEST(what_happened),
		DESK_TEST(outcomes),
		DESK_TEST(advice_for_every_code),
		DESK_TEST(what_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
