/* SPDX-License-Identifier: Apache-2.0
 * Files of the spool that are made here from others. */
#include "spool_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum err_kind spool_made_begin(struct spool *spool, struct arena *arena, struct str key,
			       const char **path_out, struct error *err)
{
	const int failed = spool_folder_make(spool, arena, key);
	if (failed != 0)
		return error_set_native(err, ERR_TEMPORARY, failed,
					"a spool folder could not be created: %s",
					strerror(failed));
	*path_out = spool_part_path(spool, arena, key);
	return ERR_NONE;
}

enum err_kind spool_made_finish(struct spool *spool, struct arena *arena, struct str key,
				const char *sha256, struct spool_file *file_out, struct error *err)
{
	const char *part = spool_part_path(spool, arena, key);
	const int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "a file that was made is gone");
	const enum err_kind kind = spool_keep_part(spool, arena, key, fd, sha256, file_out, err);
	close(fd);
	if (kind != ERR_NONE)
		unlink(part);
	return kind;
}

void spool_made_drop(struct spool *spool, struct arena *arena, struct str key)
{
	unlink(spool_part_path(spool, arena, key));
}
