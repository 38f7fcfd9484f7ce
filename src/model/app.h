/* SPDX-License-Identifier: Apache-2.0
 * Apps and their platform credentials: states and words (api-decisions.md 3, 4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

enum app_state { APP_DRAFT, APP_ACTIVE, APP_SUSPENDED, APP_STATE_COUNT };
enum credential_state {
	CREDENTIAL_PENDING,
	CREDENTIAL_VERIFIED,
	CREDENTIAL_FAILED,
	CREDENTIAL_STATE_COUNT
};

/* Who sees a TikTok post that names no privacy_level (api-decisions.md 6). */
enum app_tiktok_privacy {
	APP_TIKTOK_MOST_OPEN, /* the most open level that the creator and the app may use */
	APP_TIKTOK_SELF_ONLY,
	APP_TIKTOK_REFUSE, /* such a post is not accepted */
	APP_TIKTOK_PRIVACY_COUNT
};

/* Which platforms answer an app's calls, and how fast its time runs. */
struct app_world {
	bool is_test;       /* those of the sandbox inside the service (api-decisions.md 14) */
	int64_t time_scale; /* waits are divided by it; 1 unless is_test */
};

#define APP_TIME_SCALE_MAX 3600 /* api-decisions.md 14 */

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *app_state_name(enum app_state state);
enum app_state app_state_of_name(struct str name);
const char *credential_state_name(enum credential_state state);
enum credential_state credential_state_of_name(struct str name);
const char *app_tiktok_privacy_name(enum app_tiktok_privacy privacy);
enum app_tiktok_privacy app_tiktok_privacy_of_name(struct str name);
