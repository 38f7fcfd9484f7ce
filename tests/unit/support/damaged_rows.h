/* SPDX-License-Identifier: Apache-2.0
 * Rows that were changed past the store, as a fault of a disk or a person would leave them. */
#pragma once

#include "sql.h"

#include "world.h"

/* Runs SQL on the world's database beside its store. */
static inline void damage_rows(struct world *w, struct str script)
{
	struct error err = {0};
	struct sql_connection *sql = NULL;
	const struct sql_config config = {.path = w->url + strlen("sqlite:"),
					  .role = SQL_ROLE_WRITER,
					  .busy_timeout_ms = 5000};
	ok(sql_driver_sqlite.open(&config, &sql, &err), &err);
	ok(sql_driver_sqlite.run_script(sql, script, &err), &err);
	sql_driver_sqlite.close(&sql);
}
