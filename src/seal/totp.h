/* SPDX-License-Identifier: Apache-2.0
 * One-time codes of authenticator apps: TOTP of RFC 6238 with HMAC-SHA-1, six digits and steps of
 * 30 s, which every such app knows. SHA-1 is here for this alone; its collisions do not touch HMAC
 * (RFC 6238 5.1). libsodium has none. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#define TOTP_SECRET_BYTES 20 /* RFC 4226 4: 160 bits recommended */
#define TOTP_STEP_US (30 * INT64_C(1000000))
#define TOTP_DIGITS 6

struct arena;

/* The code of this step: what the tests' authenticator app shows. */
uint32_t totp_code(struct str secret, int64_t step);
/* Is text a code of now, or of the step before or after it (clocks differ)? Only steps after
 * last_step count: a code is good once. *step_out: whose it is. */
bool totp_check(struct str secret, struct str text, int64_t now_us, int64_t last_step,
		int64_t *step_out);
/* The secret as a person types it: base32 of RFC 4648 without padding. In arena. */
struct str totp_secret_text(struct arena *arena, struct str secret);
