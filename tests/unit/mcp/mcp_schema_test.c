/* SPDX-License-Identifier: Apache-2.0
 * Tests of mcp/mcp_schema.h: every tool has a schema that is JSON, closed, and requires what the
 * tool's row needs. That it is the API's own is tests/api/test_mcp.py's. */
#include "mcp_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "mcp_tool.h"

static const struct json *schema_of(struct arena *arena, const struct mcp_tool *tool)
{
	struct buf out;
	struct json_writer w;
	const struct json *schema = NULL;
	struct error err = {0};
	buf_init(&out, arena, 1 << 20);
	json_writer_init(&w, &out);
	mcp_schema_write(&w, tool);
	if (json_parse(arena, buf_str(&out), NULL, &schema, NULL, &err) != ERR_NONE)
		fail_msg("%s: %s", tool->name, err.text);
	return schema;
}

static void every_tool_has_a_closed_one(void **state)
{
	(void)state;
	for (int id = 0; id < MCP_TOOL_COUNT; id++) {
		struct arena *arena = arena_new("test", 4 << 20);
		const struct mcp_tool *tool = mcp_tool_of((enum mcp_tool_id)id);
		const struct json *schema = schema_of(arena, tool);
		const struct json *required = json_get(schema, "required");
		assert_true(json_is(json_get(schema, "additionalProperties"), JSON_TYPE_BOOL));
		assert_false(json_bool(json_get(schema, "additionalProperties"), true));
		for (size_t i = 0; json_at(required, i) != NULL; i++) {
			const char *name = str_z(arena, json_string(json_at(required, i)));
			if (json_get(json_get(schema, "properties"), name) == NULL)
				fail_msg("%s requires %s, which it has not", tool->name, name);
		}
		arena_free(&arena);
	}
}

static void members_have_the_limits_of_the_api(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4 << 20);
	const struct json *properties =
		json_get(schema_of(arena, mcp_tool_of(MCP_TOOL_publish_post)), "properties");
	assert_null(json_get(properties, "scheduled_at"));
	assert_int_equal(json_int(json_get(json_get(properties, "max_lateness"), "minimum"), 0),
			 60);
	assert_int_equal(json_int(json_get(json_get(properties, "content"), "maxLength"), 0),
			 100000);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tool_has_a_closed_one),
		cmocka_unit_test(members_have_the_limits_of_the_api),
	};
	return cmocka_run_group_tests_name("mcp_schema", tests, NULL, NULL);
}
