/* SPDX-License-Identifier: Apache-2.0
 * The Content-Range header of chunked uploads (RFC 9110 14.4), as YouTube and TikTok use it:
 * "bytes 0-99/1000", or with "*" for an unknown length or, in a query for progress, for the
 * range. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct content_range {
	bool is_query; /* a query for progress: no bytes */
	int64_t first;
	int64_t last;  /* inclusive */
	int64_t total; /* -1 = unknown */
};

/* False for anything else, for last < first and for last >= total; *range_out is then unchanged. */
bool sandbox_content_range_parse(struct str text, struct content_range *range_out);
/* The number of bytes in the range; 0 for a query. */
int64_t sandbox_content_range_bytes(const struct content_range *range);
