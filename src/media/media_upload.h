/* SPDX-License-Identifier: Apache-2.0
 * A file that comes in: to the disk as it comes, hashed on the way, and a medium when it is whole.
 * The order keeps every row with its file, and no file for ever: the upload's row is there before
 * its part; the part is synced before the row says how much of it is there; the whole file has its
 * final name before the medium's row is written; what is left over after a crash has an upload's
 * row that ends (media_sweep.h), or no row and is swept.
 *
 * One writes an upload at a time. Who opens it shuts out who had it open before: in this process at
 * once, elsewhere by the fence of its row. All functions may block on the disk and the database. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "sniff.h"
#include "str.h"

#include "store_upload.h"

#include "media_files.h"

struct arena;
struct random_source;
struct media_uploads;

/* 4 GiB (design.md 7). */
#define MEDIA_FILE_MAX_BYTES (INT64_C(4) << 30)

struct media_uploads_config {
	struct store *store;
	const struct media_files *files;
	const struct clock *clock;
	const struct random_source *random;
	/* What a file is, found out elsewhere; false: nobody can be asked now. */
	bool (*probe)(void *context, int fd, struct sniff *sniff_out);
	void *probe_context;
	/* What the app has of fetched files, which count too; NULL = nothing. */
	void (*other_use)(void *context, struct str app_id, int64_t *bytes_out, int64_t *files_out);
	void *other_context;
	/* Passed at each step, for tests that kill the process there; NULL = none. */
	void (*step)(void *context, const char *name);
	void *step_context;
	int64_t keep_us; /* how long a file stays unused, and an upload without a byte at most */
};

/* NULL when out of memory. The caller frees it with media_uploads_free(), when nothing is open;
 * takes NULL inside. */
struct media_uploads *media_uploads_new(const struct media_uploads_config *config);
void media_uploads_free(struct media_uploads **uploads);
const struct media_uploads_config *media_uploads_settings(const struct media_uploads *uploads);

struct media_wish {
	struct str app_id;
	struct str media_id;  /* of a link; empty = a new one is made */
	struct str link_hash; /* empty = none */
	int64_t size_bytes;   /* -1 = not known */
	struct str file_name;
	struct str metadata;
	int64_t until_us; /* of a link: no upload of it lives longer; 0 = no such limit */
	/* It may be gone on with for a day after its last byte; else for minutes. */
	bool is_resumable;
};
/* Makes the row. *upload_out in arena. result_out->outcome is WRITTEN, OVER_QUOTA or
 * LINK_USED. */
enum err_kind media_upload_begin(struct media_uploads *uploads, struct arena *arena,
				 const struct media_wish *wish, struct upload_row *upload_out,
				 struct upload_result *result_out, struct error *err);

struct media_upload; /* open for writing; used by one thread at a time */

/* Opens it at its offset (media_upload_offset). max_bytes: a write beyond fails TOO_LARGE.
 * NOT_FOUND; CONFLICT: it has ended; TEMPORARY: the disk. */
enum err_kind media_upload_open(struct media_uploads *uploads, struct str upload_id,
				int64_t max_bytes, struct media_upload **upload_out,
				struct error *err);
/* So much is there, not all of it safely yet. */
int64_t media_upload_offset(const struct media_upload *upload);
/* Its row, as it was when it was opened or last marked. */
const struct upload_row *media_upload_row(const struct media_upload *upload);
/* CONFLICT: somebody else has opened it. TOO_LARGE: beyond max_bytes, or the announced size;
 * nothing of bytes is written, and err->text is a sentence for the client. FORBIDDEN: a quota of
 * the app is full, see media_upload_over(). TEMPORARY: the disk. */
enum err_kind media_upload_write(struct media_upload *upload, struct str bytes, struct error *err);
/* The quota that a write was refused for. */
const struct quota_over *media_upload_over(const struct media_upload *upload);
/* It is whole: makes the medium. media_out in arena. INVALID: these are no bytes of a medium, and
 * nothing is kept. CONFLICT, TEMPORARY: as above; it can be tried again. outcome OVER_QUOTA
 * and LINK_USED: nothing is kept. The upload is closed in any case. file_name: where the row has
 * none. */
enum err_kind media_upload_finish(struct media_upload **upload, struct arena *arena,
				  struct str file_name, struct media_row *media_out,
				  struct upload_result *result_out, struct error *err);
/* Closes it. What is there can be gone on with; is_dropped: nothing is kept. Takes NULL inside. */
void media_upload_close(struct media_upload **upload, bool is_dropped);
/* Shuts out whoever writes it in this process, once what he wrote is safely there. */
void media_upload_interrupt(struct media_uploads *uploads, struct str upload_id);
/* Removes the row and the part. NOT_FOUND. */
enum err_kind media_upload_drop(struct media_uploads *uploads, struct str upload_id,
				struct error *err);
