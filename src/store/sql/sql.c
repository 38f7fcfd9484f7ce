/* SPDX-License-Identifier: Apache-2.0
 * Shared by all drivers: the statement list, cursors, and the two ways to read rows. */
#include "sql.h"

#include <assert.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#define SQL_TEXT_MAX_BYTES 65536

const struct sql_statement sql_statements[SQL_NAME_COUNT] = {
#define SQL(name, text) [SQL_##name] = {#name, text},
#include "sql_statements.def"
#undef SQL
};

static bool skip_one_of(struct str *text, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_skip(text, str_of(words[i])))
			return true;
	}
	return false;
}

/* Told by the text, so that no statement is forgotten. */
static bool changes_access(enum sql_name name)
{
	static const char *const writes[] = {"UPDATE ", "INSERT INTO ", "DELETE FROM "};
	static const char *const tables[] = {"accounts ", "apps ", "app_tokens ", "app_keys ",
					     "admins "};
	const char *text = sql_statements[name].text;
	if (strchr("UID", text[0]) == NULL) /* as most */
		return false;
	struct str rest = str_of(text);
	return skip_one_of(&rest, writes, COUNT_OF(writes)) &&
	       skip_one_of(&rest, tables, COUNT_OF(tables));
}

typedef enum err_kind (*cursor_opener)(struct sql_cursor *cursor, struct sql_args args);

static void open_cursor(struct sql_cursor *cursor, struct sql_connection *connection,
			enum sql_name name, struct arena *arena, struct error *err)
{
	*cursor = (struct sql_cursor){
		.connection = connection, .name = name, .arena = arena, .err = err};
}

static void start_cursor(struct sql_cursor *cursor, cursor_opener opener, struct sql_args args)
{
	assert(args.count <= SQL_ARGS_MAX);
	cursor->connection->has_changed_access |= changes_access(cursor->name);
	cursor->kind = opener(cursor, args);
	cursor->is_open = cursor->kind == ERR_NONE;
}

void sql_select(struct sql_cursor *cursor, struct sql_connection *connection, enum sql_name name,
		struct arena *arena, struct sql_args args, struct error *err)
{
	open_cursor(cursor, connection, name, arena, err);
	start_cursor(cursor, connection->driver->start, args);
}

bool sql_next(struct sql_cursor *cursor)
{
	if (!cursor->is_open || cursor->kind != ERR_NONE)
		return false;
	bool has_row = false;
	cursor->column = 0;
	cursor->kind = cursor->connection->driver->step(cursor, &has_row);
	if (cursor->kind != ERR_NONE || !has_row)
		return false;
	cursor->has_row = true;
	return true;
}

/* The size comes from outside, so the arena may refuse (base/arena.h). */
static struct str take_copy(struct sql_cursor *cursor, enum sql_type type)
{
	const struct sql_value value =
		cursor->connection->driver->column(cursor, type, cursor->column++);
	if (str_is_empty(value.bytes))
		return (struct str){0};
	char *copy = arena_try_alloc(cursor->arena, value.bytes.len + 1);
	if (copy == NULL) {
		cursor->kind =
			error_set(cursor->err, ERR_TOO_LARGE, "the rows of %s do not fit in memory",
				  sql_statements[cursor->name].name);
		return (struct str){0};
	}
	memcpy(copy, value.bytes.ptr, value.bytes.len);
	return (struct str){copy, value.bytes.len};
}

struct str sql_take_text(struct sql_cursor *cursor)
{
	return take_copy(cursor, SQL_TYPE_TEXT);
}

struct str sql_take_blob(struct sql_cursor *cursor)
{
	return take_copy(cursor, SQL_TYPE_BLOB);
}

int64_t sql_take_int(struct sql_cursor *cursor)
{
	return cursor->connection->driver->column(cursor, SQL_TYPE_INT, cursor->column++).number;
}

bool sql_take_bool(struct sql_cursor *cursor)
{
	return sql_take_int(cursor) != 0;
}

enum err_kind sql_end(struct sql_cursor *cursor)
{
	if (cursor->is_open)
		cursor->changes = cursor->connection->driver->finish(cursor);
	cursor->is_open = false;
	return cursor->kind;
}

enum err_kind sql_run(struct sql_connection *connection, enum sql_name name, struct sql_args args,
		      int64_t *changes_out, struct error *err)
{
	struct sql_cursor cursor;
	sql_select(&cursor, connection, name, NULL, args, err);
	while (sql_next(&cursor))
		;
	const enum err_kind kind = sql_end(&cursor);
	if (kind == ERR_NONE && changes_out != NULL)
		*changes_out = cursor.changes;
	return kind;
}

enum err_kind sql_run_one(struct sql_connection *connection, enum sql_name name,
			  struct sql_args args, enum err_kind when_none, const char *what,
			  struct error *err)
{
	int64_t changes = 0;
	const enum err_kind kind = sql_run(connection, name, args, &changes, err);
	if (kind != ERR_NONE || changes > 0 || when_none == ERR_NONE)
		return kind;
	return error_set(err, when_none, "no such %s", what);
}

enum err_kind sql_number(struct sql_connection *connection, enum sql_name name,
			 struct sql_args args, int64_t *number_out, struct error *err)
{
	struct sql_cursor cursor;
	int64_t number = 0;
	sql_select(&cursor, connection, name, NULL, args, err);
	if (sql_next(&cursor))
		number = sql_take_int(&cursor);
	const enum err_kind kind = sql_end(&cursor);
	if (kind == ERR_NONE)
		*number_out = number;
	return kind;
}

enum err_kind sql_find(struct sql_connection *connection, struct arena *arena,
		       const struct sql_query *query, void *out, const char *what,
		       struct error *err)
{
	struct sql_cursor cursor;
	sql_select(&cursor, connection, query->name, arena, query->args, err);
	if (sql_next(&cursor))
		query->read(&cursor, out);
	const enum err_kind kind = sql_end(&cursor);
	if (kind != ERR_NONE || cursor.has_row)
		return kind;
	return error_set(err, ERR_NOT_FOUND, "no such %s", what);
}

struct rows {
	unsigned char *items;
	size_t count;
	size_t capacity;
	size_t row_bytes;
};

/* Space for one more row, zeroed, or NULL past the arena's ceiling. */
static void *rows_add(struct rows *rows, struct arena *arena)
{
	if (rows->count == rows->capacity) {
		const size_t capacity = rows->capacity > 0 ? rows->capacity * 2 : 8;
		unsigned char *items = arena_try_alloc(arena, capacity * rows->row_bytes);
		if (items == NULL)
			return NULL;
		if (rows->count > 0)
			memcpy(items, rows->items, rows->count * rows->row_bytes);
		rows->items = items;
		rows->capacity = capacity;
	}
	return rows->items + rows->count++ * rows->row_bytes;
}

/* Ends the cursor. */
static enum err_kind read_rows(struct sql_cursor *cursor, const struct sql_query *query, void **out,
			       size_t *count_out)
{
	struct rows rows = {.row_bytes = query->row_bytes};
	while (sql_next(cursor)) {
		void *row = query->read != NULL ? rows_add(&rows, cursor->arena) : NULL;
		if (row == NULL && query->read != NULL) {
			cursor->kind = error_set(cursor->err, ERR_TOO_LARGE, "too many rows of %s",
						 sql_statements[query->name].name);
			break;
		}
		if (row != NULL)
			query->read(cursor, row);
	}
	const enum err_kind kind = sql_end(cursor);
	if (kind != ERR_NONE)
		return kind;
	*out = rows.items;
	*count_out = rows.count;
	return ERR_NONE;
}

enum err_kind sql_list(struct sql_connection *connection, struct arena *arena,
		       const struct sql_query *query, void **out, size_t *count_out,
		       struct error *err)
{
	struct sql_cursor cursor;
	sql_select(&cursor, connection, query->name, arena, query->args, err);
	return read_rows(&cursor, query, out, count_out);
}

static enum err_kind end_call(struct sql_cursor *cursor, struct sql_call *call)
{
	const enum err_kind kind = read_rows(cursor, &call->query, &call->rows, &call->row_count);
	if (kind == ERR_NONE)
		call->changes = cursor->changes;
	return kind;
}

static enum err_kind run_one_by_one(struct sql_connection *connection, struct arena *arena,
				    struct sql_call *first, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (struct sql_call *call = first; call != NULL && kind == ERR_NONE; call = call->next) {
		struct sql_cursor cursor;
		sql_select(&cursor, connection, call->query.name, arena, call->query.args, err);
		kind = end_call(&cursor, call);
	}
	return kind;
}

static size_t count_calls(const struct sql_call *first)
{
	size_t count = 0;
	for (const struct sql_call *call = first; call != NULL; call = call->next)
		count++;
	return count;
}

/* Calls that are asked as one. */
struct asked {
	struct sql_cursor cursor;
	struct sql_call *first;
	size_t count;
	bool has_places; /* only with several */
};

static enum err_kind ask(struct asked *asked, struct sql_connection *connection,
			 struct arena *arena, struct error *err)
{
	const struct sql_driver *driver = connection->driver;
	const struct sql_call *first = asked->first;
	open_cursor(&asked->cursor, connection, first->query.name, arena, err);
	if (asked->count == 1) {
		start_cursor(&asked->cursor, driver->ask, first->query.args);
		return asked->cursor.kind;
	}
	connection->has_changed_access |= changes_access(first->query.name);
	asked->cursor.kind =
		driver->ask_joined(&asked->cursor, first, asked->count, &asked->has_places);
	asked->cursor.is_open = asked->cursor.kind == ERR_NONE;
	return asked->cursor.kind;
}

static enum err_kind end_joined(struct asked *asked)
{
	struct sql_call *call = asked->first;
	size_t at = 1;
	for (size_t i = 0; i < asked->count; i++, call = call->next)
		call->changes = asked->has_places ? 0 : 1;
	call = asked->first;
	while (asked->has_places && sql_next(&asked->cursor)) {
		const size_t place = (size_t)sql_take_int(&asked->cursor);
		if (place < at) { /* they come in any order */
			call = asked->first;
			at = 1;
		}
		for (; at < place; at++)
			call = call->next;
		call->changes = 1;
	}
	return sql_end(&asked->cursor);
}

static enum err_kind end_asked(struct asked *asked)
{
	return asked->count > 1 ? end_joined(asked) : end_call(&asked->cursor, asked->first);
}

enum err_kind sql_run_all(struct sql_connection *connection, struct arena *arena,
			  struct sql_call *first, struct error *err)
{
	const struct sql_driver *driver = connection->driver;
	if (driver->ask == NULL)
		return run_one_by_one(connection, arena, first, err);
	struct asked *all = ARENA_ARRAY(arena, struct asked, count_calls(first));
	size_t count = 0;
	enum err_kind kind = ERR_NONE;
	for (struct sql_call *call = first; call != NULL && kind == ERR_NONE;) {
		struct asked *asked = &all[count++];
		*asked = (struct asked){.first = call, .count = driver->count_joined(call)};
		kind = ask(asked, connection, arena, err);
		for (size_t i = 0; i < asked->count; i++)
			call = call->next;
	}
	if (kind == ERR_NONE)
		kind = driver->settle(connection, err);
	for (size_t i = 0; i < count; i++) {
		if (kind == ERR_NONE)
			kind = end_asked(&all[i]);
		else
			sql_end(&all[i].cursor);
	}
	return kind;
}

static const char *word_text(const struct sql_dialect_word *words, struct str word)
{
	for (; words->word != NULL; words++) {
		if (str_equal_z(word, words->word))
			return words->text;
	}
	return NULL;
}

static void add_word(struct buf *out, const struct sql_dialect_word *words, struct str inside)
{
	struct str word = {0};
	str_take_field(&inside, ' ', &word);
	const char *text = word_text(words, word);
	assert(text != NULL);
	for (; *text != '\0'; text++) {
		if (*text == '@')
			buf_add(out, inside);
		else
			buf_add_char(out, *text);
	}
}

char *sql_expand(struct arena *arena, const struct sql_dialect_word *words, struct str text)
{
	struct buf out;
	struct str plain;
	struct str inside;
	buf_init(&out, arena, SQL_TEXT_MAX_BYTES);
	while (str_take_until(&text, '{', &plain)) {
		buf_add(&out, plain);
		str_skip(&text, STR("{"));
		const bool is_closed = str_take_until(&text, '}', &inside);
		assert(is_closed);
		(void)is_closed;
		str_skip(&text, STR("}"));
		add_word(&out, words, inside);
	}
	buf_add(&out, text);
	assert(!out.is_over);
	return str_z(arena, buf_str(&out));
}
