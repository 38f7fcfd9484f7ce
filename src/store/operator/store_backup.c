/* SPDX-License-Identifier: Apache-2.0
 * The order matters: copy, flush, beat of the guard, name. */
#include "store_backup.h"

#include <sys/stat.h>

#include "readers.h"
#include "store_backup_file.h"
#include "store_guard.h"
#include "store_private.h"

static enum err_kind copy(struct store *store, const char *path, struct error *err)
{
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql->driver->backup != NULL
		       ? sql->driver->backup(sql, path, err)
		       : error_set(err, ERR_INVALID, "use the database's own tools for a backup");
	readers_give_back(store->readers, &sql);
	return kind;
}

static enum err_kind fill(struct store *store, const struct store_backup_file *file, int64_t now_us,
			  struct error *err)
{
	enum err_kind kind = copy(store, file->temporary, err);
	if (kind == ERR_NONE)
		kind = store_backup_file_sync(file, err);
	if (kind == ERR_NONE)
		kind = store_guard_beat(store, now_us, err);
	if (kind == ERR_NONE)
		kind = store_backup_file_end(file, err);
	return kind;
}

enum err_kind store_backup(struct store *store, const char *path, int64_t now_us,
			   int64_t *size_bytes_out, struct error *err)
{
	struct store_backup_file file;
	struct stat info;
	enum err_kind kind = store_backup_file_begin(path, &file, err);
	if (kind != ERR_NONE)
		return kind;
	kind = fill(store, &file, now_us, err);
	store_backup_file_close(&file);
	*size_bytes_out = kind == ERR_NONE && stat(path, &info) == 0 ? info.st_size : 0;
	return kind;
}
