/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/json_plain.h against jansson: what the plain way reads, jansson reads too, as the
 * same tree, within the limits. The first two bytes choose the limits. */
#include "json_plain.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* jansson has a function and a macro of the names that json.h gives to ours. */
#define json_string jansson_json_string
#undef json_is_null
#include <jansson.h>
#undef json_string

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct measure {
	unsigned depth;
	unsigned nodes;
	unsigned depth_max;
};

static void check_same(const struct json *ours, const json_t *theirs, struct measure *measure);

static void check_text(struct str ours, const char *theirs, size_t len)
{
	assert(ours.len == len && memcmp(ours.ptr, theirs, len) == 0);
	assert(ours.ptr[len] == '\0');
}

static void check_object(const struct json *ours, const json_t *theirs, struct measure *measure)
{
	json_t *object = (json_t *)(uintptr_t)theirs;
	size_t i = 0;
	assert(ours->count == json_object_size(theirs));
	for (void *at = json_object_iter(object); at != NULL;
	     at = json_object_iter_next(object, at), i++) {
		const char *key = json_object_iter_key(at);
		assert(strlen(key) <= JSON_KEY_MAX_BYTES);
		check_text(ours->keys[i], key, strlen(key));
		check_same(&ours->items[i], json_object_iter_value(at), measure);
	}
}

static void check_array(const struct json *ours, const json_t *theirs, struct measure *measure)
{
	assert(ours->count == json_array_size(theirs) && ours->keys == NULL);
	for (size_t i = 0; i < ours->count; i++)
		check_same(&ours->items[i], json_array_get(theirs, i), measure);
}

static void check_container(const struct json *ours, const json_t *theirs, struct measure *measure)
{
	measure->depth++;
	if (measure->depth > measure->depth_max)
		measure->depth_max = measure->depth;
	if (ours->type == JSON_TYPE_OBJECT)
		check_object(ours, theirs, measure);
	else
		check_array(ours, theirs, measure);
	measure->depth--;
}

static void check_same(const struct json *ours, const json_t *theirs, struct measure *measure)
{
	static const enum json_type types[] = {
		[JSON_OBJECT] = JSON_TYPE_OBJECT, [JSON_ARRAY] = JSON_TYPE_ARRAY,
		[JSON_STRING] = JSON_TYPE_STRING, [JSON_INTEGER] = JSON_TYPE_INT,
		[JSON_REAL] = JSON_TYPE_REAL,     [JSON_TRUE] = JSON_TYPE_BOOL,
		[JSON_FALSE] = JSON_TYPE_BOOL,    [JSON_NULL] = JSON_TYPE_NULL,
	};
	measure->nodes++;
	assert(ours->type == types[json_typeof(theirs)] && ours->type != JSON_TYPE_REAL);
	assert(ours->type != JSON_TYPE_BOOL || ours->boolean == json_is_true(theirs));
	assert(ours->type != JSON_TYPE_INT || ours->integer == json_integer_value(theirs));
	if (ours->type == JSON_TYPE_STRING)
		check_text(ours->string, json_string_value(theirs), json_string_length(theirs));
	else if (ours->type == JSON_TYPE_OBJECT || ours->type == JSON_TYPE_ARRAY)
		check_container(ours, theirs, measure);
}

static void check(struct str text, const struct json *ours, const struct json_plain_limits *limits)
{
	struct measure measure = {0};
	json_t *theirs =
		json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
	assert(theirs != NULL);
	check_same(ours, theirs, &measure);
	assert(measure.depth_max <= limits->depth_max && measure.nodes <= limits->nodes_max);
	json_decref(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct json_plain_limits limits = {data[0] % 48, 16u * data[1] + 1};
	const struct str text = {(const char *)data + 2, size - 2};
	const struct json *json = NULL;
	struct arena *arena = arena_new("fuzz", (size_t)16 << 20);
	if (json_plain_parse(arena, text, &limits, &json))
		check(text, json, &limits);
	else
		assert(json == NULL);
	arena_free(&arena);
	return 0;
}
