/* SPDX-License-Identifier: Apache-2.0
 * Whether a file is WebM or Matroska, how long and large it is and what it is coded as, as far as
 * its first bytes say (RFC 8794, RFC 9559). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "film.h"
#include "str.h"

struct webm_film {
	int64_t duration_ms; /* 0 = not known */
	uint32_t width, height;
	struct film film;
};

bool webm_is(struct str first_bytes);
/* The same header with another DocType. */
bool webm_is_matroska(struct str first_bytes);
/* What the bytes do not say is 0. Pure. */
struct webm_film webm_probe(struct str first_bytes);
