/* SPDX-License-Identifier: Apache-2.0
 * A thread that calls a function every minute until it is stopped: the restore guard's
 * (store/store_guard.h). */
#pragma once

#include <stdint.h>

#include "err.h"

struct heartbeat;

enum err_kind heartbeat_start(int64_t every_ms, void (*beat)(void *context), void *context,
			      struct heartbeat **out, struct error *err);
/* Waits for a beat under way, then ends the thread; nulls. NULL inside is fine. */
void heartbeat_stop(struct heartbeat **heartbeat);
