/* SPDX-License-Identifier: Apache-2.0
 * The media store: whole files under their media's ids (DIRECTORY/files/ab/med_...), and parts of
 * files that are coming in under their uploads' ids (DIRECTORY/parts/...). Equal bytes are on the
 * disk once (hard links), so nothing may write to a whole file. Knows no rows: which names mean
 * anything is known to store_media.h and store_upload.h.
 *
 * With a bucket (s3.h) that is where files are, as files/med_..., and the directory is this node's
 * own: for parts, and for copies of the files that it was asked for. What of a part is safely there
 * is in the bucket too, in pieces (parts/UPLOAD/OFFSET), so that another node can go on with it.
 * Without one, the directory is the store, and may be shared by several nodes. Every function may
 * block on the disk and on the network, and may be called from any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "sniff.h"
#include "str.h"

struct arena;
struct media_row;
struct s3;

struct media_files {
	char *directory; /* the caller's; lives as long */
	struct s3 *s3;   /* the bucket, the caller's; NULL = the directory is the store */
};

/* Makes the folders where they are missing, 0700. INTERNAL: they cannot be used. */
enum err_kind media_files_init(struct media_files *files, char *directory, struct s3 *s3,
			       struct error *err);
/* Where the whole file of a medium is on this disk, or would be; and the part of an upload. In
 * arena. */
char *media_file_path(const struct media_files *files, struct arena *arena, struct str media_id);
char *media_part_path(const struct media_files *files, struct arena *arena, struct str upload_id);
/* Opens the whole file for reading, and brings it here first where it has to be. The caller closes
 * *fd_out. NOT_FOUND: it is not there; TEMPORARY: the store cannot be asked. */
enum err_kind media_file_open(const struct media_files *files, struct arena *arena,
			      struct str media_id, int *fd_out, struct error *err);
/* The same without opening it. */
enum err_kind media_file_bring(const struct media_files *files, struct arena *arena,
			       struct str media_id, struct error *err);
/* Is it on this disk? */
bool media_file_is_here(const struct media_files *files, struct arena *arena, struct str media_id);
/* Gives the synced part of an upload the name of its medium, durably; the part stays until it is
 * removed. same: the id of a file with the same bytes, whose place on the disk is shared; empty =
 * none. TEMPORARY: the disk, or the bucket. */
enum err_kind media_file_place(const struct media_files *files, struct arena *arena,
			       struct str upload_id, struct str media_id, struct str same,
			       struct error *err);
/* With a bucket: so many bytes of the part, from an offset, are safely there afterwards. */
enum err_kind media_part_keep(const struct media_files *files, struct arena *arena,
			      struct str upload_id, int64_t from_bytes, int64_t to_bytes,
			      struct error *err);
/* With a bucket: the part is on this disk, with at least so many bytes, if any node had them
 * safely there. */
enum err_kind media_part_bring(const struct media_files *files, struct arena *arena,
			       struct str upload_id, int64_t size_bytes, struct error *err);
/* Removes the file, or the part, of that name. True also when there was none. */
bool media_name_remove(const struct media_files *files, struct arena *arena, struct str name);
/* Calls visit with every name, of files and parts, here and in the bucket, that was not written to
 * for older_s seconds. */
void media_files_walk(const struct media_files *files, int64_t older_s,
		      void (*visit)(void *context, struct str name), void *context);
/* With a bucket: removes copies that were not asked for in so many seconds. */
void media_files_forget_copies(const struct media_files *files, int64_t older_s);
/* What the row says of its file, as if it were looked at again. */
struct sniff media_sniff(const struct media_row *row);
/* "image", "video" or "document". */
const char *media_kind_name(struct str mime_type);
