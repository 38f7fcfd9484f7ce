/* SPDX-License-Identifier: Apache-2.0
 * Random texts from one alphabet or the other. Both alphabets have a power of two of letters, so
 * that the low bits of a random byte choose evenly. */
#include "token.h"

#include <assert.h>
#include <stdint.h>

#include "arena.h"
#include "random.h"

static const char base64url_letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char hex_letters[] = "0123456789abcdef";

static const struct {
	const char *prefix;
	size_t count;
	const char *letters;
} kinds[TOKEN_KIND_COUNT] = {
	/* api-decisions.md 1 */
	[TOKEN_ACCESS] = {"pht_", 43, base64url_letters},
	[TOKEN_ACCESS_TEST] = {"pht_test_", 43, base64url_letters},
	[TOKEN_KEY] = {"phk_", 43, base64url_letters},
	[TOKEN_CLIENT_ID] = {"phc_", 24, base64url_letters},
	[TOKEN_CLIENT_SECRET] = {"phs_", 43, base64url_letters},
	[TOKEN_CONNECTION_ID] = {"conn_", 32, hex_letters},
	[TOKEN_CONFIRMATION] = {"pcf_", 43, base64url_letters},
	[TOKEN_RETURN] = {"pcr_", 43, base64url_letters},
};

static struct str random_text(struct arena *arena, const struct random_source *random,
			      const char *prefix, size_t count, const char *letters)
{
	const size_t prefix_bytes = strlen(prefix);
	const size_t mask = strlen(letters) - 1;
	assert((mask & (mask + 1)) == 0);
	char *text = arena_alloc(arena, prefix_bytes + count + 1);
	memcpy(text, prefix, prefix_bytes);
	random_fill(random, text + prefix_bytes, count);
	for (size_t i = prefix_bytes; i < prefix_bytes + count; i++)
		text[i] = letters[(uint8_t)text[i] & mask];
	return (struct str){text, prefix_bytes + count};
}

struct str token_random(struct arena *arena, const struct random_source *random, const char *prefix,
			size_t count)
{
	return random_text(arena, random, prefix, count, base64url_letters);
}

struct str token_new(struct arena *arena, const struct random_source *random, enum token_kind kind)
{
	return random_text(arena, random, kinds[kind].prefix, kinds[kind].count,
			   kinds[kind].letters);
}
