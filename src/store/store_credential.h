/* SPDX-License-Identifier: Apache-2.0
 * An app's credentials at a platform: its client id, its secret, and whether the platform accepts
 * them. One row per app and platform. */
#pragma once

#include <stddef.h>

#include "app.h"
#include "platform_id.h"
#include "store.h"

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
	/* asked for at consent, separated by blanks; empty = those of the variant */
	struct str scopes;
	struct str
		variant; /* the kind of app (struct oauth_variant); empty = the platform's first */
	struct str config_id; /* asked for in the scopes' place; empty = none (oauth_profile) */
};

/* Writes client_id and sealed secret, state pending, clears message. A candidate beside it is
 * gone. */
enum err_kind store_credential_put(struct store *store, const struct credential_row *credential,
				   struct error *err);
/* Inside a transaction: writes it, verified at updated_at_us. */
enum err_kind store_credential_put_verified(struct store_tx *tx,
					    const struct credential_row *credential,
					    struct error *err);
/* NOT_FOUND. */
enum err_kind store_credential_find(struct store *store, struct arena *arena, struct str app_id,
				    enum platform_id platform, struct credential_row *out,
				    struct error *err);
/* Of one app, by platform. */
enum err_kind store_credential_list(struct store *store, struct arena *arena, struct str app_id,
				    struct credential_row **out, size_t *count_out,
				    struct error *err);
/* Of all apps at one platform, up to max above an app's id (empty = from the first). */
enum err_kind store_credential_list_of_platform(struct store *store, struct arena *arena,
						enum platform_id platform, struct str after_app_id,
						size_t max, struct credential_row **out,
						size_t *count_out, struct error *err);
/* Only while client_id is still the one that was checked (else CONFLICT). Verified sets
 * verified_at. */
enum err_kind store_credential_set_state(struct store *store, struct str app_id,
					 enum platform_id platform, struct str client_id,
					 enum credential_state state, struct str message,
					 int64_t now_us, struct error *err);

/* ---- the candidate: entered beside a credential that works, which stays until this one is proven
 * ---- */

/* Writes over the one before; state pending. Sealed for the place of credential_row. */
enum err_kind store_candidate_put(struct store *store, const struct credential_row *candidate,
				  struct error *err);
/* NOT_FOUND: there is none. */
enum err_kind store_candidate_find(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct credential_row *out,
				   struct error *err);
/* The platform refused it, in these words. The candidate as it was found; CONFLICT: it is another
 * by now. */
enum err_kind store_candidate_fail(struct store *store, const struct credential_row *candidate,
				   struct str message, struct error *err);
/* It is proven: it takes the place of the current one, verified. CONFLICT as above. */
enum err_kind store_candidate_promote(struct store *store, const struct credential_row *candidate,
				      int64_t now_us, struct error *err);
