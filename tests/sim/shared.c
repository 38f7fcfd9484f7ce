/* SPDX-License-Identifier: Apache-2.0
 * See shared.h. The linker's wrap of sql_driver_of() makes the choice of drivers ours. */
#include "shared.h"

#include <string.h>

#include <sqlite3.h>

#include "str.h"

#include "sql.h"

/* ---- the driver ---- */

const struct sql_driver *__real_sql_driver_of(const char *path);
const struct sql_driver *__wrap_sql_driver_of(const char *path);

static enum err_kind shared_open(const struct sql_config *config, struct sql_connection **out,
				 struct error *err);

/* No COMMIT's answer is lost on the way to a file: nothing has to be looked up by a mark. The seed
 * loses them one floor above (write_port() of house.c). */
static enum err_kind shared_set_mark(struct sql_connection *connection, struct str mark,
				     struct error *err)
{
	(void)connection;
	(void)mark;
	(void)err;
	return ERR_NONE;
}

static const struct sql_driver *shared_driver(void)
{
	static struct sql_driver driver; /* SQLite's, and what makes it shared */
	driver = sql_driver_sqlite;
	driver.open = shared_open;
	driver.set_mark = shared_set_mark;
	driver.is_put_back = NULL;
	driver.settle_put_back = NULL;
	return &driver;
}

static enum err_kind shared_open(const struct sql_config *config, struct sql_connection **out,
				 struct error *err)
{
	struct sql_config file = *config;
	file.path += strlen(SHARED_URL);
	file.mark_path = NULL; /* it is for a file with one owner */
	const enum err_kind kind = sql_driver_sqlite.open(&file, out, err);
	if (kind == ERR_NONE)
		(*out)->driver = shared_driver();
	return kind;
}

const struct sql_driver *__wrap_sql_driver_of(const char *path)
{
	return str_has_prefix(str_of(path), STR(SHARED_URL)) ? shared_driver()
							     : __real_sql_driver_of(path);
}

/* ---- the clock ---- */

/* SQLite asks its file system for the time. */
struct clock_vfs {
	sqlite3_vfs base; /* first: SQLite hands this address down */
	sqlite3_vfs *real;
	const struct sim *sim;
};

/* One for the process, as SQLite's own are. */
static struct clock_vfs clock_vfs;

#define JULIAN_1970_MS INT64_C(210866760000000)

static int current_time_ms(sqlite3_vfs *vfs, sqlite3_int64 *out)
{
	const struct clock_vfs *own = (const struct clock_vfs *)vfs;
	if (own->sim == NULL)
		return own->real->xCurrentTimeInt64(own->real, out);
	*out = JULIAN_1970_MS + (own->sim->true_us + own->sim->wall_offset_us) / 1000;
	return SQLITE_OK;
}

void shared_clock_install(void)
{
	clock_vfs.real = sqlite3_vfs_find(NULL);
	clock_vfs.base = *clock_vfs.real;
	clock_vfs.base.pNext = NULL;
	clock_vfs.base.zName = "simulated-clock";
	clock_vfs.base.xCurrentTimeInt64 = current_time_ms;
	sqlite3_vfs_register(&clock_vfs.base, 1);
}

void shared_clock_set(const struct sim *sim)
{
	clock_vfs.sim = sim;
}
