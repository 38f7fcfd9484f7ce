/* SPDX-License-Identifier: Apache-2.0
 * Slows down guessing of passwords: after a number of failures of a key (a browser, a network
 * address) each further attempt has to wait, twice as long every time. In memory, bounded, per
 * process. An attempt counts as a failure when it begins, so parallel attempts gain nothing; a
 * success takes it back. Thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define BACKOFF_FORGET_US (15 * 60 * INT64_C(1000000)) /* without a failure */
#define BACKOFF_WAIT_MAX_US (60 * INT64_C(1000000))

struct backoff;
struct clock;

struct backoff_key {
	const char *kind; /* "account" */
	struct str text;
	int free_failures; /* so many cost nothing */
};

/* NULL: out of memory. clock must outlive it. The caller frees it with backoff_free(). */
struct backoff *backoff_new(const struct clock *clock);
/* Frees and sets NULL; takes NULL. */
void backoff_free(struct backoff **backoff);
/* Returns 0 and counts an attempt for every key, or the time to wait in microseconds and counts
 * nothing. */
int64_t backoff_try(struct backoff *backoff, const struct backoff_key *keys, size_t count);
/* Takes the attempt back for every key. */
void backoff_undo(struct backoff *backoff, const struct backoff_key *keys, size_t count);
/* Forgets the failures of the key, after the right password. */
void backoff_forget(struct backoff *backoff, const struct backoff_key *key);
