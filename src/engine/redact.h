/* SPDX-License-Identifier: Apache-2.0
 * What a platform said, without the secrets that it was sent: some repeat a token or a secret in
 * their complaint. Pure. Only for texts that are shown or written down; what adapters read is never
 * touched. */
#pragma once

#include "str.h"

#include "platform.h"

struct arena;

/* text with "***" for every secret of env and flow, as it stands, percent-encoded or with slashes
 * escaped as in JSON; also for the beginning of one at text's end, which a cut may have left there.
 * Secrets shorter than 8 bytes would black out ordinary words and stay. The result is never longer
 * than text and lives in arena (or is text). */
struct str redact_secrets(struct arena *arena, struct str text, const struct env *env,
			  const struct flow *flow);
/* The failure's texts so. */
void redact_failure(struct arena *arena, struct failure *failure, const struct env *env,
		    const struct flow *flow);
