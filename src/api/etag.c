/* SPDX-License-Identifier: Apache-2.0
 * Entity tags: made of what is stored, so that they are the same on every node and after a
 * restart. */
#include "etag.h"

#include <inttypes.h>

#include "api_private.h"
#include "digest.h"
#include "store_draft.h"

#define ETAG_DIGITS 32

static struct str etag_of(struct arena *arena, struct str text)
{
	const struct digest digest = digest_sha256(text);
	return str_format(arena, "\"" STR_FMT "\"",
			  STR_ARG(str_slice(digest_hex(arena, &digest), 0, ETAG_DIGITS)));
}

struct str etag_of_post(struct arena *arena, const struct post_row *post)
{
	return etag_of(arena, str_format(arena, "%" PRId64 "\n" STR_FMT, post->scheduled_at_us,
					 STR_ARG(post->content)));
}

struct str etag_of_draft(struct arena *arena, const struct draft_row *draft)
{
	return etag_of(arena, draft->body);
}

/* A list of tags, or *. A weak tag counts where is_weak_enough. */
static bool list_has(struct str list, struct str etag, bool is_weak_enough)
{
	struct str one = {0};
	while (str_take_field(&list, ',', &one)) {
		one = str_trim(one);
		if (is_weak_enough && str_has_prefix(one, STR("W/")))
			one = str_slice(one, 2, one.len);
		if (str_equal(one, etag) || str_equal_z(one, "*"))
			return true;
	}
	return false;
}

bool etag_refused(const struct http_request *request, struct http_response *response,
		  struct str etag)
{
	const struct str *header = http_request_header(request, "If-Match");
	if (header == NULL ||
	    (http_request_header_count(request, "If-Match") == 1 && list_has(*header, etag, false)))
		return false;
	respond_error(response, 412, "PRECONDITION_FAILED",
		      STR("This was changed since you read it. Read it again; If-Match names "
			  "another version."));
	return true;
}

bool etag_is_known(const struct http_request *request, struct http_response *response,
		   struct str etag)
{
	const struct str *header = http_request_header(request, "If-None-Match");
	http_response_header(response, "ETag", etag);
	if (header == NULL || !list_has(*header, etag, true))
		return false;
	response->status = 304;
	return true;
}
