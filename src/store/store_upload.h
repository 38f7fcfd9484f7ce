/* SPDX-License-Identifier: Apache-2.0
 * Files that are coming in (api-decisions.md 11), and links that are good for one. A row is there
 * before the first byte and counts in the app's quota; its bytes lie in the media store under the
 * row's id. How much of it is safely there says the row (offset_bytes), not the file. One writes at
 * a time: who takes an upload gets a fence of his own, and what an earlier one writes is refused
 * (CONFLICT). It ends as a file (store_media.h) in one transaction. */
#pragma once

#include "store_media.h"

struct upload_row {
	struct str id;       /* uuid made by the caller */
	struct str media_id; /* of the file that it becomes; made by the caller, or by the link */
	struct str app_id;
	struct str link_hash; /* of its link; empty = none */
	int64_t size_bytes;   /* -1 = not known */
	int64_t offset_bytes;
	struct str hash_state; /* of these; of media/upload.h */
	struct str file_name;
	struct str metadata; /* as the client gave it */
	int64_t fence;
	bool is_done;
	int64_t created_at_us;
	int64_t expires_at_us;
};

struct link_row {
	struct str token_hash;
	struct str media_id;
	struct str app_id;
	int64_t max_bytes; /* 0 = no limit of its own */
	int64_t expires_at_us;
	int64_t used_at_us; /* 0 = not used */
};

enum upload_outcome {
	UPLOAD_WRITTEN,
	UPLOAD_OVER_QUOTA,
	UPLOAD_LINK_USED /* by another upload, since it was read */
};

struct upload_result {
	enum upload_outcome outcome;
	struct quota_over over;
};

/* other_*: what the app has in the spool, for its quota. An unfinished upload of the same link
 * goes: there is one at a time. */
enum err_kind store_upload_begin(struct store *store, const struct upload_row *upload,
				 int64_t other_bytes, int64_t other_files,
				 struct upload_result *result_out, struct error *err);
/* Of any app: the id is what its holder knows. */
enum err_kind store_upload_find(struct store *store, struct arena *arena, struct str upload_id,
				struct upload_row *out, struct error *err);
/* Takes it for writing, as it is now, with a new fence. NOT_FOUND; CONFLICT: it is done. */
enum err_kind store_upload_take(struct store *store, struct arena *arena, struct str upload_id,
				struct upload_row *out, struct error *err);
/* So much is safely there. upload has id, app_id, size_bytes, fence, offset_bytes, hash_state,
 * expires_at_us. One of unknown size counts in the app's quota as it comes: OVER_QUOTA, and nothing
 * is written; other_*: as above. CONFLICT: somebody else has it, or it is gone. */
enum err_kind store_upload_mark(struct store *store, const struct upload_row *upload,
				int64_t other_bytes, int64_t other_files,
				struct upload_result *result_out, struct error *err);
/* It is a file now: media is written, and its link used. upload is as it was last marked. CONFLICT:
 * as above. */
enum err_kind store_upload_end(struct store *store, const struct upload_row *upload,
			       const struct media_row *media, struct upload_result *result_out,
			       struct error *err);
/* It will never be a file: the row goes. NOT_FOUND. */
enum err_kind store_upload_drop(struct store *store, struct str upload_id, struct error *err);
/* Those whose time is up, and links that ended before links_before_us; at most max of each.
 * *removed_out counts both. */
enum err_kind store_upload_expire(struct store *store, int64_t now_us, int64_t links_before_us,
				  int64_t max, int64_t *removed_out, struct error *err);

enum err_kind store_link_create(struct store *store, const struct link_row *link,
				struct error *err);
/* NOT_FOUND. Whether its time is up is the caller's to judge. */
enum err_kind store_link_find(struct store *store, struct arena *arena, struct str token_hash,
			      struct link_row *out, struct error *err);

/* For store_media_use.c: the row goes, in this transaction. */
enum err_kind store_upload_drop_row(struct store_tx *tx, struct str upload_id, struct error *err);
