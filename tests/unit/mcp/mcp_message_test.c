/* SPDX-License-Identifier: Apache-2.0
 * Tests of mcp/mcp_message.h: messages of both revisions, and every way in which one is wrong. */
#include "mcp_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "json.h"

#define META(version) \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" version \
	"\",\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL(params) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" params "}}"

struct row {
	const char *text;
	struct mcp_headers headers;
	enum mcp_code code;
	bool is_modern;
};

static const struct row rows[] = {
	{CALL(META("2026-07-28")), {{0}}, MCP_OK, true},
	{CALL(META("2025-11-25")), {{0}}, MCP_OK, false},
	{CALL(""), {{0}}, MCP_OK, false},
	{CALL(""), {.version = {"2025-11-25", 10}}, MCP_OK, false},
	{CALL(""), {.version = {"2026-07-28", 10}}, MCP_INVALID_PARAMS, false},
	{CALL(""), {.version = {"2025-06-18", 10}}, MCP_UNSUPPORTED_VERSION, false},
	{CALL(META("2025-06-18")), {{0}}, MCP_UNSUPPORTED_VERSION, false},
	{CALL(META("2026-07-28")), {.version = {"2025-11-25", 10}}, MCP_HEADER_MISMATCH, true},
	{CALL(META("2026-07-28")), {.method = {"tools/call", 10}}, MCP_OK, true},
	{CALL(META("2026-07-28")), {.method = {"tools/list", 10}}, MCP_HEADER_MISMATCH, true},
	{CALL("\"name\":\"a\"," META("2026-07-28")), {.name = {"a", 1}}, MCP_OK, true},
	{CALL("\"name\":\"b\"," META("2026-07-28")), {.name = {"a", 1}}, MCP_HEADER_MISMATCH, true},
	{CALL("\"name\":\"a\"," META("2026-07-28")),
	 {.name = {"=?base64?YQ==?=", 15}},
	 MCP_OK,
	 true},
	{CALL("\"name\":\"a\"," META("2026-07-28")),
	 {.name = {"=?base64?!?=", 12}},
	 MCP_HEADER_MISMATCH,
	 true},
	/* Another revision has no such headers. */
	{CALL("\"name\":\"b\""), {.name = {"a", 1}, .method = {"a", 1}}, MCP_OK, false},
	{"", {{0}}, MCP_PARSE_ERROR, false},
	{"{\"jsonrpc\":", {{0}}, MCP_PARSE_ERROR, false},
	{"[]", {{0}}, MCP_INVALID_REQUEST, false},
	{"7", {{0}}, MCP_INVALID_REQUEST, false},
	{"{}", {{0}}, MCP_INVALID_REQUEST, false},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", {{0}}, MCP_INVALID_REQUEST, false},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", {{0}}, MCP_INVALID_REQUEST, false},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", {{0}}, MCP_INVALID_REQUEST, false},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}",
	 {{0}},
	 MCP_INVALID_PARAMS,
	 false},
};

static void messages_are_read_and_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 20);
		struct mcp_message message;
		const enum mcp_code code =
			mcp_message_read(arena, str_of(rows[i].text), &rows[i].headers, &message);
		if (code != rows[i].code || message.is_modern != rows[i].is_modern)
			fail_msg("row %zu: %d: " STR_FMT, i, code, STR_ARG(message.problem));
		if ((code == MCP_OK) != str_is_empty(message.problem))
			fail_msg("row %zu has %s words", i, code == MCP_OK ? "error" : "no");
		arena_free(&arena);
	}
}

static void ids_are_kept(void **state)
{
	static const struct mcp_headers none = {{0}};
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	struct mcp_message message;
	assert_int_equal(
		mcp_message_read(arena,
				 STR("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}"),
				 &none, &message),
		MCP_OK);
	assert_true(str_equal_z(json_string(message.id), "x"));
	assert_false(message.is_notification);
	assert_int_equal(
		mcp_message_read(arena, STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}"),
				 &none, &message),
		MCP_OK);
	assert_true(message.is_notification);
	/* Of a message that is refused for something else, too. */
	assert_int_equal(mcp_message_read(arena,
					  STR("{\"jsonrpc\":\"1\",\"id\":7,\"method\":\"a\"}"),
					  &none, &message),
			 MCP_INVALID_REQUEST);
	assert_int_equal(json_int(message.id, 0), 7);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_read_and_refused),
		cmocka_unit_test(ids_are_kept),
	};
	return cmocka_run_group_tests_name("mcp_message", tests, NULL, NULL);
}
