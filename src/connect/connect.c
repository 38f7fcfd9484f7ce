/* SPDX-License-Identifier: Apache-2.0
 * See connect.h. The connector hands tasks from request threads to the engine's thread through a
 * queue, and tells waiting request threads when a task has ended. */
#include "connect.h"

#include <stdlib.h>

#include "count_of.h"
#include "uuid.h"

#include "url.h"
#include "utf8.h"

#include "rewrite.h"

#include "digest.h"
#include "seal.h"
#include "token.h"

#include "authorize.h"
#include "check.h"
#include "connect_private.h"
#include "verify.h"

#define STATE_CHARACTERS 43 /* 256 bits and 2 more: API.md section 4 */
#define LOOK_ARENA_MAX_BYTES ((size_t)16 << 20)
#define SAID_MAX_BYTES 500     /* failure.h: platform_message */
#define VERIFIER_CHARACTERS 64 /* RFC 7636 4.1: 43 to 128 */

/* ---- the queue to the engine ---- */

void connector_enqueue(struct connector *connector, struct connect_task *task)
{
	pthread_mutex_lock(&connector->mutex);
	struct connect_task **tail = &connector->queue;
	while (*tail != NULL)
		tail = &(*tail)->next_queued;
	*tail = task;
	pthread_mutex_unlock(&connector->mutex);
	engine_wake(connector->config.engine);
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	(void)context, (void)tx, (void)max,
		(void)err; /* the queue is in memory: nothing to write */
	return ERR_NONE;
}

static size_t source_claimed(void *context)
{
	struct connector *connector = context;
	pthread_mutex_lock(&connector->mutex);
	struct connect_task *task = connector->queue;
	connector->queue = NULL;
	pthread_mutex_unlock(&connector->mutex);
	size_t count = 0;
	while (task != NULL) {
		struct connect_task *next = task->next_queued;
		engine_task_start(connector->config.engine, &task->task);
		task = next;
		count++;
	}
	return count;
}

static int64_t source_next_due_us(void *context)
{
	(void)context;
	return 0;
}

void connector_announce(struct connector *connector)
{
	pthread_mutex_lock(&connector->mutex);
	connector->generation++;
	pthread_cond_broadcast(&connector->changed);
	pthread_mutex_unlock(&connector->mutex);
}

bool connector_wait(struct connector *connector, int64_t deadline_boot_us)
{
	int64_t left_us = deadline_boot_us - clock_boot_us(connector->config.clock);
	if (left_us <= 0)
		return false;
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	int64_t ns = until.tv_nsec + left_us % US_PER_S * 1000;
	until.tv_sec += (time_t)(left_us / US_PER_S + ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	pthread_cond_timedwait(&connector->changed, &connector->mutex, &until);
	return true;
}

static enum err_kind take_up_started(struct connector *connector, struct error *err)
{
	struct arena *arena = arena_new("started connections", (size_t)256 << 20);
	struct connection_row *connections = NULL;
	size_t count = 0;
	enum err_kind kind = store_connection_list_started(connector->config.store, arena,
							   clock_now_us(connector->config.clock),
							   &connections, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		exchange_enqueue(connector, &connections[i]);
	arena_free(&arena);
	return kind;
}

enum err_kind connector_new(const struct connector_config *config, struct connector **connector_out,
			    struct error *err)
{
	struct connector *connector = calloc(1, sizeof(*connector));
	if (connector == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the connector");
	connector->config = *config;
	if (connector->config.time_scale < 1)
		connector->config.time_scale = 1;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&connector->mutex, NULL);
	pthread_cond_init(&connector->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	const struct task_source source = {source_claim, source_claimed, source_next_due_us,
					   connector};
	engine_add_source(config->engine, &source);
	enum err_kind kind = take_up_started(connector, err);
	if (kind != ERR_NONE)
		connector_free(&connector);
	*connector_out = connector;
	return kind;
}

void connector_free(struct connector **connector_pointer)
{
	struct connector *connector = *connector_pointer;
	if (connector == NULL)
		return;
	while (connector->queue != NULL) {
		struct connect_task *task = connector->queue;
		connector->queue = task->next_queued;
		task->task.ops->free(&task->task);
	}
	pthread_cond_destroy(&connector->changed);
	pthread_mutex_destroy(&connector->mutex);
	free(connector);
	*connector_pointer = NULL;
}

/* ---- credentials ---- */

struct str connector_client_secret(const struct connector *connector, struct arena *arena,
				   const struct credential_row *credential)
{
	struct str row_id = str_format(arena, STR_FMT "/%s", STR_ARG(credential->app_id),
				       platform_id_slug(credential->platform));
	const struct seal_place place = {STR("platform_credentials"), STR("client_secret"), row_id};
	struct str secret = STR("");
	struct error err = {0};
	if (seal_open_secret(connector->config.seal, arena, &place,
			     credential->client_secret_sealed, &secret, &err) != ERR_NONE)
		LOG(connector->config.log, ERROR, "credential_unreadable",
		    log_str("error", str_of(err.text)));
	return secret;
}

struct str connector_callback_url(const struct connector *connector, struct arena *arena,
				  enum platform_id platform)
{
	return str_format(arena, "%s/v1/oauth/%s/callback", connector->config.public_url,
			  platform_id_slug(platform));
}

static enum err_kind go_live(struct connector *connector, struct arena *arena, struct str app_id,
			     struct error *err)
{
	struct app_row app = {0};
	enum err_kind kind = store_app_find(connector->config.store, arena, app_id, &app, err);
	if (kind != ERR_NONE || app.state != APP_DRAFT)
		return kind;
	return store_app_set_state(connector->config.store, app_id, APP_ACTIVE, err);
}

enum err_kind connector_verify(struct connector *connector, struct arena *arena, struct str app_id,
			       enum platform_id platform, int64_t wait_ms,
			       struct verify_outcome *outcome_out, struct error *err)
{
	struct store *store = connector->config.store;
	struct credential_row credential = {0};
	enum err_kind kind =
		store_credential_find(store, arena, app_id, platform, &credential, err);
	if (kind != ERR_NONE)
		return kind;
	verify_run(connector, arena, &credential, wait_ms, outcome_out);
	/* A credential that was good stays so while its platform cannot be asked. */
	if (outcome_out->state == CREDENTIAL_PENDING && credential.state == CREDENTIAL_VERIFIED)
		return ERR_NONE;
	kind = store_credential_set_state(store, app_id, platform, credential.client_id,
					  outcome_out->state, outcome_out->message,
					  clock_now_us(connector->config.clock), err);
	if (kind != ERR_NONE || outcome_out->state != CREDENTIAL_VERIFIED)
		return kind;
	return go_live(connector, arena, app_id, err);
}

/* ---- accounts ---- */

struct account_finding {
	struct connector *connector;
	const struct account_row *account;
	enum account_state state;
	struct str message;
};

static enum err_kind write_finding(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_finding *finding = argument;
	return store_account_set_state(tx, finding->account->id, finding->state, finding->message,
				       clock_now_us(finding->connector->config.clock), err);
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
	check_run(connector, arena, account, wait_ms, outcome_out);
	if (outcome_out->verdict == CHECK_UNKNOWN)
		return ERR_NONE;
	const bool is_good = outcome_out->verdict == CHECK_GOOD;
	if (is_good && account->state == ACCOUNT_ACTIVE && account->last_error.len == 0)
		return ERR_NONE;
	struct account_finding finding = {connector, account,
					  is_good ? ACCOUNT_ACTIVE : ACCOUNT_REAUTH_REQUIRED,
					  is_good ? STR("") : outcome_out->message};
	return store_write(connector->config.store, write_finding, &finding, err);
}

enum err_kind connector_disconnect(struct connector *connector, struct arena *arena,
				   const struct account_row *account, int64_t wait_ms,
				   struct error *err)
{
	if (account->state != ACCOUNT_DISCONNECTED)
		revoke_run(connector, arena, account, wait_ms);
	return store_account_disconnect(connector->config.store, account->id,
					clock_now_us(connector->config.clock), err);
}

/* ---- beginning a connection ---- */

static enum err_kind usable_credential(struct connector *connector, struct arena *arena,
				       const struct connect_request *request,
				       struct credential_row *out, struct error *err)
{
	const char *name = platform_id_name(request->platform);
	enum err_kind kind = store_credential_find(connector->config.store, arena, request->app->id,
						   request->platform, out, err);
	if (kind == ERR_NOT_FOUND)
		return error_set(err, ERR_NOT_FOUND, "The app has no credentials for %s.", name);
	if (kind != ERR_NONE)
		return kind;
	if (out->client_id.len == 0 || out->client_secret_sealed.len == 0)
		return error_set(err, ERR_NOT_FOUND, "The app's credentials for %s are incomplete.",
				 name);
	if (out->state != CREDENTIAL_VERIFIED &&
	    !(out->state == CREDENTIAL_PENDING && request->allows_pending))
		return error_set(err, ERR_NOT_FOUND,
				 "The app's credentials for %s are %s, not verified.", name,
				 credential_state_name(out->state));
	return ERR_NONE;
}

/* In sandbox mode the user is sent to the sandbox's consent page by the same rule as every call. */
static enum err_kind reachable_url(const struct connector *connector, struct arena *arena,
				   struct str url, struct str *out, struct error *err)
{
	*out = url;
	if (connector->config.sandbox_url == NULL)
		return ERR_NONE;
	if (!rewrite_to_sandbox(arena, str_of(connector->config.sandbox_url), url, out))
		return error_set(err, ERR_INTERNAL,
				 "The authorize URL cannot be led to the sandbox.");
	return ERR_NONE;
}

enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	const struct platform *platform = platform_of(request->platform);
	struct credential_row credential = {0};
	enum err_kind kind = usable_credential(connector, arena, request, &credential, err);
	if (kind != ERR_NONE)
		return kind;

	struct str id = token_new(arena, config->random, TOKEN_CONNECTION_ID);
	struct str state = token_random(arena, config->random, "", STATE_CHARACTERS);
	struct str verifier =
		platform->oauth->pkce == PKCE_NONE
			? STR("")
			: token_random(arena, config->random, "", VERIFIER_CHARACTERS);
	struct str callback_url = connector_callback_url(connector, arena, request->platform);
	const struct authorize_values values = {credential.client_id,
						callback_url,
						state,
						verifier,
						config->settings->graph_version,
						credential.scopes};
	const struct seal_place place = {STR("connections"), STR("pkce_verifier"), id};
	struct digest state_digest = digest_token(state);
	const struct connection_row connection = {
		.id = id,
		.app_id = request->app->id,
		.platform = request->platform,
		.user_id = request->user_id,
		.redirect_url = request->redirect_url,
		.name = request->name,
		.email = request->email,
		.state_hash = digest_hex(arena, &state_digest),
		.callback_url = callback_url,
		.pkce_sealed = verifier.len > 0 ? seal_secret(config->seal, arena, &place, verifier,
							      config->random)
						: STR(""),
		.state = CONNECTION_PENDING,
		.created_at_us = clock_now_us(config->clock),
	};
	struct str url = STR("");
	kind = reachable_url(connector, arena, authorize_url(arena, platform->oauth, &values), &url,
			     err);
	if (kind == ERR_NONE)
		kind = store_connection_create(config->store, &connection, err);
	if (kind == ERR_NONE)
		*begun_out = (struct connect_begun){.authorize_url = url, .connection_id = id};
	return kind;
}

/* ---- the way back ---- */

/* What shows the customer that this browser was sent by us. A page loaded again gets another one,
 * and only the last is good. */
static enum err_kind confirmation_token(struct connector *connector, struct arena *arena,
					const struct connection_row *connection,
					struct str *token_out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	struct app_row app = {0};
	enum err_kind kind = store_app_find(config->store, arena, connection->app_id, &app, err);
	if (kind != ERR_NONE || !app.connect_confirmation ||
	    connection->state != CONNECTION_SUCCESS)
		return kind;
	const struct str token = token_new(arena, config->random, TOKEN_CONFIRMATION);
	struct digest digest = digest_token(token);
	*token_out = token;
	return store_connection_set_confirm(config->store, connection->id,
					    digest_hex(arena, &digest), err);
}

static enum err_kind return_redirect(struct connector *connector, struct arena *arena,
				     const struct connection_row *connection,
				     struct connect_return *out, struct error *err)
{
	/* A customer's parameters of our names are taken out: on success there is no error of ours,
	 * and none that pretends to be. */
	const struct str names[] = {STR("connection_id"), STR("status"), STR("error"),
				    STR("confirmation_token")};
	const struct str none = {0};
	struct str token = none;
	const enum err_kind kind = confirmation_token(connector, arena, connection, &token, err);
	if (kind != ERR_NONE)
		return kind;
	const struct str values[] = {
		connection->id, str_of(connection_state_name(connection->state)),
		connection->state == CONNECTION_FAILED ? connection->error : none, token};
	out->kind = CONNECT_RETURN_REDIRECT;
	out->connection_id = connection->id;
	out->url = url_with_query(arena, connection->redirect_url, names, values, 4);
	return ERR_NONE;
}

/* Only fixed codes leave for the customer; what the platform wrote stays in error_description of
 * the accounts answer. */
static bool is_denial(const struct platform *platform, struct str error)
{
	for (size_t i = 0; i < COUNT_OF(platform->oauth->denied_errors); i++) {
		/* The list ends with NULL, which no error at all would be equal to. */
		if (error.len > 0 && str_equal_z(error, platform->oauth->denied_errors[i]))
			return true;
	}
	return false;
}

struct callback_failure {
	struct connector *connector;
	struct str connection_id;
	struct str error;
	struct str description;
};

static enum err_kind fail_command(struct store_tx *tx, void *argument, struct error *err)
{
	const struct callback_failure *failure = argument;
	return store_connection_fail(tx, failure->connection_id, failure->error,
				     failure->description,
				     clock_now_us(failure->connector->config.clock), err);
}

static struct str first_of(const struct form *query, const char *a, const char *b, const char *c)
{
	const char *const names[] = {a, b, c};
	for (size_t i = 0; i < 3; i++) {
		const struct str *value = names[i] != NULL ? form_find(query, names[i]) : NULL;
		if (value != NULL && value->len > 0)
			return *value;
	}
	return STR("");
}

/* An answer that names another issuer than the platform was meant for another callback (RFC 9207,
 * mix-up): its code goes nowhere. */
static bool is_of_another_issuer(enum platform_id platform, const struct form *query)
{
	const char *issuer = platform_of(platform)->oauth->issuer;
	const struct str *named = form_find(query, "iss");
	return issuer != NULL && named != NULL && !str_equal_z(*named, issuer);
}

/* What the platform gave as the reason, in its words. */
static struct str refusal_words(const struct connection_row *connection, const struct form *query)
{
	if (is_of_another_issuer(connection->platform, query))
		return STR("The answer names another issuer.");
	return first_of(query, "error_description", "error_message", "error");
}

/* No code came: the user said no, or the platform refuses the app (Meta then sends error_code and
 * error_message: meta.md 2.4). */
static enum err_kind callback_refused(struct connector *connector, struct arena *arena,
				      const struct connection_row *connection,
				      const struct form *query, struct error *err)
{
	bool is_denied =
		is_denial(platform_of(connection->platform), first_of(query, "error", NULL, NULL));
	enum connection_error error =
		is_denied ? CONNECTION_ERROR_ACCESS_DENIED : CONNECTION_ERROR_PLATFORM_ERROR;
	struct str said = refusal_words(connection, query);
	struct str description = str_of(connection_error_sentence(error));
	if (said.len > 0)
		description = str_format(arena, STR_FMT " (" STR_FMT ")", STR_ARG(description),
					 STR_ARG(utf8_cut_bytes(said, SAID_MAX_BYTES)));
	struct callback_failure failure = {connector, connection->id,
					   str_of(connection_error_code(error)), description};
	return store_write(connector->config.store, fail_command, &failure, err);
}

static enum err_kind find_connection(struct connector *connector, struct arena *arena,
				     struct str connection_id, struct connection_row *out,
				     struct error *err);

/* Waits until something was announced after generation; false when the deadline has passed. */
static bool wait_for_announcement(struct connector *connector, uint64_t generation,
				  int64_t deadline_boot_us)
{
	bool has_time = true;
	pthread_mutex_lock(&connector->mutex);
	while (connector->generation == generation && has_time)
		has_time = connector_wait(connector, deadline_boot_us);
	pthread_mutex_unlock(&connector->mutex);
	return has_time;
}

static uint64_t generation_now(struct connector *connector)
{
	pthread_mutex_lock(&connector->mutex);
	uint64_t generation = connector->generation;
	pthread_mutex_unlock(&connector->mutex);
	return generation;
}

/* One look, in memory of its own: who waits among many looks often. */
static enum err_kind look_whether_pending(struct connector *connector, struct str connection_id,
					  bool *is_pending_out, struct error *err)
{
	struct arena *arena = arena_new("connection look", LOOK_ARENA_MAX_BYTES);
	struct connection_row connection = {0};
	enum err_kind kind = find_connection(connector, arena, connection_id, &connection, err);
	*is_pending_out = connection.state == CONNECTION_PENDING;
	arena_free(&arena);
	return kind;
}

static enum err_kind await_end(struct connector *connector, struct arena *arena,
			       struct str connection_id, int64_t wait_ms,
			       struct connect_return *out, struct error *err)
{
	int64_t deadline_us = clock_boot_us(connector->config.clock) + wait_ms * US_PER_MS;
	struct connection_row connection = {0};
	bool is_pending = true;
	bool is_waiting = true;
	while (true) {
		/* Read between announcements, never under the mutex: the store may block. */
		uint64_t generation = generation_now(connector);
		enum err_kind kind =
			look_whether_pending(connector, connection_id, &is_pending, err);
		if (kind != ERR_NONE)
			return kind;
		if (!is_pending || !is_waiting)
			break;
		is_waiting = wait_for_announcement(connector, generation, deadline_us);
	}
	enum err_kind kind = find_connection(connector, arena, connection_id, &connection, err);
	if (kind != ERR_NONE)
		return kind;
	if (connection.state != CONNECTION_PENDING)
		return return_redirect(connector, arena, &connection, out, err);
	out->kind = CONNECT_RETURN_PENDING;
	out->connection_id = connection.id;
	return ERR_NONE;
}

static enum err_kind callback_code(struct connector *connector, struct arena *arena,
				   const struct connection_row *connection, struct str code,
				   struct error *err)
{
	const struct connector_config *config = &connector->config;
	const struct seal_place place = {STR("connections"), STR("code"), connection->id};
	struct connection_row started = *connection;
	started.code_sealed = seal_secret(config->seal, arena, &place, code, config->random);
	enum err_kind kind = store_connection_consume_state(
		config->store, connection->id, connection->state_hash, started.code_sealed, err);
	if (kind == ERR_NONE)
		exchange_enqueue(connector, &started);
	return kind;
}

enum err_kind connector_callback(struct connector *connector, struct arena *arena,
				 enum platform_id platform, const struct form *query,
				 int64_t wait_ms, struct connect_return *out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	*out = (struct connect_return){.kind = CONNECT_RETURN_INVALID};
	struct str state = first_of(query, "state", NULL, NULL);
	if (state.len == 0)
		return ERR_NONE;
	struct digest digest = digest_token(state);
	struct connection_row connection = {0};
	enum err_kind kind = store_connection_find_by_state(
		config->store, arena, digest_hex(arena, &digest), platform,
		clock_now_us(config->clock), &connection, err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	if (kind != ERR_NONE)
		return kind;

	struct str code = first_of(query, "code", NULL, NULL);
	bool is_refused = code.len == 0 || first_of(query, "error", "error_code", NULL).len > 0 ||
			  is_of_another_issuer(platform, query);
	if (is_refused)
		kind = store_connection_consume_state(config->store, connection.id,
						      connection.state_hash, STR(""), err);
	else
		kind = callback_code(connector, arena, &connection, code, err);
	if (kind == ERR_CONFLICT)
		return ERR_NONE; /* somebody else used the state up in this moment */
	if (kind == ERR_NONE && is_refused)
		kind = callback_refused(connector, arena, &connection, query, err);
	return kind == ERR_NONE ? await_end(connector, arena, connection.id, wait_ms, out, err)
				: kind;
}

enum err_kind connector_await(struct connector *connector, struct arena *arena,
			      struct str connection_id, int64_t wait_ms, struct connect_return *out,
			      struct error *err)
{
	*out = (struct connect_return){.kind = CONNECT_RETURN_INVALID};
	enum err_kind kind = await_end(connector, arena, connection_id, wait_ms, out, err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind find_connection(struct connector *connector, struct arena *arena,
				     struct str connection_id, struct connection_row *out,
				     struct error *err)
{
	return store_connection_find(connector->config.store, arena, STR(""), connection_id,
				     clock_now_us(connector->config.clock), out, err);
}
