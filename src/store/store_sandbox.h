/* SPDX-License-Identifier: Apache-2.0
 * The sandbox of the test apps, where several nodes share the database: one node has it by a lease,
 * and keeps there what its platforms were asked (api-decisions.md 14). Where one process owns the
 * database, the sandbox is its own and keeps everything in files: nobody calls this. All functions
 * block on the database. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct store;
struct store_tx;

struct sandbox_lease {
	struct str node_id;
	struct str address; /* how the other nodes reach it */
	struct str pass;    /* what they show it, sealed */
	int64_t fence;      /* rises with every change of hands; 0 = nobody ever had it */
	int64_t left_us;    /* of the lease, by the database's clock; not above 0: it has ended */
};

/* As it stands. In arena. */
enum err_kind store_sandbox_lease_get(struct store *store, struct arena *arena,
				      struct sandbox_lease *out, struct error *err);
/* Takes the lease when it has ended, or is an earlier process's of this node: lease has address,
 * pass, and left_us, how long it lasts; its fence is set. CONFLICT: somebody else has it. */
enum err_kind store_sandbox_lease_take(struct store *store, struct sandbox_lease *lease,
				       struct error *err);
/* Lengthens the lease of that fence to left_us from now; 0: gives it up. CONFLICT: it is not ours
 * any more. */
enum err_kind store_sandbox_lease_renew(struct store *store, int64_t fence, int64_t left_us,
					struct error *err);

/* An app's journal, put together, in arena; empty = there is none. TOO_LARGE: beyond the arena. */
enum err_kind store_sandbox_journal_read(struct store *store, struct arena *arena,
					 struct str app_id, struct str *bytes_out,
					 struct error *err);
/* More of it, or all of it anew, while the lease of that fence is ours. CONFLICT: it is not. */
struct sandbox_journal_part {
	int64_t fence;
	struct str app_id;
	struct str bytes;
	bool is_all;
};
enum err_kind store_sandbox_journal_write(struct store *store,
					  const struct sandbox_journal_part *part,
					  struct error *err);

/* Test apps that are over since since_us: deleted, and nothing of them is open any more. Their ids,
 * at most max. */
enum err_kind store_sandbox_ended(struct store *store, struct arena *arena, int64_t since_us,
				  struct str **ids_out, size_t *count_out, struct error *err);
