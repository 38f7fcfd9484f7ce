/* SPDX-License-Identifier: Apache-2.0
 * Standard Webhooks 1.0.0: secrets, signatures and the envelope. Pure but for the randomness handed
 * in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;
struct event_row;
struct random_source;

#define WEBHOOK_SECRET_KEY_BYTES 32 /* the standard allows 24 to 64 */

/* "whsec_" and the key in base64. */
struct str webhook_secret_make(struct arena *arena, const struct random_source *random);
/* "v1,<base64 of HMAC-SHA256 of id.timestamp.body>". Empty when secret is none of ours. */
struct str webhook_signature(struct arena *arena, struct str secret, struct str id,
			     int64_t timestamp_s, struct str body);
/* {"id","type","event","seq","app_id","timestamp","data"} (api-decisions.md 9); data is JSON, or
 * empty for null. */
struct str webhook_envelope(struct arena *arena, const struct event_row *event, struct str data);
