/* SPDX-License-Identifier: Apache-2.0
 * Answers whose body is a file, and ranges of it (RFC 9110 14). http_call.c sends the bytes. */
#include "http.h"

#include <inttypes.h>
#include <unistd.h>

#include "arena.h"

struct range {
	int64_t from, to; /* the last byte; nothing when it is before from */
};

static void file_close(void *fd)
{
	close(*(int *)fd);
}

/* "A-B", "A-" or "-N" against the file's size. False: not such a range, and the header counts as
 * not there. */
static bool range_read(struct str text, int64_t size_bytes, struct range *range_out)
{
	struct str first;
	uint64_t from = 0, to = 0;
	if (!str_take_field(&text, '-', &first) || text.ptr == NULL)
		return false;
	const bool has_from = str_parse_u64(first, &from);
	const bool has_to = str_parse_u64(text, &to);
	if ((!has_from && !str_is_empty(first)) || (!has_to && !str_is_empty(text)) ||
	    (!has_from && !has_to) || (has_from && has_to && to < from))
		return false;
	const uint64_t size = (uint64_t)size_bytes;
	if (!has_from) /* the last N */
		*range_out = (struct range){to < size ? (int64_t)(size - to) : 0,
					    to > 0 ? size_bytes - 1 : -1};
	else
		*range_out = (struct range){from < size ? (int64_t)from : size_bytes,
					    has_to && to < size ? (int64_t)to : size_bytes - 1};
	return true;
}

/* The one range that the request asks for, of the file that is there now. */
static bool range_wanted(const struct http_request *request, struct str etag, int64_t size_bytes,
			 struct range *range_out)
{
	const struct str *header = http_request_header(request, "Range");
	const struct str *only_if = http_request_header(request, "If-Range");
	if (header == NULL || http_request_header_count(request, "Range") != 1 ||
	    (only_if != NULL && !str_equal(*only_if, etag)))
		return false;
	struct str text = *header;
	return str_skip(&text, STR("bytes=")) && range_read(str_trim(text), size_bytes, range_out);
}

void http_response_file(struct http_response *response, const struct http_request *request,
			const char *content_type, struct str etag, int fd, int64_t size_bytes)
{
	int *kept = ARENA_NEW(response->arena, int);
	struct range range = {0, size_bytes - 1};
	*kept = fd;
	arena_on_clear(response->arena, file_close, kept);
	const bool is_range = range_wanted(request, etag, size_bytes, &range);
	const bool is_empty = is_range && range.to < range.from;
	http_response_text(response, is_empty ? 416 : is_range ? 206 : 200, content_type);
	http_response_header(response, "Accept-Ranges", STR("bytes"));
	http_response_header(response, "ETag", etag);
	if (is_empty)
		http_response_header(response, "Content-Range",
				     str_format(response->arena, "bytes */%" PRId64, size_bytes));
	else if (is_range)
		http_response_header(response, "Content-Range",
				     str_format(response->arena,
						"bytes %" PRId64 "-%" PRId64 "/%" PRId64,
						range.from, range.to, size_bytes));
	response->has_file = !is_empty;
	response->file_fd = fd;
	response->file_offset_bytes = range.from;
	response->file_length_bytes = is_empty ? 0 : range.to - range.from + 1;
}
