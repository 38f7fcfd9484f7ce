/* SPDX-License-Identifier: Apache-2.0
 * Reads multipart/form-data (RFC 7578) and multipart/related (RFC 2387) in place. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

struct arena;

/* One part; views into the body. Those of multipart/related have no name. */
struct sandbox_part {
	struct str name;
	struct str filename;     /* empty = a plain field */
	struct str content_type; /* empty = none given */
	struct str bytes;
};

/* The parts of such a body, at most 64, in arena. False when it is not one or is malformed. */
bool sandbox_multipart_parse(struct arena *arena, struct str content_type, struct str body,
			     struct sandbox_part **parts_out, size_t *count_out);
