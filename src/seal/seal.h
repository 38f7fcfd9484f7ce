/* SPDX-License-Identifier: Apache-2.0
 * Secrets at rest: what the store must hold but nobody may read from a stolen database file
 * (platform client secrets, access and refresh tokens, webhook secrets). XChaCha20-Poly1305 under
 * one 256-bit master key; old keys may stand beside it, which only open. Each record is bound to
 * the table, column and row it belongs to, so that a record copied to another row does not open.
 * What we only need to recognise again (our own tokens) is not sealed but hashed: digest.h; how
 * such tokens are made is token.h. A sealed record: 1 byte format version, 4 bytes key id, 24 bytes
 * nonce, ciphertext with its 16-byte tag. A struct seal is read-only after opening: any thread may
 * use it. Knows one file (the key's), no SQL, no HTTP. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#define SEAL_KEY_BYTES 32
/* a sealed record is this much longer than its plaintext */
#define SEAL_OVERHEAD_BYTES (1 + 4 + 24 + 16)
/* keys that open records and seal none */
#define SEAL_OLD_KEYS_MAX 8

struct arena;
struct random_source;
struct seal;

/* Where a sealed record lives; part of what is authenticated. table and column: our own names,
 * without NUL bytes. */
struct seal_place {
	struct str table;
	struct str column;
	struct str row_id;
};

/* Reads the master key from path: 32 raw bytes, or 64 hex digits and a newline. A file that is not
 * there is made, from random, 0600 and synced; of two processes that make it at once one wins and
 * both use its key. Returns NONE; FORBIDDEN when group or others may read or write the file;
 * INVALID when it holds no key; INTERNAL when it can be neither read nor made. Blocks. */
enum err_kind seal_open_keyfile(const char *path, const struct random_source *random,
				struct seal **seal_out, struct error *err);
/* As above with a key from elsewhere (environment, tests). The caller wipes its own copy. */
enum err_kind seal_open_key(const uint8_t key[SEAL_KEY_BYTES], struct seal **seal_out,
			    struct error *err);
/* Reads one more key, as seal_open_keyfile() does but never made: it opens the records that it once
 * sealed, and seals none. A key that is there already changes nothing. Before other threads know
 * the seal. Returns NONE; errors as seal_open_keyfile(), INTERNAL also for a file that is not
 * there; INVALID: there are SEAL_OLD_KEYS_MAX already. Blocks. */
enum err_kind seal_add_old_keyfile(struct seal *seal, const char *path, struct error *err);
/* Makes a key file with a new key, 0600 and synced; name_out as of seal_key_name(). Returns NONE;
 * CONFLICT when there is a file of this name, which is left as it is; INTERNAL when it cannot be
 * made. Blocks. */
enum err_kind seal_create_keyfile(const char *path, const struct random_source *random,
				  char name_out[9], struct error *err);
/* Wipes the keys and nulls the pointer; NULL is fine. */
void seal_free(struct seal **seal);

/* The sealed record, in arena. Never fails; two seals of one text differ. An empty plaintext is
 * allowed. */
struct str seal_secret(const struct seal *seal, struct arena *arena, const struct seal_place *place,
		       struct str plaintext, const struct random_source *random);
/* Opens a record. The plaintext lives in arena and is wiped when that is cleared. Returns NONE;
 * FORBIDDEN when it was sealed with a key that is not given (err->text names it and the master
 * key); INTERNAL with the reason in words: unknown format, changed or of another row. */
enum err_kind seal_open_secret(const struct seal *seal, struct arena *arena,
			       const struct seal_place *place, struct str sealed,
			       struct str *plaintext_out, struct error *err);
/* Names the master key in records and messages: 8 hex digits, NUL-terminated. Tells nothing of the
 * key itself. */
void seal_key_name(const struct seal *seal, char out[9]);
/* The same as a number above 0. */
int64_t seal_key_number(const struct seal *seal);
/* seal_key_name() of the key that has this number. */
void seal_key_name_of_number(int64_t number, char out[9]);
/* How every record of the master key begins. As long as seal. */
struct str seal_record_head(const struct seal *seal);
/* The old keys: how many there are, and how the records of one (from 0) begin. As long as seal. */
size_t seal_old_key_count(const struct seal *seal);
struct str seal_old_record_head(const struct seal *seal, size_t index);
/* The number of the key that sealed the record, whose first bytes are enough; 0 when these are not
 * a record's. */
int64_t seal_key_number_of_record(struct str record);
