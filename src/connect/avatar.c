/* SPDX-License-Identifier: Apache-2.0
 * Pictures of accounts: fetched from the address that the platform gave, once, and kept
 * (avatar_cache.h). The fetch is a task of the engine. Nobody waits for it, and it is never
 * durable: who looks at the account again asks for it again. A real platform's address goes through
 * the guard, as any address that others chose; a sandbox's leads to that sandbox alone. */
#include "connect_private.h"

#include "fnv.h"

#include "avatar.h"

#define AVATAR_TIMEOUT_MS 20000
#define AVATAR_REDIRECTS_MAX 3 /* rules.md 4.1 */
#define AVATAR_LOW_SPEED_BYTES_S 1024
#define AVATAR_PAUSE_US US_PER_HOUR /* before a failed one is tried again */
#define AVATAR_ARENA_BYTES ((size_t)64 << 10)
#define SWEEP_ARENA_BYTES ((size_t)4 << 20)

struct avatar_fetch {
	struct connect_task base; /* first; only what queue.c uses of it */
	struct str account_id;
	struct str app_id;
	struct str url;
	uint64_t mark;
	bool is_of_sandbox;
};

/* ---- what is under way, and what failed ---- */

static uint64_t mark_of(const struct account_row *account)
{
	return (uint64_t)fnv_hash(account->id) << 32 | fnv_hash(account->avatar_url);
}

/* mutex is held. The oldest gives way. */
static struct avatar_note *note_of(struct connector *connector, uint64_t mark)
{
	struct avatar_note *oldest = &connector->avatar_notes[0];
	for (size_t i = 0; i < AVATAR_NOTES_MAX; i++) {
		struct avatar_note *note = &connector->avatar_notes[i];
		if (note->mark == mark)
			return note;
		if (note->until_boot_us < oldest->until_boot_us)
			oldest = note;
	}
	return oldest;
}

static bool begin_note(struct connector *connector, uint64_t mark)
{
	const int64_t now_us = clock_boot_us(connector->config.clock);
	pthread_mutex_lock(&connector->mutex);
	struct avatar_note *note = note_of(connector, mark);
	const bool may_begin = connector->avatars_under_way < AVATARS_UNDER_WAY_MAX &&
			       !(note->mark == mark && note->until_boot_us > now_us);
	if (may_begin) {
		/* the end of the fetch says more; this is for one that never comes to it */
		*note = (struct avatar_note){mark, now_us + AVATAR_PAUSE_US};
		connector->avatars_under_way++;
	}
	pthread_mutex_unlock(&connector->mutex);
	return may_begin;
}

static void end_note(struct connector *connector, uint64_t mark, bool is_kept)
{
	const int64_t now_us = clock_boot_us(connector->config.clock);
	pthread_mutex_lock(&connector->mutex);
	struct avatar_note *note = note_of(connector, mark);
	*note = (struct avatar_note){mark, is_kept ? 0 : now_us + AVATAR_PAUSE_US};
	pthread_mutex_unlock(&connector->mutex);
}

/* ---- a fetch ---- */

static void describe(const struct avatar_fetch *fetch, struct transfer_request *request)
{
	*request = (struct transfer_request){
		.pool = fetch->is_of_sandbox ? TRANSFER_PLATFORM : TRANSFER_MEDIA,
		.reach = fetch->base.task.reach,
		.owner = fetch->app_id,
		.method = "GET",
		.url = fetch->url,
		.timeout_ms = AVATAR_TIMEOUT_MS,
		.response_max_bytes = AVATAR_MAX_BYTES,
		.redirects_max = fetch->is_of_sandbox ? 0 : AVATAR_REDIRECTS_MAX,
		.low_speed_bytes_s = AVATAR_LOW_SPEED_BYTES_S,
	};
}

static const char *why_not(const struct transfer_result *result)
{
	if (result->outcome != TRANSFER_ANSWERED)
		return result->problem == TRANSFER_REFUSED_BY_GUARD ? "its address is not public"
		       : result->problem == TRANSFER_TOO_LARGE      ? "it is too large"
								    : "there was no answer";
	return result->status == 200 ? NULL : "the address answers with another status than 200";
}

/* No address in the log: platforms sign theirs. */
static void finish(struct avatar_fetch *fetch, const struct transfer_result *result)
{
	struct connector *connector = fetch->base.connector;
	const char *why = why_not(result);
	const bool is_kept =
		why == NULL && avatar_cache_write(&connector->avatars, fetch->account_id,
						  fetch->url, result->body, &why);
	end_note(connector, fetch->mark, is_kept);
	if (!is_kept)
		LOG(connector->config.log, INFO, "avatar_not_kept",
		    log_str("account", fetch->account_id), log_str("why", str_of(why)));
}

static void plan(struct task *task, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan)
{
	struct avatar_fetch *fetch = (struct avatar_fetch *)task;
	(void)arena;
	plan->action = TASK_END;
	if (event->kind == TASK_EVENT_FETCHED)
		finish(fetch, event->fetched);
	if (event->kind != TASK_EVENT_START)
		return;
	plan->action = TASK_FETCH;
	describe(fetch, &plan->fetch);
}

static void free_fetch(struct task *task)
{
	struct avatar_fetch *fetch = (struct avatar_fetch *)task;
	struct connector *connector = fetch->base.connector;
	struct arena *arena = fetch->base.arena;
	pthread_mutex_lock(&connector->mutex);
	connector->avatars_under_way--;
	pthread_mutex_unlock(&connector->mutex);
	arena_free(&arena); /* it lies in it */
}

static const struct task_ops avatar_ops = {.plan = plan, .free = free_fetch};

static bool may_have(const struct account_row *account)
{
	return !str_is_empty(account->avatar_url) && account->state != ACCOUNT_DISCONNECTED;
}

void avatar_fetch_begin(struct connector *connector, const struct account_row *account,
			bool is_test)
{
	const bool is_of_sandbox = is_test || connector->config.sandbox_url != NULL;
	const uint64_t mark = mark_of(account);
	if (connector->avatars.directory == NULL || connector->config.closed_why != NULL ||
	    !may_have(account) ||
	    !(is_of_sandbox || str_has_prefix(account->avatar_url, STR("https://"))) ||
	    !begin_note(connector, mark))
		return;
	struct arena *arena = arena_new("avatar", AVATAR_ARENA_BYTES);
	struct avatar_fetch *fetch = ARENA_NEW(arena, struct avatar_fetch);
	fetch->base.task.ops = &avatar_ops;
	fetch->base.task.reach = is_test ? TRANSFER_TEST : TRANSFER_REAL;
	fetch->base.connector = connector;
	fetch->base.arena = arena;
	fetch->account_id = str_copy(arena, account->id);
	fetch->app_id = str_copy(arena, account->app_id);
	fetch->url = str_copy(arena, account->avatar_url);
	fetch->mark = mark;
	fetch->is_of_sandbox = is_of_sandbox;
	connector_enqueue(connector, &fetch->base);
}

bool connector_avatar(struct connector *connector, struct arena *arena,
		      const struct account_row *account, bool is_test, struct avatar *avatar_out)
{
	*avatar_out = (struct avatar){0};
	if (!may_have(account))
		return false;
	const bool is_there = avatar_cache_read(&connector->avatars, arena, account->id,
						account->avatar_url, avatar_out);
	if (!is_there || !avatar_out->is_current)
		avatar_fetch_begin(connector, account, is_test);
	return is_there;
}

/* ---- what is kept for nobody ---- */

static bool keeps(void *context, const struct str *account_ids, size_t count, bool *keeps_out)
{
	const struct connector *connector = context;
	struct arena *arena = arena_new("avatars", SWEEP_ARENA_BYTES);
	struct error err = {0};
	const enum err_kind kind = store_account_have_avatars(connector->config.store, arena,
							      account_ids, count, keeps_out, &err);
	arena_free(&arena);
	if (kind != ERR_NONE)
		LOG(connector->config.log, WARN, "avatars_not_swept",
		    log_str("why", str_of(err.text)));
	return kind == ERR_NONE;
}

void connector_sweep_avatars(struct connector *connector)
{
	const size_t removed = avatar_cache_sweep(&connector->avatars, keeps, connector);
	if (removed > 0)
		LOG(connector->config.log, INFO, "avatars_removed",
		    log_int("count", (int64_t)removed));
}
