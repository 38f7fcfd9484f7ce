/* SPDX-License-Identifier: Apache-2.0
 * See check.h. */
#include "check.h"

#include "json.h"

#include "seal.h"

#include "ask.h"

static struct str opened(struct connect_task *t, const struct account_row *account,
			 const char *column, struct str sealed)
{
	const struct seal_place place = {STR("accounts"), str_of(column), account->id};
	struct str text = STR("");
	struct error err = {0};
	if (sealed.len > 0 && seal_open_secret(t->connector->config.seal, t->arena, &place, sealed,
					       &text, &err) != ERR_NONE)
		LOG(t->connector->config.log, ERROR, "account_unreadable",
		    log_str("account", account->id), log_str("error", str_of(err.text)));
	return text;
}

/* Adapters may want the app's own credentials beside the account's token; without any the platform
 * says so. */
static void add_credential(struct connect_task *t, const struct account_row *account)
{
	struct credential_row credential = {0};
	if (store_credential_find(t->connector->config.store, t->arena, account->app_id,
				  account->platform, &credential, NULL) != ERR_NONE)
		return;
	t->env.client_id = credential.client_id;
	t->env.client_secret = connector_client_secret(t->connector, t->arena, &credential);
}

static struct connect_task *question(struct connector *connector, const struct account_row *account,
				     enum operation operation)
{
	struct connect_task *t = ask_new(connector, account->platform, operation);
	struct env *env = &t->env;
	add_credential(t, account);
	env->platform_account_id = str_copy(t->arena, account->platform_account_id);
	env->username = str_copy(t->arena, account->username);
	env->account_type = account->type;
	env->access_token = opened(t, account, "access_token", account->access_token_sealed);
	env->refresh_token = opened(t, account, "refresh_token", account->refresh_token_sealed);
	env->extra_secret = opened(t, account, "extra_secret", account->extra_sealed);
	if (account->extra.len > 0 &&
	    json_parse(t->arena, account->extra, NULL, &env->account_extra, NULL, NULL) != ERR_NONE)
		env->account_extra = NULL;
	return t;
}

static bool has_ended(const struct connector *connector, const struct account_row *account)
{
	return account->expires_at_us > 0 &&
	       account->expires_at_us <= clock_now_us(connector->config.clock);
}

void check_run(struct connector *connector, struct arena *arena, const struct account_row *account,
	       int64_t wait_ms, struct check_outcome *outcome_out)
{
	struct ask_outcome outcome = {0};
	/* Only deliveries refresh, one at a time for each account: two refreshes at once would burn
	 * a single-use token. */
	if (has_ended(connector, account) && account->refresh_token_sealed.len > 0) {
		*outcome_out = (struct check_outcome){
			CHECK_GOOD,
			STR("The access token has ended; it is renewed with the next post.")};
		return;
	}
	ask_run(question(connector, account, OPERATION_CHECK), arena, wait_ms, &outcome);
	outcome_out->message = outcome.message;
	if (outcome.is_good)
		outcome_out->verdict = CHECK_GOOD;
	else if (outcome.is_answered &&
		 (outcome.class == FAILURE_TOKEN || outcome.class == FAILURE_REAUTH))
		outcome_out->verdict = CHECK_REFUSED;
	else
		outcome_out->verdict = CHECK_UNKNOWN;
}

void revoke_run(struct connector *connector, struct arena *arena, const struct account_row *account,
		int64_t wait_ms)
{
	struct ask_outcome outcome = {0};
	if (platform_of(account->platform)->stages[OPERATION_REVOKE] == NULL ||
	    account->access_token_sealed.len == 0)
		return;
	ask_run(question(connector, account, OPERATION_REVOKE), arena, wait_ms, &outcome);
	if (!outcome.is_good)
		LOG(connector->config.log, WARN, "token_not_revoked",
		    log_str("account", account->id), log_str("why", outcome.message));
}
