/* SPDX-License-Identifier: Apache-2.0
 * See avatar_cache.h. A file is the SHA-256 of the address in hex, a line feed, and the bytes. */
#include "avatar_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "thread.h"

#include "sniff.h"

#include "digest.h"

#define HEAD_BYTES 65
#define NAME_MAX_BYTES 64 /* account ids are uuids */
#define PATH_MAX_BYTES 4096
#define NEW_PREFIX "new-"
#define NEW_KEPT_S 3600 /* nobody writes for that long */
#define FILES_MAX 65536 /* that one sweep looks at; the next sees the rest */
#define BATCH 256
#define SWEEP_ARENA_BYTES ((size_t)32 << 20)

struct file {
	char name[NAME_MAX_BYTES + 1];
	int64_t size_bytes;
	int64_t changed_s;
	bool is_gone;
};

/* ---- names ---- */

/* Also what keeps a name from leaving the folder. */
static bool is_name(struct str id)
{
	bool is_good = id.len > 0 && id.len <= NAME_MAX_BYTES - strlen(NEW_PREFIX);
	for (size_t i = 0; is_good && i < id.len; i++)
		is_good = (id.ptr[i] >= '0' && id.ptr[i] <= '9') ||
			  (id.ptr[i] >= 'a' && id.ptr[i] <= 'z') || id.ptr[i] == '-';
	return is_good;
}

static bool path_of(const struct avatar_cache *cache, struct str name, char *path)
{
	const int length =
		snprintf(path, PATH_MAX_BYTES, "%s/" STR_FMT, cache->directory, STR_ARG(name));
	return length > 0 && length < PATH_MAX_BYTES;
}

static void count_bytes(struct avatar_cache *cache, int64_t more_bytes)
{
	pthread_mutex_lock(&cache->mutex);
	cache->used_bytes += more_bytes;
	pthread_mutex_unlock(&cache->mutex);
}

static bool has_room(struct avatar_cache *cache, int64_t more_bytes)
{
	pthread_mutex_lock(&cache->mutex);
	const bool has = cache->used_bytes + more_bytes <= cache->max_bytes;
	pthread_mutex_unlock(&cache->mutex);
	return has;
}

static int64_t size_of(const char *path)
{
	struct stat found;
	return stat(path, &found) == 0 ? (int64_t)found.st_size : 0;
}

/* ---- one picture ---- */

static bool read_file(const char *path, struct arena *arena, struct str *out)
{
	struct stat found;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bool is_read = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
		       found.st_size > HEAD_BYTES && found.st_size <= HEAD_BYTES + AVATAR_MAX_BYTES;
	size_t length = 0;
	char *bytes = is_read ? arena_alloc(arena, (size_t)found.st_size) : NULL;
	while (is_read && length < (size_t)found.st_size) {
		const ssize_t n = read(fd, bytes + length, (size_t)found.st_size - length);
		is_read = n > 0;
		length += is_read ? (size_t)n : 0;
	}
	close(fd);
	*out = (struct str){bytes, length};
	return is_read;
}

/* What browsers show in every case; a picture that is code (SVG) is none of them. */
static const char *type_of(struct str bytes)
{
	static const enum sniff_type types[] = {SNIFF_JPEG, SNIFF_PNG, SNIFF_GIF, SNIFF_WEBP};
	const struct sniff sniff = sniff_media(str_slice(
		bytes, 0, bytes.len < SNIFF_BYTES_WANTED ? bytes.len : SNIFF_BYTES_WANTED));
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (sniff.type == types[i])
			return sniff.mime_type;
	}
	return NULL;
}

static struct str mark_of(struct arena *arena, struct str url)
{
	const struct digest digest = digest_sha256(url);
	return digest_hex(arena, &digest);
}

bool avatar_cache_read(struct avatar_cache *cache, struct arena *arena, struct str account_id,
		       struct str url, struct avatar *avatar_out)
{
	char path[PATH_MAX_BYTES];
	struct str file = {0};
	*avatar_out = (struct avatar){0};
	if (cache->directory == NULL || !is_name(account_id) || !path_of(cache, account_id, path) ||
	    !read_file(path, arena, &file))
		return false;
	avatar_out->bytes = str_slice(file, HEAD_BYTES, file.len);
	avatar_out->mime_type = type_of(avatar_out->bytes);
	avatar_out->is_current = str_equal(str_slice(file, 0, HEAD_BYTES - 1), mark_of(arena, url));
	return avatar_out->mime_type != NULL; /* a crash of the machine may leave half a file */
}

static bool write_all(int fd, struct str bytes)
{
	while (bytes.len > 0) {
		const ssize_t n = write(fd, bytes.ptr, bytes.len);
		if (n <= 0)
			return false;
		bytes = str_slice(bytes, (size_t)n, bytes.len);
	}
	return true;
}

/* Beside it first: who reads sees the old one or the new one. */
static bool replace(const struct avatar_cache *cache, struct str account_id, struct str head,
		    struct str bytes)
{
	char path[PATH_MAX_BYTES];
	char fresh[PATH_MAX_BYTES];
	char name[NAME_MAX_BYTES + 1];
	snprintf(name, sizeof(name), NEW_PREFIX STR_FMT, STR_ARG(account_id));
	if (!path_of(cache, account_id, path) || !path_of(cache, str_of(name), fresh))
		return false;
	const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	bool is_done = write_all(fd, head) && write_all(fd, STR("\n")) && write_all(fd, bytes);
	is_done = close(fd) == 0 && is_done;
	is_done = is_done && rename(fresh, path) == 0;
	if (!is_done)
		unlink(fresh);
	return is_done;
}

bool avatar_cache_write(struct avatar_cache *cache, struct str account_id, struct str url,
			struct str bytes, const char **why_out)
{
	char path[PATH_MAX_BYTES];
	const int64_t size_bytes = (int64_t)bytes.len + HEAD_BYTES;
	*why_out = NULL;
	if (cache->directory == NULL || !is_name(account_id) || !path_of(cache, account_id, path))
		*why_out = "no pictures are kept here";
	else if ((int64_t)bytes.len > AVATAR_MAX_BYTES)
		*why_out = "it is too large";
	else if (type_of(bytes) == NULL)
		*why_out = "it is no JPEG, PNG, GIF or WebP";
	else if (!has_room(cache, size_bytes))
		*why_out = "the cache is full";
	if (*why_out != NULL)
		return false;
	struct arena *arena = arena_new("avatar", 4096);
	const int64_t before_bytes = size_of(path);
	const bool is_done = replace(cache, account_id, mark_of(arena, url), bytes);
	arena_free(&arena);
	if (is_done)
		count_bytes(cache, size_bytes - before_bytes);
	else
		*why_out = "the disk does not take it";
	return is_done;
}

void avatar_cache_remove(struct avatar_cache *cache, struct str account_id)
{
	char path[PATH_MAX_BYTES];
	if (cache->directory == NULL || !is_name(account_id) || !path_of(cache, account_id, path))
		return;
	const int64_t size_bytes = size_of(path);
	if (unlink(path) == 0)
		count_bytes(cache, -size_bytes);
}

/* ---- all of them ---- */

static size_t count_entries(const char *directory)
{
	DIR *folder = opendir(directory);
	size_t count = 0;
	while (folder != NULL && count < FILES_MAX && readdir(folder) != NULL)
		count++;
	if (folder != NULL)
		closedir(folder);
	return count;
}

/* At most FILES_MAX. *files_out: in the arena. */
static size_t list_files(const struct avatar_cache *cache, struct arena *arena,
			 struct file **files_out)
{
	const size_t max = count_entries(cache->directory);
	struct file *files = ARENA_ARRAY(arena, struct file, max);
	DIR *folder = opendir(cache->directory);
	size_t count = 0;
	const struct dirent *entry;
	*files_out = files;
	while (folder != NULL && count < max && (entry = readdir(folder)) != NULL) {
		struct stat found;
		char path[PATH_MAX_BYTES];
		const struct str name = str_of(entry->d_name);
		if (name.len > NAME_MAX_BYTES || name.ptr[0] == '.' ||
		    !path_of(cache, name, path) || lstat(path, &found) != 0 ||
		    !S_ISREG(found.st_mode))
			continue;
		struct file *file = &files[count++];
		memcpy(file->name, name.ptr, name.len + 1);
		file->size_bytes = (int64_t)found.st_size;
		file->changed_s = (int64_t)found.st_mtime;
		file->is_gone = false;
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static size_t remove_file(const struct avatar_cache *cache, struct file *file)
{
	char path[PATH_MAX_BYTES];
	file->is_gone = path_of(cache, str_of(file->name), path) && unlink(path) == 0;
	return file->is_gone ? 1 : 0;
}

static size_t remove_unfinished(const struct avatar_cache *cache, struct file *files, size_t count)
{
	const int64_t now_s = (int64_t)time(NULL); /* as the file system's own */
	size_t removed = 0;
	for (size_t i = 0; i < count; i++) {
		if (str_has_prefix(str_of(files[i].name), STR(NEW_PREFIX)) &&
		    files[i].changed_s + NEW_KEPT_S < now_s)
			removed += remove_file(cache, &files[i]);
	}
	return removed;
}

static size_t remove_unwanted(const struct avatar_cache *cache, struct file *files, size_t count,
			      avatar_cache_judge judge, void *context)
{
	size_t removed = 0;
	for (size_t at = 0; at < count;) {
		struct str ids[BATCH];
		struct file *of[BATCH];
		bool keeps[BATCH] = {false};
		size_t batch = 0;
		for (; at < count && batch < BATCH; at++) {
			const bool is_new = str_has_prefix(str_of(files[at].name), STR(NEW_PREFIX));
			if (!is_new && !files[at].is_gone) {
				ids[batch] = str_of(files[at].name);
				of[batch++] = &files[at];
			}
		}
		if (batch == 0 || !judge(context, ids, batch, keeps))
			continue;
		for (size_t i = 0; i < batch; i++)
			removed += keeps[i] ? 0 : remove_file(cache, of[i]);
	}
	return removed;
}

static int compare_age(const void *a, const void *b)
{
	const struct file *x = a;
	const struct file *y = b;
	return (x->changed_s > y->changed_s) - (x->changed_s < y->changed_s);
}

static size_t remove_oldest(const struct avatar_cache *cache, struct file *files, size_t count,
			    int64_t *used_bytes)
{
	const int64_t wanted_bytes = cache->max_bytes / 8 * 7;
	size_t removed = 0;
	if (*used_bytes <= wanted_bytes)
		return 0;
	qsort(files, count, sizeof(files[0]), compare_age);
	for (size_t i = 0; i < count; i++) {
		if (*used_bytes <= wanted_bytes)
			break;
		if (!files[i].is_gone && remove_file(cache, &files[i]) == 1) {
			*used_bytes -= files[i].size_bytes;
			removed++;
		}
	}
	return removed;
}

static int64_t bytes_of(const struct file *files, size_t count)
{
	int64_t bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += files[i].is_gone ? 0 : files[i].size_bytes;
	return bytes;
}

size_t avatar_cache_sweep(struct avatar_cache *cache, avatar_cache_judge judge, void *context)
{
	if (cache->directory == NULL)
		return 0;
	struct arena *arena = arena_new("avatars", SWEEP_ARENA_BYTES);
	struct file *files = NULL;
	const size_t count = list_files(cache, arena, &files);
	size_t removed = remove_unfinished(cache, files, count);
	if (judge != NULL)
		removed += remove_unwanted(cache, files, count, judge, context);
	int64_t used_bytes = bytes_of(files, count);
	removed += remove_oldest(cache, files, count, &used_bytes);
	pthread_mutex_lock(&cache->mutex);
	/* others may write here too; what came while this looked is counted by the next */
	cache->used_bytes = used_bytes;
	pthread_mutex_unlock(&cache->mutex);
	arena_free(&arena);
	return removed;
}

enum err_kind avatar_cache_open(struct avatar_cache *cache, const char *directory,
				int64_t max_bytes, struct error *err)
{
	*cache = (struct avatar_cache){.max_bytes =
					       max_bytes > 0 ? max_bytes : AVATAR_CACHE_MAX_BYTES};
	if (directory == NULL)
		return ERR_NONE;
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return error_set(err, ERR_INTERNAL, "cannot make the folder %s: %s", directory,
				 strerror(errno));
	if (pthread_mutex_init(&cache->mutex, NULL) != 0)
		return error_set(err, ERR_INTERNAL, "no mutex for the pictures of accounts");
	cache->directory = strdup(directory);
	if (cache->directory == NULL) {
		pthread_mutex_destroy(&cache->mutex);
		return error_set(err, ERR_INTERNAL, "no memory for the pictures of accounts");
	}
	struct arena *arena = arena_new("avatars", SWEEP_ARENA_BYTES);
	struct file *files = NULL;
	const size_t count = list_files(cache, arena, &files);
	cache->used_bytes = bytes_of(files, count);
	arena_free(&arena);
	return ERR_NONE;
}

void avatar_cache_close(struct avatar_cache *cache)
{
	if (cache->directory == NULL)
		return;
	free(cache->directory);
	pthread_mutex_destroy(&cache->mutex);
	*cache = (struct avatar_cache){0};
}
