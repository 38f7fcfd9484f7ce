/* SPDX-License-Identifier: Apache-2.0
 * See store_move.h. Speaks to both libraries itself: the statements of the store are for its verbs,
 * these here are made from the columns that the source has. Rows go over in the order of their key,
 * so that "so many are there" says which ones. */
#include "store_move.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libpq-fe.h>
#include <sqlite3.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "log.h"

#include "sql_postgres_link.h"
#include "store.h"

#define COLUMNS_MAX 40
#define BATCH_ROWS 5000
#define BATCH_BYTES_MAX ((size_t)8 << 20)
#define TEXT_MAX_BYTES 16384
#define TELL_MAX_BYTES 256
#define TELL_EVERY_MS 2000
#define MOVE_ANSWER_MS 120000
#define OID_INT8 20
#define OID_TEXT 25
#define OID_BYTEA 17

/* Those that are referred to stand before those that refer to them. What is a node's own (nodes,
 * write_marks) stays. meta is last: with its epoch the target becomes the database that the restore
 * guard knows. */
static const struct {
	const char *name;
	const char *key;
	const char
		*serial; /* the column whose numbers are given out by the database; NULL = none */
} tables[] = {
	{"admins", "id", NULL},
	{"second_factors", "id", NULL},
	{"recovery_codes", "admin_id, code_hash", NULL},
	{"apps", "id", NULL},
	{"app_tokens", "app_id", NULL},
	{"app_keys", "id", NULL},
	{"platform_credentials", "app_id, platform", NULL},
	{"credential_candidates", "app_id, platform", NULL},
	{"connections", "id", NULL},
	{"accounts", "id", NULL},
	{"connection_accounts", "connection_id, ordinal", NULL},
	{"erasures", "id", NULL},
	{"erasure_accounts", "erasure_id, account_id", NULL},
	{"posts", "id", NULL},
	{"deliveries", "id", NULL},
	{"removals", "delivery_id", NULL},
	{"late_ids", "delivery_id", NULL},
	{"looks", "post_id", NULL},
	{"lanes", "account_id", NULL},
	{"app_work", "app_id", NULL},
	{"idempotency_keys", "app_id, idempotency_key", NULL},
	{"drafts", "id", NULL},
	{"media", "id", NULL},
	{"media_uses", "owner_id, media_id", NULL},
	{"media_uploads", "id", NULL},
	{"media_links", "token_hash", NULL},
	{"media_gone", "name", NULL},
	{"timeline", "delivery_id, ordinal", NULL},
	{"evidence", "delivery_id, ordinal", NULL},
	{"remote_ids", "account_id, remote_id, delivery_id", NULL},
	{"counters", "app_id, scale, status, bucket", NULL},
	{"tallies", "app_id, hour, kind, part, code", NULL},
	{"holds", "delivery_id", NULL},
	{"pauses", "platform, app_id, account_id", NULL},
	{"events", "seq", "seq"},
	{"webhooks", "id", NULL},
	{"webhook_deliveries", "id", "id"},
	{"alarms", "name", NULL},
	{"audit", "seq", "seq"},
	{"meta", "name", NULL},
};

#define TABLE_COUNT COUNT_OF(tables)
/* What meta says of the server and the database it is in. */
#define NAMES_OF_THE_PLACE "'server_lineage', 'database_identity'"
/* Rows of the target's meta that are the move's own. */
#define OWN_META "(name LIKE 'move/%' OR name IN (" NAMES_OF_THE_PLACE "))"

struct move {
	const struct store_move_config *config;
	struct store *source; /* held open: nobody else gets it meanwhile */
	sqlite3 *from;
	struct pg_link to;
	struct arena *arena; /* of one table */
	int64_t told_ms;     /* when progress was told last, of boot */
	struct store_moved moved;
};

struct table {
	const char *name;
	const char *key;
	const char *serial;
	int column_count;
	const char *columns[COLUMNS_MAX];
	Oid types[COLUMNS_MAX];
	const char *copy; /* the statement that takes rows */
	int64_t copied;
};

/* ---- the two ends ---- */

static enum err_kind from_failed(const struct move *move, const char *what, struct error *err)
{
	return error_set_native(err, ERR_TEMPORARY, sqlite3_extended_errcode(move->from),
				"move: %s: %s", what, sqlite3_errmsg(move->from));
}

/* The last result of a statement outside of pipeline mode, or NULL with err filled. */
static PGresult *ask(struct move *move, const char *text, enum err_kind *kind, struct error *err)
{
	PGresult *last = NULL;
	PGresult *result;
	*kind = ERR_NONE;
	if (PQsendQueryParams(move->to.pg, text, 0, NULL, NULL, NULL, NULL, 1) != 1) {
		*kind = pg_link_failed(&move->to, "move", err);
		return NULL;
	}
	while ((result = pg_link_result(&move->to, MOVE_ANSWER_MS)) != NULL) {
		const ExecStatusType status = PQresultStatus(result);
		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && *kind == ERR_NONE)
			*kind = pg_result_failed(result, "move", err);
		PQclear(last);
		last = result;
	}
	if (move->to.is_lost && *kind == ERR_NONE)
		*kind = pg_link_failed(&move->to, "move", err);
	if (*kind == ERR_NONE)
		return last;
	PQclear(last);
	return NULL;
}

static enum err_kind tell(struct move *move, const char *text, struct error *err)
{
	enum err_kind kind;
	PQclear(ask(move, text, &kind, err));
	return kind;
}

static int64_t read_int8(const char *bytes)
{
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	return (int64_t)be64toh(number);
}

/* The first column of the first row, a bigint; 0 = none. */
static enum err_kind ask_number(struct move *move, const char *text, int64_t *out,
				struct error *err)
{
	enum err_kind kind;
	PGresult *result = ask(move, text, &kind, err);
	*out = result != NULL && PQntuples(result) > 0 && PQgetlength(result, 0, 0) == 8
		       ? read_int8(PQgetvalue(result, 0, 0))
		       : 0;
	PQclear(result);
	return kind;
}

/* ---- tables ---- */

static Oid type_of(const char *declared)
{
	if (declared != NULL && strcmp(declared, "BLOB") == 0)
		return OID_BYTEA;
	return declared != NULL && strcmp(declared, "TEXT") == 0 ? OID_TEXT : OID_INT8;
}

static enum err_kind look_at_columns(struct move *move, struct table *table, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	const char *text = str_z(move->arena,
				 str_format(move->arena, "SELECT * FROM %s LIMIT 0", table->name));
	if (sqlite3_prepare_v2(move->from, text, -1, &statement, NULL) != SQLITE_OK)
		return from_failed(move, table->name, err);
	table->column_count = sqlite3_column_count(statement);
	assert(table->column_count <= COLUMNS_MAX);
	for (int i = 0; i < table->column_count; i++) {
		table->columns[i] = str_z(move->arena, str_of(sqlite3_column_name(statement, i)));
		table->types[i] = type_of(sqlite3_column_decltype(statement, i));
	}
	sqlite3_finalize(statement);
	return ERR_NONE;
}

static void add_columns(struct buf *out, const struct table *table)
{
	for (int i = 0; i < table->column_count; i++)
		buf_addf(out, "%s%s", i > 0 ? ", " : "", table->columns[i]);
}

static const char *select_text(struct move *move, const struct table *table, bool is_ordered)
{
	struct buf out;
	buf_init(&out, move->arena, TEXT_MAX_BYTES);
	buf_add_z(&out, "SELECT ");
	add_columns(&out, table);
	buf_addf(&out, " FROM %s", table->name);
	if (is_ordered)
		buf_addf(&out, " ORDER BY %s LIMIT -1 OFFSET %lld", table->key,
			 (long long)table->copied);
	return str_z(move->arena, buf_str(&out));
}

static const char *copy_text(struct move *move, const struct table *table)
{
	struct buf out;
	buf_init(&out, move->arena, TEXT_MAX_BYTES);
	buf_addf(&out, "COPY %s (", table->name);
	add_columns(&out, table);
	buf_add_z(&out, ") FROM STDIN (FORMAT binary)");
	return str_z(move->arena, buf_str(&out));
}

/* ---- copying ---- */

static bool put(struct move *move, const void *bytes, size_t length)
{
	return length == 0 || PQputCopyData(move->to.pg, bytes, (int)length) == 1;
}

/* PostgreSQL 15's manual, "COPY", "Binary Format": 11 bytes of signature, then no flags and no
 * extension, both of 4 bytes. */
static bool put_header(struct move *move)
{
	static const char header[19 + 1] = "PGCOPY\n\377\r\n";
	return put(move, header, sizeof(header) - 1);
}

static bool put_field(struct move *move, const void *bytes, size_t length)
{
	const uint32_t prefix = htobe32((uint32_t)length);
	return put(move, &prefix, sizeof(prefix)) && put(move, bytes, length);
}

static bool put_row(struct move *move, const struct table *table, sqlite3_stmt *row)
{
	const uint16_t count = htobe16((uint16_t)table->column_count);
	bool is_sent = put(move, &count, sizeof(count));
	for (int i = 0; i < table->column_count && is_sent; i++) {
		const uint64_t number = htobe64((uint64_t)sqlite3_column_int64(row, i));
		if (table->types[i] == OID_INT8)
			is_sent = put_field(move, &number, sizeof(number));
		else
			is_sent = put_field(move, sqlite3_column_blob(row, i),
					    (size_t)sqlite3_column_bytes(row, i));
	}
	return is_sent;
}

static size_t row_bytes(const struct table *table, sqlite3_stmt *row)
{
	size_t bytes = 0;
	for (int i = 0; i < table->column_count; i++)
		bytes += (size_t)sqlite3_column_bytes(row, i);
	return bytes;
}

/* Puts rows until the batch is full or there are no more. */
static enum err_kind put_rows(struct move *move, struct table *table, sqlite3_stmt *rows,
			      bool *is_end_out, struct error *err)
{
	size_t bytes = 0;
	for (int count = 0; count < BATCH_ROWS && bytes < BATCH_BYTES_MAX; count++) {
		const int code = sqlite3_step(rows);
		if (code == SQLITE_DONE) {
			*is_end_out = true;
			return ERR_NONE;
		}
		if (code != SQLITE_ROW)
			return from_failed(move, table->name, err);
		if (!put_row(move, table, rows))
			return pg_link_failed(&move->to, table->name, err);
		bytes += row_bytes(table, rows);
		table->copied++;
	}
	return ERR_NONE;
}

/* The next result of the COPY; anything else than what is expected fails. */
static enum err_kind expect(struct move *move, ExecStatusType wanted, struct error *err)
{
	PGresult *result = pg_link_result(&move->to, MOVE_ANSWER_MS);
	enum err_kind kind = ERR_NONE;
	if (result == NULL)
		kind = pg_link_failed(&move->to, "move", err);
	else if (PQresultStatus(result) != wanted)
		kind = pg_result_failed(result, "move", err);
	PQclear(result);
	return kind;
}

static enum err_kind copy_into(struct move *move, struct table *table, sqlite3_stmt *rows,
			       bool *is_end_out, struct error *err)
{
	static const char end[] = "\377\377";
	if (PQsendQuery(move->to.pg, table->copy) != 1)
		return pg_link_failed(&move->to, table->name, err);
	enum err_kind kind = expect(move, PGRES_COPY_IN, err);
	if (kind == ERR_NONE && !put_header(move))
		kind = pg_link_failed(&move->to, table->name, err);
	if (kind == ERR_NONE)
		kind = put_rows(move, table, rows, is_end_out, err);
	if (kind != ERR_NONE)
		return kind; /* the connection ends, and takes the batch with it */
	if (!put(move, end, sizeof(end) - 1) || PQputCopyEnd(move->to.pg, NULL) != 1)
		return pg_link_failed(&move->to, table->name, err);
	kind = expect(move, PGRES_COMMAND_OK, err);
	while (!move->to.is_lost) {
		PGresult *more = pg_link_result(&move->to, MOVE_ANSWER_MS);
		PQclear(more);
		if (more == NULL)
			break;
	}
	return kind;
}

/* A long table says how far it is. */
static void tell_progress(struct move *move, const struct table *table)
{
	const int64_t now_ms = pg_boot_ms();
	if (now_ms - move->told_ms < TELL_EVERY_MS)
		return;
	move->told_ms = now_ms;
	LOG(move->config->log, INFO, "table_moving", log_str("table", str_of(table->name)),
	    log_int("rows", table->copied));
}

/* Rows and how far they go, in one transaction. */
static enum err_kind copy_batch(struct move *move, struct table *table, sqlite3_stmt *rows,
				bool *is_end_out, struct error *err)
{
	enum err_kind kind = tell(move, "BEGIN", err);
	if (kind == ERR_NONE)
		kind = copy_into(move, table, rows, is_end_out, err);
	char progress[TELL_MAX_BYTES];
	snprintf(progress, sizeof(progress),
		 "INSERT INTO meta (name, number) VALUES ('move/%s', %lld)"
		 " ON CONFLICT (name) DO UPDATE SET number = excluded.number",
		 table->name, (long long)table->copied);
	if (kind == ERR_NONE)
		kind = tell(move, progress, err);
	if (kind == ERR_NONE)
		kind = tell(move, "COMMIT", err);
	tell_progress(move, table);
	return kind;
}

/* Numbers given out from now on are above those that came along. */
static enum err_kind set_serial(struct move *move, const struct table *table, struct error *err)
{
	if (table->serial == NULL)
		return ERR_NONE;
	const char *text = str_z(
		move->arena,
		str_format(move->arena,
			   "SELECT setval(pg_get_serial_sequence('%s', '%s'), MAX(%s)) FROM %s"
			   " HAVING MAX(%s) IS NOT NULL",
			   table->name, table->serial, table->serial, table->name, table->serial));
	return tell(move, text, err);
}

static enum err_kind copy_rows(struct move *move, struct table *table, struct error *err)
{
	sqlite3_stmt *rows = NULL;
	bool is_end = false;
	const char *text = select_text(move, table, true);
	if (sqlite3_prepare_v2(move->from, text, -1, &rows, NULL) != SQLITE_OK)
		return from_failed(move, table->name, err);
	enum err_kind kind = ERR_NONE;
	table->copy = copy_text(move, table);
	while (kind == ERR_NONE && !is_end)
		kind = copy_batch(move, table, rows, &is_end, err);
	sqlite3_finalize(rows);
	return kind == ERR_NONE ? set_serial(move, table, err) : kind;
}

static enum err_kind read_progress(struct move *move, struct table *table, struct error *err)
{
	const char *text =
		str_z(move->arena,
		      str_format(move->arena, "SELECT number FROM meta WHERE name = 'move/%s'",
				 table->name));
	return ask_number(move, text, &table->copied, err);
}

/* ---- comparing ---- */

struct digest_sum {
	int64_t rows;
	uint64_t sum; /* over the rows' hashes: their order does not matter */
};

/* FNV-1a, 64 bits: against accidents, not against people. The length keeps columns apart. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < sizeof(length); i++)
		hash = (hash ^ (unsigned char)(length >> (8 * i))) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of_source(const struct table *table, sqlite3_stmt *row)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (int i = 0; i < table->column_count; i++) {
		const uint64_t number = htobe64((uint64_t)sqlite3_column_int64(row, i));
		const bool is_number = table->types[i] == OID_INT8;
		const void *bytes = is_number ? (const void *)&number : sqlite3_column_blob(row, i);
		hash = hash_bytes(hash, bytes,
				  is_number ? sizeof(number)
					    : (size_t)sqlite3_column_bytes(row, i));
	}
	return hash;
}

static enum err_kind sum_source(struct move *move, const struct table *table,
				struct digest_sum *sum, struct error *err)
{
	sqlite3_stmt *rows = NULL;
	int code;
	if (sqlite3_prepare_v2(move->from, select_text(move, table, false), -1, &rows, NULL) !=
	    SQLITE_OK)
		return from_failed(move, table->name, err);
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		sum->sum += hash_of_source(table, rows);
		sum->rows++;
	}
	sqlite3_finalize(rows);
	return code == SQLITE_DONE ? ERR_NONE : from_failed(move, table->name, err);
}

static void sum_result(const PGresult *result, struct digest_sum *sum)
{
	for (int row = 0; row < PQntuples(result); row++) {
		uint64_t hash = UINT64_C(0xcbf29ce484222325);
		for (int i = 0; i < PQnfields(result); i++)
			hash = hash_bytes(hash, PQgetvalue(result, row, i),
					  (size_t)PQgetlength(result, row, i));
		sum->sum += hash;
		sum->rows++;
	}
}

static enum err_kind sum_target(struct move *move, const struct table *table,
				struct digest_sum *sum, struct error *err)
{
	const bool is_meta = strcmp(table->name, "meta") == 0;
	const char *declare = str_z(
		move->arena,
		str_format(move->arena, "DECLARE moved NO SCROLL CURSOR FOR %s%s",
			   select_text(move, table, false), is_meta ? " WHERE NOT " OWN_META : ""));
	enum err_kind kind = tell(move, "BEGIN", err);
	if (kind == ERR_NONE)
		kind = tell(move, declare, err);
	for (int rows = 1; kind == ERR_NONE && rows > 0;) {
		PGresult *result = ask(move, "FETCH 1000 FROM moved", &kind, err);
		rows = result != NULL ? PQntuples(result) : 0;
		if (result != NULL)
			sum_result(result, sum);
		PQclear(result);
	}
	return kind == ERR_NONE ? tell(move, "COMMIT", err) : kind;
}

static enum err_kind compare_table(struct move *move, const struct table *table, struct error *err)
{
	struct digest_sum from = {0};
	struct digest_sum to = {0};
	enum err_kind kind = sum_source(move, table, &from, err);
	if (kind == ERR_NONE)
		kind = sum_target(move, table, &to, err);
	if (kind != ERR_NONE)
		return kind;
	if (from.rows != to.rows || from.sum != to.sum)
		return error_set(err, ERR_INTERNAL,
				 "move: %s differs: %lld rows here (digest %016llx), %lld there"
				 " (digest %016llx)",
				 table->name, (long long)from.rows, (unsigned long long)from.sum,
				 (long long)to.rows, (unsigned long long)to.sum);
	LOG(move->config->log, INFO, "table_moved", log_str("table", str_of(table->name)),
	    log_int("rows", to.rows));
	move->moved.rows += to.rows;
	return ERR_NONE;
}

/* ---- the whole ---- */

static enum err_kind move_table(struct move *move, size_t index, struct error *err)
{
	struct table table = {.name = tables[index].name,
			      .key = tables[index].key,
			      .serial = tables[index].serial};
	enum err_kind kind = look_at_columns(move, &table, err);
	if (kind == ERR_NONE)
		kind = read_progress(move, &table, err);
	move->moved.resumed += table.copied;
	if (kind == ERR_NONE)
		kind = copy_rows(move, &table, err);
	if (kind == ERR_NONE)
		kind = compare_table(move, &table, err);
	arena_clear(move->arena);
	return kind;
}

/* Empty, or begun by a move. */
static enum err_kind check_target(struct move *move, struct error *err)
{
	int64_t rows = 0;
	int64_t begun = 0;
	enum err_kind kind = ask_number(move, "SELECT COUNT(*) FROM admins", &rows, err);
	int64_t apps = 0;
	if (kind == ERR_NONE)
		kind = ask_number(move, "SELECT COUNT(*) FROM apps", &apps, err);
	if (kind == ERR_NONE)
		kind = ask_number(move, "SELECT COUNT(*) FROM meta WHERE name LIKE 'move/%'",
				  &begun, err);
	if (kind == ERR_NONE && rows + apps > 0 && begun == 0)
		return error_set(err, ERR_CONFLICT,
				 "the target database is not empty, and what it holds is not an "
				 "interrupted move");
	if (kind == ERR_NONE && begun == 0)
		kind = tell(move, "DELETE FROM meta WHERE name NOT IN (" NAMES_OF_THE_PLACE ")",
			    err);
	return kind;
}

static enum err_kind open_source(struct move *move, struct error *err)
{
	const struct store_config config = {.url = move->config->from_url,
					    .clock = move->config->clock,
					    .log = move->config->log,
					    .is_owner = true};
	const char *path = move->config->from_url + strlen("sqlite:");
	if (access(path, F_OK) != 0) /* opening it would make an empty one */
		return error_set(err, ERR_NOT_FOUND, "move: no such database: %s", path);
	const enum err_kind kind = store_open(&config, &move->source, err);
	if (kind != ERR_NONE)
		return kind;
	return sqlite3_open_v2(path, &move->from, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
		       ? ERR_NONE
		       : from_failed(move, "the source", err);
}

/* Opened once as a store: that makes the schema. */
static enum err_kind open_target(struct move *move, struct error *err)
{
	struct store *store = NULL;
	const struct store_config config = {.url = move->config->to_url,
					    .clock = move->config->clock,
					    .log = move->config->log};
	const struct sql_config link = {.path = move->config->to_url, .role = SQL_ROLE_WRITER};
	enum err_kind kind = store_open(&config, &store, err);
	store_close(&store);
	if (kind == ERR_NONE)
		kind = pg_link_open(&move->to, &link, err);
	if (kind == ERR_NONE && PQexitPipelineMode(move->to.pg) != 1)
		kind = pg_link_failed(&move->to, "move", err);
	if (kind == ERR_NONE)
		kind = tell(move, "SET statement_timeout = 0", err);
	return kind;
}

static enum err_kind move_all(struct move *move, struct error *err)
{
	enum err_kind kind = open_source(move, err);
	if (kind == ERR_NONE)
		kind = open_target(move, err);
	if (kind == ERR_NONE)
		kind = check_target(move, err);
	for (size_t i = 0; i < TABLE_COUNT && kind == ERR_NONE; i++, move->moved.tables++)
		kind = move_table(move, i, err);
	if (kind == ERR_NONE)
		kind = tell(move, "ANALYZE", err);
	return kind == ERR_NONE ? tell(move, "DELETE FROM meta WHERE name LIKE 'move/%'", err)
				: kind;
}

enum err_kind store_move(const struct store_move_config *config, struct store_moved *out,
			 struct error *err)
{
	struct move move = {.config = config, .told_ms = pg_boot_ms()};
	if (!str_has_prefix(str_of(config->from_url), STR("sqlite:")) ||
	    sql_driver_of(config->to_url) != &sql_driver_postgres)
		return error_set(err, ERR_INVALID,
				 "a move goes from sqlite:PATH to postgres://...");
	move.arena = arena_new("move", (size_t)1 << 20);
	const enum err_kind kind = move_all(&move, err);
	sqlite3_close(move.from);
	pg_link_close(&move.to);
	store_close(&move.source);
	arena_free(&move.arena);
	*out = move.moved;
	return kind;
}
