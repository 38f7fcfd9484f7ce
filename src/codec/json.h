/* SPDX-License-Identifier: Apache-2.0
 * JSON in: strict reading (over jansson) into a small tree in an arena. Refuses what
 * api-decisions.md 1 calls MALFORMED_JSON: invalid UTF-8, duplicate keys, lone surrogates, \u0000,
 * trailing bytes, numbers out of range, too deep, too many nodes. JSON out is json_write.h. Pure;
 * the tree is read-only and lives as long as the arena. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;

enum json_type {
	JSON_TYPE_NULL,
	JSON_TYPE_BOOL,
	JSON_TYPE_INT,
	JSON_TYPE_REAL,
	JSON_TYPE_STRING,
	JSON_TYPE_ARRAY,
	JSON_TYPE_OBJECT
};

struct json {
	enum json_type type;
	bool boolean;
	int64_t integer;
	double real;
	struct str string;
	size_t count;             /* elements of an array, members of an object */
	const struct json *items; /* count values, in order */
	const struct str *keys;   /* of an object: count keys beside items */
};

struct json_limits {
	unsigned depth_max; /* 0 = 32 (design.md 7) */
	unsigned nodes_max; /* 0 = 10,000 */
};

struct json_position {
	unsigned line;   /* from 1 */
	unsigned column; /* from 1 */
};

/* Parses the whole text; limits NULL = defaults, position_out may be NULL.
 * Returns NONE; INVALID with position_out and err->text set; TOO_LARGE when the arena's ceiling is
 * reached. */
enum err_kind json_parse(struct arena *arena, struct str text, const struct json_limits *limits,
			 const struct json **json_out, struct json_position *position_out,
			 struct error *err);

/* Readers. All take NULL (as absent) and give NULL or the empty value when the type differs, so
 * that they chain: json_string(json_get(json_get(root, "data"), "id")). */
const struct json *json_get(const struct json *object, const char *key);
/* The item at index, or NULL when array is not an array or too short. NULL is fine. */
const struct json *json_at(const struct json *array, size_t index);
/* Hidden: jansson exports its own json_string, and ours must not take its place inside that
 * library. */
__attribute__((visibility("hidden"))) struct str json_string(const struct json *value);
/* json_string(json_get(object, key)). */
struct str json_get_string(const struct json *object, const char *key);
/* False for NULL. */
bool json_is(const struct json *value, enum json_type type);
/* Absent or JSON null. */
bool json_is_null(const struct json *value);
/* The integer, or fallback when absent or of another type. A string of digits counts too: platforms
 * write ids both ways. */
int64_t json_int(const struct json *value, int64_t fallback);
/* fallback when value is NULL or not a boolean. */
bool json_bool(const struct json *value, bool fallback);
/* A string as it is, an integer in decimal; else empty. For ids, which platforms write both
 * ways. */
struct str json_text(struct arena *arena, const struct json *value);
