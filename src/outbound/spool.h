/* SPDX-License-Identifier: Apache-2.0
 * Media on our disk: one file per distinct URL and post, under DATA/spool, fetched through the
 * guard. Knows paths and budgets, not deliveries: delivery/ asks for a fetch, starts the transfer
 * that spool_fetch_request() describes, and passes the result on. A fetch goes to a temporary name,
 * is synced and renamed, so that a file under its final name is whole. Equal bytes are on the disk,
 * and in the budget, once (hard links): nothing may write to a spool_file's path. Not thread-safe:
 * the engine's thread only, but for what says "Any thread" and spool_media_open(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "sniff.h"
#include "str.h"

#include "transfer.h"

#define SPOOL_FILE_MAX_BYTES (INT64_C(4) << 30) /* design.md 7: 4 GiB */

struct arena;
struct spool;

struct spool_file {
	struct str path;
	int64_t size_bytes;
	struct sniff sniff;
	char sha256[65]; /* hex */
};

/* Looks at the bytes of a file elsewhere than in this process. Any thread. False when nobody can be
 * asked now. */
struct spool_prober {
	bool (*probe)(void *context, int fd, struct sniff *sniff_out);
	void *context;
};

struct spool_config {
	const char *directory;      /* made 0700 */
	int64_t budget_bytes;       /* 0 = 32 GiB; a fetch that would pass it is refused */
	int64_t file_max_bytes;     /* 0 = SPOOL_FILE_MAX_BYTES */
	struct spool_prober prober; /* NULL inside = this process looks */
};

/* Creates the folders where they are missing. Copies config; blocks on the disk. INTERNAL: the
 * folder cannot be used. */
enum err_kind spool_open(const struct spool_config *config, struct spool **spool_out,
			 struct error *err);
/* No fetch may be under way. Nulls the pointer; NULL inside is fine. */
void spool_close(struct spool **spool);
/* How much of the budget is used. Any thread. */
int64_t spool_used_bytes(const struct spool *spool);
/* key names the file: post id and flat media index, made by the keeper ("<uuid>-0"); [A-Za-z0-9-]
 * only. */
bool spool_find(struct spool *spool, struct arena *arena, struct str key,
		struct spool_file *file_out);
/* A file of the spool for somebody who reads it elsewhere. */
struct spool_media {
	int fd; /* the caller closes it */
	int64_t size_bytes;
	struct sniff sniff;
	char sha256[65];
};
/* As spool_find, from any thread. */
bool spool_media_open(const struct spool *spool, struct arena *arena, struct str key,
		      struct spool_media *media_out);
/* ---- shares (spool_share.c) ---- */

/* What an app may have of the spool. The bytes of its fetches count as they come. */
struct spool_share {
	struct str app_id;
	int64_t bytes_max; /* 0 = no limit but three quarters of the budget */
	int64_t files_max; /* 0 = no limit */
};
enum spool_full { SPOOL_HAS_ROOM, SPOOL_FULL_OF_BYTES, SPOOL_FULL_OF_FILES };
/* The files of the post that key belongs to are the app's. Before spool_fetch_request(), which a
 * full share refuses; else they are nobody's. */
void spool_share_set(struct spool *spool, struct str key, const struct spool_share *share);
/* Has the app of this key its share, so that no fetch may begin? */
enum spool_full spool_share_full(struct spool *spool, struct str key, int64_t more_bytes);
/* Is it known whose the post's files are? If not, spool_share_adopt() tells it, for files of an
 * earlier run: from the first sweep's is_needed() alone, which counts them. */
bool spool_share_is_known(struct spool *spool, struct str key);
void spool_share_adopt(struct spool *spool, struct str key, struct str app_id);
/* What an app has on the disk. Any thread. */
void spool_share_use(struct spool *spool, struct str app_id, int64_t *bytes_out,
		     int64_t *files_out);

/* Describes the transfer that fetches url into the spool (TRANSFER_MEDIA, save_path, limits).
 * TOO_LARGE when the budget is used up, or the app's share (spool_share_full() says so). */
enum err_kind spool_fetch_request(struct spool *spool, struct arena *arena, struct str key,
				  struct str url, struct transfer_request *request_out,
				  struct error *err);
/* After an ANSWERED 2xx: syncs, hashes, sniffs, renames, shares equal bytes. After anything else:
 * removes the temporary file. Blocks on the disk. Returns NONE; TEMPORARY when it may work later
 * (network, 5xx, disk, the budget of all files); TOO_LARGE for this file alone; FORBIDDEN when the
 * guard refused the address; NOT_FOUND for 404 and 410; INVALID for other answers and bad
 * redirects. */
enum err_kind spool_fetch_finish(struct spool *spool, struct arena *arena, struct str key,
				 const struct transfer_result *result, struct spool_file *file_out,
				 struct error *err);
/* ---- files made from others (spool_made.c) ---- */

/* Where the file is to be written; the folder is made. */
enum err_kind spool_made_begin(struct spool *spool, struct arena *arena, struct str key,
			       const char **path_out, struct error *err);
/* It is whole, and sha256 is its digest: as spool_fetch_finish(), which says the kinds. */
enum err_kind spool_made_finish(struct spool *spool, struct arena *arena, struct str key,
				const char *sha256, struct spool_file *file_out, struct error *err);
/* Looks at a file that is none of the spool's, as at its own. False: it cannot be opened. */
bool spool_look(const struct spool *spool, const char *path, struct sniff *sniff_out);
/* Nothing came of it. */
void spool_made_drop(struct spool *spool, struct arena *arena, struct str key);

/* Removes every file whose key begins with prefix (a post's, when no delivery needs it). */
void spool_remove(struct spool *spool, struct str key_prefix);
/* Removes temporary files of an earlier run and files for which is_needed(key) is false. */
void spool_sweep(struct spool *spool, bool (*is_needed)(void *context, struct str key),
		 void *context);
