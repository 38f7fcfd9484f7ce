/* SPDX-License-Identifier: Apache-2.0
 * Subtitles of a post's video (x.md 2.5): each file is an upload of its own, which is then bound to
 * the video before that is posted. Nobody sees anything of it, and X keeps one track for each
 * language: all calls may be repeated, and what went wrong in the middle begins with the file
 * again. A post is better without them than not at all: what X refuses is a warning. */
#include "x_adapter.h"

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "media_rules.h"

#define TRIES_MAX 3 /* of a file of which X lost a part */

static size_t subtitles_index(const struct flow *flow)
{
	const int64_t index = flow_get_int(flow, X_KEY_SUBTITLES, 0);
	return index > 0 ? (size_t)index : 0;
}

/* The entry under way; NULL when all are through. */
static const struct json *subtitles_now(const struct env *env, const struct flow *flow)
{
	return json_at(json_get(env->options, "captions"), subtitles_index(flow));
}

static const char *subtitles_next(struct flow *flow)
{
	flow_unset(flow, X_KEY_SUBTITLES_ID);
	flow_unset(flow, X_KEY_SUBTITLES_TRIES);
	flow_count(flow, X_KEY_SUBTITLES);
	return X_STAGE_SUBTITLES;
}

void x_subtitles_forget(struct flow *flow)
{
	flow_unset(flow, X_KEY_SUBTITLES);
	flow_unset(flow, X_KEY_SUBTITLES_ID);
	flow_unset(flow, X_KEY_SUBTITLES_TRIES);
	flow_unset(flow, X_KEY_SUBTITLES_LACKING);
	flow_unwarn(flow, FLOW_CAPTIONS_REFUSED);
}

/* ---- what goes wrong ---- */

/* One warning for all of them, with the reason of the last. */
static const char *subtitles_lack(const struct env *env, struct flow *flow, struct str why)
{
	const struct str language = json_string(json_get(subtitles_now(env, flow), "language"));
	const struct str before = flow_get(flow, X_KEY_SUBTITLES_LACKING);
	const struct str all = str_is_empty(before)
				       ? language
				       : str_format(env->arena, STR_FMT ", " STR_FMT,
						    STR_ARG(before), STR_ARG(language));
	flow_set(flow, X_KEY_SUBTITLES_LACKING, all);
	flow_warn(flow, &(struct flow_warning){
				.code = STR(FLOW_CAPTIONS_REFUSED),
				.field = STR("platforms.x.captions"),
				.message = str_format(
					env->arena,
					"The video goes out without these subtitles: " STR_FMT
					". " STR_FMT,
					STR_ARG(all), STR_ARG(why)),
			});
	return subtitles_next(flow);
}

/* X knows the file no longer, or not all of it. */
static bool is_lost(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && (reply->status == 400 || reply->status == 404);
}

static void fail(const struct env *env, const struct reply *reply, struct step *step)
{
	if (x_is_ok(reply))
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("X's answer cannot be read."));
	else
		x_failed(env, reply, step);
}

/* Another try at this stage, or on without the file. */
static const char *fail_or_lack(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	fail(env, reply, step);
	if (!x_can_do_without(flow, &step->failure, X_KEY_SUBTITLES_TRIES))
		return NULL;
	const struct str why = step->failure.message;
	*step = (struct step){0};
	return subtitles_lack(env, flow, why);
}

/* The same where the file's upload has begun: that begins again. */
static const char *begin_again_or_lack(const struct env *env, struct flow *flow,
				       const struct reply *reply, struct step *step)
{
	if (is_lost(reply) && flow_count(flow, X_KEY_SUBTITLES_TRIES) < TRIES_MAX)
		return X_STAGE_SUBTITLES;
	const char *next = fail_or_lack(env, flow, reply, step);
	if (next == NULL)
		flow_set_stage(flow, X_STAGE_SUBTITLES);
	return next;
}

/* ---- the file: initialize, append, finalize (2.4) ---- */

/* Index of the file under way; -1 when the step asks for it. */
static int subtitles_file(const struct env *env, const struct flow *flow, struct step *step)
{
	const struct str url = json_string(json_get(subtitles_now(env, flow), "url"));
	const int index = env_file(env, url);
	if (index >= 0 && (env->media[index].is_ready || env->media[index].is_missing))
		return index;
	step_file(step, url, true);
	return -1;
}

const char *x_subtitles_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (subtitles_now(env, flow) == NULL)
		return x_media_file_done(flow);
	const int index = subtitles_file(env, flow, step);
	if (index < 0)
		return NULL;
	const struct media_file *file = &env->media[index];
	if (file->is_missing)
		return subtitles_lack(env, flow, STR("The file could not be fetched."));
	const struct str complaint =
		media_rule_complaint(&x_subtitles_rule, env->arena, &file->sniff, file->size_bytes);
	if (!str_is_empty(complaint))
		return subtitles_lack(env, flow, complaint);
	const struct x_upload upload = {
		.type = file->sniff.type == SNIFF_VTT ? STR("text/vtt") : STR("text/srt"),
		.category = "subtitles",
		.size_bytes = file->size_bytes,
	};
	x_upload_begin(env, &upload, step);
	return NULL;
}

const char *x_subtitles_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct str id = x_upload_answered_id(env, reply);
	if (str_is_empty(id))
		return fail_or_lack(env, flow, reply, step);
	flow_set(flow, X_KEY_SUBTITLES_ID, id);
	return X_STAGE_SUBTITLES_BYTES;
}

const char *x_subtitles_bytes_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int index = subtitles_file(env, flow, step);
	if (index < 0)
		return NULL;
	if (env->media[index].is_missing)
		return subtitles_lack(env, flow, STR("The file could not be fetched."));
	const struct x_segment segment = {
		.upload_id = flow_get(flow, X_KEY_SUBTITLES_ID),
		.media_index = (size_t)index,
		.length_bytes = env->media[index].size_bytes,
	};
	x_upload_append(env, &segment, step);
	return NULL;
}

const char *x_subtitles_bytes_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	return x_is_ok(reply) ? X_STAGE_SUBTITLES_END : begin_again_or_lack(env, flow, reply, step);
}

const char *x_subtitles_end_ask(const struct env *env, struct flow *flow, struct step *step)
{
	x_upload_end(env, flow_get(flow, X_KEY_SUBTITLES_ID), step);
	return NULL;
}

/* Text is ready at once; an answer may still say that it is looked at. */
const char *x_subtitles_end_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct json *info = json_get(json_get(reply->json, "data"), "processing_info");
	const struct str state = json_string(json_get(info, "state"));
	if (str_is_empty(x_upload_answered_id(env, reply)))
		return begin_again_or_lack(env, flow, reply, step);
	if (!json_is(info, JSON_TYPE_OBJECT) || str_equal_z(state, "succeeded"))
		return X_STAGE_SUBTITLES_BIND;
	if (str_equal_z(state, "failed") || flow_count(flow, X_KEY_SUBTITLES_TRIES) > TRIES_MAX)
		return subtitles_lack(env, flow, STR("X could not process the file."));
	flow_set_stage(flow, X_STAGE_SUBTITLES_STATUS);
	step_wait(step, x_upload_wait_ms(info));
	return NULL;
}

const char *x_subtitles_status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	x_upload_status(env, flow_get(flow, X_KEY_SUBTITLES_ID), step);
	return NULL;
}

const char *x_subtitles_status_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step)
{
	return x_subtitles_end_answer(env, flow, reply, step);
}

/* ---- to the video (2.5) ---- */

/* Two capitals, as the description has it. */
static struct str language_code(const struct env *env, struct str language)
{
	char *code = str_z(env->arena, language);
	for (size_t i = 0; i < language.len; i++) {
		if (code[i] >= 'a' && code[i] <= 'z')
			code[i] = (char)(code[i] - 'a' + 'A');
	}
	return (struct str){code, language.len};
}

const char *x_subtitles_bind_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct json *entry = subtitles_now(env, flow);
	const struct str language = json_string(json_get(entry, "language"));
	const struct str name = json_string(json_get(entry, "name"));
	struct json_writer w;
	struct buf out;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "id", flow_get(flow, X_KEY_MEDIA_ID));
	json_member_str(&w, "media_category", STR("TweetVideo"));
	json_key(&w, "subtitles");
	json_begin_object(&w);
	json_member_str(&w, "id", flow_get(flow, X_KEY_SUBTITLES_ID));
	json_member_str(&w, "language_code", language_code(env, language));
	json_member_str(&w, "display_name", x_first_of(name, language));
	json_end_object(&w);
	json_end_object(&w);
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(X_API X_PATH_SUBTITLES));
	call_bearer(env, call, env->access_token);
	call_json(call, buf_str(&out));
	return NULL;
}

const char *x_subtitles_bind_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	return x_is_ok(reply) ? subtitles_next(flow) : fail_or_lack(env, flow, reply, step);
}
