/* SPDX-License-Identifier: Apache-2.0
 * Questions about one connected account: does its token work, and forget it (api-decisions.md
 * 9). */
#include "ask.h"

#include "json.h"

#include "seal.h"

#include "avatar.h"

/* The account's secret, or empty when it has none. INTERNAL: it cannot be opened. */
static enum err_kind open_secret(struct connect_task *t, const struct account_row *account,
				 const char *column, struct str sealed, struct str *secret_out,
				 struct error *err)
{
	const struct seal_place place = {STR("accounts"), str_of(column), account->id};
	struct error why = {0};
	*secret_out = STR("");
	if (str_is_empty(sealed) || seal_open_secret(t->connector->config.seal, t->arena, &place,
						     sealed, secret_out, &why) == ERR_NONE)
		return ERR_NONE;
	LOG(t->connector->config.log, ERROR, "account_unreadable", log_str("account", account->id),
	    log_str("error", str_of(why.text)));
	return error_set(err, ERR_INTERNAL,
			 "The account's tokens cannot be opened with this master key.");
}

/* Adapters may want the app's own credential beside the account's token; when there is none, the
 * platform says so. */
static enum err_kind add_credential(struct connect_task *t, const struct account_row *account,
				    struct error *err)
{
	struct credential_row credential = {0};
	const enum err_kind kind =
		store_credential_find(t->connector->config.store, t->arena, account->app_id,
				      account->platform, &credential, err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	t->env.client_id = credential.client_id;
	return connector_open_client_secret(t->connector, t->arena, &credential,
					    &t->env.client_secret, err);
}

static enum err_kind add_account(struct connect_task *t, const struct account_row *account,
				 struct error *err)
{
	struct env *env = &t->env;
	enum err_kind kind;
	if ((kind = open_secret(t, account, "access_token", account->access_token_sealed,
				&env->access_token, err)) ||
	    (kind = open_secret(t, account, "refresh_token", account->refresh_token_sealed,
				&env->refresh_token, err)) ||
	    (kind = open_secret(t, account, "extra_secret", account->extra_sealed,
				&env->extra_secret, err)))
		return kind;
	env->platform_account_id = str_copy(t->arena, account->platform_account_id);
	env->username = str_copy(t->arena, account->username);
	env->account_type = account->type;
	if (!str_is_empty(account->extra) &&
	    json_parse(t->arena, account->extra, NULL, &env->account_extra, NULL, NULL) != ERR_NONE)
		env->account_extra = NULL;
	return ERR_NONE;
}

/* When the platform cannot be asked, the outcome is one without an answer. */
static void ask_about(struct connector *connector, struct arena *arena,
		      const struct account_row *account, enum operation operation, int64_t wait_ms,
		      struct ask_outcome *outcome_out)
{
	struct connect_task *t = ask_new(connector, account->platform, operation);
	struct error err = {0};
	if (connect_task_enter_world(t, account->app_id, &err) == ERR_NONE &&
	    add_credential(t, account, &err) == ERR_NONE &&
	    add_account(t, account, &err) == ERR_NONE) {
		ask_run(t, arena, wait_ms, outcome_out);
		return;
	}
	ask_drop(t);
	*outcome_out = (struct ask_outcome){.message = str_copy(arena, str_of(err.text))};
}

/* ---- does the token work? ---- */

static enum check_verdict verdict_of(const struct ask_outcome *outcome)
{
	if (outcome->is_good)
		return CHECK_GOOD;
	if (outcome->is_answered &&
	    (outcome->class == FAILURE_TOKEN || outcome->class == FAILURE_REAUTH))
		return CHECK_REFUSED;
	return CHECK_UNKNOWN;
}

/* avatar_url_out: of the account's picture, where the platform said it; else untouched. */
static void check_token(struct connector *connector, struct arena *arena,
			const struct account_row *account, int64_t wait_ms,
			struct check_outcome *outcome_out, struct str *avatar_url_out)
{
	const int64_t now_us = clock_now_us(connector->config.clock);
	const bool has_ended = account->expires_at_us > 0 && account->expires_at_us <= now_us;
	const bool can_be_renewed =
		!str_is_empty(account->refresh_token_sealed) &&
		(account->refresh_expires_at_us == 0 || account->refresh_expires_at_us > now_us);
	/* Only deliveries refresh, one at a time for each account: two refreshes at once would burn
	 * a single-use token. */
	if (has_ended && can_be_renewed) {
		*outcome_out = (struct check_outcome){
			CHECK_GOOD,
			STR("The access token has expired; it is renewed with the next post.")};
		return;
	}
	struct ask_outcome outcome = {0};
	ask_about(connector, arena, account, OPERATION_CHECK, wait_ms, &outcome);
	*outcome_out = (struct check_outcome){verdict_of(&outcome), outcome.message};
	*avatar_url_out = outcome.avatar_url;
}

struct account_finding {
	const struct account_row *account;
	bool has_news; /* of its state */
	enum account_state state;
	struct str message;
	struct str avatar_url; /* a new one; empty = none */
	int64_t now_us;
};

static enum err_kind write_finding(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_finding *finding = argument;
	const struct account_row *account = finding->account;
	enum err_kind kind = ERR_NONE;
	if (finding->has_news)
		kind = store_account_set_state(tx, account->id, finding->state, finding->message,
					       finding->now_us, err);
	if (kind == ERR_NONE && !str_is_empty(finding->avatar_url))
		kind = store_account_set_avatar(tx, account->id, finding->avatar_url,
						finding->now_us, err);
	return kind;
}

/* The address may be new where the picture is not: platforms sign theirs for some days. */
static void fetch_avatar(struct connector *connector, struct arena *arena,
			 const struct account_finding *finding)
{
	struct account_row account = *finding->account;
	struct app_world world = {0};
	account.avatar_url = finding->avatar_url;
	if (store_app_world(connector->config.store, arena, account.app_id, &world, NULL) ==
	    ERR_NONE)
		avatar_fetch_begin(connector, &account, world.is_test);
}

/* What is certain, where it is not what the row says already. */
static enum err_kind store_finding(struct connector *connector, struct arena *arena,
				   const struct account_finding *finding, struct error *err)
{
	const bool has_avatar = !str_is_empty(finding->avatar_url);
	if (!finding->has_news && !has_avatar)
		return ERR_NONE;
	struct account_finding argument = *finding;
	const enum err_kind kind =
		store_write(connector->config.store, write_finding, &argument, err);
	if (kind == ERR_NONE && has_avatar)
		fetch_avatar(connector, arena, finding);
	return kind;
}

enum err_kind connector_check(struct connector *connector, struct arena *arena,
			      const struct account_row *account, int64_t wait_ms,
			      struct check_outcome *outcome_out, struct error *err)
{
	if (account->state == ACCOUNT_DISCONNECTED) {
		*outcome_out =
			(struct check_outcome){CHECK_REFUSED, STR("The account is disconnected.")};
		return ERR_NONE;
	}
	struct str avatar_url = {0};
	struct connect_wait wait = {.app_id = account->app_id};
	const enum err_kind kind = connector_wait_begin(connector, &wait, err);
	if (kind != ERR_NONE)
		return kind;
	check_token(connector, arena, account, wait_ms, outcome_out, &avatar_url);
	connector_wait_end(connector, &wait);
	if (outcome_out->verdict == CHECK_UNKNOWN)
		return ERR_NONE;
	const bool is_good = outcome_out->verdict == CHECK_GOOD;
	const bool is_as_before =
		is_good && account->state == ACCOUNT_ACTIVE && str_is_empty(account->last_error);
	const struct account_finding finding = {
		.account = account,
		.has_news = !is_as_before,
		.state = is_good ? ACCOUNT_ACTIVE : ACCOUNT_REAUTH_REQUIRED,
		.message = is_good ? STR("") : outcome_out->message,
		.avatar_url = str_equal(avatar_url, account->avatar_url) ? STR("") : avatar_url,
		.now_us = clock_now_us(connector->config.clock),
	};
	return store_finding(connector, arena, &finding, err);
}

/* ---- forget it ---- */

/* Asks the platform to forget the account's tokens, where it can. The outcome is only logged. */
static void revoke_token(struct connector *connector, struct arena *arena,
			 const struct account_row *account, int64_t wait_ms)
{
	struct ask_outcome outcome = {0};
	if (platform_of(account->platform)->stages[OPERATION_REVOKE] == NULL ||
	    str_is_empty(account->access_token_sealed))
		return;
	struct connect_wait wait = {.app_id = account->app_id};
	struct error err = {0};
	const bool may_wait = connector_wait_begin(connector, &wait, &err) == ERR_NONE;
	ask_about(connector, arena, account, OPERATION_REVOKE, may_wait ? wait_ms : 0, &outcome);
	if (may_wait)
		connector_wait_end(connector, &wait);
	if (!outcome.is_good)
		LOG(connector->config.log, WARN, "token_not_revoked",
		    log_str("account", account->id), log_str("why", outcome.message));
}

enum err_kind connector_disconnect(struct connector *connector, struct arena *arena,
				   const struct account_row *account, int64_t wait_ms,
				   struct error *err)
{
	if (account->state != ACCOUNT_DISCONNECTED)
		revoke_token(connector, arena, account, wait_ms);
	avatar_cache_remove(&connector->avatars, account->id);
	return store_account_disconnect(connector->config.store, account->id,
					clock_now_us(connector->config.clock), err);
}
