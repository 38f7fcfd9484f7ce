/* SPDX-License-Identifier: Apache-2.0
 * The strict header checks as a table, and the layout check against a small stand-in for
 * libmicrohttpd 0.9.75's parser. The real one, over sockets, is in httpd_test.c. */
#include "http_strict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "count_of.h"

#define HEADERS_SIZE (16 * 1024)

struct row {
	const char *name;
	struct str method;
	struct str target;
	struct str version;
	struct http_header headers[4];
	enum strict_verdict verdict;
	const char *reason;
	struct strict_framing framing;
};

#define GET STR("GET"), STR("/"), STR("HTTP/1.1")
#define POST STR("POST"), STR("/"), STR("HTTP/1.1")
#define HOST \
	{ \
		STR("Host"), STR("a") \
	}
#define BAD_LENGTH "the Content-Length is not a plain number"
#define BAD_TE "a Transfer-Encoding other than chunked"
#define BAD_TARGET "the target has a byte that must be encoded"
#define BAD_VALUE "a header value has a control character"
#define BAD_NAME "a header name is not a token"
#define BAD_HOST "the Host header is not a host"

static const struct row rows[] = {
	{"plain", GET, {HOST}, STRICT_PASS, NULL, {0}},
	{"1.0 without host",
	 STR("GET"),
	 STR("/"),
	 STR("HTTP/1.0"),
	 {{{0}, {0}}},
	 STRICT_PASS,
	 NULL,
	 {0}},
	{"length",
	 POST,
	 {HOST, {STR("content-LENGTH"), STR("12")}},
	 STRICT_PASS,
	 NULL,
	 {.content_length = 12}},
	{"length in blanks",
	 POST,
	 {HOST, {STR("Content-Length"), STR("12 \t")}},
	 STRICT_PASS,
	 NULL,
	 {.content_length = 12}},
	{"18 digits",
	 POST,
	 {HOST, {STR("Content-Length"), STR("999999999999999999")}},
	 STRICT_PASS,
	 NULL,
	 {.content_length = 999999999999999999}},
	{"chunked",
	 POST,
	 {HOST, {STR("transfer-encoding"), STR("Chunked")}},
	 STRICT_PASS,
	 NULL,
	 {.is_chunked = true}},
	{"expect",
	 POST,
	 {HOST, {STR("Expect"), STR("100-Continue")}},
	 STRICT_PASS,
	 NULL,
	 {.expects_continue = true}},
	{"expect else", POST, {HOST, {STR("Expect"), STR("a pony")}}, STRICT_PASS, NULL, {0}},
	{"options star", STR("OPTIONS"), STR("*"), STR("HTTP/1.1"), {HOST}, STRICT_PASS, NULL, {0}},
	{"absolute",
	 STR("GET"),
	 STR("http://A/x"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_PASS,
	 NULL,
	 {0}},
	{"unknown method",
	 STR("M-SEARCH"),
	 STR("/"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_PASS,
	 NULL,
	 {0}},

	{"two lengths",
	 POST,
	 {HOST, {STR("Content-Length"), STR("1")}, {STR("content-length"), STR("1")}},
	 STRICT_MALFORMED,
	 "two Content-Length headers",
	 {0}},
	{"plus",
	 POST,
	 {HOST, {STR("Content-Length"), STR("+1")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"minus",
	 POST,
	 {HOST, {STR("Content-Length"), STR("-1")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"list",
	 POST,
	 {HOST, {STR("Content-Length"), STR("1,1")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"hex",
	 POST,
	 {HOST, {STR("Content-Length"), STR("0x1")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"fraction",
	 POST,
	 {HOST, {STR("Content-Length"), STR("1.0")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"empty length",
	 POST,
	 {HOST, {STR("Content-Length"), STR("")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"19 digits",
	 POST,
	 {HOST, {STR("Content-Length"), STR("1000000000000000000")}},
	 STRICT_MALFORMED,
	 BAD_LENGTH,
	 {0}},
	{"length and chunked",
	 POST,
	 {HOST, {STR("Content-Length"), STR("1")}, {STR("Transfer-Encoding"), STR("chunked")}},
	 STRICT_MALFORMED,
	 "Content-Length beside Transfer-Encoding",
	 {0}},
	{"two codings",
	 POST,
	 {HOST,
	  {STR("Transfer-Encoding"), STR("chunked")},
	  {STR("Transfer-Encoding"), STR("chunked")}},
	 STRICT_MALFORMED,
	 "two Transfer-Encoding headers",
	 {0}},
	{"gzip, chunked",
	 POST,
	 {HOST, {STR("Transfer-Encoding"), STR("gzip, chunked")}},
	 STRICT_MALFORMED,
	 BAD_TE,
	 {0}},
	{"empty coding",
	 POST,
	 {HOST, {STR("Transfer-Encoding"), STR("")}},
	 STRICT_MALFORMED,
	 BAD_TE,
	 {0}},
	{"chunked;",
	 POST,
	 {HOST, {STR("Transfer-Encoding"), STR("chunked;")}},
	 STRICT_MALFORMED,
	 BAD_TE,
	 {0}},
	{"chunked in 1.0",
	 STR("POST"),
	 STR("/"),
	 STR("HTTP/1.0"),
	 {HOST, {STR("Transfer-Encoding"), STR("chunked")}},
	 STRICT_MALFORMED,
	 "Transfer-Encoding in HTTP/1.0",
	 {0}},
	{"no host", GET, {{STR("X"), STR("a")}}, STRICT_MALFORMED, "no Host header", {0}},
	{"two hosts",
	 GET,
	 {HOST, {STR("HOST"), STR("a")}},
	 STRICT_MALFORMED,
	 "two Host headers",
	 {0}},
	{"two hosts in 1.0",
	 STR("GET"),
	 STR("/"),
	 STR("HTTP/1.0"),
	 {HOST, HOST},
	 STRICT_MALFORMED,
	 "two Host headers",
	 {0}},
	{"empty host", GET, {{STR("Host"), STR("")}}, STRICT_MALFORMED, BAD_HOST, {0}},
	{"host with a path", GET, {{STR("Host"), STR("a/b")}}, STRICT_MALFORMED, BAD_HOST, {0}},
	{"host with a blank", GET, {{STR("Host"), STR("a b")}}, STRICT_MALFORMED, BAD_HOST, {0}},
	{"host with userinfo", GET, {{STR("Host"), STR("a@b")}}, STRICT_MALFORMED, BAD_HOST, {0}},
	{"blank before colon",
	 GET,
	 {HOST, {STR("Content-Length "), STR("1")}},
	 STRICT_MALFORMED,
	 BAD_NAME,
	 {0}},
	{"empty name", GET, {HOST, {STR(""), STR("1")}}, STRICT_MALFORMED, BAD_NAME, {0}},
	{"NUL in a name", GET, {HOST, {STR("a\0b"), STR("1")}}, STRICT_MALFORMED, BAD_NAME, {0}},
	{"8 bit name", GET, {HOST, {STR("\xC3\xA9"), STR("1")}}, STRICT_MALFORMED, BAD_NAME, {0}},
	{"NUL in a value", GET, {HOST, {STR("X"), STR("a\0b")}}, STRICT_MALFORMED, BAD_VALUE, {0}},
	{"CR in a value", GET, {HOST, {STR("X"), STR("a\rb")}}, STRICT_MALFORMED, BAD_VALUE, {0}},
	{"LF in a value", GET, {HOST, {STR("X"), STR("a\nb")}}, STRICT_MALFORMED, BAD_VALUE, {0}},
	{"DEL in a value", GET, {HOST, {STR("X"), STR("a\x7F")}}, STRICT_MALFORMED, BAD_VALUE, {0}},
	{"blank in the target",
	 STR("GET"),
	 STR("/a b"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 BAD_TARGET,
	 {0}},
	{"NUL in the target",
	 STR("GET"),
	 STR("/a\0b"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 BAD_TARGET,
	 {0}},
	{"empty target",
	 STR("GET"),
	 STR(""),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 BAD_TARGET,
	 {0}},
	{"fragment",
	 STR("GET"),
	 STR("/a#b"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 BAD_TARGET,
	 {0}},
	{"8 bit target",
	 STR("GET"),
	 STR("/\xC3\xA9"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 BAD_TARGET,
	 {0}},
	{"relative target",
	 STR("GET"),
	 STR("a"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the target is not a path",
	 {0}},
	{"star for get",
	 STR("GET"),
	 STR("*"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the target is not a path",
	 {0}},
	{"authority form",
	 STR("CONNECT"),
	 STR("a:443"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the target is not a path",
	 {0}},
	{"other host",
	 STR("GET"),
	 STR("http://b/"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the target names another host than the Host header",
	 {0}},
	{"absolute, no path",
	 STR("GET"),
	 STR("http://a"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the target names another host than the Host header",
	 {0}},
	{"empty method",
	 STR(""),
	 STR("/"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the method is not a token",
	 {0}},
	{"method with slash",
	 STR("GET/"),
	 STR("/"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the method is not a token",
	 {0}},
	{"long method",
	 STR("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG"),
	 STR("/"),
	 STR("HTTP/1.1"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the method is not a token",
	 {0}},
	{"version 2",
	 STR("GET"),
	 STR("/"),
	 STR("HTTP/2.0"),
	 {HOST},
	 STRICT_MALFORMED,
	 "the version is neither HTTP/1.1 nor HTTP/1.0",
	 {0}},
};

static void requests_are_judged_by_the_table(void **state)
{
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct strict_framing framing = {0};
		const char *reason = "unset";
		struct strict_request request = {.method = row->method,
						 .target = row->target,
						 .version = row->version,
						 .headers = row->headers,
						 .header_max_bytes = HEADERS_SIZE};
		while (request.header_count < 4 &&
		       row->headers[request.header_count].name.ptr != NULL)
			request.header_count++;
		const enum strict_verdict verdict = http_strict_check(&request, &framing, &reason);
		const bool has_reason =
			row->reason == NULL ? reason == NULL
					    : reason != NULL && strcmp(reason, row->reason) == 0;
		if (verdict != row->verdict || !has_reason ||
		    framing.content_length != row->framing.content_length ||
		    framing.is_chunked != row->framing.is_chunked ||
		    framing.expects_continue != row->framing.expects_continue) {
			print_error("%s: %d, %s\n", row->name, (int)verdict,
				    reason != NULL ? reason : "passes");
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

static void sizes_are_judged_first(void **state)
{
	static struct http_header headers[HTTP_HEADERS_MAX];
	static char text[HEADERS_SIZE];
	struct strict_framing framing = {0};
	const char *reason = NULL;
	struct strict_request request = {GET, .headers = headers, .header_max_bytes = HEADERS_SIZE};
	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < HTTP_HEADERS_MAX; i++)
		headers[i] = (struct http_header){STR("X"), STR("y")};
	headers[0] = (struct http_header)HOST;
	request.header_count = HTTP_HEADERS_MAX;
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_PASS);
	request.header_count++; /* the list holds no more, and the check must not look there */
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_TOO_LARGE);

	request.header_count = 2;
	headers[1].value = (struct str){text, STRICT_LINE_MAX_BYTES - 5};
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_PASS);
	headers[1].value.len++;
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_TOO_LARGE);

	headers[1].value.len = STRICT_LINE_MAX_BYTES - 5;
	headers[2].value = (struct str){text, STRICT_LINE_MAX_BYTES - 5};
	request.header_count = 3;
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_TOO_LARGE);
	assert_string_equal(reason, "the headers are too large");

	text[0] = '/';
	request.header_count = 1;
	request.target = (struct str){text, STRICT_LINE_MAX_BYTES};
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_PASS);
	request.target.len++;
	assert_int_equal(http_strict_check(&request, &framing, &reason), STRICT_TOO_LARGE);
}

/* Parses as libmicrohttpd 0.9.75 does: in place, a bare LF as good as CR LF, everything by
 * NUL-terminated strings. */

struct lenient {
	char bytes[1024]; /* zero behind the request */
	struct http_header headers[8];
	struct strict_request request;
};

static char *lenient_line(char **at)
{
	char *line = *at;
	while (**at != '\n' && !((*at)[0] == '\r' && (*at)[1] == '\n'))
		(*at)++;
	if (**at == '\r')
		*(*at)++ = '\0';
	*(*at)++ = '\0';
	return line;
}

static void lenient_parse(struct lenient *out, struct str bytes)
{
	*out = (struct lenient){0};
	assert_true(bytes.len < sizeof(out->bytes));
	memcpy(out->bytes, bytes.ptr, bytes.len);
	char *at = out->bytes;
	char *line = lenient_line(&at);
	char *target = strchr(line, ' ');
	*target++ = '\0';
	while (*target == ' ')
		target++;
	char *version = target + strlen(target);
	if (strrchr(target, ' ') != NULL)
		version = strrchr(target, ' ');
	else /* a NUL stands in the target: the last blank is behind it */
		version = out->bytes + (str_find(bytes, STR(" HTTP/"), 0));
	*version++ = '\0';
	for (line = lenient_line(&at); *line != '\0'; line = lenient_line(&at)) {
		char *value = strchr(line, ':');
		*value++ = '\0';
		while (*value == ' ' || *value == '\t')
			value++;
		out->headers[out->request.header_count++] =
			(struct http_header){str_of(line), str_of(value)};
	}
	out->request.head_bytes = (size_t)(at - out->bytes);
	out->request.method = str_of(out->bytes);
	out->request.target = str_of(target);
	out->request.version = str_of(version);
	out->request.headers = out->headers;
	out->request.header_max_bytes = HEADERS_SIZE;
}

static void repairs_show_in_the_layout(void **state)
{
	static const struct {
		const char *name;
		struct str bytes;
		bool is_exact;
	} layouts[] = {
		{"strict", STR("GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"), true},
		{"strict, no headers", STR("GET /a HTTP/1.0\r\n\r\n"), true},
		{"no blank, many blanks, empty value",
		 STR("GET / HTTP/1.1\r\nA:b\r\nC: \t d\r\nE:\r\nF: \r\n\r\n"), true},
		{"with a body", STR("POST / HTTP/1.1\r\nHost: a\r\n\r\nbody"), true},
		{"NUL in a value", STR("GET / HTTP/1.1\r\nX: a\0b\r\nHost: a\r\n\r\n"), false},
		{"NUL in the last value", STR("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"), false},
		{"NUL before the value", STR("GET / HTTP/1.1\r\nX: \0a\r\nHost: a\r\n\r\n"), false},
		{"NUL in the target", STR("GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"), false},
		{"two blanks", STR("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), false},
		{"LF after the request line", STR("GET / HTTP/1.1\nHost: a\r\n\r\n"), false},
		{"LF after a header", STR("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"), false},
		{"LF after the last header, bytes behind",
		 STR("GET / HTTP/1.1\r\nHost: a\n\r\nGET"), false},
		{"LF as the empty line, bytes behind", STR("GET / HTTP/1.1\r\nHost: a\r\n\nGET"),
		 false},
		{"LF LF, bytes behind", STR("GET / HTTP/1.1\r\nHost: a\n\nGET"), false},
		{"LF LF without headers, bytes behind", STR("GET / HTTP/1.0\n\nGET"), false},
		{"LF LF, nothing behind", STR("GET / HTTP/1.1\r\nHost: a\n\n"), false},
		{"an empty line of NULs", STR("GET / HTTP/1.1\r\nHost: a\r\n\0\0\r\n"), false},
		{"a header behind NULs", STR("GET / HTTP/1.1\r\nHost: a\r\n\0\0X: y\r\n\r\n"),
		 false},
		{"NULs without headers", STR("GET / HTTP/1.0\r\n\0\0X: y\r\n\r\n"), false},
		/* what cannot be told apart: a NUL in the place of a CR */
		{"NUL LF as the empty line", STR("GET / HTTP/1.1\r\nHost: a\r\n\0\n"), true},
		{"NUL LF after a header", STR("GET / HTTP/1.1\r\nHost: a\0\nX: y\r\n\r\n"), true},
		/* nor a NUL behind the last value that takes the place of the empty line's CR */
		{"NUL behind the last value, LF as the empty line",
		 STR("GET / HTTP/1.1\r\nHost: a\0\r\n\n"), true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(layouts); i++) {
		struct lenient lenient;
		lenient_parse(&lenient, layouts[i].bytes);
		if (http_strict_layout_is_exact(&lenient.request) != layouts[i].is_exact)
			print_error("%s\n", layouts[i].name);
		assert_int_equal(http_strict_layout_is_exact(&lenient.request),
				 layouts[i].is_exact);
	}
}

/* A folded line ends up glued to a copy of the *name*, somewhere else in the pool. */
static void a_name_that_lies_elsewhere_was_folded(void **state)
{
	struct lenient lenient;
	static char elsewhere[] = "Xcontinued";
	(void)state;
	lenient_parse(&lenient, STR("GET / HTTP/1.1\r\nX: a\r\nHost: a\r\n\r\n"));
	assert_true(http_strict_layout_is_exact(&lenient.request));
	lenient.headers[0].name = str_of(elsewhere);
	assert_false(http_strict_layout_is_exact(&lenient.request));
}

static void the_body_begins_behind_the_empty_line(void **state)
{
	struct lenient lenient;
	(void)state;
	lenient_parse(&lenient, STR("POST / HTTP/1.1\r\nHost: a\r\n\r\nbody"));
	assert_memory_equal(http_strict_body_start(&lenient.request), "body", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_judged_by_the_table),
		cmocka_unit_test(sizes_are_judged_first),
		cmocka_unit_test(repairs_show_in_the_layout),
		cmocka_unit_test(a_name_that_lies_elsewhere_was_folded),
		cmocka_unit_test(the_body_begins_behind_the_empty_line),
	};
	return cmocka_run_group_tests_name("http_strict", tests, NULL, NULL);
}
