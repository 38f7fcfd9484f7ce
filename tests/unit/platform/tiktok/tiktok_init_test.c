/* SPDX-License-Identifier: Apache-2.0
 * Opening a task at TikTok: what the creator's answer makes of it, photos, pulled videos, and what
 * becomes of an init that publishes (tiktok.md 2.1, 2.2, 2.4, 2.5, 5). */
#include "count_of.h"

#include "tiktok.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"

#define API "https://open.tiktokapis.com/v2"
#define OK ",\"error\":{\"code\":\"ok\",\"message\":\"\",\"log_id\":\"l\"}}"
#define CREATOR \
	"{\"data\":{\"creator_username\":\"alice\",\"privacy_level_options\":[\"PUBLIC_TO_" \
	"EVERYONE\"," \
	"\"SELF_ONLY\"],\"stitch_disabled\":true,\"comment_disabled\":true,\"max_video_post_" \
	"duration_sec\":60}" OK
#define ERROR(code) "{\"error\":{\"code\":\"" code "\",\"message\":\"words\",\"log_id\":\"l\"}}"

static struct talk talk;
static struct media media[2];
static struct media_file files[2];

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_tiktok);
	talk.env.account_type = ACCOUNT_CREATOR;
	talk.env.post_type = POST_TYPE_VIDEO;
	talk_video(&talk, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

static struct media_file photo(enum sniff_type type, const char *mime_type, const char *hosted_url)
{
	return (struct media_file){
		.is_ready = true,
		.size_bytes = 500,
		.sniff = {.type = type,
			  .mime_type = mime_type,
			  .is_image = true,
			  .width = 1080,
			  .height = 1080},
		.hosted_url = str_of(hosted_url),
	};
}

static void be_photos(void)
{
	media[0] = (struct media){
		.url = STR("https://m.example/1.jpg"), .type = MEDIA_IMAGE, .duration_s = -1};
	media[1] = (struct media){
		.url = STR("https://m.example/2.webp"), .type = MEDIA_IMAGE, .duration_s = -1};
	files[0] = photo(SNIFF_JPEG, "image/jpeg", "https://p.example/media/a");
	files[1] = photo(SNIFF_WEBP, "image/webp", "https://p.example/media/b");
	talk.containers[0].media = media;
	talk.containers[0].media_count = 2;
	talk.env.media = files;
	talk.env.post_type = POST_TYPE_CAROUSEL;
}

static void ask_creator(void)
{
	flow_init(&talk.flow, talk.arena, 1);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, CREATOR);
}

static void photos_are_pulled_from_our_copies(void **state)
{
	(void)state;
	be_photos();
	talk_options(&talk, "{\"title\":\"T\",\"photo_cover_index\":1,\"auto_add_music\":true}");
	ask_creator();
	talk_expect_call(&talk, CALL_PUBLISH, "POST", API "/post/publish/content/init/");
	assert_true(str_equal_z(talk.step.call.body,
				"{\"media_type\":\"PHOTO\",\"post_mode\":\"DIRECT_POST\",\"post_"
				"info\":{\"title\":\"T\",\"description\":\"First post\","
				"\"privacy_level\":\"PUBLIC_TO_EVERYONE\",\"disable_comment\":true,"
				"\"brand_content_toggle\":false,"
				"\"brand_organic_toggle\":false,\"auto_add_music\":true},\"source_"
				"info\":{\"source\":\"PULL_FROM_URL\","
				"\"photo_cover_index\":1,\"photo_images\":[\"https://p.example/"
				"media/a\",\"https://p.example/media/b\"]}}"));
	talk_answer(&talk, 200, NULL, "{\"data\":{\"publish_id\":\"p_pub_url~v2.1\"}" OK);
	assert_int_equal(talk.step.kind, STEP_WAIT);
	assert_true(flow_is_open(&talk.flow));
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", API "/post/publish/status/fetch/");
	talk_answer(&talk, 200, NULL,
		    "{\"data\":{\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":["
		    "7512345678901234567]}" OK);
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_true(str_equal_z(talk.flow.parts[0].url,
				"https://www.tiktok.com/@alice/photo/7512345678901234567"));
}

static void own_addresses_are_pulled_when_asked_for_or_without_a_copy(void **state)
{
	(void)state;
	static const char own[] = "[\"https://m.example/1.jpg\",\"https://m.example/2.webp\"]";
	be_photos();
	talk_options(&talk, "{\"source\":\"PULL_FROM_URL\"}");
	ask_creator();
	assert_true(str_find(talk.step.call.body, str_of(own), 0) != SIZE_MAX);
	talk_options(&talk, "{}");
	files[0].hosted_url = files[1].hosted_url = STR("");
	ask_creator();
	assert_true(str_find(talk.step.call.body, str_of(own), 0) != SIZE_MAX);
}

static void every_photo_is_looked_at(void **state)
{
	(void)state;
	be_photos();
	files[1].is_ready = false;
	ask_creator();
	assert_int_equal(talk.step.kind, STEP_MEDIA);
	assert_int_equal(talk.step.media_index, 1);
	files[1] = photo(SNIFF_PNG, "image/png", "");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "PNG", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
	assert_true(str_find(talk.step.failure.message, STR("JPEG or WebP"), 0) != SIZE_MAX);
	files[1] = photo(SNIFF_JPEG, "image/jpeg", "");
	files[1].size_bytes = 20 * 1024 * 1024 + 1;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "too large", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
}

static void a_pulled_video_is_published_by_its_init(void **state)
{
	(void)state;
	talk_options(&talk, "{\"source\":\"PULL_FROM_URL\"}");
	ask_creator();
	talk_expect_call(&talk, CALL_PUBLISH, "POST", API "/post/publish/video/init/");
	assert_true(str_find(talk.step.call.body,
			     STR("\"source_info\":{\"source\":\"PULL_FROM_URL\",\"video_url\":"
				 "\"https://m.example/v.mp4\"}"),
			     0) != SIZE_MAX);
	talk_answer(&talk, 200, NULL, "{\"data\":{\"publish_id\":\"v_pub_url~v2.1\"}" OK);
	talk_ask(&talk, OPERATION_PUBLISH);
	/* Nothing of it is ours to send, however little TikTok has. */
	talk_answer(&talk, 200, NULL,
		    "{\"data\":{\"status\":\"PROCESSING_DOWNLOAD\",\"downloaded_bytes\":10}" OK);
	assert_int_equal(talk.step.kind, STEP_WAIT);
}

static void only_a_readable_refusal_of_a_pull_is_one(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int status;
		const char *body;
		enum step_kind kind;
		enum failure_code code;
	} rows[] = {
		{"ownership", 403, ERROR("url_ownership_unverified"), STEP_FAIL,
		 FAILURE_CODE_PLATFORM_REJECTED},
		{"too many, with 200", 200, ERROR("spam_risk_too_many_posts"), STEP_FAIL,
		 FAILURE_CODE_QUOTA_EXHAUSTED},
		{"token", 401, ERROR("access_token_invalid"), STEP_FAIL,
		 FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED},
		{"limit", 429, "", STEP_FAIL, FAILURE_CODE_RATE_LIMITED},
		{"unreadable", 400, "<html>", STEP_UNCERTAIN, FAILURE_CODE_NONE},
		{"an error of its own", 400, ERROR("internal_error"), STEP_UNCERTAIN,
		 FAILURE_CODE_NONE},
		{"no id", 200, "{\"data\":{}" OK, STEP_UNCERTAIN, FAILURE_CODE_NONE},
		{"no body", 200, "", STEP_UNCERTAIN, FAILURE_CODE_NONE},
	};
	be_photos();
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ask_creator();
		talk_answer(&talk, rows[i].status, NULL, rows[i].body);
		if (talk.step.kind != rows[i].kind ||
		    (rows[i].kind == STEP_FAIL && talk.step.failure.code != rows[i].code))
			fail_msg("%s: kind %d, %s", rows[i].name, (int)talk.step.kind,
				 failure_code_name(talk.step.failure.code));
	}
}

/* No task can be listed: photos stay unknown; public videos are listed where the scope was
 * granted. */
static void a_pull_in_doubt_is_looked_for_where_it_can_be(void **state)
{
	(void)state;
	talk_options(&talk, "{\"source\":\"PULL_FROM_URL\"}");
	ask_creator();
	talk_ask(&talk, OPERATION_RESOLVE);
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
	talk.env.account_extra = talk_json(&talk, "{\"can_list\":true}");
	talk_ask(&talk, OPERATION_RESOLVE);
	talk_expect_call(&talk, CALL_READ, "POST", API "/video/list/?fields=id,title,create_time");
	talk_answer(&talk, 200, NULL,
		    "{\"data\":{\"videos\":[{\"id\":\"9007199254740993\",\"title\":\"First "
		    "post\",\"create_time\":1795262400},"
		    "{\"id\":\"2\",\"title\":\"First post\",\"create_time\":1795000000},"
		    "{\"id\":\"3\",\"title\":\"Another\",\"create_time\":1795262400}]}" OK);
	assert_int_equal(talk.step.kind, STEP_MATCHES);
	assert_int_equal(talk.step.match_count, 1);
	assert_true(str_equal_z(talk.step.matches[0].remote_id, "9007199254740993"));
	be_photos();
	talk_ask(&talk, OPERATION_RESOLVE);
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
}

static void what_the_creator_switched_off_stays_off(void **state)
{
	(void)state;
	ask_creator();
	assert_true(str_find(talk.step.call.body,
			     STR("\"disable_duet\":false,\"disable_stitch\":true,\"disable_"
				 "comment\":true"),
			     0) != SIZE_MAX);
}

static void a_file_longer_than_the_creators_is_refused(void **state)
{
	(void)state;
	talk.file.sniff.duration_ms = 60999;
	ask_creator();
	talk_expect_call(&talk, CALL_PREPARE, "POST", API "/post/publish/video/init/");
	talk.file.sniff.duration_ms = 61000;
	ask_creator();
	talk_expect_failure(&talk, "61 s", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
	assert_true(str_find(talk.step.failure.message, STR("60 s"), 0) != SIZE_MAX);
}

static void what_is_heard_is_kept_with_the_account(void **state)
{
	(void)state;
	ask_creator();
	const struct json *extra = talk_json(&talk, str_z(talk.arena, talk.step.account_extra));
	assert_int_equal(json_int(json_get(extra, "max_video_post_duration_sec"), 0), 60);
	assert_true(json_bool(json_get(extra, "stitch_disabled"), false));
	assert_int_equal(json_get(extra, "privacy_level_options")->count, 2);
	talk.env.account_extra = extra;
	ask_creator();
	assert_true(str_is_empty(talk.step.account_extra)); /* nothing new */
	/* Once as SELF_ONLY, which an app without an audit may use; then it is the last word. */
	talk_answer(&talk, 403, NULL, ERROR("unaudited_client_can_only_post_to_private_accounts"));
	assert_int_equal(talk.step.kind, STEP_SEND);
	talk_answer(&talk, 403, NULL, ERROR("unaudited_client_can_only_post_to_private_accounts"));
	talk_expect_failure(&talk, "unaudited", FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING);
	extra = talk_json(&talk, str_z(talk.arena, talk.step.account_extra));
	assert_true(json_bool(json_get(extra, "is_unaudited"), false));
	assert_int_equal(json_int(json_get(extra, "max_video_post_duration_sec"), 0), 60);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(photos_are_pulled_from_our_copies),
		TEST(own_addresses_are_pulled_when_asked_for_or_without_a_copy),
		TEST(every_photo_is_looked_at),
		TEST(a_pulled_video_is_published_by_its_init),
		TEST(only_a_readable_refusal_of_a_pull_is_one),
		TEST(a_pull_in_doubt_is_looked_for_where_it_can_be),
		TEST(what_the_creator_switched_off_stays_off),
		TEST(a_file_longer_than_the_creators_is_refused),
		TEST(what_is_heard_is_kept_with_the_account),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
