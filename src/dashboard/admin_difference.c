/* SPDX-License-Identifier: Apache-2.0
 * See admin_difference.h. */
#include "admin_difference.h"

#include <stdbool.h>

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#define VALUE_MAX_BYTES ((size_t)8 << 20)
#define DEPTH_MAX 8

static struct str text_of(struct arena *arena, const struct json *value)
{
	struct buf text;
	struct json_writer w;
	buf_init(&text, arena, VALUE_MAX_BYTES);
	json_writer_init(&w, &text);
	json_put_value(&w, value);
	return buf_str(&text);
}

static bool is_same(struct arena *arena, const struct json *a, const struct json *b)
{
	return a != NULL && b != NULL && str_equal(text_of(arena, a), text_of(arena, b));
}

static const struct json *member(const struct json *object, struct str key)
{
	for (size_t i = 0; i < object->count; i++) {
		if (str_equal(object->keys[i], key))
			return &object->items[i];
	}
	return NULL;
}

/* The items of list that other has not. */
static void put_items(struct arena *arena, struct json_writer *w, const struct json *list,
		      const struct json *other)
{
	struct str *others = arena_alloc_array(arena, other->count, sizeof(*others));
	for (size_t i = 0; i < other->count; i++)
		others[i] = text_of(arena, &other->items[i]);
	json_begin_array(w);
	for (size_t i = 0; i < list->count; i++) {
		const struct str item = text_of(arena, &list->items[i]);
		bool is_there = false;
		for (size_t k = 0; k < other->count && !is_there; k++)
			is_there = str_equal(item, others[k]);
		if (!is_there)
			json_put_raw(w, item);
	}
	json_end_array(w);
}

/* What of value differs from other. */
static void put(struct arena *arena, struct json_writer *w, const struct json *value,
		const struct json *other, int depth)
{
	if (json_is(value, JSON_TYPE_ARRAY) && json_is(other, JSON_TYPE_ARRAY)) {
		put_items(arena, w, value, other);
		return;
	}
	if (!json_is(value, JSON_TYPE_OBJECT) || !json_is(other, JSON_TYPE_OBJECT) ||
	    depth == DEPTH_MAX) {
		json_put_value(w, value);
		return;
	}
	json_begin_object(w);
	for (size_t i = 0; i < value->count; i++) {
		const struct json *counterpart = member(other, value->keys[i]);
		if (is_same(arena, &value->items[i], counterpart))
			continue;
		json_key_str(w, value->keys[i]);
		put(arena, w, &value->items[i], counterpart, depth + 1);
	}
	json_end_object(w);
}

static struct str one_side(struct arena *arena, const struct json *value, const struct json *other)
{
	struct buf text;
	struct json_writer w;
	if (value == NULL)
		return STR("");
	buf_init(&text, arena, VALUE_MAX_BYTES);
	json_writer_init(&w, &text);
	put(arena, &w, value, other, 0);
	const struct str whole = buf_str(&text);
	return whole.len <= ADMIN_DIFFERENCE_MAX_BYTES && !text.is_over
		       ? whole
		       : str_format(arena, "{\"bytes\":%zu}", whole.len);
}

void admin_difference(struct arena *arena, const struct json *before, const struct json *after,
		      struct str *before_out, struct str *after_out)
{
	*before_out = STR("");
	*after_out = STR("");
	if (is_same(arena, before, after))
		return;
	*before_out = one_side(arena, before, after);
	*after_out = one_side(arena, after, before);
}
