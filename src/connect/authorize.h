/* SPDX-License-Identifier: Apache-2.0
 * The authorize URL of a platform, put together from its OAuth profile. Pure. */
#pragma once

#include "str.h"

#include "platform.h"

struct arena;

struct authorize_values {
	struct str client_id;
	struct str redirect_uri;
	struct str state;
	struct str pkce_verifier; /* empty when the profile does without */
	struct str graph_version;
	struct str variant;   /* the credential's; empty = the profile's first */
	struct str scopes;    /* the credential's, separated by spaces; empty = the variant's */
	struct str config_id; /* in the scopes' place, where the profile takes one; empty = none */
};

/* Where the user is sent to give consent. Lives in arena. */
struct str authorize_url(struct arena *arena, const struct oauth_profile *profile,
			 const struct authorize_values *values);
