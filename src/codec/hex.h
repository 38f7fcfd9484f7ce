/* SPDX-License-Identifier: Apache-2.0
 * Lower-case hexadecimal text. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

/* Two lower-case digits for each byte, in arena. */
struct str hex_encode(struct arena *arena, struct str bytes);
/* Writes the bytes, in arena. False when text is not pairs of lower-case hex digits, or arena is
 * full. */
bool hex_decode(struct arena *arena, struct str text, struct str *bytes_out);
