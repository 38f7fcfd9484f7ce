/* SPDX-License-Identifier: Apache-2.0
 * Text by pointer and length, for reading. A struct str owns nothing: it is valid as long as what
 * it points into. To build text see buf.h; str_z() makes a NUL-terminated copy for libc or SQL.
 * Only bytes here: UTF-8 is codec/utf8.h. The str_skip and str_take functions read a cursor: they
 * advance *in only when they return true, so that they compose with &&. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
	const char *ptr; /* may be NULL when len is 0 */
	size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).ptr != NULL ? (s).ptr : ""

/* A NUL-terminated text as a str; NULL gives the empty str. */
static inline struct str str_of(const char *z)
{
	return z != NULL ? (struct str){z, strlen(z)} : (struct str){0};
}

static inline bool str_is_empty(struct str s)
{
	return s.len == 0;
}

/* Byte for byte. */
bool str_equal(struct str a, struct str b);
bool str_equal_z(struct str a, const char *z);
/* ASCII letters compare without case; all other bytes exactly. */
bool str_equal_nocase(struct str a, struct str b);
/* By bytes: < 0, 0 or > 0. */
int str_compare(struct str a, struct str b);
bool str_has_prefix(struct str s, struct str prefix);
bool str_has_suffix(struct str s, struct str suffix);
/* Index of the first needle that begins at or after from, or SIZE_MAX. */
size_t str_find(struct str s, struct str needle, size_t from);
size_t str_find_char(struct str s, char c, size_t from);
/* The bytes [from, to); both are capped at the length. */
struct str str_slice(struct str s, size_t from, size_t to);
/* Without blanks, tabs, CR and LF at both ends. */
struct str str_trim(struct str s);
/* Does it hold a byte below 0x20, or 0x7F? */
bool str_has_control(struct str s);

/* NUL-terminated copy in arena. To libc, a NUL byte inside s ends the copy: check with
 * str_find_char where it matters. */
char *str_z(struct arena *arena, struct str s);
/* These four live in arena. */
struct str str_copy(struct arena *arena, struct str s);
/* As printf. */
struct str str_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct str str_concat(struct arena *arena, struct str a, struct str b);
/* ASCII letters only. */
struct str str_lower(struct arena *arena, struct str s);

/* Cursor readers. */
/* Steps over literal; false when *in does not begin with it. */
bool str_skip(struct str *in, struct str literal);
/* Everything before the first stop byte, which is left in *in; false when there is none. */
bool str_take_until(struct str *in, char stop, struct str *out);
/* The next field of a separated list: everything up to sep or the end; steps over sep. False at the
 * end of the list, where in->ptr is NULL. */
bool str_take_field(struct str *in, char sep, struct str *out);
/* 1 to max_digits decimal digits, as far as they go; false when the number does not fit. */
bool str_take_u64(struct str *in, size_t max_digits, uint64_t *out);
/* The whole of s as a decimal number: optional '-', no spaces, no leading '+'. False when it is not
 * one, or does not fit. */
bool str_parse_i64(struct str s, int64_t *out);
bool str_parse_u64(struct str s, uint64_t *out);
