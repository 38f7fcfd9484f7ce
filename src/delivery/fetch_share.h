/* SPDX-License-Identifier: Apache-2.0
 * How many deliveries of each app are at their media now: they fetch a file, or wait for another
 * delivery's fetch of it. One app may have a quarter of all deliveries at work there; while it has,
 * none of its deliveries is claimed, so that its slow files never take the engine from others.
 * Only counts: no I/O, no clock. Thread-safe: the engine's thread writes, others ask. */
#pragma once

#include <stdint.h>

#include "str.h"

struct fetch_share;

#define FETCH_SHARE_APP_MAX 256

/* Never NULL: without memory the program ends. The caller frees it with fetch_share_free(), which
 * sets *share to NULL. */
struct fetch_share *fetch_share_new(void);
void fetch_share_free(struct fetch_share **share);

/* A delivery of the app comes to its media; fetch_share_leave() follows. Never refuses. */
void fetch_share_enter(struct fetch_share *share, struct str app_id);
void fetch_share_leave(struct fetch_share *share, struct str app_id);
/* Returns how many more deliveries of the app may be claimed; 0 = it has its share. */
uint32_t fetch_share_room(struct fetch_share *share, struct str app_id);
