/* SPDX-License-Identifier: Apache-2.0
 * YouTube: titles, chunks, the resumable session and what it says after an uncertain outcome,
 * comments. What follows the last byte is youtube_after_test.c, what is allowed
 * youtube_rules_test.c. */
#include "count_of.h"

#include "youtube.h"

#include "talk.h"

#include "adapters.h"
#include "rules.h"

#define SESSION \
	"https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=xyz"
#define START \
	"https://www.googleapis.com/upload/youtube/v3/" \
	"videos?uploadType=resumable&part=snippet,status" \
	"&notifySubscribers=true"
#define COMMENTS "https://www.googleapis.com/youtube/v3/commentThreads?part=snippet"
#define VIDEO "{\"kind\":\"youtube#video\",\"id\":\"vid1\"}"
#define PROCESSING \
	"https://www.googleapis.com/youtube/v3/" \
	"videos?part=status,processingDetails&id=vid1"
#define PROCESSED "{\"items\":[{\"id\":\"vid1\",\"status\":{\"uploadStatus\":\"processed\"}}]}"
#define MIB (INT64_C(1024) * 1024)

static struct talk talk;

static int setup(void **state)
{
	(void)state;
	talk_open(&talk, &platform_youtube);
	talk.env.platform_account_id = STR("UCchannel");
	talk.env.account_type = ACCOUNT_CHANNEL;
	talk_video(&talk, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	talk_close(&talk);
	return 0;
}

/* ---- pure parts ---- */

static void a_title_is_given_or_the_first_line(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *given;
		const char *content;
		const char *title;
	} rows[] = {
		{"given", "  My title ", "text", "My title"},
		{"first line", "", "One\nTwo", "One"},
		{"blank lines before", "", "\n \r\n  One \r\nTwo", "One"},
		{"blank option", "  ", "One", "One"},
		{"nothing", "", "", ""},
		{"only blanks", "", " \n\t\n", ""},
		{"one line without an end", "", "One", "One"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str title =
			youtube_title(str_of(rows[i].given), str_of(rows[i].content));
		if (!str_equal_z(title, rows[i].title))
			fail_msg("%s: \"" STR_FMT "\"", rows[i].name, STR_ARG(title));
	}
}

static void a_title_is_cut_at_a_hundred_characters_not_bytes(void **state)
{
	(void)state;
	char content[3 * 150];
	for (size_t i = 0; i < sizeof(content); i += 3)
		memcpy(content + i, "\xe2\x82\xac", 3);
	const struct str title = youtube_title(STR(""), (struct str){content, sizeof(content)});
	assert_int_equal(title.len, 300);
}

static void ranges_cover_the_file_once_and_end_with_the_last_byte(void **state)
{
	(void)state;
	const int64_t sizes[] = {1,        1000,         8 * MIB - 1,  8 * MIB,         8 * MIB + 1,
				 16 * MIB, 16 * MIB + 1, 20 * MIB + 7, INT64_C(1) << 36};
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		int64_t offset = 0;
		while (true) {
			const struct youtube_range range = youtube_range_next(offset, sizes[i]);
			assert_int_equal(range.first, offset);
			assert_true(range.length_bytes > 0 && range.length_bytes <= 8 * MIB);
			offset += range.length_bytes;
			if (range.is_last)
				break;
			assert_int_equal(range.length_bytes % 262144, 0);
			assert_true(offset < sizes[i]);
		}
		assert_int_equal(offset, sizes[i]);
	}
}

static void received_bytes_are_the_servers_word(void **state)
{
	(void)state;
	static const struct {
		const char *range;
		int64_t bytes;
	} rows[] = {
		{"bytes=0-0", 1},
		{"bytes=0-8388607", 8388608},
		{"", 0},
		{"bytes=0-", 0},
		{"bytes=1-5", 0},
		{"bytes=0--1", 0},
		{"bytes=0-x", 0},
		{"bytes=0-9223372036854775807", 0},
		{"0-5", 0},
		{"bytes=0-5,7-9", 0},
		{"bytes=0-99999999999999999999", 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(youtube_received_bytes(str_of(rows[i].range)), rows[i].bytes);
}

static void tags_count_their_commas_and_quotes(void **state)
{
	(void)state;
	assert_int_equal(youtube_tags_length(talk_json(&talk, "[\"ab\",\"c d\",\"e\"]")),
			 2 + 1 + 3 + 2 + 1 + 1);
	assert_int_equal(youtube_tags_length(talk_json(&talk, "[]")), 0);
	assert_int_equal(youtube_tags_length(NULL), 0);
}

/* ---- publish ---- */

static void begin_session(const char *start_url)
{
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", start_url);
	talk_answer(&talk, 200, "Location: " SESSION, "");
}

static void answer_processed(void)
{
	talk_expect_call(&talk, CALL_READ, "GET", PROCESSING);
	talk_answer(&talk, 200, NULL, PROCESSED);
}

static void expect_landed(const char *url)
{
	assert_true(talk.flow.parts[0].is_done);
	assert_true(str_equal_z(talk.flow.parts[0].remote_id, "vid1"));
	assert_true(str_equal_z(talk.flow.parts[0].url, url));
}

static void a_small_video_is_one_put_that_publishes(void **state)
{
	(void)state;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", START);
	talk_expect_header(&talk, "X-Upload-Content-Length", "1000");
	talk_expect_header(&talk, "X-Upload-Content-Type", "video/mp4");
	talk_expect_header(&talk, "Authorization", "Bearer token-1");
	assert_true(
		str_equal_z(talk.step.call.body,
			    "{\"snippet\":{\"title\":\"First post\",\"description\":\"First post\","
			    "\"categoryId\":\"22\"},\"status\":{\"privacyStatus\":\"public\","
			    "\"selfDeclaredMadeForKids\":false}}"));
	talk_answer(&talk, 200, "location: " SESSION, "");
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	assert_true(talk.step.call.has_media_body);
	assert_int_equal(talk.step.call.media_offset_bytes, 0);
	assert_int_equal(talk.step.call.media_length_bytes, 1000);
	talk_expect_header(&talk, "Content-Range", "");
	assert_int_equal(str_find(talk.asked_by, STR("upload_id"), 0), SIZE_MAX);
	talk_answer(&talk, 201, NULL, VIDEO);
	assert_true(flow_is_open(&talk.flow));
	answer_processed();
	assert_int_equal(talk.step.kind, STEP_DONE);
	expect_landed("https://www.youtube.com/watch?v=vid1");
}

static void options_go_where_they_belong(void **state)
{
	(void)state;
	talk_options(
		&talk,
		"{\"title\":\"T\",\"description\":\"D\",\"tags\":[\"a\",\"b "
		"c\"],\"categoryId\":\"10\","
		"\"privacyStatus\":\"unlisted\",\"selfDeclaredMadeForKids\":true,"
		"\"containsSyntheticMedia\":true,\"license\":\"creativeCommon\","
		"\"embeddable\":false,"
		"\"publicStatsViewable\":false,\"notifySubscribers\":false,"
		"\"defaultLanguage\":\"en\","
		"\"defaultAudioLanguage\":\"de\",\"id\":\"mine\",\"uploadStatus\":\"processed\"}");
	talk_ask(&talk, OPERATION_PUBLISH);
	assert_true(str_has_suffix(talk.step.call.url, STR("&notifySubscribers=false")));
	assert_true(str_equal_z(talk.step.call.body,
				"{\"snippet\":{\"title\":\"T\",\"description\":\"D\","
				"\"categoryId\":\"10\",\"tags\":[\"a\",\"b c\"],"
				"\"defaultLanguage\":\"en\",\"defaultAudioLanguage\":\"de\"},"
				"\"status\":{\"privacyStatus\":\"unlisted\","
				"\"selfDeclaredMadeForKids\":true,\"containsSyntheticMedia\":true,"
				"\"license\":\"creativeCommon\","
				"\"embeddable\":false,\"publicStatsViewable\":false}}"));
}

static void only_the_put_with_the_last_byte_publishes(void **state)
{
	(void)state;
	talk.file.size_bytes = 16 * MIB + 5;
	begin_session(START);
	talk_expect_call(&talk, CALL_PREPARE, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes 0-8388607/16777221");
	talk_answer(&talk, 308, "Range: bytes=0-8388607", "");
	talk_expect_call(&talk, CALL_PREPARE, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes 8388608-16777215/16777221");
	/* The server kept only a part of the chunk (youtube.md 2.2). */
	talk_answer(&talk, 308, "Range: bytes=0-8650751", "");
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes 8650752-16777220/16777221");
	assert_int_equal(talk.step.call.media_offset_bytes, 8650752);
	assert_int_equal(talk.step.call.media_length_bytes, 16777221 - 8650752);
	talk_answer(&talk, 200, NULL, VIDEO);
	answer_processed();
	assert_int_equal(talk.step.kind, STEP_DONE);
}

static void a_lost_chunk_asks_the_session_first(void **state)
{
	(void)state;
	talk.file.size_bytes = 9 * MIB;
	begin_session(START);
	talk_lose(&talk, REPLY_LOST);
	assert_int_equal(talk.step.kind, STEP_WAIT);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes */9437184");
	assert_false(talk.step.call.has_media_body);
	talk_answer(&talk, 308, "Range: bytes=0-262143", "");
	talk_expect_header(&talk, "Content-Range", "bytes 262144-8650751/9437184");
	talk_answer(&talk, 503, NULL, "");
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 308, NULL, ""); /* no Range: nothing stored */
	talk_expect_header(&talk, "Content-Range", "bytes 0-8388607/9437184");
}

/* A long upload is cut now and then: only breaks in a row are a failure, and what the session keeps
 * counts. */
static void breaks_in_a_row_fail_and_progress_forgives(void **state)
{
	(void)state;
	talk.file.size_bytes = 9 * MIB;
	begin_session(START);
	for (int i = 0; i < 20; i++) {
		talk_lose(&talk, REPLY_LOST);
		assert_int_equal(talk.step.kind, STEP_WAIT);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, 308,
			    str_z(talk.arena,
				  str_format(talk.arena, "Range: bytes=0-%d", 10 * (i + 1))),
			    "");
	}
	for (int i = 0; i < 4; i++) {
		talk_lose(&talk, REPLY_NEVER_SENT);
		assert_int_equal(talk.step.kind, STEP_WAIT);
		assert_int_equal(talk.step.wait_ms, 2000 * (i + 1));
		talk_ask(&talk, OPERATION_PUBLISH);
	}
	talk_lose(&talk, REPLY_LOST);
	talk_expect_failure(&talk, "broken", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_READ, "PUT", SESSION);
}

static void a_chunk_that_makes_no_progress_ends_some_day(void **state)
{
	(void)state;
	talk.file.size_bytes = 9 * MIB;
	begin_session(START);
	int calls = 0;
	while (talk.step.kind == STEP_SEND && calls++ < 100)
		talk_answer(&talk, 308, NULL, "");
	talk_expect_failure(&talk, "no progress", FAILURE_TRANSIENT,
			    FAILURE_CODE_PLATFORM_UNAVAILABLE);
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", START);
}

static void a_session_that_is_gone_before_the_end_is_begun_again(void **state)
{
	(void)state;
	const int64_t sizes[] = {9 * MIB, 1000};
	for (size_t i = 0; i < 2; i++) {
		flow_init(&talk.flow, talk.arena, 1);
		talk.file.size_bytes = sizes[i];
		begin_session(START);
		talk_answer(&talk, i == 0 ? 404 : 410, NULL, "Not Found");
		talk_expect_failure(&talk, "gone", FAILURE_TRANSIENT,
				    FAILURE_CODE_PLATFORM_UNAVAILABLE);
		assert_int_equal(talk.flow.var_count, 0);
	}
}

static void an_answer_without_the_video_is_in_doubt(void **state)
{
	(void)state;
	static const char *const bodies[] = {"", "{}", "{\"id\":\"\"}", "<html>", "{\"id\":7}"};
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		flow_init(&talk.flow, talk.arena, 1);
		begin_session(START);
		talk_answer(&talk, 200, NULL, bodies[i]);
		assert_int_equal(talk.step.kind, STEP_UNCERTAIN);
	}
}

static void a_session_without_an_address_is_tried_again(void **state)
{
	(void)state;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_answer(&talk, 200, NULL, "");
	talk_expect_failure(&talk, "no location", FAILURE_TRANSIENT,
			    FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

static void media_is_wanted_and_looked_at(void **state)
{
	(void)state;
	talk.file.is_ready = false;
	talk_ask(&talk, OPERATION_PUBLISH);
	assert_int_equal(talk.step.kind, STEP_MEDIA);
	talk.file.is_ready = true;
	talk.file.sniff =
		(struct sniff){.type = SNIFF_JPEG, .mime_type = "image/jpeg", .is_image = true};
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "an image", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
	talk.file.sniff = (struct sniff){.mime_type = "application/octet-stream"};
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_failure(&talk, "no media", FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED);
}

static void a_file_that_changed_begins_anew(void **state)
{
	(void)state;
	begin_session(START);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk.file.is_ready = false;
	talk_ask(&talk, OPERATION_PUBLISH);
	assert_int_equal(talk.step.kind, STEP_MEDIA);
	talk.file.is_ready = true;
	talk.file.size_bytes = 1001;
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PREPARE, "POST", START);
	talk_expect_header(&talk, "X-Upload-Content-Length", "1001");
}

static void comments_follow_as_threads(void **state)
{
	(void)state;
	talk_video(&talk, 2);
	begin_session(START);
	talk_answer(&talk, 200, NULL, VIDEO);
	answer_processed();
	talk_expect_call(&talk, CALL_PUBLISH, "POST", COMMENTS);
	assert_true(str_equal_z(talk.step.call.body,
				"{\"snippet\":{\"channelId\":\"UCchannel\",\"videoId\":\"vid1\","
				"\"topLevelComment\":"
				"{\"snippet\":{\"textOriginal\":\"First comment\"}}}}"));
	talk_answer(&talk, 200, NULL,
		    "{\"id\":\"t1\",\"snippet\":{\"topLevelComment\":{\"id\":\"c1\"}}}");
	talk_expect_call(&talk, CALL_PUBLISH, "POST", COMMENTS);
	talk_answer(&talk, 200, NULL, "{\"id\":\"t2\"}");
	assert_int_equal(talk.step.kind, STEP_UNCERTAIN);
	assert_true(str_equal_z(talk.flow.parts[1].remote_id, "c1"));
	assert_true(
		str_equal_z(talk.flow.parts[1].url, "https://www.youtube.com/watch?v=vid1&lc=c1"));
}

#define ERROR(reason, message) \
	"{\"error\":{\"code\":0,\"message\":\"" message \
	"\",\"errors\":[{\"domain\":\"d\",\"reason\":\"" reason "\"}]}}"
#define MIDNIGHT_MS ((INT64_C(8) + 12) * 3600 * 1000) /* 12:00Z to 08:00Z */

static const struct talk_refusal refusals[] = {
	{"token", 401, ERROR("authError", "Invalid Credentials"), FAILURE_TOKEN,
	 FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED, 0, "authError"},
	{"no channel", 401, ERROR("youtubeSignupRequired", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"scope", 403, ERROR("insufficientPermissions", ""), FAILURE_REAUTH,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"forbidden", 403, ERROR("forbidden", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"suspended", 403, ERROR("channelSuspended", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING, 0, NULL},
	{"not configured", 403, ERROR("accessNotConfigured", ""), FAILURE_APP,
	 FAILURE_CODE_APP_CREDENTIALS_INVALID, 0, NULL},
	{"quota", 403, ERROR("quotaExceeded", ""), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, MIDNIGHT_MS, "quotaExceeded"},
	{"old quota", 403, ERROR("dailyLimitExceeded", ""), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, MIDNIGHT_MS, NULL},
	{"a day's quota that looks like a burst", 429,
	 ERROR("rateLimitExceeded",
	       "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day'"),
	 FAILURE_RATE_LIMITED, FAILURE_CODE_QUOTA_EXHAUSTED, MIDNIGHT_MS, "rateLimitExceeded"},
	{"burst", 429, ERROR("rateLimitExceeded", "slow down"), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_RATE_LIMITED, 60000, NULL},
	{"burst of the user", 403, ERROR("userRateLimitExceeded", ""), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_RATE_LIMITED, 60000, NULL},
	{"channel's cap", 400, ERROR("uploadLimitExceeded", ""), FAILURE_RATE_LIMITED,
	 FAILURE_CODE_QUOTA_EXHAUSTED, 86400000, NULL},
	{"bare 429", 429, "", FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED, 60000, ""},
	{"title", 400, ERROR("invalidTitle", ""), FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
	 0, "invalidTitle"},
	{"other content", 400, ERROR("invalidVideoMetadata", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_CONTENT_REJECTED, 0, NULL},
	{"privacy", 403, ERROR("forbiddenPrivacySetting", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_CONTENT_REJECTED, 0, NULL},
	{"no body", 400, ERROR("mediaBodyRequired", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_MEDIA_REJECTED, 0, NULL},
	{"not found", 404, ERROR("channelNotFound", ""), FAILURE_PERMANENT,
	 FAILURE_CODE_PLATFORM_REJECTED, 0, NULL},
	{"unknown", 418, "{}", FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED, 0, ""},
	{"server", 503, ERROR("backendError", ""), FAILURE_TRANSIENT,
	 FAILURE_CODE_PLATFORM_UNAVAILABLE, 0, NULL},
};

static void refusals_of_the_session_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		flow_init(&talk.flow, talk.arena, 1);
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_answer(&talk, refusals[i].status, NULL, refusals[i].body);
		talk_expect_refusal(&talk, &refusals[i]);
	}
}

static void only_readable_refusals_of_a_comment_are_believed(void **state)
{
	(void)state;
	static const struct {
		int status;
		const char *body;
		enum step_kind kind;
		enum failure_class class;
	} rows[] = {
		{403, ERROR("commentsDisabled", ""), STEP_FAIL, FAILURE_PERMANENT},
		{400, ERROR("processingFailure", ""), STEP_FAIL, FAILURE_TRANSIENT},
		{401, "", STEP_FAIL, FAILURE_TOKEN},
		{429, "", STEP_FAIL, FAILURE_RATE_LIMITED},
		{400, "<html>", STEP_UNCERTAIN, 0},
		{403, "{}", STEP_UNCERTAIN, 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		talk_video(&talk, 1);
		flow_part_done(&talk.flow, STR("vid1"),
			       STR("https://www.youtube.com/watch?v=vid1"));
		talk_ask(&talk, OPERATION_PUBLISH);
		talk_expect_call(&talk, CALL_PUBLISH, "POST", COMMENTS);
		talk_answer(&talk, rows[i].status, NULL, rows[i].body);
		assert_int_equal(talk.step.kind, rows[i].kind);
		if (rows[i].kind == STEP_FAIL)
			assert_int_equal(talk.step.failure.class, rows[i].class);
	}
}

/* ---- resolve ---- */

static void come_into_doubt(void)
{
	flow_init(&talk.flow, talk.arena, talk.post.container_count);
	begin_session(START);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk_thaw(&talk, &talk.flow);
	talk_ask(&talk, OPERATION_RESOLVE);
	talk_expect_call(&talk, CALL_READ, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes */1000");
}

static void the_session_proves_that_the_video_is_there(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 201, NULL, VIDEO);
	assert_int_equal(talk.step.kind, STEP_LANDED);
	assert_true(flow_is_open(&talk.flow));
	talk_ask(&talk, OPERATION_PUBLISH);
	answer_processed();
	assert_int_equal(talk.step.kind, STEP_DONE);
	expect_landed("https://www.youtube.com/watch?v=vid1");
}

static void the_session_proves_that_bytes_are_missing(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 308, "Range: bytes=0-499", "");
	assert_int_equal(talk.step.kind, STEP_SEND_AGAIN);
	assert_true(flow_is_open(&talk.flow)); /* those on their way may come yet */
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk_expect_header(&talk, "Content-Range", "bytes 500-999/1000");
}

static void a_server_that_never_takes_the_end_is_given_up(void **state)
{
	(void)state;
	come_into_doubt();
	int rounds = 0;
	while (talk.step.kind == STEP_SEND && rounds++ < 100) {
		talk_answer(&talk, 308, NULL, "");
		assert_int_equal(talk.step.kind, STEP_SEND_AGAIN);
		talk_ask(&talk, OPERATION_PUBLISH);
		if (talk.step.kind != STEP_SEND)
			break;
		talk_ask(&talk, OPERATION_RESOLVE);
	}
	talk_expect_failure(&talk, "stuck", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	assert_true(rounds < 20);
}

static void a_session_with_all_bytes_but_no_video_stays_unknown(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 308, "Range: bytes=0-999", "");
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
	come_into_doubt();
	talk_answer(&talk, 200, NULL, "{}");
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
}

static void a_session_that_could_not_be_asked_says_so(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 401, NULL, "{}");
	talk_expect_failure(&talk, "token", FAILURE_TOKEN, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
	come_into_doubt();
	talk_answer(&talk, 503, NULL, "");
	talk_expect_failure(&talk, "server", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
	come_into_doubt();
	talk_lose(&talk, REPLY_NEVER_SENT);
	talk_expect_failure(&talk, "net", FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

#define ITEM(id, title, at) \
	"{\"snippet\":{\"title\":\"" title "\",\"publishedAt\":\"" at \
	"\"},\"contentDetails\":{\"videoId\":\"" id "\"}}"

static void a_session_that_is_gone_leads_to_the_list_of_uploads(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 404, NULL, "Not Found");
	talk_expect_call(
		&talk, CALL_READ, "GET",
		"https://www.googleapis.com/youtube/v3/playlistItems?part=contentDetails,snippet"
		"&playlistId=UUchannel&maxResults=10");
	talk_answer(&talk, 200, NULL,
		    "{\"items\":[" ITEM("new", "First post", "2026-11-21T12:00:30Z") "," ITEM(
			    "old", "First post",
			    "2026-11-21T11:57:00Z") "," ITEM("other", "Another",
							     "2026-11-21T12:00:30Z") "]}");
	assert_int_equal(talk.step.kind, STEP_MATCHES);
	assert_int_equal(talk.step.match_count, 1);
	assert_true(str_equal_z(talk.step.matches[0].remote_id, "new"));
	assert_true(str_equal_z(talk.step.matches[0].url, "https://www.youtube.com/watch?v=new"));
}

static void the_list_of_uploads_is_the_one_that_connect_found(void **state)
{
	(void)state;
	talk.env.account_extra = talk_json(&talk, "{\"uploads_playlist\":\"UUother list\"}");
	come_into_doubt();
	talk_answer(&talk, 410, NULL, "");
	talk_expect_call(
		&talk, CALL_READ, "GET",
		"https://www.googleapis.com/youtube/v3/playlistItems?part=contentDetails,snippet"
		"&playlistId=UUother%20list&maxResults=10");
	talk_answer(&talk, 200, NULL, "{\"items\":[]}");
	assert_int_equal(talk.step.kind, STEP_UNKNOWN);
}

static void after_a_doubt_a_lost_session_is_not_begun_again(void **state)
{
	(void)state;
	come_into_doubt();
	talk_answer(&talk, 404, NULL, "");
	talk_answer(&talk, 200, NULL, "{\"items\":[]}");
	/* The app's policy sends it once more. */
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_expect_call(&talk, CALL_PUBLISH, "PUT", SESSION);
	talk_answer(&talk, 404, NULL, "");
	assert_int_equal(talk.step.kind, STEP_UNCERTAIN);
}

#define THREAD(id, author, text, at) \
	"{\"snippet\":{\"topLevelComment\":{\"id\":\"" id \
	"\",\"snippet\":{\"textOriginal\":\"" text "\",\"authorChannelId\":{\"value\":\"" author \
	"\"},\"publishedAt\":\"" at "\"}}}}"
#define AT "2026-11-21T12:00:01Z"

static const char comment_threads[] =
	"{\"items\":[" THREAD("c1", "UCchannel", "First comment",
			      AT) "," THREAD("c2", "UCother", "First comment",
					     AT) "," THREAD("c3", "UCchannel", "Other", AT) "]}";

static void a_comment_in_doubt_is_looked_for_under_the_video(void **state)
{
	(void)state;
	talk_video(&talk, 1);
	flow_part_done(&talk.flow, STR("vid1"), STR("https://www.youtube.com/watch?v=vid1"));
	talk_ask(&talk, OPERATION_PUBLISH);
	talk_ask(&talk, OPERATION_RESOLVE);
	talk_expect_call(&talk, CALL_READ, "GET",
			 "https://www.googleapis.com/youtube/v3/"
			 "commentThreads?part=snippet&videoId=vid1&order=time"
			 "&maxResults=100");
	talk_answer(&talk, 200, NULL, comment_threads);
	assert_int_equal(talk.step.kind, STEP_MATCHES);
	assert_int_equal(talk.step.match_count, 1);
	assert_true(str_equal_z(talk.step.matches[0].remote_id, "c1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_title_is_given_or_the_first_line),
		TEST(a_title_is_cut_at_a_hundred_characters_not_bytes),
		TEST(ranges_cover_the_file_once_and_end_with_the_last_byte),
		TEST(received_bytes_are_the_servers_word),
		TEST(tags_count_their_commas_and_quotes),
		TEST(a_small_video_is_one_put_that_publishes),
		TEST(options_go_where_they_belong),
		TEST(only_the_put_with_the_last_byte_publishes),
		TEST(a_lost_chunk_asks_the_session_first),
		TEST(breaks_in_a_row_fail_and_progress_forgives),
		TEST(a_chunk_that_makes_no_progress_ends_some_day),
		TEST(a_session_that_is_gone_before_the_end_is_begun_again),
		TEST(an_answer_without_the_video_is_in_doubt),
		TEST(a_session_without_an_address_is_tried_again),
		TEST(media_is_wanted_and_looked_at),
		TEST(a_file_that_changed_begins_anew),
		TEST(comments_follow_as_threads),
		TEST(refusals_of_the_session_are_told),
		TEST(only_readable_refusals_of_a_comment_are_believed),
		TEST(the_session_proves_that_the_video_is_there),
		TEST(the_session_proves_that_bytes_are_missing),
		TEST(a_server_that_never_takes_the_end_is_given_up),
		TEST(a_session_with_all_bytes_but_no_video_stays_unknown),
		TEST(a_session_that_could_not_be_asked_says_so),
		TEST(a_session_that_is_gone_leads_to_the_list_of_uploads),
		TEST(the_list_of_uploads_is_the_one_that_connect_found),
		TEST(after_a_doubt_a_lost_session_is_not_begun_again),
		TEST(a_comment_in_doubt_is_looked_for_under_the_video),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
