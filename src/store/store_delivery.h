/* SPDX-License-Identifier: Apache-2.0
 * Deliveries at work: one per post and account. Claimed with a lease and a fence number, written
 * only by who holds the fence. Every state change asks the table of legal transitions
 * (delivery_transitions.h), derives the post's state and keeps the counters in the same
 * transaction. Changes made by a person are in store_post_change.h. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "app.h"
#include "failure.h"
#include "post.h"
#include "store.h"
#include "store_connection.h"
#include "store_guard.h"

/* Where the publish call of the current stage stands (rules.md 2.2). */
enum call_state {
	CALL_STATE_NONE,    /* no publish call is open */
	CALL_STATE_STARTED, /* intent is durable; it may have been sent */
	CALL_STATE_IN_DOUBT /* sent, outcome not known: the resolver's */
};

/* Posts with such a request_id keep their calls and the answers in the timeline, without secrets
 * (posthorn live-check). */
#define STORE_RECORDED_PREFIX "live-check-"

/* A claimed delivery with everything a step needs. Sealed values as in the other headers. */
struct delivery_work {
	struct str id;
	struct str post_id;
	int64_t fence;
	enum post_state state;  /* before this claim */
	int attempts;           /* failed tries so far */
	struct str flow;        /* flow_write() */
	struct str flow_sealed; /* sealed: "deliveries", "flow_secrets", id; empty = none */
	enum call_state call_state;
	int64_t call_started_at_us;
	int looks;        /* probes the resolver has made */
	bool republished; /* on_unknown retry_once was used */
	int64_t due_at_us;
	bool is_out;             /* its first part is visible */
	int64_t published_at_us; /* of one that was published before, in part; 0 = never */
	struct str content;      /* the post's */
	struct account_row account;
	struct str credential_client_id; /* empty = no credential any more */
	struct str credential_secret_sealed;
	struct str app_id;
	enum app_state app_state;
	bool retry_unknown_once;
	int64_t max_lateness_s; /* the post's; 0 = no limit */
	struct str cause;       /* post_accept.cause */
	enum app_tiktok_privacy tiktok_privacy;
	struct app_world world; /* the app's */
	bool is_app_deleted;    /* before this claim */
	bool is_recorded;       /* its request_id begins with STORE_RECORDED_PREFIX */
	enum hold_state hold;
	int64_t hold_due_at_us; /* when it was due before it was held */
	/* A save is compared with these (delivery_save.work). */
	int64_t lease_until_us; /* as the row has it; its keeper keeps it so */
	int64_t post_date_us;
	int64_t post_ordinal;
	int64_t post_delivery_count;
};

/* A claim's limits. */
struct delivery_claim {
	int64_t now_us;
	int64_t lease_us;
	size_t max;
	/* Returns how many more deliveries of this app on this platform may be claimed now. Asked
	 * once a claim for each. NULL = no limit. */
	uint32_t (*slots)(void *context, struct str app_id, enum platform_id platform);
	/* The same for all apps together that share the platform's limit with this one;
	 * UINT32_MAX: it shares it with none. Without it each app could take the whole platform's
	 * room, and what finds none is put back. NULL = none shares. */
	uint32_t (*shared_slots)(void *context, struct str app_id, enum platform_id platform);
	void *context; /* of slots, shared_slots and gives_up */
	/* With slots: what was due before this instant is claimed without asking where gives_up
	 * returns true, because it has to come to an end. gives_up is asked once a claim for each;
	 * NULL = everywhere. */
	int64_t overdue_us;
	/* The deliveries' rows are written by their first saves, in this transaction
	 * (delivery_save.is_first). */
	bool leaves_rows;
	/* What cannot be claimed is put off, with an alarm that names it, and costs the others
	 * nothing; without it a single bad row fails the whole claim. For the claim after one that
	 * failed: it is dearer. */
	bool isolates;
	bool (*gives_up)(void *context, struct str app_id, enum platform_id platform);
	/* Set to whether this claim took all that is due and has room. NULL = not asked for. */
	bool *takes_all;
};

/* Claims due deliveries: one at a time for each account (an account with a begun, unfinished
 * delivery gives only that one), oldest first, and an equal share for each app, so that the backlog
 * of one does not delay the others. Sets the state to processing, the fence to one more, and the
 * lease to now_us + lease_us. Writes an array of at most max works in arena; fewer when arena is
 * full. TOO_LARGE: arena has no space for one. */
enum err_kind store_delivery_claim(struct store_tx *tx, struct arena *arena,
				   const struct delivery_claim *claim, struct delivery_work **out,
				   size_t *count_out, struct error *err);
/* When the next delivery becomes claimable: due and not leased; 0 = none. */
enum err_kind store_delivery_next_due(struct store *store, int64_t *due_at_us_out,
				      struct error *err);

/* Posts that were accepted for at once while the clock was ahead of now_us are due now. Looks at
 * every delivery that is due later, but only at a start, or when this process has accepted posts
 * and the clock was set back since. *count_out: how many. */
enum err_kind store_delivery_mend_due(struct store *store, int64_t now_us, bool is_start,
				      int64_t *count_out, struct error *err);

struct timeline_entry {
	int64_t at_us;
	struct str stage;
	struct str method;
	struct str host_path; /* without query */
	int status;           /* 0 = no answer */
	int64_t duration_us;
	struct str verdict;  /* "ok", "refused", "never_sent", "in_doubt", ... */
	struct str decision; /* "continue", "wait 30 s", "retry in 2 min", "failed", ... */
	/* redacted, at most 1 KiB; may be empty. Of a recorded post: the call and its answer,
	 * at most 64 KiB. */
	struct str excerpt;
};

enum delivery_next {
	DELIVERY_KEEP, /* still being worked on: lease goes on */
	DELIVERY_WAIT, /* begun; lease given back until due_at_us; the account stays busy */
	/* lease given back until due_at_us; the account is free meanwhile; state retrying */
	DELIVERY_RETRY,
	DELIVERY_PUBLISHED,
	DELIVERY_PARTIAL, /* the first part is visible, a later one was given up for a reason */
	DELIVERY_FAILED
};

struct delivery_save {
	struct str id;
	int64_t fence;
	int64_t now_us;
	enum delivery_next next;
	int64_t due_at_us;      /* WAIT, RETRY */
	int64_t lease_until_us; /* KEEP */
	struct str flow;
	struct str flow_sealed;
	enum call_state call_state;
	int64_t call_started_at_us;
	int looks;
	bool republished;
	int attempts;
	struct str parts; /* JSON as in delivery_row.parts; empty = as before, as the next two */
	struct str visibility; /* as in delivery_row; KEEP leaves both as they are */
	struct str warnings;
	struct str remote_id; /* of the first part, once known */
	struct str url;
	/* PUBLISHED: the post's id is looked for later (store_late_id.h). until_us 0 = it is not */
	struct {
		int64_t due_us;
		int64_t until_us;
	} late_id;
	const struct failure *failure; /* FAILED, PARTIAL and RETRY: the reason. NULL clears */
	const struct timeline_entry *timeline;
	size_t timeline_count;
	/* As the saver claimed it: nothing is read before it is written, since the write itself
	 * compares state and fence. */
	const struct delivery_work *work;
	bool is_first; /* claim_room.leaves_rows, and this is the transaction of that claim */
};

/* Writes deliveries, one or many in one command: begin for each of them, then end for each in the
 * same order. What they write of their rows is one round trip then. In between nothing reads or
 * writes a delivery or its post. save must live until its end. An error of begin (INTERNAL) leaves
 * nothing to end; after one of end but CONFLICT the command has to fail.
 * End returns NONE, or CONFLICT when the fence is not ours any more: nothing of the row is changed
 * then, but the timeline entries and the remote id are kept as evidence - if the command then
 * returns NONE: what it returns decides about all it did. A delivery that is final or was given
 * back with RETRY is nobody's until claimed: CONFLICT too. NOT_FOUND: no such delivery. */
struct delivery_saving;
enum err_kind store_delivery_save_begin(struct store_tx *tx, const struct delivery_save *save,
					struct delivery_saving **out, struct error *err);
enum err_kind store_delivery_save_end(struct store_tx *tx, struct delivery_saving *saving,
				      struct error *err);
/* Is this remote id bound to another delivery (or another part) of that account? */
enum err_kind store_delivery_remote_id_is_bound(struct store *store, struct str account_id,
						struct str remote_id, struct str except_delivery_id,
						bool *is_bound_out, struct error *err);
/* Timeline of a post, oldest first. */
struct timeline_row {
	struct timeline_entry entry;
	struct str delivery_id;
	struct str account_id;
};
enum err_kind store_timeline_list(struct store *store, struct arena *arena, struct str post_id,
				  struct timeline_row **out, size_t *count_out, struct error *err);
/* Does any unfinished delivery belong to this post? (May its spooled media go?) */
enum err_kind store_post_is_unfinished(struct store *store, struct str post_id,
				       bool *is_unfinished_out, struct error *err);
/* Whose it is. NOT_FOUND. */
enum err_kind store_post_app_id(struct store *store, struct arena *arena, struct str post_id,
				struct str *app_id_out, struct error *err);

struct delivery_backlog {
	/* due and not final, neither leased nor waiting for a later instant; 0 = none */
	int64_t oldest_due_us;
	int64_t due_count;
	int64_t scheduled_count;
	int64_t in_flight_count; /* leased */
};
/* For /readyz and doctor. */
enum err_kind store_delivery_backlog(struct store *store, int64_t now_us,
				     struct delivery_backlog *out, struct error *err);
/* As backlog's oldest_due_us alone, at a cost that does not grow with what waits: for what is asked
 * often. */
enum err_kind store_delivery_oldest_due(struct store *store, int64_t now_us, int64_t *due_at_us_out,
					struct error *err);
