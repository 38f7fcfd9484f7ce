/* SPDX-License-Identifier: Apache-2.0
 * UUID version 7: RFC 9562, 5.7 (layout) and 4 (text form). */
#include "uuid.h"

#include <stddef.h>

#include "clock.h"
#include "random.h"

#define UUID_BYTES ((size_t)16)
#define AT_ONCE ((size_t)16)

/* Where the dashes of 8-4-4-4-12 stand. */
static bool is_dash_place(size_t index)
{
	return index == 8 || index == 13 || index == 18 || index == 23;
}

static bool is_lower_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static struct uuid format_bytes(const uint8_t bytes[UUID_BYTES])
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

/* bytes are random. */
static struct uuid uuid_of(int64_t now_us, uint8_t bytes[UUID_BYTES])
{
	/* 48 unsigned bits cannot hold an instant before 1970. */
	const uint64_t now_ms = now_us > 0 ? (uint64_t)(now_us / US_PER_MS) : 0;
	for (unsigned i = 0; i < 6; i++)
		bytes[i] = (uint8_t)(now_ms >> (40 - 8 * i));
	bytes[6] = (uint8_t)(0x70 | (bytes[6] & 0x0f)); /* version 7 */
	bytes[8] = (uint8_t)(0x80 | (bytes[8] & 0x3f)); /* variant 10 */
	return format_bytes(bytes);
}

struct uuid uuid_v7(int64_t now_us, const struct random_source *random)
{
	struct uuid uuid;
	uuid_v7_several(now_us, random, &uuid, 1);
	return uuid;
}

void uuid_v7_several(int64_t now_us, const struct random_source *random, struct uuid *uuids,
		     size_t count)
{
	uint8_t bytes[AT_ONCE][UUID_BYTES];
	for (size_t done = 0; done < count;) {
		const size_t few = count - done < AT_ONCE ? count - done : AT_ONCE;
		random_fill(random, bytes, few * UUID_BYTES);
		for (size_t i = 0; i < few; i++)
			uuids[done++] = uuid_of(now_us, bytes[i]);
	}
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
