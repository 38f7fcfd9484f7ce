/* SPDX-License-Identifier: Apache-2.0
 * The Content-Range header of chunked uploads (RFC 9110, 14.4), as YouTube and TikTok want it:
 * "bytes 0-99/1000", "bytes 0-99" followed by "/" and "*" when the whole length is not known, and
 * "bytes", "*" and the length when a caller asks how far it got. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct content_range {
	bool is_query; /* no bytes, only the question */
	int64_t first;
	int64_t last;  /* the last byte itself, not the one after it */
	int64_t total; /* -1 = not told */
};

/* False on anything else, on last < first and on last >= total; out is written on success only. */
bool sandbox_content_range_parse(struct str text, struct content_range *range_out);
/* How many bytes it announces; 0 for a query. */
int64_t sandbox_content_range_bytes(const struct content_range *range);
