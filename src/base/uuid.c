/* SPDX-License-Identifier: Apache-2.0
 * UUID version 7: RFC 9562, 5.7 (layout) and 4 (text form). */
#include "uuid.h"

#include <stddef.h>

#include "clock.h"
#include "random.h"

/* Where the dashes of 8-4-4-4-12 stand. */
static bool is_dash_place(size_t index)
{
	return index == 8 || index == 13 || index == 18 || index == 23;
}

static bool is_lower_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static struct uuid format_bytes(const uint8_t bytes[16])
{
	static const char digits[] = "0123456789abcdef";
	struct uuid uuid = {0};
	size_t nibble = 0;
	for (size_t i = 0; i < UUID_TEXT_LEN; i++) {
		if (is_dash_place(i)) {
			uuid.text[i] = '-';
			continue;
		}
		const unsigned byte = bytes[nibble / 2];
		uuid.text[i] = digits[nibble % 2 == 0 ? byte >> 4 : byte & 15];
		nibble++;
	}
	return uuid;
}

struct uuid uuid_v7(int64_t now_us, const struct random_source *random)
{
	uint8_t bytes[16];
	random_fill(random, bytes, sizeof(bytes));
	/* 48 unsigned bits cannot hold an instant before 1970. */
	const uint64_t now_ms = now_us > 0 ? (uint64_t)(now_us / US_PER_MS) : 0;
	for (unsigned i = 0; i < 6; i++)
		bytes[i] = (uint8_t)(now_ms >> (40 - 8 * i));
	bytes[6] = (uint8_t)(0x70 | (bytes[6] & 0x0f)); /* version 7 */
	bytes[8] = (uint8_t)(0x80 | (bytes[8] & 0x3f)); /* variant 10 */
	return format_bytes(bytes);
}

bool uuid_is_valid(struct str text)
{
	if (text.len != UUID_TEXT_LEN)
		return false;
	for (size_t i = 0; i < UUID_TEXT_LEN; i++) {
		if (is_dash_place(i) ? text.ptr[i] != '-' : !is_lower_hex(text.ptr[i]))
			return false;
	}
	return true;
}

struct str uuid_str(struct arena *arena, struct uuid uuid)
{
	return str_copy(arena, (struct str){uuid.text, UUID_TEXT_LEN});
}
