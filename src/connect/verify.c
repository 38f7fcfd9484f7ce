/* SPDX-License-Identifier: Apache-2.0
 * See verify.h. */
#include "verify.h"

#include "ask.h"

static struct connect_task *question(struct connector *connector,
				     const struct credential_row *credential)
{
	struct connect_task *t = ask_new(connector, credential->platform, OPERATION_VERIFY);
	t->env.client_id = str_copy(t->arena, credential->client_id);
	t->env.client_secret = connector_client_secret(connector, t->arena, credential);
	t->env.redirect_uri = connector_callback_url(connector, t->arena, credential->platform);
	return t;
}

/* Only the platform's own refusal of id or secret makes a credential bad; a platform that cannot be
 * asked says nothing. */
static enum credential_state state_of(const struct ask_outcome *outcome)
{
	if (outcome->is_good)
		return CREDENTIAL_VERIFIED;
	const bool is_refused =
		outcome->is_answered && outcome->code == FAILURE_CODE_APP_CREDENTIALS_INVALID;
	return is_refused ? CREDENTIAL_FAILED : CREDENTIAL_PENDING;
}

void verify_run(struct connector *connector, struct arena *arena,
		const struct credential_row *credential, int64_t wait_ms,
		struct verify_outcome *outcome_out)
{
	struct ask_outcome outcome = {0};
	ask_run(question(connector, credential), arena, wait_ms, &outcome);
	*outcome_out = (struct verify_outcome){state_of(&outcome), outcome.message};
}
