/* SPDX-License-Identifier: Apache-2.0
 * Between an adapter's calls and the transport's transfers: the request of a call, the reply of a
 * result, and what is known of a publish call after it. Pure. */
#pragma once

#include <stdint.h>

#include "platform.h"

#include "transfer.h"

#include "engine.h"

struct arena;

/* Returns the transfer of a call, without its id; it lives in arena and in call. media_path: the
 * file of a media body, else unused. A publish call gets a fresh connection, and is not sent later
 * than its timeout after planned_boot_us, when the intent was decided. Another call that works once
 * is not sent later than 15 s after it. */
struct transfer_request engine_call_request(struct arena *arena, const struct call *call,
					    const char *media_path, int64_t planned_boot_us);
/* Returns the result as adapters read it, its body parsed when it is JSON. Lives in arena and in
 * result. */
const struct reply *engine_call_reply(struct arena *arena, const struct transfer_result *result);
/* Returns what is known of a call with that result. */
enum call_verdict engine_call_judge(enum call_kind kind, const struct transfer_result *result);
