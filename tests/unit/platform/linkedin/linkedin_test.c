/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: what its rules refuse, many pages, and bounds. Its conversations are
 * tests/transcripts/linkedin_*.txt. */
#include "talk.h"

#include "buf.h"
#include "count_of.h"

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
	rules_check(talk.arena, platform_of(PLATFORM_LINKEDIN), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	if (reason == NULL ? problems.count != 0 : problems.count == 0)
		fail_msg("%s: %zu problems", name, problems.count);
	if (reason != NULL && !str_equal_z(problems.items[0].reason, reason))
		fail_msg("%s: " STR_FMT, name, STR_ARG(problems.items[0].reason));
}

/* linkedin.md 3: characters before escaping. */
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

/* One post of so many images and videos; reason NULL = it is fine. */
struct rule_row {
	const char *name;
	enum post_type type;
	enum account_type account;
	int images;
	int videos;
	const char *text;
	const char *options; /* NULL = none */
	const char *reason;
	const char *field;
};

#define POLL(question, options) "{\"poll\":{\"question\":\"" question "\",\"options\":" options "}}"
#define CAPTIONS(url, language) \
	"{\"captions\":[{\"url\":\"" url "\",\"language\":\"" language "\"}]}"
#define T30 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NOT_GIVEN POST_TYPE_NONE
#define MEMBER ACCOUNT_PERSONAL
#define PAGE ACCOUNT_ORGANIZATION

static const struct rule_row rule_rows[] = {
	{"a story", POST_TYPE_STORY, MEMBER, 1, 0, "t", NULL, "type_not_supported", "type"},
	{"an image", NOT_GIVEN, MEMBER, 1, 0, "", NULL, NULL, NULL},
	{"20 images", NOT_GIVEN, MEMBER, 20, 0, "", NULL, NULL, NULL},
	{"21 images", NOT_GIVEN, MEMBER, 21, 0, "", NULL, "too_many_images", "media"},
	{"20 images of a post", POST_TYPE_POST, PAGE, 20, 0, "", NULL, NULL, NULL},
	{"a carousel of one", POST_TYPE_CAROUSEL, MEMBER, 1, 0, "t", NULL, "too_few_images",
	 "media"},
	{"a video", NOT_GIVEN, MEMBER, 0, 1, "t", NULL, NULL, NULL},
	{"a video by type", POST_TYPE_VIDEO, MEMBER, 0, 1, "t", NULL, NULL, NULL},
	{"a video that is none", POST_TYPE_VIDEO, MEMBER, 1, 0, "t", NULL, "too_many_images",
	 "media"},
	{"two videos", NOT_GIVEN, MEMBER, 0, 2, "t", NULL, "too_many_videos", "media"},
	{"image and video", POST_TYPE_POST, MEMBER, 1, 1, "t", NULL, "mixed_media", "media"},
	{"nothing", NOT_GIVEN, MEMBER, 0, 0, " ", NULL, "text_required", "content"},

	{"article", POST_TYPE_ARTICLE, MEMBER, 0, 0, "see http://a.example/", NULL, NULL, NULL},
	{"article without a link", POST_TYPE_ARTICLE, MEMBER, 0, 0, "see", NULL, "link_required",
	 "platforms.linkedin.article.source"},
	{"article by option", NOT_GIVEN, MEMBER, 0, 0, "",
	 "{\"article\":{\"source\":\"https://a.example\"}}", NULL, NULL},
	{"article of two images", POST_TYPE_POST, MEMBER, 2, 0, "",
	 "{\"article\":{\"source\":\"https://a.example\"}}", "too_many_media", "media"},
	{"article with a video", POST_TYPE_POST, MEMBER, 0, 1, "",
	 "{\"article\":{\"source\":\"https://a.example\"}}", "mixed_media", "media"},
	{"article elsewhere", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"article\":{\"source\":\"ftp://a.example\"}}", "bad_option",
	 "platforms.linkedin.article.source"},
	{"article's picture elsewhere", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"article\":{\"source\":\"https://a.example\",\"thumbnail_url\":\"file:///etc\"}}",
	 "bad_option", "platforms.linkedin.article.thumbnail_url"},
	{"article's title", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"article\":{\"source\":\"https://a.example\",\"title\":7}}", "bad_option",
	 "platforms.linkedin.article.title"},

	{"poll", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("q", "[\"a\",\"" T30 "\"]"), NULL, NULL},
	{"poll of one", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("q", "[\"a\"]"), "bad_option",
	 "platforms.linkedin.poll.options"},
	{"poll of five", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("q", "[\"a\",\"b\",\"c\",\"d\",\"e\"]"),
	 "bad_option", "platforms.linkedin.poll.options"},
	{"poll of numbers", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("q", "[1,2]"), "bad_option",
	 "platforms.linkedin.poll.options"},
	{"poll of long words", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("q", "[\"a\",\"" T30 "b\"]"),
	 "option_too_large", "platforms.linkedin.poll.options"},
	{"poll without a question", NOT_GIVEN, MEMBER, 0, 0, "t", POLL("", "[\"a\",\"b\"]"),
	 "bad_option", "platforms.linkedin.poll.question"},
	{"long question", NOT_GIVEN, MEMBER, 0, 0, "t",
	 POLL(T30 T30 T30 T30 "aaaaaaaaaaaaaaaaaaaaa", "[\"a\",\"b\"]"), "option_too_large",
	 "platforms.linkedin.poll.question"},
	{"poll for ever", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"poll\":{\"question\":\"q\",\"options\":[\"a\",\"b\"],\"duration\":\"EVER\"}}",
	 "bad_option", "platforms.linkedin.poll.duration"},
	{"poll and image", NOT_GIVEN, MEMBER, 1, 0, "t", POLL("q", "[\"a\",\"b\"]"),
	 "mixed_content", "platforms.linkedin"},

	{"document", NOT_GIVEN, MEMBER, 0, 0, "",
	 "{\"document\":{\"url\":\"https://a.example/s.pdf\",\"title\":\"S\"}}", NULL, NULL},
	{"document as carousel", POST_TYPE_CAROUSEL, MEMBER, 0, 0, "",
	 "{\"document\":{\"url\":\"https://a.example/s.pdf\",\"title\":\"S\"}}", NULL, NULL},
	{"document without a title", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"document\":{\"url\":\"https://a.example/s.pdf\",\"title\":\" \"}}", "bad_option",
	 "platforms.linkedin.document.title"},
	{"document without a file", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"document\":{\"title\":\"S\"}}", "bad_option", "platforms.linkedin.document.url"},
	{"document and image", NOT_GIVEN, MEMBER, 1, 0, "t",
	 "{\"document\":{\"url\":\"https://a.example/s.pdf\",\"title\":\"S\"}}", "mixed_content",
	 "platforms.linkedin"},
	{"captions", NOT_GIVEN, MEMBER, 0, 1, "t", CAPTIONS("https://a.example/c.srt", "pt-BR"),
	 NULL, NULL},
	{"captions of an image", NOT_GIVEN, MEMBER, 1, 0, "t",
	 CAPTIONS("https://a.example/c.srt", "de"), "captions_without_video",
	 "platforms.linkedin.captions"},
	{"captions without a file", NOT_GIVEN, MEMBER, 0, 1, "t", CAPTIONS("", "de"), "bad_option",
	 "platforms.linkedin.captions"},
	{"captions of no language", NOT_GIVEN, MEMBER, 0, 1, "t",
	 CAPTIONS("https://a.example/c.srt", "de_DE"), "bad_option", "platforms.linkedin.captions"},
	{"two files of captions", NOT_GIVEN, MEMBER, 0, 1, "t",
	 "{\"captions\":[{\"url\":\"https://a.example/c.srt\",\"language\":\"de\"},"
	 "{\"url\":\"https://a.example/d.srt\",\"language\":\"en\"}]}",
	 "option_too_large", "platforms.linkedin.captions"},
	{"reshare", NOT_GIVEN, MEMBER, 0, 0, "", "{\"reshare_urn\":\"7\"}", NULL, NULL},
	{"reshare with an image", NOT_GIVEN, MEMBER, 1, 0, "", "{\"reshare_urn\":\"7\"}",
	 "mixed_content", "platforms.linkedin"},

	{"visibility that is none", NOT_GIVEN, MEMBER, 0, 0, "t", "{\"visibility\":\"EVERYBODY\"}",
	 "bad_option", "platforms.linkedin.visibility"},
	{"a page's connections", NOT_GIVEN, PAGE, 0, 0, "t", "{\"visibility\":\"CONNECTIONS\"}",
	 "members_only", "platforms.linkedin.visibility"},
	{"a member's connections", NOT_GIVEN, MEMBER, 0, 0, "t", "{\"visibility\":\"CONNECTIONS\"}",
	 NULL, NULL},
	{"a member's dark post", NOT_GIVEN, MEMBER, 0, 0, "t", "{\"feedDistribution\":\"NONE\"}",
	 "pages_only", "platforms.linkedin.feedDistribution"},
	{"a member's targets", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"targetEntities\":[{\"schools\":[\"urn:li:x:1\"]}]}", "pages_only",
	 "platforms.linkedin.targetEntities"},
	{"a page's targets", NOT_GIVEN, PAGE, 0, 0, "t",
	 "{\"targetEntities\":[{\"schools\":[\"urn:li:x:1\"]}]}", NULL, NULL},
	{"targets that are none", NOT_GIVEN, PAGE, 0, 0, "t",
	 "{\"targetEntities\":[{\"schools\":[\"everybody\"]}]}", "bad_option",
	 "platforms.linkedin.targetEntities"},
	{"a switch that is none", NOT_GIVEN, MEMBER, 0, 0, "t",
	 "{\"isReshareDisabledByAuthor\":\"yes\"}", "bad_option",
	 "platforms.linkedin.isReshareDisabledByAuthor"},
	{"mention", NOT_GIVEN, MEMBER, 0, 0, "Hi @Jo",
	 "{\"mentions\":[{\"name\":\"Jo\",\"urn\":\"urn:li:person:a_b-1\"}]}", NULL, NULL},
	{"mention of nobody", NOT_GIVEN, MEMBER, 0, 0, "Hi @Jo",
	 "{\"mentions\":[{\"name\":\"Jo\",\"urn\":\"urn:li:share:1\"}]}", "bad_option",
	 "platforms.linkedin.mentions"},
	{"mention that breaks out", NOT_GIVEN, MEMBER, 0, 0, "Hi @Jo",
	 "{\"mentions\":[{\"name\":\"Jo\",\"urn\":\"urn:li:person:1)(\"}]}", "bad_option",
	 "platforms.linkedin.mentions"},
	{"mention with a bracket", NOT_GIVEN, MEMBER, 0, 0, "Hi @J]o",
	 "{\"mentions\":[{\"name\":\"J]o\",\"urn\":\"urn:li:person:1\"}]}", "bad_option",
	 "platforms.linkedin.mentions"},
	{"button", NOT_GIVEN, PAGE, 0, 0, "t", "{\"contentCallToActionLabel\":\"BUY\"}",
	 "bad_option", "platforms.linkedin.contentCallToActionLabel"},
	{"landing page", NOT_GIVEN, PAGE, 0, 0, "t", "{\"contentLandingPage\":\"here\"}",
	 "bad_option", "platforms.linkedin.contentLandingPage"},
};

static void fill_media(const struct rule_row *row)
{
	struct container *first = &talk.containers[0];
	first->media_count = (size_t)(row->images + row->videos);
	first->media = ARENA_ARRAY(talk.arena, struct media, first->media_count + 1);
	for (size_t i = 0; i < first->media_count; i++)
		first->media[i] = (struct media){
			.url = STR("https://media.example/file"),
			.type = i < (size_t)row->images ? MEDIA_IMAGE : MEDIA_VIDEO,
			.duration_s = -1,
		};
}

static void check_rule_row(const struct rule_row *row)
{
	const struct rules_account account = {.id = STR("a1"), .type = row->account};
	struct problems problems;
	talk_text(&talk, 0);
	talk.post.type = row->type;
	talk.containers[0].content = str_of(row->text);
	fill_media(row);
	talk_options(&talk, row->options != NULL ? row->options : "{}");
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_LINKEDIN), &talk.post, &account, &problems);
	if (row->reason == NULL && problems.count > 0)
		fail_msg("%s: " STR_FMT " " STR_FMT, row->name, STR_ARG(problems.items[0].field),
			 STR_ARG(problems.items[0].reason));
	bool is_found = row->reason == NULL;
	for (size_t i = 0; i < problems.count && !is_found; i++)
		is_found = str_equal_z(problems.items[i].reason, row->reason) &&
			   str_equal_z(problems.items[i].field, row->field);
	if (!is_found)
		fail_msg("%s: %s at %s is not among %zu problems, first " STR_FMT " " STR_FMT,
			 row->name, row->reason, row->field, problems.count,
			 STR_ARG(problems.items[0].field), STR_ARG(problems.items[0].reason));
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rule_rows); i++)
		check_rule_row(&rule_rows[i]);
}

/* What the request says of its files; the bytes are looked at later. */
static void what_is_said_of_files_is_checked(void **state)
{
	static const struct {
		const char *name;
		enum media_type type;
		const char *mime_type;
		int64_t duration_s;
		const char *reason;
	} rows[] = {
		{"webp, made a JPEG", MEDIA_IMAGE, "image/webp", -1, NULL},
		{"pdf", MEDIA_IMAGE, "application/pdf", -1, "media_type_not_supported"},
		{"gif", MEDIA_IMAGE, "image/gif", -1, NULL},
		{"mov", MEDIA_VIDEO, "video/quicktime", -1, "media_type_not_supported"},
		{"short", MEDIA_VIDEO, "video/mp4", 2, "media_too_short"},
		{"shortest", MEDIA_VIDEO, "video/mp4", 3, NULL},
		{"longest", MEDIA_VIDEO, "video/mp4", 1800, NULL},
		{"long", MEDIA_VIDEO, "video/mp4", 1801, "media_too_long"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		talk_video(&talk, 0);
		talk.media.type = rows[i].type;
		talk.media.mime_type = str_of(rows[i].mime_type);
		talk.media.duration_s = rows[i].duration_s;
		expect_reason(rows[i].name, rows[i].reason);
	}
}

/* Nothing that is asked for twice, or of a kind that LinkedIn leaves out, is dropped in silence. */
static void what_is_left_out_is_said(void **state)
{
	struct problems problems;
	(void)state;
	talk_video(&talk, 0);
	talk.media.alt_text = STR("A horn");
	talk_options(&talk, "{\"mentions\":[{\"name\":\"Jo\",\"urn\":\"urn:li:person:1\"}]}");
	problems_init(&problems, talk.arena);
	rules_check(talk.arena, platform_of(PLATFORM_LINKEDIN), &talk.post,
		    &(struct rules_account){.id = STR("a1")}, &problems);
	assert_int_equal(problems.count, 0);
	assert_int_equal(problems.warning_count, 2);
}

/* ---- connect: as many pages as an account list holds ---- */

#define TOKEN \
	"{\"access_token\":\"AQX\",\"expires_in\":60,\"scope\":\"openid profile w_member_social " \
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
	talk_ask(&talk, OPERATION_CONNECT);
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
	talk_ask(&talk, OPERATION_CONNECT);
	talk_answer(&talk, 200, NULL, TOKEN);
	talk_answer(&talk, 200, NULL, "{\"sub\":\"m1\",\"name\":\"Jo\"}");
	int lists = 0;
	while (str_find(talk.step.call.url, STR("/organizationAcls"), 0) != SIZE_MAX &&
	       lists++ < 100)
		talk_answer(&talk, 200, NULL, str_z(talk.arena, acls(1, 100)));
	assert_true(lists < 50);
	talk_expect_call(&talk, CALL_READ, "GET",
			 "https://api.linkedin.com/rest/organizations/"
			 "1?projection=(id,localizedName,vanityName,"
			 "logoV2(original~:playableStreams))");
}

/* ---- files on their way up ---- */

#define PART_BYTES (4 * 1024 * 1024)

/* Up to the first PUT. parts = 0: one address for the whole file. */
static void begin_upload(enum media_type type, int64_t size_bytes, int parts)
{
	struct buf body;
	talk_video(&talk, 0);
	talk.media.type = type;
	talk.file.sniff.type = type == MEDIA_IMAGE ? SNIFF_PNG : SNIFF_MP4;
	talk.file.size_bytes = size_bytes;
	buf_init(&body, talk.arena, 1 << 20);
	buf_addf(&body, "{\"value\":{\"video\":\"urn:li:video:1\",\"image\":\"urn:li:image:1\","
			"\"uploadToken\":\"t\",\"uploadUrl\":\"https://up.example/w?ut=hush\","
			"\"uploadInstructions\":[");
	for (int i = 0; i < parts; i++)
		buf_addf(&body,
			 "%s{\"uploadUrl\":\"https://up.example/%d?ut=hush\",\"firstByte\":%lld,"
			 "\"lastByte\":%lld}",
			 i > 0 ? "," : "", i, (long long)i * PART_BYTES,
			 (long long)(i + 1) * PART_BYTES - 1);
	buf_add_z(&body, "]}}");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, str_z(talk.arena, buf_str(&body)));
}

/* 2.6, "Traps": the addresses of parts are keys of their own; the token is not for them, nor are
 * they for anybody to read. */
static void parts_carry_no_bearer_and_images_do(void **state)
{
	(void)state;
	begin_upload(MEDIA_VIDEO, 2 * PART_BYTES, 2);
	talk_expect_call(&talk, CALL_PREPARE, "PUT", "https://up.example/0?ut=hush");
	assert_int_equal(talk_header(&talk, "Authorization").len, 0);
	assert_int_equal(talk_header(&talk, "LinkedIn-Version").len, 0);
	assert_int_equal(str_find(talk.asked_by, STR("hush"), 0), SIZE_MAX);
	begin_upload(MEDIA_IMAGE, 3000, 0);
	talk_expect_call(&talk, CALL_PREPARE, "PUT", "https://up.example/w?ut=hush");
	talk_expect_header(&talk, "Authorization", "Bearer token-1");
	assert_int_equal(str_find(talk.asked_by, STR("hush"), 0), SIZE_MAX);
}

/* A long film: every part once, every etag in the order of the addresses. */
static void a_long_film_goes_up_whole_and_in_order(void **state)
{
	const int parts = 50;
	const int64_t size = INT64_C(50) * PART_BYTES - 5;
	struct buf etags;
	int64_t sent = 0;
	(void)state;
	begin_upload(MEDIA_VIDEO, size, parts);
	buf_init(&etags, talk.arena, 1 << 20);
	for (int i = 0; i < parts; i++) {
		assert_int_equal(talk.step.call.media_offset_bytes, sent);
		sent += talk.step.call.media_length_bytes;
		buf_addf(&etags, "%s\"/ambry-video/%d\"", i > 0 ? "," : "", i * 7 % parts);
		talk_answer(&talk, 200,
			    str_z(talk.arena,
				  str_format(talk.arena, "etag: /ambry-video/%d", i * 7 % parts)),
			    "");
	}
	assert_int_equal(sent, size);
	talk_expect_call(&talk, CALL_PREPARE, "POST",
			 "https://api.linkedin.com/rest/videos?action=finalizeUpload");
	assert_true(str_find(talk.step.call.body, buf_str(&etags), 0) != SIZE_MAX);
}

/* An answer that names more than any file has parts, or none, or nonsense, is not begun. */
static void addresses_are_bounded(void **state)
{
	(void)state;
	begin_upload(MEDIA_VIDEO, PART_BYTES, 4097);
	talk_expect_failure(&talk, "4097 parts", FAILURE_TRANSIENT,
			    FAILURE_CODE_PLATFORM_UNAVAILABLE);
	begin_upload(MEDIA_VIDEO, PART_BYTES, 0);
	talk_expect_failure(&talk, "none", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	/* A second part of a file that has one only. */
	begin_upload(MEDIA_VIDEO, PART_BYTES, 2);
	talk_answer(&talk, 200, "etag: a", "");
	talk_expect_failure(&talk, "behind the end", FAILURE_TRANSIENT,
			    FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

/* Processing that never ends is not waited for for ever. */
static void polling_ends(void **state)
{
	int polls = 0;
	(void)state;
	begin_upload(MEDIA_VIDEO, PART_BYTES, 1);
	talk_answer(&talk, 200, "etag: a", "");
	talk_answer(&talk, 200, NULL, "");
	while (talk.step.kind == STEP_SEND && polls++ < 1000) {
		talk_answer(&talk, 200, NULL, "{\"status\":\"PROCESSING\"}");
		if (talk.step.kind == STEP_WAIT)
			talk_ask(&talk, OPERATION_PUBLISH);
	}
	assert_in_range(polls, 100, 200);
	talk_expect_failure(&talk, "polls", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(texts_are_counted_in_characters_before_escaping),
		TEST(what_does_not_fit_is_refused_by_name),
		TEST(what_is_said_of_files_is_checked),
		TEST(what_is_left_out_is_said),
		TEST(many_pages_are_read_page_by_page_and_bounded),
		TEST(a_list_without_end_is_left),
		TEST(parts_carry_no_bearer_and_images_do),
		TEST(a_long_film_goes_up_whole_and_in_order),
		TEST(addresses_are_bounded),
		TEST(polling_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
