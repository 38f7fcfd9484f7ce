/* SPDX-License-Identifier: Apache-2.0
 * See app.h. */
#include "app.h"

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

static const char *const tiktok_privacies[APP_TIKTOK_PRIVACY_COUNT] = {
	[APP_TIKTOK_MOST_OPEN] = "most_open",
	[APP_TIKTOK_SELF_ONLY] = "self_only",
	[APP_TIKTOK_REFUSE] = "refuse",
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

const char *app_tiktok_privacy_name(enum app_tiktok_privacy privacy)
{
	return NAME_OF(tiktok_privacies, privacy);
}

enum app_tiktok_privacy app_tiktok_privacy_of_name(struct str name)
{
	return (enum app_tiktok_privacy)NAME_FIND(tiktok_privacies, name);
}
