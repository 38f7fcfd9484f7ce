/* SPDX-License-Identifier: Apache-2.0
 * Reading text by pointer and length. Only bytes; no locale functions, because their answers depend
 * on the machine. */
#include "str.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "arena.h"

static char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

bool str_equal(struct str a, struct str b)
{
	return a.len == b.len && (str_is_empty(a) || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_equal_z(struct str a, const char *z)
{
	return str_equal(a, str_of(z));
}

bool str_equal_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	}
	return true;
}

int str_compare(struct str a, struct str b)
{
	const size_t common = min_size(a.len, b.len);
	const int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool str_has_prefix(struct str s, struct str prefix)
{
	return s.len >= prefix.len && str_equal(str_slice(s, 0, prefix.len), prefix);
}

bool str_has_suffix(struct str s, struct str suffix)
{
	return s.len >= suffix.len && str_equal(str_slice(s, s.len - suffix.len, s.len), suffix);
}

size_t str_find(struct str s, struct str needle, size_t from)
{
	if (from > s.len)
		return SIZE_MAX;
	if (str_is_empty(needle))
		return from;
	if (from == s.len)
		return SIZE_MAX;
	const char *found = memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
	return found != NULL ? (size_t)(found - s.ptr) : SIZE_MAX;
}

size_t str_find_char(struct str s, char c, size_t from)
{
	if (from >= s.len)
		return SIZE_MAX;
	const char *found = memchr(s.ptr + from, c, s.len - from);
	return found != NULL ? (size_t)(found - s.ptr) : SIZE_MAX;
}

struct str str_slice(struct str s, size_t from, size_t to)
{
	const size_t end = min_size(to, s.len);
	const size_t start = min_size(from, end);
	if (s.ptr == NULL)
		return s;
	return (struct str){s.ptr + start, end - start};
}

static bool is_trimmed(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (!str_is_empty(s) && is_trimmed(s.ptr[s.len - 1]))
		s.len--;
	while (!str_is_empty(s) && is_trimmed(s.ptr[0]))
		s = str_slice(s, 1, s.len);
	return s;
}

bool str_has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		if (c < 0x20 || c == 0x7f)
			return true;
	}
	return false;
}

char *str_z(struct arena *arena, struct str s)
{
	assert(s.len < SIZE_MAX);
	char *copy = arena_alloc(arena, s.len + 1);
	if (!str_is_empty(s))
		memcpy(copy, s.ptr, s.len);
	return copy;
}

struct str str_copy(struct arena *arena, struct str s)
{
	return (struct str){str_z(arena, s), s.len};
}

struct str str_format(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_list again;
	assert(format != NULL);
	va_start(args, format);
	va_copy(again, args);
	const int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(len >= 0);
	const size_t size_bytes = (size_t)len + 1;
	char *text = arena_alloc(arena, size_bytes);
	(void)vsnprintf(text, size_bytes, format, again);
	va_end(again);
	return (struct str){text, (size_t)len};
}

struct str str_concat(struct arena *arena, struct str a, struct str b)
{
	assert(a.len < SIZE_MAX - b.len);
	char *both = arena_alloc(arena, a.len + b.len + 1);
	if (!str_is_empty(a))
		memcpy(both, a.ptr, a.len);
	if (!str_is_empty(b))
		memcpy(both + a.len, b.ptr, b.len);
	return (struct str){both, a.len + b.len};
}

struct str str_lower(struct arena *arena, struct str s)
{
	char *lower = str_z(arena, s);
	for (size_t i = 0; i < s.len; i++)
		lower[i] = ascii_lower(lower[i]);
	return (struct str){lower, s.len};
}

bool str_skip(struct str *in, struct str literal)
{
	if (!str_has_prefix(*in, literal))
		return false;
	*in = str_slice(*in, literal.len, in->len);
	return true;
}

bool str_take_until(struct str *in, char stop, struct str *out)
{
	const size_t at = str_find_char(*in, stop, 0);
	if (at == SIZE_MAX)
		return false;
	*out = str_slice(*in, 0, at);
	*in = str_slice(*in, at, in->len);
	return true;
}

bool str_take_field(struct str *in, char sep, struct str *out)
{
	if (in->ptr == NULL)
		return false;
	const size_t at = str_find_char(*in, sep, 0);
	if (at == SIZE_MAX) {
		*out = *in;
		*in = (struct str){0};
		return true;
	}
	*out = str_slice(*in, 0, at);
	*in = str_slice(*in, at + 1, in->len);
	return true;
}

bool str_take_u64(struct str *in, size_t max_digits, uint64_t *out)
{
	uint64_t value = 0;
	size_t count = 0;
	while (count < max_digits && count < in->len && is_digit(in->ptr[count])) {
		const uint64_t digit = (uint64_t)(in->ptr[count] - '0');
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
		count++;
	}
	if (count == 0)
		return false;
	*in = str_slice(*in, count, in->len);
	*out = value;
	return true;
}

bool str_parse_u64(struct str s, uint64_t *out)
{
	uint64_t value;
	if (!str_take_u64(&s, SIZE_MAX, &value) || !str_is_empty(s))
		return false;
	*out = value;
	return true;
}

bool str_parse_i64(struct str s, int64_t *out)
{
	const bool is_negative = str_skip(&s, STR("-"));
	uint64_t magnitude;
	if (!str_parse_u64(s, &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0))
		return false;
	/* The least value has no positive counterpart: subtract unsigned, where that is defined. */
	*out = is_negative ? (int64_t)(UINT64_C(0) - magnitude) : (int64_t)magnitude;
	return true;
}
