/* SPDX-License-Identifier: Apache-2.0
 * See sql_postgres_many.h. `UPDATE t SET a = ?2 WHERE id = ?1` becomes `UPDATE t SET a = given.v2
 * FROM unnest($1, $2) WITH ORDINALITY AS given(v1, v2, place) WHERE id = given.v1 RETURNING
 * given.place`, and an INSERT's VALUES a SELECT from the same. */
#include "sql_postgres_many.h"

#include <assert.h>
#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#define TEXT_MAX_BYTES 65536
#define KEPT_MAX_BYTES ((size_t)8 << 20)
#define BATCHES_MAX 32
/* src/include/catalog/pg_type.dat of PostgreSQL */
#define OID_BYTEA 17
#define OID_INT8 20
#define OID_TEXT 25
#define OID_BYTEA_ARRAY 1001
#define OID_TEXT_ARRAY 1009
#define OID_INT8_ARRAY 1016

enum table {
	TABLE_DELIVERIES = 1 << 0,
	TABLE_POSTS = 1 << 1,
	TABLE_LANES = 1 << 2,
	TABLE_WORK = 1 << 3,
	TABLE_EVENTS = 1 << 4,
	TABLE_TIMELINE = 1 << 5,
	TABLE_REMOTE_IDS = 1 << 6,
	TABLE_MEDIA = 1 << 7,
	TABLE_COUNTERS = 1 << 8,
	TABLE_TALLIES = 1 << 9,
};

struct kind {
	/* The first parameters name the one row that it writes; 0 = it adds rows of its own. */
	size_t key_count;
	unsigned writes;
	unsigned reads;
	/* Its order to the others with this number does not matter; 0 = to none. */
	unsigned set_free;
};

/* A lane is freed, and those that stood behind it: a lane waits for one delivery, so what frees it
 * for one account never meets what frees it for another. */
#define SET_FREE 1

static const struct kind kinds[SQL_NAME_COUNT] = {
	[SQL_DELIVERY_SAVE] = {1, TABLE_DELIVERIES, 0, 0},
	[SQL_DELIVERY_BEGIN] = {1, TABLE_DELIVERIES, 0, 0},
	[SQL_DELIVERY_KEEP] = {1, TABLE_DELIVERIES, 0, 0},
	[SQL_DELIVERY_CLAIM] = {1, TABLE_DELIVERIES, 0, 0},
	[SQL_COUNTER_UP] = {4, TABLE_COUNTERS, 0, 0},
	[SQL_COUNTER_DOWN] = {4, TABLE_COUNTERS, 0, 0},
	[SQL_TALLY_UP] = {5, TABLE_TALLIES, 0, 0},
	[SQL_TALLY_DOWN] = {5, TABLE_TALLIES, 0, 0},
	[SQL_TIMELINE_INSERT] = {1, TABLE_TIMELINE, 0, 0},
	[SQL_REMOTE_ID_BIND] = {2, TABLE_REMOTE_IDS, 0, 0},
	[SQL_LANE_FREE] = {1, TABLE_LANES, TABLE_DELIVERIES, SET_FREE},
	[SQL_LANES_FREE_BEHIND] = {1, TABLE_LANES, TABLE_DELIVERIES, SET_FREE},
	[SQL_LANE_KEEP] = {1, TABLE_LANES, 0, 0},
	[SQL_LANE_CLAIM_FOR] = {1, TABLE_LANES, 0, 0},
	[SQL_POST_SET_STATE] = {1, TABLE_POSTS, 0, 0},
	[SQL_POST_SET_STATUS] = {1, TABLE_POSTS, 0, 0},
	[SQL_EVENT_ADD] = {0, TABLE_EVENTS, 0, 0},
	[SQL_MEDIA_USE_BY_OWNER] = {1, TABLE_MEDIA, 0, 0},
	[SQL_WORK_SERVED] = {1, TABLE_WORK, TABLE_LANES, 0},
	[SQL_WORK_DUE] = {1, TABLE_WORK, TABLE_LANES, 0},
	[SQL_WORK_USE] = {1, TABLE_WORK, 0, 0},
};

bool sql_many_is_joined(enum sql_name name)
{
	return kinds[name].writes != 0;
}

static bool is_insert(const char *text)
{
	return text[0] == 'I';
}

bool sql_many_returns_places(enum sql_name name)
{
	return !is_insert(sql_statements[name].text);
}

/* ---- the text ---- */

/* Where word stands outside of all parentheses; its length when it does not. */
static size_t find_outside(struct str text, struct str word)
{
	int depth = 0;
	for (size_t i = 0; i < text.len; i++) {
		depth += (text.ptr[i] == '(') - (text.ptr[i] == ')');
		if (depth == 0 && str_has_prefix(str_slice(text, i, text.len), word))
			return i;
	}
	return text.len;
}

/* "?12" is "given.v12" here. */
static void add_part(struct buf *out, struct str part)
{
	for (size_t i = 0; i < part.len; i++) {
		if (part.ptr[i] == '?')
			buf_add(out, STR("given.v"));
		else
			buf_add_char(out, part.ptr[i]);
	}
}

static void add_given(struct buf *out, const char *before, struct sql_args types)
{
	static const char *const arrays[] = {[SQL_TYPE_INT] = "bigint[]",
					     [SQL_TYPE_TEXT] = "text[]",
					     [SQL_TYPE_BLOB] = "bytea[]"};
	buf_addf(out, "%s unnest(", before);
	for (size_t i = 0; i < types.count; i++)
		buf_addf(out, "%s$%zu::%s", i > 0 ? ", " : "", i + 1, arrays[types.values[i].type]);
	buf_add(out, STR(") WITH ORDINALITY AS given("));
	for (size_t i = 0; i < types.count; i++)
		buf_addf(out, "v%zu, ", i + 1);
	buf_add(out, STR("place)"));
}

static void add_update(struct buf *out, struct str text, struct sql_args types)
{
	const size_t where = find_outside(text, STR(" WHERE "));
	const bool has_from = find_outside(text, STR(" FROM ")) < where;
	assert(where < text.len);
	add_part(out, str_slice(text, 0, where));
	add_given(out, has_from ? "," : " FROM", types);
	add_part(out, str_slice(text, where, text.len));
	buf_add(out, STR(" RETURNING given.place"));
}

/* In the order of the rows: events are numbered as they are added. */
static void add_insert(struct buf *out, struct str text, struct sql_args types)
{
	const struct str values = STR(" VALUES (");
	const size_t at = find_outside(text, values);
	assert(at < text.len);
	const struct str inside = str_slice(text, at + values.len, text.len);
	int depth = 1;
	size_t end = 0;
	for (; depth > 0 && end < inside.len; end++)
		depth += (inside.ptr[end] == '(') - (inside.ptr[end] == ')');
	assert(depth == 0);
	const struct str rest = str_slice(inside, end, inside.len);
	assert(str_find_char(rest, '?', 0) == SIZE_MAX);
	buf_add(out, str_slice(text, 0, at));
	buf_add(out, STR(" SELECT "));
	add_part(out, str_slice(inside, 0, end - 1));
	add_given(out, " FROM", types);
	buf_add(out, STR(" ORDER BY given.place"));
	buf_add(out, rest);
}

char *sql_many_text(struct arena *arena, const char *text, struct sql_args types)
{
	struct buf out;
	buf_init(&out, arena, TEXT_MAX_BYTES);
	if (is_insert(text))
		add_insert(&out, str_of(text), types);
	else
		add_update(&out, str_of(text), types);
	assert(!out.is_over);
	return str_z(arena, buf_str(&out));
}

/* ---- its parameters ---- */

static char *put_be32(char *at, size_t number)
{
	const uint32_t big = htobe32((uint32_t)number);
	memcpy(at, &big, sizeof(big));
	return at + sizeof(big);
}

static char *put_value(char *at, const struct sql_value *value)
{
	const uint64_t number = htobe64((uint64_t)value->number);
	if (value->type == SQL_TYPE_INT) {
		at = put_be32(at, sizeof(number));
		memcpy(at, &number, sizeof(number));
		return at + sizeof(number);
	}
	at = put_be32(at, value->bytes.len);
	if (value->bytes.len > 0)
		memcpy(at, value->bytes.ptr, value->bytes.len);
	return at + value->bytes.len;
}

static size_t value_bytes(const struct sql_value *value)
{
	return sizeof(uint32_t) +
	       (value->type == SQL_TYPE_INT ? sizeof(uint64_t) : value->bytes.len);
}

size_t sql_many_bytes(struct sql_args args)
{
	size_t bytes = 0;
	for (size_t i = 0; i < args.count; i++)
		bytes += value_bytes(&args.values[i]);
	return bytes;
}

/* array_recv of PostgreSQL: dimensions, whether there are NULLs, the type; length and lower bound
 * of each dimension; and each value behind its length. */
#define ARRAY_HEAD_WORDS 5

static bool bind_array(struct arena *arena, const struct sql_args *rows, size_t count, size_t i,
		       struct sql_many_bound *bound)
{
	static const unsigned types[] = {
		[SQL_TYPE_INT] = OID_INT8, [SQL_TYPE_TEXT] = OID_TEXT, [SQL_TYPE_BLOB] = OID_BYTEA};
	static const unsigned array_types[] = {[SQL_TYPE_INT] = OID_INT8_ARRAY,
					       [SQL_TYPE_TEXT] = OID_TEXT_ARRAY,
					       [SQL_TYPE_BLOB] = OID_BYTEA_ARRAY};
	const enum sql_type type = rows[0].values[i].type;
	size_t bytes = ARRAY_HEAD_WORDS * sizeof(uint32_t);
	for (size_t row = 0; row < count; row++)
		bytes += value_bytes(&rows[row].values[i]);
	char *array = arena_try_alloc(arena, bytes);
	if (array == NULL)
		return false;
	const size_t head[ARRAY_HEAD_WORDS] = {1, 0, types[type], count, 1};
	char *at = array;
	for (size_t word = 0; word < COUNT_OF(head); word++)
		at = put_be32(at, head[word]);
	for (size_t row = 0; row < count; row++) {
		assert(rows[row].values[i].type == type);
		at = put_value(at, &rows[row].values[i]);
	}
	bound->types[i] = array_types[type];
	bound->values[i] = array;
	bound->lengths[i] = (int)bytes;
	return true;
}

bool sql_many_bind(struct arena *arena, const struct sql_args *rows, size_t count,
		   struct sql_many_bound *bound)
{
	bound->count = rows[0].count;
	for (size_t i = 0; i < bound->count; i++) {
		if (!bind_array(arena, rows, count, i, bound))
			return false;
	}
	return true;
}

bool sql_many_are_the_same(enum sql_name name, struct sql_args a, struct sql_args b)
{
	const size_t count = kinds[name].key_count;
	for (size_t i = 0; i < count; i++) {
		const struct sql_value *left = &a.values[i];
		const struct sql_value *right = &b.values[i];
		if (left->type == SQL_TYPE_INT ? left->number != right->number
					       : !str_equal(left->bytes, right->bytes))
			return false;
	}
	return count > 0;
}

/* ---- statements that nobody waits for ---- */

struct sql_many {
	struct arena *arena;
	size_t count;
	struct sql_many_batch *batches[BATCHES_MAX]; /* in the arena */
};

struct sql_many *sql_many_new(void)
{
	struct sql_many *many = calloc(1, sizeof(*many));
	if (many == NULL)
		abort(); /* the same rule as arena_new */
	many->arena = arena_new("statements to come", KEPT_MAX_BYTES);
	return many;
}

void sql_many_free(struct sql_many **many)
{
	if (*many == NULL)
		return;
	arena_free(&(*many)->arena);
	free(*many);
	*many = NULL;
}

/* Does it matter which of the two runs first? */
static bool is_bound_to(const struct kind *a, const struct kind *b)
{
	if (a->set_free != 0 && a->set_free == b->set_free)
		return false;
	return (a->writes & (b->writes | b->reads)) != 0 || (b->writes & a->reads) != 0;
}

/* A row that is added to a batch passes the batches behind it. */
static bool may_join(const struct sql_many *many, size_t i, struct sql_args args)
{
	const struct sql_many_batch *batch = many->batches[i];
	if (batch->count == SQL_MANY_ROWS_MAX)
		return false;
	for (size_t row = 0; row < batch->count; row++) {
		if (sql_many_are_the_same(batch->name, batch->rows[row], args))
			return false;
	}
	for (size_t k = i + 1; k < many->count; k++) {
		if (is_bound_to(&kinds[batch->name], &kinds[many->batches[k]->name]))
			return false;
	}
	return true;
}

static bool copy_args(struct arena *arena, struct sql_args args, struct sql_args *out)
{
	struct sql_value *values = arena_try_alloc(arena, args.count * sizeof(*values));
	if (values == NULL)
		return false;
	for (size_t i = 0; i < args.count; i++) {
		values[i] = args.values[i];
		if (values[i].type == SQL_TYPE_INT || str_is_empty(values[i].bytes))
			continue;
		char *bytes = arena_try_alloc(arena, values[i].bytes.len);
		if (bytes == NULL)
			return false;
		memcpy(bytes, values[i].bytes.ptr, values[i].bytes.len);
		values[i].bytes.ptr = bytes;
	}
	*out = (struct sql_args){values, args.count};
	return true;
}

static struct sql_many_batch *new_batch(struct sql_many *many, enum sql_name name)
{
	if (many->count == BATCHES_MAX)
		return NULL;
	struct sql_many_batch *batch = arena_try_alloc(many->arena, sizeof(*batch));
	if (batch != NULL) {
		batch->name = name;
		many->batches[many->count++] = batch;
	}
	return batch;
}

/* The last batch of its kind, when the row may go there; NULL = a new one, behind the others. */
static struct sql_many_batch *find_batch(const struct sql_many *many, enum sql_name name,
					 struct sql_args args)
{
	for (size_t i = many->count; i-- > 0;) {
		if (many->batches[i]->name == name)
			return may_join(many, i, args) ? many->batches[i] : NULL;
	}
	return NULL;
}

bool sql_many_add(struct sql_many *many, enum sql_name name, struct sql_args args)
{
	struct sql_args kept;
	/* As much again is needed to run it. */
	if (arena_used_bytes(many->arena) > KEPT_MAX_BYTES / 3 ||
	    sql_many_bytes(args) > SQL_MANY_BYTES_MAX)
		return false;
	struct sql_many_batch *batch = find_batch(many, name, args);
	if (!copy_args(many->arena, args, &kept))
		return false;
	if (batch == NULL)
		batch = new_batch(many, name);
	if (batch == NULL)
		return false;
	batch->rows[batch->count++] = kept;
	return true;
}

const struct sql_many_batch *sql_many_batch(const struct sql_many *many, size_t i)
{
	return i < many->count ? many->batches[i] : NULL;
}

struct arena *sql_many_arena(struct sql_many *many)
{
	return many->arena;
}

void sql_many_clear(struct sql_many *many)
{
	many->count = 0;
	arena_clear(many->arena);
}
