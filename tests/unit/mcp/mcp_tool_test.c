/* SPDX-License-Identifier: Apache-2.0
 * Tests of mcp/mcp_tool.h: the tables, and the arguments of a call. */
#include "mcp_tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "problem.h"

/* Every row of mcp_arguments.def is found by its tool: those of one stand together. */
static void arguments_belong_to_their_tool(void **state)
{
	(void)state;
	size_t found = 0;
	static const size_t rows =
#define ARGUMENT(tool, name, parameter, kind, place, is_needed, min, max, values, description) 1 +
#include "mcp_arguments.def"
#undef ARGUMENT
		0;
	for (int id = 0; id < MCP_TOOL_COUNT; id++) {
		const struct mcp_tool *tool = mcp_tool_of((enum mcp_tool_id)id);
		size_t count = 0;
		mcp_tool_arguments(tool, &count);
		found += count;
		assert_ptr_equal(mcp_tool_find(str_of(tool->name)), tool);
		/* mcp_call.c makes the body of a post of all that is given. */
		assert_true(tool->members == 0 || count == 0);
		assert_true((tool->needed & ~tool->members) == 0);
	}
	assert_int_equal(found, rows);
	assert_null(mcp_tool_find(STR("list")));
}

struct row {
	enum mcp_tool_id tool;
	const char *arguments;
	const char *field; /* NULL = nothing is wrong */
	const char *reason;
};

static const struct row rows[] = {
	{MCP_TOOL_list_posts, "{}", NULL, NULL},
	{MCP_TOOL_list_posts, "{\"page\":null}", NULL, NULL},
	{MCP_TOOL_list_posts, "{\"page\":2,\"platform\":\"twitter\",\"account_ids\":[\"a\"]}", NULL,
	 NULL},
	{MCP_TOOL_list_posts, "{\"page\":\"2\"}", "page", "wrong_type"},
	{MCP_TOOL_list_posts, "{\"platform\":\"myspace\"}", "platform", "wrong_type"},
	{MCP_TOOL_list_posts, "{\"account_ids\":[7]}", "account_ids", "wrong_type"},
	{MCP_TOOL_list_posts, "{\"account_ids\":[]}", "account_ids", "wrong_type"},
	{MCP_TOOL_list_posts, "{\"pgae\":2}", "pgae", "unknown"},
	{MCP_TOOL_get_post, "{}", "post_id", "required"},
	{MCP_TOOL_get_post, "{\"post_id\":\"\"}", "post_id", "wrong_type"},
	{MCP_TOOL_retry_post, "{\"post_id\":\"a\",\"republish\":1}", "republish", "wrong_type"},
	{MCP_TOOL_publish_post, "{\"account_ids\":[\"a\"],\"request_id\":\"a\"}", NULL, NULL},
	{MCP_TOOL_publish_post, "{\"account_ids\":[\"a\"],\"request_id\":null}", "request_id",
	 "required"},
	{MCP_TOOL_publish_post,
	 "{\"account_ids\":[\"a\"],\"request_id\":\"a\",\"scheduled_at\":\"a\"}", "scheduled_at",
	 "unknown"},
	{MCP_TOOL_schedule_post,
	 "{\"account_ids\":[\"a\"],\"request_id\":\"a\",\"scheduled_at\":null}", "scheduled_at",
	 "required"},
	/* What a post holds is the API's to judge. */
	{MCP_TOOL_create_draft, "{\"content\":7}", NULL, NULL},
};

static void arguments_are_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 20);
		const struct json *arguments = NULL;
		struct problems problems;
		problems_init(&problems, arena);
		assert_int_equal(
			json_parse(arena, str_of(rows[i].arguments), NULL, &arguments, NULL, NULL),
			ERR_NONE);
		mcp_tool_check(mcp_tool_of(rows[i].tool), arguments, &problems);
		if (problems.count != (rows[i].field != NULL ? 1U : 0U))
			fail_msg("row %zu: %zu problems", i, problems.count);
		if (rows[i].field != NULL &&
		    (!str_equal_z(problems.items[0].field, rows[i].field) ||
		     !str_equal_z(problems.items[0].reason, rows[i].reason)))
			fail_msg("row %zu: " STR_FMT ": " STR_FMT, i,
				 STR_ARG(problems.items[0].field),
				 STR_ARG(problems.items[0].reason));
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_belong_to_their_tool),
		cmocka_unit_test(arguments_are_checked),
	};
	return cmocka_run_group_tests_name("mcp_tool", tests, NULL, NULL);
}
