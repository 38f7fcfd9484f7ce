/* SPDX-License-Identifier: Apache-2.0
 * Beginning a connection: the credential it needs, and the URL to send the user to. */
#include "connect_private.h"

#include "store_quota.h"

#include "rewrite.h"

#include "digest.h"
#include "seal.h"
#include "token.h"

#include "authorize.h"

#define STATE_CHARACTERS 43    /* 256 bits and 2 more: api-decisions.md 4 */
#define VERIFIER_CHARACTERS 64 /* RFC 7636 4.1: 43 to 128 */

static enum err_kind usable_credential(struct connector *connector, struct arena *arena,
				       const struct connect_request *request,
				       struct credential_row *out, bool *uses_candidate_out,
				       struct error *err)
{
	const char *name = platform_id_name(request->platform);
	struct store *store = connector->config.store;
	*uses_candidate_out = request->tries_candidate &&
			      store_candidate_find(store, arena, request->app->id,
						   request->platform, out, err) == ERR_NONE &&
			      out->state == CREDENTIAL_PENDING;
	if (*uses_candidate_out)
		return ERR_NONE;
	const enum err_kind kind =
		store_credential_find(store, arena, request->app->id, request->platform, out, err);
	if (kind == ERR_NOT_FOUND)
		return error_set(err, ERR_NOT_FOUND, "The app has no credentials for %s.", name);
	if (kind != ERR_NONE)
		return kind;
	if (str_is_empty(out->client_id) || str_is_empty(out->client_secret_sealed))
		return error_set(err, ERR_FORBIDDEN, "The app's credentials for %s are incomplete.",
				 name);
	const bool is_usable = out->state == CREDENTIAL_VERIFIED ||
			       (out->state == CREDENTIAL_PENDING && request->allows_pending);
	if (!is_usable)
		return error_set(err, ERR_FORBIDDEN,
				 "The app's credentials for %s are %s, not verified.", name,
				 credential_state_name(out->state));
	return ERR_NONE;
}

static enum err_kind check_quota(struct connector *connector, struct arena *arena,
				 const struct connect_request *request, struct error *err)
{
	bool is_over = false;
	struct quota_over over;
	const enum err_kind kind = store_quota_check_connect(
		connector->config.store, arena, request->app->id, request->platform,
		request->user_id, &is_over, &over, err);
	if (kind != ERR_NONE || !is_over)
		return kind;
	if (request->over_out != NULL)
		*request->over_out = over;
	return error_set(err, ERR_TOO_LARGE, STR_FMT, STR_ARG(quota_message(arena, &over)));
}

/* A test app's user is sent to the sandbox inside the service. */
static enum err_kind test_url(const struct connector *connector, struct arena *arena,
			      struct str url, struct str *out, struct error *err)
{
	const char *seen_url = connector->config.test_url;
	if (seen_url == NULL)
		return error_set(err, ERR_FORBIDDEN,
				 "This service runs no test apps: it was started with --test-apps "
				 "off.");
	if (rewrite_to_sandbox(arena, str_of(seen_url), url, out))
		return ERR_NONE;
	return error_set(err, ERR_INTERNAL,
			 "The authorize URL cannot be rewritten to the sandbox.");
}

/* In sandbox mode the user is sent to the sandbox's consent page by the same rule as every call. */
static enum err_kind reachable_url(const struct connector *connector, struct arena *arena,
				   struct str url, struct str *out, struct error *err)
{
	const char *sandbox_url = connector->config.sandbox_url;
	*out = url;
	if (sandbox_url == NULL || rewrite_to_sandbox(arena, str_of(sandbox_url), url, out))
		return ERR_NONE;
	return error_set(err, ERR_INTERNAL,
			 "The authorize URL cannot be rewritten to the sandbox.");
}

enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err)
{
	const struct connector_config *config = &connector->config;
	const struct oauth_profile *oauth = platform_of(request->platform)->oauth;
	struct credential_row credential = {0};
	bool uses_candidate = false;
	enum err_kind kind =
		usable_credential(connector, arena, request, &credential, &uses_candidate, err);
	if (kind == ERR_NONE)
		kind = check_quota(connector, arena, request, err);
	if (kind != ERR_NONE)
		return kind;

	const struct str id = token_new(arena, config->random, TOKEN_CONNECTION_ID);
	const struct str state = token_random(arena, config->random, "", STATE_CHARACTERS);
	const struct str verifier =
		oauth->pkce == PKCE_NONE
			? STR("")
			: token_random(arena, config->random, "", VERIFIER_CHARACTERS);
	const struct authorize_values values = {
		.client_id = credential.client_id,
		.redirect_uri = connector_callback_url(connector, arena, request->platform),
		.state = state,
		.pkce_verifier = verifier,
		.graph_version = config->settings->graph_version,
		.variant = credential.variant,
		.scopes = credential.scopes,
		.config_id = credential.config_id,
	};
	struct str url;
	kind = (request->app->world.is_test ? test_url : reachable_url)(
		connector, arena, authorize_url(arena, oauth, &values), &url, err);
	if (kind != ERR_NONE)
		return kind;

	const struct seal_place place = {STR("connections"), STR("pkce_verifier"), id};
	const struct digest state_digest = digest_token(state);
	const struct connection_row connection = {
		.id = id,
		.app_id = request->app->id,
		.platform = request->platform,
		.user_id = request->user_id,
		.redirect_url = request->redirect_url,
		.name = request->name,
		.email = request->email,
		.state_hash = digest_hex(arena, &state_digest),
		.callback_url = values.redirect_uri,
		.pkce_sealed = str_is_empty(verifier) ? STR("")
						      : seal_secret(config->seal, arena, &place,
								    verifier, config->random),
		.state = CONNECTION_PENDING,
		.created_at_us = clock_now_us(config->clock),
		.uses_candidate = uses_candidate,
	};
	kind = store_connection_create(config->store, &connection, err);
	if (kind != ERR_NONE)
		return kind;
	*begun_out = (struct connect_begun){.authorize_url = url, .connection_id = id};
	return ERR_NONE;
}
