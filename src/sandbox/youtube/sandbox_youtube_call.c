/* SPDX-License-Identifier: Apache-2.0
 * The check in front of every call of the simulated YouTube: token, scope and the day's quota, and
 * how it refuses (youtube.md 1.2, 3, 4). */
#include "sandbox_youtube.h"

#include "count_of.h"
#include "timetext.h"

#define SCOPE_PREFIX "https://www.googleapis.com/auth/"

/* The scopes that the app may ask for (1.2), and those of Google's sign-in. */
static const struct {
	const char *name;
	unsigned bit;
} scopes[] = {
	{SCOPE_PREFIX "youtube.upload", YOUTUBE_SCOPE_UPLOAD},
	{SCOPE_PREFIX "youtube.readonly", YOUTUBE_SCOPE_READONLY},
	{SCOPE_PREFIX "youtube.force-ssl", YOUTUBE_SCOPE_FORCE_SSL},
	{SCOPE_PREFIX "youtube", YOUTUBE_SCOPE_FULL},
	{SCOPE_PREFIX "userinfo.email", 0},
	{SCOPE_PREFIX "userinfo.profile", 0},
	{"openid", 0},
	{"email", 0},
	{"profile", 0},
};
#define SCOPE_COUNT COUNT_OF(scopes)

static const struct {
	int64_t per_day; /* section 0 */
	struct youtube_error error;
	const char *message;
} buckets[YOUTUBE_BUCKET_COUNT] = {
	[YOUTUBE_BUCKET_UNITS] =
		{10000,
		 {403, "quotaExceeded", "youtube.quota", NULL},
		 "The request cannot be completed because you have exceeded your quota."},
	[YOUTUBE_BUCKET_UPLOADS] =
		{100,
		 {429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
		 "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per "
		 "day' of "
		 "service 'youtube.googleapis.com' for consumer 'project_number:1'."},
};

void sandbox_youtube_refuse(struct sandbox_call *call, struct youtube_error error,
			    const char *message)
{
	struct json_writer w;
	sandbox_answer(call, error.status, &w);
	json_begin_object(&w);
	json_key(&w, "error");
	json_begin_object(&w);
	json_member_int(&w, "code", error.status);
	json_member_str(&w, "message", str_of(message));
	json_key(&w, "errors");
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_str(&w, "message", str_of(message));
	json_member_str(&w, "domain", str_of(error.domain));
	json_member_str(&w, "reason", str_of(error.reason));
	json_end_object(&w);
	json_end_array(&w);
	if (error.grpc_status != NULL)
		json_member_str(&w, "status", str_of(error.grpc_status));
	json_end_object(&w);
	json_end_object(&w);
}

void sandbox_youtube_refuse_parameter(struct sandbox_call *call, const char *reason,
				      const char *message)
{
	sandbox_youtube_refuse(
		call, (struct youtube_error){400, reason, "global", "INVALID_ARGUMENT"}, message);
}

bool sandbox_youtube_is_scope(struct str word)
{
	for (size_t i = 0; i < SCOPE_COUNT; i++) {
		if (str_equal_z(word, scopes[i].name))
			return true;
	}
	return false;
}

/* ---- tokens ---- */

void sandbox_youtube_refuse_token(struct sandbox_call *call)
{
	sandbox_youtube_refuse(
		call, (struct youtube_error){401, "authError", "global", "UNAUTHENTICATED"},
		"Invalid Credentials");
}

/* Revoking either token ends the grant, so an access token depends on its refresh token. */
static bool is_usable(struct sandbox_call *call, const struct sandbox_token *candidate)
{
	return candidate != NULL && candidate->kind == SANDBOX_TOKEN_ACCESS &&
	       sandbox_token_is_live(call->sandbox, candidate) &&
	       (candidate->partner == NULL || !candidate->partner->is_revoked);
}

bool sandbox_youtube_enter_session(struct sandbox_call *call)
{
	if (str_is_empty(sandbox_authorization(call, "Bearer"))) {
		sandbox_youtube_refuse(call,
				       (struct youtube_error){401, "authorizationRequired",
							      "global", "UNAUTHENTICATED"},
				       "The request must be authorized.");
		return false;
	}
	if (is_usable(call, sandbox_token_bearer(call)))
		return true;
	sandbox_youtube_refuse_token(call);
	return false;
}

static bool has_scope(struct sandbox_call *call, unsigned wanted)
{
	for (size_t i = 0; i < SCOPE_COUNT; i++) {
		if ((scopes[i].bit & wanted) != 0 &&
		    sandbox_scope_has(sandbox_token_bearer(call)->scope, scopes[i].name))
			return true;
	}
	return false;
}

/* ---- quota ---- */

static int64_t nth_sunday(int year, int month, int nth)
{
	const int64_t first =
		timetext_day_number(timetext_date_us((struct civil_date){year, month, 1}));
	const int64_t weekday = (first + 4) % 7; /* 1970-01-01 was a Thursday; 0 = Sunday */
	return first + (7 - weekday) % 7 + 7 * (nth - 1);
}

/* The day in California. Quotas restart at its midnight, 08:00 UTC in winter and 07:00 in summer
 * (section 3). Summer is from the second Sunday of March to the first of November. */
static int64_t pacific_day(struct arena *arena, int64_t now_us)
{
	const int64_t winter_us = now_us - 8 * US_PER_HOUR;
	const int64_t day = timetext_day_number(winter_us);
	struct civil_date date = {1970, 1, 1};
	timetext_parse_date(str_slice(timetext_format_instant(arena, now_us), 0, 10), &date);
	if (winter_us >= nth_sunday(date.year, 3, 2) * US_PER_DAY + 2 * US_PER_HOUR &&
	    winter_us < nth_sunday(date.year, 11, 1) * US_PER_DAY + US_PER_HOUR)
		return timetext_day_number(now_us - 7 * US_PER_HOUR);
	return day;
}

static bool take_quota(struct sandbox_call *call, enum youtube_bucket bucket, int64_t cost)
{
	struct youtube_state *state = call->state;
	const int64_t day = pacific_day(call->arena, call->now_us);
	if (day != state->quota_day) {
		memset(state->quota_used, 0, sizeof(state->quota_used));
		state->quota_day = day;
	}
	if (state->quota_used[bucket] + cost > buckets[bucket].per_day) {
		sandbox_youtube_refuse(call, buckets[bucket].error, buckets[bucket].message);
		return false;
	}
	state->quota_used[bucket] += cost;
	return true;
}

bool sandbox_youtube_enter(struct sandbox_call *call, unsigned wanted, enum youtube_bucket bucket,
			   int64_t cost)
{
	if (!sandbox_youtube_enter_session(call) || !take_quota(call, bucket, cost))
		return false;
	if (has_scope(call, wanted))
		return true;
	sandbox_youtube_refuse(call,
			       (struct youtube_error){403, "insufficientPermissions", "global",
						      "PERMISSION_DENIED"},
			       "Request had insufficient authentication scopes.");
	return false;
}

/* Google's Go and Node clients repeat the key. */
bool sandbox_youtube_has_part(struct sandbox_call *call, const char *part)
{
	const struct form *query = &call->request->query;
	for (size_t i = 0; i < query->count; i++) {
		if (str_equal_z(query->pairs[i].name, "part") &&
		    sandbox_scope_has(query->pairs[i].value, part))
			return true;
	}
	return false;
}
