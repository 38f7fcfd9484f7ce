/* SPDX-License-Identifier: Apache-2.0
 * When the versions of platforms' APIs end that the operator has set: Meta's Graph (meta.md 1) and
 * LinkedIn's version of the month (linkedin.md 8). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

struct platform_settings;

#define VERSION_ENDS_MAX 2

struct version_end {
	const char *setting; /* "linkedin-version", and the alarm's name */
	const char *platforms;
	struct str version;
	int64_t ends_at_us; /* 00:00 UTC of that day; at the earliest */
};

/* Is it time to say so: 60 days ahead, and ever after? */
bool version_end_is_near(const struct version_end *end, int64_t now_us);
/* Those whose end is known; returns how many. */
size_t version_ends(const struct platform_settings *settings,
		    struct version_end ends[VERSION_ENDS_MAX]);
