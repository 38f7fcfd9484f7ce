/* SPDX-License-Identifier: Apache-2.0
 * FNV-1a (draft-eastlake-fnv), 32 bits, its halves folded so that the low bits may choose a slot.
 * Not for keys that an attacker chooses and whose collisions would cost us. */
#pragma once

#include <stdint.h>

#include "str.h"

static inline uint32_t fnv_hash(struct str text)
{
	uint32_t hash = 2166136261U;
	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * 16777619U;
	return hash ^ hash >> 16;
}
