/* SPDX-License-Identifier: Apache-2.0
 * TikTok: chunks, the task and its ends, tokens that rotate. */
#include "count_of.h"

#include "tiktok.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"

#define API "https://open.tiktokapis.com/v2"
#define CREATOR_URL API "/post/publish/creator_info/query/"
#define INIT_URL API "/post/publish/video/init/"
#define STATUS_URL API "/post/publish/status/fetch/"
#define UPLOAD_URL "https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=s3cret"
#define OK ",\"error\":{\"code\":\"ok\",\"message\":\"\",\"log_id\":\"l\"}}"
#define CREATOR(options) \
	"{\"data\":{\"creator_username\":\"alice.films\",\"privacy_level_options\":[" options \
	"],\"max_video_post_duration_sec\":300}" OK
#define ALL_LEVELS "\"PUBLIC_TO_EVERYONE\",\"MUTUAL_FOLLOW_FRIENDS\",\"SELF_ONLY\""
#define INIT_OK \
	"{\"data\":{\"publish_id\":\"v_pub_file~v2-1.123\",\"upload_url\":\"" UPLOAD_URL "\"}" OK
#define STATUS(fields) "{\"data\":{" fields "}" OK
#define FAILED(reason) STATUS("\"status\":\"FAILED\",\"fail_reason\":\"" reason "\"")
#define ERROR(code) "{\"error\":{\"code\":\"" code "\",\"message\":\"words\",\"log_id\":\"l\"}}"
#define DAY_MS INT64_C(86400000)

static struct talk talk;

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_tiktok);
	talk.env.account_type = ACCOUNT_CREATOR;
	talk_video(&talk, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

/* ---- chunks: tiktok.md 2.3, test vectors ---- */

static void chunks_follow_the_vectors(void **state)
{
	(void)state;
	static const struct {
		int64_t size;
		int64_t chunk;
		int64_t count;
		int64_t last;
	} rows[] = {
		{1, 1, 1, 1},
		{3145728, 3145728, 1, 3145728},
		{5242879, 5242879, 1, 5242879},
		{50000123, 50000123, 1, 50000123},
		{64000000, 64000000, 1, 64000000},
		{64000001, 10000000, 6, 14000001},
		{70000000, 10000000, 7, 10000000},
		{79999999, 10000000, 7, 19999999},
		{4000000000, 10000000, 400, 10000000},
		{4294967296, 10000000, 429, 14967296},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct tiktok_chunks chunks = tiktok_chunks_of(rows[i].size);
		const struct tiktok_range last = tiktok_range_at(rows[i].size - 1, rows[i].size);
		assert_int_equal(chunks.chunk_bytes, rows[i].chunk);
		assert_int_equal(chunks.count, rows[i].count);
		assert_int_equal(last.length_bytes, rows[i].last);
		assert_true(last.is_last);
	}
}

static void ranges_cover_the_file_once(void **state)
{
	(void)state;
	const int64_t sizes[] = {1, 64000000, 64000001, 79999999, 4000000000};
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		int64_t offset = 0;
		int64_t count = 0;
		while (offset < sizes[i]) {
			const struct tiktok_range range = tiktok_range_at(offset, sizes[i]);
			assert_int_equal(range.first, offset);
			offset += range.length_bytes;
			count++;
			assert_int_equal(range.is_last, offset == sizes[i]);
		}
		assert_int_equal(count, tiktok_chunks_of(sizes[i]).count);
	}
}

static void an_offset_inside_a_chunk_gives_the_whole_chunk(void **state)
{
	(void)state;
	const struct tiktok_range range = tiktok_range_at(12345678, 64000001);
	assert_int_equal(range.first, 10000000);
	assert_int_equal(range.length_bytes, 10000000);
	assert_int_equal(tiktok_range_at(64000001, 64000001).first, 50000000);
}

/* ---- publish ---- */

static void begin_upload(void)
{
	flow_init(&talk.flow, talk.arena, talk.post.container_count);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", CREATOR_URL);
	talk_answer(&talk, 200, NULL, CREATOR(ALL_LEVELS));
	talk_expect_call(&talk, CALL_PREPARE, "POST", INIT_URL);
	talk_answer(&talk, 200, NULL, INIT_OK);
}

static void upload_small(void)
{
	begin_upload();
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", UPLOAD_URL);
	talk_answer(&talk, 201, NULL, "");
	assert_int_equal(talk.step.kind, STEP_WAIT);
	assert_int_equal(talk.step.wait_ms, 2000);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
}

static void a_small_video_goes_from_init_to_its_public_id(void **state)
{
	(void)state;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, CREATOR(ALL_LEVELS));
	assert_true(str_equal_z(
		talk.step.call.body,
		"{\"post_info\":{\"title\":\"First "
		"post\",\"privacy_level\":\"PUBLIC_TO_EVERYONE\",\"disable_duet\":false,"
		"\"disable_stitch\":false,\"disable_comment\":false,\"brand_content_toggle\":false,"
		"\"brand_organic_toggle\":false,\"is_aigc\":false},\"source_info\":{\"source\":"
		"\"FILE_UPLOAD\","
		"\"video_size\":1000,\"chunk_size\":1000,\"total_chunk_count\":1}}"));
	talk_answer(&talk, 200, NULL, INIT_OK);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", UPLOAD_URL);
	talk_expect_header(&talk, "Content-Range", "bytes 0-999/1000");
	talk_expect_header(&talk, "Content-Type", "video/mp4");
	talk_expect_header(&talk, "Authorization", "");
	assert_int_equal(str_find(talk.asked_by, STR("upload_token"), 0), SIZE_MAX);
	assert_true(str_find(talk.asked_by, STR("v_pub_file~v2-1.123"), 0) != SIZE_MAX);
	talk_answer(&talk, 201, NULL, "");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	assert_true(str_equal_z(talk.step.call.body, "{\"publish_id\":\"v_pub_file~v2-1.123\"}"));
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":["
			   "7312345678901234567]"));
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "7312345678901234567"));
	assert_true(str_equal_z(talk.flow.parts[0].url,
				"https://www.tiktok.com/@alice.films/video/7312345678901234567"));
}

static void options_go_into_the_post(void **state)
{
	(void)state;
	talk_options(
		&talk,
		"{\"privacy_level\":\"SELF_ONLY\",\"disable_comment\":true,\"disable_duet\":true,"
		"\"disable_stitch\":true,\"video_cover_timestamp_ms\":1500,\"is_aigc\":true,"
		"\"brand_organic_toggle\":true}");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, CREATOR(ALL_LEVELS));
	assert_true(
		str_has_prefix(talk.step.call.body,
			       STR("{\"post_info\":{\"title\":\"First "
				   "post\",\"privacy_level\":\"SELF_ONLY\",\"disable_duet\":true,"
				   "\"disable_stitch\":true,\"disable_comment\":true,"
				   "\"brand_content_toggle\":false,\"brand_organic_toggle\":true,"
				   "\"is_aigc\":true,\"video_cover_timestamp_ms\":1500}")));
}

static void the_default_level_is_the_most_open_on_offer(void **state)
{
	(void)state;
	static const struct {
		const char *creator;
		const char *level;
	} rows[] = {
		{CREATOR("\"SELF_ONLY\",\"MUTUAL_FOLLOW_FRIENDS\",\"PUBLIC_TO_EVERYONE\""),
		 "PUBLIC_TO_EVERYONE"},
		{CREATOR("\"SELF_ONLY\",\"FOLLOWER_OF_CREATOR\",\"MUTUAL_FOLLOW_FRIENDS\""),
		 "MUTUAL_FOLLOW_FRIENDS"},
		{CREATOR("\"SELF_ONLY\",\"FOLLOWER_OF_CREATOR\""), "FOLLOWER_OF_CREATOR"},
		{CREATOR("\"SELF_ONLY\""), "SELF_ONLY"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		flow_init(&talk.flow, talk.arena, 1);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, 200, NULL, rows[i].creator);
		talk_expect_call(&talk, CALL_PREPARE, "POST", INIT_URL);
		assert_true(str_find(talk.step.call.body, str_of(rows[i].level), 0) != SIZE_MAX);
	}
}

static void what_the_creator_may_not_do_fails_before_any_upload(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *options;
		const char *creator;
		int64_t duration_s;
		enum failure_code code;
	} rows[] = {
		{"level not on offer", "{\"privacy_level\":\"PUBLIC_TO_EVERYONE\"}",
		 CREATOR("\"SELF_ONLY\""), -1, FAILURE_CODE_CONTENT_REJECTED},
		{"nothing on offer", "{}", CREATOR(""), -1, FAILURE_CODE_CONTENT_REJECTED},
		{"only unknown levels", "{}", CREATOR("\"NEW\""), -1,
		 FAILURE_CODE_CONTENT_REJECTED},
		{"private branded content", "{\"brand_content_toggle\":true}",
		 CREATOR("\"SELF_ONLY\""), -1, FAILURE_CODE_CONTENT_REJECTED},
		{"too long", "{}", CREATOR(ALL_LEVELS), 301, FAILURE_CODE_MEDIA_REJECTED},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		flow_init(&talk.flow, talk.arena, 1);
		talk.media.duration_s = rows[i].duration_s;
		talk_options(&talk, rows[i].options);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, 200, NULL, rows[i].creator);
		talk_expect_failure(&talk, rows[i].name, FAILURE_PERMANENT, rows[i].code);
	}
}

static void only_the_last_chunk_publishes(void **state)
{
	(void)state;
	talk.file.size_bytes = 64000001;
	begin_upload();
	for (int i = 0; i < 5; i++) {
		talk_expect_call(&talk, CALL_PREPARE, "PUT", UPLOAD_URL);
		assert_int_equal(talk.step.call.media_offset_bytes, i * 10000000);
		assert_int_equal(talk.step.call.media_length_bytes, 10000000);
		talk_answer(&talk, 206, NULL, "");
	}
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", UPLOAD_URL);
	talk_expect_header(&talk, "Content-Range", "bytes 50000000-64000000/64000001");
	talk_answer(&talk, 200, NULL, "");
	assert_int_equal(talk.step.kind, STEP_WAIT);
}

static void a_broken_chunk_asks_the_task_how_far_it_is(void **state)
{
	(void)state;
	talk.file.size_bytes = 64000001;
	begin_upload();
	talk_answer(&talk, 206, NULL, "");
	talk_lose(&talk, REPLY_LOST);
	assert_int_equal(talk.step.kind, STEP_WAIT);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":20000000"));
	talk_expect_header(&talk, "Content-Range", "bytes 20000000-29999999/64000001");
	talk_answer(&talk, 416, NULL, "");
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":10000000"));
	talk_expect_header(&talk, "Content-Range", "bytes 10000000-19999999/64000001");
	for (int i = 0; i < 4; i++) {
		talk_answer(&talk, 503, NULL, "");
		assert_int_equal(talk.step.kind, STEP_WAIT);
		assert_int_equal(talk.step.wait_ms, 2000 * (i + 1));
		talk_ask(&talk, OPERATION_PUBLISH);
	}
	talk_answer(&talk, 503, NULL, "");
	talk_expect_failure(&talk, "5xx", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

static void an_upload_that_goes_round_in_circles_ends(void **state)
{
	(void)state;
	talk.file.size_bytes = 64000001;
	begin_upload();
	int calls = 0;
	while (talk.step.kind == STEP_SEND && calls++ < 100) {
		if (strcmp(talk.step.call.method, "PUT") == 0)
			talk_answer(&talk, 416, NULL, "");
		else
			talk_answer(
				&talk, 200, NULL,
				STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":0"));
	}
	talk_expect_failure(&talk, "circle", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	assert_int_equal(talk.flow.var_count, 0);
}

static void an_upload_address_that_died_means_a_new_task(void **state)
{
	(void)state;
	static const int statuses[] = {403, 404};
	for (size_t i = 0; i < 2; i++) {
		for (int64_t size = 1000; size < 100000000; size *= 70000) {
			talk.file.size_bytes = size;
			begin_upload();
			talk_answer(&talk, statuses[i], NULL, "");
			talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
			talk_answer(
				&talk, 200, NULL,
				STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":0"));
			talk_expect_failure(&talk, "dead", FAILURE_TRANSIENT,
					    FAILURE_CODE_PLATFORM_UNAVAILABLE);
			assert_int_equal(talk.flow.var_count, 0);
		}
	}
}

static void a_refused_last_put_whose_task_goes_on_is_believed(void **state)
{
	(void)state;
	begin_upload();
	talk_answer(&talk, 404, NULL, "");
	talk_answer(
		&talk, 200, NULL,
		STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[\"5\"]"));
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	talk_answer(
		&talk, 200, NULL,
		STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[\"5\"]"));
	assert_int_equal(talk.step.kind, STEP_DONE);
}

static void bad_puts_fail(void **state)
{
	(void)state;
	begin_upload();
	talk_answer(&talk, 400, NULL, "");
	talk_expect_failure(&talk, "400", FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED);
	begin_upload();
	talk_answer(&talk, 429, NULL, "");
	talk_expect_failure(&talk, "429", FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED);
	assert_int_equal(talk.step.failure.retry_floor_ms, 60000);
}

static void polls_come_at_longer_and_longer_waits(void **state)
{
	(void)state;
	static const int64_t waits_ms[] = {5000, 10000, 20000, 30000, 60000, 60000, 60000};
	upload_small();
	for (size_t i = 0; i < COUNT_OF(waits_ms); i++) {
		talk_answer(&talk, 200, NULL,
			    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":1000"));
		assert_int_equal(talk.step.kind, STEP_WAIT);
		assert_int_equal(talk.step.wait_ms, waits_ms[i]);
		talk_ask(&talk, OPERATION_PUBLISH);
	}
}

static void polling_ends_some_day(void **state)
{
	(void)state;
	upload_small();
	int polls = 0;
	while (polls++ < 1000) {
		talk_answer(&talk, 200, NULL,
			    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":1000"));
		if (talk.step.kind != STEP_WAIT)
			break;
		talk_ask(&talk, OPERATION_PUBLISH);
	}
	talk_expect_failure(&talk, "hours", FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN);
	assert_true(polls > 300);
}

static void a_public_post_without_an_id_is_published_after_a_minute(void **state)
{
	(void)state;
	upload_small();
	int64_t waited_ms = 0;
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[]"));
	while (talk.step.kind == STEP_WAIT) {
		waited_ms += talk.step.wait_ms;
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, 200, NULL, STATUS("\"status\":\"PUBLISH_COMPLETE\""));
	}
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_int_equal(waited_ms, 60000);
	assert_true(str_is_empty(talk.flow.parts[0].remote_id));
	assert_true(flow_is_without_id(&talk.flow));
	assert_true(str_equal_z(talk.flow.parts[0].url, "https://www.tiktok.com/@alice.films"));
}

static void a_complete_post_is_never_failed_for_its_id(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		upload_small();
		talk_answer(&talk, 200, NULL, STATUS("\"status\":\"PUBLISH_COMPLETE\""));
		assert_int_equal(talk.step.kind, STEP_WAIT);
		talk_ask(&talk, OPERATION_PUBLISH);
		if (i == 0)
			talk_answer(&talk, 503, NULL, "");
		else if (i == 1)
			talk_answer(&talk, 400, NULL, ERROR("invalid_publish_id"));
		else
			talk_lose(&talk, REPLY_LOST);
		assert_int_equal(talk.step.kind, STEP_DONE);
	}
}

static void a_private_post_has_no_id_to_wait_for(void **state)
{
	(void)state;
	talk_options(&talk, "{\"privacy_level\":\"SELF_ONLY\"}");
	upload_small();
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[]"));
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "v_pub_file~v2-1.123"));
	assert_false(flow_is_without_id(&talk.flow));
}

static void an_id_that_comes_later_takes_its_place(void **state)
{
	(void)state;
	upload_small();
	do {
		talk_answer(&talk, 200, NULL, STATUS("\"status\":\"PUBLISH_COMPLETE\""));
		if (talk.step.kind == STEP_WAIT)
			talk_ask(&talk, OPERATION_PUBLISH);
	} while (talk.step.kind == STEP_SEND);
	assert_int_equal(talk.step.kind, STEP_DONE);
	talk.flow.stage = STR("");
	talk_ask(&talk, OPERATION_LATE_ID);
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":["
			   "7512345678901234567]"));
	assert_int_equal(talk.step.kind, STEP_DONE);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "7512345678901234567"));
	assert_true(str_equal_z(talk.flow.parts[0].url,
				"https://www.tiktok.com/@alice.films/video/7512345678901234567"));
	assert_false(flow_is_without_id(&talk.flow));
}

static const struct talk_refusal task_ends[] = {
	{"internal", 200, FAILED("internal"), FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
	 0, "internal"},
	{"format", 200, FAILED("file_format_check_failed"), FAILURE_PERMANENT,
	 FAILURE_CODE_MEDIA_REJECTED, 0, NULL},
	{"duration", 200, FAILED("duration_check_failed"), FAILURE_PERMANENT,
	 FAILURE_CODE_MEDIA_REJECTED, 0, NULL},
	{"frame rate", 200, FAILED("frame_rate_check_failed"), FAILURE_PERMANENT,
	 FAILURE_CODE_MEDIA_REJECTED, 0, NULL},
	{"picture", 200, FAILED("picture_size_check_failed"), FAILURE_PERMANENT,
	 FAILURE_CODE_MEDIA_REJECTED, 0, NULL},
	{"too many", 200, FAILED("spam_risk_too_many_posts"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, DAY_MS, NULL},
	{"banned", 200, FAILED("spam_risk_user_banned_from_posting"), FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"text", 200, FAILED("spam_risk_text"), FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED, 0,
	 NULL},
	{"spam", 200, FAILED("spam_risk"), FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED, 0,
	 NULL},
	{"auth", 200, FAILED("auth_removed"), FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
	 0, NULL},
	{"cancelled", 200, FAILED("publish_cancelled"), FAILURE_PERMANENT,
	 FAILURE_CODE_PLATFORM_REJECTED, 0, NULL},
	{"new reason", 200, FAILED("something_new"), FAILURE_PERMANENT,
	 FAILURE_CODE_PLATFORM_REJECTED, 0, "something_new"},
	{"no reason", 200, FAILED(""), FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED, 0, ""},
};

static void a_task_that_failed_says_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(task_ends); i++) {
		upload_small();
		talk_answer(&talk, task_ends[i].status, NULL, task_ends[i].body);
		talk_expect_refusal(&talk, &task_ends[i]);
	}
}

static void a_task_that_failed_is_begun_anew(void **state)
{
	(void)state;
	upload_small();
	talk_answer(&talk, 200, NULL, FAILED("internal"));
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", CREATOR_URL);
}

static const struct talk_refusal refusals[] = {
	{"token", 401, ERROR("access_token_invalid"), FAILURE_TOKEN,
	 FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED, 0, "access_token_invalid"},
	{"bare 401", 401, "", FAILURE_TOKEN, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED, 0, ""},
	{"scope", 401, ERROR("scope_not_authorized"), FAILURE_REAUTH,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"scope, other word", 400, ERROR("scope_permission_missed"), FAILURE_REAUTH,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"too many, with 200", 200, ERROR("spam_risk_too_many_posts"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, DAY_MS, NULL},
	{"too many, with 403", 403, ERROR("spam_risk_too_many_posts"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, DAY_MS, NULL},
	{"drafts", 403, ERROR("spam_risk_too_many_pending_share"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, DAY_MS, NULL},
	{"app's cap", 200, ERROR("reached_active_user_cap"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, DAY_MS, NULL},
	{"banned", 200, ERROR("spam_risk_user_banned_from_posting"), FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"not audited", 403, ERROR("unaudited_client_can_only_post_to_private_accounts"),
	 FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"privacy", 403, ERROR("privacy_level_option_mismatch"), FAILURE_PERMANENT,
	 FAILURE_CODE_CONTENT_REJECTED, 0, NULL},
	{"rate", 429, ERROR("rate_limit_exceeded"), FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED,
	 60000, NULL},
	{"rate, with 200", 200, ERROR("rate_limit_exceeded"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_RATE_LIMITED, 60000, NULL},
	{"param", 400, ERROR("invalid_param"), FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED, 0,
	 NULL},
	{"params", 400, ERROR("invalid_params"), FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
	 0, "invalid_params"},
	{"file", 400, ERROR("invalid_file_upload"), FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
	 0, NULL},
	{"internal", 200, ERROR("internal_error"), FAILURE_TRANSIENT,
	 FAILURE_CODE_PLATFORM_UNAVAILABLE, 0, NULL},
	{"server", 500, "", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE, 0, NULL},
	{"nothing readable", 200, "<html>", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE, 0,
	 NULL},
	{"unknown id", 400, ERROR("invalid_publish_id"), FAILURE_PERMANENT,
	 FAILURE_CODE_OUTCOME_UNKNOWN, 0, NULL},
};

static void refusals_are_told_by_their_code_whatever_the_status(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		flow_init(&talk.flow, talk.arena, 1);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, refusals[i].status, NULL, refusals[i].body);
		talk_expect_refusal(&talk, &refusals[i]);
	}
}

static void a_refused_token_while_polling_polls_again(void **state)
{
	(void)state;
	upload_small();
	talk_answer(&talk, 401, NULL, ERROR("access_token_invalid"));
	talk_expect_failure(&talk, "token", FAILURE_TOKEN, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
	talk.env.access_token = STR("token-2");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	talk_expect_header(&talk, "Authorization", "Bearer token-2");
}

static void media_is_wanted_before_init_and_looked_at(void **state)
{
	(void)state;
	talk.file.is_ready = false;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, CREATOR(ALL_LEVELS));
	assert_int_equal(talk.step.kind, STEP_MEDIA);
	talk.file.is_ready = true;
	talk.file.size_bytes = INT64_C(4294967297);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "too large", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
	talk.file.sniff =
		(struct sniff){.type = SNIFF_PNG, .mime_type = "image/png", .is_image = true};
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "image", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
}

static void init_without_ids_is_tried_again(void **state)
{
	(void)state;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, CREATOR(ALL_LEVELS));
	talk_answer(&talk, 200, NULL, "{\"data\":{\"publish_id\":\"p\"}" OK);
	talk_expect_failure(&talk, "no upload_url", FAILURE_TRANSIENT,
			    FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

/* ---- resolve ---- */

static void come_into_doubt(void)
{
	begin_upload();
	while (talk.step.call.kind != CALL_PUBLISH)
		talk_answer(&talk, 206, NULL, "");
	talk_ask(&talk, OPERATION_RESOLVE);
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
}

static void the_task_says_what_became_of_the_last_put(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *status;
		enum step_kind kind;
		const char *method;
		const char *url;
		enum failure_code code;
	} rows[] = {
		{"posted", STATUS("\"status\":\"PUBLISH_COMPLETE\""), STEP_LANDED, "POST",
		 STATUS_URL},
		{"all bytes there",
		 STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":64000001"),
		 STEP_LANDED, "POST", STATUS_URL},
		{"downloading", STATUS("\"status\":\"PROCESSING_DOWNLOAD\""), STEP_LANDED, "POST",
		 STATUS_URL},
		{"bytes missing",
		 STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":50000000"),
		 STEP_SEND_AGAIN, "PUT", UPLOAD_URL},
		{"failed", FAILED("spam_risk"), STEP_SEND_AGAIN, "POST", STATUS_URL,
		 FAILURE_CODE_CONTENT_REJECTED},
	};
	talk.file.size_bytes = 64000001;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		come_into_doubt();
		talk_answer(&talk, 200, NULL, rows[i].status);
		if (talk.step.kind != rows[i].kind)
			fail_msg("%s: step %d", rows[i].name, (int)talk.step.kind);
		if (talk.step.failure.code != rows[i].code)
			fail_msg("%s: code %d", rows[i].name, (int)talk.step.failure.code);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_expect_call(&talk, rows[i].method[1] == 'U' ? CALL_PUBLISH : CALL_READ,
				 rows[i].method, rows[i].url);
	}
}

static void missing_bytes_start_at_the_chunk_that_is_not_there(void **state)
{
	(void)state;
	talk.file.size_bytes = 64000001;
	come_into_doubt();
	talk_answer(&talk, 200, NULL,
		    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":39999999"));
	assert_int_equal(talk.step.kind, STEP_SEND_AGAIN);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "PUT", UPLOAD_URL);
	talk_expect_header(&talk, "Content-Range", "bytes 30000000-39999999/64000001");
}

#define NO_BYTES STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":0")

/* Only the upload host's word ends a task, however late it is by our clock, and the task's word may
 * be older than the uncertain PUT: minutes are waited before it is believed. */
static void missing_bytes_mean_a_new_task_when_none_may_follow(void **state)
{
	(void)state;
	int64_t waited_ms = 0;
	come_into_doubt();
	talk.env.now_us += 2 * US_PER_HOUR;
	talk_answer(&talk, 200, NULL, NO_BYTES);
	assert_int_equal(talk.step.kind, STEP_SEND_AGAIN);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", UPLOAD_URL);
	talk_answer(&talk, 403, NULL, "");
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
	talk_answer(&talk, 200, NULL, NO_BYTES);
	while (talk.step.kind == STEP_WAIT && waited_ms < 3600000) {
		assert_true(flow_is_open(&talk.flow));
		waited_ms += talk.step.wait_ms;
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
		talk_answer(&talk, 200, NULL, NO_BYTES);
	}
	assert_in_range(waited_ms, 180000, 600000);
	talk_expect_failure(&talk, "dead", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "POST", CREATOR_URL);
}

static void a_put_in_doubt_that_came_after_all_is_found_behind_the_refusal(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 200, NULL, NO_BYTES);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 403, NULL, "");
	talk_answer(&talk, 200, NULL, NO_BYTES);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, STATUS("\"status\":\"PUBLISH_COMPLETE\""));
	talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
}

/* Seed 68887 of the simulation: 201 says that all is stored; a status that is behind it, and a
 * clock that has jumped over the hour, are no reason for a second task. */
static void a_stored_video_is_never_begun_again(void **state)
{
	(void)state;
	int polls = 0;
	upload_small();
	talk.env.now_us += 2 * US_PER_HOUR;
	talk_answer(&talk, 200, NULL, NO_BYTES);
	while (talk.step.kind == STEP_WAIT && polls++ < 1000) {
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_expect_call(&talk, CALL_READ, "POST", STATUS_URL);
		talk_answer(&talk, 200, NULL, NO_BYTES);
	}
	talk_expect_failure(&talk, "stuck", FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN);
}

/* A chunk that is said to be out of place, again and again, after an uncertain PUT. */
static void a_put_in_doubt_that_goes_round_in_circles_is_given_to_a_person(void **state)
{
	(void)state;
	int rounds = 0;
	come_into_doubt();
	talk_answer(&talk, 200, NULL, NO_BYTES);
	talk_ask(&talk, OPERATION_PUBLISH);
	while ((talk.step.kind == STEP_SEND || talk.step.kind == STEP_WAIT) && rounds++ < 100) {
		if (talk.step.kind == STEP_WAIT)
			talk_ask(&talk, OPERATION_PUBLISH);
		else if (strcmp(talk.step.call.method, "PUT") == 0)
			talk_answer(&talk, 416, NULL, "");
		else
			talk_answer(&talk, 200, NULL, NO_BYTES);
	}
	talk_expect_failure(&talk, "circle", FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN);
}

static void an_end_that_never_arrives_is_given_to_a_person(void **state)
{
	(void)state;
	come_into_doubt();
	int rounds = 0;
	while (rounds++ < 100) {
		talk_answer(&talk, 200, NULL,
			    STATUS("\"status\":\"PROCESSING_UPLOAD\",\"uploaded_bytes\":0"));
		if (talk.step.kind != STEP_SEND_AGAIN)
			break;
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_expect_call(&talk, CALL_PUBLISH, "PUT", UPLOAD_URL);
		talk_ask(&talk, OPERATION_RESOLVE);
	}
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
	assert_true(rounds < 20);
}

static void a_task_that_could_not_be_asked_says_so(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 401, NULL, ERROR("access_token_invalid"));
	talk_expect_failure(&talk, "token", FAILURE_TOKEN, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
	come_into_doubt();
	talk_lose(&talk, REPLY_LOST);
	talk_expect_failure(&talk, "lost", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	come_into_doubt();
	talk_answer(&talk, 200, NULL, ERROR("rate_limit_exceeded"));
	talk_expect_failure(&talk, "rate", FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED);
}

static void without_a_task_nothing_can_be_told(void **state)
{
	(void)state;
	talk_ask(&talk, OPERATION_RESOLVE);
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chunks_follow_the_vectors),
		TEST(ranges_cover_the_file_once),
		TEST(an_offset_inside_a_chunk_gives_the_whole_chunk),
		TEST(a_small_video_goes_from_init_to_its_public_id),
		TEST(options_go_into_the_post),
		TEST(the_default_level_is_the_most_open_on_offer),
		TEST(what_the_creator_may_not_do_fails_before_any_upload),
		TEST(only_the_last_chunk_publishes),
		TEST(a_broken_chunk_asks_the_task_how_far_it_is),
		TEST(an_upload_that_goes_round_in_circles_ends),
		TEST(an_upload_address_that_died_means_a_new_task),
		TEST(a_refused_last_put_whose_task_goes_on_is_believed),
		TEST(bad_puts_fail),
		TEST(polls_come_at_longer_and_longer_waits),
		TEST(polling_ends_some_day),
		TEST(a_public_post_without_an_id_is_published_after_a_minute),
		TEST(a_complete_post_is_never_failed_for_its_id),
		TEST(a_private_post_has_no_id_to_wait_for),
		TEST(an_id_that_comes_later_takes_its_place),
		TEST(a_task_that_failed_says_why),
		TEST(a_task_that_failed_is_begun_anew),
		TEST(refusals_are_told_by_their_code_whatever_the_status),
		TEST(a_refused_token_while_polling_polls_again),
		TEST(media_is_wanted_before_init_and_looked_at),
		TEST(init_without_ids_is_tried_again),
		TEST(the_task_says_what_became_of_the_last_put),
		TEST(missing_bytes_start_at_the_chunk_that_is_not_there),
		TEST(missing_bytes_mean_a_new_task_when_none_may_follow),
		TEST(a_put_in_doubt_that_came_after_all_is_found_behind_the_refusal),
		TEST(a_stored_video_is_never_begun_again),
		TEST(a_put_in_doubt_that_goes_round_in_circles_is_given_to_a_person),
		TEST(an_end_that_never_arrives_is_given_to_a_person),
		TEST(a_task_that_could_not_be_asked_says_so),
		TEST(without_a_task_nothing_can_be_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
