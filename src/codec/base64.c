/* SPDX-License-Identifier: Apache-2.0
 * Base64: RFC 4648, sections 4 and 5. One text stands for one value: padding exactly where it
 * belongs, unused bits zero (3.5). */
#include "base64.h"

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct alphabet {
	char digits[65];
	bool has_padding;
};

static const struct alphabet standard = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true};
static const struct alphabet url_safe = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false};

/* 1, 2 or 3 bytes become 2, 3 or 4 digits; returns how many. */
static size_t encode_group(const struct alphabet *alphabet, struct str group, char *out)
{
	uint32_t bits = 0;
	for (size_t i = 0; i < 3; i++)
		bits = bits << 8 | (i < group.len ? (unsigned char)group.ptr[i] : 0);
	for (size_t i = 0; i <= group.len; i++)
		out[i] = alphabet->digits[bits >> (18 - 6 * i) & 63];
	return group.len + 1;
}

static struct str encode(const struct alphabet *alphabet, struct arena *arena, struct str bytes)
{
	char *text = arena_alloc(arena, bytes.len / 3 * 4 + 5);
	size_t len = 0;
	while (!str_is_empty(bytes)) {
		const struct str group = str_slice(bytes, 0, 3);
		len += encode_group(alphabet, group, text + len);
		for (size_t i = group.len; i < 3 && alphabet->has_padding; i++)
			text[len++] = '=';
		bytes = str_slice(bytes, group.len, bytes.len);
	}
	return (struct str){text, len};
}

struct str base64_encode(struct arena *arena, struct str bytes)
{
	return encode(&standard, arena, bytes);
}

struct str base64url_encode(struct arena *arena, struct str bytes)
{
	return encode(&url_safe, arena, bytes);
}

static int digit_value(const struct alphabet *alphabet, char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == alphabet->digits[62])
		return 62;
	return c == alphabet->digits[63] ? 63 : -1;
}

/* 2, 3 or 4 digits become 1, 2 or 3 bytes. */
static bool decode_group(const struct alphabet *alphabet, struct str group, char *out)
{
	uint32_t bits = 0;
	for (size_t i = 0; i < 4; i++) {
		const int value = i < group.len ? digit_value(alphabet, group.ptr[i]) : 0;
		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
	}
	const uint32_t unused = (UINT32_C(1) << (8 * (4 - group.len))) - 1;
	if ((bits & unused) != 0)
		return false;
	for (size_t i = 0; i + 1 < group.len; i++)
		out[i] = (char)(bits >> (16 - 8 * i));
	return true;
}

/* Takes off the padding; false when it is not exactly what the length asks for. */
static bool strip_padding(struct str *text)
{
	if (text->len % 4 != 0)
		return false;
	for (int i = 0; i < 2 && str_has_suffix(*text, STR("=")); i++)
		text->len--;
	return true;
}

static bool decode(const struct alphabet *alphabet, struct arena *arena, struct str text,
		   struct str *bytes_out)
{
	if (alphabet->has_padding && !strip_padding(&text))
		return false;
	if (text.len % 4 == 1)
		return false;
	char *bytes = arena_try_alloc(arena, text.len / 4 * 3 + 4);
	if (bytes == NULL)
		return false;
	size_t len = 0;
	while (!str_is_empty(text)) {
		const struct str group = str_slice(text, 0, 4);
		if (!decode_group(alphabet, group, bytes + len))
			return false;
		len += group.len - 1;
		text = str_slice(text, group.len, text.len);
	}
	*bytes_out = (struct str){bytes, len};
	return true;
}

bool base64_decode(struct arena *arena, struct str text, struct str *bytes_out)
{
	return decode(&standard, arena, text, bytes_out);
}

bool base64url_decode(struct arena *arena, struct str text, struct str *bytes_out)
{
	return decode(&url_safe, arena, text, bytes_out);
}
