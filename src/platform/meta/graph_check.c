/* SPDX-License-Identifier: Apache-2.0
 * Meta: does an account's token work? It is asked of the account's own object, a Page or an
 * Instagram account alike. Revoking takes the app away from the whole user, with Pages that other
 * accounts stand for: so Meta's tokens are kept until they end. */
#include "buf.h"

#include "form.h"

#include "graph.h"

void graph_account_check(const struct env *env, struct flow *flow, const struct reply *reply,
			 struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply == NULL) {
		graph_form_init(env, &form);
		form_add(&form, "fields", STR("id"));
		graph_call(env, step, CALL_READ, "GET", env->platform_account_id, env->access_token,
			   &form);
	} else if (graph_is_ok(reply)) {
		step_done(step);
	} else {
		graph_step_fail(env, reply, step);
	}
}
