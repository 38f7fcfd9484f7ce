/* SPDX-License-Identifier: Apache-2.0
 * Whom --to means: accounts by platform, by platform and username, or by id. */
#pragma once

#include <stddef.h>

#include "str.h"

#include "person_private.h"

#define PERSON_TARGETS_MAX 100 /* api-decisions.md 6 */

struct person_targets {
	struct str ids[PERSON_TARGETS_MAX]; /* each once, in the order of --to */
	size_t count;
};

/* Reads the flags alone: FAILED is never returned. WRONG_USE: --to is missing, or has a word that
 * is none of the three; said on standard error. */
enum person_status person_targets_check(struct person *person);
/* Asks the service for the accounts that are named without an id. A platform stands for its only
 * active account. FAILED: there is none, there are several (they are listed), or the service cannot
 * say; said on standard error. */
enum person_status person_targets_find(struct person *person, struct person_targets *targets_out);
