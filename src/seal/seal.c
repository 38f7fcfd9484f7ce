/* SPDX-License-Identifier: Apache-2.0
 * Sealed records and the master key's file. The key lies in memory that libsodium locks, surrounds
 * with guard pages and keeps out of core dumps; every other copy of it here is wiped before its
 * function returns. */
#include "seal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#define FORMAT_VERSION 1
#define KEY_ID_BYTES 4
#define HEADER_BYTES (1 + KEY_ID_BYTES)
#define NONCE_BYTES crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG_BYTES crypto_aead_xchacha20poly1305_ietf_ABYTES
#define KEY_HEX_BYTES (2 * SEAL_KEY_BYTES)
#define KEY_FILE_MAX_BYTES (KEY_HEX_BYTES + 2) /* hex digits and CR LF */

static_assert(SEAL_KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the cipher's key");
static_assert(SEAL_OVERHEAD_BYTES == HEADER_BYTES + NONCE_BYTES + TAG_BYTES, "the record's form");

struct seal_key {
	uint8_t bytes[SEAL_KEY_BYTES];
	uint8_t header[HEADER_BYTES]; /* how each of its records begins */
};

struct seal {
	struct seal_key keys[1 + SEAL_OLD_KEYS_MAX]; /* the first is the master key */
	size_t key_count;
};

static void key_put(struct seal_key *out, const uint8_t key[SEAL_KEY_BYTES])
{
	uint8_t hash[crypto_generichash_BYTES];
	crypto_generichash(hash, sizeof(hash), key, SEAL_KEY_BYTES, NULL, 0);
	memcpy(out->bytes, key, SEAL_KEY_BYTES);
	out->header[0] = FORMAT_VERSION;
	memcpy(out->header + 1, hash, KEY_ID_BYTES);
	sodium_memzero(hash, sizeof(hash));
}

enum err_kind seal_open_key(const uint8_t key[SEAL_KEY_BYTES], struct seal **seal_out,
			    struct error *err)
{
	if (sodium_init() < 0)
		return error_set(err, ERR_INTERNAL, "libsodium could not be initialised");
	struct seal *seal = sodium_malloc(sizeof(*seal));
	if (seal == NULL)
		return error_set_native(err, ERR_INTERNAL, errno,
					"no protected memory for the master key");
	key_put(&seal->keys[0], key);
	seal->key_count = 1;
	sodium_mprotect_readonly(seal);
	*seal_out = seal;
	return ERR_NONE;
}

void seal_free(struct seal **seal)
{
	sodium_free(*seal); /* wipes it first */
	*seal = NULL;
}

void seal_key_name(const struct seal *seal, char out[9])
{
	sodium_bin2hex(out, 9, seal->keys[0].header + 1, KEY_ID_BYTES);
}

struct str seal_record_head(const struct seal *seal)
{
	return (struct str){(const char *)seal->keys[0].header, HEADER_BYTES};
}

size_t seal_old_key_count(const struct seal *seal)
{
	return seal->key_count - 1;
}

struct str seal_old_record_head(const struct seal *seal, size_t index)
{
	return (struct str){(const char *)seal->keys[1 + index].header, HEADER_BYTES};
}

/* One more than the four bytes say, so that 0 is no key's. */
int64_t seal_key_number_of_record(struct str record)
{
	int64_t number = 0;
	if (record.len < HEADER_BYTES || (uint8_t)record.ptr[0] != FORMAT_VERSION)
		return 0;
	for (size_t i = 1; i < HEADER_BYTES; i++)
		number = number * 256 + (uint8_t)record.ptr[i];
	return number + 1;
}

int64_t seal_key_number(const struct seal *seal)
{
	return seal_key_number_of_record(seal_record_head(seal));
}

void seal_key_name_of_number(int64_t number, char out[9])
{
	snprintf(out, 9, "%08x", (unsigned)(number - 1));
}

/* Writes everything and syncs it. */
static int write_and_sync(int fd, const char *bytes, size_t size_bytes)
{
	const ssize_t written = write(fd, bytes, size_bytes);
	if (written < 0)
		return errno;
	if ((size_t)written != size_bytes)
		return ENOSPC;
	return fsync(fd) == 0 ? 0 : errno;
}

/* The new name itself survives a power cut only when its directory is synced too. */
static int sync_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	if (directory == NULL)
		return ENOMEM;
	const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (fd < 0)
		return errno;
	const int failed = fsync(fd) == 0 ? 0 : errno;
	close(fd);
	return failed;
}

/* Writes the whole file under a temporary name, then links it to path: link() never overwrites, so
 * nobody ever reads half a key, and the second of two processes finds the first one's. Returns an
 * errno, EEXIST when there is a file already. */
static int make_keyfile(const char *path, const char *line, size_t line_bytes)
{
	char *name = NULL;
	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return ENOMEM;
	const int fd = mkostemp(name, O_CLOEXEC); /* 0600 and O_EXCL by definition */
	int failed = fd < 0 ? errno : 0;
	if (fd >= 0) {
		failed = write_and_sync(fd, line, line_bytes);
		close(fd);
		if (failed == 0 && link(name, path) != 0)
			failed = errno;
		unlink(name);
	}
	free(name);
	return failed != 0 ? failed : sync_directory_of(path);
}

static enum err_kind make_key(const char *path, const struct random_source *random,
			      char name_out[9], struct error *err)
{
	uint8_t key[SEAL_KEY_BYTES];
	struct seal_key made;
	char line[KEY_HEX_BYTES + 1];
	random_fill(random, key, sizeof(key));
	key_put(&made, key);
	sodium_bin2hex(name_out, 9, made.header + 1, KEY_ID_BYTES);
	sodium_memzero(&made, sizeof(made));
	sodium_bin2hex(line, sizeof(line), key, sizeof(key));
	line[KEY_HEX_BYTES] = '\n';
	const int failed = make_keyfile(path, line, sizeof(line));
	sodium_memzero(key, sizeof(key));
	sodium_memzero(line, sizeof(line));
	if (failed == EEXIST)
		return error_set(err, ERR_CONFLICT,
				 "there is a file of this name already, and it may be a key that "
				 "is in use: %s",
				 path);
	if (failed != 0)
		return error_set_native(err, ERR_INTERNAL, failed,
					"the master key file %s could not be created: %s", path,
					strerror(failed));
	return ERR_NONE;
}

enum err_kind seal_create_keyfile(const char *path, const struct random_source *random,
				  char name_out[9], struct error *err)
{
	if (sodium_init() < 0)
		return error_set(err, ERR_INTERNAL, "libsodium could not be initialised");
	return make_key(path, random, name_out, err);
}

static enum err_kind check_keyfile(int fd, const char *path, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return error_set_native(err, ERR_INTERNAL, errno,
					"the master key file %s could not be checked", path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERR_INVALID, "the master key %s is not a file", path);
	if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return error_set(err, ERR_FORBIDDEN,
				 "the master key file %s is accessible to others (mode %03o); "
				 "make it private: chmod 600",
				 path, (unsigned)(status.st_mode & 0777));
	return ERR_NONE;
}

/* 32 raw bytes, or 64 hex digits with or without an end of line. */
static bool parse_key(const char *bytes, size_t size_bytes, uint8_t key_out[SEAL_KEY_BYTES])
{
	if (size_bytes == SEAL_KEY_BYTES) {
		memcpy(key_out, bytes, SEAL_KEY_BYTES);
		return true;
	}
	const struct str line = str_trim((struct str){bytes, size_bytes});
	size_t decoded = 0;
	const char *end = NULL;
	const int failed =
		sodium_hex2bin(key_out, SEAL_KEY_BYTES, line.ptr, line.len, NULL, &decoded, &end);
	return failed == 0 && decoded == SEAL_KEY_BYTES && end == line.ptr + line.len;
}

/* Up to max_bytes or the end of the file; -1 with errno. */
static ssize_t read_all(int fd, char *out, size_t max_bytes)
{
	size_t total = 0;
	while (total < max_bytes) {
		const ssize_t count = read(fd, out + total, max_bytes - total);
		if (count < 0)
			return -1;
		if (count == 0)
			break;
		total += (size_t)count;
	}
	return (ssize_t)total;
}

static enum err_kind read_key(int fd, const char *path, uint8_t key_out[SEAL_KEY_BYTES],
			      struct error *err)
{
	char bytes[KEY_FILE_MAX_BYTES + 1];
	const ssize_t count = read_all(fd, bytes, sizeof(bytes));
	const int failed = errno;
	enum err_kind kind = ERR_NONE;
	if (count < 0)
		kind = error_set_native(err, ERR_INTERNAL, failed,
					"the master key file %s could not be read: %s", path,
					strerror(failed));
	else if (!parse_key(bytes, (size_t)count, key_out))
		kind = error_set(err, ERR_INVALID,
				 "the master key file %s holds neither 32 bytes nor 64 hex digits",
				 path);
	sodium_memzero(bytes, sizeof(bytes));
	return kind;
}

/* The caller wipes key_out. */
static enum err_kind read_keyfile(const char *path, uint8_t key_out[SEAL_KEY_BYTES],
				  struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		const int failed = errno;
		return error_set_native(err, ERR_INTERNAL, failed,
					"the master key file %s could not be opened: %s", path,
					strerror(failed));
	}
	enum err_kind kind = check_keyfile(fd, path, err);
	if (kind == ERR_NONE)
		kind = read_key(fd, path, key_out, err);
	close(fd);
	return kind;
}

enum err_kind seal_open_keyfile(const char *path, const struct random_source *random,
				struct seal **seal_out, struct error *err)
{
	uint8_t key[SEAL_KEY_BYTES];
	char name[9];
	enum err_kind kind = ERR_NONE;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		kind = make_key(path, random, name, err);
	/* CONFLICT: another process was quicker */
	if (kind == ERR_NONE || kind == ERR_CONFLICT)
		kind = read_keyfile(path, key, err);
	if (kind == ERR_NONE)
		kind = seal_open_key(key, seal_out, err);
	sodium_memzero(key, sizeof(key));
	return kind;
}

/* ---- old keys ---- */

/* NULL: none of our keys sealed the record. */
static const struct seal_key *key_of_record(const struct seal *seal, struct str record)
{
	for (size_t i = 0; i < seal->key_count; i++) {
		if (memcmp(record.ptr, seal->keys[i].header, HEADER_BYTES) == 0)
			return &seal->keys[i];
	}
	return NULL;
}

static enum err_kind add_old(struct seal *seal, const struct seal_key *key, const char *path,
			     struct error *err)
{
	const struct str head = {(const char *)key->header, HEADER_BYTES};
	const struct seal_key *same = key_of_record(seal, head);
	if (same != NULL && sodium_memcmp(same->bytes, key->bytes, SEAL_KEY_BYTES) == 0)
		return ERR_NONE;
	if (same != NULL) /* one pair in four thousand million */
		return error_set(err, ERR_INVALID,
				 "two keys have the same name by chance: make the new one again "
				 "with `posthorn master-key create`; %s",
				 path);
	if (seal->key_count == COUNT_OF(seal->keys))
		return error_set(err, ERR_INVALID, "there may be %d old master keys at most",
				 SEAL_OLD_KEYS_MAX);
	sodium_mprotect_readwrite(seal);
	seal->keys[seal->key_count++] = *key;
	sodium_mprotect_readonly(seal);
	return ERR_NONE;
}

enum err_kind seal_add_old_keyfile(struct seal *seal, const char *path, struct error *err)
{
	uint8_t bytes[SEAL_KEY_BYTES];
	struct seal_key key;
	enum err_kind kind = read_keyfile(path, bytes, err);
	if (kind == ERR_NONE) {
		key_put(&key, bytes);
		kind = add_old(seal, &key, path, err);
		sodium_memzero(&key, sizeof(key));
	}
	sodium_memzero(bytes, sizeof(bytes));
	return kind;
}

/* ---- records ---- */

static char *append(char *out, struct str s)
{
	if (s.ptr != NULL)
		memcpy(out, s.ptr, s.len);
	return out + s.len;
}

/* header, table NUL column NUL row_id. table and column hold no NUL, so that no two places read
 * alike. Not a struct buf: one that ran over would leave us a shorter text, and so a weaker
 * binding. */
static struct str associated_data(struct arena *arena, const uint8_t header[HEADER_BYTES],
				  const struct seal_place *place)
{
	assert(str_find_char(place->table, '\0', 0) == SIZE_MAX);
	assert(str_find_char(place->column, '\0', 0) == SIZE_MAX);
	const size_t size_bytes =
		HEADER_BYTES + place->table.len + 1 + place->column.len + 1 + place->row_id.len;
	char *data = arena_alloc(arena, size_bytes);
	char *out = append(data, (struct str){(const char *)header, HEADER_BYTES});
	out = append(out, place->table) + 1; /* arena memory is zero: the NULs are there */
	out = append(out, place->column) + 1;
	append(out, place->row_id);
	return (struct str){data, size_bytes};
}

struct str seal_secret(const struct seal *seal, struct arena *arena, const struct seal_place *place,
		       struct str plaintext, const struct random_source *random)
{
	const struct seal_key *master = &seal->keys[0];
	const size_t size_bytes = plaintext.len + SEAL_OVERHEAD_BYTES;
	uint8_t *record = arena_alloc(arena, size_bytes);
	uint8_t *nonce = record + HEADER_BYTES;
	const struct str data = associated_data(arena, master->header, place);
	memcpy(record, master->header, HEADER_BYTES);
	random_fill(random, nonce, NONCE_BYTES);
	crypto_aead_xchacha20poly1305_ietf_encrypt(
		nonce + NONCE_BYTES, NULL,
		(const uint8_t *)(plaintext.ptr != NULL ? plaintext.ptr : ""), plaintext.len,
		(const uint8_t *)data.ptr, data.len, NULL, nonce, master->bytes);
	return (struct str){(const char *)record, size_bytes};
}

struct plaintext {
	uint8_t *bytes;
	size_t size_bytes;
};

static void wipe(void *object)
{
	const struct plaintext *plaintext = object;
	sodium_memzero(plaintext->bytes, plaintext->size_bytes);
}

static struct plaintext *plaintext_new(struct arena *arena, size_t size_bytes)
{
	struct plaintext *plaintext = ARENA_NEW(arena, struct plaintext);
	plaintext->bytes = arena_alloc(arena, size_bytes);
	plaintext->size_bytes = size_bytes;
	arena_on_clear(arena, wipe, plaintext);
	return plaintext;
}

static enum err_kind find_key(const struct seal *seal, struct str sealed,
			      const struct seal_key **key_out, struct error *err)
{
	if (sealed.len < SEAL_OVERHEAD_BYTES)
		return error_set(err, ERR_INTERNAL, "a sealed record is too short");
	if ((uint8_t)sealed.ptr[0] != FORMAT_VERSION)
		return error_set(err, ERR_INTERNAL,
				 "a sealed record has a format unknown to this version (%d)",
				 (uint8_t)sealed.ptr[0]);
	*key_out = key_of_record(seal, sealed);
	if (*key_out != NULL)
		return ERR_NONE;
	char theirs[9];
	char ours[9];
	sodium_bin2hex(theirs, sizeof(theirs), (const uint8_t *)sealed.ptr + 1, KEY_ID_BYTES);
	seal_key_name(seal, ours);
	return error_set(
		err, ERR_FORBIDDEN,
		"a sealed record needs the master key %s, but this is %s: was master.key replaced?",
		theirs, ours);
}

enum err_kind seal_open_secret(const struct seal *seal, struct arena *arena,
			       const struct seal_place *place, struct str sealed,
			       struct str *plaintext_out, struct error *err)
{
	const struct seal_key *key = NULL;
	const enum err_kind kind = find_key(seal, sealed, &key, err);
	if (kind != ERR_NONE)
		return kind;
	const struct plaintext *plaintext = plaintext_new(arena, sealed.len - SEAL_OVERHEAD_BYTES);
	const uint8_t *nonce = (const uint8_t *)sealed.ptr + HEADER_BYTES;
	const struct str data = associated_data(arena, key->header, place);
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(
		    plaintext->bytes, NULL, NULL, nonce + NONCE_BYTES,
		    sealed.len - HEADER_BYTES - NONCE_BYTES, (const uint8_t *)data.ptr, data.len,
		    nonce, key->bytes) != 0)
		return error_set(err, ERR_INTERNAL,
				 "a sealed record of " STR_FMT "." STR_FMT
				 " was changed or belongs to another row",
				 STR_ARG(place->table), STR_ARG(place->column));
	*plaintext_out = (struct str){(const char *)plaintext->bytes, plaintext->size_bytes};
	return ERR_NONE;
}
