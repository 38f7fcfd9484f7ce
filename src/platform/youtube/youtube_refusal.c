/* SPDX-License-Identifier: Apache-2.0
 * YouTube's errors by their code: of the token endpoint (youtube.md 1.5), of the API (4).
 * What becomes of a video after its upload is youtube_after.c. */
#include "youtube_adapter.h"

const struct refusal youtube_token_refusals[] = {
	REFUSAL(0, "invalid_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"Google refused the app's client id or secret."),
	REFUSAL(0, "unauthorized_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"Google does not allow this for this kind of app."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"Google's rate limit for token requests is reached."),
	REFUSAL(0, "redirect_uri_mismatch", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The redirect URL is not registered with the Google app."),
	REFUSAL(0, "invalid_grant", NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"Google no longer accepts this authorization."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"Google refused the token request."),
	{0},
};

#define CONTENT_ROW(marker, sentence) \
	REFUSAL(400, marker, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE, sentence)
#define ACCOUNT_ROW(marker, sentence) \
	REFUSAL(403, marker, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE, sentence)

static const struct refusal api_refusals[] = {
	REFUSAL(401, "youtubeSignupRequired", NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"The Google account has no YouTube channel."),
	REFUSAL(401, NULL, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"YouTube refused the access token."),
	/* A day's quota, though it comes as a burst limit would (4). */
	REFUSAL(429, NULL, "per day", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's video upload quota for today is used up."),
	REFUSAL(0, "quotaExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's YouTube quota for today is used up."),
	REFUSAL(0, "dailyLimitExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's YouTube quota for today is used up."),
	REFUSAL(0, "uploadLimitExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
		"The channel has reached YouTube's daily upload limit."),
	REFUSAL(0, "rateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube's rate limit is reached."),
	REFUSAL(0, "userRateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube's rate limit is reached."),
	REFUSAL(0, "uploadRateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube's rate limit is reached."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube's rate limit is reached."),
	REFUSAL(403, "insufficientPermissions", NULL, REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
		"A permission is missing; connect the account again and grant it."),
	REFUSAL(403, "accessNotConfigured", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The YouTube Data API is not enabled in the Google project."),
	REFUSAL(403, "SERVICE_DISABLED", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The YouTube Data API is not enabled in the Google project."),
	ACCOUNT_ROW("accountDelegationForbidden",
		    "YouTube does not let this account act for the channel."),
	ACCOUNT_ROW("authenticatedUserAccountClosed", "The YouTube account is closed."),
	ACCOUNT_ROW("authenticatedUserAccountSuspended", "The YouTube account is suspended."),
	ACCOUNT_ROW("channelClosed", "The YouTube channel is closed."),
	ACCOUNT_ROW("channelSuspended", "The YouTube channel is suspended."),
	ACCOUNT_ROW("ineligibleAccount", "The YouTube account may not comment."),
	ACCOUNT_ROW("commentsDisabled", "Comments are turned off for this video."),
	REFUSAL(403, "forbiddenPrivacySetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this privacyStatus."),
	REFUSAL(403, "forbiddenLicenseSetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this license."),
	REFUSAL(403, "forbiddenEmbedSetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this value of embeddable."),
	REFUSAL(403, NULL, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"YouTube does not allow this; connecting the account again may help."),
	CONTENT_ROW("invalidTitle", "YouTube refused the title."),
	CONTENT_ROW("invalidDescription", "YouTube refused the description."),
	CONTENT_ROW("invalidTags", "YouTube refused the tags."),
	CONTENT_ROW("invalidCategoryId", "YouTube does not know this categoryId."),
	CONTENT_ROW("defaultLanguageNotSet", "YouTube requires defaultLanguage."),
	CONTENT_ROW("commentTextTooLong", "YouTube says the comment is too long."),
	REFUSAL(400, "mediaBodyRequired", NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube says the request has no video."),
	REFUSAL(400, "processingFailure", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"YouTube could not process the comment."),
	REFUSAL(400, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube refused the content of the post."),
	REFUSAL(404, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"YouTube cannot find the video or channel that this refers to."),
	REFUSAL(413, NULL, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube says the file is too large."),
	REFUSAL(415, NULL, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube does not accept this kind of file."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"YouTube refused the request."),
	{0},
};

/* {"error":{"code","message","errors":[{"reason"}],"status"}} */
struct refusal_facts youtube_facts(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(error, "message")),
		.is_readable = json_is(error, JSON_TYPE_OBJECT),
	};
	refusal_marker_add(&facts,
			   json_string(json_get(json_at(json_get(error, "errors"), 0), "reason")));
	refusal_marker_add(&facts,
			   json_string(json_get(json_at(json_get(error, "details"), 0), "reason")));
	refusal_marker_add(&facts, json_string(json_get(error, "status")));
	return facts;
}

const char *youtube_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = youtube_facts(reply);
	refusal_fail(api_refusals, env, &facts, reply, step);
	return NULL;
}

/* For read and prepare calls: true when the answer is of no use and the step says so. */
bool youtube_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return true;
	if (reply->status == 200)
		return false;
	youtube_fail(env, reply, step);
	return true;
}

/* A refusal of a publish call, or uncertain when it cannot be read as one. */
const char *youtube_publish_refused(const struct env *env, const struct reply *reply,
				    struct step *step)
{
	const struct refusal_facts facts = youtube_facts(reply);
	if (refusal_is_certain(&facts))
		return youtube_fail(env, reply, step);
	*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}
