/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes httpd/http_strict.h: a request head is split as a lenient parser splits it, in place, and
 * judged. What passes is read once more here, from the bytes as they came, by the letter of RFC
 * 9112: it must be one head that no parser can read in another way. */
#include "http_strict.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAD_MAX_BYTES 4096
#define TAIL_BYTES 8 /* zero behind the head, as in a listener's buffer */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct split {
	char bytes[HEAD_MAX_BYTES + TAIL_BYTES];
	struct http_header headers[HTTP_HEADERS_MAX];
	struct strict_request request;
	size_t head_bytes; /* with the empty line */
};

/* Cuts the line at *at: CR LF and a bare LF are line ends alike. NULL when there is none. */
static char *take_line(struct split *split, size_t size, size_t *at)
{
	char *line = split->bytes + *at;
	char *end = memchr(line, '\n', size - *at);
	if (end == NULL)
		return NULL;
	*at = (size_t)(end + 1 - split->bytes);
	*end = '\0';
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	return line;
}

static bool split_request_line(struct split *split, char *line)
{
	char *target = strchr(line, ' ');
	char *version = strrchr(line, ' ');
	if (target == NULL || version == target)
		return false;
	*target++ = '\0';
	*version++ = '\0';
	while (*target == ' ')
		target++;
	split->request.method = str_of(line);
	split->request.target = str_of(target);
	split->request.version = str_of(version);
	return true;
}

static bool split_header(struct split *split, char *line)
{
	char *value = strchr(line, ':');
	if (value == NULL)
		return false;
	*value++ = '\0';
	while (*value == ' ' || *value == '\t')
		value++;
	if (split->request.header_count < HTTP_HEADERS_MAX)
		split->headers[split->request.header_count] =
			(struct http_header){str_of(line), str_of(value)};
	split->request.header_count++;
	return true;
}

static bool split_head(struct split *split, const uint8_t *data, size_t size)
{
	size_t at = 0;
	memset(split, 0, sizeof(*split));
	memcpy(split->bytes, data, size);
	split->request.headers = split->headers;
	split->request.header_max_bytes = 1 << 14;
	char *line = take_line(split, size, &at);
	if (line == NULL || !split_request_line(split, line))
		return false;
	while ((line = take_line(split, size, &at)) != NULL && *line != '\0')
		if (!split_header(split, line))
			return false;
	split->head_bytes = at;
	split->request.head_bytes = at;
	return line != NULL;
}

/* A NUL in the place of a CR, or at the end beside a bare LF: the repairs that leave no trace
 * (http_strict_test.c). */
static bool has_a_hidden_nul(struct str head)
{
	return str_find(head, STR("\0\n"), 0) != SIZE_MAX ||
	       str_has_suffix(head, STR("\n\0\r\n")) || str_has_suffix(head, STR("\0\r\n\n"));
}

/* ---- the second reading, of the bytes as they came ---- */

static bool is_token_char(char c)
{
	return c > ' ' && c < 0x7f && strchr("\"(),/:;<=>?@[\\]{}", c) == NULL;
}

static struct str take_strict_line(struct str *rest)
{
	const size_t end = str_find(*rest, STR("\r\n"), 0);
	assert(end != SIZE_MAX);
	const struct str line = str_slice(*rest, 0, end);
	assert(str_find_char(line, '\n', 0) == SIZE_MAX &&
	       str_find_char(line, '\r', 0) == SIZE_MAX);
	assert(str_find_char(line, '\0', 0) == SIZE_MAX);
	*rest = str_slice(*rest, end + 2, rest->len);
	return line;
}

static void check_request_line(struct str line)
{
	struct str method, target;
	assert(str_take_until(&line, ' ', &method) && str_skip(&line, STR(" ")));
	assert(str_take_until(&line, ' ', &target) && str_skip(&line, STR(" ")));
	assert(method.len > 0 && target.len > 0);
	for (size_t i = 0; i < method.len; i++)
		assert(is_token_char(method.ptr[i]));
	for (size_t i = 0; i < target.len; i++)
		assert(target.ptr[i] > ' ' && target.ptr[i] < 0x7f);
	assert(str_equal(line, STR("HTTP/1.1")) || str_equal(line, STR("HTTP/1.0")));
}

struct seen {
	size_t lengths, encodings, hosts;
};

static void check_header(struct str line, const struct strict_framing *framing, struct seen *seen)
{
	struct str name;
	assert(str_take_until(&line, ':', &name) && str_skip(&line, STR(":")));
	assert(name.len > 0);
	for (size_t i = 0; i < name.len; i++)
		assert(is_token_char(name.ptr[i]));
	const struct str value = str_trim(line);
	seen->hosts += str_equal_nocase(name, STR("host"));
	if (str_equal_nocase(name, STR("content-length"))) {
		uint64_t number;
		assert(str_parse_u64(value, &number) && number == framing->content_length);
		seen->lengths++;
	} else if (str_equal_nocase(name, STR("transfer-encoding"))) {
		assert(str_equal_nocase(value, STR("chunked")) && framing->is_chunked);
		seen->encodings++;
	}
}

static void check_strict(struct str head, const struct strict_framing *framing, bool is_1_0)
{
	struct seen seen = {0};
	check_request_line(take_strict_line(&head));
	for (struct str line = take_strict_line(&head); line.len > 0;
	     line = take_strict_line(&head))
		check_header(line, framing, &seen);
	assert(head.len == 0);
	assert(seen.lengths + seen.encodings <= 1);
	assert(framing->is_chunked == (seen.encodings == 1));
	assert(seen.hosts == 1 || (seen.hosts == 0 && is_1_0));
	assert(!is_1_0 || seen.encodings == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct split split;
	struct strict_framing framing = {0};
	const char *reason = NULL;
	if (size > HEAD_MAX_BYTES || !split_head(&split, data, size))
		return 0;
	const enum strict_verdict verdict = http_strict_check(&split.request, &framing, &reason);
	assert((verdict == STRICT_PASS) == (reason == NULL));
	const struct str head = {(const char *)data, split.head_bytes};
	if (verdict != STRICT_PASS || !http_strict_layout_is_exact(&split.request) ||
	    has_a_hidden_nul(head))
		return 0;
	check_strict(head, &framing, str_equal_z(split.request.version, "HTTP/1.0"));
	if (split.request.header_count > 0)
		assert(http_strict_body_start(&split.request) == split.bytes + split.head_bytes);
	return 0;
}
