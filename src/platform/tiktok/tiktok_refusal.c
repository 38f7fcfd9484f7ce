/* SPDX-License-Identifier: Apache-2.0
 * TikTok's three shapes of errors by their code (tiktok.md 1.5, 4.2, 4.3). The bare
 * answers of the upload host are tiktok_upload.c. */
#include "tiktok_adapter.h"

#define ROW(status, marker, class, code, wait, sentence) \
	REFUSAL(status, marker, NULL, class, code, wait, sentence)

/* By the body alone: the HTTP status varies (1.5). */
const struct refusal tiktok_token_refusals[] = {
	ROW(0, "invalid_client", APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
	    "TikTok refused the app's client key or secret."),
	ROW(0, "unauthorized_client", APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
	    "TikTok does not allow this for the app."),
	ROW(429, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok's rate limit for token requests is reached."),
	ROW(0, "rate_limit_exceeded", RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok's rate limit for token requests is reached."),
	ROW(0, "invalid_grant", REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok no longer accepts this authorization."),
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "TikTok refused the token request."),
	{0},
};

static const struct refusal api_refusals[] = {
	ROW(0, "access_token_invalid", TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok refused the access token."),
	ROW(0, "scope_not_authorized", REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
	    "A permission is missing; connect the account again and grant it."),
	ROW(0, "scope_permission_missed", REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
	    "A permission is missing; connect the account again and grant it."),
	ROW(401, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok refused the access token."),
	ROW(0, "rate_limit_exceeded", RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok's rate limit is reached."),
	ROW(429, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE, "TikTok's rate limit is reached."),
	ROW(0, "spam_risk_too_many_posts", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "The creator has reached TikTok's daily posting limit."),
	ROW(0, "spam_risk_too_many_pending_share", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "The creator has too many drafts waiting in TikTok's inbox."),
	ROW(0, "reached_active_user_cap", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "This app has reached TikTok's daily cap on active users; the creator's account is "
	    "fine."),
	ROW(0, "spam_risk_user_banned_from_posting", PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
	    "TikTok has banned the creator from posting."),
	ROW(0, "spam_risk_text", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok considers the text spam."),
	ROW(0, "spam_risk", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok considers the post spam."),
	ROW(0, TIKTOK_UNAUDITED, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
	    "TikTok has not audited this app: it may only post as SELF_ONLY, and only while the "
	    "creator's account is private."),
	ROW(0, "url_ownership_unverified", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "The media URL's domain is not verified for this app at TikTok: the operator does that "
	    "under URL properties."),
	ROW(0, "privacy_level_option_mismatch", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "The creator may not post with this privacy_level."),
	ROW(0, "app_version_check_failed", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "The creator's TikTok app is too old for this."),
	ROW(0, "invalid_file_upload", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok refused the video file."),
	/* Only status calls say these; the post itself may well be there. */
	ROW(0, "invalid_publish_id", PERMANENT, OUTCOME_UNKNOWN, BY_SCHEDULE,
	    "TikTok no longer knows the outcome of this post."),
	ROW(0, "token_not_authorized_for_specified_publish_id", PERMANENT, OUTCOME_UNKNOWN,
	    BY_SCHEDULE, "TikTok does not let this account read the post's outcome."),
	ROW(0, "internal_error", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
	    "TikTok reports an internal error."),
	ROW(0, "invalid_param", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok refused the post's data."),
	ROW(0, "invalid_params", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok refused the post's data."),
	ROW(403, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE, "TikTok does not allow this."),
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE, "TikTok refused the request."),
	{0},
};

/* fail_reason of a task that ended as FAILED (4.3). It posted nothing, so a transient one is begun
 * anew. */
/* clang-format off */
#define TASK_FAILURES \
	ROW(0, "internal", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE, \
	    "TikTok failed while processing the video."), \
	ROW(0, "video_pull_failed", TRANSIENT, MEDIA_UNREACHABLE, BY_SCHEDULE, \
	    "TikTok could not fetch the video."), \
	ROW(0, "photo_pull_failed", TRANSIENT, MEDIA_UNREACHABLE, BY_SCHEDULE, \
	    "TikTok could not fetch a photo."), \
	ROW(0, "file_format_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, \
	    "TikTok does not accept the video's format."), \
	ROW(0, "duration_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, \
	    "TikTok does not accept a video of this duration."), \
	ROW(0, "frame_rate_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, \
	    "TikTok does not accept the video's frame rate."), \
	ROW(0, "picture_size_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, \
	    "TikTok does not accept the video's width or height."), \
	ROW(0, "spam_risk_too_many_posts", RATE_LIMITED, QUOTA_EXHAUSTED, DAY, \
	    "The creator has reached TikTok's daily posting limit."), \
	ROW(0, "spam_risk_user_banned_from_posting", PERMANENT, PERMISSION_MISSING, BY_SCHEDULE, \
	    "TikTok has banned the creator from posting."), \
	ROW(0, "spam_risk_text", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE, \
	    "TikTok considers the text spam."), \
	ROW(0, "spam_risk", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE, \
	    "TikTok considers the post spam."), \
	ROW(0, "auth_removed", REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE, \
	    "The creator has withdrawn the app's permission."), \
	ROW(0, "publish_cancelled", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE, \
	    "The post was cancelled at TikTok."), \
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE, \
	    "TikTok could not publish the post.")
/* clang-format on */

const struct refusal tiktok_task_failures[] = {TASK_FAILURES, {0}};

/* The same reasons, of photos. TikTok does not say which photo it means (3). */
const struct refusal tiktok_photo_failures[] = {
	ROW(0, "internal", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
	    "TikTok failed while processing the photos."),
	ROW(0, "file_format_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not accept the format of a photo."),
	ROW(0, "picture_size_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not accept the width or height of a photo; the shorter side may have 1080 "
	    "pixels at most."),
	TASK_FAILURES,
	{0},
};

/* {"data":{...},"error":{"code","message","log_id"}}; there are errors without data. */
static struct refusal_facts facts_of(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(error, "message")),
	};
	refusal_marker_add(&facts, json_string(json_get(error, "code")));
	facts.is_readable = facts.marker_count > 0;
	return facts;
}

/* Success is the word "ok"; the HTTP status does not count: some refusals come with 200 (2.1). */
bool tiktok_is_ok(const struct reply *reply)
{
	const struct str code = json_string(json_get(json_get(reply->json, "error"), "code"));
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 && str_equal_z(code, "ok");
}

/* True when the answer is of no use and the step says so. */
bool tiktok_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (tiktok_is_ok(reply))
		return false;
	if (step_fail_transport(step, env, reply))
		return true;
	const struct refusal_facts facts = facts_of(reply);
	/* A 403 without TikTok's own words is its edge's, which lets the same call pass later. */
	const bool is_edge = reply->status == 200 || reply->status == 403;
	if (facts.is_readable || !is_edge)
		refusal_fail(api_refusals, env, &facts, reply, step);
	else
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("TikTok's answer cannot be read."));
	return true;
}

bool tiktok_is_unaudited_refusal(const struct reply *reply)
{
	const struct str code = json_string(json_get(json_get(reply->json, "error"), "code"));
	return reply->outcome == REPLY_ANSWERED && str_equal_z(code, TIKTOK_UNAUDITED);
}

bool tiktok_publish_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = facts_of(reply);
	if (tiktok_is_ok(reply))
		return false;
	/* internal_error says that something went wrong there, not that nothing came of it (5). */
	const bool is_internal =
		facts.is_readable && str_equal_z(facts.markers[0], "internal_error");
	if (is_internal || !refusal_is_certain(&facts))
		*step = (struct step){.kind = STEP_UNCERTAIN};
	else
		refusal_fail(api_refusals, env, &facts, reply, step);
	return true;
}
