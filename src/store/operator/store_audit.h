/* SPDX-License-Identifier: Apache-2.0
 * The audit trail: who did what, from where, on which object (design.md 5). A row is written before
 * its change begins and completed when the change is over, so no change is without a row, and one
 * that stays at "begun" says that its end is not known. Rows leave by age alone
 * (store_retention.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store.h"

#define AUDIT_PAGE_MAX 500

enum audit_outcome {
	AUDIT_BEGUN, /* the change may have happened: the service ended meanwhile */
	AUDIT_DONE,
	AUDIT_REFUSED, /* answered with a 4xx: nothing changed */
	AUDIT_FAILED   /* answered with a 5xx */
};

/* Lives in the arena of who filled it. */
struct audit_row {
	int64_t seq; /* out only; rising */
	int64_t at_us;
	struct str actor;  /* e-mail or "cli:USER"; empty = not known */
	struct str source; /* address of the client, or "control socket" */
	struct str action; /* "app.suspend" */
	struct str object; /* "app phc_..."; empty = the service as a whole */
	struct str app_id; /* of the app that the object belongs to; empty = none */
	enum audit_outcome outcome;
	struct str before; /* JSON, of what changed; empty = nothing */
	struct str after;  /* likewise */
	int64_t times;     /* how often, until last_at_us */
	int64_t last_at_us;
	struct str client_id; /* out only: the app's; empty = none, or the app is gone */
};

struct audit_filter {
	int64_t before_seq; /* rows before this one; 0 = from the newest on */
	int64_t since_us;   /* 0 = from the oldest on */
	struct str actor;   /* empty = anyone's */
	struct str action;  /* "app.suspend"; empty = any */
	struct str client_id;
	/* Rows of this admin's apps, what this admin did and what was done to them; empty = all. */
	struct str owner_id;
	size_t max; /* at most AUDIT_PAGE_MAX */
};

/* "begun", "done", "refused" or "failed". */
const char *store_audit_outcome_name(enum audit_outcome outcome);
/* Writes a row as it stands. May block on the disk. */
enum err_kind store_audit_add(struct store *store, const struct audit_row *row, int64_t *seq_out,
			      struct error *err);
/* Completes row->seq: object, app_id, outcome, before and after. NOT_FOUND: it is not there, or is
 * complete already. */
enum err_kind store_audit_end(struct store *store, const struct audit_row *row, struct error *err);
/* The row happened so many times, the last at last_at_us. For refused ones alone. */
enum err_kind store_audit_count(struct store *store, int64_t seq, int64_t times, int64_t last_at_us,
				struct error *err);
/* Newest first. */
enum err_kind store_audit_list(struct store *store, struct arena *arena,
			       const struct audit_filter *filter, struct audit_row **out,
			       size_t *count_out, struct error *err);
