/* SPDX-License-Identifier: Apache-2.0
 * application/x-www-form-urlencoded, in bodies and in queries: name=value&name=value, '+' and %XX
 * decoded once, order kept, repeats kept. Also percent-encoding by itself. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct arena;
struct buf;

struct form_pair {
	struct str name;
	struct str value;
};

struct form {
	struct form_pair *pairs;
	size_t count;
};

/* At most pairs_max pairs (0 = 256). Broken percent sequences and bytes that are not UTF-8 after
 * decoding are INVALID. */
enum err_kind form_parse(struct arena *arena, struct str text, size_t pairs_max,
			 struct form *form_out, struct error *err);
/* The first value of that name, or NULL. */
const struct str *form_find(const struct form *form, const char *name);
/* How many fields have this name. */
size_t form_count(const struct form *form, const char *name);

/* Appends name=value, with '&' before it when the buf is not empty. Unreserved characters of RFC
 * 3986 stay, all else is %XX. */
void form_add(struct buf *out, const char *name, struct str value);
/* Appends "name=value", percent-encoded, with a '&' before it unless out is empty. */
void form_add_str(struct buf *out, struct str name, struct str value);
/* Appends s percent-encoded (RFC 3986 unreserved stay). */
void percent_encode(struct buf *out, struct str s);
/* Decodes %XX; '+' stays. False on a broken sequence. */
bool percent_decode(struct arena *arena, struct str s, struct str *out);
