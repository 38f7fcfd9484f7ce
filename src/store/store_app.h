/* SPDX-License-Identifier: Apache-2.0
 * Admins, apps, access tokens, platform credentials and settings kept in the database. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "store.h"

struct admin_row {
	struct str id;            /* uuid */
	struct str email;         /* lower case */
	struct str password_hash; /* empty = none set yet */
	int64_t created_at_us;
};

struct app_row {
	struct str id;
	struct str name;
	struct str client_id;
	struct str client_secret_hash; /* hex digest */
	enum app_state state;
	struct str owner_id;    /* admin; the row may be gone */
	struct str owner_email; /* out only; empty when the admin is gone */
	/* JSON array text of allowed redirect URLs or origins; empty = any */
	struct str redirect_urls;
	bool retry_unknown_once; /* on_unknown: retry_once */
	bool connect_confirmation;
	int64_t created_at_us;
};

struct credential_row {
	struct str app_id;
	enum platform_id platform;
	struct str client_id;
	/* associated data: "platform_credentials", "client_secret", "<app_id>/<platform slug>" */
	struct str client_secret_sealed;
	enum credential_state state;
	struct str message; /* the platform's own words when failed; else empty */
	int64_t verified_at_us;
	int64_t updated_at_us;
	/* asked for at consent, separated by blanks; empty = those of the platform's profile */
	struct str scopes;
};

/* CONFLICT when the email is taken. */
enum err_kind store_admin_create(struct store *store, const struct admin_row *admin,
				 struct error *err);
/* NOT_FOUND. */
enum err_kind store_admin_find(struct store *store, struct arena *arena, struct str email,
			       struct admin_row *out, struct error *err);
enum err_kind store_admin_delete(struct store *store, struct str email, struct error *err);
/* Newest last. */
enum err_kind store_admin_list(struct store *store, struct arena *arena, struct admin_row **out,
			       size_t *count_out, struct error *err);

/* Makes the admin too (without password) when owner_email is unknown: new_admin_id is its id then.
 * CONFLICT: client_id taken. */
enum err_kind store_app_create(struct store *store, const struct app_row *app,
			       struct str owner_email, struct str new_admin_id, struct error *err);
enum err_kind store_app_find_by_client_id(struct store *store, struct arena *arena,
					  struct str client_id, struct app_row *out,
					  struct error *err);
enum err_kind store_app_find(struct store *store, struct arena *arena, struct str app_id,
			     struct app_row *out, struct error *err);
enum err_kind store_app_list(struct store *store, struct arena *arena, struct app_row **out,
			     size_t *count_out, struct error *err);
enum err_kind store_app_set_state(struct store *store, struct str app_id, enum app_state state,
				  struct error *err);
/* New secret; revokes the app's token in the same transaction. */
enum err_kind store_app_set_secret(struct store *store, struct str app_id, struct str secret_hash,
				   struct error *err);
/* Writes redirect_urls, retry_unknown_once, connect_confirmation, name of app. */
enum err_kind store_app_set_settings(struct store *store, const struct app_row *app,
				     struct error *err);

/* The new token replaces the app's old one, which is dead when this returns. */
enum err_kind store_token_issue(struct store *store, struct str app_id, struct str token_hash,
				int64_t expires_at_us, int64_t now_us, struct error *err);
/* The app of a live token; NOT_FOUND when unknown, replaced or expired at now_us. Called for every
 * API request: keep it quick. */
enum err_kind store_token_find(struct store *store, struct arena *arena, struct str token_hash,
			       int64_t now_us, struct app_row *app_out, struct error *err);

/* Writes client_id and sealed secret, state pending, clears message. */
enum err_kind store_credential_put(struct store *store, const struct credential_row *credential,
				   struct error *err);
enum err_kind store_credential_find(struct store *store, struct arena *arena, struct str app_id,
				    enum platform_id platform, struct credential_row *out,
				    struct error *err);
enum err_kind store_credential_list(struct store *store, struct arena *arena, struct str app_id,
				    struct credential_row **out, size_t *count_out,
				    struct error *err);
/* Only while client_id is still the one that was checked (else CONFLICT). Verified sets
 * verified_at. */
enum err_kind store_credential_set_state(struct store *store, struct str app_id,
					 enum platform_id platform, struct str client_id,
					 enum credential_state state, struct str message,
					 int64_t now_us, struct error *err);
