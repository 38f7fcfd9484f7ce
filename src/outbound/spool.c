/* SPDX-License-Identifier: Apache-2.0
 * Media on our disk. DATA/spool has 256 folders ("00" to "ff", by a hash of the post's id) so that
 * no folder grows without measure and all of a post's files lie in one. A medium is two files, KEY
 * and KEY.sha256; both are synced, the digest's first, before KEY appears under its name, so that
 * KEY alone says that the medium is there and whole. Media of equal bytes are one file with several
 * names (spool_object.c). A fetch under way is KEY.RUN.part, where RUN
 * differs in every run of the program: what an earlier run left is known by it. A fetch that was
 * cut, and that the server lets us go on with, waits as KEY.cut (spool_cut.c). */
#include "spool_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "fnv.h"
#include "random.h"

#include "probe.h"

#include "save.h"

#define BUDGET_BYTES_DEFAULT (INT64_C(32) << 30) /* spool.h */
#define OBJECTS "objects"
#define POST_ID_BYTES 36 /* a UUID: what the keys of one post begin with */
#define KEY_MAX_BYTES 100
#define FETCH_TIMEOUT_MS (INT64_C(6) * 3600 * 1000) /* 4 GiB at 200 kB/s */
#define FETCH_LOW_SPEED_BYTES_S 1024
#define FETCH_REDIRECTS_MAX 3 /* rules.md 4.1 */

/* A walk over files stops when this says so. */
typedef bool (*visit_file)(void *context, int folder_fd, const char *name);

static bool is_key(struct str key)
{
	if (str_is_empty(key) || key.len > KEY_MAX_BYTES)
		return false;
	for (size_t i = 0; i < key.len; i++) {
		const char c = key.ptr[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      c == '-'))
			return false;
	}
	return true;
}

static unsigned folder_of(struct str key)
{
	return fnv_hash(str_slice(key, 0, POST_ID_BYTES)) % FOLDER_COUNT;
}

static struct str folder_path(const struct spool *spool, struct arena *arena, struct str key)
{
	return str_format(arena, "%s/%02x", spool->directory, folder_of(key));
}

char *spool_path(const struct spool *spool, struct arena *arena, struct str key, const char *suffix)
{
	const struct str path = str_format(arena, "%s/%02x/" STR_FMT "%s", spool->directory,
					   folder_of(key), STR_ARG(key), suffix);
	return str_z(arena, path);
}

char *spool_part_path(const struct spool *spool, struct arena *arena, struct str key)
{
	const struct str suffix = str_format(arena, ".%s" PART_SUFFIX, spool->run);
	return spool_path(spool, arena, key, str_z(arena, suffix));
}

static void walk_folder(int folder_fd, visit_file visit, void *context)
{
	DIR *folder = fdopendir(folder_fd);
	if (folder == NULL) {
		close(folder_fd);
		return;
	}
	const struct dirent *entry;
	while ((entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.' && !visit(context, dirfd(folder), entry->d_name))
			break;
	closedir(folder);
}

static int open_folder(int directory_fd, unsigned number)
{
	char name[3];
	snprintf(name, sizeof(name), "%02x", number % FOLDER_COUNT);
	return openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void spool_folders_list(int directory_fd, bool is_there[FOLDER_COUNT])
{
	const int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char *end = NULL;
		const unsigned long number = strtoul(entry->d_name, &end, 16);
		if (strlen(entry->d_name) == 2 && *end == '\0' && number < FOLDER_COUNT)
			is_there[number] = true;
	}
	if (directory != NULL)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}

void spool_walk(int directory_fd, visit_file visit, void *context)
{
	bool is_there[FOLDER_COUNT] = {false};
	spool_folders_list(directory_fd, is_there);
	for (unsigned i = 0; i < FOLDER_COUNT; i++) {
		const int fd = is_there[i] ? open_folder(directory_fd, i) : -1;
		if (fd >= 0)
			walk_folder(fd, visit, context);
	}
}

int64_t spool_size_of(int folder_fd, const char *name)
{
	struct stat status;
	if (fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
		return 0;
	return (int64_t)status.st_size;
}

bool spool_is_part(struct str name)
{
	return str_has_suffix(name, STR(PART_SUFFIX));
}

static struct str spool_key_of(struct str name)
{
	return str_slice(name, 0, str_find_char(name, '.', 0)); /* keys hold no dot */
}

/* What a cut fetch left (spool_cut.c): media are counted by spool_key_drop(), digests not. */
static bool counts_in_share(struct str name)
{
	return str_has_suffix(name, STR(".cut"));
}

void spool_remove_counted(struct spool *spool, int folder_fd, const char *name)
{
	const int64_t size_bytes = spool_size_of(folder_fd, name);
	if (unlinkat(folder_fd, name, 0) != 0)
		return;
	spool->used_bytes -= size_bytes;
	if (counts_in_share(str_of(name)))
		spool_share_change(spool, spool_key_of(str_of(name)), -size_bytes, 0);
}

/* 0700; one that is there already is made so. */
static int make_directory(const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return errno;
	return chmod(path, 0700) == 0 ? 0 : errno;
}

int spool_sync_path(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return errno;
	const int failed = fsync(fd) == 0 ? 0 : errno;
	close(fd);
	return failed;
}

static void name_run(struct spool *spool)
{
	uint8_t bytes[RUN_BYTES / 2];
	random_fill(random_system(), bytes, sizeof(bytes));
	sodium_bin2hex(spool->run, sizeof(spool->run), bytes, sizeof(bytes));
}

static int open_directory(const char *path, int *fd_out)
{
	const int failed = make_directory(path);
	*fd_out = failed == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return failed != 0 ? failed : *fd_out < 0 ? errno : 0;
}

static int open_directories(struct spool *spool)
{
	char *objects = NULL;
	if (asprintf(&objects, "%s/" OBJECTS, spool->directory) < 0)
		return ENOMEM;
	int failed = open_directory(spool->directory, &spool->directory_fd);
	if (failed == 0)
		failed = open_directory(objects, &spool->objects_fd);
	free(objects);
	return failed;
}

static struct spool *spool_new(const struct spool_config *config)
{
	struct spool *spool = calloc(1, sizeof(*spool));
	char *directory = strdup(config->directory);
	if (spool == NULL || directory == NULL) {
		free(spool);
		free(directory);
		return NULL;
	}
	spool->directory = directory;
	spool->directory_fd = -1;
	spool->objects_fd = -1;
	spool->budget_bytes =
		config->budget_bytes > 0 ? config->budget_bytes : BUDGET_BYTES_DEFAULT;
	spool->file_max_bytes =
		config->file_max_bytes > 0 ? config->file_max_bytes : SPOOL_FILE_MAX_BYTES;
	spool->prober = config->prober;
	spool->room = (struct save_room){.kept_bytes = &spool->used_bytes,
					 .max_bytes = spool->budget_bytes};
	name_run(spool);
	spool->shares = spool_shares_new();
	if (spool->shares == NULL)
		spool_close(&spool);
	return spool;
}

enum err_kind spool_open(const struct spool_config *config, struct spool **spool_out,
			 struct error *err)
{
	struct spool *spool = spool_new(config);
	if (spool == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the spool");
	const int failed = open_directories(spool);
	if (failed != 0) {
		spool_close(&spool);
		return error_set_native(err, ERR_INTERNAL, failed,
					"the spool directory %s could not be created: %s",
					config->directory, strerror(failed));
	}
	spool_objects_mend(spool);
	*spool_out = spool;
	return ERR_NONE;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void spool_close(struct spool **spool)
{
	if (*spool == NULL)
		return;
	close_if_open((*spool)->directory_fd);
	close_if_open((*spool)->objects_fd);
	spool_shares_free(&(*spool)->shares);
	free((*spool)->directory);
	free(*spool);
	*spool = NULL;
}

int64_t spool_used_bytes(const struct spool *spool)
{
	return spool->used_bytes;
}

/* Reads up to size_bytes from the start; the count, or -1. */
ssize_t spool_read_start(int fd, char *out, size_t size_bytes)
{
	size_t total = 0;
	while (total < size_bytes) {
		const ssize_t count = pread(fd, out + total, size_bytes - total, (off_t)total);
		if (count < 0)
			return -1;
		if (count == 0)
			break;
		total += (size_t)count;
	}
	return (ssize_t)total;
}

static bool is_hex_digest(const char *text)
{
	return strspn(text, "0123456789abcdef") == DIGEST_HEX_BYTES;
}

bool spool_digest_read(int folder_fd, const char *name, char out[DIGEST_HEX_BYTES + 1])
{
	const int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t count = spool_read_start(fd, out, DIGEST_HEX_BYTES);
	close(fd);
	out[DIGEST_HEX_BYTES] = '\0';
	return count == DIGEST_HEX_BYTES && is_hex_digest(out);
}

static bool read_fd(void *context, int64_t at, char *out, size_t len)
{
	size_t total = 0;
	while (total < len) {
		const ssize_t count = pread(*(const int *)context, out + total, len - total,
					    (off_t)at + (off_t)total);
		if (count <= 0)
			return false;
		total += (size_t)count;
	}
	return true;
}

/* Size and kind of an open file; scratch is for the bytes that are looked at. */
static bool look(const struct spool *spool, int fd, char scratch[SNIFF_BYTES_WANTED],
		 int64_t *size_bytes_out, struct sniff *sniff_out)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	*size_bytes_out = (int64_t)status.st_size;
	if (spool->prober.probe != NULL)
		return spool->prober.probe(spool->prober.context, fd, sniff_out);
	const struct byte_source source = {(int64_t)status.st_size, read_fd, &fd};
	*sniff_out = probe_media(&source, scratch);
	return true;
}

bool spool_look(const struct spool *spool, const char *path, struct sniff *sniff_out)
{
	char scratch[SNIFF_BYTES_WANTED];
	int64_t size_bytes;
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	const bool is_seen = look(spool, fd, scratch, &size_bytes, sniff_out);
	close(fd);
	return is_seen;
}

static bool open_found(const struct spool *spool, struct arena *arena, struct str key,
		       char scratch[SNIFF_BYTES_WANTED], struct spool_media *media)
{
	if (!is_key(key))
		return false;
	const char *path = spool_path(spool, arena, key, "");
	media->fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (media->fd < 0)
		return false;
	if (look(spool, media->fd, scratch, &media->size_bytes, &media->sniff) &&
	    spool_digest_read(AT_FDCWD, spool_path(spool, arena, key, DIGEST_SUFFIX),
			      media->sha256))
		return true;
	close(media->fd);
	return false;
}

bool spool_media_open(const struct spool *spool, struct arena *arena, struct str key,
		      struct spool_media *media_out)
{
	struct spool_media media;
	char *scratch = arena_alloc(arena, SNIFF_BYTES_WANTED);
	if (!open_found(spool, arena, key, scratch, &media))
		return false;
	*media_out = media;
	return true;
}

bool spool_find(struct spool *spool, struct arena *arena, struct str key,
		struct spool_file *file_out)
{
	struct spool_media media;
	if (!open_found(spool, arena, key, spool->scratch, &media))
		return false;
	close(media.fd);
	*file_out = (struct spool_file){.path = str_of(spool_path(spool, arena, key, "")),
					.size_bytes = media.size_bytes,
					.sniff = media.sniff};
	memcpy(file_out->sha256, media.sha256, sizeof(file_out->sha256));
	return true;
}

/* A new folder's own name is synced once, here. */
int spool_folder_make(const struct spool *spool, struct arena *arena, struct str key)
{
	if (mkdir(str_z(arena, folder_path(spool, arena, key)), 0700) == 0)
		return spool_sync_path(spool->directory, O_RDONLY | O_DIRECTORY);
	return errno == EEXIST ? 0 : errno;
}

enum err_kind spool_fetch_request(struct spool *spool, struct arena *arena, struct str key,
				  struct str url, struct transfer_request *request_out,
				  struct error *err)
{
	if (!is_key(key))
		return error_set(err, ERR_INVALID,
				 "a spool key may only contain letters, digits and dashes");
	const int64_t left_bytes =
		spool->budget_bytes - spool->used_bytes - spool->room.coming_bytes;
	if (left_bytes <= 0)
		return error_set(err, ERR_TOO_LARGE,
				 "the spool is full: %" PRId64 " of %" PRId64 " bytes are used",
				 spool->used_bytes, spool->budget_bytes);
	if (spool_share_full(spool, key, 0) != SPOOL_HAS_ROOM)
		return error_set(err, ERR_TOO_LARGE, "the app has its share of the spool");
	const int failed = spool_folder_make(spool, arena, key);
	if (failed != 0)
		return error_set_native(err, ERR_TEMPORARY, failed,
					"a spool folder could not be created: %s",
					strerror(failed));
	*request_out = (struct transfer_request){
		.pool = TRANSFER_MEDIA,
		.method = "GET",
		.url = url,
		.timeout_ms = FETCH_TIMEOUT_MS,
		.response_max_bytes =
			left_bytes < spool->file_max_bytes ? left_bytes : spool->file_max_bytes,
		.save_path = spool_part_path(spool, arena, key),
		.save_room = spool_share_room(spool, key),
		.redirects_max = FETCH_REDIRECTS_MAX,
		.low_speed_bytes_s = FETCH_LOW_SPEED_BYTES_S,
	};
	spool_cut_take(spool, arena, key, request_out);
	return ERR_NONE;
}

static bool hash_file(struct spool *spool, int fd, char out[DIGEST_HEX_BYTES + 1])
{
	crypto_hash_sha256_state state;
	uint8_t hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_init(&state);
	off_t offset = 0;
	ssize_t count;
	while ((count = pread(fd, spool->scratch, sizeof(spool->scratch), offset)) > 0) {
		crypto_hash_sha256_update(&state, (const uint8_t *)spool->scratch, (size_t)count);
		offset += count;
	}
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(out, DIGEST_HEX_BYTES + 1, hash, sizeof(hash));
	return count == 0;
}

/* The order that the top of this file promises. */
static int settle(const struct spool *spool, struct arena *arena, struct str key, int fd,
		  const char *digest)
{
	if (fsync(fd) != 0)
		return errno;
	const int failed =
		spool_write_file(spool_path(spool, arena, key, DIGEST_SUFFIX), str_of(digest));
	if (failed != 0)
		return failed;
	if (rename(spool_part_path(spool, arena, key), spool_path(spool, arena, key, "")) != 0)
		return errno;
	return spool_sync_path(str_z(arena, folder_path(spool, arena, key)),
			       O_RDONLY | O_DIRECTORY);
}

static int64_t stored_bytes(const struct spool *spool, struct arena *arena, struct str key)
{
	return spool_size_of(AT_FDCWD, spool_path(spool, arena, key, "")) +
	       spool_size_of(AT_FDCWD, spool_path(spool, arena, key, DIGEST_SUFFIX));
}

/* A file that could not be settled is dropped: it may be complete, but not on the disk. */
static enum err_kind settle_and_join(struct spool *spool, struct arena *arena, struct str key,
				     int folder_fd, int fd, const struct spool_file *file,
				     struct error *err)
{
	const char *name = str_z(arena, key);
	/* A file of this key from before must not meet the new digest. */
	spool_key_drop(spool, folder_fd, name);
	/* Fetches run side by side and none knows its size beforehand: the sum is checked here
	 * again. */
	if (spool->used_bytes + spool_object_cost(spool, file->sha256, file->size_bytes) >
	    spool->budget_bytes)
		return error_set(err, ERR_TEMPORARY, "the spool is full");
	if (spool_share_full(spool, key, file->size_bytes) != SPOOL_HAS_ROOM)
		return error_set(err, ERR_TEMPORARY, "the app has its share of the spool");
	const int failed = settle(spool, arena, key, fd, file->sha256);
	spool->used_bytes += stored_bytes(spool, arena, key);
	/* It may have its name although something failed after that; then it goes by its name. */
	if (access(spool_path(spool, arena, key, ""), F_OK) == 0)
		spool_share_change(spool, key, file->size_bytes, 1);
	if (failed != 0) {
		spool_key_drop(spool, folder_fd, name);
		return error_set_native(err, ERR_TEMPORARY, failed,
					"a downloaded file could not be kept: %s",
					strerror(failed));
	}
	spool_object_join(spool, folder_fd, name, file->sha256);
	return ERR_NONE;
}

/* Hashed while it came, where the transport does that: gigabytes are not read again here. */
static bool digest_of(struct spool *spool, const char *sha256, int fd,
		      char out[DIGEST_HEX_BYTES + 1])
{
	if (sha256 == NULL)
		return hash_file(spool, fd, out);
	memcpy(out, sha256, DIGEST_HEX_BYTES + 1);
	return true;
}

enum err_kind spool_keep_part(struct spool *spool, struct arena *arena, struct str key, int fd,
			      const char *sha256, struct spool_file *file_out, struct error *err)
{
	struct spool_file file = {.path = str_of(spool_path(spool, arena, key, ""))};
	if (!look(spool, fd, spool->scratch, &file.size_bytes, &file.sniff) ||
	    !digest_of(spool, sha256, fd, file.sha256))
		return error_set_native(err, ERR_TEMPORARY, errno,
					"a downloaded file could not be read");
	if (file.size_bytes > spool->file_max_bytes)
		return error_set(err, ERR_TOO_LARGE, "the media is larger than %" PRId64 " bytes",
				 spool->file_max_bytes);
	const int folder_fd = open_folder(spool->directory_fd, folder_of(key));
	if (folder_fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "a spool folder is missing");
	const enum err_kind kind = settle_and_join(spool, arena, key, folder_fd, fd, &file, err);
	close(folder_fd);
	if (kind == ERR_NONE)
		*file_out = file;
	return kind;
}

static enum err_kind keep_fetched(struct spool *spool, struct arena *arena, struct str key, int fd,
				  const struct save_mark *saved, struct spool_file *file_out,
				  struct error *err)
{
	char digest[DIGEST_HEX_BYTES + 1];
	struct stat status;
	const bool is_hashed = saved != NULL && fstat(fd, &status) == 0 &&
			       saved->size_bytes == (int64_t)status.st_size;
	if (is_hashed)
		save_mark_digest(saved, digest);
	return spool_keep_part(spool, arena, key, fd, is_hashed ? digest : NULL, file_out, err);
}

static enum err_kind refuse_status(int status, struct error *err)
{
	const bool may_pass = status >= 500 || status == 408 || status == 425 || status == 429;
	const bool is_gone = status == 404 || status == 410;
	return error_set(err,
			 may_pass  ? ERR_TEMPORARY
			 : is_gone ? ERR_NOT_FOUND
				   : ERR_INVALID,
			 "the media server answered %d", status);
}

/* What a fetch that brought nothing means; a name without an address may have one tomorrow. */
static const enum err_kind problem_kinds[] = {
	[TRANSFER_OK] = ERR_TEMPORARY,
	[TRANSFER_REFUSED_BY_GUARD] = ERR_FORBIDDEN,
	[TRANSFER_NAME_NOT_RESOLVED] = ERR_TEMPORARY,
	[TRANSFER_CONNECT_FAILED] = ERR_TEMPORARY,
	[TRANSFER_TLS_FAILED] = ERR_TEMPORARY,
	[TRANSFER_TIMED_OUT] = ERR_TEMPORARY,
	[TRANSFER_TOO_SLOW] = ERR_TEMPORARY,
	[TRANSFER_TOO_LARGE] = ERR_TOO_LARGE,
	[TRANSFER_CONNECTION_BROKEN] = ERR_TEMPORARY,
	[TRANSFER_DISK_FAILED] = ERR_TEMPORARY,
	[TRANSFER_BAD_REDIRECT] = ERR_INVALID,
	[TRANSFER_OTHER] = ERR_TEMPORARY,
};

static enum err_kind refuse_result(const struct spool *spool, const struct transfer_result *result,
				   struct error *err)
{
	if (result->outcome == TRANSFER_ANSWERED)
		return refuse_status(result->status, err);
	/* Near the budget's end the limit was the budget's, not the file's. */
	const bool was_budget = result->problem == TRANSFER_TOO_LARGE &&
				spool->budget_bytes - spool->used_bytes < spool->file_max_bytes;
	if (was_budget)
		return error_set(err, ERR_TEMPORARY, "the spool is full");
	return error_set(err, problem_kinds[result->problem],
			 "the media could not be fetched: " STR_FMT, STR_ARG(result->error_text));
}

/* "bytes A-B/N" of a 206: is what is saved N bytes? An answer that does not say so is believed. */
static bool is_all_of_it(const struct transfer_result *result)
{
	struct str text = STR("");
	struct str range;
	int64_t size_bytes = 0;
	for (size_t i = 0; i < result->header_count; i++) {
		if (str_equal_nocase(result->headers[i].name, STR("Content-Range")))
			text = result->headers[i].value;
	}
	if (result->status != 206 || result->saved == NULL || !str_take_until(&text, '/', &range) ||
	    !str_skip(&text, STR("/")) || !str_parse_i64(text, &size_bytes))
		return true;
	return result->saved->size_bytes == size_bytes;
}

enum err_kind spool_fetch_finish(struct spool *spool, struct arena *arena, struct str key,
				 const struct transfer_result *result, struct spool_file *file_out,
				 struct error *err)
{
	if (!is_key(key))
		return error_set(err, ERR_INVALID,
				 "a spool key may only contain letters, digits and dashes");
	const char *part = spool_part_path(spool, arena, key);
	const bool is_good = result->outcome == TRANSFER_ANSWERED && result->status >= 200 &&
			     result->status < 300;
	enum err_kind kind = ERR_NONE;
	if (!is_good) {
		kind = refuse_result(spool, result, err);
	} else if (!is_all_of_it(result)) {
		kind = error_set(err, ERR_TEMPORARY, "the media server sent only a part");
	} else {
		const int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return error_set_native(err, ERR_TEMPORARY, errno,
						"a downloaded file is missing");
		kind = keep_fetched(spool, arena, key, fd, result->saved, file_out, err);
		close(fd);
	}
	if (kind != ERR_NONE && !spool_cut_keep(spool, arena, key, result))
		unlink(part);
	return kind;
}

struct removal {
	struct spool *spool;
	struct str prefix;
};

/* A medium and its digest go together, whichever of them is met first. */
static void remove_file(struct spool *spool, int folder_fd, const char *name)
{
	const struct str text = str_of(name);
	const struct str key = spool_key_of(text);
	const struct str suffix = str_slice(text, key.len, text.len);
	char medium[NAME_MAX + 1];
	if (spool_is_part(text)) {
		unlinkat(folder_fd, name, 0);
	} else if (str_is_empty(suffix) || str_equal_z(suffix, DIGEST_SUFFIX)) {
		snprintf(medium, sizeof(medium), STR_FMT, STR_ARG(key));
		spool_key_drop(spool, folder_fd, medium);
	} else {
		spool_remove_counted(spool, folder_fd, name);
	}
}

static bool remove_matching(void *context, int folder_fd, const char *name)
{
	const struct removal *removal = context;
	if (str_has_prefix(str_of(name), removal->prefix))
		remove_file(removal->spool, folder_fd, name);
	return true;
}

void spool_remove(struct spool *spool, struct str key_prefix)
{
	struct removal removal = {.spool = spool, .prefix = key_prefix};
	if (!is_key(key_prefix))
		return; /* an empty prefix would be everything */
	if (key_prefix.len < POST_ID_BYTES) {
		spool_walk(spool->directory_fd, remove_matching, &removal);
		return;
	}
	const int fd = open_folder(spool->directory_fd, folder_of(key_prefix));
	if (fd >= 0)
		walk_folder(fd, remove_matching, &removal);
	spool_share_forget(spool, key_prefix);
}

struct sweep {
	struct spool *spool;
	bool (*is_needed)(void *context, struct str key);
	void *context;
};

static bool is_of_this_run(const struct spool *spool, struct str name)
{
	return str_find(name, str_of(spool->run), 0) != SIZE_MAX;
}

/* Files of an earlier run. */
static void count_in_share(struct spool *spool, int folder_fd, struct str name)
{
	const struct str key = spool_key_of(name);
	const bool is_medium = key.len == name.len;
	if (is_medium || counts_in_share(name))
		spool_share_change(spool, key, spool_size_of(folder_fd, name.ptr), is_medium);
}

static bool sweep_file(void *context, int folder_fd, const char *name)
{
	const struct sweep *sweep = context;
	const struct str text = str_of(name);
	const bool stays = spool_is_part(text)
				   ? is_of_this_run(sweep->spool, text)
				   : sweep->is_needed(sweep->context, spool_key_of(text));
	if (!stays)
		remove_file(sweep->spool, folder_fd, name);
	else if (!sweep->spool->has_swept)
		count_in_share(sweep->spool, folder_fd, text);
	return true;
}

void spool_sweep(struct spool *spool, bool (*is_needed)(void *context, struct str key),
		 void *context)
{
	struct sweep sweep = {.spool = spool, .is_needed = is_needed, .context = context};
	spool_walk(spool->directory_fd, sweep_file, &sweep);
	spool->has_swept = true;
	spool_objects_clean(spool); /* a removed temporary file may have been the last name */
}
