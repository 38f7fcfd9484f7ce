/* SPDX-License-Identifier: Apache-2.0
 * Lower-case hexadecimal text. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

struct str hex_encode(struct arena *arena, struct str bytes);
bool hex_decode(struct arena *arena, struct str text, struct str *bytes_out);
