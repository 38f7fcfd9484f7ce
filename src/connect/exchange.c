/* SPDX-License-Identifier: Apache-2.0
 * The exchange: authorization code -> tokens -> accounts. It is a task whose flow is saved at every
 * step: after a crash, the next start resumes a connection that already has its token. */
#include "connect_private.h"

#include <stdlib.h>

#include "count_of.h"
#include "uuid.h"

#include "utf8.h"

#include "seal.h"

#include "request_limits.h"

#include "answer.h"

#include "store_quota.h"

#include "avatar.h"

struct exchange {
	struct connect_task base; /* first */
	struct connection_row connection;
	struct account_row *accounts;
	size_t account_count;
	bool needs_confirmation;
	bool is_over_quota; /* the app has as many accounts as it may have */
	enum connection_error error;
	struct str error_description;
};

static struct str sealed(const struct exchange *x, const char *table, const char *column,
			 struct str row_id, struct str plaintext)
{
	if (str_is_empty(plaintext))
		return STR("");
	const struct connector_config *config = &x->base.connector->config;
	const struct seal_place place = {str_of(table), str_of(column), row_id};
	return seal_secret(config->seal, x->base.turn_arena, &place, plaintext, config->random);
}

static enum err_kind unsealed(const struct exchange *x, const char *column, struct str sealed_text,
			      struct str *out, struct error *err)
{
	const struct seal_place place = {STR("connections"), str_of(column), x->connection.id};
	*out = STR("");
	if (str_is_empty(sealed_text))
		return ERR_NONE;
	return seal_open_secret(x->base.connector->config.seal, x->base.arena, &place, sealed_text,
				out, err);
}

static void exchange_failed(struct exchange *x, enum connection_error error, struct str description)
{
	x->error = error == CONNECTION_ERROR_NONE ? CONNECTION_ERROR_PLATFORM_ERROR : error;
	x->error_description = str_is_empty(description)
				       ? str_of(connection_error_sentence(x->error))
				       : description;
}

/* That which the connection was begun with: the candidate, until it has taken the current one's
 * place. */
static enum err_kind credential_of(const struct exchange *x, struct credential_row *out,
				   struct error *err)
{
	const struct connection_row *connection = &x->connection;
	struct store *store = x->base.connector->config.store;
	enum err_kind kind = ERR_NOT_FOUND;
	if (connection->uses_candidate)
		kind = store_candidate_find(store, x->base.arena, connection->app_id,
					    connection->platform, out, err);
	return kind != ERR_NOT_FOUND
		       ? kind
		       : store_credential_find(store, x->base.arena, connection->app_id,
					       connection->platform, out, err);
}

/* Sets x->error too where there is more to say than that the connection could not be read. */
static enum err_kind load(struct exchange *x, struct error *err)
{
	struct connect_task *t = &x->base;
	const struct connector_config *config = &t->connector->config;
	struct credential_row credential = {0};
	struct str flow_secrets = STR("");
	/* The service died after it used the state up and before it stored the refusal: there is no
	 * code. */
	if (str_is_empty(x->connection.code_sealed) && str_is_empty(x->connection.flow))
		return error_set(err, ERR_NOT_FOUND, "there is no authorization code");
	enum err_kind kind = credential_of(x, &credential, err);
	if (kind != ERR_NONE)
		return kind;
	if ((kind = unsealed(x, "code", x->connection.code_sealed, &t->env.code, err)) ||
	    (kind = unsealed(x, "pkce_verifier", x->connection.pkce_sealed, &t->env.pkce_verifier,
			     err)) ||
	    (kind = unsealed(x, "flow_secrets", x->connection.flow_sealed, &flow_secrets, err)) ||
	    (kind = flow_read(&t->flow, t->arena, x->connection.flow, flow_secrets, 0, err)))
		return kind;
	kind = connect_task_enter_world(t, x->connection.app_id, err);
	if (kind != ERR_NONE)
		return kind;
	struct app_row app = {0};
	kind = store_app_find(config->store, t->arena, x->connection.app_id, &app, err);
	if (kind != ERR_NONE)
		return kind;
	kind = connector_open_client_secret(t->connector, t->arena, &credential,
					    &t->env.client_secret, err);
	if (kind != ERR_NONE) {
		exchange_failed(x, CONNECTION_ERROR_PLATFORM_ERROR,
				str_copy(t->arena, str_of(err->text)));
		return kind;
	}
	x->needs_confirmation = app.connect_confirmation;
	t->env.settings = config->settings;
	t->env.client_id = credential.client_id;
	t->env.variant = credential.variant;
	t->env.redirect_uri = x->connection.callback_url;
	return ERR_NONE;
}

/* The row's id is part of what its secrets are sealed under, so the id of a known account is looked
 * up first. */
static enum err_kind account_of(struct exchange *x, const struct account_found *found,
				struct account_row *row, struct error *err)
{
	const struct connector_config *config = &x->base.connector->config;
	struct arena *arena = x->base.turn_arena;
	struct str id = STR("");
	enum err_kind kind = store_account_id_for(config->store, arena, x->connection.app_id,
						  x->connection.platform, x->connection.user_id,
						  found->platform_account_id, &id, err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	if (str_is_empty(id))
		id = uuid_str(arena, uuid_v7(x->base.env.now_us, config->random));
	*row = (struct account_row){
		.id = id,
		.app_id = x->connection.app_id,
		.platform = x->connection.platform,
		.user_id = x->connection.user_id,
		.connection_id = x->connection.id,
		.platform_account_id = found->platform_account_id,
		/* cut to what our own callers may call people */
		.username = utf8_cut_bytes(found->username, CONNECT_NAME_MAX_BYTES),
		.name = utf8_cut_bytes(found->name, CONNECT_NAME_MAX_BYTES),
		.email = utf8_cut_bytes(found->email, CONNECT_EMAIL_MAX_BYTES),
		.avatar_url = answer_url(&x->base.env, found->avatar_url),
		.type = found->type,
		.state = ACCOUNT_ACTIVE,
		.is_unconfirmed = x->needs_confirmation,
		.access_token_sealed =
			sealed(x, "accounts", "access_token", id, found->access_token),
		.refresh_token_sealed =
			sealed(x, "accounts", "refresh_token", id, found->refresh_token),
		.extra = found->extra,
		.extra_sealed = sealed(x, "accounts", "extra_secret", id, found->extra_secret),
		.scopes = found->scopes,
		.expires_at_us = found->expires_at_us,
		.refresh_expires_at_us = found->refresh_expires_at_us,
		.ends_at_us = account_ends_at_us(!str_is_empty(found->refresh_token),
						 found->expires_at_us, found->refresh_expires_at_us,
						 found->permission_ends_at_us),
	};
	return ERR_NONE;
}

static void take_accounts(struct exchange *x, const struct step *step)
{
	if (step->account_count == 0) {
		exchange_failed(x, CONNECTION_ERROR_NO_ACCOUNTS, STR(""));
		return;
	}
	x->accounts = ARENA_ARRAY(x->base.turn_arena, struct account_row, step->account_count);
	for (size_t i = 0; i < step->account_count; i++) {
		struct error err = {0};
		if (account_of(x, &step->accounts[i], &x->accounts[i], &err) != ERR_NONE) {
			exchange_failed(x, CONNECTION_ERROR_PLATFORM_ERROR,
					STR("The accounts could not be stored."));
			return;
		}
	}
	x->account_count = step->account_count;
}

static void exchange_plan(struct task *task, struct arena *arena, const struct task_event *event,
			  struct task_plan *plan)
{
	struct exchange *x = (struct exchange *)task;
	struct error err = {0};
	x->base.turn_arena = arena;
	if (event->kind == TASK_EVENT_START && load(x, &err) != ERR_NONE) {
		LOG(x->base.connector->config.log, ERROR, "connection_unreadable",
		    log_str("connection", x->connection.id), log_str("error", str_of(err.text)));
		if (x->error == CONNECTION_ERROR_NONE)
			exchange_failed(x, CONNECTION_ERROR_PLATFORM_ERROR,
					STR("The connection could not be read."));
		x->base.is_finished = true;
		plan->action = TASK_END;
		return;
	}
	drive_event(&x->base, arena, event, plan);
	if (!x->base.is_finished)
		return;
	if (x->base.step->kind == STEP_DONE)
		take_accounts(x, x->base.step);
	else
		exchange_failed(x, x->base.step->failure.connection_error,
				drive_failure_text(&x->base, &x->base.step->failure));
}

static enum err_kind exchange_save(struct task *task, void *tx, struct error *err)
{
	struct exchange *x = (struct exchange *)task;
	struct connect_task *t = &x->base;
	if (!t->is_finished) {
		struct str secrets = flow_write_secrets(t->turn_arena, &t->flow);
		return store_connection_save_flow(
			tx, x->connection.id, flow_write(t->turn_arena, &t->flow),
			sealed(x, "connections", "flow_secrets", x->connection.id, secrets), err);
	}
	int64_t now_us = clock_now_us(t->connector->config.clock);
	if (x->error != CONNECTION_ERROR_NONE)
		return store_connection_fail(tx, x->connection.id,
					     str_of(connection_error_code(x->error)),
					     x->error_description, now_us, err);
	return store_connection_succeed(tx, x->connection.id, x->accounts, x->account_count, now_us,
					&x->is_over_quota, err);
}

static bool is_still_pending(const struct exchange *x)
{
	const struct connector_config *config = &x->base.connector->config;
	struct connection_row now = {0};
	return store_connection_find(config->store, x->base.turn_arena, x->connection.app_id,
				     x->connection.id, clock_now_us(config->clock), &now,
				     NULL) == ERR_NONE &&
	       now.state == CONNECTION_PENDING;
}

/* So that they are here when somebody looks. */
static void fetch_avatars(const struct exchange *x)
{
	for (size_t i = 0; i < x->account_count; i++)
		avatar_fetch_begin(x->base.connector, &x->accounts[i],
				   x->base.task.reach == TRANSFER_TEST);
}

static void over_quota(struct exchange *x)
{
	const struct connector_config *config = &x->base.connector->config;
	store_quota_note_refusal(config->store, QUOTA_ACCOUNTS);
	LOG(config->log, WARN, "connection_failed", log_str("connection", x->connection.id),
	    log_str("error", str_of(connection_error_code(CONNECTION_ERROR_QUOTA_EXCEEDED))));
}

static void exchange_saved(struct task *task, enum err_kind kind)
{
	struct exchange *x = (struct exchange *)task;
	const struct log *log = x->base.connector->config.log;
	if (!x->base.is_finished)
		return;
	if (kind == ERR_CONFLICT && is_still_pending(x)) {
		/* Another connection created one of the accounts at the same moment: seal again,
		 * under the id that the account has now. */
		struct connection_row again = x->connection;
		again.flow = flow_write(x->base.turn_arena, &x->base.flow);
		again.flow_sealed = sealed(x, "connections", "flow_secrets", x->connection.id,
					   flow_write_secrets(x->base.turn_arena, &x->base.flow));
		exchange_enqueue(x->base.connector, &again);
		return;
	}
	if (kind != ERR_NONE)
		LOG(log, ERROR, "connection_not_saved", log_str("connection", x->connection.id));
	else if (x->is_over_quota)
		over_quota(x);
	else if (x->error == CONNECTION_ERROR_NONE) {
		LOG(log, INFO, "connection_succeeded", log_str("connection", x->connection.id),
		    log_int("accounts", (int64_t)x->account_count));
		fetch_avatars(x);
	} else
		LOG(log, WARN, "connection_failed", log_str("connection", x->connection.id),
		    log_str("error", str_of(connection_error_code(x->error))));
	connector_announce(x->base.connector);
}

static void exchange_free(struct task *task)
{
	struct exchange *x = (struct exchange *)task;
	struct arena *arena = x->base.arena;
	free(x);
	arena_free(&arena);
}

static const struct task_ops exchange_ops = {
	.plan = exchange_plan,
	.save = exchange_save,
	.saved = exchange_saved,
	.free = exchange_free,
};

static void copy_connection(struct arena *arena, struct connection_row *c)
{
	struct str *const texts[] = {
		&c->id,          &c->app_id,     &c->user_id,           &c->redirect_url,
		&c->name,        &c->email,      &c->state_hash,        &c->callback_url,
		&c->pkce_sealed, &c->error,      &c->error_description, &c->code_sealed,
		&c->flow,        &c->flow_sealed};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
}

void exchange_enqueue(struct connector *connector, const struct connection_row *connection)
{
	struct exchange *x = calloc(1, sizeof(*x));
	if (x == NULL)
		/* as in arena_alloc: no memory for a small object ends the program */
		abort();
	x->base.task.ops = &exchange_ops;
	x->base.connector = connector;
	x->base.time_scale = connector->config.time_scale;
	x->base.arena = arena_new("connection", CONNECT_ARENA_MAX_BYTES);
	x->base.platform = platform_of(connection->platform);
	x->base.operation = OPERATION_CONNECT;
	x->connection = *connection;
	copy_connection(x->base.arena, &x->connection);
	x->base.task.scopes = &x->connection.app_id;
	x->base.task.scope_count = 1;
	connector_enqueue(connector, &x->base);
}
