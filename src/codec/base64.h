/* SPDX-License-Identifier: Apache-2.0
 * Base64 (RFC 4648): standard with padding, and URL-safe without. Decoding is strict: no blanks, no
 * stray bits, right padding. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

/* bytes as RFC 4648 text with padding, in arena; the url variant without padding and with - and _
 * for + and /. */
struct str base64_encode(struct arena *arena, struct str bytes);
struct str base64url_encode(struct arena *arena, struct str bytes);
/* Writes the bytes, in arena. False when text is not exactly what encoding some bytes gives. */
bool base64_decode(struct arena *arena, struct str text, struct str *bytes_out);
bool base64url_decode(struct arena *arena, struct str text, struct str *bytes_out);
