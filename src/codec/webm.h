/* SPDX-License-Identifier: Apache-2.0
 * Whether a file is WebM, and how long and large it is as far as its first bytes say (RFC 8794, RFC
 * 9559). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct webm_film {
	int64_t duration_ms; /* 0 = not known */
	uint32_t width, height;
};

/* Matroska has the same header with another DocType and is none. */
bool webm_is(struct str first_bytes);
/* What the bytes do not say is 0. Pure. */
struct webm_film webm_probe(struct str first_bytes);
