/* SPDX-License-Identifier: Apache-2.0
 * What a person saw at the platform, where a publish call's outcome could not be proven
 * (OUTCOME_UNKNOWN; rules.md 2.3). That it is not there is store_post_retry() with republish;
 * that it is there is here. */
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

/* The platform post is published, and so is the part that failed; parts behind it stay as they are.
 * NOT_FOUND: no such post of the app, or it does not go to the account. CONFLICT: it has not failed
 * with OUTCOME_UNKNOWN. Durable when it returns. */
enum err_kind store_post_appeared(struct store *store, const struct post_appeared *appeared,
				  struct error *err);
