/* SPDX-License-Identifier: Apache-2.0
 * UUID version 7 (RFC 9562, 5.7): 48 bits of milliseconds, then random; text order is time order to
 * the millisecond. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define UUID_TEXT_LEN 36

struct random_source;

struct uuid {
	char text[UUID_TEXT_LEN + 1]; /* lower case, with dashes, NUL-terminated */
};

/* now_us: an instant from 1970 on; an earlier one counts as 1970. */
struct uuid uuid_v7(int64_t now_us, const struct random_source *random);
/* count of them, with fewer questions for randomness. */
void uuid_v7_several(int64_t now_us, const struct random_source *random, struct uuid *uuids,
		     size_t count);
/* For tests: no id from outside is judged by its form. True for 8-4-4-4-12 hex digits of any
 * version, lower case only: ours are, and another spelling is another id. */
bool uuid_is_valid(struct str text);
/* A copy in arena. */
struct str uuid_str(struct arena *arena, struct uuid uuid);
