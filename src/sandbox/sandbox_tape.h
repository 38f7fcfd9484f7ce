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
	size_t pull_next; /* playing: the next to give */
	bool is_played;   /* from the journal: nothing outside is asked */
	bool is_lost;     /* it could not be kept where it must be: it was never made */
	bool is_browsers; /* whoever makes it hangs for a moment only */
	const struct sandbox_home *home;
	const char *seen_path; /* of home's seen_url: "/sandbox" or "" */
	bool touches_account;  /* it made or used a code or token: never forgotten */
};
