/* SPDX-License-Identifier: Apache-2.0
 * Unknown names in a request: the fields of its JSON body at every level, and the parameters of its
 * query (api-decisions.md 1). They are refused, because a typo must never publish. The known names
 * of a level stand as a KNOWN list where that level is read. Pure. */
#pragma once

#include "problem.h"

struct form;
struct json;

/* A list of names, which ends with NULL: KNOWN("url", "events"). */
#define KNOWN(...) ((const char *const[]){__VA_ARGS__, NULL})
/* No name is known. */
#define KNOWN_NONE ((const char *const[]){NULL})

/* A PROBLEM_SHAPE for each member of object that is not in known, with a suggestion where a known
 * name is close or where other services use the name. parent is the path of object, empty for the
 * body itself. Anything but an object, and NULL, has no members. */
void known_check(struct problems *problems, const struct json *object, struct str parent,
		 const char *const *known);
/* The same for the parameters of a query, each name once. "ids[]" in known allows "ids", "ids[]"
 * and "ids[7]": their reader judges the form. */
void known_check_query(struct problems *problems, const struct form *query,
		       const char *const *known);
/* The known name that name was meant to be, or NULL when none is close. */
const char *known_nearest(struct str name, const char *const *known);
