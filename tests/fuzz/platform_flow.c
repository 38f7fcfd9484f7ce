/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes platform/flow.h: what a database row may hold is read or refused, and what was read is
 * written and read again as the same flow. */
#include "flow.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct arena *arena, const struct flow *a, const struct flow *b)
{
	assert(a->part_count == b->part_count && a->var_count == b->var_count);
	assert(str_equal(flow_write(arena, a), flow_write(arena, b)));
	assert(str_equal(flow_write_secrets(arena, a), flow_write_secrets(arena, b)));
	assert(flow_part(a) == flow_part(b) && flow_is_open(a) == flow_is_open(b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	struct flow flow, again;
	struct error err = {0};
	struct str rest = {(const char *)data, size};
	struct str text, secrets = {0};
	/* The two halves of a row, with a byte between them that no text holds. */
	if (rest.ptr == NULL || !str_take_field(&rest, '\x1e', &text))
		text = (struct str){0};
	else
		secrets = rest;
	const enum err_kind kind = flow_read(&flow, arena, text, secrets, 2, &err);
	if (kind == ERR_NONE) {
		assert(flow.part_count <= POST_CONTAINERS_MAX && flow.var_count <= FLOW_VARS_MAX);
		assert(flow_part(&flow) <= flow.part_count);
		assert(flow_read(&again, arena, flow_write(arena, &flow),
				 flow_write_secrets(arena, &flow), 2, &err) == ERR_NONE);
		check_same(arena, &flow, &again);
	} else {
		assert(err.text[0] != '\0');
	}
	arena_free(&arena);
	return 0;
}
