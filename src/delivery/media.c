/* SPDX-License-Identifier: Apache-2.0
 * Customers' files on their way to our disk: the post's media, and the files that its options and
 * thumbnails name. One fetch per distinct URL and post, shared by all deliveries of the post. */
#include "delivery_private.h"

#include <stdio.h>

#include "digest.h"

#include "media_id.h"

#include "store_media.h"

#include "media_bring.h"
#include "media_files.h"

#include "fetch_room.h"
#include "fetch_share.h"
#include "hosted.h"

/* Deliveries of one post come to their media within moments of each other. A failure that may pass
 * is asked for again by the first retry of any of them, 30 s later (policy.c); the others then
 * share that answer too. */
#define FAILED_FOR_NOW_US (20 * US_PER_S)
#define FAILED_US (5 * US_PER_MINUTE)
#define SHARED_FETCH_POLL_US (100 * US_PER_MS)
#define BRINGING_US (5 * US_PER_MINUTE)
#define UUID_TEXT_BYTES 36
#define KEY_HASH_DIGITS 32
#define ADOPT_ARENA_BYTES 65536

static struct str media_url(const struct delivery_task *t, size_t index)
{
	return index < t->media.count ? post_media_at(&t->content, index)->url
				      : t->media.urls[index - t->media.count];
}

/* The same for every delivery of the post, after a restart, and in any order of asking. */
static struct str media_key(const struct delivery_task *t, size_t index)
{
	const struct digest digest = digest_sha256(media_url(t, index));
	const struct str hash = str_slice(digest_hex(t->turn.arena, &digest), 0, KEY_HASH_DIGITS);
	return str_format(t->turn.arena, STR_FMT "-" STR_FMT, STR_ARG(t->work.post_id),
			  STR_ARG(hash));
}

void media_ready(struct delivery_task *t, size_t index, struct str key,
		 const struct spool_file *file)
{
	const struct hosted *hosted = t->deliverer->config.hosted;
	t->media.files[index] = (struct media_file){
		.is_ready = true,
		.size_bytes = file->size_bytes,
		.sniff = file->sniff,
		.hosted_url = hosted != NULL
				      ? str_copy(t->arena, hosted_url(hosted, t->turn.arena, key))
				      : STR(""),
	};
	t->media.paths[index] = str_z(t->arena, file->path);
}

/* As people count; a file that an option or a thumbnail names has no number that they know. */
static struct str media_name(const struct delivery_task *t, size_t index)
{
	if (index < t->media.count)
		return str_format(t->turn.arena, "Media file %zu", index + 1);
	return STR("A thumbnail, document or other additional file");
}

/* PLANNED: the delivery fails or is tried again. ASK: the adapter can do without the file. */
static enum next media_failed(struct delivery_task *t, size_t index, bool is_optional,
			      enum failure_class class, struct str why)
{
	const struct failure failure = {
		.class = class,
		.code = FAILURE_CODE_MEDIA_UNREACHABLE,
		.message = str_format(t->turn.arena, STR_FMT " could not be fetched: " STR_FMT,
				      STR_ARG(media_name(t, index)), STR_ARG(why)),
	};
	if (!is_optional)
		return verdict_failure(t, &failure);
	t->media.files[index] = (struct media_file){.is_missing = true};
	record_decision(t, str_concat(t->turn.arena, STR("go on without it: "), failure.message));
	const struct log_field reason = log_str("why", why);
	record_log(t, LOG_INFO, "optional_file_missing", &reason, 1);
	return NEXT_ASK;
}

/* ---- fetches that failed ---- */

static void failed_fetch_note(struct delivery_task *t, struct str key, enum failure_class class,
			      struct str why)
{
	struct deliverer *deliverer = t->deliverer;
	const size_t index = deliverer->failed_fetch_next++ % FAILED_FETCHES_MAX;
	const int64_t wait_us = failure_is_transient(class) ? FAILED_FOR_NOW_US : FAILED_US;
	struct failed_fetch *failed = &deliverer->failed_fetches[index];
	*failed = (struct failed_fetch){
		.class = class,
		.until_boot_us = clock_boot_us(deliverer->config.clock) +
				 wait_us / deliverer->config.time_scale,
	};
	snprintf(failed->key, sizeof(failed->key), STR_FMT, STR_ARG(key));
	snprintf(failed->why, sizeof(failed->why), STR_FMT, STR_ARG(why));
}

/* What another delivery of the post got a moment ago. A person who tries again wants a new
 * fetch. */
static const struct failed_fetch *failed_fetch_of(struct delivery_task *t, struct str key)
{
	struct deliverer *deliverer = t->deliverer;
	const int64_t boot_us = clock_boot_us(deliverer->config.clock);
	for (size_t i = 0; i < FAILED_FETCHES_MAX; i++) {
		struct failed_fetch *failed = &deliverer->failed_fetches[i];
		if (failed->until_boot_us <= boot_us || !str_equal_z(key, failed->key))
			continue;
		if (!t->is_retried_by_person)
			return failed;
		failed->until_boot_us = 0;
		return NULL;
	}
	return NULL;
}

/* ---- fetching ---- */

static void share_take(struct delivery_task *t)
{
	if (!t->media.has_share)
		fetch_share_enter(t->deliverer->fetch_share, t->work.app_id);
	t->media.has_share = true;
}

static void share_leave(struct delivery_task *t)
{
	if (t->media.has_share)
		fetch_share_leave(t->deliverer->fetch_share, t->work.app_id);
	t->media.has_share = false;
}

static const struct delivery_task *fetching_task(const struct delivery_task *t, struct str key)
{
	for (const struct delivery_task *other = t->deliverer->fetching; other != NULL;
	     other = other->media.next_fetching) {
		if (str_equal(other->media.fetch_key, key))
			return other;
	}
	return NULL;
}

/* Wakes often, since most files are small; writes only once, since a lease as long as the fetch's
 * is enough. Takes nothing from the task's own arena: a fetch may last for hours. */
static enum next wait_for(struct delivery_task *t, const struct delivery_task *other)
{
	const enum next next =
		verdict_sleep(t, t->env.now_us + SHARED_FETCH_POLL_US, other->media.fetch_until_us);
	t->turn.is_quiet = t->turn.is_woken && t->turn.timeline_count == 0 &&
			   !t->turn.has_new_extra && t->held_until_us >= t->save.lease_until_us;
	share_take(t);
	return next;
}

static enum next fetch(struct delivery_task *t, size_t index, bool is_optional, struct str key)
{
	struct error err = {0};
	struct transfer_request request = {0};
	const struct fetch_room room = {.store = t->deliverer->config.store,
					.spool = t->deliverer->config.spool,
					.app_id = t->work.app_id,
					.key = key};
	const struct str refusal = fetch_room_refusal(t->turn.arena, &room);
	if (!str_is_empty(refusal))
		return media_failed(t, index, is_optional, FAILURE_TRANSIENT, refusal);
	if (spool_fetch_request(t->deliverer->config.spool, t->turn.arena, key, media_url(t, index),
				&request, &err) != ERR_NONE)
		return media_failed(t, index, is_optional, FAILURE_TRANSIENT,
				    str_copy(t->turn.arena, str_of(err.text)));
	share_take(t);
	request.owner = t->work.app_id;
	t->media.fetch_until_us = t->env.now_us + request.timeout_ms * US_PER_MS;
	t->media.fetch_key = str_copy(t->arena, key);
	t->media.fetch_index = index;
	t->media.fetch_is_optional = is_optional;
	t->media.next_fetching = t->deliverer->fetching;
	t->deliverer->fetching = t;
	return verdict_fetch(t, &request);
}

/* ---- uploaded files ---- */

static enum next media_lost(struct delivery_task *t, size_t index, bool is_optional,
			    const char *why)
{
	return media_failed(t, index, is_optional, FAILURE_PERMANENT, str_of(why));
}

static enum next wait_for_bringing(struct delivery_task *t)
{
	const enum next next =
		verdict_sleep(t, t->env.now_us + SHARED_FETCH_POLL_US, t->env.now_us + BRINGING_US);
	t->turn.is_quiet = t->turn.is_woken && t->turn.timeline_count == 0 &&
			   !t->turn.has_new_extra && t->held_until_us >= t->save.lease_until_us;
	share_take(t);
	return next;
}

/* ASK: it is on this disk, or known to be missing. */
static enum next want_here(struct delivery_task *t, size_t index, bool is_optional,
			   struct str media_id)
{
	const struct deliverer_config *config = &t->deliverer->config;
	if (media_file_is_here(config->media_files, t->turn.arena, media_id))
		return NEXT_ASK;
	const enum media_bring_state state =
		config->media_files->s3 != NULL ? media_bringer_ask(t->deliverer->bringer, media_id)
						: MEDIA_BRING_GONE;
	switch (state) {
	case MEDIA_BRING_DONE:
		return NEXT_ASK;
	case MEDIA_BRING_UNDER_WAY:
		return verdict_gives_back(t) ? NEXT_PLANNED : wait_for_bringing(t);
	case MEDIA_BRING_FAILED:
		return media_failed(t, index, is_optional, FAILURE_TRANSIENT,
				    STR("the media store cannot be reached."));
	case MEDIA_BRING_GONE:
		break;
	}
	return media_lost(t, index, is_optional,
			  "the uploaded file is not in the media store of this node. Upload it "
			  "again, or ask the operator.");
}

/* Its bytes are here: nothing is fetched. */
static enum next want_uploaded(struct delivery_task *t, size_t index, bool is_optional,
			       struct str media_id)
{
	const struct deliverer_config *config = &t->deliverer->config;
	struct media_row row = {0};
	struct error err = {0};
	const enum err_kind kind = store_media_find(config->store, t->turn.arena, t->work.app_id,
						    media_id, &row, &err);
	if (kind == ERR_NOT_FOUND || config->media_files == NULL)
		return media_lost(t, index, is_optional,
				  "the uploaded file is gone (media_expired). Upload it again.");
	if (kind != ERR_NONE)
		return media_failed(t, index, is_optional, FAILURE_TRANSIENT,
				    STR("the database did not say where it is."));
	const enum next next = want_here(t, index, is_optional, media_id);
	if (next != NEXT_ASK || t->media.files[index].is_missing)
		return next;
	t->media.files[index] = (struct media_file){
		.is_ready = true,
		.size_bytes = row.size_bytes,
		.sniff = media_sniff(&row),
		.hosted_url =
			config->hosted != NULL
				? str_copy(t->arena, hosted_media_url(config->hosted, t->turn.arena,
								      t->work.app_id, media_id))
				: STR(""),
	};
	t->media.paths[index] = media_file_path(config->media_files, t->arena, media_id);
	/* Its row does not say what it is coded as. */
	struct sniff *sniff = &t->media.files[index].sniff;
	if (config->film_mode != FILM_MODE_OFF && sniff->is_video)
		spool_look(config->spool, t->media.paths[index], sniff);
	return NEXT_ASK;
}

static enum next want_original(struct delivery_task *t, size_t index, bool is_optional)
{
	if (media_id_is(media_url(t, index)))
		return want_uploaded(t, index, is_optional, media_url(t, index));
	const struct str key = media_key(t, index);
	struct spool_file file;
	if (spool_find(t->deliverer->config.spool, t->turn.arena, key, &file)) {
		share_leave(t);
		media_ready(t, index, key, &file);
		return NEXT_ASK;
	}
	if (verdict_gives_back(t))
		return NEXT_PLANNED;
	const struct delivery_task *other = fetching_task(t, key);
	if (other != NULL)
		return wait_for(t, other);
	const struct failed_fetch *failed = failed_fetch_of(t, key);
	if (failed != NULL)
		return media_failed(t, index, is_optional, failed->class,
				    str_copy(t->turn.arena, str_of(failed->why)));
	return fetch(t, index, is_optional, key);
}

static enum next want(struct delivery_task *t, size_t index, bool is_optional)
{
	const enum next next =
		t->media.files[index].is_ready ? NEXT_ASK : want_original(t, index, is_optional);
	return next == NEXT_ASK && t->media.files[index].is_ready
		       ? fitting_apply(t, index, media_key(t, index))
		       : next;
}

/* The file is here, and the platform takes it only otherwise. */
static enum next want_fitted(struct delivery_task *t, const struct step *step)
{
	const size_t index = step->media_index;
	if (index >= t->media.count + t->env.file_count || !t->media.files[index].is_ready)
		return verdict_end_internal(t, STR("Internal error: the platform adapter asked for "
						   "a change of a file that is not here."));
	fitting_note(t, step);
	return want(t, index, false);
}

/* Index of the file at an address, which is noted when it is new; SIZE_MAX when there are too
 * many. */
static size_t file_index(struct delivery_task *t, struct str url)
{
	const int known = env_file(&t->env, url);
	if (known >= 0)
		return (size_t)known;
	if (t->env.file_count == ENV_FILES_MAX)
		return SIZE_MAX;
	t->media.urls[t->env.file_count] = str_copy(t->arena, url);
	return t->media.count + t->env.file_count++;
}

enum next media_want(struct delivery_task *t, const struct step *step)
{
	if (step->fit != MEDIA_FIT_NOTHING)
		return want_fitted(t, step);
	const bool is_further = step->file_url.len > 0;
	const size_t index = is_further ? file_index(t, step->file_url) : step->media_index;
	const bool is_optional = is_further && step->file_is_optional;
	if (is_further ? index == SIZE_MAX : index >= t->media.count)
		return verdict_end_internal(t, STR("Internal error: the platform adapter asked for "
						   "a file that the post does not have."));
	if (is_optional && t->media.files[index].is_missing)
		return NEXT_ASK;
	return want(t, index, is_optional);
}

/* ---- after the fetch ---- */

void media_task_gone(struct delivery_task *t)
{
	for (struct delivery_task **link = &t->deliverer->fetching; *link != NULL;
	     link = &(*link)->media.next_fetching) {
		if (*link == t) {
			*link = t->media.next_fetching;
			break;
		}
	}
	t->media.fetch_key = STR("");
	share_leave(t);
}

enum next media_fetched(struct delivery_task *t, const struct transfer_result *result)
{
	const struct str key = t->media.fetch_key;
	const size_t index = t->media.fetch_index;
	struct spool_file file;
	struct error err = {0};
	media_task_gone(t);
	const enum err_kind kind = spool_fetch_finish(t->deliverer->config.spool, t->turn.arena,
						      key, result, &file, &err);
	if (kind == ERR_NONE) {
		media_ready(t, index, key, &file);
		return fitting_apply(t, index, key);
	}
	/* The spool knows what may pass: a full disk or budget, a server that is down; not an
	 * address that may not be reached, nor an answer that says "not for you" or "not there". */
	const enum failure_class class =
		kind == ERR_TEMPORARY ? FAILURE_TRANSIENT : FAILURE_PERMANENT;
	const struct str why = fetch_failure_text(t->turn.arena, result, &err);
	failed_fetch_note(t, key, class, why);
	return media_failed(t, index, t->media.fetch_is_optional, class, why);
}

void media_post_finished(struct delivery_task *t)
{
	bool is_unfinished = true;
	struct error err = {0};
	/* Even if this claim used no file: an earlier claim, or another delivery of the post, may
	 * have fetched some. Options may name files, and overrides may give media. */
	if ((t->media.count == 0 && t->content.options == NULL && t->content.override_count == 0) ||
	    store_post_is_unfinished(t->deliverer->config.store, t->work.post_id, &is_unfinished,
				     &err) != ERR_NONE)
		return;
	if (!is_unfinished)
		spool_remove(t->deliverer->config.spool, t->work.post_id);
}

/* A file of an earlier run is in its app's share again. */
static void adopt(struct deliverer *deliverer, struct str key)
{
	struct spool *spool = deliverer->config.spool;
	struct str app_id = {0};
	struct error err = {0};
	if (spool_share_is_known(spool, key))
		return;
	struct arena *arena = arena_new("adopted file", ADOPT_ARENA_BYTES);
	if (store_post_app_id(deliverer->config.store, arena, str_slice(key, 0, UUID_TEXT_BYTES),
			      &app_id, &err) == ERR_NONE)
		spool_share_adopt(spool, key, app_id);
	arena_free(&arena);
}

bool media_key_is_needed(void *context, struct str key)
{
	struct deliverer *deliverer = context;
	bool is_unfinished = true;
	struct error err = {0};
	const enum err_kind kind = store_post_is_unfinished(
		deliverer->config.store, str_slice(key, 0, UUID_TEXT_BYTES), &is_unfinished, &err);
	if (kind == ERR_NONE && is_unfinished)
		adopt(deliverer, key);
	return kind != ERR_NONE || is_unfinished;
}
