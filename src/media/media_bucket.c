/* SPDX-License-Identifier: Apache-2.0
 * See media_bucket.h. What comes from the bucket is written beside its place and renamed, so that a
 * file under its name is whole. */
#include "media_bucket.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "random.h"

#include "media_id.h"

#include "s3.h"

#include "media_files.h"

#define FILES "files/"
#define PARTS "parts/"
#define PAGE 1000 /* of s3_list() */
#define OFFSET_DIGITS 16
#define SCRATCH_BYTES 8192
#define LIST_ARENA_BYTES ((size_t)4 << 20)
#define US_PER_SECOND INT64_C(1000000)

static struct str name_of_file(struct arena *arena, struct str media_id)
{
	return str_concat(arena, STR(FILES), media_id);
}

/* In the order of their offsets. */
static struct str name_of_piece(struct arena *arena, struct str upload_id, int64_t offset_bytes)
{
	return str_format(arena, PARTS STR_FMT "/%016" PRId64, STR_ARG(upload_id), offset_bytes);
}

enum err_kind media_bucket_put(const struct media_files *files, struct arena *arena,
			       struct str media_id, struct error *err)
{
	struct stat status;
	const int fd =
		open(media_file_path(files, arena, media_id), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		if (fd >= 0)
			close(fd);
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot read an upload");
	}
	const struct s3_range bytes = {fd, 0, (int64_t)status.st_size};
	const enum err_kind kind = s3_put(files->s3, name_of_file(arena, media_id), &bytes, err);
	close(fd);
	return kind == ERR_NONE ? ERR_NONE : ERR_TEMPORARY;
}

/* Two that fetch the same file at once both write a whole one. */
static char *path_beside(const struct media_files *files, struct arena *arena, struct str media_id)
{
	uint64_t number = 0;
	random_fill(random_system(), (uint8_t *)&number, sizeof(number));
	return str_z(arena, str_format(arena, "%s/parts/" STR_FMT ".%016" PRIx64, files->directory,
				       STR_ARG(media_id), number));
}

enum err_kind media_bucket_fetch(const struct media_files *files, struct arena *arena,
				 struct str media_id, struct error *err)
{
	const char *path = path_beside(files, arena, media_id);
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write a copy of a file");
	enum err_kind kind = s3_get(files->s3, name_of_file(arena, media_id), fd, err);
	close(fd);
	if (kind == ERR_NONE && rename(path, media_file_path(files, arena, media_id)) != 0)
		kind = error_set_native(err, ERR_TEMPORARY, errno, "cannot place a copy of a file");
	if (kind != ERR_NONE)
		unlink(path);
	return kind == ERR_NONE || kind == ERR_NOT_FOUND ? kind : ERR_TEMPORARY;
}

/* ---- pieces ---- */

enum err_kind media_part_keep(const struct media_files *files, struct arena *arena,
			      struct str upload_id, int64_t from_bytes, int64_t to_bytes,
			      struct error *err)
{
	const int fd =
		open(media_part_path(files, arena, upload_id), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot read an upload");
	const struct s3_range bytes = {fd, from_bytes, to_bytes - from_bytes};
	const enum err_kind kind =
		s3_put(files->s3, name_of_piece(arena, upload_id, from_bytes), &bytes, err);
	close(fd);
	return kind == ERR_NONE ? ERR_NONE : ERR_TEMPORARY;
}

/* A page of an upload's pieces, after a name. */
static enum err_kind pieces(const struct media_files *files, struct arena *arena,
			    struct str upload_id, struct str after, struct s3_object **out,
			    size_t *count_out, struct error *err)
{
	const struct str prefix = str_format(arena, PARTS STR_FMT "/", STR_ARG(upload_id));
	return s3_list(files->s3, arena, prefix, after, out, count_out, err);
}

/* To where it belongs. What overlaps is of a try that was not marked, and lies behind what is. */
static enum err_kind put_piece(const struct media_files *files, struct str name, int fd,
			       struct error *err)
{
	const size_t digits = name.len > OFFSET_DIGITS ? name.len - OFFSET_DIGITS : name.len;
	int64_t offset_bytes = -1;
	if (!str_parse_i64(str_slice(name, digits, name.len), &offset_bytes) ||
	    lseek(fd, (off_t)offset_bytes, SEEK_SET) < 0)
		return error_set(err, ERR_TEMPORARY, "a piece of an upload has no offset");
	return s3_get(files->s3, name, fd, err);
}

static enum err_kind put_together(const struct media_files *files, struct str upload_id, int fd,
				  struct error *err)
{
	struct arena *arena = arena_new("pieces", LIST_ARENA_BYTES);
	struct arena *last = arena_new("pieces' place", SCRATCH_BYTES);
	struct str after = STR("");
	enum err_kind kind = ERR_NONE;
	size_t count = PAGE;
	while (kind == ERR_NONE && count == PAGE) {
		struct s3_object *objects = NULL;
		kind = pieces(files, arena, upload_id, after, &objects, &count, err);
		for (size_t i = 0; i < count && kind == ERR_NONE; i++)
			kind = put_piece(files, objects[i].name, fd, err);
		arena_clear(last);
		if (kind == ERR_NONE && count > 0)
			after = str_copy(last, objects[count - 1].name);
		arena_clear(arena);
	}
	arena_free(&last);
	arena_free(&arena);
	return kind;
}

enum err_kind media_part_bring(const struct media_files *files, struct arena *arena,
			       struct str upload_id, int64_t size_bytes, struct error *err)
{
	struct stat status;
	const char *path = media_part_path(files, arena, upload_id);
	if (size_bytes == 0 || (stat(path, &status) == 0 && status.st_size >= size_bytes))
		return ERR_NONE;
	const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write an upload");
	enum err_kind kind = put_together(files, upload_id, fd, err);
	if (kind == ERR_NONE && (fstat(fd, &status) != 0 || status.st_size < size_bytes))
		kind = error_set(err, ERR_TEMPORARY, "pieces of an upload are missing");
	close(fd);
	if (kind != ERR_NONE)
		unlink(path);
	return kind == ERR_NONE ? ERR_NONE : ERR_TEMPORARY;
}

/* ---- the end ---- */

bool media_bucket_remove(const struct media_files *files, struct arena *arena, struct str name)
{
	struct s3_object *objects = NULL;
	struct error err = {0};
	size_t count = 0;
	if (media_id_is(name))
		return s3_remove(files->s3, name_of_file(arena, name), &err) == ERR_NONE;
	bool is_gone = pieces(files, arena, name, STR(""), &objects, &count, &err) == ERR_NONE;
	for (size_t i = 0; i < count && is_gone; i++)
		is_gone = s3_remove(files->s3, objects[i].name, &err) == ERR_NONE;
	return is_gone && count < PAGE;
}

/* files/ID is a file's, parts/ID/OFFSET an upload's. */
static struct str owner_of(struct str object)
{
	struct str owner = {0};
	if (str_skip(&object, STR(FILES)))
		return object;
	(void)str_skip(&object, STR(PARTS));
	(void)str_take_field(&object, '/', &owner);
	return owner;
}

void media_bucket_walk(const struct media_files *files, int64_t older_s,
		       void (*visit)(void *context, struct str name), void *context)
{
	const int64_t before_us = ((int64_t)time(NULL) - older_s) * US_PER_SECOND;
	struct arena *arena = arena_new("bucket walk", LIST_ARENA_BYTES);
	struct arena *last = arena_new("bucket walk's place", LIST_ARENA_BYTES);
	struct str after = STR("");
	size_t count = PAGE;
	while (count == PAGE) {
		struct s3_object *objects = NULL;
		struct error err = {0};
		arena_clear(arena);
		count = 0;
		if (s3_list(files->s3, arena, STR(""), after, &objects, &count, &err) != ERR_NONE)
			break;
		for (size_t i = 0; i < count; i++) {
			if (objects[i].changed_at_us < before_us)
				visit(context, owner_of(objects[i].name));
		}
		arena_clear(last);
		after = count > 0 ? str_copy(last, objects[count - 1].name) : STR("");
	}
	arena_free(&last);
	arena_free(&arena);
}
