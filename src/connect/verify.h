/* SPDX-License-Identifier: Apache-2.0
 * The check of an app's credential, as a task on the engine with somebody waiting for its end.
 * Nothing of it is durable: who waits writes the outcome down. */
#pragma once

#include "connect_private.h"

/* Runs the check and waits at most wait_ms. outcome_out's message lives in arena. A check that is
 * not back in time goes on and is forgotten. */
void verify_run(struct connector *connector, struct arena *arena,
		const struct credential_row *credential, int64_t wait_ms,
		struct verify_outcome *outcome_out);
