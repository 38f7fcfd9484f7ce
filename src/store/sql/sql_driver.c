/* SPDX-License-Identifier: Apache-2.0
 * The choice of a driver. */
#include "sql.h"

const struct sql_driver *sql_driver_of(const char *path)
{
	const struct str url = str_of(path);
	const bool is_postgres = str_has_prefix(url, STR("postgres://")) ||
				 str_has_prefix(url, STR("postgresql://"));
	return is_postgres ? &sql_driver_postgres : &sql_driver_sqlite;
}
