/* SPDX-License-Identifier: Apache-2.0
 * The guide to the credentials of each platform: what to do there before they can be entered here,
 * where to find the two fields and what they are called, and which review the platform requires.
 * Text only, from the platforms' own documents. */
#pragma once

#include "platform_id.h"

#define GUIDE_STEPS_MAX 7

struct platform_guide {
	const char *client_id_label;
	const char *client_secret_label;
	const char *where;
	const char *console_url;
	const char *steps[GUIDE_STEPS_MAX + 1]; /* NULL-ended */
	const char *review;
	bool wants_https; /* its redirect URIs must be https, but for localhost */
};

/* NULL for NONE. */
const struct platform_guide *platform_guide_of(enum platform_id id);
