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

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *app_state_name(enum app_state state);
enum app_state app_state_of_name(struct str name);
const char *credential_state_name(enum credential_state state);
enum credential_state credential_state_of_name(struct str name);
