/* SPDX-License-Identifier: Apache-2.0
 * A thread that calls a function at a fixed interval until it is stopped: for the restore guard
 * (store/store_guard.h) and for the row of this node (store/store_node.h). */
#pragma once

#include <stdint.h>

#include "err.h"

struct heartbeat;

/* Calls beat(context) on a thread of its own, first after every_ms, then every_ms after each call
 * has returned. *out is set on NONE only. TEMPORARY: the system has no memory or no thread left. */
enum err_kind heartbeat_start(int64_t every_ms, void (*beat)(void *context), void *context,
			      struct heartbeat **out, struct error *err);
/* Waits for a running beat to return, ends the thread, frees, and sets the pointer to NULL; a NULL
 * inside is fine. */
void heartbeat_stop(struct heartbeat **heartbeat);
