/* SPDX-License-Identifier: Apache-2.0
 * Uploaded files (api-decisions.md 11): what is known of each, who names it, how long it stays. The
 * bytes lie in the media store under the row's id; they are there before the row is, and go after
 * it (store_media_gone_list), so that no row is without its file. Used: by a post or a draft that
 * names it (media_id.h); such a use is written in the transaction that writes the post or the
 * draft. NOT_FOUND also for another app's. Files that are coming in: store_upload.h. */
#pragma once

#include "quota.h"
#include "store.h"

struct media_row {
	struct str id;
	struct str app_id;
	struct str file_name; /* as it was given; empty = not */
	struct str mime_type; /* by its bytes */
	struct str sha256;    /* hex */
	int64_t size_bytes;
	int64_t width; /* 0 = not known; so the two below */
	int64_t height;
	int64_t duration_ms;
	bool is_animated;
	bool is_telling; /* of place or camera (sniff.h) */
	int64_t created_at_us;
	int64_t used_at_us; /* made, or last used */
	bool is_needed;     /* by an unfinished post or a draft: it stays */
};

enum err_kind store_media_find(struct store *store, struct arena *arena, struct str app_id,
			       struct str media_id, struct media_row *out, struct error *err);
/* Is a file of that id of the app expected: by a link that is not used, or an upload that has not
 * ended? */
enum err_kind store_media_is_coming(struct store *store, struct str app_id, struct str media_id,
				    bool *is_out, struct error *err);
/* Newest first; page from 1. user_id: only files that posts of that user name; empty = all. */
struct media_filter {
	struct str app_id;
	struct str user_id;
	int64_t page;
	int64_t per_page;
};
enum err_kind store_media_list(struct store *store, struct arena *arena,
			       const struct media_filter *filter, struct media_row **out,
			       size_t *count_out, int64_t *total_out, struct error *err);
/* Another file with the same bytes, of any app. NOT_FOUND. */
enum err_kind store_media_same(struct store *store, struct arena *arena, struct str sha256,
			       struct str not_id, struct str *id_out, struct error *err);

enum media_delete_outcome { MEDIA_DELETED, MEDIA_IN_USE };
enum err_kind store_media_delete(struct store *store, struct str app_id, struct str media_id,
				 enum media_delete_outcome *outcome_out, struct error *err);
/* Removes the rows of at most max files that were used before before_us and that nobody needs;
 * those that are needed count as used now. *seen_out: how many rows were looked at; max = ask
 * again. */
enum err_kind store_media_expire(struct store *store, int64_t before_us, int64_t now_us,
				 int64_t max, int64_t *seen_out, struct error *err);

/* The names of files in the media store that no row has any more: of media and of uploads. */
enum err_kind store_media_gone_list(struct store *store, struct arena *arena, int64_t max,
				    struct str **names_out, size_t *count_out, struct error *err);
/* The file is removed. */
enum err_kind store_media_gone_end(struct store *store, struct str name, struct error *err);
/* Has a row this name: of a file, or of an upload? For files found in the media store. */
enum err_kind store_media_name_is_known(struct store *store, struct str name, bool *is_out,
					struct error *err);

/* What the app has: files, and uploads that have not ended. NOT_FOUND. */
enum err_kind store_media_used(struct store *store, struct arena *arena, struct str app_id,
			       int64_t *bytes_out, int64_t *files_out, struct error *err);

/* ---- for the files of store/, inside a transaction (store_media_use.c) ---- */

/* Names in a post or a draft; ids may repeat. */
struct media_names {
	const struct str *ids;
	size_t count;
};
/* Are all of them files of the app? */
enum err_kind store_media_are_there(struct store_tx *tx, struct str app_id,
				    const struct media_names *names, bool *are_out,
				    struct error *err);
/* owner (a post's or draft's id) names these files, and no others; files that are not there are
 * left out. They are used now. */
enum err_kind store_media_use(struct store_tx *tx, struct str app_id, struct str owner_id,
			      const struct media_names *names, struct error *err);
/* The owner's files were used until now. */
enum err_kind store_media_touch(struct store_tx *tx, struct str owner_id, struct error *err);
/* The owner names none any more. */
enum err_kind store_media_unuse(struct store_tx *tx, struct str owner_id, struct error *err);
/* Does the owner name a file that is gone? */
enum err_kind store_media_is_lost(struct store_tx *tx, struct str owner_id, bool *is_out,
				  struct error *err);
/* The owner is erased: its names go, and with them the files that nobody else names. */
enum err_kind store_media_erase_owner(struct store_tx *tx, struct str owner_id, struct error *err);
/* The app's files, uploads and links: at most max of each. *left_out: there may be more. */
enum err_kind store_media_erase_app(struct store_tx *tx, struct str app_id, int64_t max,
				    bool *left_out, struct error *err);
/* Takes the row away, and leaves the file to be removed. */
enum err_kind store_media_drop(struct store_tx *tx, struct str media_id, struct error *err);
/* The app has so many bytes and files more, or less. *is_over_out: it had no room for them;
 * others_*: what it has elsewhere (the spool) counts too. */
struct media_usage {
	struct str app_id;
	int64_t bytes;
	int64_t files;
	int64_t other_bytes;
	int64_t other_files;
};
enum err_kind store_media_count(struct store_tx *tx, const struct media_usage *usage,
				bool *is_over_out, struct quota_over *over_out, struct error *err);
