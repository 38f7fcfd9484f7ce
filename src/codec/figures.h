/* SPDX-License-Identifier: Apache-2.0
 * A small closed text of figures, as two programs of ours tell them to each other: a first line
 * that names it, then "name number" lines in the order of a table. What is missing, doubled,
 * unknown or out of range makes the whole unreadable. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define FIGURES_MAX_BYTES 512

struct figure {
	const char *name;
	size_t offset; /* of an int64_t */
	int64_t max;   /* from 0 */
};

#define FIGURE(structure, member, max) \
	{ \
#member, offsetof(structure, member), max \
	}

struct figures {
	const char *head; /* the first line, with its end */
	const struct figure *rows;
	size_t count;
};

/* Writes the members of *values to out and returns the length. */
size_t figures_write(const struct figures *figures, const void *values,
		     char out[FIGURES_MAX_BYTES]);
/* Reads what figures_write() wrote, and nothing else: false, and *values_out is half written. */
bool figures_read(const struct figures *figures, struct str text, void *values_out);
