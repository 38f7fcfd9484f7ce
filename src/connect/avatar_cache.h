/* SPDX-License-Identifier: Apache-2.0
 * Pictures of accounts on this node's disk: DIRECTORY/ACCOUNT_ID, one file each, with the address
 * it came from before the bytes. What is lost here is fetched again, so nothing is synced. Knows no
 * accounts and makes no requests (avatar.c does). Every function may block on the disk and may be
 * called from any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#define AVATAR_MAX_BYTES ((int64_t)512 << 10)       /* of one picture */
#define AVATAR_CACHE_MAX_BYTES ((int64_t)128 << 20) /* of all on a node */

struct arena;

struct avatar_cache {
	char *directory; /* malloc; NULL = nothing is kept */
	int64_t max_bytes;
	pthread_mutex_t mutex;
	int64_t used_bytes; /* under mutex */
};

struct avatar {
	struct str bytes;
	const char *mime_type; /* by its bytes */
	/* it came from the address that was asked for; false: from an earlier one of the account */
	bool is_current;
};

/* Makes the folder, 0700, and counts what is there. directory NULL: every other function finds and
 * keeps nothing. max_bytes 0 = AVATAR_CACHE_MAX_BYTES. INTERNAL: it cannot be used. */
enum err_kind avatar_cache_open(struct avatar_cache *cache, const char *directory,
				int64_t max_bytes, struct error *err);
/* Also for one that was zeroed, or not opened. */
void avatar_cache_close(struct avatar_cache *cache);
/* The account's picture, in arena. url says what is_current means. False: there is none. */
bool avatar_cache_read(struct avatar_cache *cache, struct arena *arena, struct str account_id,
		       struct str url, struct avatar *avatar_out);
/* Keeps bytes in the place of what was there. False: they are no picture (JPEG, PNG, GIF or WebP),
 * over AVATAR_MAX_BYTES, the cache is full until the next sweep, or the disk failed; *why_out is
 * a sentence. */
bool avatar_cache_write(struct avatar_cache *cache, struct str account_id, struct str url,
			struct str bytes, const char **why_out);
void avatar_cache_remove(struct avatar_cache *cache, struct str account_id);

/* Says of count names which are accounts whose pictures may be kept. False: not known now. */
typedef bool (*avatar_cache_judge)(void *context, const struct str *account_ids, size_t count,
				   bool *keeps_out);
/* Removes what judge does not keep, what another run left half written, and, when the cache is
 * over seven eighths, the oldest down to there. Returns how many were removed. */
size_t avatar_cache_sweep(struct avatar_cache *cache, avatar_cache_judge judge, void *context);
