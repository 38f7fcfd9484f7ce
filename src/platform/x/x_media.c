/* SPDX-License-Identifier: Apache-2.0
 * X's uploads (x.md 2.3 to 2.5): the files of the current part, one after the other. An
 * image is one call; a GIF or a video is announced, appended in segments, finalized, and asked for
 * until X has processed it. Nobody sees anything of that: all calls may be repeated. */
#include <stdio.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "answer.h"
#include "multipart.h"
#include "x_adapter.h"

#define SEGMENTS_MAX 1000                      /* 2.4: segment_index 0 to 999 */
#define CHUNK_BYTES (INT64_C(1) << 20)         /* 2.4 */
#define CHUNK_MIN_BYTES (INT64_C(256) << 10)   /* 2.4 */
#define PROCESSING_MAX_US (60 * US_PER_MINUTE) /* an hour for two hours of video */
#define CHECK_AFTER_S 5                        /* where X does not say */
#define CHECK_AFTER_MAX_S 60
#define EXTRA_TRIES 3
#define FINALIZE_TRIES 3

static const char *const file_vars[] = {X_KEY_MEDIA_ID,      X_KEY_SEGMENT,   X_KEY_SEGMENT_BYTES,
					X_KEY_FINALIZE_OPEN, X_KEY_FINALIZES, X_KEY_PROCESSING_US,
					X_KEY_ALT_TRIES};

struct id_name {
	char text[40];
};

static struct id_name id_name(size_t number)
{
	struct id_name name;
	snprintf(name.text, sizeof(name.text), X_KEY_MEDIA_ID_FORMAT, number);
	return name;
}

static size_t done_count(const struct flow *flow)
{
	return (size_t)flow_get_int(flow, X_KEY_MEDIA_DONE, 0);
}

static void forget_file(struct flow *flow)
{
	for (size_t i = 0; i < COUNT_OF(file_vars); i++)
		flow_unset(flow, file_vars[i]);
}

static void forget_all(struct flow *flow)
{
	for (size_t i = 0; i < done_count(flow); i++)
		flow_unset(flow, id_name(i).text);
	flow_unset(flow, X_KEY_MEDIA_DONE);
	forget_file(flow);
}

void x_media_begin(struct flow *flow)
{
	const int64_t part = (int64_t)flow_part(flow);
	if (flow_get_int(flow, X_KEY_PART, -1) == part)
		return;
	forget_all(flow);
	flow_unset(flow, X_KEY_MEDIA_AGAIN);
	flow_unset(flow, X_KEY_SEGMENT_MOST);
	flow_set_int(flow, X_KEY_PART, part);
}

bool x_media_begin_again(struct flow *flow)
{
	if (flow_get_int(flow, X_KEY_MEDIA_AGAIN, 0) != 0)
		return false;
	forget_all(flow);
	if (flow_part(flow) == 0)
		x_subtitles_forget(flow);
	flow_set_int(flow, X_KEY_MEDIA_AGAIN, 1);
	return true;
}

struct str x_media_id(const struct flow *flow, size_t number)
{
	return flow_get(flow, id_name(number).text);
}

/* ---- which files ---- */

static size_t own_count(const struct env *env, const struct flow *flow)
{
	return env->post->containers[flow_part(flow)].media_count;
}

static struct str cover_url(const struct env *env, const struct flow *flow)
{
	return x_is_article(env, flow) ? json_string(json_get(x_article_options(env), "cover_url"))
				       : STR("");
}

size_t x_media_count(const struct env *env, const struct flow *flow)
{
	return own_count(env, flow) + (str_is_empty(cover_url(env, flow)) ? 0 : 1);
}

/* Index into env->media of the part's file with that number; -1 when it is a cover that nobody
 * asked for yet. */
static int file_index(const struct env *env, const struct flow *flow, size_t number)
{
	if (number < own_count(env, flow))
		return (int)(post_media_base(env->post, flow_part(flow)) + number);
	return env_file(env, cover_url(env, flow));
}

/* True when that file is here; else step asks for it. */
static bool is_here(const struct env *env, const struct flow *flow, size_t number,
		    struct step *step)
{
	const int index = file_index(env, flow, number);
	if (index >= 0 && env->media[index].is_ready)
		return true;
	if (number < own_count(env, flow))
		step_media(step, (size_t)index);
	else
		step_file(step, cover_url(env, flow), false);
	return false;
}

/* The file under way, or NULL when it is not here and step asks for it. */
static const struct media_file *file_now(const struct env *env, const struct flow *flow,
					 struct step *step)
{
	const size_t number = done_count(flow);
	return is_here(env, flow, number, step) ? &env->media[file_index(env, flow, number)] : NULL;
}

static size_t index_now(const struct env *env, const struct flow *flow)
{
	return (size_t)file_index(env, flow, done_count(flow));
}

/* In an article every picture stands by itself; elsewhere they share the post. */
static bool is_alone(const struct env *env, const struct flow *flow)
{
	return own_count(env, flow) == 1 && !x_is_article(env, flow);
}

static enum x_media_kind kind_of(const struct env *env, const struct flow *flow,
				 const struct media_file *file)
{
	return is_alone(env, flow) ? x_media_kind(file) : X_MEDIA_IMAGE;
}

/* ---- media: all files here and fit, then one after the other ---- */

static bool all_are_fit(const struct env *env, const struct flow *flow, struct step *step)
{
	const size_t count = x_media_count(env, flow);
	for (size_t i = 0; i < count; i++) {
		if (!is_here(env, flow, i, step))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!x_media_check(env, (size_t)file_index(env, flow, i), is_alone(env, flow),
				   step))
			return false;
	}
	return true;
}

const char *x_media_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (done_count(flow) == x_media_count(env, flow))
		return x_is_article(env, flow) ? X_STAGE_DRAFT : X_STAGE_CREATE;
	if (!all_are_fit(env, flow, step))
		return NULL;
	const struct media_file *file = &env->media[index_now(env, flow)];
	return kind_of(env, flow, file) == X_MEDIA_IMAGE ? X_STAGE_UPLOAD : X_STAGE_INITIALIZE;
}

const char *x_media_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	(void)reply;
	return x_media_ask(env, flow, step);
}

/* ---- what goes wrong ---- */

/* A refusal without a word is what an upload gets when media.write was not granted (section 4, last
 * 403). */
static void upload_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	x_failed(env, reply, step);
	struct failure *failure = &step->failure;
	if (reply->status == 403 && failure->code == FAILURE_CODE_PLATFORM_REJECTED) {
		failure->code = FAILURE_CODE_PERMISSION_MISSING;
		failure->message = STR("X does not let the account upload: usually the permission "
				       "media.write was not granted; connect the account again.");
	} else if (failure->code == FAILURE_CODE_CONTENT_REJECTED) {
		failure->code = FAILURE_CODE_MEDIA_REJECTED;
		failure->message = STR("X refused the file.");
	}
}

/* X no longer knows the upload, or only a part of it: it is made again, once. */
static const char *lost_or_fail(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const bool is_lost =
		reply->outcome == REPLY_ANSWERED && (reply->status == 400 || reply->status == 404);
	if (is_lost && x_media_begin_again(flow))
		return X_STAGE_MEDIA;
	upload_fail(env, reply, step);
	return NULL;
}

struct str x_upload_answered_id(const struct env *env, const struct reply *reply)
{
	return x_is_ok(reply) ? answer_id(env, json_get(json_get(reply->json, "data"), "id"))
			      : STR("");
}

/* An answer that is no refusal and no id: as good as none. */
static void fail_unreadable(const struct env *env, const struct reply *reply, struct step *step)
{
	if (x_is_ok(reply))
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("X's answer cannot be read."));
	else
		upload_fail(env, reply, step);
}

/* ---- upload: an image in one call (2.3) ---- */

const char *x_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = file_now(env, flow, step);
	struct multipart body;
	if (file == NULL)
		return NULL;
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(X_API X_PATH_UPLOAD));
	call_bearer(env, call, env->access_token);
	multipart_begin(&body, env, STR("x image"));
	multipart_field(&body, "media_category", STR("tweet_image"));
	multipart_file(&body, "media", "image", file->sniff.mime_type, index_now(env, flow), 0,
		       file->size_bytes);
	multipart_end(&body, call);
	return NULL;
}

/* The file is at X: what comes next for it. */
static const char *uploaded(const struct env *env, const struct flow *flow)
{
	const size_t number = done_count(flow);
	const struct media *media = number < own_count(env, flow)
					    ? post_media_at(env->post, index_now(env, flow))
					    : NULL;
	/* 2.5: pictures and GIFs have alt texts. */
	return media != NULL && !str_is_empty(media->alt_text) ? X_STAGE_ALT_TEXT : NULL;
}

const char *x_media_file_done(struct flow *flow)
{
	const size_t number = done_count(flow);
	flow_set(flow, id_name(number).text, flow_get(flow, X_KEY_MEDIA_ID));
	flow_set_int(flow, X_KEY_MEDIA_DONE, (int64_t)number + 1);
	forget_file(flow);
	return X_STAGE_MEDIA;
}

const char *x_upload_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	const struct str id = x_upload_answered_id(env, reply);
	if (str_is_empty(id)) {
		fail_unreadable(env, reply, step);
		return NULL;
	}
	flow_set(flow, X_KEY_MEDIA_ID, id);
	const char *next = uploaded(env, flow);
	return next != NULL ? next : x_media_file_done(flow);
}

/* ---- initialize, append, finalize, status (2.4) ---- */

void x_upload_begin(const struct env *env, const struct x_upload *upload, struct step *step)
{
	struct json_writer w;
	struct buf out;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "media_type", upload->type);
	json_member_str(&w, "media_category", str_of(upload->category));
	json_member_int(&w, "total_bytes", upload->size_bytes);
	json_end_object(&w);
	struct call *call =
		step_send(step, CALL_PREPARE, "POST", STR(X_API X_PATH_UPLOAD "/initialize"));
	call_bearer(env, call, env->access_token);
	call_json(call, buf_str(&out));
}

const char *x_initialize_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = file_now(env, flow, step);
	if (file == NULL)
		return NULL;
	const struct x_upload upload = {
		.type = str_of(file->sniff.mime_type),
		.category = x_media_kind(file) == X_MEDIA_GIF ? "tweet_gif" : "tweet_video",
		.size_bytes = file->size_bytes,
	};
	x_upload_begin(env, &upload, step);
	return NULL;
}

/* The least that does with a thousand segments. */
static int64_t chunk_least(int64_t size_bytes)
{
	return (size_bytes + SEGMENTS_MAX - 1) / SEGMENTS_MAX;
}

/* Segments of 1 MiB, or larger ones where a thousand of these would not do; smaller ones after a
 * refusal. */
static int64_t chunk_bytes(const struct flow *flow, int64_t size_bytes)
{
	const int64_t usual = flow_get_int(flow, X_KEY_SEGMENT_MOST, CHUNK_BYTES);
	const int64_t least = chunk_least(size_bytes);
	return least > usual ? least : usual;
}

const char *x_initialize_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const struct str id = x_upload_answered_id(env, reply);
	if (str_is_empty(id)) {
		fail_unreadable(env, reply, step);
		return NULL;
	}
	flow_set(flow, X_KEY_MEDIA_ID, id);
	flow_set_int(flow, X_KEY_SEGMENT, 0);
	flow_set_int(flow, X_KEY_SEGMENT_BYTES,
		     chunk_bytes(flow, env->media[index_now(env, flow)].size_bytes));
	return X_STAGE_APPEND;
}

static struct str upload_url(const struct env *env, struct str upload_id, const char *verb)
{
	return str_format(env->arena, X_API X_PATH_UPLOAD "/" STR_FMT "/%s", STR_ARG(upload_id),
			  verb);
}

void x_upload_append(const struct env *env, const struct x_segment *segment, struct step *step)
{
	struct multipart body;
	struct call *call = step_send(step, CALL_PREPARE, "POST",
				      upload_url(env, segment->upload_id, "append"));
	call_bearer(env, call, env->access_token);
	multipart_begin(&body, env, segment->upload_id);
	multipart_field(&body, "segment_index",
			str_format(env->arena, "%lld", (long long)segment->number));
	multipart_file(&body, "media", "segment", "application/octet-stream", segment->media_index,
		       segment->offset_bytes, segment->length_bytes);
	multipart_end(&body, call);
}

const char *x_append_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = file_now(env, flow, step);
	const int64_t number = flow_get_int(flow, X_KEY_SEGMENT, 0);
	if (file == NULL)
		return NULL;
	const int64_t chunk = flow_get_int(flow, X_KEY_SEGMENT_BYTES, 0);
	if (chunk <= 0)
		return X_STAGE_INITIALIZE; /* begun by a program that did not note it */
	const int64_t left = file->size_bytes - number * chunk;
	if (left <= 0)
		return X_STAGE_FINALIZE;
	const struct x_segment segment = {
		.upload_id = flow_get(flow, X_KEY_MEDIA_ID),
		.media_index = index_now(env, flow),
		.number = number,
		.offset_bytes = number * chunk,
		.length_bytes = left < chunk ? left : chunk,
	};
	x_upload_append(env, &segment, step);
	return NULL;
}

/* X's edge refuses what it finds too large without a word, at sizes that no document names: the
 * upload begins again with halves (2.4). False when there are none that would do. */
static bool halve_segments(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const int64_t half = flow_get_int(flow, X_KEY_SEGMENT_BYTES, 0) / 2;
	const int64_t least = chunk_least(env->media[index_now(env, flow)].size_bytes);
	const bool is_too_large =
		reply->outcome == REPLY_ANSWERED && (reply->status == 413 || reply->status == 431);
	if (!is_too_large || half < CHUNK_MIN_BYTES || half < least)
		return false;
	forget_file(flow);
	flow_set_int(flow, X_KEY_SEGMENT_MOST, half);
	return true;
}

const char *x_append_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	if (halve_segments(env, flow, reply))
		return X_STAGE_INITIALIZE;
	if (!x_is_ok(reply))
		return lost_or_fail(env, flow, reply, step);
	flow_set_int(flow, X_KEY_SEGMENT, flow_get_int(flow, X_KEY_SEGMENT, 0) + 1);
	return X_STAGE_APPEND;
}

void x_upload_end(const struct env *env, struct str upload_id, struct step *step)
{
	struct call *call =
		step_send(step, CALL_PREPARE, "POST", upload_url(env, upload_id, "finalize"));
	call_bearer(env, call, env->access_token);
}

const char *x_finalize_ask(const struct env *env, struct flow *flow, struct step *step)
{
	/* The answer may say that the file is ready, and what is next depends on what it is. */
	if (file_now(env, flow, step) == NULL)
		return NULL;
	x_upload_end(env, flow_get(flow, X_KEY_MEDIA_ID), step);
	return NULL;
}

static const char *processed(const struct env *env, struct flow *flow)
{
	const char *next = uploaded(env, flow);
	const bool is_video = x_media_kind(&env->media[index_now(env, flow)]) == X_MEDIA_VIDEO;
	if (is_video)
		return flow_part(flow) == 0 ? X_STAGE_SUBTITLES : x_media_file_done(flow);
	return next != NULL ? next : x_media_file_done(flow);
}

static void fail_processing(const struct env *env, const struct json *info, struct step *step)
{
	const struct json *error = json_get(info, "error");
	const struct str words = x_first_of(json_string(json_get(error, "message")),
					    json_string(json_get(error, "name")));
	struct failure *failure = step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
					    STR("X could not process the file."));
	failure->platform_code = json_text(env->arena, json_get(error, "code"));
	failure->platform_message = utf8_cut_bytes(words, PLATFORM_MESSAGE_MAX_BYTES);
}

int64_t x_upload_wait_ms(const struct json *processing_info)
{
	const int64_t wait_s =
		json_int(json_get(processing_info, "check_after_secs"), CHECK_AFTER_S);
	return 1000 * (wait_s < 1 ? 1 : wait_s > CHECK_AFTER_MAX_S ? CHECK_AFTER_MAX_S : wait_s);
}

static void wait_for_processing(const struct env *env, struct flow *flow, const struct json *info,
				struct step *step)
{
	const int64_t since_us = flow_get_int(flow, X_KEY_PROCESSING_US, env->now_us);
	if (env->now_us - since_us > PROCESSING_MAX_US) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
			  STR("X did not finish processing the file within an hour."));
		return;
	}
	flow_set_int(flow, X_KEY_PROCESSING_US, since_us);
	flow_set_stage(flow, X_STAGE_STATUS);
	step_wait(step, x_upload_wait_ms(info));
}

/* What data.processing_info of finalize or status says; without it the file is ready (2.4). */
static const char *take_processing(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct json *info = json_get(json_get(reply->json, "data"), "processing_info");
	const struct str state = json_string(json_get(info, "state"));
	flow_unset(flow, X_KEY_FINALIZE_OPEN);
	if (!json_is(info, JSON_TYPE_OBJECT) || str_equal_z(state, "succeeded"))
		return processed(env, flow);
	if (str_equal_z(state, "failed"))
		fail_processing(env, info, step);
	else
		wait_for_processing(env, flow, info, step);
	return NULL;
}

const char *x_finalize_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	const bool is_lost = reply->outcome == REPLY_LOST ||
			     (reply->outcome == REPLY_ANSWERED && reply->status >= 500);
	/* It may have been done: ask before it is asked for again (section 5). */
	if (is_lost && flow_count(flow, X_KEY_FINALIZES) <= FINALIZE_TRIES) {
		flow_set_int(flow, X_KEY_FINALIZE_OPEN, 1);
		return X_STAGE_STATUS;
	}
	if (!x_is_ok(reply))
		return lost_or_fail(env, flow, reply, step);
	if (str_is_empty(x_upload_answered_id(env, reply))) {
		fail_unreadable(env, reply, step);
		return NULL;
	}
	return take_processing(env, flow, reply, step);
}

void x_upload_status(const struct env *env, struct str upload_id, struct step *step)
{
	struct call *call = step_send(
		step, CALL_READ, "GET",
		str_format(env->arena, X_API X_PATH_UPLOAD "?command=STATUS&media_id=" STR_FMT,
			   STR_ARG(upload_id)));
	call_bearer(env, call, env->access_token);
}

const char *x_status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (file_now(env, flow, step) == NULL)
		return NULL;
	x_upload_status(env, flow_get(flow, X_KEY_MEDIA_ID), step);
	return NULL;
}

const char *x_status_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	const bool is_unknown =
		reply->outcome == REPLY_ANSWERED && (reply->status == 400 || reply->status == 404);
	if (is_unknown && flow_get_int(flow, X_KEY_FINALIZE_OPEN, 0) != 0) {
		flow_unset(flow, X_KEY_FINALIZE_OPEN);
		return X_STAGE_FINALIZE;
	}
	if (!x_is_ok(reply))
		return lost_or_fail(env, flow, reply, step);
	if (str_is_empty(x_upload_answered_id(env, reply))) {
		fail_unreadable(env, reply, step);
		return NULL;
	}
	return take_processing(env, flow, reply, step);
}

/* ---- alt text (2.5) ---- */

const char *x_alt_text_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const size_t index = post_media_base(env->post, flow_part(flow)) + done_count(flow);
	struct json_writer w;
	struct buf out;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "id", flow_get(flow, X_KEY_MEDIA_ID));
	json_key(&w, "metadata");
	json_begin_object(&w);
	json_key(&w, "alt_text");
	json_begin_object(&w);
	json_member_str(&w, "text", post_media_at(env->post, index)->alt_text);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(X_API X_PATH_METADATA));
	call_bearer(env, call, env->access_token);
	call_json(call, buf_str(&out));
	return NULL;
}

bool x_can_do_without(struct flow *flow, const struct failure *failure, const char *tries_key)
{
	switch (failure->class) {
	case FAILURE_PERMANENT:
		return true;
	case FAILURE_TRANSIENT:
		return flow_count(flow, tries_key) >= EXTRA_TRIES;
	case FAILURE_RATE_LIMITED:
	case FAILURE_TOKEN:
	case FAILURE_REAUTH:
	case FAILURE_APP:
		return false;
	}
	return false;
}

const char *x_alt_text_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	if (x_is_ok(reply))
		return x_media_file_done(flow);
	x_failed(env, reply, step);
	if (!x_can_do_without(flow, &step->failure, X_KEY_ALT_TRIES))
		return NULL;
	*step = (struct step){0};
	return x_media_file_done(flow);
}
