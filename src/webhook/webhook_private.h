/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of webhook/. */
#pragma once

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "random.h"

#include "store.h"
#include "store_event.h"

#include "engine.h"

#include "webhook.h"

#define WEBHOOK_CLAIM_MAX 64
#define WEBHOOK_IN_FLIGHT_MAX 4 /* for each webhook: a slow receiver holds up nobody but itself */
/* Over all: as many as the pool runs at once, and fewer than the engine has tasks. */
#define WEBHOOK_ALL_IN_FLIGHT_MAX 512

struct webhook_attempt;

struct webhooker {
	struct webhooker_config config;
	struct arena *claim_arena; /* of the last claim's rows */
	struct webhook_claimed claimed;
	struct webhook_attempt *attempts; /* under way */
	int64_t next_expiry_us;
	int64_t next_ending_us;
	bool is_careful;          /* the last claim failed: the next is isolated */
	int64_t put_off_until_us; /* nothing is claimed before */
	struct error put_off_why;
	bool is_alarm_due; /* put_off_why is not written yet */
};

/* webhook_dispatch.c: a task that makes the events' bodies and begins their webhook deliveries.
 * Copies the rows. */
struct task *webhook_dispatch_new(struct webhooker *webhooker, const struct event_row *events,
				  size_t count);

/* webhook_attempt.c: a task that makes one call. Copies the row. */
struct task *webhook_attempt_new(struct webhooker *webhooker, const struct webhook_work *work);
/* How many more may begin to this webhook; those whose answer is being written count no more. */
size_t webhook_attempt_room(const struct webhooker *webhooker, struct str webhook_id);
