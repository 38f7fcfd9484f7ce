/* SPDX-License-Identifier: Apache-2.0
 * What a person found at the platform, where the outcome of a publish call is unknown
 * (OUTCOME_UNKNOWN; rules.md 2.3). Here is the answer "it is there"; "it is not there" is
 * store_post_retry() with republish. */
#pragma once

#include "store.h"

struct post_appeared {
	struct str app_id;
	struct str post_id;
	struct str account_id;
	struct str remote_id; /* empty = not known; so url */
	struct str url;
	int64_t now_us;
};

/* The platform post is published, and so is the part that failed; parts after it stay as they are.
 * NOT_FOUND: no such post of the app, or it does not go to the account. CONFLICT: it has not failed
 * with OUTCOME_UNKNOWN. Durable when it returns. */
enum err_kind store_post_appeared(struct store *store, const struct post_appeared *appeared,
				  struct error *err);
