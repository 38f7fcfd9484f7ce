/* SPDX-License-Identifier: Apache-2.0
 * Requests and responses by themselves. */
#include "http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"
#include "uuid.h"

static int setup(void **state)
{
	*state = arena_new("test", 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

static void targets_are_taken_apart(void **state)
{
	static const struct {
		const char *target;
		const char *path;
		const char *query_text;
		size_t pairs;
		bool is_bad;
	} rows[] = {
		{"/a/b", "/a/b", "", 0, false},
		{"/a?x=1&y=2", "/a", "x=1&y=2", 2, false},
		{"/a?x=1?y=2", "/a", "x=1?y=2", 1, false},
		{"/a?", "/a", "", 0, false},
		{"?x=1", "", "x=1", 1, false},
		{"/a?x=%", "/a", "x=%", 0, true},
		{"/a?x=%FF", "/a", "x=%FF", 0, true},
		{"*", "*", "", 0, false},
		{"http://host/a?x=1", "/a", "x=1", 1, false},
		{"https://host:1/a", "/a", "", 0, false},
		{"http://host", "/", "", 0, false},
		{"", "", "", 0, false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_request *request = ARENA_NEW(*state, struct http_request);
		request->arena = *state;
		request->method = STR("GET");
		request->target = str_of(rows[i].target);
		http_request_prepare(request, random_system());
		assert_true(str_equal_z(request->path, rows[i].path));
		assert_true(str_equal_z(request->query_text, rows[i].query_text));
		assert_int_equal(request->query.count, rows[i].pairs);
		assert_int_equal(request->has_bad_query, rows[i].is_bad);
		assert_false(request->is_head);
	}
}

static struct http_request *with_ids(struct arena *arena, const struct str *ids, size_t count)
{
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	request->arena = arena;
	request->method = STR("HEAD");
	request->target = STR("/");
	for (size_t i = 0; i < count; i++)
		request->headers[request->header_count++] =
			(struct http_header){STR("x-request-id"), ids[i]};
	http_request_prepare(request, random_system());
	return request;
}

static void a_valid_request_id_is_kept_and_any_other_replaced(void **state)
{
	static const struct {
		struct str id;
		bool is_kept;
	} rows[] = {
		{STR("a"), true},
		{STR("A.z_0-9"), true},
		{STR("0123456789012345678901234567890123456789012345678901234567890123"), true},
		{STR("01234567890123456789012345678901234567890123456789012345678901234"), false},
		{STR(""), false},
		{STR("a b"), false},
		{STR("a\0b"), false},
		{STR("a/b"), false},
		{STR("\xC3\xA9"), false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct http_request *request = with_ids(*state, &rows[i].id, 1);
		assert_true(request->is_head);
		assert_int_equal(str_equal_z(rows[i].id, request->request_id), rows[i].is_kept);
		assert_int_equal(uuid_is_valid(str_of(request->request_id)), !rows[i].is_kept);
	}
	const struct str two[] = {STR("a"), STR("b")};
	assert_true(uuid_is_valid(str_of(with_ids(*state, two, 2)->request_id)));
	assert_true(uuid_is_valid(str_of(with_ids(*state, two, 0)->request_id)));
}

/* W3C Trace Context, 3.2. */
static void a_valid_trace_is_kept_and_any_other_is_none(void **state)
{
	static const char trace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
	static const struct {
		const char *header;
		bool is_kept;
	} rows[] = {
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true},
		{"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", true},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false},
		{"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more", false},
		{"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false},
		{"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
		{"00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", false},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", false},
		{"00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", false},
		{"", false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_request *request = ARENA_NEW(*state, struct http_request);
		request->arena = *state;
		request->target = STR("/");
		request->headers[request->header_count++] =
			(struct http_header){STR("Traceparent"), str_of(rows[i].header)};
		http_request_prepare(request, random_system());
		assert_string_equal(request->trace_id, rows[i].is_kept ? trace : "");
	}
}

static void headers_are_found_in_any_case(void **state)
{
	struct http_request *request = ARENA_NEW(*state, struct http_request);
	request->headers[0] = (struct http_header){STR("Content-Type"), STR("a")};
	request->headers[1] = (struct http_header){STR("X-Two"), STR("b")};
	request->headers[2] = (struct http_header){STR("x-two"), STR("c")};
	request->header_count = 3;
	assert_true(str_equal(*http_request_header(request, "content-TYPE"), STR("a")));
	assert_true(str_equal(*http_request_header(request, "x-two"), STR("b")));
	assert_int_equal(http_request_header_count(request, "X-TWO"), 2);
	assert_null(http_request_header(request, "X-Tw"));
	assert_int_equal(http_request_header_count(request, "X-Three"), 0);
}

static void a_capture_that_is_not_there_is_empty(void **state)
{
	struct http_request *request = ARENA_NEW(*state, struct http_request);
	request->captures[0] = (struct http_capture){STR("id"), STR("7")};
	request->capture_count = 1;
	assert_true(str_equal(http_request_capture(request, "id"), STR("7")));
	assert_int_equal(http_request_capture(request, "i").len, 0);
	assert_int_equal(http_request_capture(request, "id2").len, 0);
}

static void headers_that_would_split_are_dropped_whole(void **state)
{
	static const struct {
		const char *name;
		struct str value;
		size_t count;
	} rows[] = {
		{"X-A", STR("fine"), 1}, {"X-A", STR(""), 1},          {"X-A", STR("a\rb"), 0},
		{"X-A", STR("a\nb"), 0}, {"X-A", STR("a\r\nB: c"), 0}, {"X-A", STR("a\0b"), 0},
		{"X\r\nB", STR("a"), 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_response response;
		http_response_init(&response, *state, 100);
		http_response_header(&response, rows[i].name, rows[i].value);
		assert_int_equal(response.header_count, rows[i].count);
	}
}

/* The caller's bytes may go away before the answer is sent. */
static void header_values_are_copies(void **state)
{
	struct http_response response;
	char value[] = "before";
	http_response_init(&response, *state, 100);
	http_response_header(&response, "X-A", str_of(value));
	value[0] = 'X';
	assert_true(str_equal(response.headers[0].value, STR("before")));
}

static void a_second_beginning_replaces_the_first(void **state)
{
	struct http_response response;
	http_response_init(&response, *state, 100);
	assert_int_equal(response.truncate_at_bytes, -1);
	http_response_header(&response, "X-A", STR("stays"));
	buf_add_z(http_response_json(&response, 200), "{\"half\":");
	buf_add_z(http_response_text(&response, 500, "text/plain"), "oh");
	assert_int_equal(response.status, 500);
	assert_int_equal(response.header_count, 2);
	assert_true(str_equal(response.headers[1].value, STR("text/plain")));
	assert_true(str_equal(buf_str(&response.body), STR("oh")));
}

static void the_body_has_a_ceiling_that_a_new_beginning_lifts(void **state)
{
	struct http_response response;
	http_response_init(&response, *state, 4);
	buf_add_z(http_response_json(&response, 200), "12345");
	assert_true(response.body.is_over);
	buf_add_z(http_response_json(&response, 500), "1234");
	assert_false(response.body.is_over);
	assert_int_equal(response.body.max_bytes, 4);
}

static void an_ipv6_client_is_counted_by_its_network(void **state)
{
	static const struct {
		const char *address;
		const char *network;
	} rows[] = {
		{"198.51.100.7", "198.51.100.7"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"2001:db8:1:2::9", "2001:db8:1:2::/64"},
		{"::1", "::/64"},
		{"", ""},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_request *request = ARENA_NEW(*state, struct http_request);
		request->arena = *state;
		request->remote_address = str_of(rows[i].address);
		assert_true(str_equal_z(http_request_network(request), rows[i].network));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_are_taken_apart),
		cmocka_unit_test(a_valid_request_id_is_kept_and_any_other_replaced),
		cmocka_unit_test(a_valid_trace_is_kept_and_any_other_is_none),
		cmocka_unit_test(headers_are_found_in_any_case),
		cmocka_unit_test(a_capture_that_is_not_there_is_empty),
		cmocka_unit_test(headers_that_would_split_are_dropped_whole),
		cmocka_unit_test(header_values_are_copies),
		cmocka_unit_test(a_second_beginning_replaces_the_first),
		cmocka_unit_test(the_body_has_a_ceiling_that_a_new_beginning_lifts),
		cmocka_unit_test(an_ipv6_client_is_counted_by_its_network),
	};
	return cmocka_run_group_tests_name("http", tests, setup, teardown);
}
