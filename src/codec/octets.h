/* SPDX-License-Identifier: Apache-2.0
 * Eight bytes at once, for loops over text: most of it is ASCII without anything special. The
 * answers are about all eight together; which byte it is, a loop over the eight finds out. Any byte
 * order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OCTETS ((size_t)8)
#define OCTETS_OF(byte) (UINT64_C(0x0101010101010101) * (byte)) /* the byte eight times */

/* Reads eight bytes from at. */
static inline uint64_t octets_load(const char *at)
{
	uint64_t octets;
	memcpy(&octets, at, sizeof(octets));
	return octets;
}

/* Is one of them 0x80 or more, so no ASCII? */
static inline bool octets_have_high(uint64_t octets)
{
	return (octets & OCTETS_OF(0x80)) != 0;
}

/* Is one of them less than limit, which is at most 0x80? */
static inline bool octets_have_less(uint64_t octets, uint8_t limit)
{
	return ((octets - OCTETS_OF(limit)) & ~octets & OCTETS_OF(0x80)) != 0;
}

static inline bool octets_have(uint64_t octets, char byte)
{
	return octets_have_less(octets ^ OCTETS_OF((uint8_t)byte), 1);
}

/* How many of them begin no UTF-8 character: 0x80 to 0xBF. */
static inline unsigned octets_count_continuation(uint64_t octets)
{
	const uint64_t each = octets >> 7 & ~(octets >> 6) & OCTETS_OF(1);
	return (unsigned)(each * OCTETS_OF(1) >> 56);
}

/* How many of them are 0xF0 or more. */
static inline unsigned octets_count_lead_of_four(uint64_t octets)
{
	const uint64_t each = octets >> 7 & octets >> 6 & octets >> 5 & octets >> 4 & OCTETS_OF(1);
	return (unsigned)(each * OCTETS_OF(1) >> 56);
}

/* Is one of them a control character, a quotation mark or a backslash, which no JSON text holds as
 * they are? */
static inline bool octets_end_json_text(uint64_t octets)
{
	return octets_have_less(octets, 0x20) || octets_have(octets, '"') ||
	       octets_have(octets, '\\');
}
