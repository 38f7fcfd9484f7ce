/* SPDX-License-Identifier: Apache-2.0
 * Hashes: of our own tokens and client secrets (only the hash is stored), for signatures (webhooks,
 * appsecret_proof), and of the passwords people choose. A text that must be read again is sealed
 * instead: seal.h. Pure, apart from the salt of digest_password(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#define DIGEST_BYTES 32

struct arena;

struct digest {
	uint8_t bytes[DIGEST_BYTES];
};

/* SHA-256. */
struct digest digest_sha256(struct str s);
/* How a token or client secret of ours is stored and looked up. SHA-256 without a key: these are
 * 256 bits of randomness, so there is nothing to guess that a key or a slow hash would protect
 * (dependencies.md F), and the hashes outlive a change of the master key. */
struct digest digest_token(struct str token);
/* HMAC-SHA256 with a key of any length (RFC 2104). */
struct digest digest_hmac_sha256(struct str key, struct str message);
/* Takes the same time wherever they differ. */
bool digest_equal(const struct digest *a, const struct digest *b);
/* The same for bytes of any length; the length itself is no secret. */
bool digest_equal_str(struct str a, struct str b);
/* View of the 32 bytes, valid as long as digest. */
struct str digest_str(const struct digest *digest);
/* 64 lower-case hex digits. */
struct str digest_hex(struct arena *arena, const struct digest *digest);

/* Argon2id with 19 MiB, 2 passes, 1 lane (rules.md 1.4, OWASP): "$argon2id$v=19$...", at most
 * 127 characters. Takes about 25 ms and the 19 MiB: the caller bounds how many run at once.
 * NULL-ptr when that memory is not to be had. */
struct str digest_password(struct arena *arena, struct str password);
/* Is it the password? False also for a hash that is none. Costs as digest_password(). */
bool digest_password_verify(struct str hash, struct str password);
