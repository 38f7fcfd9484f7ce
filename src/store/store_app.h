/* SPDX-License-Identifier: Apache-2.0
 * Apps, their settings and their access tokens. */
#pragma once

#include <stddef.h>

#include "app.h"
#include "store.h"

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
	int64_t max_lateness_s; /* of posts that name none; 0 = no limit */
	enum app_tiktok_privacy tiktok_privacy;
	struct app_world world; /* written once, when the app is made */
	int64_t created_at_us;
};

struct credential_row;

/* Makes the admin too (without password) when owner_email is unknown: new_admin_id is its id then.
 * CONFLICT: client_id taken. */
enum err_kind store_app_create(struct store *store, const struct app_row *app,
			       struct str owner_email, struct str new_admin_id, struct error *err);
/* The same of a test app, with its credentials, which are verified. */
enum err_kind store_app_create_test(struct store *store, const struct app_row *app,
				    struct str owner_email, struct str new_admin_id,
				    const struct credential_row *credentials,
				    size_t credential_count, struct error *err);
/* Also of an app that is being deleted. NOT_FOUND. */
enum err_kind store_app_world(struct store *store, struct arena *arena, struct str app_id,
			      struct app_world *out, struct error *err);
/* NOT_FOUND. */
enum err_kind store_app_find_by_client_id(struct store *store, struct arena *arena,
					  struct str client_id, struct app_row *out,
					  struct error *err);
/* NOT_FOUND. */
enum err_kind store_app_find(struct store *store, struct arena *arena, struct str app_id,
			     struct app_row *out, struct error *err);
/* Oldest first. */
enum err_kind store_app_list(struct store *store, struct arena *arena, struct app_row **out,
			     size_t *count_out, struct error *err);
/* The deliveries of a suspended app stay due but are not claimed. NOT_FOUND. */
enum err_kind store_app_set_state(struct store *store, struct str app_id, enum app_state state,
				  struct error *err);
/* New secret; revokes the app's token in the same transaction. */
enum err_kind store_app_set_secret(struct store *store, struct str app_id, struct str secret_hash,
				   struct error *err);
/* Writes redirect_urls, retry_unknown_once, connect_confirmation, max_lateness_s, tiktok_privacy
 * and name of app. */
enum err_kind store_app_set_settings(struct store *store, const struct app_row *app,
				     struct error *err);

/* Makes the admin with this email the owner of the app. An app that had none goes on with what was
 * held; tokens and keys made for it before stay dead. Wake the engine afterwards. NOT_FOUND: no
 * such admin, or no such app. */
enum err_kind store_app_set_owner(struct store *store, struct str app_id, struct str email,
				  struct error *err);

/* The new token replaces the app's old one, which is dead when this returns. */
enum err_kind store_token_issue(struct store *store, struct str app_id, struct str token_hash,
				int64_t expires_at_us, int64_t now_us, struct error *err);
/* The app of a live token; NOT_FOUND when unknown, replaced or expired at now_us, and when the app
 * has no admin. Called for every
 * API request: keep it quick. */
enum err_kind store_token_find(struct store *store, struct arena *arena, struct str token_hash,
			       int64_t now_us, struct app_row *app_out, struct error *err);
/* Ends the app's token or key of that hash at once; nothing when the app has none. */
enum err_kind store_token_revoke(struct store *store, struct str app_id, struct str token_hash,
				 struct error *err);
