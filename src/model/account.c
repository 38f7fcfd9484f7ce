/* SPDX-License-Identifier: Apache-2.0
 * See account.h. */
#include "account.h"

#include "names.h"

static const char *const account_states[ACCOUNT_STATE_COUNT] = {
	[ACCOUNT_ACTIVE] = "active",
	[ACCOUNT_EXPIRING] = "expiring",
	[ACCOUNT_REAUTH_REQUIRED] = "reauth_required",
	[ACCOUNT_DISCONNECTED] = "disconnected",
};

static const char *const account_types[ACCOUNT_TYPE_COUNT] = {
	[ACCOUNT_PERSONAL] = "personal",         [ACCOUNT_PAGE] = "page",
	[ACCOUNT_BUSINESS] = "business",         [ACCOUNT_CREATOR] = "creator",
	[ACCOUNT_ORGANIZATION] = "organization", [ACCOUNT_CHANNEL] = "channel",
};

const char *account_state_name(enum account_state state)
{
	return NAME_OF(account_states, state);
}

enum account_state account_state_of_name(struct str name)
{
	return (enum account_state)NAME_FIND(account_states, name);
}

const char *account_type_name(enum account_type type)
{
	return NAME_OF(account_types, type);
}

enum account_type account_type_of_name(struct str name)
{
	return (enum account_type)NAME_FIND(account_types, name);
}

enum account_state account_state_shown(enum account_state state, int64_t ends_at_us, int64_t now_us)
{
	const bool is_ending = ends_at_us > 0 && ends_at_us < now_us + ACCOUNT_EXPIRING_US;
	return state == ACCOUNT_ACTIVE && is_ending ? ACCOUNT_EXPIRING : state;
}

int64_t account_ends_at_us(bool has_refresh_token, int64_t expires_at_us,
			   int64_t refresh_expires_at_us, int64_t permission_ends_at_us)
{
	const int64_t token_us = has_refresh_token ? refresh_expires_at_us : expires_at_us;
	if (token_us <= 0 || permission_ends_at_us <= 0)
		return token_us > 0                ? token_us
		       : permission_ends_at_us > 0 ? permission_ends_at_us
						   : 0;
	return token_us < permission_ends_at_us ? token_us : permission_ends_at_us;
}

bool account_state_is_usable(enum account_state state)
{
	return state == ACCOUNT_ACTIVE || state == ACCOUNT_EXPIRING;
}
