/* SPDX-License-Identifier: Apache-2.0
 * TikTok: Login Kit v2 and Content Posting API v2 (tiktok.md, read 2026-11-21). The
 * stages of a direct post: ask what the creator may do (tiktok_creator.c), open a task
 * (tiktok_init.c), send the bytes (tiktok_upload.c), and ask the task how it goes until the post is
 * public (tiktok_status.c). The task's publish_id is what everything hangs on. Bytes of videos are
 * sent by us: without them a task never posts. Where TikTok pulls, that is for photos and by
 * option, init itself publishes. A draft (post_mode MEDIA_UPLOAD) takes the same way without the
 * first stage, and ends in the creator's inbox. */
#include "tiktok_adapter.h"

#include "adapters.h"
#include "stages.h"

/* What the creator may post is no matter for a draft. */
static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (flow_part(flow) < flow->part_count)
		return tiktok_is_draft(env) ? TIKTOK_STAGE_INIT : TIKTOK_STAGE_CREATOR;
	step_done(step);
	return NULL;
}

static const struct stage publish_stages[] = {
	{TIKTOK_STAGE_BEGIN, begin_ask, stages_answer_unexpected},
	{TIKTOK_STAGE_CREATOR, tiktok_creator_ask, tiktok_creator_answer},
	{TIKTOK_STAGE_INIT, tiktok_init_ask, tiktok_init_answer},
	{TIKTOK_STAGE_UPLOAD, tiktok_upload_ask, tiktok_upload_answer},
	{TIKTOK_STAGE_PROGRESS, tiktok_progress_ask, tiktok_progress_answer},
	{TIKTOK_STAGE_STATUS, tiktok_status_ask, tiktok_status_answer},
	{0},
};

static const struct oauth_profile tiktok_oauth = {
	.authorize_url = "https://www.tiktok.com/v2/auth/authorize/",
	.client_id_name = "client_key",
	.scopes = {"user.info.basic", "user.info.profile", "video.publish"},
	.scope_separator = ",",
	.pkce = PKCE_S256_HEX,
	.extra = {{"disable_auto_auth", "1"}}, /* else a second account cannot be chosen (1.1) */
	.denied_errors = {"access_denied"},
};

const struct platform platform_tiktok = {
	.slug = "tiktok",
	.id = PLATFORM_TIKTOK,
	.oauth = &tiktok_oauth,
	.exchange = &tiktok_exchange,
	.rules = &tiktok_rules,
	.plan = tiktok_plan,
	.stages =
		{
			[OPERATION_VERIFY] = oauth_verify_stages,
			[OPERATION_CONNECT] = tiktok_connect_stages,
			[OPERATION_REFRESH] = oauth_refresh_stages,
			[OPERATION_CHECK] = tiktok_check_stages,
			[OPERATION_REVOKE] = tiktok_revoke_stages,
			[OPERATION_PUBLISH] = publish_stages,
			[OPERATION_RESOLVE] = tiktok_resolve_stages,
			[OPERATION_LATE_ID] = tiktok_late_id_stages,
		},
	.publish_learn = tiktok_extra_give,
};
