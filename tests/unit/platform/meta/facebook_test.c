/* SPDX-License-Identifier: Apache-2.0
 * Facebook Pages where no transcript tells it: what an old photo or a long wait does to a flow. The
 * conversations are in tests/transcripts, the rules in facebook_rules_test.c. */
#include "count_of.h"

#include "talk.h"

#include "adapters.h"

static void page_open(struct talk *talk, const char *type)
{
	talk_open(talk, &platform_facebook);
	talk->env.post_type = post_type_of_name(str_of(type));
	talk->env.platform_account_id = STR("1053");
}

static void photo_open(struct talk *talk)
{
	page_open(talk, "post");
	talk->media = (struct media){
		.url = STR("https://m.example/p.jpg"), .type = MEDIA_IMAGE, .duration_s = -1};
	talk->file.sniff =
		(struct sniff){.type = SNIFF_JPEG, .mime_type = "image/jpeg", .is_image = true};
	talk->containers[0].media = &talk->media;
	talk->containers[0].media_count = 1;
}

#define PHOTOS "https://graph.facebook.com/v25.0/1053/photos"
#define FEED "https://graph.facebook.com/v25.0/1053/feed"
#define VIDEOS "https://graph.facebook.com/v25.0/1053/videos"
#define LIMIT "{\"error\":{\"message\":\"M\",\"code\":32}}"

static void photos_that_facebook_has_dropped_are_put_up_again(void **state)
{
	struct talk talk;
	(void)state;
	photo_open(&talk);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", PHOTOS);
	talk_answer(&talk, 200, NULL, "{\"id\":\"901\"}");
	talk_expect_call(&talk, CALL_PUBLISH, "POST", FEED);
	talk_answer(&talk, 400, NULL, LIMIT);
	talk.env.now_us += 22 * US_PER_HOUR;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PUBLISH, "POST", FEED);
	talk_answer(&talk, 400, NULL, LIMIT);
	talk.env.now_us += 2 * US_PER_HOUR;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", PHOTOS);
	talk_close(&talk);
}

static void photos_of_a_call_in_doubt_are_kept(void **state)
{
	struct talk talk;
	(void)state;
	photo_open(&talk);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, "{\"id\":\"901\"}");
	talk_ask(&talk, OPERATION_RESOLVE);
	talk_answer(&talk, 200, NULL, "{\"data\":[]}");
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
	talk.env.now_us += 30 * US_PER_HOUR;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PUBLISH, "POST", FEED);
	talk_close(&talk);
}

/* The finish call said that it is published: polls end, the post stands. */
static void a_video_that_is_processed_for_ever_is_published(void **state)
{
	struct talk talk;
	int polls = 0;
	(void)state;
	page_open(&talk, "post");
	talk_video(&talk, 0);
	talk.env.post_type = POST_TYPE_POST;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL,
		    "{\"video_id\":\"7\",\"upload_session_id\":\"8\",\"start_offset\":\"0\","
		    "\"end_offset\":\"1000\"}");
	talk_answer(&talk, 200, NULL, "{\"start_offset\":\"1000\",\"end_offset\":\"1000\"}");
	talk_expect_call(&talk, CALL_PUBLISH, "POST", VIDEOS);
	talk_answer(&talk, 200, NULL, "{\"success\":true}");
	while (talk.step.kind == STEP_SEND && polls < 100) {
		assert_true(flow_is_open(&talk.flow));
		talk_answer(&talk, polls % 2 == 0 ? 200 : 500, NULL,
			    "{\"status\":{\"video_status\":\"processing\"}}");
		if (talk.step.kind != STEP_WAIT)
			break;
		talk.env.now_us += talk.step.wait_ms * US_PER_MS;
		talk_ask(&talk, OPERATION_PUBLISH);
		polls++;
	}
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_in_range(polls, 10, 60);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "7"));
	assert_true(str_equal_z(talk.flow.parts[0].url, "https://www.facebook.com/7"));
	talk_close(&talk);
}

/* Seed 41767 of the simulation: what has told that the video is being processed can be asked again;
 * an error in between is no reason to ask no more. */
static void an_error_between_two_answers_ends_no_check(void **state)
{
	static const char *const errors[] = {
		"{\"error\":{\"message\":\"M\",\"code\":1,\"is_transient\":true}}",
		"{\"error\":{\"message\":\"M\",\"code\":10}}"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct talk talk;
		int64_t waited_ms = 0;
		page_open(&talk, "post");
		talk_video(&talk, 0);
		talk.env.post_type = POST_TYPE_POST;
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(
			&talk, 200, NULL,
			"{\"video_id\":\"7\",\"upload_session_id\":\"8\",\"start_offset\":\"0\","
			"\"end_offset\":\"1000\"}");
		talk_answer(&talk, 200, NULL,
			    "{\"start_offset\":\"1000\",\"end_offset\":\"1000\"}");
		talk_answer(&talk, 200, NULL, "{\"success\":true}");
		while (waited_ms < 3000000) {
			talk_answer(&talk, 200, NULL,
				    "{\"status\":{\"video_status\":\"processing\"}}");
			assert_int_equal(talk.step.kind, STEP_WAIT);
			waited_ms += talk.step.wait_ms;
			talk_ask(&talk, OPERATION_PUBLISH);
		}
		talk_answer(&talk, 200, NULL, errors[i]);
		assert_int_equal(talk.step.kind, STEP_WAIT);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, 200, NULL, "{\"status\":{\"video_status\":\"error\"}}");
		talk_expect_failure(&talk, "no good", FAILURE_PERMANENT,
				    FAILURE_CODE_MEDIA_REJECTED);
		talk_close(&talk);
	}
}

static void sessions_are_not_begun_for_ever(void **state)
{
	struct talk talk;
	int starts = 0;
	(void)state;
	page_open(&talk, "post");
	talk_video(&talk, 0);
	talk.env.post_type = POST_TYPE_POST;
	talk_ask(&talk, OPERATION_PUBLISH);
	while (talk.step.kind == STEP_SEND && starts < 20) {
		starts++;
		talk_answer(&talk, 200, NULL,
			    "{\"video_id\":\"7\",\"upload_session_id\":\"8\",\"start_offset\":"
			    "\"0\",\"end_offset\":\"1000\"}");
		talk_answer(
			&talk, 400, NULL,
			"{\"error\":{\"message\":\"M\",\"code\":6001,\"error_user_msg\":\"Bad\"}}");
	}
	talk_expect_failure(&talk, "6001", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_UNREACHABLE);
	assert_true(str_equal_z(talk.step.failure.platform_message, "Bad"));
	assert_int_equal(starts, 3);
	talk_close(&talk);
}

/* What Facebook does not tell is no proof: neither that it is published nor that it is not. */
static void silence_about_a_video_is_no_proof(void **state)
{
	static const struct {
		const char *body;
		enum step_kind kind;
	} rows[] = {
		{"{\"published\":false,\"status\":{\"video_status\":\"ready\"}}", STEP_SEND_AGAIN},
		{"{\"status\":{\"video_status\":\"ready\"}}", STEP_UNKNOWN},
		{"{}", STEP_UNKNOWN},
		{"[]", STEP_FAIL},
		{"{\"published\":\"yes\"}", STEP_UNKNOWN},
		{"{\"published\":true}", STEP_LANDED},
		{"{\"status\":{\"publishing_phase\":{\"publish_status\":\"published\"}}}",
		 STEP_LANDED},
	};
	struct talk talk;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		page_open(&talk, "post");
		talk_video(&talk, 0);
		talk.env.post_type = POST_TYPE_POST;
		flow_set(&talk.flow, "video_id", STR("7"));
		flow_set_stage(&talk.flow, "finish");
		talk.env.now_us += 10 * US_PER_MINUTE;
		talk.env.asked_at_us = talk.env.now_us;
		talk_ask(&talk, OPERATION_RESOLVE);
		talk_answer(&talk, 200, NULL, rows[i].body);
		if (talk.step.kind != rows[i].kind)
			fail_msg("%s: %d", rows[i].body, (int)talk.step.kind);
		talk_close(&talk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(photos_that_facebook_has_dropped_are_put_up_again),
		cmocka_unit_test(photos_of_a_call_in_doubt_are_kept),
		cmocka_unit_test(a_video_that_is_processed_for_ever_is_published),
		cmocka_unit_test(an_error_between_two_answers_ends_no_check),
		cmocka_unit_test(sessions_are_not_begun_for_ever),
		cmocka_unit_test(silence_about_a_video_is_no_proof),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
