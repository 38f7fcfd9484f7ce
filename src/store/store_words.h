/* SPDX-License-Identifier: Apache-2.0
 * The index of words: posts by what their text says (docs/adr/0023). Acceptance does not write it;
 * it follows behind, app by app in the order of acceptance, and word_marks says how far it is. An
 * edit and an erasure of a post that is in it change it in their own transaction (store_private.h),
 * so it never says what a post no longer does. Derived: it can be made again at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct store;

/* What one call indexes at most. */
#define STORE_WORDS_BATCH 32

/* Puts the next posts of one app into the index, in one transaction: of the app with the fewest
 * that wait, so that a large one that catches up holds up no other. *posts_out: how many; 0 = none
 * waits, or another node has them. Blocks; any thread. */
enum err_kind store_words_index(struct store *store, int64_t *posts_out, struct error *err);

/* True: a transaction of this process may have left something to do for store_words_index() or
 * store_words_purge() since the last call. Waits for that; false: timeout_ms has passed (0 = no
 * limit), or the waits have ended. What an earlier program or another node left is not noticed. One
 * thread at a time. */
bool store_words_wait(struct store *store, int64_t timeout_ms);

/* From here on store_words_wait() does not wait: before the thread that calls it is to end. */
void store_words_wait_end(struct store *store);

/* What was erased leaves SQLite's index in two steps: at once nothing is found by it any more, and
 * its bytes go when the parts of the index that hold them are written anew. This does a step of
 * that, of about a megabyte; *is_more_out: there are more. Nothing to do on PostgreSQL, where
 * vacuum does it. */
enum err_kind store_words_purge(struct store *store, bool *is_more_out, struct error *err);

/* Before the first store_words_index() of a program: an index with words of another kind
 * (POST_WORDS_FORMAT) is emptied, and fills again. */
enum err_kind store_words_open(struct store *store, struct error *err);

/* Empties the index; store_words_index() fills it again. */
enum err_kind store_words_rebuild(struct store *store, struct error *err);

/* How many of the app's posts are not in it yet. */
enum err_kind store_words_waiting(struct store *store, struct str app_id, int64_t *posts_out,
				  struct error *err);
