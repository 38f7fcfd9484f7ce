/* SPDX-License-Identifier: Apache-2.0
 * Scopes: what a key may do with an app's API (api-decisions.md 14). A set of them is an unsigned
 * with a bit for each. Pure. */
#pragma once

#include "str.h"

struct arena;

enum scope {
#define SCOPE(id, name, sentence) SCOPE_##id,
#include "scopes.def"
#undef SCOPE
	SCOPE_COUNT
};

/* SCOPES_READ and so on: the sets of one. */
enum scope_set {
#define SCOPE(id, name, sentence) SCOPES_##id = 1 << SCOPE_##id,
#include "scopes.def"
#undef SCOPE
	SCOPES_NONE = 0,
	SCOPES_ANY = (1 << SCOPE_COUNT) - 1 /* all of them */
};

/* "publish"; "" for a value outside the enum. */
const char *scope_name(enum scope scope);
/* SCOPE_COUNT when no scope has that name. */
enum scope scope_find(struct str name);
/* The names in the order of the table, with separator between them: "read, publish". The text lives
 * in arena; empty for the empty set. */
struct str scope_set_text(struct arena *arena, unsigned set, const char *separator);
/* The set of the names in text, which are separated by blanks; other words are left out. */
unsigned scope_set_read(struct str text);
