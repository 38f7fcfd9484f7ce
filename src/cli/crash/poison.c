/* SPDX-License-Identifier: Apache-2.0
 * See poison.h. */
#include "poison.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"

/* The last 1,700 crashes. Older ones no longer matter. */
#define NOTES_MAX_BYTES ((size_t)65536)

static const char *notes_path(struct arena *arena, const char *directory, const char *end)
{
	return str_z(arena, str_format(arena, "%s/notes%s", directory, end));
}

static enum err_kind failed(const char *path, struct error *err)
{
	const int code = errno;
	return error_set_native(err, ERR_TEMPORARY, code, "%s: %s", path, strerror(code));
}

enum err_kind poison_open(struct arena *arena, const char *directory, int *fd_out,
			  struct error *err)
{
	const char *path = notes_path(arena, directory, "");
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return failed(directory, err);
	*fd_out = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	return *fd_out >= 0 ? ERR_NONE : failed(path, err);
}

static enum err_kind read_notes(struct arena *arena, const char *path, struct str *out,
				struct error *err)
{
	char *text = arena_alloc(arena, NOTES_MAX_BYTES);
	*out = STR("");
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? ERR_NONE : failed(path, err);
	const off_t end = lseek(fd, 0, SEEK_END);
	const off_t from = end > (off_t)NOTES_MAX_BYTES ? end - (off_t)NOTES_MAX_BYTES : 0;
	const ssize_t length = pread(fd, text, NOTES_MAX_BYTES, from);
	const enum err_kind kind = length < 0 ? failed(path, err) : ERR_NONE;
	close(fd);
	if (length > 0)
		*out = (struct str){text, (size_t)length};
	return kind;
}

static size_t count_notes(struct str notes, struct str id)
{
	struct str line;
	size_t count = 0;
	while (str_take_field(&notes, '\n', &line))
		count += str_equal(line, id);
	return count;
}

/* Writes the new file beside the old one and renames it: a crash leaves one or the other. */
static enum err_kind write_notes(struct arena *arena, const char *directory, struct str notes,
				 struct error *err)
{
	const char *next = notes_path(arena, directory, ".next");
	const int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(next, err);
	enum err_kind kind = ERR_NONE;
	if (write(fd, notes.ptr, notes.len) != (ssize_t)notes.len || fsync(fd) != 0)
		kind = failed(next, err);
	close(fd);
	if (kind == ERR_NONE && rename(next, notes_path(arena, directory, "")) != 0)
		kind = failed(next, err);
	return kind;
}

struct sweep {
	poison_set_aside set_aside;
	void *context;
	struct str notes;
	struct buf done; /* ids that were set aside, one per line */
	struct buf kept;
};

static void sweep_line(struct sweep *sweep, struct str line)
{
	if (str_is_empty(line) || count_notes(buf_str(&sweep->done), line) > 0)
		return;
	if (count_notes(sweep->notes, line) >= POISON_NOTES_MAX &&
	    sweep->set_aside(sweep->context, line)) {
		buf_add(&sweep->done, line);
		buf_add_char(&sweep->done, '\n');
		return;
	}
	buf_add(&sweep->kept, line);
	buf_add_char(&sweep->kept, '\n');
}

enum err_kind poison_sweep(struct arena *arena, const char *directory, poison_set_aside set_aside,
			   void *context, struct error *err)
{
	struct sweep sweep = {.set_aside = set_aside, .context = context};
	enum err_kind kind = read_notes(arena, notes_path(arena, directory, ""), &sweep.notes, err);
	if (kind != ERR_NONE || str_is_empty(sweep.notes))
		return kind;
	struct str rest = sweep.notes;
	struct str line;
	buf_init(&sweep.done, arena, 2 * NOTES_MAX_BYTES);
	buf_init(&sweep.kept, arena, 2 * NOTES_MAX_BYTES);
	while (str_take_field(&rest, '\n', &line))
		sweep_line(&sweep, line);
	if (str_is_empty(buf_str(&sweep.done)))
		return ERR_NONE;
	return write_notes(arena, directory, buf_str(&sweep.kept), err);
}
