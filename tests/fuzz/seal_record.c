/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes seal/seal.h: no bytes open that we did not seal, a sealed record opens at its own place
 * only, and one changed bit closes it. */
#include "seal.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

#include "fake_random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct seal_place place = {STR("accounts"), STR("access_token"), STR("row-1")};
static const struct seal_place elsewhere = {STR("accounts"), STR("access_token"), STR("row-2")};

static bool opens(const struct seal *seal, struct arena *arena, const struct seal_place *at,
		  struct str record, struct str *out)
{
	struct error err = {0};
	const enum err_kind kind = seal_open_secret(seal, arena, at, record, out, &err);
	assert(kind == ERR_NONE || (kind == ERR_INTERNAL && err.text[0] != '\0'));
	return kind == ERR_NONE;
}

static void check_round_trip(const struct seal *seal, struct arena *arena, struct str plain,
			     size_t bit)
{
	struct fake_random random;
	struct str out;
	fake_random_init(&random);
	const struct str record = seal_secret(seal, arena, &place, plain, &random.source);
	assert(record.len == plain.len + SEAL_OVERHEAD_BYTES);
	assert(opens(seal, arena, &place, record, &out) && str_equal(out, plain));
	assert(!opens(seal, arena, &elsewhere, record, &out));
	char *changed = (char *)arena_alloc(arena, record.len);
	memcpy(changed, record.ptr, record.len);
	changed[bit / 8 % record.len] ^= (char)(1 << bit % 8);
	assert(!opens(seal, arena, &place, (struct str){changed, record.len}, &out));
	assert(!opens(seal, arena, &place, str_slice(record, 0, bit % record.len), &out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[SEAL_KEY_BYTES] = {1, 2, 3};
	struct arena *arena = arena_new("fuzz", (size_t)1 << 20);
	struct seal *seal = NULL;
	struct str out;
	const struct str text = {(const char *)data, size < 8192 ? size : 8192};
	assert(seal_open_key(key, &seal, NULL) == ERR_NONE);
	assert(!opens(seal, arena, &place, text, &out));
	if (text.len >= 2)
		check_round_trip(seal, arena, str_slice(text, 2, text.len),
				 (size_t)data[0] << 8 | data[1]);
	seal_free(&seal);
	arena_free(&arena);
	return 0;
}
