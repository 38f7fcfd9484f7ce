/* SPDX-License-Identifier: Apache-2.0
 * Publishing on the simulated TikTok (tiktok.md 2.2, 2.5, 2.6): init of uploads and
 * pulls, status, cancelling. Video bytes are in sandbox_tiktok_upload.c, photos in
 * sandbox_tiktok_photos.c. */
#include "sandbox_tiktok.h"

#include "form.h"
#include "url.h"
#include "utf8.h"

#define LISTED_MAX 20
#define TITLE_UNITS_MAX 2200 /* section 3: UTF-16 code units */

/* ---- init: checks ---- */

bool sandbox_tiktok_check_flags(struct sandbox_call *call, const struct json *post_info,
				const char *const *flags)
{
	for (; *flags != NULL; flags++) {
		const struct json *flag = json_get(post_info, *flags);
		if (!json_is_null(flag) && !json_is(flag, JSON_TYPE_BOOL))
			return sandbox_tiktok_refuse_params(
				call, "The request post info is empty or incorrect");
	}
	return true;
}

static bool check_post_info(struct sandbox_call *call, const struct json *post_info)
{
	static const char *const flags[] = {"disable_duet",
					    "disable_stitch",
					    "disable_comment",
					    "brand_content_toggle",
					    "brand_organic_toggle",
					    "is_aigc",
					    NULL};
	const struct json *title = json_get(post_info, "title");
	if (!json_is(post_info, JSON_TYPE_OBJECT) ||
	    (!json_is_null(title) && !json_is(title, JSON_TYPE_STRING)))
		return sandbox_tiktok_refuse_params(call,
						    "The request post info is empty or incorrect");
	if (utf8_utf16_units(json_string(title)) > TITLE_UNITS_MAX)
		return sandbox_tiktok_refuse_params(
			call, "The title is longer than 2200 UTF-16 code units");
	return sandbox_tiktok_check_level(call,
					  json_string(json_get(post_info, "privacy_level"))) &&
	       sandbox_tiktok_check_flags(call, post_info, flags);
}

/* ---- init: the task ---- */

/* post_info is NULL for a draft. */
static struct tiktok_task *make_task(struct sandbox_call *call, struct str client_id,
				     const struct json *post_info, const char *prefix)
{
	struct tiktok_task *task =
		sandbox_tiktok_task_new(call, client_id, prefix, post_info == NULL);
	task->text = sandbox_keep_str(call->sandbox, json_string(json_get(post_info, "title")));
	task->is_public = str_equal_z(json_string(json_get(post_info, "privacy_level")),
				      "PUBLIC_TO_EVERYONE");
	task->media = sandbox_keep(call->sandbox, sizeof(*task->media));
	task->media_count = 1;
	return task;
}

void sandbox_tiktok_answer_task(struct sandbox_call *call, const struct tiktok_task *task)
{
	struct buf path;
	buf_init(&path, call->arena, 1024);
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	json_member_str(&w, "publish_id", task->publish_id);
	if (!task->is_pull) {
		buf_add_z(&path, "/video/?");
		buf_addf(&path, "upload_id=" STR_FMT "&upload_token=" STR_FMT,
			 STR_ARG(task->upload_id), STR_ARG(task->upload_secret));
		json_member_str(&w, "upload_url",
				sandbox_url(call, TIKTOK_UPLOAD_HOST, buf_str(&path)));
	}
	sandbox_tiktok_end(call, &w);
}

static void init_upload(struct sandbox_call *call, const struct sandbox_token *token,
			const struct json *post_info, const struct json *source)
{
	const int64_t video_bytes = json_int(json_get(source, "video_size"), 0);
	const int64_t chunk_bytes = json_int(json_get(source, "chunk_size"), 0);
	const int64_t chunk_count = json_int(json_get(source, "total_chunk_count"), 0);
	if (!sandbox_tiktok_chunks_fit(video_bytes, chunk_bytes, chunk_count)) {
		sandbox_tiktok_refuse_params(call,
					     video_bytes < 1 || video_bytes > TIKTOK_VIDEO_BYTES_MAX
						     ? "The video size is invalid"
						     : "The chunk size is invalid");
		return;
	}
	struct sandbox_upload *upload =
		sandbox_upload_new(call->sandbox, SANDBOX_TIKTOK,
				   sandbox_id_decimal(call->sandbox, "7", 19), video_bytes);
	if (upload == NULL) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){500, "internal_error"},
				      "Please try again later");
		return;
	}
	struct tiktok_task *task =
		make_task(call, token->client_id, post_info,
			  post_info != NULL ? "v_pub_file~v2-1." : "v_inbox_file~v2.");
	task->upload_id = upload->id;
	task->upload_secret = sandbox_id_text(call->sandbox, "", 24);
	task->video_bytes = video_bytes;
	task->chunk_bytes = chunk_bytes;
	task->chunk_count = chunk_count;
	upload->extra = task;
	sandbox_tiktok_answer_task(call, task);
}

/* Loopback http counts as a verified https host here (design.md, "Sandbox contract"); no other
 * host does. */
bool sandbox_tiktok_may_pull(struct sandbox_call *call, struct str address)
{
	struct url url;
	if (url_parse(call->arena, address, &url, NULL) != ERR_NONE)
		return sandbox_tiktok_refuse_params(call, "The address is not a URL");
	if (sandbox_redirect_is_registered(call, address))
		return true;
	sandbox_tiktok_refuse(call, (struct tiktok_error){403, "url_ownership_unverified"},
			      "Please review our URL ownership verification rules");
	return false;
}

static void init_pull(struct sandbox_call *call, const struct sandbox_token *token,
		      const struct json *post_info, const struct json *source)
{
	const struct sandbox_pull_config config = {
		.url = json_string(json_get(source, "video_url")),
		.user_agent = "TikTok-Sandbox",
		.max_bytes = TIKTOK_VIDEO_BYTES_MAX,
	};
	struct sandbox_token kept =
		*token; /* the pull releases the lock: a reset may free the token */
	if (!sandbox_tiktok_may_pull(call, config.url))
		return;
	kept.client_id = str_copy(call->arena, token->client_id);
	struct sandbox_media media = {0};
	const enum sandbox_pull outcome = sandbox_media_pull(call, &config, &media, NULL);
	struct tiktok_task *task =
		make_task(call, kept.client_id, post_info,
			  post_info != NULL ? "v_pub_url~v2." : "v_inbox_url~v2.");
	task->is_pull = true;
	*task->media = media;
	task->received_bytes = media.size_bytes;
	task->uploaded_us = sandbox_now_us(call->sandbox);
	task->fail_reason = outcome != SANDBOX_PULL_OK
				    ? "video_pull_failed"
				    : sandbox_tiktok_video_complaint(call->sandbox, &media);
	sandbox_tiktok_answer_task(call, task);
}

/* post_info is NULL for a draft, which loses all settings (2.2). */
static void init_task(struct sandbox_call *call, const struct sandbox_token *token,
		      const struct json *post_info)
{
	const struct json *source = json_get(sandbox_json(call), "source_info");
	const struct str word = json_string(json_get(source, "source"));
	if (str_equal_z(word, "FILE_UPLOAD"))
		init_upload(call, token, post_info, source);
	else if (str_equal_z(word, "PULL_FROM_URL"))
		init_pull(call, token, post_info, source);
	else
		sandbox_tiktok_refuse_params(call, "The request source info is empty or incorrect");
}

bool sandbox_tiktok_check_body(struct sandbox_call *call)
{
	return json_is(sandbox_json(call), JSON_TYPE_OBJECT) ||
	       sandbox_tiktok_refuse_params(call, "The body is not a JSON object");
}

void sandbox_tiktok_video_init(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_tiktok_enter(call, "video.publish", NULL);
	if (token == NULL || !sandbox_tiktok_count(call, TIKTOK_COUNTED_INIT) ||
	    !sandbox_tiktok_check_body(call) || !sandbox_tiktok_may_post(call, 403))
		return;
	const struct json *post_info = json_get(sandbox_json(call), "post_info");
	if (check_post_info(call, post_info))
		init_task(call, token, post_info);
}

void sandbox_tiktok_inbox_init(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_tiktok_enter(call, "video.upload", NULL);
	if (token != NULL && sandbox_tiktok_count(call, TIKTOK_COUNTED_INIT) &&
	    sandbox_tiktok_check_body(call) && sandbox_tiktok_take_draft(call))
		init_task(call, token, NULL);
}

/* ---- status ---- */

static struct tiktok_task *find_task(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct str id = json_string(json_get(sandbox_json(call), "publish_id"));
	struct tiktok_task *task = sandbox_object_get(call->sandbox, SANDBOX_TIKTOK, "task", id);
	if (task == NULL) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){400, "invalid_publish_id"},
				      "The publish_id does not exist");
		return NULL;
	}
	if (!str_equal(task->token_client, token->client_id)) {
		sandbox_tiktok_refuse(
			call,
			(struct tiktok_error){400, "token_not_authorized_for_specified_publish_id"},
			"The access token does not belong to the publish_id");
		return NULL;
	}
	return task;
}

/* The id of a public post appears after moderation, as an integer in a list; others never get
 * one (2.6). */
static void put_post_ids(struct sandbox_call *call, struct json_writer *w,
			 const struct tiktok_task *task)
{
	const int64_t moderation_us =
		sandbox_knob(call->sandbox, SANDBOX_KNOB_tiktok_moderation_ms) * US_PER_MS;
	json_key(w, "publicaly_available_post_id");
	json_begin_array(w);
	if (!str_is_empty(task->post_id) &&
	    call->now_us >= task->uploaded_us + task->processing_us + moderation_us)
		json_put_raw(w, task->post_id);
	json_end_array(w);
}

void sandbox_tiktok_status_fetch(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		sandbox_tiktok_enter(call, "video.publish", "video.upload");
	if (token == NULL || !sandbox_tiktok_count(call, TIKTOK_COUNTED_STATUS) ||
	    !sandbox_tiktok_check_body(call))
		return;
	const struct tiktok_task *task = find_task(call, token);
	if (task == NULL)
		return;
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	json_member_str(&w, "status", str_of(sandbox_tiktok_task_status(task, call->now_us)));
	json_member_str(&w, "fail_reason", str_of(sandbox_tiktok_task_failure(task, call->now_us)));
	put_post_ids(call, &w, task);
	json_member_int(&w, "uploaded_bytes", task->is_pull ? 0 : task->received_bytes);
	json_member_int(&w, "downloaded_bytes", task->is_pull ? task->received_bytes : 0);
	sandbox_tiktok_end(call, &w);
}

/* A pull that has not ended can be stopped; best effort (2.5). */
void sandbox_tiktok_cancel(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		sandbox_tiktok_enter(call, "video.publish", "video.upload");
	if (token == NULL || !sandbox_tiktok_check_body(call))
		return;
	struct tiktok_task *task = find_task(call, token);
	if (task == NULL)
		return;
	if (!task->is_pull || sandbox_tiktok_task_stage(task, call->now_us) == TIKTOK_STAGE_ENDED) {
		sandbox_tiktok_refuse(call, (struct tiktok_error){400, "publish_not_cancellable"},
				      "The post can no longer be cancelled");
		return;
	}
	task->fail_reason = "publish_cancelled";
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	sandbox_tiktok_end(call, &w);
}

/* ---- the creator's public videos ---- */

void sandbox_tiktok_video_list(struct sandbox_call *call)
{
	if (sandbox_tiktok_enter(call, "video.list", NULL) == NULL)
		return;
	struct json_writer w;
	sandbox_tiktok_begin(call, &w);
	json_key(&w, "videos");
	json_begin_array(&w);
	const struct sandbox_post *post =
		sandbox_ledger_newest(call->sandbox, SANDBOX_TIKTOK, STR(TIKTOK_OPEN_ID));
	for (int count = 0; post != NULL && count < LISTED_MAX; post = post->older) {
		const struct tiktok_task *task = post->extra;
		if (post->deleted_us != 0 || !task->is_public || task->is_photos)
			continue;
		json_begin_object(&w);
		json_member_str(&w, "id", post->id);
		json_member_str(&w, "title", post->text);
		json_member_int(&w, "create_time", post->created_us / US_PER_S);
		json_end_object(&w);
		count++;
	}
	json_end_array(&w);
	json_member_bool(&w, "has_more", false);
	sandbox_tiktok_end(call, &w);
}
