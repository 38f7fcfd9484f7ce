/* SPDX-License-Identifier: Apache-2.0
 * Videos of a Page (meta.md 3.1 to 3.3): /videos in chunks, reels and video stories
 * through rupload. All three have the video's id before the first byte goes, one visible call at
 * the end, upload_phase=finish, and are watched afterwards, since Facebook may still find that the
 * file is no good. What a story is known by is read here for photo stories too. */
#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"

#include "form.h"
#include "json.h"
#include "utf8.h"

#include "facebook_adapter.h"
#include "graph.h"
#include "answer.h"
#include "resolver.h"
#include "multipart.h"
#include "refusal.h"

#define SESSIONS_MAX 3     /* upload sessions begun again; an abandoned one does no harm */
#define CORRECTIONS_MAX 20 /* times that Facebook may name another place to go on from */
#define UPLOAD_TROUBLES_MAX 5
#define READY_POLLS_MAX 8 /* about two minutes; then finish is asked and says what is wrong */
#define CHECK_CLOSELY_MS (30 * 60 * 1000)
#define CHECK_MAX_MS (2 * 60 * 60 * 1000) /* ours: processing has no documented end */
#define LISTED_TRIES_MAX 4

/* ---- which ---- */

static enum facebook_kind kind_of(const struct env *env, const struct flow *flow)
{
	const enum facebook_kind kind = facebook_kind_of(env->post, env->post_type);
	const bool is_reel = flow_get_int(flow, FACEBOOK_KEY_IS_REEL, 0) != 0;
	return kind == FACEBOOK_VIDEO && is_reel ? FACEBOOK_REEL : kind;
}

static bool is_chunked(const struct env *env, const struct flow *flow)
{
	return kind_of(env, flow) == FACEBOOK_VIDEO;
}

static const char *edge_of(enum facebook_kind kind)
{
	switch (kind) {
	case FACEBOOK_REEL:
		return FACEBOOK_EDGE_REELS;
	case FACEBOOK_VIDEO_STORY:
		return FACEBOOK_EDGE_VIDEO_STORIES;
	case FACEBOOK_FEED:
	case FACEBOOK_VIDEO:
	case FACEBOOK_PHOTO_STORY:
		return FACEBOOK_EDGE_VIDEOS;
	}
	return FACEBOOK_EDGE_VIDEOS;
}

/* The one video is the post's first medium. False: the step asks for it, or refuses it. */
static bool file_is_here(const struct env *env, const struct flow *flow, struct step *step)
{
	if (env->media[0].is_ready)
		return media_rule_check(facebook_video_rule(kind_of(env, flow)), env, 0, step);
	step_media(step, 0);
	return false;
}

/* Puts the flow before that stage and waits there. */
static const char *wait_at(struct flow *flow, struct step *step, const char *stage, int64_t wait_ms)
{
	flow_set_stage(flow, stage);
	step_wait(step, wait_ms);
	return NULL;
}

/* 2, 3, 5, 10, 15, 30 s, then a minute, at last five. */
static void poll_wait(struct flow *flow, struct step *step, const char *stage)
{
	static const int64_t waits_ms[] = {2000, 3000, 5000, 10000, 15000, 30000};
	const int64_t count = (int64_t)(COUNT_OF(waits_ms));
	const int64_t polls = flow_get_int(flow, FACEBOOK_KEY_POLLS, 0);
	const int64_t waited_ms = flow_get_int(flow, FACEBOOK_KEY_WAITED_MS, 0);
	const int64_t late_ms = waited_ms < CHECK_CLOSELY_MS ? 60000 : 300000;
	const int64_t wait_ms = polls >= 0 && polls < count ? waits_ms[polls] : late_ms;
	flow_set_int(flow, FACEBOOK_KEY_POLLS, polls + 1);
	flow_set_int(flow, FACEBOOK_KEY_WAITED_MS, waited_ms + wait_ms);
	wait_at(flow, step, stage, wait_ms);
}

static void polls_begin(struct flow *flow)
{
	flow_unset(flow, FACEBOOK_KEY_POLLS);
	flow_unset(flow, FACEBOOK_KEY_WAITED_MS);
}

/* A session that is of no use any more: a new one, or, when there were enough, the failure that is
 * in the step. */
static const char *session_again(struct flow *flow, const char *stage)
{
	if (flow_count(flow, FACEBOOK_KEY_SESSIONS) >= SESSIONS_MAX)
		return NULL;
	flow_unset(flow, FACEBOOK_KEY_VIDEO_ID);
	flow_unset(flow, FACEBOOK_KEY_UPLOAD_SESSION);
	flow_unset(flow, FACEBOOK_KEY_UPLOAD_URL);
	flow_unset(flow, FACEBOOK_KEY_OFFSET);
	flow_unset(flow, FACEBOOK_KEY_END);
	return stage;
}

const char *facebook_shape_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!env->media[0].is_ready) {
		step_media(step, 0);
		return NULL;
	}
	if (!facebook_is_reel(env, &env->media[0]))
		return FACEBOOK_STAGE_CHUNK_START;
	flow_set_int(flow, FACEBOOK_KEY_IS_REEL, 1);
	return FACEBOOK_STAGE_SESSION_START;
}

/* ---- 3.1: in chunks ---- */

/* Offsets are numbers as text, in errors plain numbers. */
static bool offset_read(const struct env *env, const struct json *from, const char *name,
			int64_t *out)
{
	return str_parse_i64(json_text(env->arena, json_get(from, name)), out) && *out >= 0 &&
	       *out <= env->media[0].size_bytes;
}

/* What Facebook wants next; false when that cannot be. */
static bool range_take(const struct env *env, struct flow *flow, const struct json *from)
{
	int64_t start = 0, end = 0;
	if (!env->media[0].is_ready || !offset_read(env, from, "start_offset", &start) ||
	    !offset_read(env, from, "end_offset", &end) || end < start)
		return false;
	flow_set_int(flow, FACEBOOK_KEY_OFFSET, start);
	flow_set_int(flow, FACEBOOK_KEY_END, end);
	return true;
}

const char *facebook_chunk_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (!file_is_here(env, flow, step))
		return NULL;
	graph_form_init(env, &form);
	form_add(&form, "upload_phase", STR("start"));
	form_add(&form, "file_size",
		 str_format(env->arena, "%lld", (long long)env->media[0].size_bytes));
	graph_call(env, step, CALL_PREPARE, "POST", facebook_edge(env, FACEBOOK_EDGE_VIDEOS),
		   env->access_token, &form);
	return NULL;
}

const char *facebook_chunk_start_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	const struct str video_id = answer_id(env, json_get(reply->json, "video_id"));
	const struct str session = answer_id(env, json_get(reply->json, "upload_session_id"));
	if (!graph_is_ok(reply) || str_is_empty(video_id) || str_is_empty(session) ||
	    !range_take(env, flow, reply->json)) {
		if (!facebook_repeats(flow, reply, step))
			graph_step_fail(env, reply, step);
		return NULL;
	}
	flow_set(flow, FACEBOOK_KEY_VIDEO_ID, video_id);
	flow_set(flow, FACEBOOK_KEY_UPLOAD_SESSION, session);
	return FACEBOOK_STAGE_CHUNK;
}

const char *facebook_chunk_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t start = flow_get_int(flow, FACEBOOK_KEY_OFFSET, 0);
	const int64_t end = flow_get_int(flow, FACEBOOK_KEY_END, 0);
	const struct str session = flow_get(flow, FACEBOOK_KEY_UPLOAD_SESSION);
	struct multipart body;
	if (str_is_empty(session))
		return FACEBOOK_STAGE_CHUNK_START;
	if (start == end) {
		polls_begin(flow);
		return FACEBOOK_STAGE_FINISH;
	}
	if (!file_is_here(env, flow, step))
		return NULL;
	multipart_begin(&body, env, session);
	multipart_field(&body, "upload_phase", STR("transfer"));
	multipart_field(&body, "upload_session_id", session);
	multipart_field(&body, "start_offset", str_format(env->arena, "%lld", (long long)start));
	multipart_file(&body, "video_file_chunk", "chunk", env->media[0].sniff.mime_type, 0, start,
		       end - start);
	graph_call_multipart(env, step, CALL_PREPARE, facebook_edge(env, FACEBOOK_EDGE_VIDEOS),
			     env->access_token, &body);
	return NULL;
}

/* 6001/1363037: this chunk was had before, or one before it is missing; the answer says where to
 * go on. */
static bool is_corrected(const struct env *env, struct flow *flow, const struct reply *reply)
{
	struct graph_error error;
	const struct json *data = json_get(json_get(reply->json, "error"), "error_data");
	return graph_error_read(reply, &error) && error.subcode == 1363037 &&
	       flow_count(flow, FACEBOOK_KEY_CORRECTIONS) < CORRECTIONS_MAX &&
	       range_take(env, flow, data);
}

const char *facebook_chunk_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const int64_t before = flow_get_int(flow, FACEBOOK_KEY_OFFSET, 0);
	struct graph_error error;
	if (graph_is_ok(reply) && range_take(env, flow, reply->json) &&
	    flow_get_int(flow, FACEBOOK_KEY_OFFSET, 0) > before)
		return FACEBOOK_STAGE_CHUNK;
	if (!graph_is_ok(reply) && is_corrected(env, flow, reply))
		return FACEBOOK_STAGE_CHUNK;
	graph_step_fail(env, reply, step);
	const bool is_session_lost = graph_error_read(reply, &error) &&
				     (error.remedy == GRAPH_REPEAT || error.code == 6000 ||
				      error.subcode == 33 || error.subcode == 1363037);
	return is_session_lost ? session_again(flow, FACEBOOK_STAGE_CHUNK_START) : NULL;
}

/* ---- 3.2 and 3.3: a session, then all bytes to rupload ---- */

const char *facebook_session_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (!file_is_here(env, flow, step))
		return NULL;
	graph_form_init(env, &form);
	form_add(&form, "upload_phase", STR("start"));
	graph_call(env, step, CALL_PREPARE, "POST", facebook_edge(env, edge_of(kind_of(env, flow))),
		   env->access_token, &form);
	return NULL;
}

const char *facebook_session_start_answer(const struct env *env, struct flow *flow,
					  const struct reply *reply, struct step *step)
{
	const struct str video_id = answer_id(env, json_get(reply->json, "video_id"));
	const struct str upload_url = json_string(json_get(reply->json, "upload_url"));
	if (!graph_is_ok(reply) || str_is_empty(video_id) ||
	    !step_call_url_is_usable(env, upload_url)) {
		if (!facebook_repeats(flow, reply, step))
			graph_step_fail(env, reply, step);
		return NULL;
	}
	flow_set(flow, FACEBOOK_KEY_VIDEO_ID, video_id);
	flow_set_secret(flow, FACEBOOK_KEY_UPLOAD_URL, upload_url);
	flow_set_int(flow, FACEBOOK_KEY_OFFSET, 0);
	return FACEBOOK_STAGE_UPLOAD;
}

const char *facebook_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str upload_url = flow_get(flow, FACEBOOK_KEY_UPLOAD_URL);
	const int64_t offset = flow_get_int(flow, FACEBOOK_KEY_OFFSET, 0);
	if (str_is_empty(upload_url))
		return FACEBOOK_STAGE_SESSION_START;
	if (!file_is_here(env, flow, step))
		return NULL;
	if (offset < 0 || offset >= env->media[0].size_bytes)
		return FACEBOOK_STAGE_UPLOAD_LOOK;
	graph_call_upload(env, step, upload_url, env->access_token, 0, offset);
	return NULL;
}

const char *facebook_upload_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct graph_error error;
	const bool is_readable = graph_error_read(reply, &error);
	if (graph_is_ok(reply) && json_bool(json_get(reply->json, "success"), false)) {
		polls_begin(flow);
		return FACEBOOK_STAGE_READY;
	}
	if ((is_readable && error.class != FAILURE_TRANSIENT) ||
	    flow_count(flow, FACEBOOK_KEY_UPLOAD_TROUBLES) >= UPLOAD_TROUBLES_MAX) {
		graph_step_fail_upload(env, reply, step);
		return NULL;
	}
	/* Some of the bytes may be there: the video itself knows how many. */
	return FACEBOOK_STAGE_UPLOAD_LOOK;
}

const char *facebook_upload_probe_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_video_ask(env, flow, step);
	return NULL;
}

const char *facebook_upload_probe_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	const struct facebook_video_state state = facebook_video_state_read(reply->json);
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (graph_is_ok(reply) && state.is_uploaded && !state.is_failed) {
		polls_begin(flow);
		return FACEBOOK_STAGE_READY;
	}
	if (graph_is_ok(reply) && !state.is_failed) {
		flow_set_int(flow, FACEBOOK_KEY_OFFSET, state.received_bytes);
		return wait_at(flow, step, FACEBOOK_STAGE_UPLOAD, 2000);
	}
	if (graph_is_ok(reply))
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
			  STR("Facebook could not accept the video."))
			->platform_message = state.words;
	else
		graph_step_fail(env, reply, step);
	return step->failure.class == FAILURE_REAUTH
		       ? NULL
		       : session_again(flow, FACEBOOK_STAGE_SESSION_START);
}

/* ---- before finish: are all bytes there, and are they a video? ---- */

const char *facebook_ready_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_video_ask(env, flow, step);
	return NULL;
}

static void video_refused(const struct facebook_video_state *state, struct step *step)
{
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
		  STR("Facebook could not use the video."))
		->platform_message = state->words;
}

const char *facebook_ready_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct facebook_video_state state = facebook_video_state_read(reply->json);
	struct graph_error error;
	if (graph_read_as_user(env, flow, reply))
		return FACEBOOK_STAGE_READY;
	if (graph_error_read(reply, &error) && error.class == FAILURE_REAUTH) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (graph_is_ok(reply) && state.is_failed) {
		video_refused(&state, step);
		return NULL;
	}
	const bool is_ready = graph_is_ok(reply) && state.is_uploaded && !state.is_processing;
	if (is_ready || flow_get_int(flow, FACEBOOK_KEY_POLLS, 0) >= READY_POLLS_MAX) {
		polls_begin(flow);
		return FACEBOOK_STAGE_FINISH;
	}
	poll_wait(flow, step, FACEBOOK_STAGE_READY);
	return NULL;
}

/* ---- the visible call ---- */

static void finish_form(const struct env *env, const struct flow *flow, struct buf *form)
{
	const enum facebook_kind kind = kind_of(env, flow);
	const struct str text = env->post->containers[0].content;
	const bool has_state = !str_is_empty(graph_option_text(env, "video_state"));
	form_add(form, "upload_phase", STR("finish"));
	if (kind == FACEBOOK_VIDEO)
		form_add(form, "upload_session_id", flow_get(flow, FACEBOOK_KEY_UPLOAD_SESSION));
	else
		form_add(form, "video_id", flow_get(flow, FACEBOOK_KEY_VIDEO_ID));
	if (kind == FACEBOOK_REEL && !has_state)
		form_add(form, "video_state", STR("PUBLISHED"));
	if (kind != FACEBOOK_VIDEO_STORY && !str_is_empty(text))
		form_add(form, "description", text);
	facebook_options_add(env, form, kind);
}

const char *facebook_finish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (str_is_empty(flow_get(flow, FACEBOOK_KEY_VIDEO_ID)))
		return is_chunked(env, flow) ? FACEBOOK_STAGE_CHUNK_START
					     : FACEBOOK_STAGE_SESSION_START;
	graph_form_init(env, &form);
	finish_form(env, flow, &form);
	graph_call(env, step, CALL_PUBLISH, "POST", facebook_edge(env, edge_of(kind_of(env, flow))),
		   env->access_token, &form);
	if (form.is_over)
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
			  STR("The post with its options is too large."));
	return NULL;
}

const char *facebook_finish_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str story_id = answer_id(env, json_get(reply->json, "post_id"));
	if (!graph_is_ok(reply) || !json_bool(json_get(reply->json, "success"), false)) {
		if (!facebook_repeats(flow, reply, step))
			facebook_publish_fail(env, flow, reply, step);
		return NULL;
	}
	if (kind_of(env, flow) == FACEBOOK_VIDEO_STORY)
		flow_set(flow, FACEBOOK_KEY_STORY_ID, story_id);
	flow_set_open(flow);
	polls_begin(flow);
	return FACEBOOK_STAGE_CHECK;
}

/* ---- after finish ---- */

void facebook_video_ask(const struct env *env, const struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("status,published,post_id,permalink_url"));
	graph_call(env, step, CALL_READ, "GET", flow_get(flow, FACEBOOK_KEY_VIDEO_ID),
		   graph_reader_token(env, flow), &form);
}

static bool is_any(struct str word, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (str_equal_z(word, *words))
			return true;
	}
	return false;
}

static const char *const phase_names[] = {"uploading_phase", "processing_phase",
					  "publishing_phase"};
static const char *const words_of_end[] = {"complete", "completed", NULL};
static const char *const words_of_failure[] = {"upload_failed", "error", "expired", NULL};
static const char *const words_of_upload[] = {"upload_complete", "processing", "ready", NULL};
static const char *const words_of_publishing[] = {"published", "draft", NULL};

/* A phase can carry an error while the whole still says processing. */
static void phase_error_read(const struct json *phase, struct facebook_video_state *state)
{
	const struct json *error = json_get(phase, "error");
	if (json_is_null(error) && !str_equal_z(json_string(json_get(phase, "status")), "error"))
		return;
	state->is_failed = true;
	if (str_is_empty(state->words))
		state->words = utf8_cut_bytes(json_string(json_get(error, "message")),
					      PLATFORM_MESSAGE_MAX_BYTES);
}

static int64_t received_read(const struct json *uploading)
{
	/* spelt with one r in life (meta.md 3.2) */
	const int64_t bytes = json_int(json_get(uploading, "bytes_transfered"), -1);
	const int64_t other = json_int(json_get(uploading, "bytes_transferred"), 0);
	const int64_t found = bytes >= 0 ? bytes : other;
	return found > 0 ? found : 0;
}

struct facebook_video_state facebook_video_state_read(const struct json *video)
{
	const struct json *status = json_get(video, "status");
	const struct str whole = json_string(json_get(status, "video_status"));
	const struct json *uploading = json_get(status, "uploading_phase");
	const struct str processing =
		json_string(json_get(json_get(status, "processing_phase"), "status"));
	const struct str publish_status =
		json_string(json_get(json_get(status, "publishing_phase"), "publish_status"));
	const bool is_public = json_bool(json_get(video, "published"), false);
	struct facebook_video_state state = {
		.is_uploaded = is_any(json_string(json_get(uploading, "status")), words_of_end) ||
			       is_any(whole, words_of_upload),
		.is_processing = str_equal_z(processing, "in_progress"),
		.is_failed = is_any(whole, words_of_failure),
		.is_published = is_public || is_any(publish_status, words_of_publishing),
		.is_draft = !is_public && str_equal_z(publish_status, "draft"),
		.received_bytes = received_read(uploading),
	};
	for (size_t i = 0; i < COUNT_OF(phase_names); i++)
		phase_error_read(json_get(status, phase_names[i]), &state);
	state.is_done = state.is_published && !state.is_failed &&
			(is_any(processing, words_of_end) || str_equal_z(whole, "ready"));
	return state;
}

const char *facebook_check_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_video_ask(env, flow, step);
	return NULL;
}

static const char *video_done(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct str id = flow_get(flow, FACEBOOK_KEY_VIDEO_ID);
	const struct str post_id = answer_id(env, json_get(reply->json, "post_id"));
	if (facebook_video_state_read(reply->json).is_draft)
		flow_see(flow, POST_VISIBILITY_DRAFT, facebook_visibility(env),
			 STR("platforms.facebook.video_state"),
			 STR("Facebook keeps the video as a draft that nobody sees. Publish it in "
			     "Meta Business Suite."));
	if (kind_of(env, flow) != FACEBOOK_VIDEO_STORY) {
		flow_part_done(flow, id,
			       facebook_url(env, json_get(reply->json, "permalink_url"), id));
		return FACEBOOK_STAGE_COVER;
	}
	if (str_is_empty(flow_get(flow, FACEBOOK_KEY_STORY_ID)))
		flow_set(flow, FACEBOOK_KEY_STORY_ID, post_id);
	return FACEBOOK_STAGE_LISTED;
}

/* Enough asked: what the finish call said stands. Where every read is refused, as without the
 * permission for it, it need not be asked for as long. */
static bool is_asked_enough(const struct env *env, struct flow *flow, const struct reply *reply)
{
	struct step silent = {0};
	const bool is_answer =
		graph_is_ok(reply) && json_is(json_get(reply->json, "status"), JSON_TYPE_OBJECT);
	if (is_answer)
		flow_set_int(flow, FACEBOOK_KEY_CHECK_ANSWERED, 1);
	const bool is_refused = !graph_is_ok(reply) && !step_fail_transport(&silent, env, reply) &&
				flow_get_int(flow, FACEBOOK_KEY_CHECK_ANSWERED, 0) == 0;
	return flow_get_int(flow, FACEBOOK_KEY_WAITED_MS, 0) >=
	       (is_refused ? CHECK_CLOSELY_MS : CHECK_MAX_MS);
}

static bool is_said_unpublished(const struct reply *reply, const struct facebook_video_state *state)
{
	return graph_is_ok(reply) && !state->is_published &&
	       json_is(json_get(reply->json, "published"), JSON_TYPE_BOOL);
}

/* The finish call has said that it is published, and only Facebook's own word that the video is no
 * good can change that: a read that fails cannot (meta.md 9, "reads after publish are
 * cosmetic"). With a dead token nobody can be asked; then the resolver has the last word. */
const char *facebook_check_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct facebook_video_state state = facebook_video_state_read(reply->json);
	struct graph_error error;
	if (graph_read_as_user_when_dead(env, flow, reply))
		return FACEBOOK_STAGE_CHECK;
	if (graph_error_read(reply, &error) && error.class == FAILURE_REAUTH) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (graph_is_ok(reply) && state.is_failed) {
		flow_set_closed(flow);
		video_refused(&state, step);
		return NULL;
	}
	const bool is_enough = is_asked_enough(env, flow, reply);
	if (is_enough && is_said_unpublished(reply, &state)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN,
			  STR("Facebook took the video but does not show it as published after "
			      "hours; it may still appear."));
		return NULL;
	}
	if (state.is_done || is_enough)
		return video_done(env, flow, reply);
	poll_wait(flow, step, FACEBOOK_STAGE_CHECK);
	return NULL;
}

/* ---- what a story is known by (meta.md 3.3) ---- */

void facebook_stories_ask(const struct env *env, const struct flow *flow, struct step *step)
{
	const int64_t since_us =
		(resolver_uncertain_us(flow) != 0 ? resolver_uncertain_us(flow) : env->now_us) -
		US_PER_HOUR;
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "since", str_format(env->arena, "%lld", (long long)(since_us / US_PER_S)));
	graph_call(env, step, CALL_READ, "GET", facebook_edge(env, FACEBOOK_EDGE_STORIES),
		   graph_reader_token(env, flow), &form);
}

const struct json *facebook_story_find(const struct env *env, const struct flow *flow,
				       const struct reply *reply)
{
	const struct json *list = json_get(reply->json, "data");
	const struct str video_id = flow_get(flow, FACEBOOK_KEY_VIDEO_ID);
	const struct str ours = str_is_empty(video_id) ? facebook_photo_id(env, flow, 0) : video_id;
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY) || str_is_empty(ours))
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct json *story = &list->items[i];
		if (str_equal(answer_id(env, json_get(story, "media_id")), ours))
			return story;
	}
	return NULL;
}

const char *facebook_listed_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_stories_ask(env, flow, step);
	return NULL;
}

/* Cosmetic, as check is: the story is out, under the id that the answer gave, or else under the one
 * that the list shows, or under none that we know. */
const char *facebook_listed_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct json *story = facebook_story_find(env, flow, reply);
	const struct str listed = answer_id(env, json_get(story, "post_id"));
	const struct str told = flow_get(flow, FACEBOOK_KEY_STORY_ID);
	const struct str id = str_is_empty(told) ? listed : told;
	if (str_is_empty(id) && flow_count(flow, FACEBOOK_KEY_LISTS) < LISTED_TRIES_MAX)
		return wait_at(flow, step, FACEBOOK_STAGE_LISTED, 5000);
	flow_part_done(flow, id,
		       str_is_empty(id) ? (struct str){0}
					: facebook_url(env, json_get(story, "url"), id));
	return FACEBOOK_STAGE_START;
}

/* ---- the cover (meta.md 3.2, step 5): cosmetic too ---- */

static void cover_send(const struct env *env, struct str video_id, int file, struct step *step)
{
	const struct media_file *cover = &env->media[file];
	struct multipart body;
	multipart_begin(&body, env, video_id);
	multipart_field(&body, "is_preferred", STR("true"));
	multipart_file(&body, "source", "cover", cover->sniff.mime_type, (size_t)file, 0,
		       cover->size_bytes);
	graph_call_multipart(env, step, CALL_PREPARE,
			     str_concat(env->arena, video_id, STR("/thumbnails")),
			     env->access_token, &body);
}

enum post_visibility facebook_visibility(const struct env *env)
{
	return str_equal_z(graph_option_text(env, "video_state"), "DRAFT") ? POST_VISIBILITY_DRAFT
									   : POST_VISIBILITY_PUBLIC;
}

static const char *cover_lacks(struct flow *flow, struct str why)
{
	flow_lacks_thumbnail(flow, why);
	return FACEBOOK_STAGE_COLLABORATOR;
}

const char *facebook_cover_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str url = env->post->containers[0].media[0].thumbnail_url;
	if (str_is_empty(url))
		return FACEBOOK_STAGE_COLLABORATOR;
	const int file = env_file(env, url);
	if (file < 0) {
		step_file(step, url, true);
		return NULL;
	}
	const struct media_file *cover = &env->media[file];
	const struct str complaint =
		cover->is_missing ? STR("The file could not be fetched.")
				  : media_rule_complaint(&facebook_photo_rule, env->arena,
							 &cover->sniff, cover->size_bytes);
	if (!str_is_empty(complaint))
		return cover_lacks(flow, complaint);
	cover_send(env, flow->parts[0].remote_id, file, step);
	return NULL;
}

const char *facebook_cover_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	(void)env;
	(void)step;
	if (!graph_is_ok(reply))
		return cover_lacks(flow, STR("Facebook did not take the file."));
	flow_unwarn(flow, FLOW_THUMBNAIL_REFUSED);
	return FACEBOOK_STAGE_COLLABORATOR;
}

/* ---- collaborators (meta.md 3.2, step 5): each is invited once, and may decline ---- */

const char *facebook_collaborator_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct json *pages = json_get(env->options, "collaborators");
	const int64_t next = flow_get_int(flow, FACEBOOK_KEY_COLLABORATORS, 0);
	const struct json *page = next >= 0 ? json_at(pages, (size_t)next) : NULL;
	struct buf form;
	if (kind_of(env, flow) != FACEBOOK_REEL || page == NULL)
		return FACEBOOK_STAGE_START;
	graph_form_init(env, &form);
	form_add(&form, "target_id", json_string(page));
	graph_call(env, step, CALL_PREPARE, "POST",
		   str_concat(env->arena, flow->parts[0].remote_id, STR("/collaborators")),
		   env->access_token, &form);
	return NULL;
}

const char *facebook_collaborator_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	(void)env;
	(void)step;
	if (!graph_is_ok(reply))
		flow_warn(flow, &(struct flow_warning){
					.code = STR(FLOW_COLLABORATOR_REFUSED),
					.field = STR("platforms.facebook.collaborators"),
					.message = STR("The reel is out, but Facebook did not "
						       "invite all of its collaborators."),
				});
	flow_count(flow, FACEBOOK_KEY_COLLABORATORS);
	return FACEBOOK_STAGE_COLLABORATOR;
}
