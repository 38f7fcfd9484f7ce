/* SPDX-License-Identifier: Apache-2.0
 * What follows the last byte of a YouTube video: its thumbnail, its processing, what is learnt
 * about the channel. Nothing of it may fail or repeat the upload (youtube.md 2.4 to
 * 2.6). */
#include "count_of.h"

#include "youtube.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"

#define SESSION \
	"https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=xyz"
#define THUMBNAIL "https://www.googleapis.com/upload/youtube/v3/thumbnails/set?videoId=vid1"
#define PROCESSING \
	"https://www.googleapis.com/youtube/v3/videos?part=status,processingDetails&id=vid1"
#define STATUS(fields) "{\"items\":[{\"id\":\"vid1\",\"status\":{" fields "}}]}"

static struct talk talk;
static struct media_file files[2];
static const struct str cover = {"https://m.example/cover.jpg", 27};

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_youtube);
	talk.env.platform_account_id = STR("UCchannel");
	talk_video(&talk, 0);
	files[0] = talk.file;
	files[1] = (struct media_file){
		.is_ready = true,
		.size_bytes = 500,
		.sniff = {.type = SNIFF_JPEG, .mime_type = "image/jpeg", .is_image = true},
	};
	talk.env.media = files;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

static void has_cover(bool is_asked_for)
{
	talk.media.thumbnail_url = cover;
	talk.env.file_urls = &cover;
	talk.env.file_count = is_asked_for ? 1 : 0;
}

/* Up to the video's id. */
static void upload(void)
{
	flow_init(&talk.flow, talk.arena, talk.post.container_count);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, "Location: " SESSION, "");
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk_answer(&talk, 200, NULL, "{\"id\":\"vid1\"}");
}

static void expect_done(const char *url)
{
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_true(talk.flow.parts[0].is_done);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "vid1"));
	assert_true(str_equal_z(talk.flow.parts[0].url, url));
}

static void a_thumbnail_is_fetched_and_set(void **state)
{
	(void)state;
	has_cover(false);
	upload();
	assert_int_equal(talk.step.kind, STEP_MEDIA);
	assert_true(str_equal(talk.step.file_url, cover));
	assert_true(talk.step.file_is_optional);
	has_cover(true);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", THUMBNAIL);
	talk_expect_header(&talk, "Content-Type", "image/jpeg");
	assert_true(talk.step.call.has_media_body);
	assert_int_equal(talk.step.call.media_index, 1);
	assert_int_equal(talk.step.call.media_length_bytes, 500);
	talk_answer(&talk, 200, NULL, "{\"kind\":\"youtube#thumbnailSetResponse\"}");
	talk_expect_call(&talk, CALL_READ, "GET", PROCESSING);
	talk_answer(&talk, 200, NULL, STATUS("\"uploadStatus\":\"processed\""));
	expect_done("https://www.youtube.com/watch?v=vid1");
}

static void a_thumbnail_that_is_none_is_left_out(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct media_file file;
	} rows[] = {
		{"missing", {.is_missing = true}},
		{"a GIF",
		 {.is_ready = true,
		  .size_bytes = 9,
		  .sniff = {.type = SNIFF_GIF, .mime_type = "image/gif", .is_image = true}}},
		{"a web page",
		 {.is_ready = true,
		  .size_bytes = 9,
		  .sniff = {.mime_type = "application/octet-stream"}}},
		{"too large",
		 {.is_ready = true,
		  .size_bytes = 50000001,
		  .sniff = {.type = SNIFF_PNG, .mime_type = "image/png", .is_image = true}}},
	};
	has_cover(true);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		files[1] = rows[i].file;
		upload();
		talk_expect_call(&talk, CALL_READ, "GET", PROCESSING);
	}
}

/* rules.md 2.1: the video is there. */
static void no_failure_of_a_thumbnail_fails_the_video(void **state)
{
	(void)state;
	static const struct {
		int status;
		int tries;
	} rows[] = {{400, 1}, {403, 1}, {404, 1}, {429, 4}, {500, 4}, {503, 4}};
	has_cover(true);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		upload();
		for (int n = 0; n < rows[i].tries; n++) {
			if (n > 0)
				talk_ask(&talk, OPERATION_PUBLISH);
			talk_expect_call(&talk, CALL_PREPARE, "POST", THUMBNAIL);
			talk_answer(&talk, rows[i].status, NULL,
				    "{\"error\":{\"code\":1,\"errors\":[{\"reason\":\"r\"}]}}");
			if (n + 1 < rows[i].tries)
				assert_int_equal(talk.step.kind, STEP_WAIT);
		}
		assert_int_equal(talk.flow.warning_count, 1);
		assert_true(str_equal_z(talk.flow.warnings[0].code, FLOW_THUMBNAIL_REFUSED));
		talk_expect_call(&talk, CALL_READ, "GET", PROCESSING);
	}
}

/* An access token lives an hour, an upload may last longer: it is refreshed, and the same call is
 * made again. */
static void a_refused_token_is_no_failure_of_the_video(void **state)
{
	(void)state;
	static const char refused[] =
		"{\"error\":{\"code\":401,\"errors\":[{\"reason\":\"authError\"}]}}";
	has_cover(true);
	upload();
	talk_answer(&talk, 401, NULL, refused);
	talk_expect_failure(&talk, "thumbnail", FAILURE_TOKEN,
			    FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
	assert_true(flow_is_open(&talk.flow));
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", THUMBNAIL);
	talk_answer(&talk, 200, NULL, "{}");
	talk_answer(&talk, 401, NULL, refused);
	talk_expect_failure(&talk, "processing", FAILURE_TOKEN,
			    FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
	/* The account is dead for good: the engine asks what became of the open part, and the
	 * video's id is known. */
	talk_ask(&talk, OPERATION_RESOLVE);
	assert_int_equal(talk.step.kind, STEP_LANDED);
	assert_true(talk.flow.parts[0].is_done);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "vid1"));
}

static void processing_is_watched_for_minutes_and_then_left_alone(void **state)
{
	(void)state;
	static const int64_t waits_ms[] = {10000, 20000, 40000, 80000, 150000};
	static const struct {
		int status;
		const char *body;
	} answers[] = {
		{200, STATUS("\"uploadStatus\":\"uploaded\"")},
		{200, "{\"items\":[]}"},
		{403, "{}"},
		{503, ""},
		{200, "<html>"},
	};
	upload();
	for (size_t i = 0; i < 5; i++) {
		talk_expect_call(&talk, CALL_READ, "GET", PROCESSING);
		talk_answer(&talk, answers[i].status, NULL, answers[i].body);
		assert_int_equal(talk.step.kind, STEP_WAIT);
		assert_int_equal(talk.step.wait_ms, waits_ms[i]);
		talk_ask(&talk, OPERATION_PUBLISH);
	}
	talk_lose(&talk, REPLY_LOST);
	expect_done("https://www.youtube.com/watch?v=vid1");
}

static void a_video_that_youtube_does_not_accept_has_failed(void **state)
{
	(void)state;
	static const struct {
		const char *status;
		enum failure_code code;
	} rows[] = {
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"conversion\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"invalidFile\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"emptyFile\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"tooSmall\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"codec\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\",\"failureReason\":\"uploadAborted\""),
		 FAILURE_CODE_PLATFORM_REJECTED},
		{STATUS("\"uploadStatus\":\"failed\""), FAILURE_CODE_PLATFORM_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"duplicate\""),
		 FAILURE_CODE_DUPLICATE_CONTENT},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"length\""),
		 FAILURE_CODE_MEDIA_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"copyright\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"claim\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"trademark\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"inappropriate\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"legal\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":\"termsOfUse\""),
		 FAILURE_CODE_CONTENT_REJECTED},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":"
			"\"uploaderAccountSuspended\""),
		 FAILURE_CODE_PERMISSION_MISSING},
		{STATUS("\"uploadStatus\":\"rejected\",\"rejectionReason\":"
			"\"uploaderAccountClosed\""),
		 FAILURE_CODE_PERMISSION_MISSING},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		upload();
		talk_answer(&talk, 200, NULL, rows[i].status);
		talk_expect_failure(&talk, rows[i].status, FAILURE_PERMANENT, rows[i].code);
		assert_false(
			flow_is_open(&talk.flow)); /* nobody sees it: it is reported as failed */
		assert_false(talk.flow.parts[0].is_done);
	}
}

static void a_video_that_somebody_deleted_was_published(void **state)
{
	(void)state;
	upload();
	talk_answer(&talk, 200, NULL, STATUS("\"uploadStatus\":\"deleted\""));
	expect_done("https://www.youtube.com/watch?v=vid1");
}

static void a_short_is_shown_as_one(void **state)
{
	(void)state;
	files[0].sniff.width = 540;
	files[0].sniff.height = 960;
	files[0].sniff.duration_ms = 4000;
	upload();
	talk_answer(&talk, 200, NULL, STATUS("\"uploadStatus\":\"processed\""));
	expect_done("https://www.youtube.com/shorts/vid1");
}

/* 2.6: what an unaudited project uploads is private. The account remembers, for the warnings of the
 * next post. */
static void a_project_without_audit_is_remembered(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *options;
		const char *privacy;
		const char *extra;
		const char *learnt; /* NULL = nothing new */
	} rows[] = {
		{"private though public was asked for", "{}", "private",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\"}",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\",\"private_only\":"
		 "true}"},
		{"known", "{}", "private", "{\"private_only\":true}", NULL},
		{"audited now", "{}", "public",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\",\"private_only\":"
		 "true}",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\",\"private_only\":"
		 "false}"},
		{"as asked for", "{}", "public",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\"}",
		 "{\"uploads_playlist\":\"UU1\",\"long_uploads\":\"allowed\",\"private_only\":"
		 "false}"},
		{"audited, known", "{}", "public", "{\"private_only\":false}", NULL},
		{"private was asked for", "{\"privacyStatus\":\"private\"}", "private", "{}", NULL},
		{"later public", "{\"publishAt\":\"2026-12-01T09:00:00Z\"}", "private", "{}", NULL},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		talk_options(&talk, rows[i].options);
		talk.env.account_extra = talk_json(&talk, rows[i].extra);
		upload();
		talk_answer(&talk, 200, NULL,
			    str_z(talk.arena, str_format(talk.arena,
							 STATUS("\"uploadStatus\":\"processed\","
								"\"privacyStatus\":\"%s\""),
							 rows[i].privacy)));
		assert_int_equal(talk.step.kind, STEP_DONE);
		if (!str_equal_z(talk.step.account_extra,
				 rows[i].learnt != NULL ? rows[i].learnt : ""))
			fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(talk.step.account_extra));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thumbnail_is_fetched_and_set),
		TEST(a_thumbnail_that_is_none_is_left_out),
		TEST(no_failure_of_a_thumbnail_fails_the_video),
		TEST(a_refused_token_is_no_failure_of_the_video),
		TEST(processing_is_watched_for_minutes_and_then_left_alone),
		TEST(a_video_that_youtube_does_not_accept_has_failed),
		TEST(a_video_that_somebody_deleted_was_published),
		TEST(a_short_is_shown_as_one),
		TEST(a_project_without_audit_is_remembered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
