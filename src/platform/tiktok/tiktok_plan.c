/* SPDX-License-Identifier: Apache-2.0
 * The calls that a post on TikTok comes to, as validate shows them (plan.h, tiktok.md
 * 2). */
#include "plan.h"

#include "tiktok_adapter.h"

const struct plan_row tiktok_plan[] = {
	{.stage = TIKTOK_STAGE_CREATOR,
	 .parts = PLAN_POST,
	 .method = "POST",
	 .host_path = TIKTOK_API TIKTOK_PATH_CREATOR,
	 .summary = "Ask what the creator may do"},
	{.stage = TIKTOK_STAGE_INIT,
	 .parts = PLAN_POST,
	 .shapes = PLAN_VIDEO,
	 .method = "POST",
	 .host_path = TIKTOK_API TIKTOK_PATH_VIDEO_INIT,
	 .summary = "Begin the upload"},
	{.stage = TIKTOK_STAGE_UPLOAD,
	 .parts = PLAN_POST,
	 .shapes = PLAN_VIDEO,
	 .method = "PUT",
	 .host_path = "{upload_url}",
	 .publishes = true,
	 .summary = "Upload the video; its last byte publishes it"},
	{.stage = TIKTOK_STAGE_INIT,
	 .parts = PLAN_POST,
	 .shapes = PLAN_IMAGE | PLAN_IMAGES,
	 .method = "POST",
	 .host_path = TIKTOK_API TIKTOK_PATH_CONTENT_INIT,
	 .publishes = true,
	 .summary = "Publish the photos"},
	{.stage = TIKTOK_STAGE_STATUS,
	 .parts = PLAN_POST,
	 .method = "POST",
	 .host_path = TIKTOK_API TIKTOK_PATH_STATUS,
	 .summary = "Wait until it is processed"},
	{.stage = NULL},
};
