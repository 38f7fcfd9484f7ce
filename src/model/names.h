/* SPDX-License-Identifier: Apache-2.0
 * Words of an enum in both directions, for this folder's tables. Not for other folders. */
#pragma once

#include <stddef.h>

#include "count_of.h"
#include "str.h"

/* names[value] for a value inside the table, else "". */
const char *names_of(const char *const *names, size_t count, unsigned value);
/* The index of that name, or count. A NULL entry matches nothing. */
size_t names_find(const char *const *names, size_t count, struct str name);

#define NAME_OF(names, value) names_of((names), COUNT_OF(names), (unsigned)(value))
#define NAME_FIND(names, name) names_find((names), COUNT_OF(names), (name))
