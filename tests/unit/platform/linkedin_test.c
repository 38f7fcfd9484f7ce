/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: what its rules refuse, many pages, and bounds. Its conversations are
 * tests/transcripts/linkedin_*.txt. */
#include "talk.h"

#include "buf.h"

#include "adapters.h"
#include "rules.h"

static struct talk talk;

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_linkedin);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

/* ---- rules ---- */

static struct str filled(size_t count, const char *character)
{
	struct buf text;
	buf_init(&text, talk.arena, 1 << 16);
	for (size_t i = 0; i < count; i++)
		buf_add_z(&text, character);
	return buf_str(&text);
}

static void expect_reason(const char *name, const char *reason)
{
	struct problems problems;
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, PLATFORM_LINKEDIN, &talk.post, STR("a1"), &problems);
	if (reason == NULL ? problems.count != 0 : problems.count == 0)
		fail_msg("%s: %zu problems", name, problems.count);
	if (reason != NULL && !str_equal_z(problems.items[0].reason, reason))
		fail_msg("%s: " STR_FMT, name, STR_ARG(problems.items[0].reason));
}

/* platforms/linkedin.md section 3: characters before escaping. */
static void texts_are_counted_in_characters_before_escaping(void **state)
{
	(void)state;
	talk.containers[0].content = filled(3000, "(");
	expect_reason("3000 reserved characters", NULL);
	talk.containers[0].content = filled(3000, "\xc3\xa9");
	expect_reason("3000 characters of two bytes", NULL);
	talk.containers[0].content = filled(3001, "a");
	expect_reason("3001", "text_too_long");
	talk.containers[0].content = STR(" \n");
	expect_reason("blank", "text_required");
	talk_text(&talk, 1);
	talk.containers[0].content = STR("a");
	talk.containers[1].content = filled(1250, "a");
	expect_reason("comment of 1250", NULL);
	talk.containers[1].content = filled(1251, "a");
	expect_reason("comment of 1251", "text_too_long");
}

static void what_is_not_text_is_refused_by_name(void **state)
{
	(void)state;
	talk_video(&talk, 0);
	expect_reason("a video", "too_many_videos");
	talk.media.type = MEDIA_IMAGE;
	expect_reason("an image", "too_many_images");
	talk.containers[0].media_count = 0;
	talk.post.type = POST_TYPE_STORY;
	expect_reason("a story", "type_not_supported");
	talk.post.type = POST_TYPE_NONE;
	talk_options(&talk, "{\"visibility\":\"EVERYBODY\"}");
	expect_reason("a visibility that is none", "bad_option");
	talk_options(&talk, "{\"isReshareDisabledByAuthor\":\"yes\"}");
	expect_reason("a switch that is none", "bad_option");
}

/* ---- connect: as many pages as an account list holds ---- */

#define TOKEN                                                                                      \
	"{\"access_token\":\"AQX\",\"expires_in\":60,\"scope\":\"openid profile w_member_social "  \
	"w_organization_social rw_organization_admin\"}"

static struct str acls(int first, int count)
{
	struct buf text;
	buf_init(&text, talk.arena, 1 << 16);
	buf_add_z(&text, "{\"elements\":[");
	for (int i = 0; i < count; i++)
		buf_addf(&text, "%s{\"organization\":\"urn:li:organization:%d\"}", i > 0 ? "," : "",
			 first + i);
	buf_add_z(&text, "]}");
	return buf_str(&text);
}

static void many_pages_are_read_page_by_page_and_bounded(void **state)
{
	(void)state;
	flow_init(&talk.flow, talk.arena, 0);
	talk_ask(&talk, platform_linkedin.connect);
	talk_answer(&talk, 200, NULL, TOKEN);
	talk_answer(&talk, 200, NULL, "{\"sub\":\"m1\",\"name\":\"Jo\"}");
	int lists = 0;
	while (str_find(talk.step.call.url, STR("/organizationAcls"), 0) != SIZE_MAX) {
		const struct str start = str_format(talk.arena, "&start=%d&", lists * 100);
		assert_true(str_find(talk.step.call.url, lists < 10 ? start : STR(""), 0) !=
			    SIZE_MAX);
		talk_answer(&talk, 200, NULL,
			    str_z(talk.arena, acls(1000 + lists * 100, lists < 3 ? 100 : 7)));
		lists++;
		if (lists > 3)
			break;
	}
	while (str_find(talk.step.call.url, STR("/organizationAcls"), 0) != SIZE_MAX)
		talk_answer(&talk, 200, NULL, "{\"elements\":[]}");
	int pages = 0;
	while (talk.step.kind == STEP_SEND && pages < 1000) {
		talk_answer(&talk, 200, NULL, "{\"localizedName\":\"Page\"}");
		pages++;
	}
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_int_equal(pages, STEP_ACCOUNTS_MAX - 1);
	assert_int_equal(talk.step.account_count, STEP_ACCOUNTS_MAX);
	assert_true(str_equal_z(talk.step.accounts[1].platform_account_id, "1000"));
	assert_true(str_equal_z(talk.step.accounts[199].platform_account_id, "1198"));
}

/* The list goes on for ever: LinkedIn, or somebody in its place, repeats itself. */
static void a_list_without_end_is_left(void **state)
{
	(void)state;
	flow_init(&talk.flow, talk.arena, 0);
	talk_ask(&talk, platform_linkedin.connect);
	talk_answer(&talk, 200, NULL, TOKEN);
	talk_answer(&talk, 200, NULL, "{\"sub\":\"m1\",\"name\":\"Jo\"}");
	int lists = 0;
	while (str_find(talk.step.call.url, STR("/organizationAcls"), 0) != SIZE_MAX &&
	       lists++ < 100)
		talk_answer(&talk, 200, NULL, str_z(talk.arena, acls(1, 100)));
	assert_true(lists < 40);
	talk_expect_call(&talk, CALL_READ, "GET",
			 "https://api.linkedin.com/rest/organizations/"
			 "1?projection=(id,localizedName,vanityName,"
			 "logoV2(original~:playableStreams))");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(texts_are_counted_in_characters_before_escaping),
		TEST(what_is_not_text_is_refused_by_name),
		TEST(many_pages_are_read_page_by_page_and_bounded),
		TEST(a_list_without_end_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
