/* SPDX-License-Identifier: Apache-2.0
 * Reads multipart/form-data (RFC 7578) in place. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

struct arena;

/* One part of a multipart/form-data body; views into the body. */
struct sandbox_part {
	struct str name;
	struct str filename;     /* empty = a plain field */
	struct str content_type; /* empty = none given */
	struct str bytes;
};

/* The parts of a multipart/form-data body, at most 64, in arena. False when it is not one or is
 * malformed. */
bool sandbox_multipart_parse(struct arena *arena, struct str content_type, struct str body,
			     struct sandbox_part **parts_out, size_t *count_out);
