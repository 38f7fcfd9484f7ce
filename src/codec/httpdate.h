/* SPDX-License-Identifier: Apache-2.0
 * HTTP dates (RFC 9110, 5.6.7) and Retry-After (10.2.3). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;

/* IMF-fixdate only ("Sun, 06 Nov 1994 08:49:37 GMT"). */
bool httpdate_parse(struct str text, int64_t *us_out);
/* "Sun, 06 Nov 1994 08:49:37 GMT", in arena; parts of a second are left out. */
struct str httpdate_write(struct arena *arena, int64_t at_us);
/* Retry-After as seconds or as a date, in milliseconds from now. Negative and past give 0, more
 * than 24 h gives 24 h (rules.md 3.2: absurd values). False when it is neither. */
bool httpdate_parse_retry_after(struct str text, int64_t now_us, int64_t *ms_out);
