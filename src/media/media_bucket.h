/* SPDX-License-Identifier: Apache-2.0
 * The bucket's side of media_files.h: files as files/med_..., parts in pieces as
 * parts/UPLOAD/OFFSET. Only for a store that has one; all block on the network. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct media_files;

/* The file on this disk is in the bucket afterwards. */
enum err_kind media_bucket_put(const struct media_files *files, struct arena *arena,
			       struct str media_id, struct error *err);
/* The other way: as media_file_open(). */
enum err_kind media_bucket_fetch(const struct media_files *files, struct arena *arena,
				 struct str media_id, struct error *err);
/* A file, or all pieces of an upload. False: not all of it is gone. */
bool media_bucket_remove(const struct media_files *files, struct arena *arena, struct str name);
/* As media_files_walk(). */
void media_bucket_walk(const struct media_files *files, int64_t older_s,
		       void (*visit)(void *context, struct str name), void *context);
