/* SPDX-License-Identifier: Apache-2.0
 * A file written as it comes from the network. It is hashed and brought to the disk on the way, so
 * that nothing is left to do for gigabytes at its end; and where it was cut it can be gone on with,
 * from a mark. Private to outbound/. */
#pragma once

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So much is there, with this hash under way. Plain bytes: they may be kept and come back. */
struct save_mark {
	int64_t size_bytes;
	crypto_hash_sha256_state hash;
};

/* The space that all files being written may take together, beside what is kept already. */
struct save_room {
	const _Atomic int64_t *kept_bytes; /* read only */
	int64_t coming_bytes;
	int64_t max_bytes;
	struct save_room *whole; /* the room that this is a part of; NULL = none */
};

struct save_file {
	int fd; /* -1 = closed */
	struct save_mark mark;
	int64_t pushed_bytes;   /* on their way to the disk */
	struct save_room *room; /* NULL = no limit */
	bool is_out_of_room;
};

/* The mark of nothing. */
/* 64 hex digits and NUL. */
void save_mark_digest(const struct save_mark *mark, char out[65]);

/* Opens path: at the end of mark's bytes when it has that many (the rest is cut off), else created
 * or emptied; file->mark says which. mark and room may be NULL; room must outlive the file. False
 * when the file cannot be made. */
bool save_open(struct save_file *file, const char *path, const struct save_mark *mark,
	       struct save_room *room);
/* False when the disk, or the room (is_out_of_room), takes no more. May wait for the disk: for a
 * few megabytes, however much was written. */
bool save_write(struct save_file *file, const char *bytes, size_t len);
/* From nothing again. */
bool save_restart(struct save_file *file);
/* Closes the file; nothing is synced. A closed one is fine. */
void save_close(struct save_file *file);
