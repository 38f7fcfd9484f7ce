/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the spool: spool.c fetches, keeps and finds, spool_object.c has the bytes
 * once, spool_cut.c goes on with fetches that were cut. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "save.h"
#include "spool.h"

#define DIGEST_HEX_BYTES 64
#define DIGEST_SUFFIX ".sha256"
#define PART_SUFFIX ".part"
#define RUN_BYTES 8
#define FOLDER_COUNT 256

struct spool_shares;

struct spool {
	char *directory;
	int directory_fd;
	int objects_fd;
	int64_t budget_bytes;
	int64_t file_max_bytes;
	struct spool_prober prober;
	_Atomic int64_t used_bytes; /* written by the engine's thread only */
	struct save_room room;      /* for what is under way */
	struct spool_shares *shares;
	bool has_swept; /* once: shares know all files */
	char run[RUN_BYTES + 1];
	char scratch[SNIFF_BYTES_WANTED]; /* what is being looked at */
};

/* "" is the medium itself. */
char *spool_path(const struct spool *spool, struct arena *arena, struct str key,
		 const char *suffix);
/* Of the fetch of key that this run makes. */
char *spool_part_path(const struct spool *spool, struct arena *arena, struct str key);
/* Is this the name of an unfinished fetch? */
bool spool_is_part(struct str name);
/* Which of the folders "00" to "ff" a directory has; the others' flags stay as they are. Most
 * spools have few: looking for each of them by name costs more than one list. */
void spool_folders_list(int directory_fd, bool is_there[FOLDER_COUNT]);
/* Every file in the folders "00" to "ff" of a directory, until visit says false. */
void spool_walk(int directory_fd, bool (*visit)(void *context, int folder_fd, const char *name),
		void *context);
/* 0 for what is not there, or no file. */
int64_t spool_size_of(int folder_fd, const char *name);
/* A file with one name, no medium. */
void spool_remove_counted(struct spool *spool, int folder_fd, const char *name);
/* False when the file is not there, or is no digest. */
bool spool_digest_read(int folder_fd, const char *name, char out[DIGEST_HEX_BYTES + 1]);
/* Reads up to size_bytes from the start; the count, or -1. */
ssize_t spool_read_start(int fd, char *out, size_t size_bytes);
/* 0 or an errno. */
int spool_sync_path(const char *path, int flags);
/* Writes the whole file and syncs it. Blocks. Returns an errno, or 0. */
int spool_write_file(const char *path, struct str content);

/* The folder of key; an errno, or 0. */
int spool_folder_make(const struct spool *spool, struct arena *arena, struct str key);
/* The open part of key, which is whole, becomes KEY, and is counted. sha256: NULL = not known. */
enum err_kind spool_keep_part(struct spool *spool, struct arena *arena, struct str key, int fd,
			      const char *sha256, struct spool_file *file_out, struct error *err);

/* ---- spool_object.c ---- */

/* Makes KEY, which is whole, synced and counted, a name of the object with its digest, which is
 * made when it is not there. Counts what that saves. Where it cannot be KEY stays as it is. */
void spool_object_join(struct spool *spool, int folder_fd, const char *key, const char *digest);
/* The bytes that such a file will add to those in use. */
int64_t spool_object_cost(const struct spool *spool, const char *digest, int64_t size_bytes);
/* Removes a medium and its digest, and the object when nothing else is a name of it. */
void spool_key_drop(struct spool *spool, int folder_fd, const char *key);
/* Removes objects that no file is a name of. */
void spool_objects_clean(struct spool *spool);
/* For the start: joins what is alone, removes what is left over, counts what is used. */
void spool_objects_mend(struct spool *spool);

/* ---- spool_share.c ---- */

/* NULL without memory. The caller frees it. */
struct spool_shares *spool_shares_new(void);
void spool_shares_free(struct spool_shares **shares);
/* The post of key has so many bytes and files more (less) on the disk. Does nothing where it is not
 * known whose they are. */
void spool_share_change(struct spool *spool, struct str key, int64_t bytes, int64_t files);
/* Forgets a post that has no file any more. */
void spool_share_forget(struct spool *spool, struct str key);
/* Where a fetch of key counts: its app's share, which is a part of the whole; or the whole. */
struct save_room *spool_share_room(struct spool *spool, struct str key);

/* ---- spool_cut.c ---- */

/* Keeps the part of a fetch that was cut, when what the server said lets us go on with it. False:
 * the part is still there. */
bool spool_cut_keep(struct spool *spool, struct arena *arena, struct str key,
		    const struct transfer_result *result);
/* Makes the fetch that begins now go on with such a part, when there is one. */
void spool_cut_take(struct spool *spool, struct arena *arena, struct str key,
		    struct transfer_request *request);
