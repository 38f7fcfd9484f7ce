/* SPDX-License-Identifier: Apache-2.0
 * Is due work late (design.md 5)? Judged here and nowhere else, from what is stored and from the
 * gates of this node: what waits at a closed gate, or is paused, is
 * not late. Thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "platform_id.h"

#include "gate.h"
#include "waiting.h"

struct arena;
struct deliverer;
struct store;

/* An app's due accounts on a platform where no call of the app may begin now. */
struct due_at_gate {
	struct str app_id;
	struct str client_id;
	enum platform_id platform;
	struct gate_closing closing;
	int64_t oldest_us; /* when the first of these accounts became due */
	int64_t account_count;
};

struct due_backlog {
	struct due_at_gate *at_gates; /* the oldest first */
	size_t at_gate_count;
	int64_t oldest_us; /* of what has room to run; 0 = nothing is due */
};

/* Reads the store. deliverer may be NULL: then everything has room. */
enum err_kind due_list(struct store *store, const struct deliverer *deliverer, struct arena *arena,
		       int64_t now_us, struct due_backlog *out, struct error *err);
/* How many platform posts wait, by enum waiting_reason; those under way do not. Of unscheduled
 * posts the first STORE_WAITING_POSTS_MAX are looked at. Reads the store. */
enum err_kind due_waiting_count(struct store *store, const struct deliverer *deliverer,
				struct arena *arena, int64_t now_us,
				int64_t counts_out[WAITING_REASON_COUNT], struct error *err);
/* How late the oldest due work is that has room to run. It is claimed at once, so that this stays
 * near 0 unless there is too much of it or claims fail. deliverer NULL: by the store alone. 0 on a
 * node that delivers nothing: what has room is known to those that deliver. */
int64_t due_late_us(const struct due_backlog *due, const struct deliverer *deliverer,
		    int64_t now_us);
