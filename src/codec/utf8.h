/* SPDX-License-Identifier: Apache-2.0
 * UTF-8: validity and lengths in the units platforms count by. Grapheme clusters and weighted
 * lengths are platform/x/x_text_count.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Strict (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF. */
bool utf8_is_valid(struct str s);
/* Takes one code point; false at the end or at an invalid byte. */
bool utf8_take(struct str *in, uint32_t *code_point_out);
/* Code points; s is valid UTF-8. */
size_t utf8_code_points(struct str s);
/* UTF-16 code units: a code point above U+FFFF counts 2. */
size_t utf8_utf16_units(struct str s);
/* The longest prefix of at most max code points. */
struct str utf8_cut(struct str s, size_t max_code_points);
/* The longest prefix of at most max bytes that ends between code points. */
struct str utf8_cut_bytes(struct str s, size_t max_bytes);
/* Does it hold a C0 or C1 control character or U+007F? */
bool utf8_has_control(struct str s);
