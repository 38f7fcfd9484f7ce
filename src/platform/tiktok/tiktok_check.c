/* SPDX-License-Identifier: Apache-2.0
 * TikTok: does an account's token work, and revoking it (platforms/tiktok.md 1.4). */
#include "buf.h"

#include "form.h"

#include "account_check.h"
#include "tiktok_adapter.h"

#define FORM_MAX_BYTES 16384

void tiktok_account_check(const struct env *env, struct flow *flow, const struct reply *reply,
			  struct step *step)
{
	(void)flow;
	if (!account_check_ask(env, reply, STR(TIKTOK_API_URL "/user/info/?fields=open_id"),
			       step) &&
	    !tiktok_is_refused(env, reply, step))
		step_done(step);
}

/* platforms/tiktok.md 1.4: the access token is what it takes. */
void tiktok_account_revoke(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		account_revoke_answer(env, reply, step);
		return;
	}
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "client_key", env->client_id);
	form_add(&form, "client_secret", env->client_secret);
	form_add(&form, "token", env->access_token);
	account_revoke_send(step, TIKTOK_API_URL "/oauth/revoke/", &form);
}
