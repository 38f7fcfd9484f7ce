/* SPDX-License-Identifier: Apache-2.0
 * The strict header checks: every request that two parsers could read differently is refused
 * (rules.md 3.3). Pure: reads the request line and the raw header list, does no I/O and
 * depends on only one fact about libmicrohttpd, below.
 *
 * libmicrohttpd 0.9.75 repairs requests that it should refuse (dependencies.md A): it cuts values
 * at a NUL, takes a bare LF for a line end, joins folded lines to the *name*, skips white space in
 * the request line. None of that shows in the header list. It does show in the position of the
 * pieces, because that version parses in place: in one buffer
 * "METHOD\0TARGET\0VERSION\0\0NAME\0VALUE\0\0NAME\0..." with exactly one byte overwritten between
 * method, target and version and exactly two (CR LF) after each line. A piece that does not begin
 * where the one before it must end was repaired; http_strict_layout_is_exact() detects it. It also
 * counts the bytes of the head: more or fewer than the pieces and their line ends add up to means
 * that the empty line was not one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http.h"
#include "str.h"

/* Of one header line, and of the target (rules.md 3.3). */
#define STRICT_LINE_MAX_BYTES ((size_t)8 * 1024)

struct strict_request {
	struct str method;
	struct str target;
	struct str version; /* "HTTP/1.1" */
	const struct http_header *headers;
	/* as received; may be more than HTTP_HEADERS_MAX, then headers holds only the first so
	 * many */
	size_t header_count;
	size_t header_max_bytes; /* request line and headers together */
	size_t head_bytes;       /* of the head, from the method through the empty line */
};

enum strict_verdict {
	STRICT_PASS,
	STRICT_MALFORMED, /* 400 */
	STRICT_TOO_LARGE  /* 431 */
};

/* The framing of the body; filled only with STRICT_PASS. */
struct strict_framing {
	bool is_chunked;
	bool expects_continue;
	uint64_t content_length; /* 0 without the header */
};

/* Checks the request against every rule. *reason_out is a literal for the log ("two Host headers"),
 * NULL when it passes. Does not block. */
enum strict_verdict http_strict_check(const struct strict_request *request,
				      struct strict_framing *framing_out, const char **reason_out);
/* Is every Content-Length one that libmicrohttpd 0.9.75 reads? It takes digits alone, and no blank
 * at their end, which RFC 9110 5.5 allows. */
bool http_strict_length_is_plain(const struct http_header *headers, size_t header_count);
/* Do the pieces lie in one buffer as a strict reading leaves them (see above)? Looks at no byte
 * that is not in a piece or one of the line ends. Two tail bytes after the empty line count too:
 * when the last header ended with a bare LF, what follows the header block has moved into their
 * place and is not NUL. */
bool http_strict_layout_is_exact(const struct strict_request *request);
/* The address where the body begins when the header block ends as it must. Requires at least one
 * header. */
const char *http_strict_body_start(const struct strict_request *request);
