/* SPDX-License-Identifier: Apache-2.0
 * YouTube's errors by reason, for faults that name one: every row of youtube.md 2.5 and
 * 4. Errors that a handler detects are next to that handler. */
#include "count_of.h"

#include "sandbox_youtube.h"

/* name NULL: the reason is the name. */
static const struct {
	struct youtube_error error;
	const char *name;
	const char *message;
} errors[] = {
	{{401, "authError", "global", "UNAUTHENTICATED"}, NULL, "Invalid Credentials"},
	{{401, "authorizationRequired", "global", "UNAUTHENTICATED"},
	 NULL,
	 "The request must be authorized."},
	{{401, "youtubeSignupRequired", "youtube.header", NULL}, NULL, "Unauthorized"},
	{{403, "insufficientPermissions", "global", "PERMISSION_DENIED"},
	 NULL,
	 "Request had insufficient authentication scopes."},
	{{403, "forbidden", "youtube.common", NULL},
	 NULL,
	 "Access forbidden. The request may not be properly authorized."},
	{{403, "accountDelegationForbidden", "youtube.common", NULL},
	 NULL,
	 "The authenticated user cannot act for this channel."},
	{{403, "authenticatedUserAccountClosed", "youtube.common", NULL},
	 NULL,
	 "The YouTube account of the authenticated user is closed."},
	{{403, "authenticatedUserAccountSuspended", "youtube.common", NULL},
	 NULL,
	 "The YouTube account of the authenticated user is suspended."},
	{{403, "channelClosed", "youtube.common", NULL}, NULL, "The channel is closed."},
	{{403, "channelSuspended", "youtube.common", NULL}, NULL, "The channel is suspended."},
	{{403, "accessNotConfigured", "usageLimits", "PERMISSION_DENIED"},
	 NULL,
	 "YouTube Data API v3 has not been used in project 1 before or it is disabled."},
	{{403, "quotaExceeded", "youtube.quota", NULL},
	 NULL,
	 "The request cannot be completed because you have exceeded your quota."},
	{{403, "dailyLimitExceeded", "usageLimits", NULL}, NULL, "Daily Limit Exceeded"},
	{{429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
	 "Video Uploads per day",
	 "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of "
	 "service 'youtube.googleapis.com' for consumer 'project_number:1'."},
	{{429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
	 NULL,
	 "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service "
	 "'youtube.googleapis.com' for consumer 'project_number:1'."},
	{{403, "userRateLimitExceeded", "usageLimits", NULL}, NULL, "User Rate Limit Exceeded"},
	{{429, "uploadRateLimitExceeded", "youtube.thumbnail", NULL},
	 NULL,
	 "The channel has uploaded too many thumbnails recently."},
	{{400, "uploadLimitExceeded", "youtube.video", NULL},
	 NULL,
	 "The user has exceeded the number of videos they may upload."},
	{{400, "invalidTitle", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies an invalid or empty video title."},
	{{400, "invalidDescription", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies an invalid video description."},
	{{400, "invalidTags", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies invalid video keywords."},
	{{400, "invalidCategoryId", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies an invalid category ID."},
	{{400, "invalidPublishAt", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies an invalid scheduled publishing time."},
	{{400, "invalidVideoMetadata", "youtube.video", NULL},
	 NULL,
	 "The request metadata is invalid."},
	{{400, "invalidRecordingDetails", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies invalid recording details."},
	{{400, "invalidVideoGameRating", "youtube.video", NULL},
	 NULL,
	 "The request metadata specifies an invalid video game rating."},
	{{400, "invalidFilename", "youtube.video", NULL},
	 NULL,
	 "The video filename specified in the Slug header is invalid."},
	{{400, "defaultLanguageNotSet", "youtube.video", NULL},
	 NULL,
	 "The request is trying to add localized video details without specifying the default "
	 "language."},
	{{400, "mediaBodyRequired", "youtube.video", NULL},
	 NULL,
	 "The request does not include the video content."},
	{{403, "forbiddenPrivacySetting", "youtube.video", NULL},
	 NULL,
	 "The request attempts to set an invalid privacy setting for the video."},
	{{403, "forbiddenLicenseSetting", "youtube.video", NULL},
	 NULL,
	 "The request attempts to set an invalid license for the video."},
	{{403, "forbiddenEmbedSetting", "youtube.video", NULL},
	 NULL,
	 "The request attempts to set an invalid embed setting for the video."},
	{{404, "videoNotFound", "youtube.video", NULL}, NULL, "The video was not found."},
	{{404, "channelNotFound", "youtube.common", NULL}, NULL, "The channel was not found."},
	{{400, "channelOrVideoIdMissing", "youtube.commentThread", NULL},
	 NULL,
	 "The comment names no video."},
	{{400, "commentTextRequired", "youtube.commentThread", NULL},
	 NULL,
	 "The comment has no text."},
	{{400, "commentTextTooLong", "youtube.commentThread", NULL},
	 NULL,
	 "The comment text is too long."},
	{{400, "invalidCommentThreadMetadata", "youtube.commentThread", NULL},
	 NULL,
	 "The request metadata is invalid."},
	{{400, "processingFailure", "youtube.commentThread", NULL},
	 NULL,
	 "The API server failed to successfully process the request."},
	{{403, "ineligibleAccount", "youtube.commentThread", NULL},
	 NULL,
	 "The YouTube account used to authorize the request must be merged with the user's Google "
	 "account."},
	{{403, "commentsDisabled", "youtube.commentThread", NULL},
	 NULL,
	 "The video has disabled comments."},
	{{400, "invalidImage", "youtube.thumbnail", NULL},
	 NULL,
	 "The provided image content is invalid."},
	{{500, "backendError", "global", "INTERNAL"}, NULL, "Backend Error"},
	{{500, "internalError", "global", "INTERNAL"}, NULL, "Internal Error"},
};

bool sandbox_youtube_render_error(struct sandbox_call *call, struct str name)
{
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		if (!str_equal_z(name,
				 errors[i].name != NULL ? errors[i].name : errors[i].error.reason))
			continue;
		if (call != NULL)
			sandbox_youtube_refuse(call, errors[i].error, errors[i].message);
		return true;
	}
	return false;
}
