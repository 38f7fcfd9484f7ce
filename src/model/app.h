/* SPDX-License-Identifier: Apache-2.0
 * Apps and their platform credentials: states and words (api-decisions.md 3, 4). */
#pragma once

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

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *app_state_name(enum app_state state);
enum app_state app_state_of_name(struct str name);
const char *credential_state_name(enum credential_state state);
enum credential_state credential_state_of_name(struct str name);
const char *app_tiktok_privacy_name(enum app_tiktok_privacy privacy);
enum app_tiktok_privacy app_tiktok_privacy_of_name(struct str name);
