/* SPDX-License-Identifier: Apache-2.0
 * Connected accounts: their states, types and words (api-decisions.md 5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

#include "platform_id.h"

enum account_state {
	ACCOUNT_ACTIVE,
	ACCOUNT_EXPIRING,
	ACCOUNT_REAUTH_REQUIRED,
	ACCOUNT_DISCONNECTED,
	ACCOUNT_STATE_COUNT
};
enum account_type {
	ACCOUNT_PERSONAL,
	ACCOUNT_PAGE,
	ACCOUNT_BUSINESS,
	ACCOUNT_CREATOR,
	ACCOUNT_ORGANIZATION,
	ACCOUNT_CHANNEL,
	ACCOUNT_TYPE_COUNT
};

/* An account without a refresh token is expiring when less is left (linkedin.md 1.5, day 46 of
 * 60). */
#define ACCOUNT_EXPIRING_US (14 * US_PER_DAY)

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *account_state_name(enum account_state state);
enum account_state account_state_of_name(struct str name);
const char *account_type_name(enum account_type type);
enum account_type account_type_of_name(struct str name);
/* What is shown for an account: an active one whose token ends within ACCOUNT_EXPIRING_US and
 * cannot be refreshed is expiring. expires_at_us: 0 = never or unknown. */
enum account_state account_state_shown(enum account_state state, bool has_refresh_token,
				       int64_t expires_at_us, int64_t now_us);
/* May it be published to? active and expiring. */
bool account_state_is_usable(enum account_state state);
