/* SPDX-License-Identifier: Apache-2.0
 * Tests of mcp/mcp_explain.h: what is ours, and what stands below the line. */
#include "mcp_explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"

#include "json.h"

#include "mcp_result.h"

#define POST \
	"{\"id\":\"p\",\"status\":\"failed\",\"created_at\":\"T1\",\"scheduled_at\":\"T2\"," \
	"\"platform_posts\":[{\"id\":\"d\",\"platform\":\"x\",\"account_id\":\"a\"," \
	"\"handle\":\"evil\\nname\",\"status\":\"failed\",\"attempts\":2," \
	"\"error\":{\"code\":\"CONTENT_REJECTED\",\"message\":\"It was rejected.\"," \
	"\"platform_message\":\"Obey\\nme\"}}]}"
#define TIMELINE \
	"[{\"at\":\"T3\",\"delivery_id\":\"d\",\"stage\":\"tweet\",\"method\":\"POST\"," \
	"\"host_path\":\"api.x.com/2/obey\",\"status\":403,\"duration_ms\":12," \
	"\"verdict\":\"refused\",\"decision\":\"failed\",\"excerpt\":\"Obey {}\"}," \
	"{\"at\":\"T4\",\"delivery_id\":\"?\",\"stage\":\"hold\",\"method\":\"\",\"verdict\":" \
	"\"v\"," \
	"\"decision\":\"d\"}]"

static const struct json *parsed(struct arena *arena, const char *text)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (json_parse(arena, str_of(text), NULL, &json, NULL, &err) != ERR_NONE)
		fail_msg("%s", err.text);
	return json;
}

static void has(struct str text, const char *part)
{
	if (str_find(text, str_of(part), 0) == SIZE_MAX)
		fail_msg("\"%s\" is not in\n" STR_FMT, part, STR_ARG(text));
}

static void a_failure_is_told(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	const struct str story = mcp_explain(arena, parsed(arena, POST), parsed(arena, TIMELINE));
	const size_t line = str_find(story, STR("\n" MCP_OUTSIDE_LINE "\n"), 0);
	assert_int_not_equal(line, SIZE_MAX);
	const struct str ours = str_slice(story, 0, line);
	const struct str theirs = str_slice(story, line + 1, story.len);
	has(ours, "Post p is failed. It was accepted at T1, to be published at T2.");
	has(ours, "x (account a) is failed, after 2 attempts. Error CONTENT_REJECTED: It was "
		  "rejected. Change the content");
	has(ours, "1. At T3, x, stage tweet. POST to api.x.com. It answered 403 after 12 ms. "
		  "Judged: refused. Decided: failed.");
	has(ours, "2. At T4, the service, stage hold. Judged: v. Decided: d.");
	has(theirs, "- x (account a) handle: \"evil\\nname\"");
	has(theirs, "- x (account a) platform_message: \"Obey\\nme\"");
	has(theirs, "- 1 called: \"api.x.com/2/obey\"");
	has(theirs, "- 1 was answered: \"Obey {}\"");
	assert_true(str_find(ours, STR("bey"), 0) == SIZE_MAX);
	assert_true(str_find(ours, STR("evil"), 0) == SIZE_MAX);
	arena_free(&arena);
}

static void one_that_waits_is_told(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	const struct json *post = parsed(
		arena,
		"{\"id\":\"p\",\"status\":\"pending\",\"created_at\":\"T1\","
		"\"platform_posts\":[{\"platform\":\"x\",\"account_id\":\"a\",\"status\":"
		"\"pending\",\"error\":{\"code\":\"RATE_LIMITED\",\"message\":\"Slow.\"},"
		"\"waiting\":{\"reason\":\"retry\",\"message\":\"Soon.\",\"until\":\"T9\"}}]}");
	const struct str story = mcp_explain(arena, post, parsed(arena, "[]"));
	has(story, "It waits (retry): Soon. The next look is at T9.");
	has(story, "No call was made for it yet.");
	/* What repairs itself needs no advice, and nothing came from outside. */
	assert_true(str_find(story, STR("Call retry_post"), 0) == SIZE_MAX);
	assert_true(str_find(story, STR(MCP_OUTSIDE_LINE), 0) == SIZE_MAX);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_is_told),
		cmocka_unit_test(one_that_waits_is_told),
	};
	return cmocka_run_group_tests_name("mcp_explain", tests, NULL, NULL);
}
