/* SPDX-License-Identifier: Apache-2.0
 * X's refusals (x.md 4) and how long to wait after them. The token endpoint has
 * its own form of errors: x_login.c. */
#include "clock.h"
#include "count_of.h"

#include "json.h"
#include "utf8.h"

#include "x_adapter.h"

#define RATE_WAIT_MIN_MS 60000 /* 4, 429 */

/* First row that fits. Order of decision: HTTP status, last part of the type, a part of the
 * words. */
struct error_row {
	int status;
	const char *type_tail; /* NULL = any */
	const char *words;     /* NULL = any */
	enum failure_class class;
	enum failure_code code;
	const char *message;
};

#define ROW(status, type_tail, words, class, code, message) \
	{ \
		status, type_tail, words, FAILURE_##class, FAILURE_CODE_##code, message \
	}

static const struct error_row errors[] = {
	ROW(400, NULL, "media IDs are invalid", PERMANENT, MEDIA_REJECTED,
	    "X does not know the uploaded media, or no longer knows it."),
	ROW(400, NULL, "deleted or not visible", PERMANENT, PLATFORM_REJECTED,
	    "The post to reply to no longer exists."),
	ROW(400, NULL, "duplicate content", PERMANENT, DUPLICATE_CONTENT,
	    "X says this was already posted."),
	ROW(400, NULL, NULL, PERMANENT, CONTENT_REJECTED, "X refused the request as malformed."),
	ROW(401, NULL, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, "X refused the access token."),
	ROW(402, NULL, NULL, APP, QUOTA_EXHAUSTED, "The app has no credits left at X."),
	ROW(403, "credits", NULL, APP, QUOTA_EXHAUSTED, "The app has no credits left at X."),
	ROW(403, "usage-capped", NULL, APP, QUOTA_EXHAUSTED,
	    "The app's usage cap at X is reached."),
	ROW(403, "unsupported-authentication", "Authenticating with Unknown", TRANSIENT,
	    PLATFORM_UNAVAILABLE, "X did not recognise its own access token."),
	ROW(403, NULL, "Authenticating with Unknown", TRANSIENT, PLATFORM_UNAVAILABLE,
	    "X did not recognise its own access token."),
	ROW(403, "unsupported-authentication", NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED,
	    "X does not accept this kind of access token here."),
	ROW(403, "client-forbidden", NULL, APP, PERMISSION_MISSING,
	    "The app's plan at X does not allow this."),
	/* Tokens keep the rights that the app had when they were made (4). */
	ROW(403, "oauth1-permissions", NULL, REAUTH, PERMISSION_MISSING,
	    "The account was connected while the app had read-only access at X. Set Read and write "
	    "in the X developer console, then connect the account again."),
	ROW(403, "user-suspended", NULL, PERMANENT, PERMISSION_MISSING,
	    "X has suspended the account."),
	ROW(403, NULL, "duplicate content", PERMANENT, DUPLICATE_CONTENT,
	    "X says this was already posted."),
	ROW(403, NULL, "where you are mentioned", PERMANENT, PLATFORM_REJECTED,
	    "X lets apps reply only where the account was mentioned."),
	ROW(403, NULL, "Reply to this conversation is not allowed", PERMANENT, PLATFORM_REJECTED,
	    "X does not allow a reply there."),
	ROW(403, NULL, "permitted to access this feature", PERMANENT, PERMISSION_MISSING,
	    "X does not allow this feature for the account."),
	ROW(403, NULL, "permitted to perform this action", PERMANENT, CONTENT_REJECTED,
	    "X refused the post; usually the text is too long or its media cannot be combined."),
	ROW(403, NULL, "video longer than", PERMANENT, MEDIA_REJECTED,
	    "The video is too long for the account."),
	ROW(403, NULL, "maximum of 4 items", PERMANENT, MEDIA_REJECTED,
	    "X allows at most 4 media items."),
	ROW(403, NULL, "maximum of one cashtag", PERMANENT, CONTENT_REJECTED,
	    "X allows at most one cashtag."),
	ROW(403, NULL, "invalid URL", PERMANENT, CONTENT_REJECTED, "X refused a URL in the text."),
	ROW(403, NULL, "suspended", PERMANENT, PERMISSION_MISSING, "X has suspended the account."),
	ROW(403, NULL, "locked", PERMANENT, PERMISSION_MISSING, "X has locked the account."),
	ROW(403, NULL, NULL, PERMANENT, PLATFORM_REJECTED, "X refused the post."),
	ROW(404, NULL, NULL, PERMANENT, PLATFORM_REJECTED, "X cannot find what this refers to."),
	ROW(413, NULL, NULL, PERMANENT, MEDIA_REJECTED, "A file is too large for X."),
	ROW(431, NULL, NULL, PERMANENT, MEDIA_REJECTED, "A file is too large for X."),
	ROW(429, "usage-capped", NULL, APP, QUOTA_EXHAUSTED,
	    "The app's usage cap at X is reached."),
	ROW(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, "X's rate limit is reached."),
};

static const struct error_row error_other =
	ROW(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, "X refused the call.");

/* What X said, from both of its envelopes. */
struct said {
	struct str type_tail;
	struct str words; /* message, detail or title */
	struct str code;
};

struct str x_first_of(struct str a, struct str b)
{
	return !str_is_empty(a) ? a : b;
}

struct str x_last_segment(struct str path)
{
	size_t start = path.len;
	while (start > 0 && path.ptr[start - 1] != '/')
		start--;
	return str_slice(path, start, path.len);
}

static struct said said_read(const struct env *env, const struct json *json)
{
	const struct json *first = json_at(json_get(json, "errors"), 0);
	const struct str type = x_first_of(json_string(json_get(json, "type")),
					   json_string(json_get(first, "type")));
	const struct str words = x_first_of(json_string(json_get(first, "message")),
					    json_string(json_get(json, "detail")));
	struct said said = {
		.type_tail =
			str_equal_z(type, "about:blank") ? (struct str){0} : x_last_segment(type),
		.words = x_first_of(words, json_string(json_get(json, "title"))),
	};
	said.code = x_first_of(said.type_tail, json_text(env->arena, json_get(first, "code")));
	return said;
}

static bool row_fits(const struct error_row *row, int status, const struct said *said)
{
	return row->status == status &&
	       (row->type_tail == NULL || str_equal_z(said->type_tail, row->type_tail)) &&
	       (row->words == NULL || str_find(said->words, str_of(row->words), 0) != SIZE_MAX);
}

static const struct error_row *row_find(int status, const struct said *said)
{
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		if (row_fits(&errors[i], status, said))
			return &errors[i];
	}
	return &error_other;
}

/* Milliseconds until the instant that a header names in seconds since 1970, when its counter stands
 * at 0. */
static int64_t wait_for(const struct env *env, const struct reply *reply,
			const char *remaining_name, const char *reset_name)
{
	int64_t reset_s = 0;
	const struct str remaining = reply_header(reply, remaining_name);
	if (!str_is_empty(remaining) && !str_equal_z(remaining, "0"))
		return 0;
	if (!str_parse_i64(reply_header(reply, reset_name), &reset_s) || reset_s < 0 ||
	    reset_s > INT64_MAX / US_PER_S)
		return 0;
	const int64_t wait_ms = (reset_s * US_PER_S - env->now_us) / US_PER_MS;
	return wait_ms < US_PER_DAY / US_PER_MS ? wait_ms : US_PER_DAY / US_PER_MS;
}

/* The latest of the windows that are used up (x.md 3.3); 0 when X names none. */
static int64_t retry_after_ms(const struct env *env, const struct reply *reply)
{
	static const char *const windows[][2] = {
		{"x-rate-limit-remaining", "x-rate-limit-reset"},
		{"x-user-limit-24hour-remaining", "x-user-limit-24hour-reset"},
		{"x-app-limit-24hour-remaining", "x-app-limit-24hour-reset"},
	};
	int64_t latest_ms = 0;
	for (size_t i = 0; i < COUNT_OF(windows); i++) {
		const int64_t wait_ms = wait_for(env, reply, windows[i][0], windows[i][1]);
		latest_ms = wait_ms > latest_ms ? wait_ms : latest_ms;
	}
	return latest_ms > 0 && latest_ms < RATE_WAIT_MIN_MS ? RATE_WAIT_MIN_MS : latest_ms;
}

void x_failed(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return;
	const struct said said = said_read(env, reply->json);
	const struct error_row *row = row_find(reply->status, &said);
	struct failure *failure = step_fail(step, row->class, row->code, str_of(row->message));
	failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	failure->platform_code = said.code;
	failure->platform_message = utf8_cut_bytes(said.words, PLATFORM_MESSAGE_MAX_BYTES);
	if (row->class != FAILURE_RATE_LIMITED)
		return;
	failure->retry_after_ms = retry_after_ms(env, reply);
	failure->retry_floor_ms = RATE_WAIT_MIN_MS;
}

bool x_is_refusal(const struct reply *reply)
{
	const struct json *json = reply->json;
	const bool is_readable = !str_is_empty(json_string(json_get(json, "title"))) ||
				 !str_is_empty(json_string(json_get(json, "detail"))) ||
				 json_get(json_at(json_get(json, "errors"), 0), "message") != NULL;
	return reply->status >= 400 && (is_readable || reply->status == 401 ||
					reply->status == 402 || reply->status == 429);
}

bool x_is_ok(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status / 100 == 2;
}
