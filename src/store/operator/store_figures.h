/* SPDX-License-Identifier: Apache-2.0
 * Figures of the whole service for monitoring: asked every few seconds, so that none of them costs
 * more than what waits, and those that would are counted up to a ceiling. Nothing of one app, user
 * or post. */
#pragma once

#include <stdint.h>

#include "err.h"

#include "account.h"
#include "platform_id.h"
#include "quota.h"

struct arena;
struct store;

#define STORE_FIGURE_MAX 100000 /* a count that reaches it means "at least" */

struct store_figures {
	int64_t posts_pending; /* processing and retrying too */
	int64_t posts_scheduled;
	int64_t posts_published;
	int64_t posts_failed;
	/* their account is free and their time has come; at most STORE_FIGURE_MAX */
	int64_t deliveries_due;
	int64_t deliveries_scheduled;
	int64_t removals_pending;
	int64_t deliveries_held; /* since a database was restored (store_guard.h) */
	int64_t oldest_due_us;   /* 0 = nothing is due */
	int64_t events_pending;  /* not yet handed to webhooks; at most STORE_FIGURE_MAX */
	int64_t webhook_deliveries_pending; /* at most STORE_FIGURE_MAX */
	int64_t webhooks_late_us;           /* the oldest event or call that is due; 0 = none is */
	int64_t alarms;                     /* store_alarm.h */
};

/* All at one moment, but for webhooks_late_us. */
enum err_kind store_figures_read(struct store *store, int64_t now_us, struct store_figures *out,
				 struct error *err);

/* Figures that cost more with every account: a walk through an index of all of them. */
struct store_holdings {
	int64_t accounts[PLATFORM_ID_MAX][ACCOUNT_STATE_COUNT]; /* by platform less one */
	/* How much the app has that has most of it, in 1/10000; 0 where nobody has a limit. */
	int64_t quota_used_bp[QUOTA_COUNT];
};

enum err_kind store_holdings_read(struct store *store, struct arena *arena, int64_t now_us,
				  struct store_holdings *out, struct error *err);
