/* SPDX-License-Identifier: Apache-2.0
 * Everything that a simulated platform is written with. A platform is a folder with one `const
 * struct sandbox_module`: a table of routes and a few callbacks. The core does the rest: listening,
 * the request log, faults, locking, reset, the clock and the ledger. To add a platform, write the
 * folder NAME/ with `const struct sandbox_module sandbox_NAME`, give it a row in layers.txt, and
 * list the module in sandbox_registry.c.
 *
 * THREADS AND LIFETIMES. Handlers and callbacks run with the sandbox's one lock held: they may
 * touch all state freely and need no locks of their own. Only the functions marked "LETS GO OF THE
 * LOCK" release it while they work (pulling media, reading big files) and take it again: after them
 * every pointer into state (tokens, codes, objects, posts, uploads, your own state) may be gone by
 * a reset, so look it up again by its id and answer "not found" when it is gone. What a request
 * needs lives in call->arena. What must live on is made with sandbox_keep*(), and lives until the
 * reset. Strings given to functions here are copied by them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "err.h"
#include "str.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "sniff.h"

#include "http.h"

#include "sandbox_call.h"
#include "sandbox_ledger.h"
#include "sandbox_media.h"
#include "sandbox_module.h"
#include "sandbox_oauth.h"
#include "sandbox_state.h"
#include "sandbox_upload.h"
