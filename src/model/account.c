/* SPDX-License-Identifier: Apache-2.0
 * The words of states and account types (api-decisions.md 3 to 5). */
#include "account.h"

#include "names.h"

static const char *const app_states[APP_STATE_COUNT] = {
	[APP_DRAFT] = "draft",
	[APP_ACTIVE] = "active",
	[APP_SUSPENDED] = "suspended",
};

static const char *const credential_states[CREDENTIAL_STATE_COUNT] = {
	[CREDENTIAL_PENDING] = "pending",
	[CREDENTIAL_VERIFIED] = "verified",
	[CREDENTIAL_FAILED] = "failed",
};

static const char *const connection_states[CONNECTION_STATE_COUNT] = {
	[CONNECTION_PENDING] = "pending",
	[CONNECTION_SUCCESS] = "success",
	[CONNECTION_FAILED] = "failed",
};

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

const char *app_state_name(enum app_state state)
{
	return NAME_OF(app_states, state);
}

enum app_state app_state_of_name(struct str name)
{
	return (enum app_state)NAME_FIND(app_states, name);
}

const char *credential_state_name(enum credential_state state)
{
	return NAME_OF(credential_states, state);
}

enum credential_state credential_state_of_name(struct str name)
{
	return (enum credential_state)NAME_FIND(credential_states, name);
}

const char *connection_state_name(enum connection_state state)
{
	return NAME_OF(connection_states, state);
}

enum connection_state connection_state_of_name(struct str name)
{
	return (enum connection_state)NAME_FIND(connection_states, name);
}

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

enum account_state account_state_shown(enum account_state state, bool has_refresh_token,
				       int64_t expires_at_us, int64_t now_us)
{
	const bool is_ending = expires_at_us > 0 && expires_at_us < now_us + ACCOUNT_EXPIRING_US;
	return state == ACCOUNT_ACTIVE && !has_refresh_token && is_ending ? ACCOUNT_EXPIRING
									  : state;
}

bool account_state_is_usable(enum account_state state)
{
	return state == ACCOUNT_ACTIVE || state == ACCOUNT_EXPIRING;
}
