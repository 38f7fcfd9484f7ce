/* SPDX-License-Identifier: Apache-2.0
 * What each platform is asked about a token, what each answer means, and how a token is given
 * back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "talk.h"

#include "account_check.h"

struct check_row {
	const char *name;
	enum platform_id platform;
	const char *url; /* how the question begins */
	int status;
	const char *body;
	enum step_kind kind;
	enum failure_class class; /* of STEP_FAIL */
};

#define META_DEAD \
	"{\"error\":{\"message\":\"m\",\"type\":\"OAuthException\",\"code\":190,\"error_" \
	"subcode\":463}}"
#define X_DEAD \
	"{\"title\":\"Unauthorized\",\"type\":\"about:blank\",\"status\":401,\"detail\":" \
	"\"Unauthorized\"}"
#define LINKEDIN_DEAD \
	"{\"status\":401,\"serviceErrorCode\":65601,\"code\":\"REVOKED_ACCESS_TOKEN\"," \
	"\"message\":\"m\"}"
#define YOUTUBE_DEAD \
	"{\"error\":{\"code\":401,\"message\":\"m\",\"errors\":[{\"reason\":\"authError\"}]," \
	"\"status\":\"UNAUTHENTICATED\"}}"
#define TIKTOK_DEAD \
	"{\"data\":{},\"error\":{\"code\":\"access_token_invalid\",\"message\":\"m\",\"log_id\":" \
	"\"1\"}}"

static const struct check_row check_rows[] = {
	{"facebook, good", PLATFORM_FACEBOOK, "https://graph.facebook.com/", 200, "{\"id\":\"1\"}",
	 STEP_DONE, 0},
	{"facebook, dead", PLATFORM_FACEBOOK, "https://graph.facebook.com/", 400, META_DEAD,
	 STEP_FAIL, FAILURE_REAUTH},
	{"instagram, good", PLATFORM_INSTAGRAM, "https://graph.facebook.com/", 200,
	 "{\"id\":\"1\"}", STEP_DONE, 0},
	{"instagram, dead", PLATFORM_INSTAGRAM, "https://graph.facebook.com/", 400, META_DEAD,
	 STEP_FAIL, FAILURE_REAUTH},
	{"x, good", PLATFORM_X, "https://api.x.com/2/users/me", 200, "{\"data\":{\"id\":\"1\"}}",
	 STEP_DONE, 0},
	{"x, dead", PLATFORM_X, "https://api.x.com/2/users/me", 401, X_DEAD, STEP_FAIL,
	 FAILURE_TOKEN},
	{"linkedin, good", PLATFORM_LINKEDIN, "https://api.linkedin.com/v2/userinfo", 200,
	 "{\"sub\":\"1\"}", STEP_DONE, 0},
	{"linkedin, dead", PLATFORM_LINKEDIN, "https://api.linkedin.com/v2/userinfo", 401,
	 LINKEDIN_DEAD, STEP_FAIL, FAILURE_TOKEN},
	{"youtube, good", PLATFORM_YOUTUBE, "https://www.googleapis.com/youtube/v3/channels", 200,
	 "{\"items\":[]}", STEP_DONE, 0},
	{"youtube, dead", PLATFORM_YOUTUBE, "https://www.googleapis.com/youtube/v3/channels", 401,
	 YOUTUBE_DEAD, STEP_FAIL, FAILURE_TOKEN},
	{"tiktok, good", PLATFORM_TIKTOK, "https://open.tiktokapis.com/v2/user/info/", 200,
	 "{\"data\":{\"user\":{\"open_id\":\"1\"}},\"error\":{\"code\":\"ok\",\"message\":\"\","
	 "\"log_id\":\"1\"}}",
	 STEP_DONE, 0},
	{"tiktok, dead", PLATFORM_TIKTOK, "https://open.tiktokapis.com/v2/user/info/", 401,
	 TIKTOK_DEAD, STEP_FAIL, FAILURE_TOKEN},
	{"facebook, down", PLATFORM_FACEBOOK, "https://graph.facebook.com/", 503, "", STEP_FAIL,
	 FAILURE_TRANSIENT},
	{"instagram, down", PLATFORM_INSTAGRAM, "https://graph.facebook.com/", 503, "", STEP_FAIL,
	 FAILURE_TRANSIENT},
	{"x, down", PLATFORM_X, "https://api.x.com/2/users/me", 503, "", STEP_FAIL,
	 FAILURE_TRANSIENT},
	{"linkedin, down", PLATFORM_LINKEDIN, "https://api.linkedin.com/v2/userinfo", 503, "",
	 STEP_FAIL, FAILURE_TRANSIENT},
	{"youtube, down", PLATFORM_YOUTUBE, "https://www.googleapis.com/youtube/v3/channels", 503,
	 "", STEP_FAIL, FAILURE_TRANSIENT},
	{"tiktok, down", PLATFORM_TIKTOK, "https://open.tiktokapis.com/v2/user/info/", 503, "",
	 STEP_FAIL, FAILURE_TRANSIENT},
};

/* Asks, and answers with that status and body. */
static void ask(struct talk *talk, enum operation operation, int status, const char *body)
{
	const struct json *json = NULL;
	platform_run(talk->platform, operation, &talk->env, &talk->flow, NULL, &talk->step);
	assert_int_equal(talk->step.kind, STEP_SEND);
	if (body[0] != '\0')
		json = talk_json(talk, body);
	const struct reply reply = {
		.outcome = REPLY_ANSWERED, .status = status, .body = str_of(body), .json = json};
	struct step answer = {0};
	const struct step asked = talk->step;
	platform_run(talk->platform, operation, &talk->env, &talk->flow, &reply, &answer);
	talk->step = answer;
	talk->step.call = asked.call;
}

static void every_platform_is_asked_and_understood(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(check_rows); i++) {
		const struct check_row *row = &check_rows[i];
		struct talk talk;
		talk_open(&talk, platform_of(row->platform));
		ask(&talk, OPERATION_CHECK, row->status, row->body);
		if (!str_has_prefix(talk.step.call.url, str_of(row->url)) ||
		    talk.step.call.kind != CALL_READ)
			fail_msg("%s: " STR_FMT, row->name, STR_ARG(talk.step.call.url));
		if (talk.step.kind != row->kind ||
		    (row->kind == STEP_FAIL && talk.step.failure.class != row->class))
			fail_msg("%s: step %d, class %d", row->name, (int)talk.step.kind,
				 (int)talk.step.failure.class);
		talk_close(&talk);
	}
}

struct revoke_row {
	enum platform_id platform;
	const char *url;
	const char *body; /* part of it */
};

static const struct revoke_row revoke_rows[] = {
	{PLATFORM_X, "https://api.x.com/2/oauth2/revoke", "token=refresh-1"},
	{PLATFORM_YOUTUBE, "https://oauth2.googleapis.com/revoke", "token=refresh-1"},
	{PLATFORM_TIKTOK, "https://open.tiktokapis.com/v2/oauth/revoke/",
	 "client_key=client-1&client_secret=secret-1&token=token-1"},
};

static void tokens_are_given_back(void **state)
{
	static const struct {
		int status;
		enum step_kind kind;
	} answers[] = {{200, STEP_DONE},
		       {400, STEP_DONE},
		       {401, STEP_DONE},
		       {403, STEP_FAIL},
		       {500, STEP_FAIL}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(revoke_rows); i++) {
		for (size_t a = 0; a < COUNT_OF(answers); a++) {
			struct talk talk;
			talk_open(&talk, platform_of(revoke_rows[i].platform));
			ask(&talk, OPERATION_REVOKE, answers[a].status, "{}");
			assert_true(str_equal_z(talk.step.call.url, revoke_rows[i].url));
			assert_true(str_find(talk.step.call.body, str_of(revoke_rows[i].body), 0) !=
				    SIZE_MAX);
			assert_int_equal(talk.step.kind, answers[a].kind);
			talk_close(&talk);
		}
	}
}

/* Meta would take the app away from the whole user, and LinkedIn has no such call. */
static void the_others_have_no_way_to_give_one_back(void **state)
{
	(void)state;
	assert_null(platform_of(PLATFORM_FACEBOOK)->stages[OPERATION_REVOKE]);
	assert_null(platform_of(PLATFORM_INSTAGRAM)->stages[OPERATION_REVOKE]);
	assert_null(platform_of(PLATFORM_LINKEDIN)->stages[OPERATION_REVOKE]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_platform_is_asked_and_understood),
		cmocka_unit_test(tokens_are_given_back),
		cmocka_unit_test(the_others_have_no_way_to_give_one_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
