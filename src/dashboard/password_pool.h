/* SPDX-License-Identifier: Apache-2.0
 * Bounds how many passwords are hashed at once: each takes 19 MiB and a core (digest.h), and anyone
 * who can reach the sign-in page can cause it. Callers hash on their own thread; a few wait for
 * their turn, the others are turned away (BUSY). Strangers never take the last place, and wait in a
 * queue of their own: however many there are, those we know get through. Thread-safe. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;
struct password_pool;

/* Who asks for a hash: somebody signed in or with a device cookie, or anybody. */
enum password_lane { PASSWORD_OF_STRANGER, PASSWORD_OF_KNOWN, PASSWORD_LANE_COUNT };

/* At most running_max hashes at once, all but one of them for strangers (with 1: that one too), and
 * waiting_max callers of each lane that wait. NULL: out of memory. The caller frees it with
 * password_pool_free(). */
struct password_pool *password_pool_new(unsigned running_max, unsigned waiting_max);
/* Frees and sets NULL; takes NULL. No caller may be waiting. */
void password_pool_free(struct password_pool **pool);

enum password_verdict {
	PASSWORD_RIGHT,
	PASSWORD_WRONG,
	PASSWORD_BUSY /* too many are waiting already, or out of memory: not checked */
};

/* Checks password against hash. An empty hash (no such admin, or no password set) is WRONG after
 * the same work. Blocks. */
enum password_verdict password_pool_check(struct password_pool *pool, enum password_lane lane,
					  struct str hash, struct str password);
/* The hash of a new password, which only somebody known sets; empty when BUSY. Blocks. */
struct str password_pool_hash(struct password_pool *pool, struct arena *arena, struct str password);
