/* SPDX-License-Identifier: Apache-2.0
 * The account's tokens while a delivery uses them: when a token is refreshed, what becomes of the
 * new pair, and when an account has to be connected again. The next step is verdict.c's and
 * talk.c's to decide. */
#include "delivery_private.h"

#include "seal.h"

#include "redact.h"

#define FRESH_US (5 * US_PER_MINUTE) /* x.md 1.4 rule 6: refresh when less remains */

bool account_token_can_be_refreshed(const struct delivery_task *t)
{
	return t->platform->stages[OPERATION_REFRESH] != NULL && t->env.refresh_token.len > 0 &&
	       t->env.client_id.len > 0;
}

static bool lasts_longer_than(const struct delivery_task *t, int64_t life_us)
{
	const int64_t expires_at_us = t->work.account.expires_at_us;
	return expires_at_us == 0 || expires_at_us - t->env.now_us > life_us;
}

static int64_t refresh_ahead_us(const struct delivery_task *t)
{
	const int64_t ahead_us = t->platform->refresh_ahead_us;
	return ahead_us > FRESH_US ? ahead_us : FRESH_US;
}

bool account_token_may_wait(const struct delivery_task *t, const struct failure *failure)
{
	const bool is_dead = failure->class == FAILURE_REAUTH || failure->class == FAILURE_TOKEN;
	return !is_dead && !t->token.was_refused && lasts_longer_than(t, FRESH_US);
}

enum account_token account_token_check(const struct delivery_task *t)
{
	const int64_t expires_at_us = t->work.account.expires_at_us;
	if (lasts_longer_than(t, refresh_ahead_us(t)))
		return ACCOUNT_TOKEN_GOOD;
	if (account_token_can_be_refreshed(t))
		return ACCOUNT_TOKEN_ENDING;
	return expires_at_us > t->env.now_us ? ACCOUNT_TOKEN_GOOD : ACCOUNT_TOKEN_ENDED;
}

/* ---- refreshing ---- */

void account_token_refresh_begin(struct delivery_task *t)
{
	t->token.is_refreshing = true;
	t->token.has_refreshed = true;
	flow_init(&t->token.flow, t->arena, 0);
}

/* A platform whose refresh tokens work once may have spent ours on an answer that never came
 * (rules.md T2). */
void account_token_note_reply(struct delivery_task *t, const struct reply *reply)
{
	if (reply->outcome == REPLY_LOST ||
	    (reply->outcome == REPLY_ANSWERED && reply->status >= 500))
		flow_set_int(&t->flow, FLOW_REFRESH_LOST, 1);
}

static struct str sealed(const struct delivery_task *t, const char *column, struct str token)
{
	const struct deliverer_config *config = &t->deliverer->config;
	const struct seal_place place = {STR("accounts"), str_of(column), t->work.account.id};
	return seal_secret(config->seal, t->turn.arena, &place, token, config->random);
}

void account_token_refreshed(struct delivery_task *t, const struct token_grant *grant)
{
	t->env.access_token = str_copy(t->arena, grant->access_token);
	t->token.access_sealed = sealed(t, "access_token", grant->access_token);
	t->token.refresh_sealed = STR("");
	if (grant->refresh_token.len > 0) {
		t->env.refresh_token = str_copy(t->arena, grant->refresh_token);
		t->token.refresh_sealed = sealed(t, "refresh_token", grant->refresh_token);
	}
	t->token.expires_at_us = grant->expires_at_us;
	t->token.refresh_expires_at_us = grant->refresh_expires_at_us;
	t->token.has_new = true;
	t->token.is_refreshing = false;
	flow_unset(&t->flow, FLOW_REFRESH_LOST);
	record_decision(t, STR("token refreshed: go on where it stopped"));
}

/* A token that is dead because an answer was lost is not the same as one that was revoked. */
struct failure account_token_refresh_failed(struct delivery_task *t, const struct failure *failure)
{
	struct failure shown = *failure;
	if (failure->class == FAILURE_REAUTH && flow_get_int(&t->flow, FLOW_REFRESH_LOST, 0) != 0)
		shown.message = str_concat(t->turn.arena,
					   STR("The answer to an earlier refresh was lost, and the "
					       "new token with it. "),
					   failure->message);
	t->token.is_refreshing = false;
	return shown;
}

/* ---- the account ---- */

bool account_token_has_changed(const struct delivery_task *t)
{
	const struct account_row *account = &t->work.account;
	struct account_row now = {0};
	bool is_found = false;
	struct error err = {0};
	if (store_account_get_many(t->deliverer->config.store, t->turn.arena, t->work.app_id,
				   &account->id, 1, &now, &is_found, &err) != ERR_NONE)
		return false;
	return is_found &&
	       (now.token_version != account->token_version || now.state == ACCOUNT_DISCONNECTED);
}

/* rules.md T1: the account is read again before it is marked. */
bool account_token_flag(struct delivery_task *t, struct str why)
{
	if (account_token_has_changed(t))
		return false;
	t->token.has_new_state = true;
	t->token.new_state = ACCOUNT_REAUTH_REQUIRED;
	t->token.new_error = redact_secrets(t->turn.arena, why, &t->env, &t->flow);
	return true;
}

struct failure account_token_refused(struct delivery_task *t, const struct failure *failure)
{
	struct failure judged = *failure;
	judged.code = FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED;
	judged.class =
		account_token_flag(t, failure->message) ? FAILURE_PERMANENT : FAILURE_TRANSIENT;
	return judged;
}

/* ---- writing ---- */

void account_token_turn_begins(struct delivery_task *t)
{
	t->token.has_new = false;
	t->token.has_new_state = false;
}

static enum err_kind save_pair(struct delivery_task *t, void *tx, struct error *err)
{
	const bool has_refresh_token = !str_is_empty(t->token.refresh_sealed) ||
				       !str_is_empty(t->work.account.refresh_token_sealed);
	const struct account_tokens token = {
		.account_id = t->work.account.id,
		.token_version = t->work.account.token_version,
		.access_token_sealed = t->token.access_sealed,
		.refresh_token_sealed = t->token.refresh_sealed,
		.expires_at_us = t->token.expires_at_us,
		.refresh_expires_at_us = t->token.refresh_expires_at_us,
		.ends_at_us = account_ends_at_us(has_refresh_token, t->token.expires_at_us,
						 t->token.refresh_expires_at_us, 0)};
	const enum err_kind kind = store_account_save_token(tx, &token, t->env.now_us, err);
	t->token.is_saved = kind == ERR_NONE;
	/* CONFLICT: the account was connected again meanwhile; its tokens are newer than ours. */
	return kind == ERR_CONFLICT ? ERR_NONE : kind;
}

static enum err_kind save_state(const struct delivery_task *t, void *tx, struct error *err)
{
	const enum err_kind kind = store_account_set_state(
		tx, t->work.account.id, t->token.new_state, t->token.new_error, t->env.now_us, err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

enum err_kind account_token_save(struct delivery_task *t, void *tx, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	if (t->token.has_new)
		kind = save_pair(t, tx, err);
	if (kind == ERR_NONE && t->token.has_new_state)
		kind = save_state(t, tx, err);
	return kind;
}

void account_token_saved(struct delivery_task *t)
{
	if (t->token.has_new && t->token.is_saved)
		t->work.account.token_version++;
}
