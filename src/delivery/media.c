/* SPDX-License-Identifier: Apache-2.0
 * Customers' media files on their way to our disk: one fetch per distinct URL and post, shared by all deliveries of the post. */
#include "delivery_private.h"

#define SHARED_FETCH_LOOK_US (100 * US_PER_MS)
#define UUID_TEXT_BYTES 36

/* The first media item of the post with the same URL stands for all of them. */
static size_t media_stand_in(const struct delivery_task *t, size_t index)
{
	struct str url = post_media_at(&t->content, index)->url;
	for (size_t i = 0; i < index; i++) {
		if (str_equal(post_media_at(&t->content, i)->url, url))
			return i;
	}
	return index;
}

static struct str media_key(const struct delivery_task *t, size_t index)
{
	return str_format(t->turn_arena, STR_FMT "-%zu", STR_ARG(t->work.post_id), media_stand_in(t, index));
}

static void media_ready(struct delivery_task *t, size_t index, const struct spool_file *file)
{
	t->media[index] = (struct media_file){.is_ready = true, .size_bytes = file->size_bytes, .sniff = file->sniff};
	t->media_paths[index] = str_z(t->arena, file->path);
}

static void media_failed(struct delivery_task *t, size_t index, enum failure_class class, struct str why)
{
	const struct failure failure = {
		.class = class,
		.code = FAILURE_CODE_MEDIA_UNREACHABLE,
		.message = str_format(t->turn_arena, "Media file %zu could not be fetched: " STR_FMT, index + 1, STR_ARG(why)),
	};
	course_failed(t, &failure);
}

static const struct delivery_task *who_fetches(const struct delivery_task *t, struct str key)
{
	for (const struct delivery_task *other = t->deliverer->fetching; other != NULL; other = other->next_fetching) {
		if (str_equal(other->fetch_key, key))
			return other;
	}
	return NULL;
}

/* Looks often, since most files are small; writes only once, since a lease as long as the fetch's says all. Takes nothing from
 * the task's own arena: a fetch may last for hours. */
static void wait_for(struct delivery_task *t, const struct delivery_task *other)
{
	t->plan->action = TASK_SLEEP;
	t->plan->wake_at_us = t->env.now_us + SHARED_FETCH_LOOK_US;
	t->save.lease_until_us = other->fetch_until_us + LEASE_MARGIN_US;
	t->is_quiet = t->is_woken && t->timeline_count == 0 && t->held_until_us >= t->save.lease_until_us;
}

static void begin_fetch(struct delivery_task *t, size_t index, struct str key, const struct transfer_request *request)
{
	t->plan->action = TASK_FETCH;
	t->plan->fetch = *request;
	t->fetch_until_us = t->env.now_us + request->timeout_ms * US_PER_MS;
	t->save.lease_until_us = t->fetch_until_us + LEASE_MARGIN_US;
	t->fetch_key = str_copy(t->arena, key);
	t->fetch_index = index;
	t->next_fetching = t->deliverer->fetching;
	t->deliverer->fetching = t;
}

bool media_want(struct delivery_task *t, size_t index)
{
	struct deliverer *deliverer = t->deliverer;
	if (index >= t->media_count) {
		media_failed(t, index, FAILURE_PERMANENT, STR("the post has no such file"));
		return true;
	}
	struct str key = media_key(t, index);
	struct spool_file file;
	if (spool_find(deliverer->config.spool, t->turn_arena, key, &file)) {
		media_ready(t, index, &file);
		return false;
	}
	if (course_gives_back(t))
		return true;
	const struct delivery_task *other = who_fetches(t, key);
	if (other != NULL) {
		wait_for(t, other);
		return true;
	}
	struct error err = {0};
	struct transfer_request request = {0};
	struct str url = post_media_at(&t->content, index)->url;
	enum err_kind kind = spool_fetch_request(deliverer->config.spool, t->turn_arena, key, url, &request, &err);
	if (kind != ERR_NONE) {
		media_failed(t, index, FAILURE_TRANSIENT, str_of(err.text));
		return true;
	}
	begin_fetch(t, index, key, &request);
	return true;
}

void media_task_gone(struct delivery_task *t)
{
	for (struct delivery_task **link = &t->deliverer->fetching; *link != NULL; link = &(*link)->next_fetching) {
		if (*link == t) {
			*link = t->next_fetching;
			break;
		}
	}
	t->fetch_key = STR("");
}

static struct str fetch_failure_text(struct delivery_task *t, const struct transfer_result *result, const struct error *err)
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
	/* The spool knows what passes: a full disk or budget, a server that is down; not an address that may not be reached, nor an
	 * answer that says "not for you" or "not there". */
	enum err_kind kind = spool_fetch_finish(t->deliverer->config.spool, t->turn_arena, key, result, &file, &err);
	if (kind != ERR_NONE) {
		media_failed(t, index, kind == ERR_TEMPORARY ? FAILURE_TRANSIENT : FAILURE_PERMANENT, fetch_failure_text(t, result, &err));
		return;
	}
	media_ready(t, index, &file);
	course_run(t, NULL);
}

void media_post_finished(struct delivery_task *t)
{
	bool is_unfinished = true;
	struct error err = {0};
	/* Whatever this claim of it used: an earlier one, or another delivery of the post, may have fetched. */
	if (t->media_count == 0 ||
	    store_post_is_unfinished(t->deliverer->config.store, t->work.post_id, &is_unfinished, &err) != ERR_NONE)
		return;
	if (!is_unfinished)
		spool_remove(t->deliverer->config.spool, t->work.post_id);
}

bool media_key_is_needed(void *context, struct str key)
{
	struct deliverer *deliverer = context;
	bool is_unfinished = true;
	struct error err = {0};
	enum err_kind kind = store_post_is_unfinished(deliverer->config.store, str_slice(key, 0, UUID_TEXT_BYTES),
						      &is_unfinished, &err);
	return kind != ERR_NONE || is_unfinished;
}
