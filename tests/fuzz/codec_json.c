/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/json.h and json_write.h: no bytes crash the reader, a refusal has a position, and
 * what was read is written again as JSON that reads as the same tree. */
#include "json.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"

#include "json_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(const struct json *a, const struct json *b)
{
	if (a->type != b->type || a->boolean != b->boolean || a->integer != b->integer ||
	    a->count != b->count || !str_equal(a->string, b->string))
		return false;
	if (a->real < b->real || a->real > b->real)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->type == JSON_TYPE_OBJECT && !str_equal(a->keys[i], b->keys[i]))
			return false;
		if (!is_same(&a->items[i], &b->items[i]))
			return false;
	}
	return true;
}

static void check_round_trip(struct arena *arena, const struct json *json)
{
	struct buf buf;
	struct json_writer w;
	const struct json *again;
	/* Numbers are written with up to 17 digits and keys may double by escaping: the limits of
	 * the input do not hold. */
	buf_init(&buf, arena, (size_t)8 << 20);
	json_writer_init(&w, &buf);
	json_put_value(&w, json);
	assert(!buf.is_over);
	struct error err = {0};
	const enum err_kind kind = json_parse(arena, buf_str(&buf), NULL, &again, NULL, &err);
	/* A key of control characters is longer as written than it came in. */
	assert(kind == ERR_NONE || strstr(err.text, "too long") != NULL);
	assert(kind != ERR_NONE || is_same(json, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const struct str text = {(const char *)data, size};
	const struct json *json = NULL;
	struct json_position position = {0};
	struct error err = {0};
	const enum err_kind kind = json_parse(arena, text, NULL, &json, &position, &err);
	if (kind == ERR_NONE)
		check_round_trip(arena, json);
	else
		assert(kind == ERR_INVALID && position.line > 0 && position.column > 0);
	arena_free(&arena);

	/* Any bytes as a string: the output is JSON, whatever they are. */
	arena = arena_new("fuzz", (size_t)64 << 20);
	struct buf buf;
	struct json_writer w;
	buf_init(&buf, arena, (size_t)16 << 20);
	json_writer_init(&w, &buf);
	json_put_str(&w, text);
	if (str_find_char(text, '\0', 0) == SIZE_MAX)
		assert(json_parse(arena, buf_str(&buf), NULL, &json, NULL, &err) == ERR_NONE);
	arena_free(&arena);
	return 0;
}
