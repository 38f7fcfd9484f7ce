/* SPDX-License-Identifier: Apache-2.0
 * What differs between two answers of the admin API, for the audit trail. Pure. */
#pragma once

#include <stddef.h>

#include "str.h"

struct arena;
struct json;

#define ADMIN_DIFFERENCE_MAX_BYTES ((size_t)4096)

/* Fills JSON texts with what of before and after is not in the other: of objects the members that
 * differ, of lists the items. NULL counts as nothing, and the other is written whole. Both are
 * empty when nothing differs. A text longer than ADMIN_DIFFERENCE_MAX_BYTES is {"bytes": its
 * length} instead. In the arena. */
void admin_difference(struct arena *arena, const struct json *before, const struct json *after,
		      struct str *before_out, struct str *after_out);
