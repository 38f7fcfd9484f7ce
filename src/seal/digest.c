/* SPDX-License-Identifier: Apache-2.0
 * Hashes over libsodium. The password's salt is the one piece of randomness here that is no
 * parameter: libsodium draws it. */
#include "digest.h"

#include <assert.h>
#include <sodium.h>

#include "arena.h"

#define PASSWORD_PASSES 2
#define PASSWORD_MEMORY_BYTES ((size_t)19 * 1024 * 1024)

static_assert(DIGEST_BYTES == crypto_hash_sha256_BYTES, "SHA-256");
static_assert(DIGEST_BYTES == crypto_auth_hmacsha256_BYTES, "HMAC-SHA-256");

static const uint8_t *bytes_of(struct str s)
{
	return (const uint8_t *)(s.ptr != NULL ? s.ptr : "");
}

struct digest digest_sha256(struct str s)
{
	struct digest digest;
	crypto_hash_sha256(digest.bytes, bytes_of(s), s.len);
	return digest;
}

struct digest digest_token(struct str token)
{
	return digest_sha256(token);
}

struct digest digest_hmac_sha256(struct str key, struct str message)
{
	struct digest digest;
	crypto_auth_hmacsha256_state state;
	crypto_auth_hmacsha256_init(&state, bytes_of(key), key.len);
	crypto_auth_hmacsha256_update(&state, bytes_of(message), message.len);
	crypto_auth_hmacsha256_final(&state, digest.bytes);
	sodium_memzero(&state, sizeof(state));
	return digest;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return sodium_memcmp(a->bytes, b->bytes, DIGEST_BYTES) == 0;
}

bool digest_equal_str(struct str a, struct str b)
{
	return a.len == b.len && sodium_memcmp(bytes_of(a), bytes_of(b), a.len) == 0;
}

struct str digest_str(const struct digest *digest)
{
	return (struct str){(const char *)digest->bytes, DIGEST_BYTES};
}

struct str digest_hex(struct arena *arena, const struct digest *digest)
{
	char *hex = arena_alloc(arena, 2 * DIGEST_BYTES + 1);
	sodium_bin2hex(hex, 2 * DIGEST_BYTES + 1, digest->bytes, DIGEST_BYTES);
	return (struct str){hex, 2 * DIGEST_BYTES};
}

struct str digest_password(struct arena *arena, struct str password)
{
	char *hash = arena_alloc(arena, crypto_pwhash_STRBYTES);
	if (sodium_init() < 0 ||
	    crypto_pwhash_str_alg(hash, (const char *)bytes_of(password), password.len,
				  PASSWORD_PASSES, PASSWORD_MEMORY_BYTES,
				  crypto_pwhash_ALG_ARGON2ID13) != 0)
		return (struct str){0};
	return str_of(hash);
}

bool digest_password_verify(struct str hash, struct str password)
{
	char text[crypto_pwhash_STRBYTES] = {0};
	if (hash.len >= sizeof(text) || sodium_init() < 0)
		return false;
	memcpy(text, bytes_of(hash), hash.len);
	return crypto_pwhash_str_verify(text, (const char *)bytes_of(password), password.len) == 0;
}
