/* SPDX-License-Identifier: Apache-2.0
 * `posthorn retry` without a post's id: what failed in many posts, by filters. */
#pragma once

#include <stdbool.h>

#include "person_private.h"

struct person_flags;

/* Is a flag given that is only for many posts? */
bool person_retry_many_is_meant(const struct person_flags *flags);
/* Retries, or counts with --dry-run, and says how many. As the verbs. */
enum person_status person_retry_many(struct person *person);
