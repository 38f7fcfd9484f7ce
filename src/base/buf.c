/* SPDX-License-Identifier: Apache-2.0
 * Text under construction. Grows by doubling inside the arena; what it outgrew stays there until
 * the arena is cleared, which is at most as much again. */
#include "buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "arena.h"

#define FIRST_CAPACITY_BYTES ((size_t)128)

void buf_init(struct buf *buf, struct arena *arena, size_t max_bytes)
{
	*buf = (struct buf){.arena = arena, .max_bytes = max_bytes};
}

/* Doubled, but not past the maximum, and never below what is needed. */
static size_t next_capacity(const struct buf *buf, size_t needed)
{
	size_t capacity = buf->capacity > 0 ? buf->capacity : FIRST_CAPACITY_BYTES;
	while (capacity < needed)
		capacity = capacity <= SIZE_MAX / 2 ? capacity * 2 : needed;
	if (buf->max_bytes < SIZE_MAX && capacity > buf->max_bytes + 1)
		capacity = buf->max_bytes + 1;
	return capacity;
}

/* Room for count more bytes and the NUL; sets is_over when there is none. */
static bool reserve(struct buf *buf, size_t count)
{
	if (buf->is_over)
		return false;
	if (count > buf->max_bytes - buf->len || count >= SIZE_MAX - buf->len) {
		buf->is_over = true;
		return false;
	}
	const size_t needed = buf->len + count + 1;
	if (needed <= buf->capacity)
		return true;
	size_t capacity = next_capacity(buf, needed);
	char *ptr = arena_try_alloc(buf->arena, capacity);
	if (ptr == NULL && capacity > needed) {
		capacity = needed;
		ptr = arena_try_alloc(buf->arena, capacity);
	}
	if (ptr == NULL) {
		buf->is_over = true;
		return false;
	}
	if (buf->len > 0)
		memcpy(ptr, buf->ptr, buf->len);
	buf->ptr = ptr;
	buf->capacity = capacity;
	return true;
}

void buf_add(struct buf *buf, struct str s)
{
	if (str_is_empty(s) || !reserve(buf, s.len))
		return;
	memcpy(buf->ptr + buf->len, s.ptr, s.len);
	buf->len += s.len;
	buf->ptr[buf->len] = '\0';
}

void buf_add_z(struct buf *buf, const char *z)
{
	buf_add(buf, str_of(z));
}

void buf_add_char(struct buf *buf, char c)
{
	if (!reserve(buf, 1))
		return;
	buf->ptr[buf->len++] = c;
	buf->ptr[buf->len] = '\0';
}

/* Without printf: every number of every answer passes here. */
static void add_digits(struct buf *buf, uint64_t value)
{
	char digits[20]; /* 18446744073709551615 */
	size_t start = sizeof(digits);
	do {
		digits[--start] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	buf_add(buf, (struct str){digits + start, sizeof(digits) - start});
}

void buf_add_i64(struct buf *buf, int64_t value)
{
	/* Unsigned, because the least value has no positive counterpart. */
	const uint64_t magnitude = value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
	if (value < 0)
		buf_add_char(buf, '-');
	add_digits(buf, magnitude);
}

/* Formats into the room there is; only what does not fit is formatted twice. */
void buf_addf(struct buf *buf, const char *format, ...)
{
	const size_t room = buf->is_over ? 0 : buf->capacity - buf->len;
	va_list args;
	va_list again;
	va_start(args, format);
	va_copy(again, args);
	const int len = vsnprintf(room > 0 ? buf->ptr + buf->len : NULL, room, format, args);
	va_end(args);
	assert(len >= 0);
	if ((size_t)len < room) {
		buf->len += (size_t)len;
	} else if (reserve(buf, (size_t)len)) {
		(void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, again);
		buf->len += (size_t)len;
	} else if (room > 0) {
		buf->ptr[buf->len] = '\0';
	}
	va_end(again);
}

struct str buf_str(const struct buf *buf)
{
	return buf->ptr != NULL ? (struct str){buf->ptr, buf->len} : STR("");
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	buf->is_over = false;
	if (buf->ptr != NULL)
		buf->ptr[0] = '\0';
}
