/* SPDX-License-Identifier: Apache-2.0
 * YouTube: does an account's token work, and revoking it (platforms/youtube.md 1.4). */
#include "buf.h"

#include "account_check.h"
#include "youtube_adapter.h"

void youtube_account_check(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	(void)flow;
	if (!account_check_ask(env, reply, STR(YOUTUBE_API_URL "/channels?part=id&mine=true"),
			       step) &&
	    !youtube_is_refused(env, reply, step))
		step_done(step);
}

/* platforms/youtube.md 1.4 */
void youtube_account_revoke(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		account_revoke_answer(env, reply, step);
		return;
	}
	account_revoke_form(env, &form);
	account_revoke_send(step, "https://oauth2.googleapis.com/revoke", &form);
}
