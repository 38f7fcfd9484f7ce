/* SPDX-License-Identifier: Apache-2.0
 * The media store on a disk: whole files under their media's ids (DIRECTORY/files/ab/med_...), and
 * parts of files that are coming in under their uploads' ids (DIRECTORY/parts/...). Equal bytes
 * are on the disk once (hard links), so nothing may write to a whole file. Knows no rows: which
 * names mean anything is known to store_media.h and store_upload.h. The directory may be shared by
 * several nodes. Every function may block on the disk and may be called from any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "sniff.h"
#include "str.h"

struct arena;
struct media_row;

struct media_files {
	char *directory; /* the caller's; lives as long */
};

/* Makes the folders where they are missing, 0700. INTERNAL: they cannot be used. */
enum err_kind media_files_init(struct media_files *files, char *directory, struct error *err);
/* Where the whole file of a medium is, or would be; and the part of an upload. In arena. */
char *media_file_path(const struct media_files *files, struct arena *arena, struct str media_id);
char *media_part_path(const struct media_files *files, struct arena *arena, struct str upload_id);
/* Opens the whole file for reading; -1: it is not there. The caller closes it. */
int media_file_open(const struct media_files *files, struct arena *arena, struct str media_id);
/* Gives the synced part of an upload the name of its medium, durably; the part stays until it is
 * removed. same: the id of a file with the same bytes, whose place on the disk is shared; empty =
 * none. TEMPORARY: the disk. */
enum err_kind media_file_place(const struct media_files *files, struct arena *arena,
			       struct str upload_id, struct str media_id, struct str same,
			       struct error *err);
/* Removes the file, or the part, of that name. True also when there was none. */
bool media_name_remove(const struct media_files *files, struct arena *arena, struct str name);
/* Calls visit with every name, of files and parts, that was not written to for older_s seconds. */
void media_files_walk(const struct media_files *files, int64_t older_s,
		      void (*visit)(void *context, struct str name), void *context);
/* What the row says of its file, as if it were looked at again. */
struct sniff media_sniff(const struct media_row *row);
/* "image", "video" or "document". */
const char *media_kind_name(struct str mime_type);
