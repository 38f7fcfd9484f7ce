/* SPDX-License-Identifier: Apache-2.0
 * The six platforms by number and slug (platforms.def). What a platform can do is
 * platform/platform.h. */
#pragma once

#include "str.h"

enum platform_id {
	PLATFORM_NONE = 0,
#define PLATFORM(name, number, slug, label) PLATFORM_##name = number,
#include "platforms.def"
#undef PLATFORM
	PLATFORM_ID_MAX = 6
};

/* NONE for an unknown slug. "twitter" is another name of x (api-decisions.md 4). */
enum platform_id platform_id_of_slug(struct str slug);
/* "x"; "" for NONE. */
const char *platform_id_slug(enum platform_id id);
/* "LinkedIn"; "" for NONE. */
const char *platform_id_name(enum platform_id id);
