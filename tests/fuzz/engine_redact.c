/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes engine/redact.h: what a platform said, with whatever secret it repeats, never shows that
 * secret afterwards, and is never longer than before. */
#include "redact.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"

#include "form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET_MIN_BYTES 8 /* redact.h */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)8 << 20);
	struct str rest = {(const char *)data, size < 8192 ? size : 8192};
	struct str secret = {0};
	struct flow flow;
	struct buf encoded;
	if (rest.len > 0)
		str_take_field(&rest, '\x1e', &secret);
	const struct str text = rest.ptr != NULL ? rest : STR("");
	flow_init(&flow, arena, 1);
	const struct env env = {
		.arena = arena, .access_token = secret, .client_secret = STR("client-secret-1")};
	const struct str shown = redact_secrets(arena, text, &env, &flow);
	assert(shown.len <= text.len);
	assert(str_find(shown, STR("client-secret-1"), 0) == SIZE_MAX);
	/* A secret of stars is not told from what stands in its place. */
	if (secret.len >= SECRET_MIN_BYTES && str_find_char(secret, '*', 0) == SIZE_MAX) {
		buf_init(&encoded, arena, 65536);
		percent_encode(&encoded, secret);
		assert(str_find(shown, secret, 0) == SIZE_MAX);
		assert(str_find(shown, buf_str(&encoded), 0) == SIZE_MAX);
	}
	arena_free(&arena);
	return 0;
}
