/* SPDX-License-Identifier: Apache-2.0
 * Media on our disk. DATA/spool has 256 folders ("00" to "ff", by a hash of the post's id) so that
 * no folder grows without measure and all of a post's files lie in one. A medium is two files, KEY
 * and KEY.sha256; both are synced, the digest's first, before KEY appears under its name, so that
 * KEY alone says that the medium is there and whole. A fetch under way is KEY.RUN.part, where RUN
 * differs in every run of the program: what an earlier run left is known by it. */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "random.h"

#define BUDGET_BYTES_DEFAULT (INT64_C(32) << 30) /* spool.h */
#define FOLDER_COUNT 256
#define POST_ID_BYTES 36 /* a UUID: what the keys of one post begin with */
#define KEY_MAX_BYTES 100
#define RUN_BYTES 8
#define DIGEST_HEX_BYTES 64
#define DIGEST_SUFFIX ".sha256"
#define PART_SUFFIX ".part"
#define FETCH_TIMEOUT_MS (INT64_C(6) * 3600 * 1000) /* 4 GiB at 200 kB/s */
#define FETCH_LOW_SPEED_BYTES_S 1024
#define FETCH_REDIRECTS_MAX 3 /* RELIABILITY.md 4.1 */

struct spool {
	char *directory;
	int64_t budget_bytes;
	int64_t file_max_bytes;
	int64_t used_bytes;
	char run[RUN_BYTES + 1];
	char scratch[SNIFF_BYTES_WANTED]; /* what is being looked at */
};

/* A walk over files stops when this says so. */
typedef bool (*visit_file)(void *context, int folder_fd, const char *name);

static bool is_key(struct str key)
{
	if (key.len == 0 || key.len > KEY_MAX_BYTES)
		return false;
	for (size_t i = 0; i < key.len; i++) {
		const char c = key.ptr[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      c == '-'))
			return false;
	}
	return true;
}

/* FNV-1a of the post's id. */
static unsigned folder_of(struct str key)
{
	const struct str id = str_slice(key, 0, POST_ID_BYTES);
	uint32_t hash = 2166136261U;
	for (size_t i = 0; i < id.len; i++)
		hash = (hash ^ (uint8_t)id.ptr[i]) * 16777619U;
	return (hash ^ hash >> 16) % FOLDER_COUNT;
}

static struct str folder_path(const struct spool *spool, struct arena *arena, struct str key)
{
	return str_format(arena, "%s/%02x", spool->directory, folder_of(key));
}

static char *file_path(const struct spool *spool, struct arena *arena, struct str key,
		       const char *suffix)
{
	const struct str path = str_format(arena, "%s/%02x/" STR_FMT "%s", spool->directory,
					   folder_of(key), STR_ARG(key), suffix);
	return str_z(arena, path);
}

static char *part_path(const struct spool *spool, struct arena *arena, struct str key)
{
	const struct str suffix = str_format(arena, ".%s" PART_SUFFIX, spool->run);
	return file_path(spool, arena, key, str_z(arena, suffix));
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

static int open_folder(const struct spool *spool, unsigned number)
{
	char *path = NULL;
	if (asprintf(&path, "%s/%02x", spool->directory, number) < 0)
		return -1;
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

static void walk_all(const struct spool *spool, visit_file visit, void *context)
{
	for (unsigned i = 0; i < FOLDER_COUNT; i++) {
		const int fd = open_folder(spool, i);
		if (fd >= 0)
			walk_folder(fd, visit, context);
	}
}

static int64_t size_of_file(int folder_fd, const char *name)
{
	struct stat status;
	if (fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
		return 0;
	return (int64_t)status.st_size;
}

static bool is_part(struct str name)
{
	return str_has_suffix(name, STR(PART_SUFFIX));
}

static bool add_size(void *context, int folder_fd, const char *name)
{
	struct spool *spool = context;
	if (!is_part(str_of(name)))
		spool->used_bytes += size_of_file(folder_fd, name);
	return true;
}

/* 0700; one that is there already is made so. */
static int make_directory(const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return errno;
	return chmod(path, 0700) == 0 ? 0 : errno;
}

static int sync_path(const char *path, int flags)
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

enum err_kind spool_open(const struct spool_config *config, struct spool **spool_out,
			 struct error *err)
{
	const int failed = make_directory(config->directory);
	if (failed != 0)
		return error_set_native(err, ERR_INTERNAL, failed,
					"the spool directory %s could not be made: %s",
					config->directory, strerror(failed));
	struct spool *spool = calloc(1, sizeof(*spool));
	if (spool == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the spool");
	spool->directory = strdup(config->directory);
	if (spool->directory == NULL) {
		free(spool);
		return error_set(err, ERR_INTERNAL, "no memory for the spool");
	}
	spool->budget_bytes =
		config->budget_bytes > 0 ? config->budget_bytes : BUDGET_BYTES_DEFAULT;
	spool->file_max_bytes =
		config->file_max_bytes > 0 ? config->file_max_bytes : SPOOL_FILE_MAX_BYTES;
	name_run(spool);
	walk_all(spool, add_size, spool);
	*spool_out = spool;
	return ERR_NONE;
}

void spool_close(struct spool **spool)
{
	if (*spool == NULL)
		return;
	free((*spool)->directory);
	free(*spool);
	*spool = NULL;
}

/* Reads up to size_bytes from the start; the count, or -1. */
static ssize_t read_start(int fd, char *out, size_t size_bytes)
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

static bool read_digest(const char *path, char out[DIGEST_HEX_BYTES + 1])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t count = read_start(fd, out, DIGEST_HEX_BYTES);
	close(fd);
	out[DIGEST_HEX_BYTES] = '\0';
	return count == DIGEST_HEX_BYTES && is_hex_digest(out);
}

/* Size and kind of an open file. */
static bool look(struct spool *spool, int fd, struct spool_file *file)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	const ssize_t count = read_start(fd, spool->scratch, sizeof(spool->scratch));
	if (count < 0)
		return false;
	file->size_bytes = (int64_t)status.st_size;
	file->sniff = sniff_media((struct str){spool->scratch, (size_t)count});
	return true;
}

bool spool_find(struct spool *spool, struct arena *arena, struct str key,
		struct spool_file *file_out)
{
	if (!is_key(key))
		return false;
	struct spool_file file = {0};
	const char *path = file_path(spool, arena, key, "");
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	const bool is_good = look(spool, fd, &file) &&
			     read_digest(file_path(spool, arena, key, DIGEST_SUFFIX), file.sha256);
	close(fd);
	file.path = str_of(path);
	if (is_good)
		*file_out = file;
	return is_good;
}

/* A new folder's own name is synced once, here. */
static int make_folder(const struct spool *spool, struct arena *arena, struct str key)
{
	if (mkdir(str_z(arena, folder_path(spool, arena, key)), 0700) == 0)
		return sync_path(spool->directory, O_RDONLY | O_DIRECTORY);
	return errno == EEXIST ? 0 : errno;
}

enum err_kind spool_fetch_request(struct spool *spool, struct arena *arena, struct str key,
				  struct str url, struct transfer_request *request_out,
				  struct error *err)
{
	if (!is_key(key))
		return error_set(err, ERR_INVALID, "a spool key holds letters, digits and dashes");
	const int64_t left_bytes = spool->budget_bytes - spool->used_bytes;
	if (left_bytes <= 0)
		return error_set(err, ERR_TOO_LARGE,
				 "the spool is full: %" PRId64 " of %" PRId64 " bytes are used",
				 spool->used_bytes, spool->budget_bytes);
	const int failed = make_folder(spool, arena, key);
	if (failed != 0)
		return error_set_native(err, ERR_TEMPORARY, failed,
					"a spool folder could not be made: %s", strerror(failed));
	*request_out = (struct transfer_request){
		.pool = TRANSFER_USER,
		.method = "GET",
		.url = url,
		.timeout_ms = FETCH_TIMEOUT_MS,
		.response_max_bytes =
			left_bytes < spool->file_max_bytes ? left_bytes : spool->file_max_bytes,
		.save_path = part_path(spool, arena, key),
		.redirects_max = FETCH_REDIRECTS_MAX,
		.low_speed_bytes_s = FETCH_LOW_SPEED_BYTES_S,
	};
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

static int write_digest(const char *path, const char *digest)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	const ssize_t written = write(fd, digest, DIGEST_HEX_BYTES);
	int failed = written < 0 ? errno : 0;
	if (failed == 0 && written != DIGEST_HEX_BYTES)
		failed = ENOSPC;
	if (failed == 0 && fsync(fd) != 0)
		failed = errno;
	close(fd);
	return failed;
}

/* The order that the top of this file promises. A file of this key from before goes first: it must
 * not meet the new digest. */
static int settle(const struct spool *spool, struct arena *arena, struct str key, int fd,
		  const char *digest)
{
	const char *final = file_path(spool, arena, key, "");
	if (fsync(fd) != 0 || (unlink(final) != 0 && errno != ENOENT))
		return errno;
	const int failed = write_digest(file_path(spool, arena, key, DIGEST_SUFFIX), digest);
	if (failed != 0)
		return failed;
	if (rename(part_path(spool, arena, key), final) != 0)
		return errno;
	return sync_path(str_z(arena, folder_path(spool, arena, key)), O_RDONLY | O_DIRECTORY);
}

static int64_t stored_bytes(const struct spool *spool, struct arena *arena, struct str key)
{
	return size_of_file(AT_FDCWD, file_path(spool, arena, key, "")) +
	       size_of_file(AT_FDCWD, file_path(spool, arena, key, DIGEST_SUFFIX));
}

static enum err_kind keep(struct spool *spool, struct arena *arena, struct str key, int fd,
			  struct spool_file *file_out, struct error *err)
{
	struct spool_file file = {.path = str_of(file_path(spool, arena, key, ""))};
	if (!look(spool, fd, &file) || !hash_file(spool, fd, file.sha256))
		return error_set_native(err, ERR_TEMPORARY, errno,
					"a fetched file could not be read");
	const int64_t before_bytes = stored_bytes(spool, arena, key);
	/* Fetches run side by side and none knows its size beforehand: the sum is checked here
	 * again. */
	if (spool->used_bytes - before_bytes + file.size_bytes > spool->budget_bytes)
		return error_set(err, ERR_TEMPORARY, "the spool is full");
	const int failed = settle(spool, arena, key, fd, file.sha256);
	spool->used_bytes += stored_bytes(spool, arena, key) - before_bytes;
	if (failed != 0)
		return error_set_native(err, ERR_TEMPORARY, failed,
					"a fetched file could not be kept: %s", strerror(failed));
	*file_out = file;
	return ERR_NONE;
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

enum err_kind spool_fetch_finish(struct spool *spool, struct arena *arena, struct str key,
				 const struct transfer_result *result, struct spool_file *file_out,
				 struct error *err)
{
	if (!is_key(key))
		return error_set(err, ERR_INVALID, "a spool key holds letters, digits and dashes");
	const char *part = part_path(spool, arena, key);
	const bool is_good = result->outcome == TRANSFER_ANSWERED && result->status >= 200 &&
			     result->status < 300;
	enum err_kind kind = ERR_NONE;
	if (!is_good) {
		kind = refuse_result(spool, result, err);
	} else {
		const int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return error_set_native(err, ERR_TEMPORARY, errno,
						"a fetched file is not there");
		kind = keep(spool, arena, key, fd, file_out, err);
		close(fd);
	}
	if (kind != ERR_NONE)
		unlink(part);
	return kind;
}

struct removal {
	struct spool *spool;
	struct str prefix;
};

static void remove_file(struct spool *spool, int folder_fd, const char *name)
{
	const int64_t size_bytes = size_of_file(folder_fd, name);
	if (unlinkat(folder_fd, name, 0) == 0 && !is_part(str_of(name)))
		spool->used_bytes -= size_bytes;
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
		walk_all(spool, remove_matching, &removal);
		return;
	}
	const int fd = open_folder(spool, folder_of(key_prefix));
	if (fd >= 0)
		walk_folder(fd, remove_matching, &removal);
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

/* The key is what stands before the first dot: keys hold none. */
static bool sweep_file(void *context, int folder_fd, const char *name)
{
	const struct sweep *sweep = context;
	const struct str text = str_of(name);
	const struct str key = str_slice(text, 0, str_find_char(text, '.', 0));
	const bool stays = is_part(text) ? is_of_this_run(sweep->spool, text)
					 : sweep->is_needed(sweep->context, key);
	if (!stays)
		remove_file(sweep->spool, folder_fd, name);
	return true;
}

void spool_sweep(struct spool *spool, bool (*is_needed)(void *context, struct str key),
		 void *context)
{
	struct sweep sweep = {.spool = spool, .is_needed = is_needed, .context = context};
	walk_all(spool, sweep_file, &sweep);
}
