/* SPDX-License-Identifier: Apache-2.0
 * The table of scopes, and sets of them as text. */
#include "scope.h"

#include "arena.h"

#include "names.h"

static const char *const scope_names[] = {
#define SCOPE(id, name, sentence) [SCOPE_##id] = name,
#include "scopes.def"
#undef SCOPE
};

const char *scope_name(enum scope scope)
{
	return NAME_OF(scope_names, scope);
}

enum scope scope_find(struct str name)
{
	return (enum scope)NAME_FIND(scope_names, name);
}

struct str scope_set_text(struct arena *arena, unsigned set, const char *separator)
{
	struct str text = STR("");
	for (enum scope scope = 0; scope < SCOPE_COUNT; scope++) {
		if (set & 1U << scope)
			text = str_format(arena, STR_FMT "%s%s", STR_ARG(text),
					  str_is_empty(text) ? "" : separator, scope_name(scope));
	}
	return text;
}

unsigned scope_set_read(struct str text)
{
	struct str rest = text, word;
	unsigned set = SCOPES_NONE;
	while (rest.ptr != NULL && str_take_field(&rest, ' ', &word)) {
		const enum scope scope = scope_find(word);
		if (scope != SCOPE_COUNT)
			set |= 1U << scope;
	}
	return set;
}
