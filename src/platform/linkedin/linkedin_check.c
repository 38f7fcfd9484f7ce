/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: does an account's token work? LinkedIn lets no app revoke a token: it works until it
 * ends. */
#include "account_check.h"
#include "linkedin.h"

#define USERINFO_URL "https://api.linkedin.com/v2/userinfo" /* platforms/linkedin.md 1.6 */

void linkedin_account_check(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	(void)flow;
	if (!account_check_ask(env, reply, STR(USERINFO_URL), step) &&
	    !linkedin_is_refused(env, reply, step))
		step_done(step);
}
