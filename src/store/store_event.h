/* SPDX-License-Identifier: Apache-2.0
 * Events and webhooks (api-decisions.md 9). Events are written by the store itself, in the
 * transaction of what they report: no verb here makes one but store_webhook_test(). From there: an
 * event that some webhook may want is claimed, its body is made once and kept, and one webhook
 * delivery for each webhook that wants it begins its way; what was handed over may come twice,
 * never not at all. */
#pragma once

#include "event.h"
#include "quota.h"
#include "request_limits.h"
#include "store.h"

struct event_row {
	int64_t seq;   /* goes up; the feed's cursor */
	struct str id; /* uuid: webhook-id */
	struct str app_id;
	enum event_kind kind;
	struct str subject_id; /* the delivery, post, connection, account or webhook */
	struct str post_id;    /* empty = not about a post */
	int64_t created_at_us;
	struct str body; /* the envelope; empty = not made yet */
};

/* The app's events after a cursor (0 = from the oldest kept), oldest first. */
enum err_kind store_event_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t after_seq, size_t max, struct event_row **out,
			       size_t *count_out, struct error *err);
/* Keeps the body and begins a webhook delivery for each of the app's enabled webhooks that wants
 * this kind. Once only: CONFLICT when it was dispatched before. */
enum err_kind store_event_dispatch(struct store_tx *tx, const struct event_row *event,
				   struct str body, int64_t now_us, struct error *err);

struct webhook_row {
	struct str id; /* uuid */
	struct str app_id;
	struct str url;
	int64_t event_mask; /* bit N: events of kind N */
	bool is_enabled;
	struct str disabled_reason;   /* a sentence, when it was not its owner who disabled it */
	struct str secret_sealed;     /* "webhooks", "secret", id */
	struct str old_secret_sealed; /* "webhooks", "old_secret", id; empty = none */
	int64_t old_secret_until_us;
	int64_t failing_since_us; /* 0 = the last one came through */
	int64_t created_at_us;
	int64_t updated_at_us;
};

/* TOO_LARGE when the app has WEBHOOKS_PER_APP_MAX already. */
enum err_kind store_webhook_create(struct store *store, const struct webhook_row *webhook,
				   struct error *err);
/* Of one app, oldest first. */
enum err_kind store_webhook_list(struct store *store, struct arena *arena, struct str app_id,
				 struct webhook_row **out, size_t *count_out, struct error *err);
/* NOT_FOUND for another app's too. */
enum err_kind store_webhook_find(struct store *store, struct arena *arena, struct str app_id,
				 struct str webhook_id, struct webhook_row *out, struct error *err);
/* Writes url, event_mask, is_enabled; enabling forgets the reason and the failures. NOT_FOUND. */
enum err_kind store_webhook_update(struct store *store, const struct webhook_row *webhook,
				   struct error *err);
/* The new secret is used from now on; the one before signs beside it until then. NOT_FOUND. */
enum err_kind store_webhook_rotate(struct store *store, const struct webhook_row *webhook,
				   struct error *err);
/* With its log; what is on its way ends. NOT_FOUND. */
enum err_kind store_webhook_delete(struct store *store, struct str app_id, struct str webhook_id,
				   struct error *err);
/* Makes the body of an event that has its seq, in arena. May be called more than once. */
typedef struct str (*event_body_maker)(struct arena *arena, const struct event_row *event);
/* An event of kind TEST for this webhook alone, whether it wants it or not. Its seq is given here,
 * so its body is made here too. NOT_FOUND; CONFLICT when it is disabled; TOO_LARGE: the app's
 * backlog is full, *over_out says how. */
enum err_kind store_webhook_test(struct store *store, const struct event_row *event,
				 event_body_maker body, struct quota_over *over_out,
				 struct error *err);

enum webhook_delivery_state {
	WEBHOOK_PENDING,
	WEBHOOK_SUCCEEDED,
	WEBHOOK_FAILED,
	WEBHOOK_DELIVERY_STATE_COUNT
};
/* "pending", "succeeded" or "failed". */
const char *store_webhook_state_name(enum webhook_delivery_state state);

/* A webhook delivery at work. */
struct webhook_work {
	int64_t id;
	int attempts;   /* before this one */
	struct str log; /* JSON array of the tries so far */
	struct event_row event;
	struct webhook_row webhook;
};

struct webhook_claim {
	int64_t now_us;
	int64_t lease_us;
	size_t max; /* of all webhooks together */
	/* Returns how many deliveries of this webhook may be taken now. */
	size_t (*slots)(void *context, struct str webhook_id);
	void *context; /* of slots */
};
struct webhook_claimed {
	struct event_row *events;
	size_t event_count;
	struct webhook_work *work;
	size_t work_count;
};
/* Takes events that wait for their way, at most max, and due webhook deliveries, the oldest of each
 * webhook first. Each is given out again after lease_us unless it was dispatched, or saved. */
enum err_kind store_webhook_claim(struct store_tx *tx, struct arena *arena,
				  const struct webhook_claim *claim, struct webhook_claimed *out,
				  struct error *err);

struct webhook_save {
	int64_t id;
	struct str app_id;
	struct str webhook_id;
	int attempts; /* with this one: what was read, plus 1 */
	enum webhook_delivery_state state;
	int64_t due_at_us; /* PENDING: the next try */
	struct str log;
	int64_t now_us;
	/* not empty: the webhook is disabled, and all that waits for it fails */
	struct str disable_reason;
};

/* Writes how a try went, and the webhook's failing_since. CONFLICT when another try was written
 * meanwhile or it was deleted. */
enum err_kind store_webhook_save(struct store_tx *tx, const struct webhook_save *save,
				 struct error *err);

/* The delivery is due again, as if it had never been tried. NOT_FOUND; CONFLICT when it is still on
 * its way; TOO_LARGE: the app's backlog is full, *over_out says how. */
enum err_kind store_webhook_resend(struct store *store, struct str webhook_id, int64_t delivery_id,
				   int64_t now_us, struct quota_over *over_out, struct error *err);

struct webhook_delivery_row {
	int64_t id;
	struct str event_id;
	enum event_kind kind;
	enum webhook_delivery_state state;
	int attempts;
	int64_t next_attempt_at_us; /* 0 = none */
	struct str log;
	int64_t created_at_us;
};

/* A webhook's log, newest first, below an id (0 = from the newest). */
enum err_kind store_webhook_log(struct store *store, struct arena *arena, struct str webhook_id,
				int64_t below_id, size_t max, struct webhook_delivery_row **out,
				size_t *count_out, struct error *err);
/* When an event or a webhook delivery is next to be taken; 0 = never by itself. */
enum err_kind store_event_next_due(struct store *store, int64_t *due_at_us_out, struct error *err);
/* Removes up to max events and as many log rows that are older; *removed_out is how many. */
enum err_kind store_event_expire(struct store_tx *tx, int64_t before_us, int64_t max,
				 int64_t *removed_out, struct error *err);
