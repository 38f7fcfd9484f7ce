/* SPDX-License-Identifier: Apache-2.0
 * The file is one line of text: "posthorn-epoch 1 NUMBER AT_US LINEAGE". */
#include "epoch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#include "file_error.h"

/* rules.md 2.6. Both are written in the same minute, so that more is not chance. */
#define OLDER_US (5 * US_PER_MINUTE)
#define LINE_MAX_BYTES 128

enum epoch_finding epoch_compare(const struct epoch *database, const struct epoch *file)
{
	if (!file->is_there)
		return database->is_there ? EPOCH_FILE_MISSING : EPOCH_FIRST;
	if (database->is_there && database->lineage != file->lineage)
		return EPOCH_OTHER_DATABASE;
	if (file->number > database->number || file->at_us - database->at_us > OLDER_US)
		return file->number > 0 ? EPOCH_DATABASE_OLDER : EPOCH_SAME;
	return EPOCH_SAME;
}

bool epoch_means_restore(enum epoch_finding finding)
{
	return finding != EPOCH_FIRST && finding != EPOCH_SAME;
}

const char *epoch_sentence(enum epoch_finding finding)
{
	static const char *const sentences[] = {
		[EPOCH_FIRST] = "the restore guard starts here",
		[EPOCH_SAME] = "the database is the one that ran here last",
		[EPOCH_DATABASE_OLDER] = "the database is older than the last run: it was restored",
		[EPOCH_FILE_MISSING] = "the epoch file is missing: the database may be a copy",
		[EPOCH_OTHER_DATABASE] = "the epoch file belongs to another database",
		[EPOCH_PUT_BACK] = "commits of the last run are missing: a copy was put back",
		[EPOCH_ARMED] = "`posthorn restore` said that the database was put back",
	};
	return sentences[finding];
}

static void epoch_parse(const char *line, struct epoch *out)
{
	struct epoch epoch = {.is_there = true};
	char end = '\0';
	const int fields = sscanf(line, "posthorn-epoch 1 %" SCNd64 " %" SCNd64 " %" SCNd64 "%c",
				  &epoch.number, &epoch.at_us, &epoch.lineage, &end);
	if (fields == 4 && end == '\n' && epoch.number >= 0)
		*out = epoch;
}

enum err_kind epoch_file_read(const char *path, struct epoch *out, struct error *err)
{
	char line[LINE_MAX_BYTES] = {0};
	*out = (struct epoch){0};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return ERR_NONE;
	if (fd < 0)
		return file_error("open", path, err);
	const ssize_t size_bytes = read(fd, line, sizeof(line) - 1);
	const enum err_kind kind = size_bytes < 0 ? file_error("read", path, err) : ERR_NONE;
	close(fd);
	if (kind == ERR_NONE)
		epoch_parse(line, out);
	return kind;
}

static enum err_kind write_whole(const char *path, const char *line, struct error *err)
{
	const size_t size_bytes = strlen(line);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error("make", path, err);
	enum err_kind kind = ERR_NONE;
	if (write(fd, line, size_bytes) != (ssize_t)size_bytes || fsync(fd) != 0)
		kind = file_error("write", path, err);
	close(fd);
	return kind;
}

/* The new name is durable only when its directory is. */
static enum err_kind sync_directory_of(const char *path, struct error *err)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/');
	const size_t length = slash != NULL ? (size_t)(slash - path) : 0;
	snprintf(directory, sizeof(directory), "%.*s/.", (int)length, path);
	const int fd = open(slash != NULL ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return file_error("open the directory of", path, err);
	const enum err_kind kind = fsync(fd) == 0 ? ERR_NONE : file_error("sync", path, err);
	close(fd);
	return kind;
}

enum err_kind epoch_file_write(const char *path, const struct epoch *epoch, struct error *err)
{
	char line[LINE_MAX_BYTES];
	char next[PATH_MAX];
	const int length = snprintf(next, sizeof(next), "%s.next", path);
	if (length < 0 || (size_t)length >= sizeof(next))
		return error_set(err, ERR_INVALID, "the path of the epoch file is too long");
	snprintf(line, sizeof(line), "posthorn-epoch 1 %" PRId64 " %" PRId64 " %" PRId64 "\n",
		 epoch->number, epoch->at_us, epoch->lineage);
	enum err_kind kind = write_whole(next, line, err);
	if (kind == ERR_NONE && rename(next, path) != 0)
		kind = file_error("rename", next, err);
	if (kind == ERR_NONE)
		kind = sync_directory_of(path, err);
	return kind;
}
