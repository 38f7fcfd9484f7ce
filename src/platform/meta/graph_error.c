/* SPDX-License-Identifier: Apache-2.0
 * Meta's errors, by number, and how long it asks us to wait (meta.md 6). What a
 * flow does about it is facebook.c's and instagram.c's. */
#include "graph.h"

#include <inttypes.h>

#include "arena.h"
#include "count_of.h"

#include "httpdate.h"
#include "json.h"
#include "utf8.h"

#define GRAPH_RATE_WAIT_MS (15 * 60 * 1000) /* meta.md 6.1: else 15 to 60 minutes */
/* meta.md 6.2: the app's pool is a rolling hour's */
#define GRAPH_HOUR_USED_UP_MS (60 * 60 * 1000)
#define GRAPH_RATE_WAIT_MAX_MINUTES (24 * 60)
/* meta.md 6.1: 1390008 is waited out for hours. How many is our choice. */
#define GRAPH_TOO_FAST_SUBCODE 1390008
#define GRAPH_TOO_FAST_WAIT_MS (6 * 60 * 60 * 1000)

/* ---- errors (meta.md 6): decided by number, never by words ---- */

#define ANY INT64_MIN

struct error_row {
	int64_t code;    /* ANY, or the first of a range */
	int64_t code_to; /* 0 = only code */
	int64_t subcode; /* ANY */
	enum failure_class class;
	enum failure_code failure_code;
	enum graph_remedy remedy;
};

#define ROW(code, code_to, subcode, class, failure_code, remedy) \
	{ \
		code, code_to, subcode, FAILURE_##class, FAILURE_CODE_##failure_code, \
			GRAPH_##remedy \
	}

/* First row that fits. Subcodes before codes: 4/2207051 reads like a rate limit and is none. */
static const struct error_row error_rows[] = {
	/* Instagram (meta.md 6.3) */
	ROW(ANY, 0, 2207001, TRANSIENT, PLATFORM_UNAVAILABLE, CONTAINER),
	ROW(ANY, 0, 2207003, TRANSIENT, MEDIA_UNREACHABLE, CONTAINER),
	ROW(ANY, 0, 2207004, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207005, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207006, TRANSIENT, PLATFORM_REJECTED, CONTAINER),
	ROW(ANY, 0, 2207008, TRANSIENT, PLATFORM_REJECTED, CONTAINER),
	ROW(ANY, 0, 2207009, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207010, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207020, TRANSIENT, PLATFORM_REJECTED, CONTAINER),
	ROW(ANY, 0, 2207023, PERMANENT, PLATFORM_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207026, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207027, TRANSIENT, PLATFORM_UNAVAILABLE, POLL),
	ROW(ANY, 0, 2207028, PERMANENT, PLATFORM_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207032, TRANSIENT, PLATFORM_UNAVAILABLE, CONTAINER),
	ROW(ANY, 0, 2207035, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207036, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207037, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207040, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207042, RATE_LIMITED, QUOTA_EXHAUSTED, NO_REMEDY),
	ROW(ANY, 0, 2207050, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(ANY, 0, 2207051, PERMANENT, PLATFORM_REJECTED, RESOLVE),
	ROW(ANY, 0, 2207052, PERMANENT, MEDIA_UNREACHABLE, REPEAT),
	ROW(ANY, 0, 2207053, TRANSIENT, PLATFORM_UNAVAILABLE, CONTAINER),
	ROW(ANY, 0, 2207057, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2207077, PERMANENT, MEDIA_UNREACHABLE, NO_REMEDY),
	ROW(ANY, 0, 2207081, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(ANY, 0, 2207082, PERMANENT, MEDIA_REJECTED, CONTAINER),
	ROW(ANY, 0, 2207085, PERMANENT, MEDIA_REJECTED, CONTAINER),
	/* Facebook Pages (meta.md 6.1, last paragraph) */
	ROW(ANY, 0, 1363040, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1363127, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1363128, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1363129, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1363030, TRANSIENT, PLATFORM_UNAVAILABLE, NO_REMEDY),
	ROW(ANY, 0, 1363037, TRANSIENT, PLATFORM_UNAVAILABLE, NO_REMEDY),
	ROW(ANY, 0, 1363047, TRANSIENT, PLATFORM_UNAVAILABLE, NO_REMEDY),
	ROW(ANY, 0, 1609010, TRANSIENT, PLATFORM_UNAVAILABLE, NO_REMEDY),
	ROW(ANY, 0, 1346003, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1349125, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1366046, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1366051, PERMANENT, DUPLICATE_CONTENT, NO_REMEDY),
	ROW(ANY, 0, 1390008, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(ANY, 0, 1404006, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(ANY, 0, 1404078, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(ANY, 0, 1404102, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 1404112, PERMANENT, PLATFORM_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2061006, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 2069019, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(ANY, 0, 4854002, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	/* the whole Graph (meta.md 6.1); -1 and -2 are Instagram's server, with any subcode */
	ROW(-2, -1, ANY, TRANSIENT, PLATFORM_UNAVAILABLE, RESOLVE),
	ROW(1, 2, ANY, TRANSIENT, PLATFORM_UNAVAILABLE, RESOLVE),
	ROW(4, 0, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(17, 0, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(32, 0, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(341, 0, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(613, 0, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(80000, 80014, ANY, RATE_LIMITED, RATE_LIMITED, NO_REMEDY),
	ROW(190, 0, ANY, REAUTH, ACCOUNT_REAUTH_REQUIRED, NO_REMEDY),
	ROW(102, 0, ANY, REAUTH, ACCOUNT_REAUTH_REQUIRED, NO_REMEDY),
	ROW(101, 0, ANY, APP, APP_CREDENTIALS_INVALID, NO_REMEDY),
	ROW(3, 0, ANY, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(10, 0, ANY, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(200, 299, ANY, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(283, 0, ANY, PERMANENT, PERMISSION_MISSING, NO_REMEDY),
	ROW(100, 0, ANY, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(368, 0, ANY, PERMANENT, PLATFORM_REJECTED, NO_REMEDY),
	ROW(506, 0, ANY, PERMANENT, DUPLICATE_CONTENT, NO_REMEDY),
	ROW(1609005, 0, ANY, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(1609008, 0, ANY, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
	ROW(324, 0, ANY, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(382, 0, ANY, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(389, 0, ANY, PERMANENT, MEDIA_UNREACHABLE, REPEAT),
	ROW(6000, 0, ANY, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(6001, 0, ANY, PERMANENT, MEDIA_UNREACHABLE, REPEAT),
	ROW(352, 0, ANY, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(9004, 0, ANY, PERMANENT, MEDIA_UNREACHABLE, REPEAT),
	ROW(9007, 0, ANY, TRANSIENT, PLATFORM_UNAVAILABLE, POLL),
	ROW(36000, 36003, ANY, PERMANENT, MEDIA_REJECTED, NO_REMEDY),
	ROW(36004, 0, ANY, PERMANENT, CONTENT_REJECTED, NO_REMEDY),
};

static const struct error_row error_other =
	ROW(ANY, 0, ANY, PERMANENT, PLATFORM_REJECTED, NO_REMEDY);
static const struct error_row error_passing =
	ROW(ANY, 0, ANY, TRANSIENT, PLATFORM_UNAVAILABLE, RESOLVE);

static bool row_fits(const struct error_row *row, int64_t code, int64_t subcode)
{
	const bool is_code =
		row->code == ANY || code == row->code || (code > row->code && code <= row->code_to);
	return is_code && (row->subcode == ANY || subcode == row->subcode);
}

static const struct error_row *row_find(int64_t code, int64_t subcode)
{
	for (size_t i = 0; i < COUNT_OF(error_rows); i++) {
		if (row_fits(&error_rows[i], code, subcode))
			return &error_rows[i];
	}
	return &error_other;
}

static struct graph_error error_of(int64_t code, int64_t subcode, const struct error_row *row)
{
	return (struct graph_error){
		.code = code,
		.subcode = subcode,
		.class = row->class,
		.failure_code = row->failure_code,
		.remedy = row->remedy,
	};
}

struct graph_error graph_error_of_subcode(int64_t subcode)
{
	return error_of(0, subcode, row_find(0, subcode));
}

/* The two errors that only their words tell from their neighbours (meta.md 6.1): the stored token
 * is not the Page's; and a lost role that reads like a bad parameter. */
static const struct worded_row {
	int64_t code;
	const char *words;
	enum failure_class class;
	enum failure_code failure_code;
} worded_rows[] = {
	{200, "must be posted to a page as the page itself", FAILURE_REAUTH,
	 FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED},
	{100, "No permission to publish the video", FAILURE_PERMANENT,
	 FAILURE_CODE_PERMISSION_MISSING},
};

static void heed_words(const struct json *error, struct graph_error *read)
{
	const struct str message = json_string(json_get(error, "message"));
	for (size_t i = 0; i < COUNT_OF(worded_rows); i++) {
		const struct worded_row *row = &worded_rows[i];
		if (row->code != read->code || str_find(message, str_of(row->words), 0) == SIZE_MAX)
			continue;
		read->class = row->class;
		read->failure_code = row->failure_code;
	}
}

bool graph_error_read(const struct reply *reply, struct graph_error *error_out)
{
	const struct json *error = json_get(reply->json, "error");
	const int64_t code = json_int(json_get(error, "code"), ANY);
	const int64_t subcode = json_int(json_get(error, "error_subcode"), 0);
	if (reply->outcome != REPLY_ANSWERED || code == ANY)
		return false;
	const struct error_row *row = row_find(code, subcode);
	if (row == &error_other && json_bool(json_get(error, "is_transient"), false))
		row = &error_passing;
	*error_out = error_of(code, subcode, row);
	heed_words(error, error_out);
	return true;
}

bool graph_is_ok(const struct reply *reply)
{
	struct graph_error error;
	return reply->outcome == REPLY_ANSWERED && reply->status / 100 == 2 &&
	       !graph_error_read(reply, &error);
}

bool graph_is_uncertain(const struct reply *reply)
{
	struct graph_error error;
	const bool says_passing =
		json_bool(json_get(json_get(reply->json, "error"), "is_transient"), false);
	if (!graph_error_read(reply, &error))
		return true;
	const bool is_server_fault = error.remedy == GRAPH_CONTAINER &&
				     error.failure_code == FAILURE_CODE_PLATFORM_UNAVAILABLE;
	return error.remedy == GRAPH_RESOLVE || is_server_fault ||
	       (says_passing && error.class != FAILURE_RATE_LIMITED &&
		error.remedy == GRAPH_NO_REMEDY);
}

/* x-business-use-case-usage names minutes for each object that waits (meta.md 6.2). */
static int64_t usage_minutes(const struct env *env, const struct reply *reply)
{
	const struct json *usage = NULL;
	int64_t latest = 0;
	if (json_parse(env->arena, reply_header(reply, "x-business-use-case-usage"), NULL, &usage,
		       NULL, NULL) != ERR_NONE ||
	    !json_is(usage, JSON_TYPE_OBJECT))
		return 0;
	for (size_t i = 0; i < usage->count; i++) {
		const struct json *list = &usage->items[i];
		for (size_t j = 0; json_is(list, JSON_TYPE_ARRAY) && j < list->count; j++) {
			const int64_t minutes = json_int(
				json_get(&list->items[j], "estimated_time_to_regain_access"), 0);
			latest = minutes > latest ? minutes : latest;
		}
	}
	return latest < GRAPH_RATE_WAIT_MAX_MINUTES ? latest : GRAPH_RATE_WAIT_MAX_MINUTES;
}

/* x-app-usage in percent: at 100 nothing of this app works until the hour has moved on. */
static bool is_hour_used_up(const struct env *env, const struct reply *reply)
{
	const struct json *usage = NULL;
	if (json_parse(env->arena, reply_header(reply, "x-app-usage"), NULL, &usage, NULL, NULL) !=
		    ERR_NONE ||
	    !json_is(usage, JSON_TYPE_OBJECT))
		return false;
	for (size_t i = 0; i < usage->count; i++) {
		if (json_int(&usage->items[i], 0) >= 100)
			return true;
	}
	return false;
}

static int64_t rate_wait_ms(const struct env *env, const struct graph_error *error,
			    const struct reply *reply)
{
	const int64_t minutes = usage_minutes(env, reply);
	int64_t wait_ms = 0;
	if (minutes > 0)
		return minutes * 60000;
	if (httpdate_parse_retry_after(reply_header(reply, "Retry-After"), env->now_us, &wait_ms) &&
	    wait_ms > 0)
		return wait_ms;
	if (error->subcode == GRAPH_TOO_FAST_SUBCODE)
		return GRAPH_TOO_FAST_WAIT_MS;
	return is_hour_used_up(env, reply) ? GRAPH_HOUR_USED_UP_MS : GRAPH_RATE_WAIT_MS;
}

static struct str code_text(const struct env *env, const struct graph_error *error)
{
	return error->subcode != 0
		       ? str_format(env->arena, "%" PRId64 "/%" PRId64, error->code, error->subcode)
		       : str_format(env->arena, "%" PRId64, error->code);
}

static struct str words_of(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	const struct str for_user = json_string(json_get(error, "error_user_msg"));
	const struct str words =
		str_is_empty(for_user) ? json_string(json_get(error, "message")) : for_user;
	return utf8_cut_bytes(words, PLATFORM_MESSAGE_MAX_BYTES);
}

/* What a person has to do about a dead token, by its subcode (meta.md 6.1). */
static struct str reconnect_sentence(int64_t subcode)
{
	static const struct {
		int64_t subcode;
		const char *sentence;
	} rows[] = {
		{458, "The user removed the app; the account must be connected again."},
		{459, "The user must log in at facebook.com first; then the account must be "
		      "connected again."},
		{460, "Meta ended the session: the user changed their password, or Facebook did it "
		      "for security reasons; the account must be connected again."},
		{463, "The access token has expired; the account must be connected again."},
		{464, "The user must confirm the login at facebook.com first; then the account "
		      "must be connected again."},
		{467, "The access token was invalidated; the account must be connected again."},
		{492, "The user lost their role on the Page; the account must be connected again."},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (rows[i].subcode == subcode)
			return str_of(rows[i].sentence);
	}
	return str_of(failure_code_sentence(FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED));
}

static struct str sentence_of(const struct graph_error *error)
{
	return error->class == FAILURE_REAUTH ? reconnect_sentence(error->subcode)
					      : str_of(failure_code_sentence(error->failure_code));
}

void graph_step_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	struct graph_error error;
	if (!graph_error_read(reply, &error)) {
		if (!step_fail_transport(step, env, reply))
			/* Nobody gets here with a publish call's answer: a good status without its
			 * content is worth asking again. */
			step_fail(step, reply->status < 400 ? FAILURE_TRANSIENT : FAILURE_PERMANENT,
				  reply->status < 400 ? FAILURE_CODE_PLATFORM_UNAVAILABLE
						      : FAILURE_CODE_PLATFORM_REJECTED,
				  STR("Meta's answer cannot be read."))
				->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
		return;
	}
	struct failure *failure =
		step_fail(step, error.class, error.failure_code, sentence_of(&error));
	failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	failure->platform_code = code_text(env, &error);
	failure->platform_message = words_of(reply);
	if (error.class == FAILURE_RATE_LIMITED)
		failure->retry_after_ms = rate_wait_ms(env, &error, reply);
}

/* ---- rupload's own form (meta.md 3.2, step 2) ---- */

void graph_step_fail_upload(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct json *info = json_get(reply->json, "debug_info");
	if (!json_is(info, JSON_TYPE_OBJECT)) {
		graph_step_fail(env, reply, step);
		return;
	}
	const bool is_retriable = json_bool(json_get(info, "retriable"), false);
	struct failure *failure = step_fail(
		step, is_retriable ? FAILURE_TRANSIENT : FAILURE_PERMANENT,
		is_retriable ? FAILURE_CODE_PLATFORM_UNAVAILABLE : FAILURE_CODE_MEDIA_REJECTED,
		is_retriable ? STR("Meta cannot accept the file right now.")
			     : STR("Meta did not accept the file."));
	failure->platform_code = utf8_cut_bytes(json_string(json_get(info, "type")), 100);
	failure->platform_message =
		utf8_cut_bytes(json_string(json_get(info, "message")), PLATFORM_MESSAGE_MAX_BYTES);
}
