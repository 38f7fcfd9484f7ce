/* SPDX-License-Identifier: Apache-2.0
 * The state of a platform until a reset: kept memory, named objects, ids and the clock; and the
 * knobs, which decide how it behaves where its documents leave it open. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "sandbox_module.h"

/* ---- knobs (knobs.def) ---- */

enum sandbox_knob {
#define SANDBOX_KNOB(name, at_first, least, most, what) SANDBOX_KNOB_##name,
#include "knobs.def"
#undef SANDBOX_KNOB
	SANDBOX_KNOB_COUNT
};

int64_t sandbox_knob(const struct sandbox *sandbox, enum sandbox_knob knob);

/* ---- clock and kept memory ---- */

int64_t sandbox_now_us(const struct sandbox *sandbox);
void *sandbox_state(struct sandbox *sandbox, enum sandbox_platform platform);
/* Zeroed memory that lives until the reset. Never NULL: beyond 1 GiB the program ends with a
 * message; sandbox_is_full() warns in time. */
void *sandbox_keep(struct sandbox *sandbox, size_t size_bytes);
struct str sandbox_keep_str(struct sandbox *sandbox, struct str s);
/* More than 3/4 of the ceiling is in use. The core then answers 503 itself; handlers need not
 * ask. */
bool sandbox_is_full(const struct sandbox *sandbox);

/* ---- objects and ids ---- */

/* A platform's object by kind ("container", "upload") and id. put replaces an older one; object is
 * kept memory. get returns NULL when there is none. */
void sandbox_object_put(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			struct str id, void *object);
void *sandbox_object_get(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			 struct str id);

/* The prefix and random decimal digits, length characters in all; kept. Unique in practice. */
struct str sandbox_id_decimal(struct sandbox *sandbox, const char *prefix, size_t length);
/* The prefix and random_length random letters and digits; kept. */
struct str sandbox_id_text(struct sandbox *sandbox, const char *prefix, size_t random_length);
uint64_t sandbox_random_below(struct sandbox *sandbox, uint64_t limit);
