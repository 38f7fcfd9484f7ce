/* SPDX-License-Identifier: Apache-2.0
 * Two questions about a connected account, alike for most platforms: does its token work (one read
 * of the platform's own "who am I"), and forget it (RFC 7009). Each platform's file asks them and
 * reads refusals by its own table. Pure, as platform.h wants it. */
#pragma once

#include "platform.h"

struct buf;

/* Fills the step of a check: a read of url with the account's access token. Returns NULL, as the
 * stage functions do. */
const char *account_check_send(const struct env *env, struct str url, struct step *step);

/* Begins a revocation form in env->arena with the refresh token, or the access token where there is
 * none: with a refresh token goes every access token made from it. */
void account_revoke_form(const struct env *env, struct buf *form);
/* Sends the form; the call may still be given headers. */
struct call *account_revoke_send(struct step *step, const char *url, struct buf *form);
/* The answer function of a revocation stage: a 2xx, or a 400 or 401 for a token that the platform
 * no longer knows, is STEP_DONE. */
const char *account_revoke_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step);
