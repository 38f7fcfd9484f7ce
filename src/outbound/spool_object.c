/* SPDX-License-Identifier: Apache-2.0
 * The bytes of the spool, once each: DATA/spool/objects/AB/REST, where ABREST is their SHA-256. A
 * medium's KEY is a hard link of its object, so the number of links says who needs the bytes, at
 * every instant and after a crash too, and nothing else has to be kept or counted.
 *
 * KEY is whole and on the disk before it is joined with an object, and stays so at every step: a
 * power cut leaves it with bytes of its own (joined at the next start), or an object that no key
 * needs (removed at the next start). That is also how the files of a version without objects are
 * taken over. Where a link cannot be made (65000 of them on ext4, file systems without any) KEY
 * keeps bytes of its own. What writes goes to other names, never to a KEY: it would write to all
 * of them. */
#include "spool_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_DIGITS 2
#define OBJECT_NAME_BYTES (DIGEST_HEX_BYTES + sizeof("/"))
#define NAME_BYTES 320 /* NAME_MAX, and what is put behind */

static void object_name(const char *digest, char out[OBJECT_NAME_BYTES])
{
	snprintf(out, OBJECT_NAME_BYTES, "%.*s/%s", FOLDER_DIGITS, digest, digest + FOLDER_DIGITS);
}

static void digest_name(const char *key, char out[NAME_BYTES])
{
	snprintf(out, NAME_BYTES, "%s" DIGEST_SUFFIX, key);
}

static bool stat_file(int folder_fd, const char *name, struct stat *status)
{
	return fstatat(folder_fd, name, status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status->st_mode);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void folder_make(const struct spool *spool, const char *object)
{
	const char folder[FOLDER_DIGITS + 1] = {object[0], object[1]};
	mkdirat(spool->objects_fd, folder, 0700);
}

static void folder_remove_if_empty(const struct spool *spool, const char *object)
{
	const char folder[FOLDER_DIGITS + 1] = {object[0], object[1]};
	unlinkat(spool->objects_fd, folder, AT_REMOVEDIR);
}

/* ---- joining and leaving ---- */

static bool become_object(const struct spool *spool, int folder_fd, const char *key,
			  const char *object)
{
	folder_make(spool, object);
	if (linkat(folder_fd, key, spool->objects_fd, object, 0) == 0)
		return true;
	folder_remove_if_empty(spool, object);
	return false;
}

/* In one step, so that KEY is never away. */
static bool take_name_of(const struct spool *spool, const char *object, int folder_fd,
			 const char *key)
{
	char twin[NAME_BYTES];
	snprintf(twin, sizeof(twin), "%s.%s.twin" PART_SUFFIX, key, spool->run);
	if (linkat(spool->objects_fd, object, folder_fd, twin, 0) != 0)
		return false;
	if (renameat(folder_fd, twin, folder_fd, key) == 0)
		return true;
	unlinkat(folder_fd, twin, 0);
	return false;
}

void spool_object_join(struct spool *spool, int folder_fd, const char *key, const char *digest)
{
	char object[OBJECT_NAME_BYTES];
	struct stat own, there;
	object_name(digest, object);
	if (!stat_file(folder_fd, key, &own) || become_object(spool, folder_fd, key, object) ||
	    !stat_file(spool->objects_fd, object, &there) || is_same_file(&own, &there))
		return;
	/* It was whole when it got its name; somebody may have cut it since. */
	if (own.st_size == there.st_size && take_name_of(spool, object, folder_fd, key) &&
	    own.st_nlink == 1)
		spool->used_bytes -= (int64_t)own.st_size;
}

int64_t spool_object_cost(const struct spool *spool, const char *digest, int64_t size_bytes)
{
	char object[OBJECT_NAME_BYTES];
	struct stat there;
	object_name(digest, object);
	const bool is_there = stat_file(spool->objects_fd, object, &there) &&
			      (int64_t)there.st_size == size_bytes;
	return is_there ? 0 : size_bytes;
}

/* One of the names of file went. */
static void object_left(struct spool *spool, const char *digest, const struct stat *file)
{
	char object[OBJECT_NAME_BYTES];
	struct stat there;
	object_name(digest, object);
	if (!stat_file(spool->objects_fd, object, &there) || !is_same_file(file, &there) ||
	    there.st_nlink > 1 || unlinkat(spool->objects_fd, object, 0) != 0)
		return;
	spool->used_bytes -= (int64_t)there.st_size;
	folder_remove_if_empty(spool, object);
}

void spool_key_drop(struct spool *spool, int folder_fd, const char *key)
{
	char digest[DIGEST_HEX_BYTES + 1];
	char of_digest[NAME_BYTES];
	struct stat own;
	digest_name(key, of_digest);
	const bool has_digest = spool_digest_read(folder_fd, of_digest, digest);
	if (stat_file(folder_fd, key, &own) && unlinkat(folder_fd, key, 0) == 0) {
		spool_share_change(spool, str_of(key), -(int64_t)own.st_size, -1);
		if (own.st_nlink == 1)
			spool->used_bytes -= (int64_t)own.st_size;
		else if (has_digest)
			object_left(spool, digest, &own);
	}
	spool_remove_counted(spool, folder_fd, of_digest);
}

/* ---- after a crash, or an earlier version ---- */

static bool mend_key(void *context, int folder_fd, const char *name)
{
	char digest[DIGEST_HEX_BYTES + 1];
	char of_digest[NAME_BYTES];
	if (strchr(name, '.') != NULL)
		return true;
	digest_name(name, of_digest);
	if (spool_digest_read(folder_fd, of_digest, digest))
		spool_object_join(context, folder_fd, name, digest);
	else
		spool_key_drop(context, folder_fd, name);
	return true;
}

/* A digest without its medium. */
static bool mend_digest(void *context, int folder_fd, const char *name)
{
	char key[NAME_BYTES];
	struct stat status;
	(void)context;
	if (!str_has_suffix(str_of(name), STR(DIGEST_SUFFIX)))
		return true;
	snprintf(key, sizeof(key), "%.*s", (int)(strlen(name) - strlen(DIGEST_SUFFIX)), name);
	if (!stat_file(folder_fd, key, &status))
		unlinkat(folder_fd, name, 0);
	return true;
}

static bool count_in_folder(void *context, int folder_fd, const char *name)
{
	struct spool *spool = context;
	struct stat status;
	/* What has more names is counted as an object. */
	if (!spool_is_part(str_of(name)) && stat_file(folder_fd, name, &status) &&
	    status.st_nlink == 1)
		spool->used_bytes += (int64_t)status.st_size;
	return true;
}

static bool count_object(void *context, int folder_fd, const char *name)
{
	struct spool *spool = context;
	spool->used_bytes += spool_size_of(folder_fd, name);
	return true;
}

static bool remove_unneeded(void *context, int folder_fd, const char *name)
{
	struct stat status;
	if (stat_file(folder_fd, name, &status) && status.st_nlink == 1)
		spool_remove_counted(context, folder_fd, name);
	return true;
}

void spool_objects_clean(struct spool *spool)
{
	bool is_there[FOLDER_COUNT] = {false};
	spool_walk(spool->objects_fd, remove_unneeded, spool);
	spool_folders_list(spool->objects_fd, is_there);
	for (unsigned i = 0; i < FOLDER_COUNT; i++) {
		char folder[FOLDER_DIGITS + 1];
		snprintf(folder, sizeof(folder), "%02x", i % FOLDER_COUNT);
		if (is_there[i])
			folder_remove_if_empty(spool, folder);
	}
}

void spool_objects_mend(struct spool *spool)
{
	spool_walk(spool->directory_fd, mend_key, spool);
	spool_walk(spool->directory_fd, mend_digest, spool);
	spool->used_bytes = 0;
	spool_walk(spool->directory_fd, count_in_folder, spool);
	spool_walk(spool->objects_fd, count_object, spool);
	spool_objects_clean(spool);
}
