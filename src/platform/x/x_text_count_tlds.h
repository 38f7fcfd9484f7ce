/* SPDX-License-Identifier: Apache-2.0
 * Top-level domains as X knows them, for x_text_count.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is that lower-case ASCII name a top-level domain? */
bool x_text_count_tld_is_known(const char *name);
/* Those in other scripts, in UTF-8, the longest first; NULL after the last. */
const char *x_text_count_tld_other(size_t index);
