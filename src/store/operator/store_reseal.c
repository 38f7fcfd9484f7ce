/* SPDX-License-Identifier: Apache-2.0
 * See store_reseal.h. A sealed column is a row of the table here and one of SEALED_COUNTS. */
#include "store_reseal.h"

#include "arena.h"
#include "count_of.h"

#include "store_private.h"

struct column_row {
	struct sealed_column column;
	enum sql_name page;
	enum sql_name swap;
	bool is_of_app; /* its row is an app's for a platform, and has no id */
};

static const struct column_row rows[] = {
	{{"platform_credentials", "client_secret_sealed", "platform_credentials", "client_secret"},
	 SQL_SEALED_CREDENTIAL_PAGE,
	 SQL_SEALED_CREDENTIAL_SWAP,
	 true},
	/* sealed for the place that it is to take */
	{{"credential_candidates", "client_secret_sealed", "platform_credentials", "client_secret"},
	 SQL_SEALED_CANDIDATE_PAGE,
	 SQL_SEALED_CANDIDATE_SWAP,
	 true},
	{{"accounts", "access_token_sealed", "accounts", "access_token"},
	 SQL_SEALED_ACCESS_TOKEN_PAGE,
	 SQL_SEALED_ACCESS_TOKEN_SWAP,
	 false},
	{{"accounts", "refresh_token_sealed", "accounts", "refresh_token"},
	 SQL_SEALED_REFRESH_TOKEN_PAGE,
	 SQL_SEALED_REFRESH_TOKEN_SWAP,
	 false},
	{{"accounts", "extra_sealed", "accounts", "extra_secret"},
	 SQL_SEALED_EXTRA_PAGE,
	 SQL_SEALED_EXTRA_SWAP,
	 false},
	{{"webhooks", "secret_sealed", "webhooks", "secret"},
	 SQL_SEALED_WEBHOOK_PAGE,
	 SQL_SEALED_WEBHOOK_SWAP,
	 false},
	{{"webhooks", "old_secret_sealed", "webhooks", "old_secret"},
	 SQL_SEALED_OLD_WEBHOOK_PAGE,
	 SQL_SEALED_OLD_WEBHOOK_SWAP,
	 false},
	{{"connections", "pkce_sealed", "connections", "pkce_verifier"},
	 SQL_SEALED_PKCE_PAGE,
	 SQL_SEALED_PKCE_SWAP,
	 false},
	{{"connections", "code_sealed", "connections", "code"},
	 SQL_SEALED_CODE_PAGE,
	 SQL_SEALED_CODE_SWAP,
	 false},
	{{"connections", "flow_sealed", "connections", "flow_secrets"},
	 SQL_SEALED_CONNECTION_FLOW_PAGE,
	 SQL_SEALED_CONNECTION_FLOW_SWAP,
	 false},
	{{"deliveries", "flow_sealed", "deliveries", "flow_secrets"},
	 SQL_SEALED_DELIVERY_FLOW_PAGE,
	 SQL_SEALED_DELIVERY_FLOW_SWAP,
	 false},
	{{"second_factors", "secret_sealed", "second_factors", "secret"},
	 SQL_SEALED_SECOND_FACTOR_PAGE,
	 SQL_SEALED_SECOND_FACTOR_SWAP,
	 false},
};

const struct sealed_column *store_sealed_column(size_t number)
{
	return number < COUNT_OF(rows) ? &rows[number].column : NULL;
}

/* ---- reading ---- */

static void sealed_read(struct sql_cursor *cursor, void *out)
{
	struct sealed_record *record = out;
	*record = (struct sealed_record){0};
	record->id = sql_take_text(cursor);
	record->platform = sql_take_int(cursor);
	record->sealed = sql_take_blob(cursor);
}

/* As the places of seal_secret() name the row. */
static struct str row_id_of(struct arena *arena, const struct column_row *row,
			    const struct sealed_record *record)
{
	return row->is_of_app ? str_format(arena, STR_FMT "/%s", STR_ARG(record->id),
					   platform_id_slug((enum platform_id)record->platform))
			      : record->id;
}

/* Past the page; to the next column when this one has no more rows. */
static void cursor_move(struct sealed_cursor *cursor, const struct sealed_record *page,
			size_t count, size_t rows_max)
{
	if (count < rows_max) {
		*cursor = (struct sealed_cursor){.column = cursor->column + 1};
		return;
	}
	cursor->id = page[count - 1].id;
	cursor->platform = page[count - 1].platform;
}

/* Keeps those that have something to be sealed again. */
static size_t keep_sealed(struct arena *arena, const struct column_row *row, size_t column,
			  struct sealed_record *page, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (str_is_empty(page[i].sealed))
			continue;
		page[i].column = column;
		page[i].row_id = row_id_of(arena, row, &page[i]);
		page[kept++] = page[i];
	}
	return kept;
}

enum err_kind store_sealed_list(struct store *store, struct arena *arena, struct str head,
				size_t rows_max, struct sealed_cursor *cursor,
				struct sealed_record **out, size_t *count_out, struct error *err)
{
	struct sealed_record *page = NULL;
	size_t count = 0;
	const size_t column = cursor->column;
	*count_out = 0;
	if (column >= COUNT_OF(rows))
		return ERR_NONE;
	const struct column_row *row = &rows[column];
	struct sql_args args = SQL_ARGS(sql_text(cursor->id), sql_blob(head),
					sql_int((int64_t)rows_max), sql_int(cursor->platform));
	args.count -= row->is_of_app ? 0 : 1;
	const enum err_kind kind = store_list(
		store, arena, SQL_ROWS(row->page, args, sealed_read, struct sealed_record),
		(void **)&page, &count, err);
	if (kind != ERR_NONE)
		return kind;
	cursor_move(cursor, page, count, rows_max);
	*out = page;
	*count_out = keep_sealed(arena, row, column, page, count);
	return ERR_NONE;
}

static void count_read(struct sql_cursor *cursor, void *out)
{
	struct sealed_count *count = out;
	count->head = sql_take_blob(cursor);
	count->records = sql_take_int(cursor);
}

enum err_kind store_sealed_count(struct store *store, struct arena *arena,
				 struct sealed_count **out, size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_SEALED_COUNTS, SQL_NO_ARGS, count_read, struct sealed_count),
			  (void **)out, count_out, err);
}

/* ---- writing ---- */

struct replacing {
	const struct sealed_record *records;
	size_t count;
	int64_t replaced;
};

static enum err_kind replace_one(struct store_tx *tx, const struct sealed_record *record,
				 int64_t *replaced, struct error *err)
{
	const struct column_row *row = &rows[record->column];
	struct sql_args args = SQL_ARGS(sql_text(record->id), sql_blob(record->sealed),
					sql_blob(record->again), sql_int(record->platform));
	int64_t changes = 0;
	args.count -= row->is_of_app ? 0 : 1;
	const enum err_kind kind = sql_run(tx->sql, row->swap, args, &changes, err);
	*replaced += changes;
	return kind;
}

static enum err_kind replace(struct store_tx *tx, void *argument, struct error *err)
{
	struct replacing *replacing = argument;
	enum err_kind kind = ERR_NONE;
	replacing->replaced = 0;
	for (size_t i = 0; i < replacing->count && kind == ERR_NONE; i++) {
		if (!str_is_empty(replacing->records[i].again))
			kind = replace_one(tx, &replacing->records[i], &replacing->replaced, err);
	}
	return kind;
}

enum err_kind store_sealed_replace(struct store *store, const struct sealed_record *records,
				   size_t count, int64_t *replaced_out, struct error *err)
{
	struct replacing replacing = {.records = records, .count = count};
	const enum err_kind kind = store_write(store, replace, &replacing, err);
	*replaced_out = replacing.replaced;
	return kind;
}
