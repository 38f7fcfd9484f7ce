/* SPDX-License-Identifier: Apache-2.0
 * Connections (OAuth attempts) and the accounts that come of them. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "connection.h"
#include "failure.h"
#include "store.h"

struct connection_row {
	struct str id; /* "conn_..." */
	struct str app_id;
	enum platform_id platform;
	struct str user_id;      /* the customer's own */
	struct str redirect_url; /* the customer's */
	struct str name, email;  /* as given; empty = none */
	struct str state_hash;   /* digest of the OAuth state; "" once used */
	struct str callback_url; /* redirect_uri as sent to the platform */
	/* associated data: "connections", "pkce_verifier", id; empty = no PKCE */
	struct str pkce_sealed;
	enum connection_state state;
	struct str error; /* connection_error_code() when failed; else empty */
	struct str error_description;
	/* authorization code between callback and exchange: "connections", "code", id; empty =
	 * none */
	struct str code_sealed;
	struct str flow; /* flow_write() */
	/* flow_write_secrets(), sealed: "connections", "flow_secrets", id; empty = none */
	struct str flow_sealed;
	int64_t created_at_us;
	int64_t finished_at_us;
	bool uses_candidate; /* the credential that it proves (store_candidate_find()) */
	/* of the cookie of the browser that came back; empty = none has */
	struct str browser_hash;
};

struct account_row {
	/* uuid; kept when the same platform account connects again for the same user */
	struct str id;
	struct str app_id;
	enum platform_id platform;
	struct str user_id;
	struct str connection_id; /* the last one that brought it */
	struct str platform_account_id;
	struct str username, name, email, avatar_url; /* empty = null */
	enum account_type type;
	enum account_state state;
	struct str access_token_sealed;  /* "accounts", "access_token", id */
	struct str refresh_token_sealed; /* "accounts", "refresh_token", id; empty = none */
	struct str extra;                /* JSON, no secrets */
	struct str extra_sealed;         /* "accounts", "extra_secret", id; empty = none */
	struct str scopes;
	int64_t expires_at_us; /* access token; 0 = does not expire or unknown */
	int64_t refresh_expires_at_us;
	int64_t ends_at_us;    /* account_ends_at_us() */
	int64_t token_version; /* goes up with every new access token */
	int64_t last_refresh_at_us;
	struct str last_error;
	int64_t created_at_us;
	int64_t updated_at_us;
	/* of an app with connect_confirmation, and nobody has confirmed it yet */
	bool is_unconfirmed;
};

/* Writes all fields as they are. CONFLICT: the id is taken. */
enum err_kind store_connection_create(struct store *store, const struct connection_row *connection,
				      struct error *err);
/* By id within the app (app_id empty: of any app, for the callback's own pages); NOT_FOUND for
 * another app's, unknown, or kept longer than CONNECTION_KEPT_US. A pending one past
 * CONNECTION_VALID_US is given out as failed with error "expired". */
enum err_kind store_connection_find(struct store *store, struct arena *arena, struct str app_id,
				    struct str connection_id, int64_t now_us,
				    struct connection_row *out, struct error *err);
/* The callback's door: finds the pending, unexpired connection with this state and platform and
 * uses the state up in the same transaction, storing the sealed code (which the caller seals once
 * it knows the id: first find, then consume). */
enum err_kind store_connection_find_by_state(struct store *store, struct arena *arena,
					     struct str state_hash, enum platform_id platform,
					     int64_t now_us, struct connection_row *out,
					     struct error *err);
/* Exactly one of several callers at once gets NONE; the others CONFLICT. */
enum err_kind store_connection_consume_state(struct store *store, struct str connection_id,
					     struct str state_hash, struct str code_sealed,
					     struct str browser_hash, struct error *err);
/* Pending connections whose state is used (their exchange is under way or was cut off by a crash).
 * Of those whose time is up the secrets are cleared. */
enum err_kind store_connection_list_started(struct store *store, struct arena *arena,
					    int64_t now_us, struct connection_row **out,
					    size_t *count_out, struct error *err);

/* For the engine's turn. */
enum err_kind store_connection_save_flow(struct store_tx *tx, struct str connection_id,
					 struct str flow, struct str flow_sealed,
					 struct error *err);
/* Pending -> success, or CONFLICT when it is not pending any more (past CONNECTION_VALID_US counts
 * so): upserts the accounts (found by app, platform, user_id, platform_account_id) and links them.
 * An account row's id is used for new ones; for known ones the stored id stays. Because secrets are
 * sealed under the row's id, the caller asks store_account_id_for() first and seals under those; a
 * known account whose stored id is another than the row's (another connection made it in this
 * moment) is CONFLICT, nothing is changed. An empty refresh_token_sealed keeps the stored one.
 * Clears code and flow. Over the app's quota of accounts the connection fails instead, with
 * quota_exceeded, and *is_over_quota_out (NULL = not wanted) says so. */
enum err_kind store_connection_succeed(struct store_tx *tx, struct str connection_id,
				       const struct account_row *accounts, size_t count,
				       int64_t now_us, bool *is_over_quota_out, struct error *err);
/* Pending -> failed; clears code, flow and secrets. */
enum err_kind store_connection_fail(struct store_tx *tx, struct str connection_id, struct str error,
				    struct str description, int64_t now_us, struct error *err);
/* The stored id of that platform account for that user, or empty. */
enum err_kind store_account_id_for(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct str user_id,
				   struct str platform_account_id, struct str *id_out,
				   struct error *err);

/* The account's tokens are forgotten, and what was scheduled for it fails with
 * ACCOUNT_REAUTH_REQUIRED. A delivery under way meets the state at its next step. Idempotent.
 * NOT_FOUND. */
enum err_kind store_account_disconnect(struct store *store, struct str account_id, int64_t now_us,
				       struct error *err);

/* The hash of the confirmation token that is about to be given out. A connection has one at most:
 * CONFLICT when there is one, or no such connection. */
enum err_kind store_connection_set_confirm(struct store *store, struct str connection_id,
					   struct str confirm_hash, struct error *err);
/* The connection's accounts may be used without a token: the app's owner made it himself, in the
 * dashboard. May be said again. */
enum err_kind store_connection_trust(struct store *store, struct str connection_id,
				     struct error *err);
/* The app says that the right user came back: the connection's accounts may be used. May be said
 * again. NOT_FOUND: no such successful connection of the app; CONFLICT: another user, or another
 * token. */
enum err_kind store_connection_confirm(struct store *store, struct str app_id,
				       struct str connection_id, struct str user_id,
				       struct str confirm_hash, struct error *err);

/* Accounts of an app, newest first. Empty or NONE or COUNT = any. EXPIRING is what
 * account_state_shown() shows so. */
struct account_filter {
	struct str app_id;
	struct str user_id;
	enum platform_id platform;
	enum account_state state;
	int64_t now_us;
	int64_t page; /* from 1 */
	int64_t per_page;
};
/* One page; *total_out counts all that the filter lets through. */
enum err_kind store_account_list(struct store *store, struct arena *arena,
				 const struct account_filter *filter, struct account_row **out,
				 size_t *count_out, int64_t *total_out, struct error *err);

/* Accounts of a connection, in the order found. */
enum err_kind store_account_list_of_connection(struct store *store, struct arena *arena,
					       struct str connection_id, struct account_row **out,
					       size_t *count_out, struct error *err);
/* The accounts with these ids that belong to the app, in the order of ids; found[i] says which. */
enum err_kind store_account_get_many(struct store *store, struct arena *arena, struct str app_id,
				     const struct str *ids, size_t count, struct account_row *out,
				     bool *found, struct error *err);
struct account_tokens {
	struct str account_id;
	int64_t token_version; /* as it was read */
	struct str access_token_sealed;
	struct str refresh_token_sealed; /* empty = keep the stored one */
	int64_t expires_at_us;           /* 0 = does not expire or unknown */
	int64_t refresh_expires_at_us;   /* 0 = does not expire or unknown */
	int64_t ends_at_us;              /* account_ends_at_us() */
};
/* Saves new tokens. CONFLICT when the account has another token_version: somebody else has
 * refreshed or connected it. */
enum err_kind store_account_save_token(struct store_tx *tx, const struct account_tokens *token,
				       int64_t now_us, struct error *err);
/* Replaces extra (a JSON object, no secrets), when token_version is still the one that was read
 * (else CONFLICT: it was connected again meanwhile, and what is stored is newer). */
enum err_kind store_account_save_extra(struct store_tx *tx, struct str account_id,
				       int64_t token_version, struct str extra, int64_t now_us,
				       struct error *err);
/* Tells of accounts that end within ACCOUNT_EXPIRING_US, and once more within
 * ACCOUNT_EXPIRING_SOON_US, by the event account.expiring; at most max. */
enum err_kind store_account_tell_endings(struct store_tx *tx, int64_t now_us, int64_t max,
					 size_t *told_out, struct error *err);
/* Where its picture is now, for a connected account. It may have been disconnected meanwhile: then
 * nothing changes. */
enum err_kind store_account_set_avatar(struct store_tx *tx, struct str account_id,
				       struct str avatar_url, int64_t now_us, struct error *err);
/* Which of these ids, of any app, are connected accounts with the address of a picture. */
enum err_kind store_account_have_avatars(struct store *store, struct arena *arena,
					 const struct str *ids, size_t count, bool *have_out,
					 struct error *err);
/* With the event account.reauth_required when that is the new state and not the old. NOT_FOUND. */
enum err_kind store_account_set_state(struct store_tx *tx, struct str account_id,
				      enum account_state state, struct str last_error,
				      int64_t now_us, struct error *err);
