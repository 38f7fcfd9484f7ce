/* SPDX-License-Identifier: Apache-2.0
 * See save.h. */
#include "save.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Written to the disk in steps of this. At most two of them are not there yet: what the last fsync
 * waits for (at 100 MB/s: 80 ms). */
#define PUSH_BYTES (INT64_C(4) << 20)

static void save_mark_init(struct save_mark *mark)
{
	*mark = (struct save_mark){.size_bytes = 0};
	crypto_hash_sha256_init(&mark->hash);
}

void save_mark_digest(const struct save_mark *mark, char out[65])
{
	crypto_hash_sha256_state state = mark->hash;
	uint8_t hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(out, 65, hash, sizeof(hash));
}

static void room_count(struct save_file *file, int64_t bytes)
{
	for (struct save_room *room = file->room; room != NULL; room = room->whole)
		room->coming_bytes += bytes;
}

static bool room_has(const struct save_file *file, size_t len)
{
	for (const struct save_room *room = file->room; room != NULL; room = room->whole) {
		if (*room->kept_bytes + room->coming_bytes + (int64_t)len > room->max_bytes)
			return false;
	}
	return true;
}

bool save_restart(struct save_file *file)
{
	room_count(file, -file->mark.size_bytes);
	save_mark_init(&file->mark);
	file->pushed_bytes = 0;
	return ftruncate(file->fd, 0) == 0 && lseek(file->fd, 0, SEEK_SET) == 0;
}

bool save_open(struct save_file *file, const char *path, const struct save_mark *mark,
	       struct save_room *room)
{
	const int flags =
		O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (mark == NULL ? O_TRUNC : 0);
	struct stat status;
	*file = (struct save_file){.fd = open(path, flags, 0600), .room = room};
	save_mark_init(&file->mark);
	if (file->fd < 0 || mark == NULL)
		return file->fd >= 0;
	const bool goes_on = fstat(file->fd, &status) == 0 &&
			     (int64_t)status.st_size >= mark->size_bytes &&
			     ftruncate(file->fd, (off_t)mark->size_bytes) == 0 &&
			     lseek(file->fd, 0, SEEK_END) == (off_t)mark->size_bytes;
	if (goes_on) {
		file->mark = *mark;
		room_count(file, mark->size_bytes);
		file->pushed_bytes = mark->size_bytes;
		return true;
	}
	if (save_restart(file))
		return true;
	save_close(file);
	return false;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t written = write(fd, bytes, len);
		if (written < 0)
			return false;
		bytes += written;
		len -= (size_t)written;
	}
	return true;
}

/* The step that is full goes on its way; the one before it is waited for, so that what is not on
 * the disk stays small. */
static void push(struct save_file *file)
{
	const unsigned wait =
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	sync_file_range(file->fd, (off_t)file->pushed_bytes, (off_t)PUSH_BYTES,
			SYNC_FILE_RANGE_WRITE);
	if (file->pushed_bytes >= PUSH_BYTES)
		sync_file_range(file->fd, (off_t)(file->pushed_bytes - PUSH_BYTES),
				(off_t)PUSH_BYTES, wait);
	file->pushed_bytes += PUSH_BYTES;
}

bool save_write(struct save_file *file, const char *bytes, size_t len)
{
	file->is_out_of_room = !room_has(file, len);
	if (file->is_out_of_room || !write_all(file->fd, bytes, len))
		return false;
	room_count(file, (int64_t)len);
	crypto_hash_sha256_update(&file->mark.hash, (const uint8_t *)bytes, len);
	file->mark.size_bytes += (int64_t)len;
	while (file->mark.size_bytes - file->pushed_bytes >= PUSH_BYTES)
		push(file);
	return true;
}

void save_close(struct save_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	room_count(file, -file->mark.size_bytes);
	file->fd = -1;
}
