/* SPDX-License-Identifier: Apache-2.0
 * Checking an app's credential with its platform, on behalf of a caller who waits. */
#include "ask.h"

static enum err_kind ask_platform(struct connector *connector, struct arena *arena,
				  const struct credential_row *credential, int64_t wait_ms,
				  struct ask_outcome *outcome_out, struct error *err)
{
	struct connect_task *t = ask_new(connector, credential->platform, OPERATION_VERIFY);
	enum err_kind kind = connect_task_enter_world(t, credential->app_id, err);
	if (kind == ERR_NONE)
		kind = connector_open_client_secret(connector, t->arena, credential,
						    &t->env.client_secret, err);
	if (kind != ERR_NONE) {
		ask_drop(t);
		return kind;
	}
	t->env.client_id = str_copy(t->arena, credential->client_id);
	t->env.variant = str_copy(t->arena, credential->variant);
	t->env.redirect_uri = connector_callback_url(connector, t->arena, credential->platform);
	ask_run(t, arena, wait_ms, outcome_out);
	return ERR_NONE;
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

static enum err_kind go_live(struct connector *connector, struct arena *arena, struct str app_id,
			     struct error *err)
{
	struct app_row app = {0};
	const enum err_kind kind =
		store_app_find(connector->config.store, arena, app_id, &app, err);
	if (kind != ERR_NONE || app.state != APP_DRAFT)
		return kind;
	return store_app_set_state(connector->config.store, app_id, APP_ACTIVE, err);
}

static enum err_kind judge_candidate(struct connector *connector,
				     const struct credential_row *candidate,
				     const struct verify_outcome *outcome, struct error *err)
{
	struct store *store = connector->config.store;
	if (outcome->state == CREDENTIAL_FAILED)
		return store_candidate_fail(store, candidate, outcome->message, err);
	return store_candidate_promote(store, candidate, clock_now_us(connector->config.clock),
				       err);
}

enum err_kind connector_verify(struct connector *connector, struct arena *arena, struct str app_id,
			       enum platform_id platform, int64_t wait_ms,
			       struct verify_outcome *outcome_out, struct error *err)
{
	struct store *store = connector->config.store;
	struct credential_row credential = {0};
	struct ask_outcome outcome = {0};
	enum err_kind kind = store_candidate_find(store, arena, app_id, platform, &credential, err);
	const bool is_candidate = kind == ERR_NONE;
	if (kind == ERR_NOT_FOUND)
		kind = store_credential_find(store, arena, app_id, platform, &credential, err);
	struct connect_wait wait = {.app_id = app_id};
	if (kind == ERR_NONE)
		kind = connector_wait_begin(connector, &wait, err);
	if (kind != ERR_NONE)
		return kind;
	kind = ask_platform(connector, arena, &credential, wait_ms, &outcome, err);
	connector_wait_end(connector, &wait);
	if (kind != ERR_NONE)
		return kind;
	*outcome_out =
		(struct verify_outcome){.state = state_of(&outcome), .message = outcome.message};
	if (outcome_out->state == CREDENTIAL_PENDING)
		return ERR_NONE;
	kind = is_candidate
		       ? judge_candidate(connector, &credential, outcome_out, err)
		       : store_credential_set_state(store, app_id, platform, credential.client_id,
						    outcome_out->state, outcome_out->message,
						    clock_now_us(connector->config.clock), err);
	if (kind != ERR_NONE || outcome_out->state != CREDENTIAL_VERIFIED)
		return kind;
	return go_live(connector, arena, app_id, err);
}
