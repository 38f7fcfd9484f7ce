/* SPDX-License-Identifier: Apache-2.0
 * Whether a GIF moves: whether a second picture follows the first (GIF89a specification). Nothing
 * is decoded. Pure. */
#pragma once

#include <stdbool.h>

#include "byte_source.h"

/* False also where the bytes end, or make no sense, before a second picture; the work is
 * bounded. */
bool gif_is_animated(const struct byte_source *source);
