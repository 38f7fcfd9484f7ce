/* SPDX-License-Identifier: Apache-2.0
 * The calls that a post on Instagram comes to, as validate shows them (plan.h, meta.md
 * 4). */
#include "plan.h"

#include "instagram_adapter.h"
#include "graph.h"

#define ACCOUNT GRAPH_PLAN_HOST "/{instagram_id}/"

const struct plan_row instagram_plan[] = {
	{.stage = INSTAGRAM_STAGE_QUOTA,
	 .parts = PLAN_POST,
	 .method = "GET",
	 .host_path = ACCOUNT INSTAGRAM_EDGE_QUOTA,
	 .summary = "Read the remaining daily quota"},
	{.stage = INSTAGRAM_STAGE_CONTAINER,
	 .parts = PLAN_POST,
	 .each = PLAN_EACH_FILE,
	 .method = "POST",
	 .host_path = ACCOUNT INSTAGRAM_EDGE_MEDIA,
	 .summary = "Create a container for the file"},
	{.stage = INSTAGRAM_STAGE_UPLOAD,
	 .parts = PLAN_POST,
	 .each = PLAN_EACH_VIDEO,
	 .method = "POST",
	 .host_path = GRAPH_UPLOAD_HOST "/ig-api-upload/{version}/{container_id}",
	 .summary = "Upload the video"},
	{.stage = INSTAGRAM_STAGE_POLL,
	 .parts = PLAN_POST,
	 .method = "GET",
	 .host_path = GRAPH_PLAN_HOST "/{container_id}",
	 .summary = "Wait until it is processed"},
	{.stage = INSTAGRAM_STAGE_CONTAINER,
	 .parts = PLAN_POST,
	 .shapes = PLAN_IMAGES | PLAN_MIXED,
	 .method = "POST",
	 .host_path = ACCOUNT INSTAGRAM_EDGE_MEDIA,
	 .summary = "Create the carousel"},
	{.stage = INSTAGRAM_STAGE_POLL,
	 .parts = PLAN_POST,
	 .shapes = PLAN_IMAGES | PLAN_MIXED,
	 .method = "GET",
	 .host_path = GRAPH_PLAN_HOST "/{container_id}",
	 .summary = "Wait until it is processed"},
	{.stage = INSTAGRAM_STAGE_PUBLISH,
	 .parts = PLAN_POST,
	 .method = "POST",
	 .host_path = ACCOUNT INSTAGRAM_EDGE_PUBLISH,
	 .publishes = true,
	 .summary = "Publish it"},
	{.stage = INSTAGRAM_STAGE_PERMALINK,
	 .parts = PLAN_POST,
	 .method = "GET",
	 .host_path = GRAPH_PLAN_HOST "/{media_id}",
	 .summary = "Read its URL"},
	{.stage = INSTAGRAM_STAGE_COMMENT,
	 .parts = PLAN_COMMENTS,
	 .method = "POST",
	 .host_path = GRAPH_PLAN_HOST "/{media_id}/" INSTAGRAM_EDGE_COMMENTS,
	 .publishes = true,
	 .summary = "Publish the comment"},
	{.stage = NULL},
};
