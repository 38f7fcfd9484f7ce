/* SPDX-License-Identifier: Apache-2.0
 * The common shapes of verbs: a command of the writer, or a question on a reading connection. */
#include "arena.h"
#include "buf.h"

#include "json_write.h"

#include "readers.h"
#include "store_private.h"
#include "writer.h"

#define READ_TRIES 3
#define LIST_TEXT_MAX_BYTES ((size_t)1 << 20)

enum err_kind store_write(struct store *store, store_command command, void *argument,
			  struct error *err)
{
	return writer_run(store->writer, command, argument, err);
}

enum err_kind store_write_patiently(struct store *store, store_command command, void *argument,
				    struct error *err)
{
	return writer_run_patiently(store->writer, command, argument, err);
}

static size_t accepter_of(struct str app_id)
{
	size_t sum = 0;
	for (size_t i = 0; i < app_id.len; i++)
		sum = sum * 31 + (unsigned char)app_id.ptr[i];
	return sum % ACCEPTERS;
}

enum err_kind store_write_batched(struct store *store, struct str app_id, writer_batch batch,
				  void *argument, struct error *err)
{
	struct writer *accepter = store->accepters[accepter_of(app_id)];
	return writer_run_batched(accepter != NULL ? accepter : store->writer, app_id, batch,
				  argument, err);
}

/* ---- turns ---- */

static enum err_kind run_turn(struct store_tx *tx, void *argument, struct error *err)
{
	const struct store_turn *turn = argument;
	const enum err_kind kind = store_tx_lock_turn(tx, turn, err);
	return kind == ERR_NONE ? turn->command(tx, turn->argument, err) : kind;
}

enum err_kind store_write_turn(struct store *store, const struct store_turn *turn,
			       struct error *err)
{
	const bool is_beside =
		store->turner != NULL && !atomic_exchange(&store->wants_turn_alone, false);
	return writer_run_patiently(is_beside ? store->turner : store->writer, run_turn,
				    (void *)turn, err);
}

/* ---- what keeps to one app ---- */

struct of_app {
	struct str app_id;
	store_command command;
	void *argument;
};

static enum err_kind run_of_app(struct store_tx *tx, void *argument, struct error *err)
{
	const struct of_app *of = argument;
	const enum err_kind kind = store_tx_lock_app(tx, of->app_id, err);
	return kind == ERR_NONE ? of->command(tx, of->argument, err) : kind;
}

enum err_kind store_write_of_app(struct store *store, struct str app_id, store_command command,
				 void *argument, struct error *err)
{
	struct of_app of = {app_id, command, argument};
	if (store->changer == NULL)
		return store_write(store, command, argument, err);
	return writer_run_keyed(store->changer, app_id, run_of_app, &of, err);
}

enum err_kind store_write_beside(struct store *store, store_command command, void *argument,
				 struct error *err)
{
	return writer_run(store->changer != NULL ? store->changer : store->writer, command,
			  argument, err);
}

/* ---- one statement ---- */

struct one_statement {
	enum sql_name name;
	struct sql_args args;
	enum err_kind when_none;
	const char *what;
};

static enum err_kind run_one_statement(struct store_tx *tx, void *argument, struct error *err)
{
	const struct one_statement *one = argument;
	return sql_run_one(tx->sql, one->name, one->args, one->when_none, one->what, err);
}

enum err_kind store_run(struct store *store, enum sql_name name, struct sql_args args,
			enum err_kind when_none, const char *what, struct error *err)
{
	struct one_statement one = {name, args, when_none, what};
	return store_write_beside(store, run_one_statement, &one, err);
}

enum err_kind store_run_alone(struct store *store, enum sql_name name, struct sql_args args,
			      enum err_kind when_none, const char *what, struct error *err)
{
	struct one_statement one = {name, args, when_none, what};
	return store_write(store, run_one_statement, &one, err);
}

/* A lost connection does not answer a question: it is asked again on a new one. */
static bool is_worth_another(const struct sql_connection *sql, enum err_kind kind, int *tries)
{
	return kind == ERR_TEMPORARY && sql->driver->may_run_again != NULL &&
	       sql->driver->may_run_again(sql) && ++*tries < READ_TRIES;
}

enum err_kind store_find(struct store *store, struct arena *arena, const struct sql_query *query,
			 void *out, const char *what, struct error *err)
{
	int tries = 0;
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	do
		kind = sql_find(sql, arena, query, out, what, err);
	while (is_worth_another(sql, kind, &tries));
	readers_give_back(store->readers, &sql);
	return kind;
}

enum err_kind store_list(struct store *store, struct arena *arena, const struct sql_query *query,
			 void **out, size_t *count_out, struct error *err)
{
	int tries = 0;
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	do
		kind = sql_list(sql, arena, query, out, count_out, err);
	while (is_worth_another(sql, kind, &tries));
	readers_give_back(store->readers, &sql);
	return kind;
}

enum err_kind store_number(struct store *store, enum sql_name name, struct sql_args args,
			   int64_t *number_out, struct error *err)
{
	int tries = 0;
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	do
		kind = sql_number(sql, name, args, number_out, err);
	while (is_worth_another(sql, kind, &tries));
	readers_give_back(store->readers, &sql);
	return kind;
}

static enum err_kind read_once(struct sql_connection *sql, store_reading fn, void *argument,
			       struct error *err)
{
	enum err_kind kind = sql_run(sql, SQL_BEGIN_READ, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	kind = fn(sql, argument, err);
	sql_run(sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, NULL);
	return kind;
}

enum err_kind store_read(struct store *store, store_reading fn, void *argument, struct error *err)
{
	int tries = 0;
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	do
		kind = read_once(sql, fn, argument, err);
	while (is_worth_another(sql, kind, &tries));
	readers_give_back(store->readers, &sql);
	return kind;
}

enum err_kind store_list_text(struct arena *arena, const struct str *items, size_t count,
			      struct str *text_out, struct error *err)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, LIST_TEXT_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		json_put_str(&w, items[i]);
	json_end_array(&w);
	if (out.is_over)
		return error_set(err, ERR_TOO_LARGE,
				 "too many values, or too long ones, to search for");
	*text_out = buf_str(&out);
	return ERR_NONE;
}

/* Other nodes write to a shared database, and nobody tells us. */
struct access_question store_access_question(struct store *store, const struct access_shape *shape,
					     struct str key)
{
	return (struct access_question){
		.shape = shape,
		.key = key,
		.generation =
			sql_is_shared(store->sql) ? 0 : atomic_load(&store->access_generation) + 1,
		.now_boot_us = clock_boot_us(store->own_clock),
	};
}

struct str store_like_pattern(struct arena *arena, struct str text)
{
	struct buf out;
	if (str_is_empty(text))
		return text;
	buf_init(&out, arena, 2 * text.len + 2);
	buf_add_char(&out, '%');
	for (size_t i = 0; i < text.len; i++) {
		if (str_find_char(STR(STORE_LIKE_ESCAPE "%_"), text.ptr[i], 0) != SIZE_MAX)
			buf_add_z(&out, STORE_LIKE_ESCAPE);
		buf_add_char(&out, text.ptr[i]);
	}
	buf_add_char(&out, '%');
	return buf_str(&out);
}

void store_text_read(struct sql_cursor *cursor, void *out)
{
	*(struct str *)out = sql_take_text(cursor);
}
