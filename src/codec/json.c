/* SPDX-License-Identifier: Apache-2.0
 * JSON in. What is plain is read at once (json_plain.c). All else, every fault among it, in three
 * steps: a scan of the bytes without recursion refuses what is too deep, has too many values or too
 * long keys, before anything is allocated; jansson checks and reads; its tree is copied into the
 * arena and freed. Error texts name the kind of fault and the place, never the input: replies of
 * platforms hold tokens. */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
/* jansson has a function and a macro of the names that json.h gives to ours. */
#define json_string jansson_json_string
#include <jansson.h>
#undef json_string
#undef json_is_null

#include "arena.h"
#include "count_of.h"

#include "json_plain.h"

#define DEPTH_MAX_DEFAULT 32 /* design.md 7 */
#define NODES_MAX_DEFAULT 10000

/* The scan: assumes well-formed text, and on other text may only err on the side of letting it
 * through to jansson. */

struct scan {
	struct str text;
	size_t at;
	unsigned depth_max;
	unsigned nodes_max;
	unsigned depth;
	unsigned nodes;
	size_t key_start; /* of the last string */
	size_t key_len;
};

static struct json_position position_of(struct str text, size_t at)
{
	struct json_position position = {1, 1};
	for (size_t i = 0; i < at && i < text.len; i++) {
		const unsigned char c = (unsigned char)text.ptr[i];
		if (c == '\n') {
			position.line++;
			position.column = 1;
		} else if ((c & 0xc0) != 0x80) {
			position.column++; /* characters, as jansson counts */
		}
	}
	return position;
}

/* From the opening quote to just after the closing one. */
static void scan_string(struct scan *scan)
{
	const size_t start = ++scan->at;
	while (scan->at < scan->text.len && scan->text.ptr[scan->at] != '"')
		scan->at += scan->text.ptr[scan->at] == '\\' ? 2 : 1;
	scan->key_start = start;
	scan->key_len = scan->at - start;
	scan->at++;
}

static bool next_is_close(const struct scan *scan)
{
	size_t at = scan->at + 1;
	while (at < scan->text.len && memchr(" \t\r\n", scan->text.ptr[at], 4) != NULL)
		at++;
	return at < scan->text.len && (scan->text.ptr[at] == ']' || scan->text.ptr[at] == '}');
}

/* What is wrong at this byte outside strings, or NULL. Values are counted where they begin: one for
 * the root, one after each comma, one after each opening that is not closed at once. */
static const char *scan_byte(struct scan *scan)
{
	switch (scan->text.ptr[scan->at]) {
	case '[':
	case '{':
		if (++scan->depth > scan->depth_max)
			return "is nested too deeply";
		scan->nodes += next_is_close(scan) ? 0 : 1;
		break;
	case ']':
	case '}':
		scan->depth -= scan->depth > 0 ? 1 : 0;
		break;
	case ',':
		scan->nodes++;
		break;
	case ':':
		if (scan->key_len > JSON_KEY_MAX_BYTES)
			return "has a key that is too long";
		break;
	}
	return scan->nodes > scan->nodes_max ? "has too many values" : NULL;
}

static const char *scan_text(struct scan *scan)
{
	scan->nodes = 1;
	while (scan->at < scan->text.len) {
		if (scan->text.ptr[scan->at] == '"') {
			scan_string(scan);
			continue;
		}
		const char *fault = scan_byte(scan);
		if (fault != NULL)
			return fault;
		scan->at++;
	}
	return NULL;
}

/* From jansson's tree to ours. Recursion is as deep as the scan allowed. False = the arena's
 * ceiling. */

static bool convert(struct arena *arena, const json_t *from, struct json *to);

static bool convert_text(struct arena *arena, const char *ptr, size_t len, struct str *out)
{
	char *copy = arena_try_alloc(arena, len + 1);
	if (copy == NULL)
		return false;
	memcpy(copy, ptr, len);
	*out = (struct str){copy, len};
	return true;
}

static bool convert_array(struct arena *arena, const json_t *from, struct json *to)
{
	to->count = json_array_size(from);
	struct json *items = arena_try_alloc(arena, to->count * sizeof(*items));
	if (items == NULL)
		return false;
	to->items = items;
	for (size_t i = 0; i < to->count; i++) {
		if (!convert(arena, json_array_get(from, i), &items[i]))
			return false;
	}
	return true;
}

static bool convert_object(struct arena *arena, const json_t *from, struct json *to)
{
	/* jansson iterates in the order of insertion, but asks for a pointer that it could change
	 * through. */
	json_t *object = (json_t *)(uintptr_t)from;
	to->count = json_object_size(from);
	struct json *items = arena_try_alloc(arena, to->count * sizeof(*items));
	struct str *keys = arena_try_alloc(arena, to->count * sizeof(*keys));
	if (items == NULL || keys == NULL)
		return false;
	to->items = items;
	to->keys = keys;
	size_t i = 0;
	for (void *at = json_object_iter(object); at != NULL;
	     at = json_object_iter_next(object, at)) {
		const char *key = json_object_iter_key(at);
		if (!convert_text(arena, key, strlen(key), &keys[i]) ||
		    !convert(arena, json_object_iter_value(at), &items[i]))
			return false;
		i++;
	}
	assert(i == to->count);
	return true;
}

static bool convert(struct arena *arena, const json_t *from, struct json *to)
{
	switch (json_typeof(from)) {
	case JSON_NULL:
		to->type = JSON_TYPE_NULL;
		return true;
	case JSON_TRUE:
	case JSON_FALSE:
		to->type = JSON_TYPE_BOOL;
		to->boolean = json_is_true(from);
		return true;
	case JSON_INTEGER:
		to->type = JSON_TYPE_INT;
		to->integer = json_integer_value(from);
		return true;
	case JSON_REAL:
		to->type = JSON_TYPE_REAL;
		to->real = json_real_value(from);
		return true;
	case JSON_STRING:
		to->type = JSON_TYPE_STRING;
		return convert_text(arena, json_string_value(from), json_string_length(from),
				    &to->string);
	case JSON_ARRAY:
		to->type = JSON_TYPE_ARRAY;
		return convert_array(arena, from, to);
	case JSON_OBJECT:
		to->type = JSON_TYPE_OBJECT;
		return convert_object(arena, from, to);
	}
	return false;
}

/* Parsing. */

struct fault_row {
	enum json_error_code code;
	const char *text;
};

static const struct fault_row fault_rows[] = {
	{json_error_invalid_utf8, "is not valid UTF-8"},
	{json_error_premature_end_of_input, "ends too early"},
	{json_error_end_of_input_expected, "goes on after its end"},
	{json_error_null_character, "holds a NUL character"},
	{json_error_null_byte_in_key, "holds a NUL character in a key"},
	{json_error_duplicate_key, "has the same key twice in one object"},
	{json_error_numeric_overflow, "holds a number that is out of range"},
	{json_error_stack_overflow, "is nested too deeply"},
};

static const char *fault_text(enum json_error_code code)
{
	for (size_t i = 0; i < COUNT_OF(fault_rows); i++) {
		if (fault_rows[i].code == code)
			return fault_rows[i].text;
	}
	return "is not well-formed";
}

static enum err_kind refuse(struct json_position position, const char *fault,
			    struct json_position *position_out, struct error *err)
{
	if (position_out != NULL)
		*position_out = position;
	return error_set(err, ERR_INVALID, "the JSON text %s (line %u, column %u)", fault,
			 position.line, position.column);
}

static enum err_kind too_large(struct error *err)
{
	return error_set(err, ERR_TOO_LARGE, "the JSON text is too large");
}

static struct json_position position_of_error(const json_error_t *error)
{
	return (struct json_position){
		.line = error->line > 0 ? (unsigned)error->line : 1,
		.column = error->column > 0 ? (unsigned)error->column : 1,
	};
}

enum err_kind json_parse(struct arena *arena, struct str text, const struct json_limits *limits,
			 const struct json **json_out, struct json_position *position_out,
			 struct error *err)
{
	struct scan scan = {
		.text = text,
		.depth_max = limits != NULL && limits->depth_max > 0 ? limits->depth_max
								     : DEPTH_MAX_DEFAULT,
		.nodes_max = limits != NULL && limits->nodes_max > 0 ? limits->nodes_max
								     : NODES_MAX_DEFAULT,
	};
	const struct json_plain_limits plain = {scan.depth_max, scan.nodes_max};
	if (json_plain_parse(arena, text, &plain, json_out))
		return ERR_NONE;
	const char *fault = scan_text(&scan);
	if (fault != NULL)
		return refuse(position_of(text, scan.at), fault, position_out, err);

	json_error_t error;
	json_t *tree = json_loadb(str_is_empty(text) ? "" : text.ptr, text.len,
				  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (tree == NULL && json_error_code(&error) == json_error_out_of_memory)
		return too_large(err);
	if (tree == NULL)
		return refuse(position_of_error(&error), fault_text(json_error_code(&error)),
			      position_out, err);

	struct json *root = arena_try_alloc(arena, sizeof(*root));
	const bool is_converted = root != NULL && convert(arena, tree, root);
	json_decref(tree);
	if (!is_converted)
		return too_large(err);
	*json_out = root;
	return ERR_NONE;
}

/* Readers. */

const struct json *json_get(const struct json *object, const char *key)
{
	if (!json_is(object, JSON_TYPE_OBJECT))
		return NULL;
	const struct str wanted = str_of(key);
	for (size_t i = 0; i < object->count; i++) {
		if (str_equal(object->keys[i], wanted))
			return &object->items[i];
	}
	return NULL;
}

const struct json *json_at(const struct json *array, size_t index)
{
	return json_is(array, JSON_TYPE_ARRAY) && index < array->count ? &array->items[index]
								       : NULL;
}

struct str json_string(const struct json *value)
{
	return json_is(value, JSON_TYPE_STRING) ? value->string : (struct str){0};
}

struct str json_get_string(const struct json *object, const char *key)
{
	return json_string(json_get(object, key));
}

bool json_is(const struct json *value, enum json_type type)
{
	return value != NULL && value->type == type;
}

bool json_is_null(const struct json *value)
{
	return value == NULL || value->type == JSON_TYPE_NULL;
}

int64_t json_int(const struct json *value, int64_t fallback)
{
	int64_t number;
	if (json_is(value, JSON_TYPE_INT))
		return value->integer;
	if (json_is(value, JSON_TYPE_STRING) && str_parse_i64(value->string, &number))
		return number;
	return fallback;
}

bool json_bool(const struct json *value, bool fallback)
{
	return json_is(value, JSON_TYPE_BOOL) ? value->boolean : fallback;
}

struct str json_text(struct arena *arena, const struct json *value)
{
	if (json_is(value, JSON_TYPE_INT))
		return str_format(arena, "%" PRId64, value->integer);
	return json_string(value);
}
