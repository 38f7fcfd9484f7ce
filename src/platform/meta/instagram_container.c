/* SPDX-License-Identifier: Apache-2.0
 * Instagram's containers (meta.md 4.1, 4.2): one for each file of the post, for a
 * carousel one more around them. Images Meta fetches from an address, videos are sent as bytes, so
 * that no address of theirs has to be public. Then each is asked for until it is ready. Nothing
 * here is visible to anyone; publishing is instagram.c's.
 *
 * A container is an item: the files of a carousel in order, then the one that is published. Its id
 * stands in the flow; an item without an id is made when its turn comes, so one that was lost or
 * expired is simply made again. */
#include "instagram_adapter.h"

#include <stdio.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "graph.h"
#include "answer.h"
#include "refusal.h"

#define CONTAINERS_MAX 3  /* meta.md 6.3: new container, at most 3 times */
#define FETCH_AGAIN_MAX 3 /* meta.md 6.3, 9004: 2 to 3 retries, 5 s apart */
#define FETCH_AGAIN_MS 5000
#define POLL_IMAGE_MAX_MS (5 * 60 * 1000)  /* meta.md 4.2: at most 5 minutes for images */
#define POLL_VIDEO_MAX_MS (30 * 60 * 1000) /* meta.md 4.2: 20 to 30 minutes for videos */

struct item_name {
	char text[32];
};

/* ---- which items there are ---- */

static const struct container *post_of(const struct env *env)
{
	return &env->post->containers[0];
}

static size_t child_count(const struct env *env)
{
	return env->post_type == POST_TYPE_CAROUSEL ? post_of(env)->media_count : 0;
}

static bool is_child(const struct env *env, size_t item)
{
	return item < child_count(env);
}

/* The file that the item holds. */
static size_t media_of(const struct env *env, size_t item)
{
	return is_child(env, item) ? item : 0;
}

static struct item_name name_of(const struct env *env, size_t item)
{
	struct item_name name = {INSTAGRAM_KEY_CONTAINER};
	if (is_child(env, item))
		snprintf(name.text, sizeof(name.text), INSTAGRAM_KEY_CHILD_FORMAT, item);
	return name;
}

static struct str id_of(const struct env *env, const struct flow *flow, size_t item)
{
	return flow_get(flow, name_of(env, item).text);
}

/* Items before it are known to be ready. */
static size_t ready_count(const struct flow *flow)
{
	return (size_t)flow_get_int(flow, INSTAGRAM_KEY_READY, 0);
}

static enum instagram_place place_of(const struct env *env, size_t item)
{
	const bool is_video = post_of(env)->media[media_of(env, item)].type == MEDIA_VIDEO;
	if (is_child(env, item))
		return is_video ? INSTAGRAM_CHILD_VIDEO : INSTAGRAM_CHILD_IMAGE;
	if (env->post_type == POST_TYPE_CAROUSEL)
		return INSTAGRAM_CAROUSEL;
	if (env->post_type == POST_TYPE_STORY)
		return INSTAGRAM_STORY;
	return is_video ? INSTAGRAM_REEL : INSTAGRAM_IMAGE;
}

static bool is_video(const struct env *env, size_t item)
{
	return place_of(env, item) != INSTAGRAM_CAROUSEL &&
	       post_of(env)->media[media_of(env, item)].type == MEDIA_VIDEO;
}

/* Instagram Login's host has no resumable uploads: a video is fetched there as an image is
 * (meta.md 2.8). */
static bool sends_bytes(const struct env *env, size_t item)
{
	return is_video(env, item) && !graph_is_instagram_login(env);
}

/* ---- files: checked before Meta gets them ---- */

static struct str cover_url(const struct env *env)
{
	const struct str option = json_string(json_get(env->options, "cover_url"));
	if (env->post_type != POST_TYPE_VIDEO)
		return (struct str){0};
	return str_is_empty(option) ? post_of(env)->media[0].thumbnail_url : option;
}

/* True when the cover is there and good, or there is none. */
static bool has_cover(const struct env *env, struct step *step)
{
	const struct str url = cover_url(env);
	const int index = env_file(env, url);
	if (str_is_empty(url))
		return true;
	if (index < 0 || !env->media[index].is_ready) {
		step_file(step, url, false);
		return false;
	}
	return media_rule_check(&instagram_cover_rule, env, (size_t)index, step);
}

/* True when all files are on our disk and are what Instagram takes. */
static bool has_files(const struct env *env, struct step *step)
{
	for (size_t i = 0; i < post_of(env)->media_count; i++) {
		const enum media_type type = post_of(env)->media[i].type;
		if (!env->media[i].is_ready) {
			step_media(step, i);
			return false;
		}
		if (!media_rule_check(instagram_media_rule(env->post_type, type), env, i, step))
			return false;
	}
	return has_cover(env, step);
}

/* ---- making a container (4.1) ---- */

static void text_add(struct buf *form, const char *name, struct str value)
{
	if (!str_is_empty(value))
		form_add(form, name, value);
}

static void kind_add(struct buf *form, enum instagram_place place)
{
	switch (place) {
	case INSTAGRAM_IMAGE:
		return;
	case INSTAGRAM_REEL:
		form_add(form, "media_type", STR("REELS"));
		return;
	case INSTAGRAM_STORY:
		form_add(form, "media_type", STR("STORIES"));
		return;
	case INSTAGRAM_CAROUSEL:
		form_add(form, "media_type", STR("CAROUSEL"));
		return;
	case INSTAGRAM_CHILD_VIDEO:
		form_add(form, "media_type", STR("VIDEO"));
		form_add(form, "is_carousel_item", STR("true"));
		return;
	case INSTAGRAM_CHILD_IMAGE:
		form_add(form, "is_carousel_item", STR("true"));
		return;
	}
}

static void children_add(const struct env *env, const struct flow *flow, struct buf *form)
{
	struct buf ids;
	buf_init(&ids, env->arena, 1024);
	for (size_t i = 0; i < child_count(env); i++) {
		buf_add_z(&ids, i > 0 ? "," : "");
		buf_add(&ids, id_of(env, flow, i));
	}
	form_add(form, "children", buf_str(&ids));
}

static void file_add(const struct env *env, const struct flow *flow, struct buf *form, size_t item)
{
	const size_t index = media_of(env, item);
	if (sends_bytes(env, item))
		form_add(form, "upload_type", STR("resumable"));
	else
		form_add(form, is_video(env, item) ? "video_url" : "image_url",
			 instagram_fetch_url(env, flow, post_of(env)->media[index].url,
					     &env->media[index]));
}

static void cover_add(const struct env *env, const struct flow *flow, struct buf *form)
{
	const struct str url = cover_url(env);
	const int index = env_file(env, url);
	if (index >= 0)
		form_add(form, "cover_url",
			 instagram_fetch_url(env, flow, url, &env->media[index]));
}

/* The tags of one file of a carousel: those that name it, without saying so (4.1). */
static void child_tags_add(const struct env *env, struct buf *form, size_t item)
{
	const struct json *tags = json_get(env->options, "user_tags");
	struct buf text;
	struct json_writer w;
	size_t count = 0;
	buf_init(&text, env->arena, GRAPH_FORM_MAX_BYTES);
	json_writer_init(&w, &text);
	json_begin_array(&w);
	for (size_t i = 0; json_at(tags, i) != NULL; i++) {
		const struct json *tag = json_at(tags, i);
		if (json_int(json_get(tag, "media"), 0) != (int64_t)item)
			continue;
		json_begin_object(&w);
		for (size_t j = 0; j < tag->count; j++) {
			if (str_equal_z(tag->keys[j], "media"))
				continue;
			json_key(&w, str_z(env->arena, tag->keys[j]));
			json_put_value(&w, &tag->items[j]);
		}
		json_end_object(&w);
		count++;
	}
	json_end_array(&w);
	if (count > 0)
		form_add(form, "user_tags", buf_str(&text));
}

static void options_add(const struct env *env, struct buf *form, enum instagram_place place)
{
	for (const struct option_rule *option = instagram_rules.options; option->name != NULL;
	     option++) {
		const struct option_rule one[] = {*option, {.name = NULL}};
		if (instagram_option_belongs(option, place) &&
		    !str_equal_z(str_of(option->name), "cover_url"))
			graph_options_add(env, form, one);
	}
}

static void item_form(const struct env *env, const struct flow *flow, struct buf *form, size_t item)
{
	const enum instagram_place place = place_of(env, item);
	const bool has_caption =
		(place & (INSTAGRAM_IMAGE | INSTAGRAM_REEL | INSTAGRAM_CAROUSEL)) != 0;
	const bool has_alt_text = (place & (INSTAGRAM_IMAGE | INSTAGRAM_CHILD_IMAGE)) != 0;
	graph_form_init(env, form);
	kind_add(form, place);
	if (place == INSTAGRAM_CAROUSEL)
		children_add(env, flow, form);
	else
		file_add(env, flow, form, item);
	if (has_caption)
		text_add(form, "caption", post_of(env)->content);
	if (has_alt_text)
		text_add(form, "alt_text", post_of(env)->media[media_of(env, item)].alt_text);
	if (place == INSTAGRAM_REEL)
		cover_add(env, flow, form);
	if (place == INSTAGRAM_CHILD_IMAGE)
		child_tags_add(env, form, item);
	else
		options_add(env, form, place);
}

/* The next item that has no container: the children first, the one that is published when all of
 * them are ready. SIZE_MAX when there is nothing to make now. */
static size_t item_wanted(const struct env *env, const struct flow *flow)
{
	const size_t last = child_count(env);
	for (size_t item = 0; item < last; item++) {
		if (str_is_empty(id_of(env, flow, item)))
			return item;
	}
	return ready_count(flow) >= last && str_is_empty(id_of(env, flow, last)) ? last : SIZE_MAX;
}

const char *instagram_container_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const size_t item = item_wanted(env, flow);
	struct buf form;
	if (!str_is_empty(flow_get(flow, INSTAGRAM_KEY_UPLOAD_URL)))
		return INSTAGRAM_STAGE_UPLOAD;
	if (item == SIZE_MAX)
		return INSTAGRAM_STAGE_POLL;
	if (place_of(env, item) != INSTAGRAM_CAROUSEL && !has_files(env, step))
		return NULL;
	item_form(env, flow, &form, item);
	graph_call(env, step, CALL_PREPARE, "POST",
		   instagram_edge(env, env->platform_account_id, INSTAGRAM_EDGE_MEDIA),
		   env->access_token, &form);
	return NULL;
}

const char *instagram_wait_at(struct flow *flow, struct step *step, const char *stage,
			      int64_t wait_ms)
{
	flow_set_stage(flow, stage);
	step_wait(step, wait_ms);
	return NULL;
}

/* What people can read of an address: its query may hold a key. */
static struct str address_shown(const struct env *env, const struct flow *flow, size_t index)
{
	const struct str url = post_of(env)->media[index].url;
	if (instagram_gives_our_copy(env, flow, url, &env->media[index]))
		return STR("this service's copy of it; check the configured public URL.");
	return str_concat(env->arena, str_slice(url, 0, str_find_char(url, '?', 0)), STR("."));
}

/* meta.md 9: name the file, its address, and that it was Meta who fetched. */
static void name_unreachable(const struct env *env, const struct flow *flow, size_t item,
			     struct step *step)
{
	const size_t index = media_of(env, item);
	if (step->failure.code == FAILURE_CODE_MEDIA_UNREACHABLE)
		step->failure.message =
			str_format(env->arena, "Media file %zu: Meta could not fetch " STR_FMT,
				   index + 1, STR_ARG(address_shown(env, flow, index)));
}

static const char *container_refused(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	struct graph_error error;
	const bool may_repeat = graph_error_read(reply, &error) &&
				(error.remedy == GRAPH_REPEAT || error.remedy == GRAPH_CONTAINER);
	if (may_repeat && flow_count(flow, INSTAGRAM_KEY_FETCHES) < FETCH_AGAIN_MAX) {
		/* The second try gets our copy, where there is one: it is there for Meta alone. */
		if (error.failure_code == FAILURE_CODE_MEDIA_UNREACHABLE)
			flow_set_int(flow, INSTAGRAM_KEY_HOSTED, 1);
		return instagram_wait_at(flow, step, INSTAGRAM_STAGE_CONTAINER, FETCH_AGAIN_MS);
	}
	graph_step_fail(env, reply, step);
	name_unreachable(env, flow, item_wanted(env, flow), step);
	return NULL;
}

static void polls_begin(struct flow *flow)
{
	flow_unset(flow, INSTAGRAM_KEY_POLLS);
	flow_unset(flow, INSTAGRAM_KEY_WAITED_MS);
}

const char *instagram_container_answer(const struct env *env, struct flow *flow,
				       const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	const struct str upload_url = json_string(json_get(reply->json, "uri"));
	const size_t item = item_wanted(env, flow);
	if (!graph_is_ok(reply) || str_is_empty(id) || item == SIZE_MAX)
		return container_refused(env, flow, reply, step);
	if (sends_bytes(env, item) && !step_call_url_is_usable(env, upload_url)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("Instagram's answer contains no usable upload URL."));
		return NULL;
	}
	flow_set(flow, name_of(env, item).text, id);
	flow_unset(flow, INSTAGRAM_KEY_FETCHES);
	polls_begin(flow);
	if (sends_bytes(env, item)) {
		flow_set_secret(flow, INSTAGRAM_KEY_UPLOAD_URL, upload_url);
		flow_set_int(flow, INSTAGRAM_KEY_UPLOAD_ITEM, (int64_t)item);
		return INSTAGRAM_STAGE_UPLOAD;
	}
	return item_wanted(env, flow) != SIZE_MAX ? INSTAGRAM_STAGE_CONTAINER
						  : instagram_poll_again(env, flow, step);
}

/* ---- bytes (4.1, last row) ---- */

static size_t upload_item(const struct env *env, const struct flow *flow)
{
	const size_t item = (size_t)flow_get_int(flow, INSTAGRAM_KEY_UPLOAD_ITEM, 0);
	return item <= child_count(env) ? item : 0;
}

const char *instagram_upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow_get(flow, INSTAGRAM_KEY_UPLOAD_URL)))
		return INSTAGRAM_STAGE_CONTAINER;
	if (has_files(env, step))
		graph_call_upload(env, step,
				  str_copy(env->arena, flow_get(flow, INSTAGRAM_KEY_UPLOAD_URL)),
				  env->access_token, media_of(env, upload_item(env, flow)), 0);
	return NULL;
}

static void upload_forget(struct flow *flow)
{
	flow_unset(flow, INSTAGRAM_KEY_UPLOAD_URL);
	flow_unset(flow, INSTAGRAM_KEY_UPLOAD_ITEM);
	flow_unset(flow, INSTAGRAM_KEY_UPLOAD_LOST);
}

/* Everything that was made for the item that is published. */
static void items_forget(const struct env *env, struct flow *flow)
{
	for (size_t item = 0; item <= child_count(env); item++)
		flow_unset(flow, name_of(env, item).text);
	flow_unset(flow, INSTAGRAM_KEY_READY);
	upload_forget(flow);
}

/* A new container for the item, or the failure as it stands when there were enough of them. */
static const char *item_again(const struct env *env, struct flow *flow, struct step *step,
			      size_t item, const struct failure *failure)
{
	if (flow_count(flow, INSTAGRAM_KEY_CONTAINERS) >= CONTAINERS_MAX) {
		*step = (struct step){.kind = STEP_FAIL, .failure = *failure};
		return NULL;
	}
	if (failure->code == FAILURE_CODE_MEDIA_UNREACHABLE)
		flow_set_int(flow, INSTAGRAM_KEY_HOSTED, 1);
	if (!is_child(env, item))
		items_forget(env, flow);
	flow_unset(flow, name_of(env, item).text);
	upload_forget(flow);
	return INSTAGRAM_STAGE_CONTAINER;
}

const char *instagram_container_again(const struct env *env, struct flow *flow, struct step *step,
				      const struct failure *failure)
{
	return item_again(env, flow, step, child_count(env), failure);
}

/* Bytes that are there already are refused too. After an answer that was lost nothing is wrong with
 * them then: a new container takes them from the start, and that is no try of its own. */
static const char *upload_refused(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const size_t item = upload_item(env, flow);
	graph_step_fail_upload(env, reply, step);
	const struct failure failure = step->failure;
	if (failure_is_transient(failure.class))
		return NULL;
	if (flow_get_int(flow, INSTAGRAM_KEY_UPLOAD_LOST, 0) == 0)
		return item_again(env, flow, step, item, &failure);
	flow_unset(flow, name_of(env, item).text);
	upload_forget(flow);
	return INSTAGRAM_STAGE_CONTAINER;
}

/* Nobody knows what came of the bytes. */
static const char *upload_lost(struct flow *flow)
{
	flow_set_int(flow, INSTAGRAM_KEY_UPLOAD_LOST, 1);
	return NULL;
}

static bool upload_is_done(const struct reply *reply)
{
	return graph_is_ok(reply) && reply->json != NULL &&
	       json_bool(json_get(reply->json, "success"), true);
}

const char *instagram_upload_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	struct graph_error error;
	if (step_fail_transport(step, env, reply))
		return upload_lost(flow);
	if (upload_is_done(reply)) {
		upload_forget(flow);
		return item_wanted(env, flow) != SIZE_MAX ? INSTAGRAM_STAGE_CONTAINER
							  : instagram_poll_again(env, flow, step);
	}
	if (!graph_error_read(reply, &error) && (reply->status / 100 == 4 || reply->json != NULL))
		return upload_refused(env, flow, reply, step);
	graph_step_fail(env, reply, step);
	return reply->status / 100 == 4 ? NULL : upload_lost(flow);
}

/* ---- waiting (4.2) ---- */

/* 2, 3, 5, 10, 15, 30 s, then 60 s. */
static int64_t poll_wait_ms(int64_t polls)
{
	static const int64_t waits_ms[] = {2000, 3000, 5000, 10000, 15000, 30000};
	const int64_t count = (int64_t)(COUNT_OF(waits_ms));
	return polls < count ? waits_ms[polls] : 60000;
}

/* The item whose status is asked. */
static size_t item_polled(const struct env *env, const struct flow *flow)
{
	const size_t ready = ready_count(flow);
	return ready < child_count(env) ? ready : child_count(env);
}

/* Instagram's, of the file as the user counts. */
static struct str still_working(const struct env *env, size_t item)
{
	return str_format(env->arena, "Instagram is still processing the %s after %d minutes.",
			  is_video(env, item) ? "video" : "image",
			  is_video(env, item) ? POLL_VIDEO_MAX_MS / 60000
					      : POLL_IMAGE_MAX_MS / 60000);
}

static const char *poll_later(const struct env *env, struct flow *flow, struct step *step,
			      size_t item)
{
	const int64_t polls = flow_get_int(flow, INSTAGRAM_KEY_POLLS, 0);
	const int64_t waited_ms = flow_get_int(flow, INSTAGRAM_KEY_WAITED_MS, 0);
	if (waited_ms >= (is_video(env, item) ? POLL_VIDEO_MAX_MS : POLL_IMAGE_MAX_MS)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  still_working(env, item));
		return NULL;
	}
	flow_set_int(flow, INSTAGRAM_KEY_POLLS, polls + 1);
	flow_set_int(flow, INSTAGRAM_KEY_WAITED_MS, waited_ms + poll_wait_ms(polls));
	return instagram_wait_at(flow, step, INSTAGRAM_STAGE_POLL, poll_wait_ms(polls));
}

const char *instagram_poll_again(const struct env *env, struct flow *flow, struct step *step)
{
	return poll_later(env, flow, step, item_polled(env, flow));
}

const char *instagram_poll_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str id = id_of(env, flow, item_polled(env, flow));
	if (str_is_empty(id))
		return INSTAGRAM_STAGE_CONTAINER;
	return instagram_read(env, flow, step, id, "status_code,status");
}

/* "Error: Media upload has failed with error code 2207026": the seven digits that begin with 2207;
 * 0 when there are none. */
static int64_t subcode_in(struct str status)
{
	for (size_t hit = str_find(status, STR("2207"), 0); hit != SIZE_MAX;
	     hit = str_find(status, STR("2207"), hit + 1)) {
		int64_t subcode = 0;
		if (hit + 7 <= status.len &&
		    str_parse_i64(str_slice(status, hit, hit + 7), &subcode))
			return subcode;
	}
	return 0;
}

static const char *item_dead(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step, size_t item)
{
	const struct str status = json_string(json_get(reply->json, "status"));
	const int64_t subcode = subcode_in(status);
	const struct graph_error error = graph_error_of_subcode(subcode);
	const bool is_known = subcode != 0 && error.failure_code != FAILURE_CODE_PLATFORM_REJECTED;
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = is_known ? error.failure_code : FAILURE_CODE_MEDIA_REJECTED,
		.message = str_format(env->arena, "Media file %zu: Instagram could not use it.",
				      media_of(env, item) + 1),
		.platform_code = subcode != 0 ? str_format(env->arena, "%lld", (long long)subcode)
					      : (struct str){0},
		.platform_message = utf8_cut_bytes(status, PLATFORM_MESSAGE_MAX_BYTES),
	};
	/* What is final for one container may pass with the next, but not with a third (6.3). */
	const bool is_spent = error.class == FAILURE_PERMANENT && error.remedy == GRAPH_CONTAINER &&
			      flow_get_int(flow, INSTAGRAM_KEY_CONTAINERS, 0) > 0;
	if ((error.remedy == GRAPH_CONTAINER || error.remedy == GRAPH_REPEAT) && !is_spent)
		return item_again(env, flow, step, item, &failure);
	*step = (struct step){.kind = STEP_FAIL, .failure = failure};
	return NULL;
}

static const char *item_expired(const struct env *env, struct flow *flow, struct step *step,
				size_t item)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_PLATFORM_REJECTED,
		.message = STR("The media container expired before it could be published."),
	};
	return item_again(env, flow, step, item, &failure);
}

static const char *item_ready(const struct env *env, struct flow *flow, size_t item)
{
	if (!is_child(env, item))
		return INSTAGRAM_STAGE_PUBLISH;
	flow_set_int(flow, INSTAGRAM_KEY_READY, (int64_t)item + 1);
	polls_begin(flow);
	return INSTAGRAM_STAGE_CONTAINER; /* which is the one around them, or the next question */
}

/* Out already, by a call whose answer we do not have: the resolver finds out what became of it. */
static const char *item_published(const struct env *env, struct flow *flow, struct step *step,
				  size_t item)
{
	if (is_child(env, item))
		return item_expired(env, flow, step, item); /* used up by another carousel */
	flow_set_open(flow);
	*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}

/* The end of waiting: when the last read was refused, that is what a person has to know. */
static void refusal_told(const struct env *env, const struct reply *reply, struct step *step,
			 size_t item)
{
	struct graph_error error;
	const struct failure waited = step->failure;
	if (!graph_error_read(reply, &error))
		return;
	graph_step_fail(env, reply, step);
	step->failure.class = waited.class;
	step->failure.code = waited.code;
	step->failure.message = str_format(
		env->arena, "Instagram refused to say whether the %s is ready, for %d minutes.",
		is_video(env, item) ? "video" : "image",
		(is_video(env, item) ? POLL_VIDEO_MAX_MS : POLL_IMAGE_MAX_MS) / 60000);
}

const char *instagram_poll_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str status = json_string(json_get(reply->json, "status_code"));
	const size_t item = item_polled(env, flow);
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_POLL;
	if (instagram_token_is_dead(reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (str_equal_z(status, "FINISHED"))
		return item_ready(env, flow, item);
	if (str_equal_z(status, "ERROR"))
		return item_dead(env, flow, reply, step, item);
	if (str_equal_z(status, "EXPIRED"))
		return item_expired(env, flow, step, item);
	if (str_equal_z(status, "PUBLISHED"))
		return item_published(env, flow, step, item);
	/* IN_PROGRESS; or a read that failed, which happens right after creation and means nothing
	 * (meta.md 4.2, 6.2). */
	poll_later(env, flow, step, item);
	if (step->kind == STEP_FAIL)
		refusal_told(env, reply, step, item);
	return NULL;
}
