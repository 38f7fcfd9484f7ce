/* SPDX-License-Identifier: Apache-2.0
 * Fetches that were cut, and go on. KEY.cut is what had come; KEY.cut.mark says how much of it is
 * good, its hash so far, and the ETag to ask for the rest with. They are taken up by the next fetch
 * of the key, in this run or a later one; what is not taken up goes when the post does. Both count
 * against the budget. */
#include "spool_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"

#include "hex.h"

#include "save.h"

#define CUT_SUFFIX ".cut"
#define MARK_SUFFIX ".cut.mark"
#define MARK_MAX_BYTES 1024
#define CUT_MIN_BYTES 65536 /* less is fetched again as quickly */

int spool_write_file(const char *path, struct str content)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	const ssize_t written = write(fd, content.ptr, content.len);
	int failed = written < 0 ? errno : 0;
	if (failed == 0 && written != (ssize_t)content.len)
		failed = ENOSPC;
	if (failed == 0 && fsync(fd) != 0)
		failed = errno;
	close(fd);
	return failed;
}

/* ---- marks ---- */

/* The hash's state is the library's own bytes: of another version of it they mean nothing. */
static struct str mark_head(struct arena *arena)
{
	return str_format(arena, "cut 1 %s %zu\n", sodium_version_string(),
			  sizeof(crypto_hash_sha256_state));
}

static struct str mark_text(struct arena *arena, const struct save_mark *mark, struct str etag)
{
	const struct str hash = {(const char *)&mark->hash, sizeof(mark->hash)};
	return str_format(arena, STR_FMT "%" PRId64 "\n" STR_FMT "\n" STR_FMT "\n",
			  STR_ARG(mark_head(arena)), mark->size_bytes,
			  STR_ARG(hex_encode(arena, hash)), STR_ARG(etag));
}

static bool line_take(struct str *text, struct str *line_out)
{
	return str_take_until(text, '\n', line_out) && str_skip(text, STR("\n"));
}

static bool mark_parse(struct arena *arena, struct str text, struct save_mark *mark,
		       struct str *etag)
{
	struct str size, hex, hash;
	if (!str_skip(&text, mark_head(arena)) || !line_take(&text, &size) ||
	    !line_take(&text, &hex) || !line_take(&text, etag) ||
	    !str_parse_i64(size, &mark->size_bytes) || mark->size_bytes <= 0 ||
	    !hex_decode(arena, hex, &hash) || hash.len != sizeof(mark->hash) || etag->len == 0 ||
	    str_has_control(*etag))
		return false;
	memcpy(&mark->hash, hash.ptr, hash.len);
	return true;
}

static bool mark_read(const char *path, struct arena *arena, struct save_mark *mark,
		      struct str *etag)
{
	char *text = arena_alloc(arena, MARK_MAX_BYTES);
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t count = spool_read_start(fd, text, MARK_MAX_BYTES);
	close(fd);
	return count > 0 && mark_parse(arena, (struct str){text, (size_t)count}, mark, etag);
}

/* ---- keeping and taking up ---- */

/* Cut by the network or by time, not refused; and named by the server, so that it can tell whether
 * the rest is of the same file. */
static bool may_go_on(const struct transfer_result *result)
{
	const bool is_cut =
		result->outcome == TRANSFER_LOST &&
		(result->problem == TRANSFER_CONNECTION_BROKEN ||
		 result->problem == TRANSFER_TIMED_OUT || result->problem == TRANSFER_TOO_SLOW ||
		 result->problem == TRANSFER_OTHER);
	const bool is_part = result->outcome == TRANSFER_ANSWERED && result->status == 206;
	return result->saved != NULL && result->saved->size_bytes >= CUT_MIN_BYTES &&
	       !str_is_empty(result->saved_etag) && (is_cut || is_part);
}

bool spool_cut_keep(struct spool *spool, struct arena *arena, struct str key,
		    const struct transfer_result *result)
{
	const char *part = spool_part_path(spool, arena, key);
	const char *cut = spool_path(spool, arena, key, CUT_SUFFIX);
	const char *mark = spool_path(spool, arena, key, MARK_SUFFIX);
	if (!may_go_on(result))
		return false;
	const int64_t size_bytes = result->saved->size_bytes;
	/* Its bytes are on the disk before the mark that vouches for them. */
	if (spool_size_of(AT_FDCWD, part) != size_bytes ||
	    spool->used_bytes + size_bytes > spool->budget_bytes ||
	    spool_share_full(spool, key, size_bytes) == SPOOL_FULL_OF_BYTES ||
	    spool_sync_path(part, O_RDONLY) != 0 || rename(part, cut) != 0)
		return false;
	spool->used_bytes += size_bytes;
	spool_share_change(spool, key, size_bytes, 0);
	const bool is_kept =
		spool_write_file(mark, mark_text(arena, result->saved, result->saved_etag)) == 0;
	spool->used_bytes += spool_size_of(AT_FDCWD, mark);
	if (!is_kept) {
		spool_remove_counted(spool, AT_FDCWD, mark);
		spool_remove_counted(spool, AT_FDCWD, cut);
	}
	return true;
}

/* Only the rest, and only of the same bytes (RFC 9110 14.2 and 13.1.5): else all of it comes, and
 * is begun again. */
static void ask_for_rest(struct arena *arena, const struct save_mark *mark, struct str etag,
			 struct transfer_request *request)
{
	struct transfer_header *headers = ARENA_ARRAY(arena, struct transfer_header, 2);
	headers[0] = (struct transfer_header){
		STR("Range"), str_format(arena, "bytes=%" PRId64 "-", mark->size_bytes)};
	headers[1] = (struct transfer_header){STR("If-Range"), etag};
	request->headers = headers;
	request->header_count = 2;
	request->save_from = mark;
}

void spool_cut_take(struct spool *spool, struct arena *arena, struct str key,
		    struct transfer_request *request)
{
	const char *cut = spool_path(spool, arena, key, CUT_SUFFIX);
	const char *mark_path = spool_path(spool, arena, key, MARK_SUFFIX);
	struct save_mark *mark = ARENA_NEW(arena, struct save_mark);
	struct str etag;
	const int64_t size_bytes = spool_size_of(AT_FDCWD, cut);
	if (mark_read(mark_path, arena, mark, &etag) && size_bytes >= mark->size_bytes &&
	    mark->size_bytes < request->response_max_bytes &&
	    rename(cut, request->save_path) == 0) {
		spool->used_bytes -= size_bytes;
		spool_share_change(spool, key, -size_bytes, 0);
		ask_for_rest(arena, mark, etag, request);
	}
	spool_remove_counted(spool, AT_FDCWD, mark_path);
	spool_remove_counted(spool, AT_FDCWD, cut);
}
