/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/form.h: what was read is written again and reads as the same pairs; percent-encoding
 * and back is the identity. */
#include "form.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"

#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(struct arena *arena, const struct form *form)
{
	struct buf buf;
	struct form again;
	buf_init(&buf, arena, (size_t)8 << 20);
	for (size_t i = 0; i < form->count; i++)
		form_add_str(&buf, form->pairs[i].name, form->pairs[i].value);
	assert(form_parse(arena, buf_str(&buf), 0, &again, NULL) == ERR_NONE);
	assert(again.count == form->count);
	for (size_t i = 0; i < form->count; i++) {
		assert(utf8_is_valid(form->pairs[i].name) && utf8_is_valid(form->pairs[i].value));
		assert(str_equal(form->pairs[i].name, again.pairs[i].name));
		assert(str_equal(form->pairs[i].value, again.pairs[i].value));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const struct str text = {(const char *)data, size};
	struct form form;
	if (form_parse(arena, text, 0, &form, NULL) == ERR_NONE)
		check_round_trip(arena, &form);

	struct buf buf;
	struct str decoded;
	buf_init(&buf, arena, (size_t)8 << 20);
	percent_encode(&buf, text);
	assert(percent_decode(arena, buf_str(&buf), &decoded));
	assert(str_equal(decoded, text));
	(void)percent_decode(arena, text, &decoded);
	arena_free(&arena);
	return 0;
}
