/* SPDX-License-Identifier: Apache-2.0
 * Customers' files on their way to our disk: the post's media, and what its options and thumbnails
 * name. One fetch per distinct URL and post, shared by all deliveries of the post. */
#include "delivery_private.h"

#include <stdio.h>

#include "digest.h"

#include "hosted.h"

/* Deliveries of one post come to their media within moments of each other. What may pass is asked
 * for again by the first retry of any of them, which is 30 s later (policy.c); the others then
 * share that answer too. */
#define DEAD_FOR_NOW_US (20 * US_PER_S)
#define DEAD_US (5 * US_PER_MINUTE)
#define SHARED_FETCH_LOOK_US (100 * US_PER_MS)
#define UUID_TEXT_BYTES 36
#define KEY_HASH_DIGITS 32

static struct str media_url(const struct delivery_task *t, size_t index)
{
	return index < t->media_count ? post_media_at(&t->content, index)->url
				      : t->file_urls[index - t->media_count];
}

/* The same for every delivery of the post, and after a restart, in whatever order files are asked
 * for. */
static struct str media_key(const struct delivery_task *t, size_t index)
{
	const struct digest digest = digest_sha256(media_url(t, index));
	const struct str hash = str_slice(digest_hex(t->turn_arena, &digest), 0, KEY_HASH_DIGITS);
	return str_format(t->turn_arena, STR_FMT "-" STR_FMT, STR_ARG(t->work.post_id),
			  STR_ARG(hash));
}

static void media_ready(struct delivery_task *t, size_t index, struct str key,
			const struct spool_file *file)
{
	const struct hosted *hosted = t->deliverer->config.hosted;
	t->media[index] = (struct media_file){
		.is_ready = true,
		.size_bytes = file->size_bytes,
		.sniff = file->sniff,
		.hosted_url = hosted != NULL
				      ? str_copy(t->arena, hosted_url(hosted, t->turn_arena, key))
				      : STR(""),
	};
	t->media_paths[index] = str_z(t->arena, file->path);
}

/* As people count; what an option or a thumbnail names has no number that they know. */
static struct str media_name(const struct delivery_task *t, size_t index)
{
	if (index < t->media_count)
		return str_format(t->turn_arena, "Media file %zu", index + 1);
	return STR("A thumbnail, document or other further file");
}

/* True when that is the delivery's end, or a later try is planned; false when the adapter can do
 * without the file. */
static bool media_failed(struct delivery_task *t, size_t index, bool is_optional,
			 enum failure_class class, struct str why)
{
	const struct failure failure = {
		.class = class,
		.code = FAILURE_CODE_MEDIA_UNREACHABLE,
		.message = str_format(t->turn_arena, STR_FMT " could not be fetched: " STR_FMT,
				      STR_ARG(media_name(t, index)), STR_ARG(why)),
	};
	if (!is_optional) {
		course_failed(t, &failure);
		return true;
	}
	t->media[index] = (struct media_file){.is_missing = true};
	record_decision(t, str_concat(t->turn_arena, STR("go on without it: "), failure.message));
	LOG(t->deliverer->config.log, INFO, "optional_file_missing",
	    log_str("delivery", t->work.id), log_str("why", why));
	return false;
}

/* ---- files that did not come ---- */

static struct dead_media *dead_find(const struct delivery_task *t, struct str key)
{
	struct deliverer *deliverer = t->deliverer;
	const int64_t boot_us = clock_boot_us(deliverer->config.clock);
	for (size_t i = 0; i < DEAD_MEDIA_MAX; i++) {
		struct dead_media *dead = &deliverer->dead_media[i];
		if (dead->until_boot_us > boot_us && str_equal_z(key, dead->key))
			return dead;
	}
	return NULL;
}

static void dead_note(struct delivery_task *t, struct str key, enum failure_class class,
		      struct str why)
{
	struct deliverer *deliverer = t->deliverer;
	struct dead_media *dead =
		&deliverer->dead_media[deliverer->dead_media_next++ % DEAD_MEDIA_MAX];
	const int64_t wait_us = failure_is_transient(class) ? DEAD_FOR_NOW_US : DEAD_US;
	*dead = (struct dead_media){
		.class = class,
		.until_boot_us = clock_boot_us(deliverer->config.clock) +
				 wait_us / deliverer->config.time_scale,
	};
	snprintf(dead->key, sizeof(dead->key), STR_FMT, STR_ARG(key));
	snprintf(dead->why, sizeof(dead->why), STR_FMT, STR_ARG(why));
}

/* What another delivery of the post was told a moment ago. A person who tries again wants a new
 * look. */
static const struct dead_media *dead_for(struct delivery_task *t, struct str key)
{
	struct dead_media *dead = dead_find(t, key);
	if (dead == NULL || !t->is_asked_again)
		return dead;
	dead->until_boot_us = 0;
	return NULL;
}

static const struct delivery_task *who_fetches(const struct delivery_task *t, struct str key)
{
	for (const struct delivery_task *other = t->deliverer->fetching; other != NULL;
	     other = other->next_fetching) {
		if (str_equal(other->fetch_key, key))
			return other;
	}
	return NULL;
}

/* Looks often, since most files are small; writes only once, since a lease as long as the fetch's
 * says all. Takes nothing from the task's own arena: a fetch may last for hours. */
static void wait_for(struct delivery_task *t, const struct delivery_task *other)
{
	t->plan->action = TASK_SLEEP;
	t->plan->wake_at_us = t->env.now_us + SHARED_FETCH_LOOK_US;
	t->save.lease_until_us = other->fetch_until_us + LEASE_MARGIN_US;
	t->is_quiet = t->is_woken && t->timeline_count == 0 && !t->has_new_extra &&
		      t->held_until_us >= t->save.lease_until_us;
}

static void begin_fetch(struct delivery_task *t, size_t index, bool is_optional, struct str key,
			const struct transfer_request *request)
{
	t->plan->action = TASK_FETCH;
	t->plan->fetch = *request;
	t->fetch_until_us = t->env.now_us + request->timeout_ms * US_PER_MS;
	t->save.lease_until_us = t->fetch_until_us + LEASE_MARGIN_US;
	t->fetch_key = str_copy(t->arena, key);
	t->fetch_index = index;
	t->fetch_is_optional = is_optional;
	t->next_fetching = t->deliverer->fetching;
	t->deliverer->fetching = t;
}

static bool want(struct delivery_task *t, size_t index, bool is_optional)
{
	struct deliverer *deliverer = t->deliverer;
	struct str key = media_key(t, index);
	struct spool_file file;
	if (spool_find(deliverer->config.spool, t->turn_arena, key, &file)) {
		media_ready(t, index, key, &file);
		return false;
	}
	if (course_gives_back(t))
		return true;
	const struct delivery_task *other = who_fetches(t, key);
	if (other != NULL) {
		wait_for(t, other);
		return true;
	}
	const struct dead_media *dead = dead_for(t, key);
	if (dead != NULL)
		return media_failed(t, index, is_optional, dead->class,
				    str_copy(t->turn_arena, str_of(dead->why)));
	struct error err = {0};
	struct transfer_request request = {0};
	enum err_kind kind = spool_fetch_request(deliverer->config.spool, t->turn_arena, key,
						 media_url(t, index), &request, &err);
	if (kind != ERR_NONE)
		return media_failed(t, index, is_optional, FAILURE_TRANSIENT,
				    str_copy(t->turn_arena, str_of(err.text)));
	begin_fetch(t, index, is_optional, key, &request);
	return true;
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
	t->file_urls[t->env.file_count] = str_copy(t->arena, url);
	return t->media_count + t->env.file_count++;
}

static void no_such_file(struct delivery_task *t)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_INTERNAL_ERROR,
		.message = STR("The adapter asked for a file that the post does not have."),
	};
	course_finish_failed(t, &failure);
}

bool media_want(struct delivery_task *t, const struct step *step)
{
	const bool is_further = step->file_url.len > 0;
	const size_t index = is_further ? file_index(t, step->file_url) : step->media_index;
	const bool is_optional = is_further && step->file_is_optional;
	if (is_further ? index == SIZE_MAX : index >= t->media_count) {
		no_such_file(t);
		return true;
	}
	if (is_optional && t->media[index].is_missing)
		return false;
	return want(t, index, is_optional);
}

void media_task_gone(struct delivery_task *t)
{
	for (struct delivery_task **link = &t->deliverer->fetching; *link != NULL;
	     link = &(*link)->next_fetching) {
		if (*link == t) {
			*link = t->next_fetching;
			break;
		}
	}
	t->fetch_key = STR("");
}

static struct str fetch_failure_text(struct delivery_task *t, const struct transfer_result *result,
				     const struct error *err)
{
	if (result->outcome != TRANSFER_ANSWERED)
		return result->error_text;
	if (result->status >= 200 && result->status <= 299)
		return str_copy(t->turn_arena, str_of(err->text));
	return str_format(t->turn_arena, "the server answered with status %d.", result->status);
}

void media_fetched(struct delivery_task *t, const struct transfer_result *result)
{
	struct str key = t->fetch_key;
	size_t index = t->fetch_index;
	media_task_gone(t);
	struct spool_file file;
	struct error err = {0};
	/* The spool knows what passes: a full disk or budget, a server that is down; not an address
	 * that may not be reached, nor an answer that says "not for you" or "not there". */
	enum err_kind kind = spool_fetch_finish(t->deliverer->config.spool, t->turn_arena, key,
						result, &file, &err);
	const enum failure_class class =
		kind == ERR_TEMPORARY ? FAILURE_TRANSIENT : FAILURE_PERMANENT;
	if (kind == ERR_NONE) {
		media_ready(t, index, key, &file);
	} else {
		const struct str why = fetch_failure_text(t, result, &err);
		dead_note(t, key, class, why);
		if (media_failed(t, index, t->fetch_is_optional, class, why))
			return;
	}
	course_run(t, NULL);
}

void media_post_finished(struct delivery_task *t)
{
	bool is_unfinished = true;
	struct error err = {0};
	/* Whatever this claim of it used: an earlier one, or another delivery of the post, may have
	 * fetched. Options name files. */
	if ((t->media_count == 0 && t->content.options == NULL) ||
	    store_post_is_unfinished(t->deliverer->config.store, t->work.post_id, &is_unfinished,
				     &err) != ERR_NONE)
		return;
	if (!is_unfinished)
		spool_remove(t->deliverer->config.spool, t->work.post_id);
}

bool media_key_is_needed(void *context, struct str key)
{
	struct deliverer *deliverer = context;
	bool is_unfinished = true;
	struct error err = {0};
	enum err_kind kind = store_post_is_unfinished(
		deliverer->config.store, str_slice(key, 0, UUID_TEXT_BYTES), &is_unfinished, &err);
	return kind != ERR_NONE || is_unfinished;
}
