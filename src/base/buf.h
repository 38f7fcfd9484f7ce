/* SPDX-License-Identifier: Apache-2.0
 * Text under construction, in an arena, with a maximum. What would pass the maximum is not added,
 * nor anything after it, and is_over is set: callers add without checks and test is_over once at
 * the end. The content is always NUL-terminated, for debuggers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct arena;

struct buf {
	struct arena *arena;
	char *ptr;
	size_t len;
	size_t capacity;
	size_t max_bytes;
	bool is_over; /* something did not fit: the content must not be used */
};

/* An empty text of at most max_bytes; memory is taken as it grows. */
void buf_init(struct buf *buf, struct arena *arena, size_t max_bytes);
/* Each adds the whole of its argument, or nothing and sets is_over. */
void buf_add(struct buf *buf, struct str s);
void buf_add_z(struct buf *buf, const char *z);
void buf_add_char(struct buf *buf, char c);
void buf_add_i64(struct buf *buf, int64_t value);
void buf_addf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Everything so far; valid until the next add. */
struct str buf_str(const struct buf *buf);
/* Empties the text, keeps its memory, and resets is_over. */
void buf_clear(struct buf *buf);
