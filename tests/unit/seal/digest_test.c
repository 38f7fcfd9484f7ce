/* SPDX-License-Identifier: Apache-2.0
 * Hashes against published vectors, and passwords against each other. */
#include "digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"

static int set_up(void **state)
{
	*state = arena_new("test", 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

static void assert_hex(struct arena *arena, struct digest digest, const char *hex)
{
	assert_string_equal(digest_hex(arena, &digest).ptr, hex);
}

static void sha256_matches_fips_180_examples(void **state)
{
	struct arena *arena = *state;
	assert_hex(arena, digest_sha256((struct str){0}),
		   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_hex(arena, digest_sha256(STR("abc")),
		   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void token_hash_needs_no_key(void **state)
{
	(void)state;
	const struct digest a = digest_token(STR("pht_x"));
	const struct digest b = digest_sha256(STR("pht_x"));
	assert_true(digest_equal(&a, &b));
}

static void hmac_matches_rfc_4231(void **state)
{
	struct arena *arena = *state;
	char long_key[131];
	memset(long_key, 0xaa, sizeof(long_key));
	assert_hex(arena, digest_hmac_sha256(STR("Jefe"), STR("what do ya want for nothing?")),
		   "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	assert_hex(
		arena,
		digest_hmac_sha256((struct str){long_key, sizeof(long_key)},
				   STR("Test Using Larger Than Block-Size Key - Hash Key First")),
		"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void equal_looks_at_every_byte(void **state)
{
	(void)state;
	const struct digest a = digest_sha256(STR("a"));
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		struct digest b = a;
		b.bytes[i] ^= 1;
		assert_false(digest_equal(&a, &b));
	}
	assert_true(digest_equal_str(STR("abc"), STR("abc")));
	assert_false(digest_equal_str(STR("abc"), STR("abd")));
	assert_false(digest_equal_str(STR("abc"), STR("ab")));
	assert_true(digest_equal_str((struct str){0}, STR("")));
	assert_int_equal(digest_str(&a).len, DIGEST_BYTES);
}

static void password_verifies_only_itself(void **state)
{
	struct arena *arena = *state;
	const struct str hash = digest_password(arena, STR("correct horse"));
	assert_true(str_has_prefix(hash, STR("$argon2id$v=19$m=19456,t=2,p=1$")));
	assert_true(digest_password_verify(hash, STR("correct horse")));
	assert_false(digest_password_verify(hash, STR("correct horsf")));
	assert_false(digest_password_verify(hash, STR("")));
	const struct str again = digest_password(arena, STR("correct horse"));
	assert_false(str_equal(hash, again));
}

static void what_is_no_hash_verifies_nothing(void **state)
{
	struct arena *arena = *state;
	const struct str hash = digest_password(arena, STR("x"));
	char too_long[200];
	memset(too_long, '$', sizeof(too_long));
	assert_false(digest_password_verify((struct str){0}, STR("")));
	assert_false(digest_password_verify(STR("x"), STR("x")));
	assert_false(digest_password_verify((struct str){too_long, sizeof(too_long)}, STR("x")));
	for (size_t len = 0; len < hash.len; len += 7)
		assert_false(digest_password_verify(str_slice(hash, 0, len), STR("x")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_matches_fips_180_examples),
		cmocka_unit_test(token_hash_needs_no_key),
		cmocka_unit_test(hmac_matches_rfc_4231),
		cmocka_unit_test(equal_looks_at_every_byte),
		cmocka_unit_test(password_verifies_only_itself),
		cmocka_unit_test(what_is_no_hash_verifies_nothing),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
