/* SPDX-License-Identifier: Apache-2.0
 * See media_upload.h. */
#include "media_upload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "random.h"
#include "uuid.h"

#include "media_id.h"

#include "save.h"

/* Safely there after so many bytes, and so long. */
#define MARK_BYTES (INT64_C(8) << 20)
#define MARK_US (30 * US_PER_S)
#define PIECE_BYTES (INT64_C(32) << 20)
#define BRING_ARENA_BYTES ((size_t)4 << 20)
#define RESUMABLE_US US_PER_DAY
#define UNRESUMABLE_US (10 * US_PER_MINUTE)
#define ROW_ARENA_BYTES ((size_t)64 << 10)
#define WORK_ARENA_BYTES ((size_t)256 << 10)
#define HASH_BYTES 65536
/* Uploads by one link share a media id, and so the name of a file. */
#define PLACING_LOCKS 16

struct media_uploads {
	struct media_uploads_config config;
	pthread_mutex_t lock;
	struct media_upload *open; /* under lock, as each one's next and is_shut */
	/* One by one: who gives a file its name, or takes it away. By media id. */
	pthread_mutex_t placing[PLACING_LOCKS];
};

struct media_upload {
	struct media_uploads *of;
	struct media_upload *next;
	pthread_mutex_t lock; /* of all below; held while it is written */
	struct arena *arena;  /* of row and path */
	struct upload_row row;
	char *path;
	struct save_file file;
	int64_t max_bytes;
	int64_t marked_bytes;
	int64_t marked_at_us;
	struct quota_over over; /* why a mark was refused */
	bool is_resumed;        /* bytes of it were written by somebody else */
	bool is_shut;           /* somebody else has opened it */
};

struct media_uploads *media_uploads_new(const struct media_uploads_config *config)
{
	struct media_uploads *uploads = calloc(1, sizeof(*uploads));
	if (uploads == NULL)
		return NULL;
	uploads->config = *config;
	pthread_mutex_init(&uploads->lock, NULL);
	for (size_t i = 0; i < PLACING_LOCKS; i++)
		pthread_mutex_init(&uploads->placing[i], NULL);
	return uploads;
}

void media_uploads_free(struct media_uploads **uploads)
{
	if (*uploads == NULL)
		return;
	pthread_mutex_destroy(&(*uploads)->lock);
	for (size_t i = 0; i < PLACING_LOCKS; i++)
		pthread_mutex_destroy(&(*uploads)->placing[i]);
	free(*uploads);
	*uploads = NULL;
}

const struct media_uploads_config *media_uploads_settings(const struct media_uploads *uploads)
{
	return &uploads->config;
}

static pthread_mutex_t *placing_of(struct media_uploads *uploads, struct str media_id)
{
	const unsigned last = str_is_empty(media_id) ? 0 : (uint8_t)media_id.ptr[media_id.len - 1];
	return &uploads->placing[last % PLACING_LOCKS];
}

static void step(const struct media_uploads *uploads, const char *name)
{
	if (uploads->config.step != NULL)
		uploads->config.step(uploads->config.step_context, name);
}

static int64_t now_us(const struct media_uploads *uploads)
{
	return clock_now_us(uploads->config.clock);
}

/* ---- begin ---- */

static int64_t ends_at_us(const struct media_uploads *uploads, const struct upload_row *row)
{
	/* What the row says of its life: metadata is '-' for one that cannot be gone on with. */
	const bool is_resumable = !str_equal_z(row->metadata, "-");
	const int64_t keep_us = uploads->config.keep_us;
	const int64_t resumable_us = keep_us < RESUMABLE_US ? keep_us : RESUMABLE_US;
	return now_us(uploads) + (is_resumable ? resumable_us : UNRESUMABLE_US);
}

enum err_kind media_upload_begin(struct media_uploads *uploads, struct arena *arena,
				 const struct media_wish *wish, struct upload_row *upload_out,
				 struct upload_result *result_out, struct error *err)
{
	const struct media_uploads_config *config = &uploads->config;
	const int64_t at_us = now_us(uploads);
	int64_t other_bytes = 0, other_files = 0;
	const struct str new_id = uuid_str(arena, uuid_v7(at_us, config->random));
	*upload_out = (struct upload_row){
		.id = uuid_str(arena, uuid_v7(at_us, config->random)),
		.media_id = !str_is_empty(wish->media_id)
				    ? wish->media_id
				    : str_concat(arena, STR(MEDIA_ID_PREFIX), new_id),
		.app_id = wish->app_id,
		.link_hash = wish->link_hash,
		.size_bytes = wish->size_bytes,
		.file_name = wish->file_name,
		.metadata = wish->is_resumable ? wish->metadata : STR("-"),
		.created_at_us = at_us,
	};
	upload_out->expires_at_us = ends_at_us(uploads, upload_out);
	if (wish->until_us != 0 && upload_out->expires_at_us > wish->until_us)
		upload_out->expires_at_us = wish->until_us;
	if (config->other_use != NULL)
		config->other_use(config->other_context, wish->app_id, &other_bytes, &other_files);
	const enum err_kind kind = store_upload_begin(config->store, upload_out, other_bytes,
						      other_files, result_out, err);
	step(uploads, "upload_begun");
	return kind;
}

/* ---- open ---- */

static struct media_upload *new_upload(struct media_uploads *uploads)
{
	struct media_upload *upload = calloc(1, sizeof(*upload));
	if (upload == NULL)
		return NULL;
	upload->of = uploads;
	upload->file.fd = -1;
	upload->arena = arena_new("upload", ROW_ARENA_BYTES);
	pthread_mutex_init(&upload->lock, NULL);
	return upload;
}

static void free_upload(struct media_upload **upload)
{
	save_close(&(*upload)->file);
	pthread_mutex_destroy(&(*upload)->lock);
	arena_free(&(*upload)->arena);
	free(*upload);
	*upload = NULL;
}

static void join(struct media_upload *upload)
{
	pthread_mutex_lock(&upload->of->lock);
	upload->next = upload->of->open;
	upload->of->open = upload;
	pthread_mutex_unlock(&upload->of->lock);
}

static void leave(struct media_upload *upload)
{
	pthread_mutex_lock(&upload->of->lock);
	struct media_upload **place = &upload->of->open;
	while (*place != NULL && *place != upload)
		place = &(*place)->next;
	if (*place == upload)
		*place = upload->next;
	pthread_mutex_unlock(&upload->of->lock);
}

/* The hash of what is safely there. Another library's state, or none: from the beginning. */
static struct save_mark mark_of(const struct upload_row *row)
{
	struct save_mark mark = {0};
	if (row->hash_state.len == sizeof(mark.hash) && row->offset_bytes > 0) {
		memcpy(&mark.hash, row->hash_state.ptr, sizeof(mark.hash));
		mark.size_bytes = row->offset_bytes;
	} else {
		crypto_hash_sha256_init(&mark.hash);
	}
	return mark;
}

/* With a bucket another node may have it. */
static enum err_kind bring_part(struct media_upload *upload, struct error *err)
{
	struct arena *arena = arena_new("upload's part", BRING_ARENA_BYTES);
	const enum err_kind kind = media_part_bring(upload->of->config.files, arena, upload->row.id,
						    upload->row.offset_bytes, err);
	arena_free(&arena);
	return kind;
}

static enum err_kind open_part(struct media_upload *upload, struct error *err)
{
	const struct save_mark mark = mark_of(&upload->row);
	const enum err_kind kind =
		upload->of->config.files->s3 != NULL ? bring_part(upload, err) : ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	upload->path = media_part_path(upload->of->config.files, upload->arena, upload->row.id);
	if (!save_open(&upload->file, upload->path, &mark, NULL))
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write an upload");
	upload->marked_bytes = upload->file.mark.size_bytes;
	upload->marked_at_us = now_us(upload->of);
	upload->is_resumed = upload->file.mark.size_bytes > 0;
	return ERR_NONE;
}

enum err_kind media_upload_open(struct media_uploads *uploads, struct str upload_id,
				int64_t max_bytes, struct media_upload **upload_out,
				struct error *err)
{
	*upload_out = NULL;
	media_upload_interrupt(uploads, upload_id);
	struct media_upload *upload = new_upload(uploads);
	if (upload == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for an upload");
	upload->max_bytes = max_bytes > 0 && max_bytes < MEDIA_FILE_MAX_BYTES
				    ? max_bytes
				    : MEDIA_FILE_MAX_BYTES;
	enum err_kind kind = store_upload_take(uploads->config.store, upload->arena, upload_id,
					       &upload->row, err);
	if (kind == ERR_NONE)
		kind = open_part(upload, err);
	if (kind != ERR_NONE) {
		free_upload(&upload);
		return kind;
	}
	join(upload);
	*upload_out = upload;
	return ERR_NONE;
}

int64_t media_upload_offset(const struct media_upload *upload)
{
	return upload->file.mark.size_bytes;
}

const struct upload_row *media_upload_row(const struct media_upload *upload)
{
	return &upload->row;
}

const struct quota_over *media_upload_over(const struct media_upload *upload)
{
	return &upload->over;
}

/* ---- writing ---- */

/* What is there counts, where no size was announced. */
static enum err_kind mark_row(struct media_upload *upload, const struct upload_row *row,
			      struct error *err)
{
	const struct media_uploads_config *config = &upload->of->config;
	struct upload_result result = {.outcome = UPLOAD_WRITTEN};
	int64_t other_bytes = 0, other_files = 0;
	if (config->other_use != NULL && row->size_bytes < 0)
		config->other_use(config->other_context, row->app_id, &other_bytes, &other_files);
	const enum err_kind kind =
		store_upload_mark(config->store, row, other_bytes, other_files, &result, err);
	if (kind != ERR_NONE || result.outcome == UPLOAD_WRITTEN)
		return kind;
	upload->over = result.over;
	return error_set(err, ERR_FORBIDDEN, "a quota of the app is full");
}

/* Where nodes share no disk, what can be gone on with is kept where all of them reach it. */
static bool is_kept_in_pieces(const struct media_upload *upload)
{
	return upload->of->config.files->s3 != NULL && !str_equal_z(upload->row.metadata, "-");
}

static enum err_kind keep_piece(const struct media_upload *upload, struct error *err)
{
	struct arena *arena = arena_new("upload's piece", WORK_ARENA_BYTES);
	const enum err_kind kind =
		upload->file.mark.size_bytes > upload->marked_bytes
			? media_part_keep(upload->of->config.files, arena, upload->row.id,
					  upload->marked_bytes, upload->file.mark.size_bytes, err)
			: ERR_NONE;
	arena_free(&arena);
	return kind;
}

static int64_t mark_every_bytes(const struct media_upload *upload)
{
	return is_kept_in_pieces(upload) ? PIECE_BYTES : MARK_BYTES;
}

/* Lock held. What is there is there for good, and the row says so. */
static enum err_kind mark(struct media_upload *upload, struct error *err)
{
	struct upload_row row = upload->row;
	if (upload->file.mark.size_bytes == upload->marked_bytes && upload->marked_bytes > 0)
		return ERR_NONE;
	if (fdatasync(upload->file.fd) != 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot sync an upload");
	step(upload->of, "upload_synced");
	if (is_kept_in_pieces(upload) && keep_piece(upload, err) != ERR_NONE)
		return ERR_TEMPORARY;
	row.offset_bytes = upload->file.mark.size_bytes;
	row.hash_state =
		(struct str){(const char *)&upload->file.mark.hash, sizeof(upload->file.mark.hash)};
	const int64_t until_us = ends_at_us(upload->of, &row);
	/* A link's end is the end of its uploads: it was written when they began. */
	if (str_is_empty(row.link_hash))
		row.expires_at_us = until_us;
	const enum err_kind kind = mark_row(upload, &row, err);
	if (kind == ERR_NONE) {
		upload->marked_bytes = upload->row.offset_bytes = row.offset_bytes;
		upload->marked_at_us = now_us(upload->of);
	}
	step(upload->of, "upload_marked");
	return kind;
}

static bool is_mark_due(const struct media_upload *upload)
{
	return upload->file.mark.size_bytes - upload->marked_bytes >= mark_every_bytes(upload) ||
	       now_us(upload->of) - upload->marked_at_us >= MARK_US;
}

static enum err_kind write_piece(struct media_upload *upload, struct str bytes, struct error *err)
{
	const int64_t size_bytes = upload->file.mark.size_bytes + (int64_t)bytes.len;
	const bool is_beyond = upload->row.size_bytes >= 0 && size_bytes > upload->row.size_bytes;
	if (upload->is_shut)
		return error_set(err, ERR_CONFLICT, "somebody else writes this upload");
	if (is_beyond)
		return error_set(err, ERR_TOO_LARGE,
				 "There are more bytes than the size that was announced: %lld.",
				 (long long)upload->row.size_bytes);
	if (size_bytes > upload->max_bytes)
		return error_set(err, ERR_TOO_LARGE,
				 "The file is too large: it may have at most %lld bytes.",
				 (long long)upload->max_bytes);
	if (!save_write(&upload->file, bytes.ptr, bytes.len))
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write an upload");
	step(upload->of, "upload_written");
	return is_mark_due(upload) ? mark(upload, err) : ERR_NONE;
}

enum err_kind media_upload_write(struct media_upload *upload, struct str bytes, struct error *err)
{
	pthread_mutex_lock(&upload->lock);
	const enum err_kind kind = write_piece(upload, bytes, err);
	pthread_mutex_unlock(&upload->lock);
	return kind;
}

void media_upload_interrupt(struct media_uploads *uploads, struct str upload_id)
{
	struct error err = {0};
	pthread_mutex_lock(&uploads->lock);
	for (struct media_upload *upload = uploads->open; upload != NULL; upload = upload->next) {
		if (!str_equal(upload->row.id, upload_id))
			continue;
		pthread_mutex_lock(&upload->lock);
		if (!upload->is_shut)
			(void)mark(upload, &err); /* else the row says less: it is sent again */
		upload->is_shut = true;
		pthread_mutex_unlock(&upload->lock);
	}
	pthread_mutex_unlock(&uploads->lock);
}

/* ---- the end ---- */

/* Bytes that another process wrote may have come in late, into what this one hashed. */
static bool is_as_hashed(const struct media_upload *upload)
{
	char buffer[HASH_BYTES];
	char expected[65], found[65];
	struct save_mark read_back = {0};
	if (!upload->is_resumed)
		return true;
	const int fd = open(upload->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t count = fd >= 0 ? 1 : -1;
	crypto_hash_sha256_init(&read_back.hash);
	while (count > 0) {
		count = read(fd, buffer, sizeof(buffer));
		if (count > 0)
			crypto_hash_sha256_update(&read_back.hash, (const uint8_t *)buffer,
						  (size_t)count);
	}
	if (fd >= 0)
		close(fd);
	save_mark_digest(&upload->file.mark, expected);
	save_mark_digest(&read_back, found);
	return count == 0 && memcmp(expected, found, sizeof(found)) == 0;
}

static enum err_kind look(const struct media_upload *upload, struct sniff *sniff_out,
			  struct error *err)
{
	const struct media_uploads_config *config = &upload->of->config;
	const int fd = open(upload->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const bool is_known = fd >= 0 && config->probe(config->probe_context, fd, sniff_out);
	if (fd >= 0)
		close(fd);
	if (!is_known)
		return error_set(err, ERR_TEMPORARY, "nobody can look at the file now");
	return sniff_out->type == SNIFF_UNKNOWN
		       ? error_set(err, ERR_INVALID, "these are no bytes of a medium")
		       : ERR_NONE;
}

static struct media_row describe(const struct media_upload *upload, struct arena *arena,
				 struct str file_name, const struct sniff *sniff)
{
	const int64_t at_us = now_us(upload->of);
	char sha256[65];
	save_mark_digest(&upload->file.mark, sha256);
	return (struct media_row){
		.id = str_copy(arena, upload->row.media_id),
		.app_id = str_copy(arena, upload->row.app_id),
		.file_name = str_copy(arena,
				      str_is_empty(file_name) ? upload->row.file_name : file_name),
		.mime_type = str_of(sniff->mime_type),
		.sha256 = str_copy(arena, str_of(sha256)),
		.size_bytes = upload->file.mark.size_bytes,
		.width = sniff->width,
		.height = sniff->height,
		.duration_ms = sniff->duration_ms,
		.is_animated = sniff->is_animated,
		.is_telling = sniff->is_telling,
		.created_at_us = at_us,
		.used_at_us = at_us,
	};
}

/* The file has its name before its row is there. */
static enum err_kind place(struct media_upload *upload, struct arena *arena,
			   const struct media_row *media, struct error *err)
{
	const struct media_uploads_config *config = &upload->of->config;
	struct str same = {0};
	struct error unknown = {0};
	if (store_media_same(config->store, arena, media->sha256, media->id, &same, &unknown) !=
	    ERR_NONE)
		same = (struct str){0};
	const enum err_kind kind =
		media_file_place(config->files, arena, upload->row.id, media->id, same, err);
	step(upload->of, "upload_placed");
	return kind;
}

/* Of a link only one upload has a row, the one that began last: it alone may name the file. */
static enum err_kind place_and_end(struct media_upload *upload, struct arena *arena,
				   const struct media_row *media, struct upload_result *result_out,
				   struct error *err)
{
	struct store *store = upload->of->config.store;
	struct upload_row now = {0};
	enum err_kind kind = store_upload_find(store, arena, upload->row.id, &now, err);
	if (kind == ERR_NONE && now.fence != upload->row.fence)
		kind = error_set(err, ERR_CONFLICT, "somebody else writes this upload");
	if (kind == ERR_NONE)
		kind = place(upload, arena, media, err);
	if (kind == ERR_NONE)
		kind = store_upload_end(store, &upload->row, media, result_out, err);
	return kind;
}

/* Lock held. */
static enum err_kind finish(struct media_upload *upload, struct arena *arena, struct str file_name,
			    struct media_row *media_out, struct upload_result *result_out,
			    struct error *err)
{
	struct sniff sniff = {0};
	if (upload->is_shut)
		return error_set(err, ERR_CONFLICT, "somebody else writes this upload");
	enum err_kind kind = mark(upload, err);
	if (kind == ERR_FORBIDDEN) {
		*result_out = (struct upload_result){UPLOAD_OVER_QUOTA, upload->over};
		return ERR_NONE;
	}
	if (kind == ERR_NONE && !is_as_hashed(upload))
		kind = error_set(err, ERR_CONFLICT, "the part is not what was sent");
	if (kind == ERR_NONE)
		kind = look(upload, &sniff, err);
	if (kind != ERR_NONE)
		return kind;
	*media_out = describe(upload, arena, file_name, &sniff);
	pthread_mutex_t *placing = placing_of(upload->of, media_out->id);
	pthread_mutex_lock(placing);
	kind = place_and_end(upload, arena, media_out, result_out, err);
	pthread_mutex_unlock(placing);
	step(upload->of, "upload_ended");
	return kind;
}

/* Row, part, and a file that no row has. */
static void remove_all(struct media_uploads *uploads, const struct upload_row *row)
{
	struct arena *arena = arena_new("upload's end", WORK_ARENA_BYTES);
	struct error err = {0};
	pthread_mutex_t *placing = placing_of(uploads, row->media_id);
	pthread_mutex_lock(placing);
	if (store_upload_drop(uploads->config.store, row->id, &err) == ERR_NONE &&
	    media_name_remove(uploads->config.files, arena, row->id) &&
	    media_name_remove(uploads->config.files, arena, row->media_id))
		(void)store_media_gone_end(uploads->config.store, row->id, &err);
	pthread_mutex_unlock(placing);
	arena_free(&arena);
}

enum err_kind media_upload_finish(struct media_upload **upload, struct arena *arena,
				  struct str file_name, struct media_row *media_out,
				  struct upload_result *result_out, struct error *err)
{
	struct media_upload *u = *upload;
	*result_out = (struct upload_result){.outcome = UPLOAD_WRITTEN};
	pthread_mutex_lock(&u->lock);
	const enum err_kind kind = finish(u, arena, file_name, media_out, result_out, err);
	pthread_mutex_unlock(&u->lock);
	const bool is_whole = kind == ERR_NONE && result_out->outcome == UPLOAD_WRITTEN;
	if (is_whole)
		(void)media_name_remove(u->of->config.files, arena, u->row.id);
	media_upload_close(upload, kind == ERR_INVALID || (kind == ERR_NONE && !is_whole));
	return kind;
}

void media_upload_close(struct media_upload **upload, bool is_dropped)
{
	struct media_upload *u = *upload;
	struct error err = {0};
	if (u == NULL)
		return;
	leave(u);
	pthread_mutex_lock(&u->lock);
	const bool is_ours = !u->is_shut;
	if (is_ours && !is_dropped && u->file.fd >= 0)
		(void)mark(u, &err);
	pthread_mutex_unlock(&u->lock);
	if (is_ours && is_dropped)
		remove_all(u->of, &u->row);
	free_upload(upload);
}

enum err_kind media_upload_drop(struct media_uploads *uploads, struct str upload_id,
				struct error *err)
{
	struct arena *arena = arena_new("upload's end", WORK_ARENA_BYTES);
	struct upload_row row = {0};
	media_upload_interrupt(uploads, upload_id);
	const enum err_kind kind =
		store_upload_find(uploads->config.store, arena, upload_id, &row, err);
	if (kind == ERR_NONE && !row.is_done)
		remove_all(uploads, &row);
	arena_free(&arena);
	return kind;
}
