/* SPDX-License-Identifier: Apache-2.0
 * See media_files.h. */
#include "media_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"

#include "media_id.h"

#include "store_media.h"

#include "media_bucket.h"

#define FOLDERS 256
#define NAME_MAX_BYTES 64
#define SCRATCH_BYTES 8192

/* The last two digits of an id are random. */
static struct str folder_of(struct str name)
{
	return str_slice(name, name.len - 2, name.len);
}

char *media_file_path(const struct media_files *files, struct arena *arena, struct str media_id)
{
	return str_z(arena, str_format(arena, "%s/files/" STR_FMT "/" STR_FMT, files->directory,
				       STR_ARG(folder_of(media_id)), STR_ARG(media_id)));
}

char *media_part_path(const struct media_files *files, struct arena *arena, struct str upload_id)
{
	return str_z(arena,
		     str_format(arena, "%s/parts/" STR_FMT, files->directory, STR_ARG(upload_id)));
}

static enum err_kind make_folder(const char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return ERR_NONE;
	return error_set_native(err, ERR_INTERNAL, errno, "cannot make %s", path);
}

enum err_kind media_files_init(struct media_files *files, char *directory, struct s3 *s3,
			       struct error *err)
{
	struct arena *arena = arena_new("media folders", (size_t)1 << 20);
	files->directory = directory;
	files->s3 = s3;
	enum err_kind kind = make_folder(directory, err);
	if (kind == ERR_NONE)
		kind = make_folder(str_z(arena, str_format(arena, "%s/parts", directory)), err);
	if (kind == ERR_NONE)
		kind = make_folder(str_z(arena, str_format(arena, "%s/files", directory)), err);
	for (unsigned i = 0; i < FOLDERS && kind == ERR_NONE; i++) {
		kind = make_folder(str_z(arena, str_format(arena, "%s/files/%02x", directory, i)),
				   err);
		arena_clear(arena);
	}
	arena_free(&arena);
	return kind;
}

bool media_file_is_here(const struct media_files *files, struct arena *arena, struct str media_id)
{
	return access(media_file_path(files, arena, media_id), R_OK) == 0;
}

/* A copy that is used stays (media_files_forget_copies). */
static int open_here(const struct media_files *files, struct arena *arena, struct str media_id)
{
	const int fd =
		open(media_file_path(files, arena, media_id), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && files->s3 != NULL)
		(void)futimens(fd, NULL);
	return fd;
}

enum err_kind media_file_open(const struct media_files *files, struct arena *arena,
			      struct str media_id, int *fd_out, struct error *err)
{
	*fd_out = open_here(files, arena, media_id);
	if (*fd_out >= 0)
		return ERR_NONE;
	if (files->s3 == NULL)
		return error_set_native(err, ERR_NOT_FOUND, errno, "the file is not there");
	const enum err_kind kind = media_bucket_fetch(files, arena, media_id, err);
	if (kind != ERR_NONE)
		return kind;
	*fd_out = open_here(files, arena, media_id);
	return *fd_out >= 0 ? ERR_NONE
			    : error_set_native(err, ERR_TEMPORARY, errno, "the copy is gone");
}

enum err_kind media_file_bring(const struct media_files *files, struct arena *arena,
			       struct str media_id, struct error *err)
{
	int fd = -1;
	const enum err_kind kind = media_file_open(files, arena, media_id, &fd, err);
	if (fd >= 0)
		close(fd);
	return kind;
}

/* A name is durable when its folder is. */
static bool sync_folder(const struct media_files *files, struct arena *arena, struct str media_id)
{
	const char *path = str_z(arena, str_format(arena, "%s/files/" STR_FMT, files->directory,
						   STR_ARG(folder_of(media_id))));
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool is_synced = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return is_synced;
}

enum err_kind media_file_place(const struct media_files *files, struct arena *arena,
			       struct str upload_id, struct str media_id, struct str same,
			       struct error *err)
{
	const char *part = media_part_path(files, arena, upload_id);
	const char *path = media_file_path(files, arena, media_id);
	unlink(path); /* of a try before */
	const bool is_shared =
		!str_is_empty(same) && link(media_file_path(files, arena, same), path) == 0;
	/* A file system without links: the part itself becomes the file. */
	if (!is_shared && link(part, path) != 0 && rename(part, path) != 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot place an upload");
	if (!sync_folder(files, arena, media_id))
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot sync the media store");
	return files->s3 != NULL ? media_bucket_put(files, arena, media_id, err) : ERR_NONE;
}

bool media_name_remove(const struct media_files *files, struct arena *arena, struct str name)
{
	const char *path = media_id_is(name) ? media_file_path(files, arena, name)
					     : media_part_path(files, arena, name);
	const bool is_gone = unlink(path) == 0 || errno == ENOENT;
	return is_gone && (files->s3 == NULL || media_bucket_remove(files, arena, name));
}

/* ---- walking ---- */

struct walk {
	int64_t before_s;
	void (*visit)(void *context, struct str name);
	void *context;
};

static void walk_folder(const char *path, const struct walk *walk)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		struct stat status;
		if (entry->d_name[0] == '.' || strlen(entry->d_name) > NAME_MAX_BYTES ||
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(status.st_mode))
			continue;
		if (status.st_mtime < walk->before_s && status.st_ctime < walk->before_s)
			walk->visit(walk->context, str_of(entry->d_name));
	}
	if (folder != NULL)
		closedir(folder);
}

void media_files_walk(const struct media_files *files, int64_t older_s,
		      void (*visit)(void *context, struct str name), void *context)
{
	struct arena *arena = arena_new("media walk", SCRATCH_BYTES);
	const struct walk walk = {(int64_t)time(NULL) - older_s, visit, context};
	walk_folder(str_z(arena, str_format(arena, "%s/parts", files->directory)), &walk);
	for (unsigned i = 0; i < FOLDERS; i++) {
		arena_clear(arena);
		walk_folder(str_z(arena, str_format(arena, "%s/files/%02x", files->directory, i)),
			    &walk);
	}
	arena_free(&arena);
	if (files->s3 != NULL)
		media_bucket_walk(files, older_s, visit, context);
}

struct forgetting {
	const struct media_files *files;
	struct arena *arena;
};

static void forget(void *context, struct str name)
{
	const struct forgetting *f = context;
	arena_clear(f->arena);
	if (media_id_is(name))
		unlink(media_file_path(f->files, f->arena, name));
}

void media_files_forget_copies(const struct media_files *files, int64_t older_s)
{
	struct forgetting f = {files, NULL};
	const struct media_files here = {.directory = files->directory};
	if (files->s3 == NULL)
		return;
	f.arena = arena_new("media copies", SCRATCH_BYTES);
	media_files_walk(&here, older_s, forget, &f);
	arena_free(&f.arena);
}

/* ---- what a file is ---- */

struct sniff media_sniff(const struct media_row *row)
{
	struct sniff sniff = {0};
	for (enum sniff_type type = 0; type < SNIFF_TYPE_COUNT; type++) {
		sniff_set_type(&sniff, type);
		if (str_equal_z(row->mime_type, sniff.mime_type))
			break;
	}
	sniff.is_animated = row->is_animated;
	sniff.is_telling = row->is_telling;
	sniff.width = (uint32_t)row->width;
	sniff.height = (uint32_t)row->height;
	sniff.duration_ms = row->duration_ms;
	return sniff;
}

const char *media_kind_name(struct str mime_type)
{
	if (str_has_prefix(mime_type, STR("image/")))
		return "image";
	return str_has_prefix(mime_type, STR("video/")) ? "video" : "document";
}
