/* SPDX-License-Identifier: Apache-2.0
 * Bounds how many passwords are hashed at once: each costs 19 MiB and the time of a core
 * (digest.h), and whoever can reach the sign-in page can ask for it. Callers hash on their own
 * thread; a few wait for their turn, the others are told to come again. Thread-safe. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;
struct password_pool;

struct password_pool *password_pool_new(unsigned running_max, unsigned waiting_max);
void password_pool_free(struct password_pool **pool);

enum password_verdict {
	PASSWORD_RIGHT,
	PASSWORD_WRONG,
	PASSWORD_BUSY /* too many wait already, or there is no memory: nothing was found out */
};

/* An empty hash (no such admin, or one without a password) is WRONG after the same work. Blocks. */
enum password_verdict password_pool_check(struct password_pool *pool, struct str hash,
					  struct str password);
/* The hash of a new password; empty when BUSY. Blocks. */
struct str password_pool_hash(struct password_pool *pool, struct arena *arena, struct str password);
