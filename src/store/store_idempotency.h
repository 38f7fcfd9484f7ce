/* SPDX-License-Identifier: Apache-2.0
 * What a publish call with an Idempotency-Key was answered (api-decisions.md 15): kept per app for
 * ever, written with the post, so that a repeat is answered alike. */
#pragma once

#include "err.h"
#include "str.h"

struct arena;
struct store;
struct store_tx;

struct idempotency {
	struct str key;
	struct str body_hash; /* hex digest of the body's bytes */
	struct str answer;    /* JSON of the 202 */
};

/* NOT_FOUND: the key is unused. */
enum err_kind store_idempotency_find(struct store *store, struct arena *arena, struct str app_id,
				     struct str key, struct idempotency *out, struct error *err);
/* Within the transaction that accepts the post; the same. */
enum err_kind store_idempotency_look(struct store_tx *tx, struct arena *arena, struct str app_id,
				     struct str key, struct idempotency *out, struct error *err);
enum err_kind store_idempotency_keep(struct store_tx *tx, struct str app_id,
				     const struct idempotency *kept, struct error *err);
