/* SPDX-License-Identifier: Apache-2.0
 * Lower-case hexadecimal text. Upper case is refused: where two texts name one value, comparing
 * texts goes wrong. */
#include "hex.h"

#include <stddef.h>

#include "arena.h"

struct str hex_encode(struct arena *arena, struct str bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *text = arena_alloc_array(arena, bytes.len + 1, 2);
	for (size_t i = 0; i < bytes.len; i++) {
		const unsigned char byte = (unsigned char)bytes.ptr[i];
		text[2 * i] = digits[byte >> 4];
		text[2 * i + 1] = digits[byte & 15];
	}
	return (struct str){text, 2 * bytes.len};
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_decode(struct arena *arena, struct str text, struct str *bytes_out)
{
	if (text.len % 2 != 0)
		return false;
	char *bytes = arena_try_alloc(arena, text.len / 2 + 1);
	if (bytes == NULL)
		return false;
	for (size_t i = 0; i < text.len / 2; i++) {
		const int high = digit_value(text.ptr[2 * i]);
		const int low = digit_value(text.ptr[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (char)(high << 4 | low);
	}
	*bytes_out = (struct str){bytes, text.len / 2};
	return true;
}
