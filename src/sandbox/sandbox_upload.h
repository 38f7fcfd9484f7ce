/* SPDX-License-Identifier: Apache-2.0
 * Uploads in chunks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "sandbox_module.h"

struct sandbox_media;

/* A file that arrives in chunks, in the temporary directory. A reset removes it. */
struct sandbox_upload {
	struct str id;
	int64_t total_bytes;    /* as announced, -1 = not announced */
	int64_t received_bytes; /* one past the furthest byte written */
	/* sum of all writes; gaps and repeats make it differ from received_bytes */
	int64_t written_bytes;
	void *extra; /* the platform's own, in kept memory */
	int fd;      /* the core's */
};

/* Starts an upload under an id of the platform (sandbox_id_*). NULL when the file cannot be
 * created. The core closes it, at a reset and at the end. */
struct sandbox_upload *sandbox_upload_new(struct sandbox *sandbox, enum sandbox_platform platform,
					  struct str id, int64_t total_bytes);
struct sandbox_upload *sandbox_upload_find(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str id);
/* Writes bytes at offset. False when the disk refuses them or all uploads together exceed 16
 * GiB. */
bool sandbox_upload_write(struct sandbox *sandbox, struct sandbox_upload *upload, int64_t offset,
			  struct str bytes);
/* Hashes and examines the first received_bytes. LETS GO OF THE LOCK. False when the upload is gone
 * or cannot be read. */
bool sandbox_upload_look(struct sandbox_call *call, enum sandbox_platform platform, struct str id,
			 struct sandbox_media *media_out);
/* Exactly len bytes at offset into out; false when they are not there. */
bool sandbox_upload_read(const struct sandbox_upload *upload, int64_t offset, char *out,
			 size_t len);
/* Closes the file and frees its space; the record stays. NULL is fine. */
void sandbox_upload_discard(struct sandbox *sandbox, struct sandbox_upload *upload);
