/* SPDX-License-Identifier: Apache-2.0
 * The mark has two slots that are written in turn, so that a process killed while it writes one
 * leaves the other whole. */
#include "commit_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count_of.h"

#define MAGIC UINT64_C(0x706f7374686d6b31) /* "posthmk1" */
#define MARK_BYTES 4096
#define SLOT_COUNT 2

/* https://www.sqlite.org/fileformat2.html, "WAL File Format" */
#define LOG_HEADER_BYTES 32
#define LOG_PAGE_SIZE_AT 8
#define LOG_SALTS_AT 16
#define FRAME_HEADER_BYTES 24
#define FRAME_SALTS_AT 8
#define SALTS_BYTES 8

/* A log that began again has a first salt greater by one each time; so many times at most between
 * what a power cut left of the mark and what it left of the log. */
#define RESTARTS_MAX 100000

enum run_state { RUN_CLOSED = 1, RUN_OPEN, RUN_CHECKPOINT, RUN_CLOSING };

struct slot {
	uint64_t magic;
	uint64_t sequence;
	uint32_t state; /* enum run_state */
	uint32_t frame_count;
	uint32_t is_missing; /* found, and not settled yet */
	uint32_t unused;
	uint8_t salts[SALTS_BYTES];
	int64_t file_bytes;
	int64_t file_written_s;
	uint64_t check; /* of all the above */
};

struct commit_mark {
	int fd;
	int log_fd; /* -1 until the log is there */
	char *database_path;
	struct slot *slots;
	struct slot now;
};

/* ---- slots ---- */

/* FNV-1a: finds a slot that was half written, nothing more. */
static uint64_t slot_check(const struct slot *slot)
{
	const uint8_t *bytes = (const uint8_t *)slot;
	uint64_t hash = UINT64_C(0xCBF29CE484222325);
	for (size_t i = 0; i < offsetof(struct slot, check); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
	return hash;
}

static bool slot_is_whole(const struct slot *slot)
{
	return slot->magic == MAGIC && slot->check == slot_check(slot);
}

/* The newer of the whole ones; false when there is none. */
static bool slot_newest(const struct slot slots[SLOT_COUNT], struct slot *out)
{
	bool is_found = false;
	for (size_t i = 0; i < SLOT_COUNT; i++) {
		if (!slot_is_whole(&slots[i]) || (is_found && slots[i].sequence < out->sequence))
			continue;
		*out = slots[i];
		is_found = true;
	}
	return is_found;
}

static void slot_write(struct commit_mark *mark)
{
	mark->now.magic = MAGIC;
	mark->now.sequence++;
	mark->now.check = slot_check(&mark->now);
	mark->slots[mark->now.sequence % SLOT_COUNT] = mark->now;
}

static void sync_as(struct commit_mark *mark, enum run_state state)
{
	mark->now.state = state;
	slot_write(mark);
	msync(mark->slots, MARK_BYTES, MS_SYNC);
}

/* ---- the files ---- */

static enum err_kind failed(const char *what, const char *path, struct error *err)
{
	const int code = errno;
	return error_set_native(err, ERR_TEMPORARY, code, "cannot %s %s: %s", what, path,
				strerror(code));
}

static bool read_at(int fd, void *out, size_t size_bytes, int64_t offset_bytes)
{
	return pread(fd, out, size_bytes, (off_t)offset_bytes) == (ssize_t)size_bytes;
}

static int open_log(const char *database_path)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof(path), "%s-wal", database_path);
	return length > 0 && (size_t)length < sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static uint32_t big_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* Size and time of the database file; false when it is not there. */
static bool look_at_file(const char *path, struct slot *slot)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return false;
	slot->file_bytes = status.st_size;
	slot->file_written_s = status.st_mtim.tv_sec;
	return true;
}

/* ---- comparing ---- */

/* Is frame number count of the log one of the log's present round? */
static bool has_frame(int fd, const uint8_t header[LOG_HEADER_BYTES], uint32_t count)
{
	uint8_t salts[SALTS_BYTES];
	const int64_t frame_bytes =
		FRAME_HEADER_BYTES + (int64_t)big_endian(header + LOG_PAGE_SIZE_AT);
	const int64_t at = LOG_HEADER_BYTES + frame_bytes * ((int64_t)count - 1) + FRAME_SALTS_AT;
	return read_at(fd, salts, sizeof(salts), at) &&
	       memcmp(salts, header + LOG_SALTS_AT, SALTS_BYTES) == 0;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* Only checkpoints write to the file. The mark knows of our own; another program's is older than
 * the log's next frame. A copy is newer than the log or, where its time was kept, older than what
 * the mark knows. A directory that is copied whole gets its log after its database. */
static bool is_replaced(int log_fd, const char *database_path, const struct slot *marked)
{
	struct stat file;
	struct stat log;
	if (marked->state == RUN_CHECKPOINT || stat(database_path, &file) != 0 ||
	    fstat(log_fd, &log) != 0)
		return false;
	if (file.st_mtim.tv_sec < marked->file_written_s)
		return true;
	const bool is_as_marked =
		file.st_size == marked->file_bytes && file.st_mtim.tv_sec == marked->file_written_s;
	return !is_as_marked && is_later(file.st_mtim, log.st_mtim);
}

static enum commit_finding judge_log(int fd, const char *database_path, const struct slot *marked)
{
	uint8_t header[LOG_HEADER_BYTES];
	if (fd < 0 || !read_at(fd, header, sizeof(header), 0))
		return COMMIT_MISSING;
	const uint8_t *salts = header + LOG_SALTS_AT;
	if (memcmp(salts, marked->salts, SALTS_BYTES) == 0) {
		if (is_replaced(fd, database_path, marked))
			return COMMIT_FOREIGN_LOG;
		return has_frame(fd, header, marked->frame_count) ? COMMIT_SAME : COMMIT_MISSING;
	}
	const uint32_t restarts = big_endian(salts) - big_endian(marked->salts);
	return restarts >= 1 && restarts <= RESTARTS_MAX ? COMMIT_SAME : COMMIT_MISSING;
}

enum err_kind commit_mark_compare(const char *mark_path, const char *database_path,
				  enum commit_finding *out, struct error *err)
{
	struct slot slots[SLOT_COUNT] = {0};
	struct slot marked;
	*out = COMMIT_UNKNOWN;
	const int fd = open(mark_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? ERR_NONE : failed("open", mark_path, err);
	const bool is_read = read_at(fd, slots, sizeof(slots), 0);
	close(fd);
	if (!is_read || !slot_newest(slots, &marked))
		return ERR_NONE;
	if (marked.is_missing) {
		*out = COMMIT_MISSING;
		return ERR_NONE;
	}
	const bool was_running = marked.state == RUN_OPEN || marked.state == RUN_CHECKPOINT;
	if (!was_running || marked.frame_count == 0)
		return ERR_NONE;
	const int log_fd = open_log(database_path);
	*out = judge_log(log_fd, database_path, &marked);
	if (log_fd >= 0)
		close(log_fd);
	return ERR_NONE;
}

/* ---- following ---- */

enum err_kind commit_mark_open(const char *mark_path, const char *database_path,
			       enum commit_finding found, struct commit_mark **mark_out,
			       struct error *err)
{
	*mark_out = NULL;
	struct commit_mark *mark = calloc(1, sizeof(*mark));
	char *path = strdup(database_path);
	if (mark == NULL || path == NULL) {
		free(mark);
		free(path);
		return error_set(err, ERR_TEMPORARY, "no memory for the commit mark");
	}
	mark->database_path = path;
	mark->log_fd = -1;
	mark->fd = open(mark_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *mapped = MAP_FAILED;
	if (mark->fd >= 0 && ftruncate(mark->fd, MARK_BYTES) == 0)
		mapped = mmap(NULL, MARK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, mark->fd, 0);
	if (mapped == MAP_FAILED) {
		const enum err_kind kind = failed("map", mark_path, err);
		if (mark->fd >= 0)
			close(mark->fd);
		free(mark->database_path);
		free(mark);
		return kind;
	}
	mark->slots = mapped;
	slot_newest(mark->slots, &mark->now);
	mark->now.frame_count = 0;
	mark->now.is_missing = found == COMMIT_MISSING;
	look_at_file(database_path, &mark->now);
	sync_as(mark, RUN_OPEN);
	*mark_out = mark;
	return ERR_NONE;
}

/* The header's salts, which are new when the log began again. */
static void read_salts(struct commit_mark *mark)
{
	if (mark->log_fd < 0)
		mark->log_fd = open_log(mark->database_path);
	if (mark->log_fd < 0 || !read_at(mark->log_fd, mark->now.salts, SALTS_BYTES, LOG_SALTS_AT))
		mark->now.frame_count = 0; /* nothing can be proven by it */
}

void commit_mark_commit(struct commit_mark *mark, int frame_count)
{
	const bool is_another_round =
		mark->now.frame_count == 0 || (uint32_t)frame_count <= mark->now.frame_count;
	mark->now.frame_count = (uint32_t)frame_count;
	if (is_another_round)
		read_salts(mark);
	slot_write(mark);
}

void commit_mark_checkpoint_begin(struct commit_mark *mark)
{
	sync_as(mark, RUN_CHECKPOINT);
}

void commit_mark_forget(struct commit_mark *mark)
{
	mark->now.frame_count = 0;
	commit_mark_checkpoint_begin(mark);
}

void commit_mark_checkpoint_end(struct commit_mark *mark)
{
	look_at_file(mark->database_path, &mark->now);
	sync_as(mark, RUN_OPEN);
}

bool commit_mark_is_missing(const struct commit_mark *mark)
{
	return mark->now.is_missing != 0;
}

void commit_mark_settle(struct commit_mark *mark)
{
	mark->now.is_missing = 0;
	sync_as(mark, RUN_OPEN);
}

void commit_mark_closing(struct commit_mark *mark)
{
	if (mark != NULL)
		sync_as(mark, RUN_CLOSING);
}

void commit_mark_close(struct commit_mark **mark_pointer)
{
	struct commit_mark *mark = *mark_pointer;
	if (mark == NULL)
		return;
	sync_as(mark, RUN_CLOSED);
	munmap(mark->slots, MARK_BYTES);
	if (mark->log_fd >= 0)
		close(mark->log_fd);
	close(mark->fd);
	free(mark->database_path);
	free(mark);
	*mark_pointer = NULL;
}
