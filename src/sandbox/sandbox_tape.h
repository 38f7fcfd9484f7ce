/* SPDX-License-Identifier: Apache-2.0
 * What a call in a world draws from outside: the time, randomness, and what it pulled. Written down
 * with the call, it makes the call come out the same when it is played again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "sandbox_media.h"

#define SANDBOX_SEED_BYTES 32
#define SANDBOX_TAPE_PULLS_MAX 64

struct sandbox_tape_pull {
	enum sandbox_pull outcome;
	int status;
	struct sandbox_media media; /* OK only; without alt_text */
};

struct sandbox_tape {
	int64_t now_us;
	unsigned char seed[SANDBOX_SEED_BYTES];
	uint64_t drawn;                  /* how often seed was drawn from */
	struct sandbox_tape_pull *pulls; /* SANDBOX_TAPE_PULLS_MAX, in the call's arena */
	size_t pull_count;
	size_t pull_next;     /* playing: the next to give */
	bool is_played;       /* from the journal: nothing outside is asked */
	bool touches_account; /* it made or used a code or token: never forgotten */
};
