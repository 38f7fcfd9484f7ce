/* SPDX-License-Identifier: Apache-2.0
 * Photo posts of the simulated TikTok (tiktok.md 2.4, 2.5, 3): init with addresses, which
 * it really fetches. One bad picture fails the whole set, without saying which. */
#include "sandbox_tiktok.h"

#include "utf8.h"

#define PHOTOS_MAX 35
#define TITLE_UNITS_MAX 90
#define DESCRIPTION_UNITS_MAX 4000
#define PHOTO_BYTES_MAX (20 * 1024 * 1024)
#define SHORTER_SIDE_MAX 1080 /* section 3: "1080p" */

/* ---- checks ---- */

static bool is_text_within(const struct json *text, size_t units_max)
{
	return json_is_null(text) || (json_is(text, JSON_TYPE_STRING) &&
				      utf8_utf16_units(json_string(text)) <= units_max);
}

static bool check_post_info(struct sandbox_call *call, const struct json *post_info)
{
	static const char *const flags[] = {"disable_comment", "auto_add_music",
					    "brand_content_toggle", "brand_organic_toggle", NULL};
	if (!json_is(post_info, JSON_TYPE_OBJECT) ||
	    !is_text_within(json_get(post_info, "title"), TITLE_UNITS_MAX) ||
	    !is_text_within(json_get(post_info, "description"), DESCRIPTION_UNITS_MAX))
		return sandbox_tiktok_refuse_params(call,
						    "The request post info is empty or incorrect");
	return sandbox_tiktok_check_level(call,
					  json_string(json_get(post_info, "privacy_level"))) &&
	       sandbox_tiktok_check_flags(call, post_info, flags);
}

static bool check_source(struct sandbox_call *call, const struct json *source)
{
	const struct json *photos = json_get(source, "photo_images");
	const int64_t cover = json_int(json_get(source, "photo_cover_index"), -1);
	if (!str_equal_z(json_string(json_get(source, "source")), "PULL_FROM_URL") ||
	    !json_is(photos, JSON_TYPE_ARRAY) || photos->count < 1 || photos->count > PHOTOS_MAX ||
	    cover < 0 || cover >= (int64_t)photos->count)
		return sandbox_tiktok_refuse_params(
			call, "The request source info is empty or incorrect");
	for (size_t i = 0; i < photos->count; i++) {
		if (!sandbox_tiktok_may_pull(call, json_string(json_at(photos, i))))
			return false;
	}
	return true;
}

/* ---- the pictures ---- */

static const char *photo_complaint(const struct sandbox_media *media)
{
	const struct sniff *sniff = &media->sniff;
	const uint32_t shorter = sniff->width < sniff->height ? sniff->width : sniff->height;
	if (sniff->type != SNIFF_JPEG && sniff->type != SNIFF_WEBP)
		return "file_format_check_failed";
	return shorter > SHORTER_SIDE_MAX || media->size_bytes > PHOTO_BYTES_MAX
		       ? "picture_size_check_failed"
		       : NULL;
}

/* Fetches all photos. The first error is the task's. LETS GO OF THE LOCK. */
static const char *pull_all(struct sandbox_call *call, const struct json *photos,
			    struct sandbox_media *media_out)
{
	const char *complaint = NULL;
	for (size_t i = 0; i < photos->count && complaint == NULL; i++) {
		const struct sandbox_pull_config config = {
			.url = json_string(json_at(photos, i)),
			.user_agent = "TikTok-Sandbox",
			.max_bytes = 2 * PHOTO_BYTES_MAX,
		};
		complaint =
			sandbox_media_pull(call, &config, &media_out[i], NULL) == SANDBOX_PULL_OK
				? photo_complaint(&media_out[i])
				: "photo_pull_failed";
	}
	return complaint;
}

static void make_task(struct sandbox_call *call, struct str client_id, bool is_draft)
{
	const struct json *body = sandbox_json(call);
	const struct json *post_info = json_get(body, "post_info");
	const struct json *photos = json_get(json_get(body, "source_info"), "photo_images");
	struct sandbox_media *media = ARENA_ARRAY(call->arena, struct sandbox_media, photos->count);
	const char *complaint = pull_all(call, photos, media);
	struct tiktok_task *task =
		sandbox_tiktok_task_new(call, client_id, "p_pub_url~v2.", is_draft);
	if (complaint == NULL && sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_fails) != 0)
		complaint = "internal";
	task->text =
		sandbox_keep_str(call->sandbox, json_string(json_get(post_info, "description")));
	task->is_public = str_equal_z(json_string(json_get(post_info, "privacy_level")),
				      "PUBLIC_TO_EVERYONE");
	task->is_pull = true;
	task->is_photos = true;
	task->media_count = photos->count;
	task->media = sandbox_keep(call->sandbox, photos->count * sizeof(*media));
	memcpy(task->media, media, photos->count * sizeof(*media));
	for (size_t i = 0; i < photos->count; i++)
		task->received_bytes += media[i].size_bytes;
	task->uploaded_us = sandbox_now_us(call->sandbox);
	task->fail_reason = complaint;
	sandbox_tiktok_answer_task(call, task);
}

void sandbox_tiktok_content_init(struct sandbox_call *call)
{
	const struct json *body = sandbox_json(call);
	const struct str mode = json_string(json_get(body, "post_mode"));
	const bool is_draft = str_equal_z(mode, "MEDIA_UPLOAD");
	const struct sandbox_token *token =
		sandbox_tiktok_enter(call, is_draft ? "video.upload" : "video.publish", NULL);
	if (token == NULL || !sandbox_tiktok_count(call, TIKTOK_COUNTED_INIT) ||
	    !sandbox_tiktok_check_body(call))
		return;
	if (!str_equal_z(json_string(json_get(body, "media_type")), "PHOTO") ||
	    (!is_draft && !str_equal_z(mode, "DIRECT_POST"))) {
		sandbox_tiktok_refuse_params(call, "media_type or post_mode is incorrect");
		return;
	}
	if (!(is_draft ? sandbox_tiktok_take_draft(call) : sandbox_tiktok_may_post(call, 403)) ||
	    (!is_draft && !check_post_info(call, json_get(body, "post_info"))) ||
	    !check_source(call, json_get(body, "source_info")))
		return;
	make_task(call, str_copy(call->arena, token->client_id), is_draft);
}
