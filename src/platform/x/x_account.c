/* SPDX-License-Identifier: Apache-2.0
 * X: does an account's token work, and revoking it (platforms/x.md 1.4). */
#include "arena.h"
#include "buf.h"

#include "base64.h"

#include "account_check.h"
#include "x_adapter.h"

void x_account_check(const struct env *env, struct flow *flow, const struct reply *reply,
		     struct step *step)
{
	(void)flow;
	if (account_check_ask(env, reply, STR(X_API "/2/users/me"), step))
		return;
	if (reply->outcome == REPLY_ANSWERED && x_is_ok(reply))
		step_done(step);
	else
		x_failed(env, reply, step);
}

/* platforms/x.md 1.4 */
void x_account_revoke(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		account_revoke_answer(env, reply, step);
		return;
	}
	account_revoke_form(env, &form);
	const struct str pair =
		str_format(env->arena, STR_FMT ":" STR_FMT, STR_ARG(str_trim(env->client_id)),
			   STR_ARG(str_trim(env->client_secret)));
	call_header(account_revoke_send(step, X_API "/2/oauth2/revoke", &form), "Authorization",
		    str_concat(env->arena, STR("Basic "), base64_encode(env->arena, pair)));
}
