/* SPDX-License-Identifier: Apache-2.0
 * The plain case of JSON, read straight into the arena: what clients and the program itself write
 * nearly always. It refuses nothing and decides nothing: what is not plain, every fault among it,
 * is for json.c and jansson. Pure. */
#pragma once

#include <stdbool.h>

#include "json.h"

#define JSON_KEY_MAX_BYTES 256 /* as written, escapes included */

struct json_plain_limits {
	unsigned depth_max;
	unsigned nodes_max;
};

/* True: *json_out is exactly what jansson would have read, within the limits. False: text is not
 * plain (it has \u, a number with a fraction, an exponent or more than 18 digits, more than 64
 * values in the containers that are open, more than 64 KiB, or anything wrong), or the arena has no
 * room; *json_out is as it was. */
bool json_plain_parse(struct arena *arena, struct str text, const struct json_plain_limits *limits,
		      const struct json **json_out);
