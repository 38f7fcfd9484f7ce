/* SPDX-License-Identifier: Apache-2.0
 * How fast passwords may be guessed: after so many failures of a key (an admin, a network address)
 * each further try has to wait, twice as long every time. In memory, bounded, of this process
 * alone. A try counts as a failure from its beginning, so that many at once gain nothing; who was
 * right says so. Thread-safe. */
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

struct backoff *backoff_new(const struct clock *clock);
void backoff_free(struct backoff **backoff);
/* 0: go on, the try is counted for every key. Else how long to wait, in microseconds; nothing is
 * counted then. */
int64_t backoff_try(struct backoff *backoff, const struct backoff_key *keys, size_t count);
/* The try was none after all: it is taken back for every key. */
void backoff_undo(struct backoff *backoff, const struct backoff_key *keys, size_t count);
/* It was the right password: the key's failures are forgotten. */
void backoff_forget(struct backoff *backoff, const struct backoff_key *key);
