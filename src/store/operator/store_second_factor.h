/* SPDX-License-Identifier: Apache-2.0
 * Second factors of admins: the sealed secret of an authenticator app, and recovery codes for who
 * has lost it. Both are used up here: a code is good once, also of two who give it at the same
 * instant. What the secret says is the caller's to check. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store.h"

#define RECOVERY_CODES 10

struct second_factor {
	struct str secret_sealed; /* as the column secret of second_factors, row: the admin's id */
	int64_t last_step;        /* its codes, and those of steps before, are used up */
	int64_t codes_left;
};

/* What a second factor begins with. */
struct second_factor_start {
	struct str admin_id;
	struct str secret_sealed;
	int64_t last_step;
	struct str code_hashes[RECOVERY_CODES]; /* hex digests */
	struct str session_hash;                /* the session that stays; the others end */
};

/* NOT_FOUND: it is off. */
enum err_kind store_second_factor_find(struct store *store, struct arena *arena,
				       struct str admin_id, struct second_factor *out,
				       struct error *err);
/* CONFLICT: it is on. */
enum err_kind store_second_factor_turn_on(struct store *store,
					  const struct second_factor_start *start,
					  struct error *err);
/* Other recovery codes in the place of those that are left. NOT_FOUND. */
enum err_kind store_second_factor_set_codes(struct store *store, struct str admin_id,
					    const struct str code_hashes[RECOVERY_CODES],
					    struct error *err);
/* Uses up the codes up to this step. FORBIDDEN: they are used up already, or it is off. */
enum err_kind store_second_factor_use_step(struct store *store, struct str admin_id, int64_t step,
					   struct error *err);
/* Uses up a recovery code. FORBIDDEN: there is none with this hash. */
enum err_kind store_second_factor_use_code(struct store *store, struct str admin_id,
					   struct str code_hash, struct error *err);
/* NOT_FOUND: it is off. */
enum err_kind store_second_factor_turn_off(struct store *store, struct str admin_id,
					   struct error *err);
