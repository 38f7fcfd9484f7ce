/* SPDX-License-Identifier: Apache-2.0
 * A world whose master key was replaced. */
#pragma once

#include "world.h"

/* The service starts again with another master key: what was sealed before opens no more. */
static inline void restart_with_another_key(struct world *w)
{
	const uint8_t key[SEAL_KEY_BYTES] = {8};
	struct error err = {0};
	world_stop_parts(w);
	seal_free(&w->seal);
	ok(seal_open_key(key, &w->seal, &err), &err);
	fake_transport_forget(&w->transport);
	world_start_parts(w);
}
