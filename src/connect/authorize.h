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
	struct str pkce_verifier; /* empty when the profile wants none */
	struct str graph_version;
	struct str scopes; /* the credential's, separated by blanks; empty = the profile's */
};

struct str authorize_url(struct arena *arena, const struct oauth_profile *profile,
			 const struct authorize_values *values);
/* The challenge of a verifier in the profile's style. */
struct str authorize_challenge(struct arena *arena, enum pkce_style style, struct str verifier);
