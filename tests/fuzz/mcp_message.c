/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes mcp/mcp_message.h: no body and no headers crash the reader; what is refused says why; what
 * is taken has a method, an id that is written again as it was or none, and a version that no
 * header contradicts. The input is three lines of headers and the body. */
#include "mcp_message.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str next_line(struct str *rest)
{
	struct str line = {0};
	if (rest->ptr != NULL)
		str_take_field(rest, '\n', &line);
	return line;
}

static void check_taken(const struct mcp_message *message, const struct mcp_headers *headers)
{
	assert(!str_is_empty(message->method) && str_is_empty(message->problem));
	assert(message->is_notification == (message->id == NULL));
	assert(message->id == NULL || json_is(message->id, JSON_TYPE_STRING) ||
	       json_is(message->id, JSON_TYPE_INT));
	assert(message->params == NULL || json_is(message->params, JSON_TYPE_OBJECT));
	if (!message->is_modern)
		return;
	assert(str_is_empty(headers->version) ||
	       str_equal_z(headers->version, MCP_REVISION_MODERN));
	assert(str_is_empty(headers->method) || str_equal(headers->method, message->method));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	struct str rest = {(const char *)data, size};
	const struct mcp_headers headers = {
		.version = next_line(&rest), .method = next_line(&rest), .name = next_line(&rest)};
	struct mcp_message message;
	if (mcp_message_read(arena, rest, &headers, &message) == MCP_OK)
		check_taken(&message, &headers);
	else
		assert(!str_is_empty(message.problem));
	arena_free(&arena);
	return 0;
}
