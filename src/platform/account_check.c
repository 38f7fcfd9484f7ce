/* SPDX-License-Identifier: Apache-2.0
 * See account_check.h. */
#include "account_check.h"

#include "arena.h"
#include "buf.h"

#include "form.h"

#include "token_answer.h"

const char *account_check_send(const struct env *env, struct str url, struct step *step)
{
	call_bearer(env, step_send(step, CALL_READ, "GET", url), env->access_token);
	return NULL;
}

void account_revoke_form(const struct env *env, struct buf *form)
{
	buf_init(form, env->arena, TOKEN_FORM_MAX_BYTES);
	form_add(form, "token",
		 str_is_empty(env->refresh_token) ? env->access_token : env->refresh_token);
}

struct call *account_revoke_send(struct step *step, const char *url, struct buf *form)
{
	struct call *call = step_send(step, CALL_PREPARE, "POST", str_of(url));
	call_form(call, buf_str(form));
	return call;
}

const char *account_revoke_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	(void)flow;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if ((reply->status >= 200 && reply->status <= 299) || reply->status == 400 ||
	    reply->status == 401)
		step_done(step);
	else
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  str_format(env->arena, "The platform answered with status %d.",
				     reply->status));
	return NULL;
}
