/* SPDX-License-Identifier: Apache-2.0
 * The version is read inside the write transaction: two processes that start at once take turns. */
#include "migrate.h"

#include "sql.h"

/* Cannot be a prepared statement of the list, as those may need tables that are not there yet. */
#define VERSION_TABLE \
	"CREATE TABLE IF NOT EXISTS schema_migrations (" \
	"number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)"

static enum err_kind version_read(struct sql_connection *sql, int64_t *version_out,
				  struct error *err)
{
	return sql_number(sql, SQL_MIGRATION_VERSION, SQL_NO_ARGS, version_out, err);
}

static enum err_kind raise_oldest_program(struct sql_connection *sql, int64_t needed,
					  struct error *err)
{
	const struct sql_value name = sql_word(MIGRATE_OLDEST_PROGRAM);
	int64_t oldest = 0;
	const enum err_kind kind = sql_number(sql, SQL_META_GET, SQL_ARGS(name), &oldest, err);
	if (kind != ERR_NONE || oldest >= needed)
		return kind;
	return sql_run(sql, SQL_META_PUT, SQL_ARGS(name, sql_int(needed)), NULL, err);
}

static enum err_kind apply(struct sql_connection *sql, const struct migration *migration,
			   struct error *err)
{
	int64_t version = 0;
	enum err_kind kind = version_read(sql, &version, err);
	if (kind != ERR_NONE || version >= migration->number)
		return kind;
	kind = sql->driver->run_script(sql, str_of(migration->text), err);
	if (kind != ERR_NONE) {
		error_add(err, "migration %04d_%s", migration->number, migration->name);
		return kind;
	}
	kind = sql_run(sql, SQL_MIGRATION_INSERT,
		       SQL_ARGS(sql_int(migration->number), sql_word(migration->name)), NULL, err);
	return kind == ERR_NONE ? raise_oldest_program(sql, migration->oldest_program, err) : kind;
}

static enum err_kind apply_durably(struct sql_connection *sql, const struct migration *first,
				   size_t count, struct error *err)
{
	enum err_kind kind = sql_run(sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = apply(sql, &first[i], err);
	if (kind == ERR_NONE)
		kind = sql_run(sql, SQL_COMMIT, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		sql_run(sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, NULL);
	return kind;
}

/* In its own write transaction: nodes that start together take turns. */
static enum err_kind make_version_table(struct sql_connection *sql, struct error *err)
{
	enum err_kind kind = sql_run(sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql->driver->run_script(sql, STR(VERSION_TABLE), err);
	if (kind == ERR_NONE)
		kind = sql_run(sql, SQL_COMMIT, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		sql_run(sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, NULL);
	return kind;
}

static int program_schema(void)
{
	return migrations[migrations_count - 1].number;
}

enum err_kind migrate_check_program(int64_t oldest_program, struct error *err)
{
	if (oldest_program <= program_schema())
		return ERR_NONE;
	return error_set(err, ERR_INVALID,
			 "the database was upgraded for programs that know schema %d or newer, and "
			 "this one knows %d: install the newer version here",
			 (int)oldest_program, program_schema());
}

/* Where nothing is said, every program must know all of the schema. */
static enum err_kind judge_newer(struct sql_connection *sql, int64_t version, struct error *err)
{
	int64_t oldest = 0;
	const enum err_kind kind = sql_number(
		sql, SQL_META_GET, SQL_ARGS(sql_word(MIGRATE_OLDEST_PROGRAM)), &oldest, err);
	return kind == ERR_NONE ? migrate_check_program(oldest > 0 ? oldest : version, err) : kind;
}

enum err_kind migrate(struct sql_connection *sql, int *version_out, struct error *err)
{
	int64_t version = 0;
	enum err_kind kind = make_version_table(sql, err);
	if (kind == ERR_NONE)
		kind = version_read(sql, &version, err);
	/* An empty database becomes whole at once: one commit instead of one for each. */
	const size_t together = version == 0 ? migrations_count : 1;
	for (size_t i = (size_t)version; i < migrations_count && kind == ERR_NONE; i += together)
		kind = apply_durably(sql, &migrations[i], together, err);
	if (kind == ERR_NONE)
		kind = version_read(sql, &version, err);
	if (kind == ERR_NONE && version > program_schema())
		kind = judge_newer(sql, version, err);
	if (kind == ERR_NONE)
		*version_out = (int)version;
	return kind;
}
