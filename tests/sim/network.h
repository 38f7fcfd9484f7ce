/* SPDX-License-Identifier: Apache-2.0
 * The way to the platforms and back, as the engine's transport port: everything that can go wrong
 * there does (rules.md 3.2), drawn from the seed for each call. A call has two instants, when
 * it takes effect in the world and when its answer is told; a crash of ours takes the second away,
 * and the first perhaps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transfer.h"

#include "sim.h"
#include "world.h"

struct network;

struct network *network_new(struct sim *sim, struct world *world);
struct transport network_transport(struct network *network);
/* We died: nobody waits for what is under way any more. */
void network_forget(struct network *network);
/* Time passes without us; what is under way reaches the world. */
void network_pass(struct network *network, int64_t us);
/* Called with the refresh token of every refresh that is sent. */
void network_watch_refresh(struct network *network,
			   void (*saw)(void *context, struct str refresh_token), void *context);
