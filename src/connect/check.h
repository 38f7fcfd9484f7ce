/* SPDX-License-Identifier: Apache-2.0
 * Questions about one connected account: does its token work, and forget it (API.md section 9). */
#pragma once

#include "connect_private.h"

/* The platform's check with the account's token. A token that has ended by time and can be
 * refreshed is not asked about. */
void check_run(struct connector *connector, struct arena *arena, const struct account_row *account,
	       int64_t wait_ms, struct check_outcome *outcome_out);
/* Asks the platform to forget the account's tokens, where it can. What comes of it is only
 * logged. */
void revoke_run(struct connector *connector, struct arena *arena, const struct account_row *account,
		int64_t wait_ms);
