/* SPDX-License-Identifier: Apache-2.0
 * What is stored about one user of a customer, and its end (api-decisions.md 17). An erasure is
 * begun in one transaction and is durable then; what follows is done in small ones that a crash may
 * fall between: the accounts are disconnected (connect/erase.c, which revokes their tokens), their
 * posts are ended, then texts, names, events and connections go. Ids, states and times stay; the
 * user's id goes with the rest. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "platform_id.h"
#include "store.h"
#include "store_connection.h"

/* Of a user, or of a user on one platform. */
struct user_counts {
	int64_t accounts;
	int64_t connections;
	int64_t posts; /* with a platform post on one of the accounts */
};

struct user_filter {
	struct str app_id;
	struct str user_id;
	int64_t page; /* from 1 */
	int64_t per_page;
};

/* The user's connections, newest first; *total_out counts all. */
enum err_kind store_user_connections(struct store *store, struct arena *arena,
				     const struct user_filter *filter, struct connection_row **out,
				     size_t *count_out, int64_t *total_out, struct error *err);

struct user_erasing {
	struct str app_id;
	struct str user_id;
	enum platform_id platform; /* NONE = all */
	/* Only accounts of this person at the platform, as connect noted it; empty = all. */
	struct str person_id;
	struct str code_hash; /* empty = none */
	/* For the audit trail. */
	struct str actor;
	struct str source;
	int64_t now_us;
};

/* Begins to erase; *counts_out is what will go. Nothing is begun where nothing is stored, or where
 * the same is under way already. The connections of the user that are pending fail. */
enum err_kind store_user_erase_begin(struct store *store, const struct user_erasing *erasing,
				     struct user_counts *counts_out, struct error *err);

struct person_account {
	struct str id;
	struct str user_id;
	enum account_state state;
};
/* The accounts that this person of Meta connected to the app on the platform. person_id: digits. */
enum err_kind store_user_of_person(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct str person_id,
				   struct person_account **out, size_t *count_out,
				   struct error *err);
/* Notes a request that found nothing to erase, so that its code can be asked for. Once. */
enum err_kind store_user_note_code(struct store *store, enum platform_id platform,
				   struct str code_hash, int64_t now_us, struct error *err);

enum erasure_state { ERASURE_UNKNOWN, ERASURE_RUNS, ERASURE_ENDED };
/* By the confirmation code. */
enum err_kind store_user_code_state(struct store *store, enum platform_id platform,
				    struct str code_hash, enum erasure_state *state_out,
				    struct error *err);

/* ---- the work ---- */

struct erasure {
	struct str id;
	struct str app_id;
	struct str user_id;
	enum platform_id platform;
	int64_t audit_seq;
	int64_t after_seq;
};

/* Up to max that are under way, oldest first. */
enum err_kind store_erasure_list(struct store *store, struct arena *arena, size_t max,
				 struct erasure **out, size_t *count_out, struct error *err);
/* Up to max of its accounts that are still connected. */
enum err_kind store_erasure_connected(struct store *store, struct arena *arena,
				      struct str erasure_id, size_t max, struct account_row **out,
				      size_t *count_out, struct error *err);

enum erasure_step {
	ERASURE_STEP_MORE,  /* something was done */
	ERASURE_STEP_WAITS, /* a publish call was begun and its outcome is not known yet */
	ERASURE_STEP_DONE   /* nothing is left in any row */
};
/* One step, in a transaction of its own; erasure says how far it is then. */
enum err_kind store_erasure_go_on(struct store *store, struct erasure *erasure, int64_t now_us,
				  enum erasure_step *step_out, struct error *err);
/* After DONE and store_wipe(): the event and the audit trail. CONFLICT: another node has done
 * it. */
enum err_kind store_erasure_finish(struct store *store, const struct erasure *erasure,
				   int64_t now_us, struct error *err);

/* What the event tells. */
struct erased_user {
	struct str user_id; /* forgotten with the event (store_retention.h) */
	enum platform_id platform;
	int64_t finished_at_us;
};
enum err_kind store_erasure_find(struct store *store, struct arena *arena, struct str erasure_id,
				 struct erased_user *out, struct error *err);
