/* SPDX-License-Identifier: Apache-2.0
 * mcp: messages go to the service and its answers come back, a line each. */
#include "person_fixture.h"

#include "request_limits.h"

#define MODERN_CALL(name) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
	"\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}"
#define ANSWER "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}"

static enum person_status relay(struct desk *desk, const char *input, size_t size)
{
	desk->person.in = fmemopen((void *)(uintptr_t)input, size, "r");
	assert_non_null(desk->person.in);
	const enum person_status status = DESK_RUN(desk, "mcp");
	fclose(desk->person.in);
	return status;
}

#define RELAY(desk, input) relay((desk), input, sizeof(input) - 1)

static void messages_and_answers_are_lines(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST http://service.example/mcp", .body = ANSWER, .times = 2);
	DESK_ANSWER(desk, .match = "POST http://service.example/mcp", .status = 202, .body = "");
	assert_int_equal(RELAY(desk, PING "\n\n \r\n" PING
					  "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}"),
			 PERSON_DONE);
	assert_string_equal(desk->out, ANSWER "\n" ANSWER "\n");
	assert_string_equal(desk->err, "");
}

static void the_service_s_refusal_is_an_error_of_the_protocol(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST", .status = 401,
		    .body = "{\"message\":\"No such token.\",\"error\":\"UNAUTHENTICATED\"}",
		    .times = 2);
	assert_int_equal(
		RELAY(desk, PING "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n"),
		PERSON_DONE);
	/* Nothing is said to a notification. */
	assert_string_equal(desk->out,
			    "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"error\":{\"code\":-32603,"
			    "\"message\":\"UNAUTHENTICATED: No such token.\"}}\n");
}

static void a_line_that_is_too_long(void **state)
{
	struct desk *desk = *state;
	const size_t size = REQUEST_JSON_MAX_BYTES + 1 + sizeof("\n" PING);
	char *input = malloc(size + 1);
	assert_non_null(input);
	memset(input, 'a', REQUEST_JSON_MAX_BYTES + 1);
	snprintf(input + REQUEST_JSON_MAX_BYTES + 1, sizeof("\n" PING), "\n" PING);
	DESK_ANSWER(desk, .match = "POST", .body = ANSWER);
	assert_int_equal(relay(desk, input, size - 1), PERSON_DONE);
	assert_string_equal(desk->out,
			    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"The "
			    "message is too long: it may have 1 MiB.\"}}\n" ANSWER "\n");
	free(input);
}

static void an_answer_that_is_lost(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST", .outcome = TRANSFER_LOST, .error_text = "gone");
	assert_int_equal(RELAY(desk, MODERN_CALL("publish_post") "\n"), PERSON_DONE);
	desk_said(desk->out, "\"id\":1,\"error\":{\"code\":-32603,");
	desk_said(desk->out, "The call may have been made: a post may be sent again with the same "
			     "request_id only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(messages_and_answers_are_lines),
		DESK_TEST(the_service_s_refusal_is_an_error_of_the_protocol),
		DESK_TEST(a_line_that_is_too_long),
		DESK_TEST(an_answer_that_is_lost),
	};
	return cmocka_run_group_tests_name("person_mcp", tests, NULL, NULL);
}
