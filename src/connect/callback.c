/* SPDX-License-Identifier: Apache-2.0
 * The way back from a platform: the callback's query ends or starts an exchange, and the browser is
 * sent on to the customer once the connection has ended. */
#include "connect_private.h"

#include "count_of.h"

#include "url.h"
#include "utf8.h"

#include "digest.h"
#include "seal.h"
#include "token.h"

#define POLL_ARENA_MAX_BYTES ((size_t)16 << 20)
#define WORDS_MAX_BYTES 500 /* failure.h: platform_message */

/* ---- on to the customer ---- */

/* Proves to the customer that this browser was sent by us. It is given once; a NULL text when that
 * was done before, or when the app does not ask for one. */
static enum err_kind confirmation_token(struct connector *connector, struct arena *arena,
					const struct connection_row *connection,
					struct str *token_out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	struct app_row app = {0};
	*token_out = (struct str){0};
	const enum err_kind kind =
		store_app_find(config->store, arena, connection->app_id, &app, err);
	if (kind != ERR_NONE || !app.connect_confirmation ||
	    connection->state != CONNECTION_SUCCESS)
		return kind;
	*token_out = token_new(arena, config->random, TOKEN_CONFIRMATION);
	const struct digest digest = digest_token(*token_out);
	const enum err_kind set_kind = store_connection_set_confirm(
		config->store, connection->id, digest_hex(arena, &digest), err);
	if (set_kind != ERR_CONFLICT)
		return set_kind;
	*token_out = (struct str){0};
	return ERR_NONE;
}

static enum err_kind return_redirect(struct connector *connector, struct arena *arena,
				     const struct connection_row *connection,
				     struct connect_return *out, struct error *err)
{
	struct str token;
	const enum err_kind kind = confirmation_token(connector, arena, connection, &token, err);
	if (kind != ERR_NONE)
		return kind;
	/* Parameters of these names in the customer's own URL are removed: on success there is no
	 * error from us, and none that pretends to be. */
	const struct str names[] = {STR("connection_id"), STR("status"), STR("error"),
				    STR("confirmation_token")};
	const struct str none = {0}; /* NULL leaves its parameter out */
	const struct str values[] = {
		connection->id,
		str_of(connection_state_name(connection->state)),
		connection->state == CONNECTION_FAILED ? connection->error : none,
		token,
	};
	out->kind = CONNECT_RETURN_REDIRECT;
	out->connection_id = connection->id;
	out->url = url_with_query(arena, connection->redirect_url, names, values, COUNT_OF(names));
	return ERR_NONE;
}

/* ---- waiting for the end ---- */

static enum err_kind find_connection(struct connector *connector, struct arena *arena,
				     struct str connection_id, struct connection_row *out,
				     struct error *err)
{
	return store_connection_find(connector->config.store, arena, STR(""), connection_id,
				     clock_now_us(connector->config.clock), out, err);
}

/* Reads the row into a scratch arena: waiters poll repeatedly. */
static enum err_kind poll_is_pending(struct connector *connector, struct str connection_id,
				     bool *is_pending_out, struct error *err)
{
	struct arena *arena = arena_new("connection poll", POLL_ARENA_MAX_BYTES);
	struct connection_row connection = {0};
	const enum err_kind kind =
		find_connection(connector, arena, connection_id, &connection, err);
	*is_pending_out = connection.state == CONNECTION_PENDING;
	arena_free(&arena);
	return kind;
}

static enum err_kind await_end(struct connector *connector, struct arena *arena,
			       struct str connection_id, int64_t wait_ms,
			       struct connect_return *out, struct error *err)
{
	const int64_t deadline_us = clock_boot_us(connector->config.clock) + wait_ms * US_PER_MS;
	bool is_waiting = true;
	while (true) {
		/* Read between announcements, never under the mutex: the store may block. */
		const uint64_t generation = connector_generation(connector);
		bool is_pending = true;
		const enum err_kind kind =
			poll_is_pending(connector, connection_id, &is_pending, err);
		if (kind != ERR_NONE)
			return kind;
		if (!is_pending || !is_waiting)
			break;
		is_waiting = connector_wait_after(connector, generation, deadline_us);
	}
	struct connection_row connection = {0};
	const enum err_kind kind =
		find_connection(connector, arena, connection_id, &connection, err);
	if (kind != ERR_NONE)
		return kind;
	if (connection.state != CONNECTION_PENDING)
		return return_redirect(connector, arena, &connection, out, err);
	out->kind = CONNECT_RETURN_PENDING;
	out->connection_id = connection.id;
	return ERR_NONE;
}

enum err_kind connector_await(struct connector *connector, struct arena *arena,
			      struct str connection_id, struct str browser_token, int64_t wait_ms,
			      struct connect_return *out, struct error *err)
{
	*out = (struct connect_return){.kind = CONNECT_RETURN_INVALID};
	struct connection_row connection = {0};
	enum err_kind kind = find_connection(connector, arena, connection_id, &connection, err);
	if (kind != ERR_NONE)
		return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
	const struct digest digest = digest_token(browser_token);
	if (!str_equal(connection.browser_hash, digest_hex(arena, &digest)))
		return ERR_NONE;
	kind = await_end(connector, arena, connection_id, wait_ms, out, err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

/* ---- no code: a refusal ---- */

/* Empty when it is not given. */
static struct str parameter(const struct form *query, const char *name)
{
	const struct str *value = form_find(query, name);
	return value != NULL ? *value : STR("");
}

/* An answer that names another issuer than the platform was meant for another callback (RFC 9207,
 * mix-up): its code goes nowhere. */
static bool is_from_another_issuer(enum platform_id platform, const struct form *query)
{
	const char *issuer = platform_of(platform)->oauth->issuer;
	const struct str *named = form_find(query, "iss");
	return issuer != NULL && named != NULL && !str_equal_z(*named, issuer);
}

static bool is_denial(const struct oauth_profile *oauth, struct str error)
{
	for (size_t i = 0; i < COUNT_OF(oauth->denied_errors); i++) {
		/* The list ends with NULL, which equals an empty text. */
		if (!str_is_empty(error) && str_equal_z(error, oauth->denied_errors[i]))
			return true;
	}
	return false;
}

/* The platform's reason in its own words; empty when it gave none. Meta sends error_message
 * (meta.md 2.4). */
static struct str refusal_words(const struct connection_row *connection, const struct form *query)
{
	static const char *const names[] = {"error_description", "error_message", "error"};
	if (is_from_another_issuer(connection->platform, query))
		return STR("The answer names another issuer.");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct str words = parameter(query, names[i]);
		if (!str_is_empty(words))
			return words;
	}
	return STR("");
}

struct refusal {
	struct str connection_id;
	struct str error;
	struct str description;
	int64_t now_us;
};

static enum err_kind write_refusal(struct store_tx *tx, void *argument, struct error *err)
{
	const struct refusal *refusal = argument;
	return store_connection_fail(tx, refusal->connection_id, refusal->error,
				     refusal->description, refusal->now_us, err);
}

/* The user said no, or the platform refuses the app or what it asks for. */
static enum connection_error refusal_error(const struct oauth_profile *oauth, struct str error)
{
	if (is_denial(oauth, error))
		return CONNECTION_ERROR_ACCESS_DENIED;
	return oauth->scope_error != NULL && str_equal_z(error, oauth->scope_error)
		       ? CONNECTION_ERROR_MISSING_PERMISSIONS
		       : CONNECTION_ERROR_PLATFORM_ERROR;
}

/* The customer gets a fixed code; the platform's words stay in error_description of the accounts
 * answer. */
static enum err_kind take_refusal(struct connector *connector, struct arena *arena,
				  const struct connection_row *connection, const struct form *query,
				  struct error *err)
{
	const struct oauth_profile *oauth = platform_of(connection->platform)->oauth;
	const enum connection_error error = refusal_error(oauth, parameter(query, "error"));
	const struct str words = utf8_cut_bytes(refusal_words(connection, query), WORDS_MAX_BYTES);
	struct str description = str_of(connection_error_sentence(error));
	if (error == CONNECTION_ERROR_MISSING_PERMISSIONS)
		description =
			str_format(arena, "%s does not let the app ask for a scope. %s",
				   platform_id_name(connection->platform), oauth->scope_remedy);
	if (!str_is_empty(words))
		description = str_format(arena, STR_FMT " (" STR_FMT ")", STR_ARG(description),
					 STR_ARG(words));
	struct refusal refusal = {
		.connection_id = connection->id,
		.error = str_of(connection_error_code(error)),
		.description = description,
		.now_us = clock_now_us(connector->config.clock),
	};
	return store_write(connector->config.store, write_refusal, &refusal, err);
}

/* ---- the callback ---- */

/* Uses the state up and starts the exchange. CONFLICT: the state is used up already. */
static enum err_kind start_exchange(struct connector *connector, struct arena *arena,
				    const struct connection_row *connection, struct str code,
				    struct str browser_hash, struct error *err)
{
	const struct connector_config *config = &connector->config;
	const struct seal_place place = {STR("connections"), STR("code"), connection->id};
	struct connection_row started = *connection;
	started.code_sealed = seal_secret(config->seal, arena, &place, code, config->random);
	const enum err_kind kind = store_connection_consume_state(
		config->store, connection->id, connection->state_hash, started.code_sealed,
		browser_hash, err);
	if (kind == ERR_NONE)
		exchange_enqueue(connector, &started);
	return kind;
}

/* Is there a code, and nothing that speaks against it? */
static bool brings_code(enum platform_id platform, const struct form *query)
{
	return !str_is_empty(parameter(query, "code")) && str_is_empty(parameter(query, "error")) &&
	       str_is_empty(parameter(query, "error_code")) &&
	       !is_from_another_issuer(platform, query);
}

enum err_kind connector_callback(struct connector *connector, struct arena *arena,
				 enum platform_id platform, const struct form *query,
				 int64_t wait_ms, struct connect_return *out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	*out = (struct connect_return){.kind = CONNECT_RETURN_INVALID};
	const struct str state = parameter(query, "state");
	if (str_is_empty(state))
		return ERR_NONE;
	const struct digest digest = digest_token(state);
	struct connection_row connection = {0};
	enum err_kind kind = store_connection_find_by_state(
		config->store, arena, digest_hex(arena, &digest), platform,
		clock_now_us(config->clock), &connection, err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	if (kind != ERR_NONE)
		return kind;

	const struct str browser_token = token_new(arena, config->random, TOKEN_RETURN);
	const struct digest browser = digest_token(browser_token);
	const struct str browser_hash = digest_hex(arena, &browser);
	const bool has_code = brings_code(platform, query);
	if (has_code)
		kind = start_exchange(connector, arena, &connection, parameter(query, "code"),
				      browser_hash, err);
	else
		kind = store_connection_consume_state(config->store, connection.id,
						      connection.state_hash, STR(""), browser_hash,
						      err);
	if (kind == ERR_CONFLICT)
		return ERR_NONE; /* another request used the state up at the same moment */
	if (kind == ERR_NONE && !has_code)
		kind = take_refusal(connector, arena, &connection, query, err);
	if (kind != ERR_NONE)
		return kind;
	kind = await_end(connector, arena, connection.id, wait_ms, out, err);
	out->browser_token = browser_token;
	out->is_https = str_has_prefix(str_of(config->public_url), STR("https://"));
	return kind;
}
