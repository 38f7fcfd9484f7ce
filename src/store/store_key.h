/* SPDX-License-Identifier: Apache-2.0
 * Keys: further bearer tokens of an app, each with scopes of its own (api-decisions.md 14). Only
 * the hash of a key is stored. A new access token or a new client secret leaves them alone. */
#pragma once

#include <stddef.h>

#include "scope.h"
#include "store.h"

struct app_row;

#define KEYS_PER_APP_MAX 100
#define KEY_NAME_MAX_BYTES 100
#define KEY_EXPIRED_KEPT_S (30LL * 86400) /* how long a list still shows it */
#define KEY_USE_WRITTEN_EVERY_S 60

struct key_row {
	struct str id;
	struct str app_id;
	struct str name;       /* two keys may have the same one */
	struct str token_hash; /* hex digest */
	unsigned scopes;       /* scope.h */
	int64_t created_at_us;
	int64_t expires_at_us;   /* 0 = never */
	int64_t last_used_at_us; /* to KEY_USE_WRITTEN_EVERY_S; 0 = not used yet; out only */
};

/* Also forgets the app's keys that expired more than KEY_EXPIRED_KEPT_S before key->created_at_us.
 * CONFLICT: the app has KEYS_PER_APP_MAX. NOT_FOUND: no such app. */
enum err_kind store_key_create(struct store *store, const struct key_row *key, struct error *err);
/* Newest first; expired ones too. */
enum err_kind store_key_list(struct store *store, struct arena *arena, struct str app_id,
			     struct key_row **out, size_t *count_out, struct error *err);
/* A live key and its app; NOT_FOUND when unknown, revoked or expired at now_us. Called for every
 * API request: keep it quick. */
enum err_kind store_key_find(struct store *store, struct arena *arena, struct str token_hash,
			     int64_t now_us, struct key_row *key_out, struct app_row *app_out,
			     struct error *err);
/* Notes that the key was used at now_us, unless a use within KEY_USE_WRITTEN_EVERY_S is noted. */
enum err_kind store_key_touch(struct store *store, struct str key_id, int64_t now_us,
			      struct error *err);
/* The key is dead when this returns. app_id: of this app only; empty = of any. NOT_FOUND. */
enum err_kind store_key_revoke(struct store *store, struct str app_id, struct str key_id,
			       struct error *err);
