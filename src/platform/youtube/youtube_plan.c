/* SPDX-License-Identifier: Apache-2.0
 * The calls that a post on YouTube comes to, as validate shows them (plan.h, youtube.md
 * 2). */
#include "plan.h"

#include "youtube_adapter.h"

const struct plan_row youtube_plan[] = {
	{.stage = YOUTUBE_STAGE_SESSION,
	 .parts = PLAN_POST,
	 .method = "POST",
	 .host_path = YOUTUBE_UPLOAD YOUTUBE_PATH_VIDEOS,
	 .summary = "Begin the upload"},
	{.stage = YOUTUBE_STAGE_UPLOAD,
	 .parts = PLAN_POST,
	 .method = "PUT",
	 .host_path = "{upload_url}",
	 .publishes = true,
	 .summary = "Upload the video; its last byte publishes it"},
	{.stage = YOUTUBE_STAGE_THUMBNAIL,
	 .parts = PLAN_POST,
	 .each = PLAN_EACH_THUMBNAIL,
	 .method = "POST",
	 .host_path = YOUTUBE_UPLOAD YOUTUBE_PATH_THUMBNAILS,
	 .summary = "Set its thumbnail"},
	{.stage = YOUTUBE_STAGE_PROCESSING,
	 .parts = PLAN_POST,
	 .method = "GET",
	 .host_path = YOUTUBE_API YOUTUBE_PATH_VIDEOS,
	 .summary = "Wait until it is processed"},
	{.stage = YOUTUBE_STAGE_COMMENT,
	 .parts = PLAN_COMMENTS,
	 .method = "POST",
	 .host_path = YOUTUBE_API YOUTUBE_PATH_COMMENT_THREADS,
	 .publishes = true,
	 .summary = "Publish the comment"},
	{.stage = NULL},
};
