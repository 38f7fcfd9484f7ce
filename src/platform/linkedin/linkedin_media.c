/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: files on their way up (linkedin.md 2.3 to 2.6), one after the other. Images
 * and documents: an address, one PUT with the bearer. Videos: addresses for byte ranges, PUTs that
 * must not carry the bearer, their etags in the order of the addresses, an end. Then each is waited
 * for: a post made before processing ends becomes invisible when processing fails. Nothing here is
 * visible, so everything may be repeated; an orphan does no harm. */
#include "linkedin_adapter.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json_write.h"

#include "answer.h"
#include "media_rules.h"

#define POLL_MS 5000 /* 2.6: every 5 to 20 s */
#define POLL_LATER_MS 20000
#define POLLS_AT_FIRST 4
#define POLLS_MAX 180         /* our choice: about an hour */
#define BLIND_WAIT_MS 20000   /* 2.3: what a peer waits where the status may not be read */
#define UPLOADS_AGAIN_MAX 3   /* our choice: new addresses for old ones that are refused */
#define INSTRUCTIONS_MAX 4096 /* 5 GB in parts of 4 MiB, three times over */
#define INSTRUCTIONS_MAX_BYTES (480 * 1024) /* what a flow keeps (flow.c) */

static const struct {
	const char *name;     /* the key of the answer */
	const char *resource; /* the path */
} kinds[LINKEDIN_KINDS] = {
	[LINKEDIN_IMAGE] = {"image", LINKEDIN_REST_URL LINKEDIN_PATH_IMAGES},
	[LINKEDIN_VIDEO] = {"video", LINKEDIN_REST_URL LINKEDIN_PATH_VIDEOS},
	[LINKEDIN_DOCUMENT] = {"document", LINKEDIN_REST_URL LINKEDIN_PATH_DOCUMENTS},
};

/* ---- which files ---- */

static struct str document_url(const struct env *env)
{
	return json_string(json_get(json_get(env->options, "document"), "url"));
}

static struct str article_thumbnail(const struct env *env)
{
	return json_string(json_get(json_get(env->options, "article"), "thumbnail_url"));
}

static bool is_article(const struct env *env)
{
	return linkedin_is_article(env->post_type, env->options);
}

size_t linkedin_asset_count(const struct env *env)
{
	const size_t media_count = env->post->containers[0].media_count;
	if (!str_is_empty(document_url(env)))
		return 1;
	return media_count == 0 && is_article(env) && !str_is_empty(article_thumbnail(env))
		       ? 1
		       : media_count;
}

struct linkedin_asset linkedin_asset_at(const struct env *env, size_t index)
{
	const struct container *first = &env->post->containers[0];
	if (!str_is_empty(document_url(env)))
		return (struct linkedin_asset){.kind = LINKEDIN_DOCUMENT, .url = document_url(env)};
	if (index >= first->media_count)
		return (struct linkedin_asset){.kind = LINKEDIN_IMAGE,
					       .url = article_thumbnail(env)};
	const struct media *media = &first->media[index];
	return (struct linkedin_asset){
		.kind = media->type == MEDIA_VIDEO ? LINKEDIN_VIDEO : LINKEDIN_IMAGE,
		.media_index = index,
		.alt_text = media->alt_text,
	};
}

static const char *urn_name(const struct env *env, size_t index)
{
	return str_z(env->arena, str_format(env->arena, LINKEDIN_KEY_URN_FORMAT, index));
}

struct str linkedin_asset_urn(const struct env *env, const struct flow *flow, size_t index)
{
	return flow_get(flow, urn_name(env, index));
}

/* ---- the one under way ---- */

static size_t current_index(const struct flow *flow)
{
	const int64_t index = flow_get_int(flow, LINKEDIN_KEY_ASSET, 0);
	return index > 0 ? (size_t)index : 0;
}

static struct linkedin_asset current(const struct env *env, const struct flow *flow)
{
	return linkedin_asset_at(env, current_index(flow));
}

static struct str current_urn(const struct env *env, const struct flow *flow)
{
	return linkedin_asset_urn(env, flow, current_index(flow));
}

/* Its flat index when the file is on our disk; else the step asks for it and this is -1. */
static int file_of(const struct env *env, const struct linkedin_asset *asset, struct step *step)
{
	const int index =
		str_is_empty(asset->url) ? (int)asset->media_index : env_file(env, asset->url);
	if (index >= 0 && env->media[index].is_ready)
		return index;
	if (str_is_empty(asset->url))
		step_media(step, asset->media_index);
	else
		step_file(step, asset->url, false);
	return -1;
}

/* The picture that a video shows before it plays. One that the medium names for all platforms is
 * done without when it cannot be had; one that is meant for LinkedIn is not. */
struct thumbnail {
	struct str url;
	bool is_optional;
};

static struct thumbnail thumbnail_of(const struct env *env, const struct linkedin_asset *video)
{
	const struct str option = json_string(json_get(env->options, "thumbnail_url"));
	if (!str_is_empty(option))
		return (struct thumbnail){.url = option};
	return (struct thumbnail){
		.url = env->post->containers[0].media[video->media_index].thumbnail_url,
		.is_optional = true,
	};
}

enum thumbnail_state { THUMBNAIL_NONE, THUMBNAIL_HERE, THUMBNAIL_WANTED };

/* WANTED: the step asks for it. */
static enum thumbnail_state thumbnail_find(const struct env *env,
					   const struct linkedin_asset *video, int *index_out,
					   struct step *step)
{
	const struct thumbnail thumbnail = thumbnail_of(env, video);
	if (str_is_empty(thumbnail.url))
		return THUMBNAIL_NONE;
	const int index = env_file(env, thumbnail.url);
	if (index >= 0 && env->media[index].is_missing)
		return THUMBNAIL_NONE;
	if (index < 0 || !env->media[index].is_ready) {
		step_file(step, thumbnail.url, thumbnail.is_optional);
		return THUMBNAIL_WANTED;
	}
	*index_out = index;
	return THUMBNAIL_HERE;
}

/* One that was asked for cannot be had, and cannot be set later. */
static void thumbnail_note(const struct env *env, struct flow *flow,
			   const struct linkedin_asset *video)
{
	if (str_is_empty(thumbnail_of(env, video).url))
		return;
	flow_warn(flow, &(struct flow_warning){
				.code = STR(FLOW_THUMBNAIL_REFUSED),
				.field = str_format(env->arena, "media.%zu.thumbnail_url",
						    video->media_index),
				.message = STR("The video is out without its thumbnail: the file "
					       "could not be fetched."),
			});
}

const char *linkedin_asset_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	const size_t count = linkedin_asset_count(env);
	if (current_index(flow) < count)
		return LINKEDIN_STAGE_INIT;
	return count > 0 ? LINKEDIN_STAGE_SETTLE : LINKEDIN_STAGE_POST;
}

/* This one has its bytes. */
static const char *next_asset(struct flow *flow)
{
	static const char *const spent[] = {LINKEDIN_KEY_UPLOAD_URL,   LINKEDIN_KEY_INSTRUCTIONS,
					    LINKEDIN_KEY_UPLOAD_TOKEN, LINKEDIN_KEY_THUMBNAIL_URL,
					    LINKEDIN_KEY_CAPTIONS_URL, LINKEDIN_KEY_CAPTIONS_TRIES,
					    LINKEDIN_KEY_ETAGS,        LINKEDIN_KEY_PART};
	for (size_t i = 0; i < COUNT_OF(spent); i++)
		flow_unset(flow, spent[i]);
	flow_count(flow, LINKEDIN_KEY_ASSET);
	return LINKEDIN_STAGE_ASSET;
}

/* The addresses are refused, or nobody knows what became of the end: new ones, and all bytes again
 * (section 5). */
static const char *begin_again(struct flow *flow, struct step *step)
{
	if (flow_count(flow, LINKEDIN_KEY_UPLOADS_AGAIN) <= UPLOADS_AGAIN_MAX)
		return LINKEDIN_STAGE_INIT;
	flow_set_stage(flow, LINKEDIN_STAGE_INIT);
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("LinkedIn's upload URLs do not accept the file."));
	return NULL;
}

/* ---- initializeUpload ---- */

/* What a video brings besides its bytes. */
struct extras {
	bool has_thumbnail;
	bool has_captions;
};

static struct str init_body(const struct env *env, const struct linkedin_asset *asset, int file,
			    const struct extras *extras)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, LINKEDIN_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "initializeUploadRequest");
	json_begin_object(&w);
	json_member_str(&w, "owner", linkedin_author_urn(env));
	if (asset->kind == LINKEDIN_VIDEO) {
		json_member_int(&w, "fileSizeBytes", env->media[file].size_bytes);
		json_member_bool(&w, "uploadCaptions", extras->has_captions);
		json_member_bool(&w, "uploadThumbnail", extras->has_thumbnail);
	}
	json_end_object(&w);
	json_end_object(&w);
	return buf_str(&body);
}

static void action_send(const struct env *env, struct step *step, enum linkedin_asset_kind kind,
			const char *action, struct str body)
{
	const struct str url = str_format(env->arena, "%s?action=%s", kinds[kind].resource, action);
	struct call *call = linkedin_send(env, env->access_token, step, CALL_PREPARE, "POST", url);
	call_json(call, body);
}

/* False: the step asks for a file first, or says why one is no good. */
static bool extras_find(const struct env *env, struct flow *flow,
			const struct linkedin_asset *video, struct extras *out, struct step *step)
{
	int thumbnail = -1, captions = -1;
	const enum thumbnail_state state = thumbnail_find(env, video, &thumbnail, step);
	if (state == THUMBNAIL_NONE)
		thumbnail_note(env, flow, video);
	if (state == THUMBNAIL_WANTED ||
	    (state == THUMBNAIL_HERE && !media_rule_check(&linkedin_media_rules[LINKEDIN_IMAGE],
							  env, (size_t)thumbnail, step)))
		return false;
	const enum linkedin_captions found = linkedin_captions_find(env, flow, &captions, step);
	*out = (struct extras){.has_thumbnail = state == THUMBNAIL_HERE,
			       .has_captions = found == LINKEDIN_CAPTIONS_HERE};
	return found != LINKEDIN_CAPTIONS_WANTED;
}

const char *linkedin_init_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct linkedin_asset asset = current(env, flow);
	const int file = file_of(env, &asset, step);
	struct extras extras = {0};
	if (file < 0 ||
	    !media_rule_check(&linkedin_media_rules[asset.kind], env, (size_t)file, step) ||
	    (asset.kind == LINKEDIN_VIDEO && !extras_find(env, flow, &asset, &extras, step)))
		return NULL;
	action_send(env, step, asset.kind, "initializeUpload",
		    init_body(env, &asset, file, &extras));
	return NULL;
}

static bool instruction_is_sound(const struct env *env, const struct json *instruction)
{
	const int64_t first = json_int(json_get(instruction, "firstByte"), -1);
	return first >= 0 && json_int(json_get(instruction, "lastByte"), -1) >= first &&
	       step_call_url_is_usable(env, json_string(json_get(instruction, "uploadUrl")));
}

/* As they came: the order is what the end of the upload goes by. */
static struct str instructions_text(const struct env *env, const struct json *instructions)
{
	struct buf text;
	struct json_writer w;
	const size_t count = json_is(instructions, JSON_TYPE_ARRAY) ? instructions->count : 0;
	if (count == 0 || count > INSTRUCTIONS_MAX)
		return (struct str){0};
	for (size_t i = 0; i < count; i++) {
		if (!instruction_is_sound(env, json_at(instructions, i)))
			return (struct str){0};
	}
	buf_init(&text, env->arena, INSTRUCTIONS_MAX_BYTES);
	json_writer_init(&w, &text);
	json_put_value(&w, instructions);
	return text.is_over ? (struct str){0} : buf_str(&text);
}

static const char *answer_is_unusable(struct step *step)
{
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("LinkedIn's answer contains no usable upload URL."));
	return NULL;
}

static bool is_good_or_none(const struct env *env, struct str url)
{
	return str_is_empty(url) || step_call_url_is_usable(env, url);
}

static const char *video_begins(const struct env *env, struct flow *flow, const struct json *value,
				struct step *step)
{
	const struct str instructions =
		instructions_text(env, json_get(value, "uploadInstructions"));
	const struct str thumbnail_url = json_string(json_get(value, "thumbnailUploadUrl"));
	const struct str captions_url = json_string(json_get(value, "captionsUploadUrl"));
	if (str_is_empty(instructions) || !is_good_or_none(env, thumbnail_url) ||
	    !is_good_or_none(env, captions_url))
		return answer_is_unusable(step);
	flow_set_secret(flow, LINKEDIN_KEY_INSTRUCTIONS, instructions);
	flow_set_secret(flow, LINKEDIN_KEY_UPLOAD_TOKEN,
			json_string(json_get(value, "uploadToken")));
	flow_set_secret(flow, LINKEDIN_KEY_THUMBNAIL_URL, thumbnail_url);
	flow_set_secret(flow, LINKEDIN_KEY_CAPTIONS_URL, captions_url);
	flow_set(flow, LINKEDIN_KEY_ETAGS, STR(""));
	flow_set_int(flow, LINKEDIN_KEY_PART, 0);
	return LINKEDIN_STAGE_CAPTIONS;
}

static const char *upload_begins(const struct env *env, struct flow *flow, const struct json *value,
				 struct step *step)
{
	const struct str url = json_string(json_get(value, "uploadUrl"));
	if (!step_call_url_is_usable(env, url))
		return answer_is_unusable(step);
	flow_set_secret(flow, LINKEDIN_KEY_UPLOAD_URL, url);
	return LINKEDIN_STAGE_UPLOAD;
}

const char *linkedin_init_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const enum linkedin_asset_kind kind = current(env, flow).kind;
	if (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct json *value = json_get(reply->json, "value");
	const struct str urn = answer_id_of(env, json_string(json_get(value, kinds[kind].name)));
	if (str_is_empty(urn))
		return answer_is_unusable(step);
	flow_set(flow, urn_name(env, current_index(flow)), urn);
	return kind == LINKEDIN_VIDEO ? video_begins(env, flow, value, step)
				      : upload_begins(env, flow, value, step);
}

/* ---- the bytes ---- */

static struct call *put_send(struct step *step, struct str url, int file, int64_t offset_bytes,
			     int64_t length_bytes)
{
	struct call *call = step_send(step, CALL_PREPARE, "PUT", url);
	call_header(call, "Content-Type", STR("application/octet-stream"));
	call->has_media_body = true;
	call->media_index = (size_t)file;
	call->media_offset_bytes = offset_bytes;
	call->media_length_bytes = length_bytes;
	return call;
}

enum put_outcome { PUT_TAKEN, PUT_REFUSED, PUT_GONE };

/* REFUSED: the step says why. GONE: the address is no longer good; at the upload host 401 and 403
 * say that, and nothing about the token (section 4). */
static enum put_outcome put_outcome(const struct env *env, const struct reply *reply,
				    struct step *step)
{
	static const int gone[] = {401, 403, 404, 410};
	if (step_fail_transport(step, env, reply))
		return PUT_REFUSED;
	if (reply->status >= 200 && reply->status < 300)
		return PUT_TAKEN;
	for (size_t i = 0; i < COUNT_OF(gone); i++) {
		if (reply->status == gone[i])
			return PUT_GONE;
	}
	linkedin_fail(env, reply, step);
	return PUT_REFUSED;
}

const char *linkedin_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct linkedin_asset asset = current(env, flow);
	const int file = file_of(env, &asset, step);
	if (file < 0)
		return NULL;
	struct call *call = put_send(step, flow_get(flow, LINKEDIN_KEY_UPLOAD_URL), file, 0,
				     env->media[file].size_bytes);
	call_bearer(env, call, env->access_token); /* 2.3, 2.5: unlike a video's */
	return NULL;
}

const char *linkedin_upload_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	switch (put_outcome(env, reply, step)) {
	case PUT_TAKEN:
		return next_asset(flow);
	case PUT_GONE:
		return begin_again(flow, step);
	case PUT_REFUSED:
		return NULL;
	}
	return NULL;
}

/* ---- a video's parts ---- */

static const struct json *instructions_of(const struct env *env, const struct flow *flow)
{
	const struct json *instructions = NULL;
	if (json_parse(env->arena, flow_get(flow, LINKEDIN_KEY_INSTRUCTIONS), NULL, &instructions,
		       NULL, NULL) != ERR_NONE)
		return NULL;
	return instructions;
}

const char *linkedin_part_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct linkedin_asset asset = current(env, flow);
	const int64_t part = flow_get_int(flow, LINKEDIN_KEY_PART, 0);
	const struct json *instruction =
		json_at(instructions_of(env, flow), part >= 0 ? (size_t)part : 0);
	if (instruction == NULL)
		return str_is_empty(flow_get(flow, LINKEDIN_KEY_THUMBNAIL_URL))
			       ? LINKEDIN_STAGE_FINALIZE
			       : LINKEDIN_STAGE_THUMBNAIL;
	const int file = file_of(env, &asset, step);
	if (file < 0)
		return NULL;
	const int64_t size = env->media[file].size_bytes;
	const int64_t first = json_int(json_get(instruction, "firstByte"), 0);
	int64_t end = json_int(json_get(instruction, "lastByte"), 0);
	end = end < size ? end + 1 : size; /* the last one may lie past the file's end (2.6) */
	if (first >= end)
		return answer_is_unusable(step);
	put_send(step, json_string(json_get(instruction, "uploadUrl")), file, first, end - first);
	return NULL;
}

/* etags: the members of a JSON array without its brackets. */
static void etag_keep(const struct env *env, struct flow *flow, struct str etag)
{
	const struct str before = flow_get(flow, LINKEDIN_KEY_ETAGS);
	struct buf text;
	struct json_writer w;
	buf_init(&text, env->arena, INSTRUCTIONS_MAX_BYTES);
	buf_add(&text, before);
	if (!str_is_empty(before))
		buf_add_char(&text, ',');
	json_writer_init(&w, &text);
	json_put_str(&w, etag);
	flow_set(flow, LINKEDIN_KEY_ETAGS, buf_str(&text));
}

const char *linkedin_part_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct str etag = reply_header(reply, "etag");
	switch (put_outcome(env, reply, step)) {
	case PUT_TAKEN:
		break;
	case PUT_GONE:
		return begin_again(flow, step);
	case PUT_REFUSED:
		return NULL;
	}
	if (str_is_empty(etag)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("LinkedIn accepted a part of the video without returning its ETag."));
		return NULL;
	}
	etag_keep(env, flow, etag);
	flow_count(flow, LINKEDIN_KEY_PART);
	return LINKEDIN_STAGE_PART;
}

const char *linkedin_thumbnail_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct linkedin_asset video = current(env, flow);
	int file = -1;
	switch (thumbnail_find(env, &video, &file, step)) {
	case THUMBNAIL_NONE:
		return LINKEDIN_STAGE_FINALIZE;
	case THUMBNAIL_WANTED:
		return NULL;
	case THUMBNAIL_HERE:
		break;
	}
	struct call *call = put_send(step, flow_get(flow, LINKEDIN_KEY_THUMBNAIL_URL), file, 0,
				     env->media[file].size_bytes);
	call_header(call, "media-type-family", STR("STILLIMAGE"));
	return NULL;
}

const char *linkedin_thumbnail_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step)
{
	switch (put_outcome(env, reply, step)) {
	case PUT_TAKEN:
		return LINKEDIN_STAGE_FINALIZE;
	case PUT_GONE:
		return begin_again(flow, step);
	case PUT_REFUSED:
		return NULL;
	}
	return NULL;
}

const char *linkedin_finalize_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	const struct str etags = flow_get(flow, LINKEDIN_KEY_ETAGS);
	buf_init(&body, env->arena, LINKEDIN_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "finalizeUploadRequest");
	json_begin_object(&w);
	json_member_str(&w, "video", current_urn(env, flow));
	json_member_str(&w, "uploadToken", flow_get(flow, LINKEDIN_KEY_UPLOAD_TOKEN));
	json_key(&w, "uploadedPartIds");
	json_put_raw(&w, str_format(env->arena, "[" STR_FMT "]", STR_ARG(etags)));
	json_end_object(&w);
	json_end_object(&w);
	action_send(env, step, LINKEDIN_VIDEO, "finalizeUpload", buf_str(&body));
	return NULL;
}

/* Refused in a way that an end which was taken before, and whose answer nobody has seen, would be
 * refused too (section 5). That a file is bad, or its address old, has words of its own. */
static bool end_may_be_taken(const struct env *env, const struct reply *reply)
{
	static const int statuses[] = {400, 404, 409, 422};
	const struct refusal_facts facts = linkedin_facts(env, reply);
	const enum failure_code code = refusal_find(linkedin_api_refusals, &facts)->code;
	bool is_candidate = false;
	for (size_t i = 0; i < COUNT_OF(statuses); i++)
		is_candidate = is_candidate || reply->status == statuses[i];
	return reply->outcome == REPLY_ANSWERED && is_candidate &&
	       code != FAILURE_CODE_MEDIA_REJECTED && code != FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED;
}

static bool is_expired(const struct env *env, const struct reply *reply)
{
	const struct refusal_facts facts = linkedin_facts(env, reply);
	for (size_t i = 0; i < facts.marker_count; i++) {
		if (str_equal_z(facts.markers[i], "EXPIRED_UPLOAD_URL"))
			return true;
	}
	return false;
}

const char *linkedin_finalize_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	if (is_expired(env, reply))
		return begin_again(flow, step);
	if (end_may_be_taken(env, reply))
		return LINKEDIN_STAGE_ENDED;
	return linkedin_is_refused(env, reply, step) ? NULL : next_asset(flow);
}

static void status_send(const struct env *env, const struct flow *flow, size_t index,
			struct step *step)
{
	const enum linkedin_asset_kind kind = linkedin_asset_at(env, index).kind;
	const char *before = str_z(env->arena, str_format(env->arena, "%s/", kinds[kind].resource));
	linkedin_send(env, env->access_token, step, CALL_READ, "GET",
		      linkedin_url(env, before, linkedin_asset_urn(env, flow, index), ""));
}

const char *linkedin_ended_ask(const struct env *env, struct flow *flow, struct step *step)
{
	status_send(env, flow, current_index(flow), step);
	return NULL;
}

/* A video that no longer waits for bytes has been finalized; else all bytes go up again. */
const char *linkedin_ended_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	static const char *const past[] = {"PROCESSING", "AVAILABLE", "PROCESSING_FAILED"};
	const struct str status = json_string(json_get(reply->json, "status"));
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (reply->status == 401 || reply->status == 429)
		return linkedin_fail(env, reply, step);
	for (size_t i = 0; i < COUNT_OF(past); i++) {
		if (reply->status == 200 && str_equal_z(status, past[i]))
			return next_asset(flow);
	}
	return begin_again(flow, step);
}

/* ---- waiting until they can be shown ---- */

/* Members' tokens may not read images and documents (2.3). */
static bool is_blind(const struct env *env, const struct flow *flow, enum linkedin_asset_kind kind)
{
	return (!linkedin_is_page(env) && kind != LINKEDIN_VIDEO) ||
	       flow_get_int(flow, LINKEDIN_KEY_IS_BLIND, 0) == 1;
}

const char *linkedin_settle_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t settled = flow_get_int(flow, LINKEDIN_KEY_SETTLED, 0);
	const size_t index = settled > 0 ? (size_t)settled : 0;
	if (index >= linkedin_asset_count(env) || flow_get_int(flow, LINKEDIN_KEY_WAITED, 0) == 1)
		return LINKEDIN_STAGE_POST;
	const enum linkedin_asset_kind kind = linkedin_asset_at(env, index).kind;
	if (is_blind(env, flow, kind)) {
		flow_set_int(flow, LINKEDIN_KEY_WAITED, 1);
		step_wait(step, BLIND_WAIT_MS);
		return NULL;
	}
	status_send(env, flow, index, step);
	return NULL;
}

static const char *not_yet(struct flow *flow, struct step *step)
{
	const int64_t polls = flow_count(flow, LINKEDIN_KEY_POLLS);
	if (polls > POLLS_MAX)
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("LinkedIn has not finished processing a media file."));
	else
		step_wait(step, polls <= POLLS_AT_FIRST ? POLL_MS : POLL_LATER_MS);
	return NULL;
}

static const char *processing_failed(const struct env *env, const struct json *asset,
				     struct step *step)
{
	const struct str reason = json_string(json_get(asset, "processingFailureReason"));
	struct failure *failure = step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
					    STR("LinkedIn could not process a media file."));
	failure->platform_code = STR("PROCESSING_FAILED");
	failure->platform_message = str_slice(
		reason, 0,
		reason.len < PLATFORM_MESSAGE_MAX_BYTES ? reason.len : PLATFORM_MESSAGE_MAX_BYTES);
	(void)env;
	return NULL;
}

const char *linkedin_settle_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const bool is_answered = reply->outcome == REPLY_ANSWERED;
	if (is_answered && reply->status == 403) { /* it says nothing about the file (section 4) */
		flow_set_int(flow, LINKEDIN_KEY_IS_BLIND, 1);
		return LINKEDIN_STAGE_SETTLE;
	}
	if (is_answered && reply->status == 404) /* not to be seen everywhere at once */
		return not_yet(flow, step);
	if (linkedin_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct str status = json_string(json_get(reply->json, "status"));
	if (str_equal_z(status, "PROCESSING_FAILED"))
		return processing_failed(env, reply->json, step);
	if (!str_equal_z(status, "AVAILABLE"))
		return not_yet(flow, step);
	flow_count(flow, LINKEDIN_KEY_SETTLED);
	return LINKEDIN_STAGE_SETTLE;
}
