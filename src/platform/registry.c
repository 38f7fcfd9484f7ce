/* SPDX-License-Identifier: Apache-2.0
 * The platform of each number. It stands on top: no adapter asks it. */
#include "count_of.h"

#include "platform.h"

#include "adapters.h"

static const struct platform *const platforms[] = {
	[PLATFORM_INSTAGRAM] = &platform_instagram,
	[PLATFORM_FACEBOOK] = &platform_facebook,
	[PLATFORM_X] = &platform_x,
	[PLATFORM_LINKEDIN] = &platform_linkedin,
	[PLATFORM_YOUTUBE] = &platform_youtube,
	[PLATFORM_TIKTOK] = &platform_tiktok,
};

_Static_assert(COUNT_OF(platforms) == PLATFORM_ID_MAX + 1, "a platform has no row");

const struct platform *platform_of(enum platform_id id)
{
	return (unsigned)id <= PLATFORM_ID_MAX ? platforms[id] : NULL;
}
