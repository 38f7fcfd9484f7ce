/* SPDX-License-Identifier: Apache-2.0
 * The source: what is due of events and webhook deliveries, and what is old enough to go. */
#include "webhook_private.h"

#include <stdlib.h>

#include "store_alarm.h"
#include "store_connection.h"
#include "store_node.h"

#define CLAIM_ARENA_MAX_BYTES ((size_t)256 << 20)
/* a call takes 10 s at most; a dead owner's leases are voided at the next start */
#define LEASE_US US_PER_MINUTE
/* how long events that cannot be read are left alone */
#define PUT_OFF_US (10 * US_PER_MINUTE)
#define EXPIRY_EVERY_US US_PER_MINUTE
#define EXPIRY_MAX 1000
/* Between two that both found something, where others stand still meanwhile. */
#define EXPIRY_MORE_US (250 * US_PER_MS)

static size_t free_slots(void *context, struct str webhook_id)
{
	return webhook_attempt_room(context, webhook_id);
}

/* A little at a time, so that no turn is long. */
static enum err_kind expire(struct webhooker *webhooker, void *tx, int64_t now_us,
			    struct error *err)
{
	if (now_us < webhooker->next_expiry_us)
		return ERR_NONE;
	int64_t removed = 0;
	const enum err_kind kind = store_retention_expire(tx, &webhooker->config.retention, now_us,
							  EXPIRY_MAX, &removed, err);
	const int64_t soon_us = store_is_shared(webhooker->config.store) ? EXPIRY_MORE_US : 0;
	webhooker->next_expiry_us = now_us + (removed > 0 ? soon_us : EXPIRY_EVERY_US);
	return kind;
}

/* Accounts that only their users can renew, before they end. */
static enum err_kind tell_endings(struct webhooker *webhooker, void *tx, int64_t now_us,
				  struct error *err)
{
	const int64_t scale = webhooker->config.time_scale;
	const int64_t every_us = scale > 1 ? EXPIRY_EVERY_US / scale : EXPIRY_EVERY_US;
	size_t told = 0;
	if (now_us < webhooker->next_ending_us)
		return ERR_NONE;
	const enum err_kind kind = store_account_tell_endings(tx, now_us, EXPIRY_MAX, &told, err);
	webhooker->next_ending_us =
		told > 0 ? now_us : now_us + (every_us > US_PER_S ? every_us : US_PER_S);
	return kind;
}

/* These go over all apps: where several nodes write, such a turn has to be alone. */
static enum err_kind sweep(struct webhooker *webhooker, struct store_tx *tx, int64_t now_us,
			   struct error *err)
{
	if (now_us < webhooker->next_ending_us && now_us < webhooker->next_expiry_us)
		return ERR_NONE;
	if (!store_tx_is_alone(tx)) {
		store_tx_want_alone(tx);
		return ERR_NONE;
	}
	const enum err_kind kind = tell_endings(webhooker, tx, now_us, err);
	return kind == ERR_NONE ? expire(webhooker, tx, now_us, err) : kind;
}

static bool may_claim(const struct webhooker *webhooker)
{
	const struct webhooker_config *config = &webhooker->config;
	return config->may_claim == NULL || config->may_claim(config->key_context);
}

struct claiming {
	struct webhooker *webhooker;
	size_t max;
};

static enum err_kind claim(struct store_tx *tx, void *argument, struct error *err)
{
	const struct claiming *claiming = argument;
	struct webhooker *webhooker = claiming->webhooker;
	const size_t max = claiming->max;
	const int64_t now_us = clock_now_us(webhooker->config.clock);
	const size_t most = max < WEBHOOK_CLAIM_MAX ? max : WEBHOOK_CLAIM_MAX;
	const struct webhook_claim wish = {.now_us = now_us,
					   .lease_us = LEASE_US,
					   .max = most,
					   .slots = free_slots,
					   .context = webhooker};
	arena_clear(webhooker->claim_arena);
	webhooker->claimed = (struct webhook_claimed){0};
	if (!may_claim(webhooker))
		return ERR_NONE;
	const enum err_kind kind =
		store_webhook_claim(tx, webhooker->claim_arena, &wish, &webhooker->claimed, err);
	return kind == ERR_NONE ? sweep(webhooker, tx, now_us, err) : kind;
}

/* Events that cannot be read wait; the posts of the same turn do not wait with them. SQLite writes
 * nothing more in a transaction that has read a damaged page: then the turn fails, and the next one
 * raises the alarm. */
static enum err_kind raise_alarm(struct webhooker *webhooker, void *tx, struct error *err)
{
	const struct str message =
		str_format(webhooker->claim_arena,
			   "Events are put off for 10 minutes at a time, because they cannot be "
			   "read from the database: %s. Posts go out.",
			   webhooker->put_off_why.text);
	const enum err_kind kind = store_alarm_raise_in(tx, STR("events"), message,
							clock_now_us(webhooker->config.clock), err);
	webhooker->is_alarm_due = kind != ERR_NONE;
	return kind;
}

static enum err_kind put_off(struct webhooker *webhooker, void *tx, const struct error *why,
			     struct error *err)
{
	webhooker->claimed = (struct webhook_claimed){0};
	webhooker->put_off_until_us = clock_now_us(webhooker->config.clock) + PUT_OFF_US;
	webhooker->put_off_why = *why;
	LOG(webhooker->config.log, ERROR, "events_put_off", log_str("error", str_of(why->text)));
	return raise_alarm(webhooker, tx, err);
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct webhooker *webhooker = context;
	struct claiming claiming = {webhooker, max};
	struct error why = {0};
	if (clock_now_us(webhooker->config.clock) < webhooker->put_off_until_us)
		return webhooker->is_alarm_due ? raise_alarm(webhooker, tx, err) : ERR_NONE;
	if (!webhooker->is_careful) {
		const enum err_kind kind = claim(tx, &claiming, err);
		webhooker->is_careful = kind != ERR_NONE;
		return kind;
	}
	const enum err_kind kind = store_tx_isolate(tx, claim, &claiming, &why);
	webhooker->is_careful = kind != ERR_NONE;
	if (kind == ERR_TEMPORARY)
		*err = why;
	return kind == ERR_NONE || kind == ERR_TEMPORARY ? kind : put_off(webhooker, tx, &why, err);
}

/* Less than was asked for does not mean that nothing is left (a webhook may be busy): next_due_us()
 * says when. */
static size_t source_claimed(void *context)
{
	struct webhooker *webhooker = context;
	const struct webhook_claimed *claimed = &webhooker->claimed;
	if (claimed->event_count > 0)
		engine_task_start(
			webhooker->config.engine,
			webhook_dispatch_new(webhooker, claimed->events, claimed->event_count));
	for (size_t i = 0; i < claimed->work_count; i++)
		engine_task_start(webhooker->config.engine,
				  webhook_attempt_new(webhooker, &claimed->work[i]));
	webhooker->claimed = (struct webhook_claimed){0};
	arena_clear(webhooker->claim_arena);
	return 0;
}

/* Due deliveries that were not taken wait for the webhook's earlier calls, and each end of a call
 * is a turn that claims. */
static int64_t source_next_due_us(void *context)
{
	struct webhooker *webhooker = context;
	int64_t due_us = 0;
	struct error err = {0};
	if (!may_claim(webhooker))
		return 0;
	if (clock_now_us(webhooker->config.clock) < webhooker->put_off_until_us)
		return webhooker->put_off_until_us;
	if (store_event_next_due(webhooker->config.store, &due_us, &err) != ERR_NONE) {
		LOG(webhooker->config.log, WARN, "next_event_unknown",
		    log_str("error", str_of(err.text)));
		return 0;
	}
	return due_us > clock_now_us(webhooker->config.clock) || webhooker->attempts == NULL
		       ? due_us
		       : 0;
}

enum err_kind webhooker_new(const struct webhooker_config *config, struct webhooker **webhooker_out,
			    struct error *err)
{
	struct webhooker *webhooker = calloc(1, sizeof(*webhooker));
	if (webhooker == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for webhooks");
	webhooker->config = *config;
	if (webhooker->config.time_scale < 1)
		webhooker->config.time_scale = 1;
	webhooker->claim_arena = arena_new("webhook claim", CLAIM_ARENA_MAX_BYTES);
	const struct task_source source = {source_claim, source_claimed, source_next_due_us,
					   webhooker};
	engine_add_source(config->engine, &source);
	*webhooker_out = webhooker;
	return ERR_NONE;
}

void webhooker_free(struct webhooker **webhooker)
{
	if (*webhooker == NULL)
		return;
	arena_free(&(*webhooker)->claim_arena);
	free(*webhooker);
	*webhooker = NULL;
}

void webhooker_wake(struct webhooker *webhooker)
{
	engine_wake(webhooker->config.engine);
}
