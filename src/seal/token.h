/* SPDX-License-Identifier: Apache-2.0
 * Texts that nobody can guess: the access tokens, client ids and secrets we give out
 * (api-decisions.md 1), and the others we need (OAuth state, PKCE verifiers, webhook secrets). How
 * they are stored is digest.h. */
#pragma once

#include <stddef.h>

#include "str.h"

struct arena;
struct random_source;

enum token_kind {
	TOKEN_ACCESS,        /* pht_ and 43 of base64url */
	TOKEN_ACCESS_TEST,   /* pht_test_ and 43: a test app's (api-decisions.md 14) */
	TOKEN_KEY,           /* phk_ and 43 (api-decisions.md 14) */
	TOKEN_CLIENT_ID,     /* phc_ and 24 */
	TOKEN_CLIENT_SECRET, /* phs_ and 43 */
	TOKEN_CONNECTION_ID, /* conn_ and 32 lower-case hex digits */
	TOKEN_CONFIRMATION,  /* pcf_ and 43: a browser came back (api-decisions.md 5) */
	TOKEN_RETURN,        /* pcr_ and 43: the browser that came back and has to wait */
	TOKEN_KIND_COUNT
};

/* A fresh one, in arena. */
struct str token_new(struct arena *arena, const struct random_source *random, enum token_kind kind);

/* prefix and count characters A-Z a-z 0-9 - _, 6 bits of randomness each. */
struct str token_random(struct arena *arena, const struct random_source *random, const char *prefix,
			size_t count);
