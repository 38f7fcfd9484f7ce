/* SPDX-License-Identifier: Apache-2.0
 * Removes secrets from a platform's texts: some platforms repeat a token or a secret in their error
 * messages. Pure. Only for texts that are shown or stored; the answers that adapters read are never
 * changed. */
#pragma once

#include "str.h"

#include "platform.h"

struct arena;

/* Returns text with "***" for every secret of env and flow: plain, percent-encoded, or with slashes
 * escaped as in JSON. The beginning of a secret at the end of text, where a cut may have left it,
 * is replaced too. Secrets shorter than 8 bytes stay, since they would black out ordinary words.
 * The result is never longer than text, and lives in arena or is text itself. */
struct str redact_secrets(struct arena *arena, struct str text, const struct env *env,
			  const struct flow *flow);
/* Does the same to all texts of the failure. */
void redact_failure(struct arena *arena, struct failure *failure, const struct env *env,
		    const struct flow *flow);
