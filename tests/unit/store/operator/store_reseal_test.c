/* SPDX-License-Identifier: Apache-2.0
 * The table of sealed columns is the schema's: a column that a migration adds and the walk does not
 * know would be lost with its old key. What the verbs do is tests/store/reseal_part.c. */
#include "store_reseal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "clock.h"

#include "store.h"

/* Bytes are sealed, or they are named here, since somebody has thought about it: how far a file
 * that is coming in has been hashed is no secret, nor is what a sandbox was asked; what the nodes
 * say to each other is drawn anew when the sandbox changes hands; words of posts are as plain as
 * the posts. */
#define COLUMNS \
	"SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c" \
	" WHERE m.type = 'table' AND (c.type = 'BLOB' OR c.name LIKE '%sealed%')" \
	" AND NOT (m.name = 'media_uploads' AND c.name = 'hash_state')" \
	" AND NOT (m.name = 'sandbox_lease' AND c.name = 'pass')" \
	" AND NOT (m.name = 'sandbox_journals' AND c.name = 'bytes')" \
	" AND m.name NOT LIKE 'post_words%'"

static bool is_walked(const char *table, const char *column)
{
	for (size_t i = 0; store_sealed_column(i) != NULL; i++) {
		const struct sealed_column *known = store_sealed_column(i);
		if (strcmp(known->table, table) == 0 && strcmp(known->name, column) == 0)
			return true;
	}
	return false;
}

static size_t columns_of(const char *path)
{
	sqlite3 *database = NULL;
	sqlite3_stmt *statement = NULL;
	size_t count = 0;
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, COLUMNS, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(statement, 0);
		const char *column = (const char *)sqlite3_column_text(statement, 1);
		if (!is_walked(table, column))
			fail_msg("%s.%s holds bytes, and store_reseal.c does not walk it", table,
				 column);
		count++;
	}
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return count;
}

static void every_sealed_column_of_the_schema_is_walked(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	struct store *store = NULL;
	struct error err = {0};
	char directory[] = "/tmp/store-reseal-XXXXXX";
	char path[96];
	char url[128];
	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/test.db", directory);
	snprintf(url, sizeof(url), "sqlite:%s", path);
	const struct store_config config = {.url = url, .clock = clock_system(), .is_owner = true};
	assert_int_equal(store_open(&config, &store, &err), ERR_NONE);
	store_close(&store);
	size_t known = 0;
	while (store_sealed_column(known) != NULL)
		known++;
	assert_int_equal(columns_of(path), known);
	for (size_t i = 0; i < 4; i++) {
		char file[128];
		snprintf(file, sizeof(file), "%s%s", path, ends[i]);
		unlink(file);
	}
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sealed_column_of_the_schema_is_walked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
