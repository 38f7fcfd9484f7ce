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

/* An account that only its user can renew is expiring when less is left (linkedin.md 1.5, day 46 of
 * 60). */
#define ACCOUNT_EXPIRING_US (14 * US_PER_DAY)
/* ... and is told of once more (api-decisions.md 9). */
#define ACCOUNT_EXPIRING_SOON_US (3 * US_PER_DAY)

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *account_state_name(enum account_state state);
enum account_state account_state_of_name(struct str name);
const char *account_type_name(enum account_type type);
enum account_type account_type_of_name(struct str name);
/* What is shown for an account: an active one that ends within ACCOUNT_EXPIRING_US is expiring.
 * ends_at_us: 0 = never or unknown. */
enum account_state account_state_shown(enum account_state state, int64_t ends_at_us,
				       int64_t now_us);
/* When an account ends that only its user can renew: with its refresh token, else with its access
 * token, or with the user's permission. Each 0 = never or unknown; so is the answer. */
int64_t account_ends_at_us(bool has_refresh_token, int64_t expires_at_us,
			   int64_t refresh_expires_at_us, int64_t permission_ends_at_us);
/* May it be published to? active and expiring. */
bool account_state_is_usable(enum account_state state);
