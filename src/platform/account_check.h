/* SPDX-License-Identifier: Apache-2.0
 * Two questions about a connected account, for every platform alike: does its token work (one read
 * of the platform's own "who am I"), and forget it. Errors are read by each platform's own table.
 * Pure, as platform.h wants it. */
#pragma once

#include "platform.h"

/* struct platform's check and revoke. */
void account_check_facebook(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step);
void account_check_instagram(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step);
void account_check_x(const struct env *env, struct flow *flow, const struct reply *reply,
		     struct step *step);
void account_check_linkedin(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step);
void account_check_youtube(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step);
void account_check_tiktok(const struct env *env, struct flow *flow, const struct reply *reply,
			  struct step *step);
void account_revoke_x(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step);
void account_revoke_youtube(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step);
void account_revoke_tiktok(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step);
