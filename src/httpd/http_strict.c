/* SPDX-License-Identifier: Apache-2.0
 * The strict header checks. One function a rule; http_strict_check() is the list of them. Nothing
 * is repaired. */
#include "http_strict.h"

#include <string.h>

#define METHOD_MAX_BYTES 32
#define LENGTH_MAX_DIGITS 18 /* any number of so many digits fits an int64_t */
#define HOST_MAX_BYTES 255

struct finding {
	enum strict_verdict verdict;
	const char *reason;
};

static const struct finding pass = {STRICT_PASS, NULL};

static struct finding malformed(const char *reason)
{
	return (struct finding){STRICT_MALFORMED, reason};
}

static struct finding too_large(const char *reason)
{
	return (struct finding){STRICT_TOO_LARGE, reason};
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* RFC 9110, 5.6.2. */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];
		if (!is_alnum(c) && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
			return false;
	}
	return !str_is_empty(s);
}

/* A value may have spaces, tabs and bytes over 0x7F, but no other control character: one parser
 * cuts at a CR or NUL, another takes it as a plain byte. */
static bool is_field_value(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		if ((c < 0x20 && c != '\t') || c == 0x7F)
			return false;
	}
	return true;
}

/* Printable ASCII without space and '#': a target never carries its fragment (RFC 9112, 3.2). */
static bool is_target(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		if (c <= 0x20 || c >= 0x7F || c == '#')
			return false;
	}
	return !str_is_empty(s);
}

/* The bytes of a host with an optional port (RFC 3986, 3.2.2), without userinfo. */
static bool is_host(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];
		if (!is_alnum(c) && (c == '\0' || strchr("-._~%!$&'()*+;=:[]", c) == NULL))
			return false;
	}
	return !str_is_empty(s) && s.len <= HOST_MAX_BYTES;
}

static bool is_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	}
	return !str_is_empty(s) && s.len <= LENGTH_MAX_DIGITS;
}

/* Returns the number of headers with that name; *value_out is the value of the first. */
static size_t find(const struct strict_request *request, const char *name, struct str *value_out)
{
	size_t count = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		if (!str_equal_nocase(request->headers[i].name, str_of(name)))
			continue;
		if (count++ == 0)
			*value_out = str_trim(request->headers[i].value);
	}
	return count;
}

static struct finding check_sizes(const struct strict_request *request)
{
	if (request->header_count > HTTP_HEADERS_MAX)
		return too_large("more than 100 headers");
	if (request->target.len > STRICT_LINE_MAX_BYTES)
		return too_large("the target is over 8 KiB");
	size_t total = request->method.len + request->target.len + request->version.len + 4;
	for (size_t i = 0; i < request->header_count; i++) {
		const size_t line =
			request->headers[i].name.len + request->headers[i].value.len + 4;
		if (line > STRICT_LINE_MAX_BYTES)
			return too_large("a header is over 8 KiB");
		total += line;
	}
	return total > request->header_max_bytes ? too_large("the headers are too large") : pass;
}

static struct finding check_request_line(const struct strict_request *request)
{
	if (!is_token(request->method) || request->method.len > METHOD_MAX_BYTES)
		return malformed("the method is not a token");
	if (!is_target(request->target))
		return malformed("the target has a byte that must be encoded");
	if (!str_equal(request->version, STR("HTTP/1.1")) &&
	    !str_equal(request->version, STR("HTTP/1.0")))
		return malformed("the version is neither HTTP/1.1 nor HTTP/1.0");
	return pass;
}

static struct finding check_fields(const struct strict_request *request)
{
	for (size_t i = 0; i < request->header_count; i++) {
		if (!is_token(request->headers[i].name))
			return malformed("a header name is not a token");
		if (!is_field_value(request->headers[i].value))
			return malformed("a header value has a control character");
	}
	return pass;
}

/* The target is a path, "*" for OPTIONS, or an absolute form that names the same host as the Host
 * header. */
static struct finding check_target_form(const struct strict_request *request, struct str host)
{
	struct str target = request->target;
	if (target.ptr[0] == '/')
		return pass;
	if (str_equal(target, STR("*")) && str_equal(request->method, STR("OPTIONS")))
		return pass;
	if (!str_skip(&target, STR("http://")) && !str_skip(&target, STR("https://")))
		return malformed("the target is not a path");
	const size_t end = str_find_char(target, '/', 0);
	if (end == SIZE_MAX || !str_equal_nocase(str_slice(target, 0, end), host))
		return malformed("the target names another host than the Host header");
	return pass;
}

static struct finding check_host(const struct strict_request *request)
{
	struct str host = {0};
	const size_t count = find(request, "Host", &host);
	if (count > 1)
		return malformed("two Host headers");
	if (count == 0 && str_equal(request->version, STR("HTTP/1.1")))
		return malformed("no Host header");
	if (count == 1 && !is_host(host))
		return malformed("the Host header is not a host");
	return check_target_form(request, host);
}

static struct finding check_length(const struct strict_request *request,
				   struct strict_framing *framing)
{
	struct str value = {0};
	const size_t count = find(request, "Content-Length", &value);
	if (count > 1)
		return malformed("two Content-Length headers");
	if (count == 0)
		return pass;
	if (!is_digits(value) || !str_parse_u64(value, &framing->content_length))
		return malformed("the Content-Length is not a plain number");
	return pass;
}

bool http_strict_length_is_plain(const struct http_header *headers, size_t header_count)
{
	for (size_t i = 0; i < header_count; i++) {
		if (str_equal_nocase(headers[i].name, STR("Content-Length")) &&
		    !is_digits(headers[i].value))
			return false;
	}
	return true;
}

static struct finding check_transfer_encoding(const struct strict_request *request,
					      struct strict_framing *framing)
{
	struct str value = {0};
	struct str unused = {0};
	const size_t count = find(request, "Transfer-Encoding", &value);
	if (count == 0)
		return pass;
	if (count > 1)
		return malformed("two Transfer-Encoding headers");
	if (find(request, "Content-Length", &unused) > 0)
		return malformed("Content-Length beside Transfer-Encoding");
	if (!str_equal(request->version, STR("HTTP/1.1")))
		return malformed("Transfer-Encoding in HTTP/1.0");
	if (!str_equal_nocase(value, STR("chunked")))
		return malformed("a Transfer-Encoding other than chunked");
	framing->is_chunked = true;
	return pass;
}

static struct finding check_framing(const struct strict_request *request,
				    struct strict_framing *framing)
{
	struct str expect = {0};
	if (find(request, "Expect", &expect) > 0)
		framing->expects_continue = str_equal_nocase(expect, STR("100-continue"));
	const struct finding finding = check_length(request, framing);
	return finding.verdict != STRICT_PASS ? finding : check_transfer_encoding(request, framing);
}

enum strict_verdict http_strict_check(const struct strict_request *request,
				      struct strict_framing *framing_out, const char **reason_out)
{
	struct strict_framing framing = {0};
	struct finding finding = check_sizes(request);
	if (finding.verdict == STRICT_PASS)
		finding = check_request_line(request);
	if (finding.verdict == STRICT_PASS)
		finding = check_fields(request);
	if (finding.verdict == STRICT_PASS)
		finding = check_host(request);
	if (finding.verdict == STRICT_PASS)
		finding = check_framing(request, &framing);
	*reason_out = finding.reason;
	if (finding.verdict == STRICT_PASS)
		*framing_out = framing;
	return finding.verdict;
}

static const char *end_of(struct str s)
{
	return s.ptr + s.len;
}

/* The colon was overwritten; only the white space before the value follows. An empty value is at
 * the end of the line. */
static bool value_follows_name(const struct http_header *header)
{
	const char *p = end_of(header->name) + 1;
	if (header->value.ptr < p || header->value.ptr > p + STRICT_LINE_MAX_BYTES)
		return false;
	while (p < header->value.ptr && (*p == ' ' || *p == '\t'))
		p++;
	return p == header->value.ptr;
}

/* The CR LF of the last line and of the empty line are overwritten with four NULs. After the
 * received bytes libmicrohttpd's buffer is zero, so fewer NULs only occur when something follows
 * that a strict reader would still count as headers. */
static bool tail_is_exact(const char *line_end)
{
	return line_end[0] == '\0' && line_end[1] == '\0' && line_end[2] == '\0' &&
	       line_end[3] == '\0';
}

bool http_strict_layout_is_exact(const struct strict_request *request)
{
	if (request->target.ptr != end_of(request->method) + 1)
		return false;
	if (request->version.ptr != end_of(request->target) + 1)
		return false;
	const char *line_end = end_of(request->version);
	for (size_t i = 0; i < request->header_count; i++) {
		const struct http_header *header = &request->headers[i];
		if (header->name.ptr != line_end + 2 || !value_follows_name(header))
			return false;
		line_end = end_of(header->value);
	}
	/* libmicrohttpd takes a line that begins with NUL as the empty line, no matter what else is
	 * on it. */
	return tail_is_exact(line_end) && request->method.ptr + request->head_bytes == line_end + 4;
}

const char *http_strict_body_start(const struct strict_request *request)
{
	return end_of(request->headers[request->header_count - 1].value) + 4;
}
