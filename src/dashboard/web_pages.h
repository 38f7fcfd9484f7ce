/* SPDX-License-Identifier: Apache-2.0
 * The dashboard's files (web/), as embed_web.py made them when the program was built. */
#pragma once

#include <stddef.h>

struct web_page {
	const char *name; /* "index.html", "views/posts.js" */
	const char *content_type;
	const char *etag; /* with its quotes */
	const char *body;
	size_t size_bytes;
	const char *packed; /* the same by gzip */
	size_t packed_bytes;
};

extern const struct web_page web_pages[];
extern const size_t web_pages_count;
/* "v-0123456789abcdef": a name for all of them together, in paths. */
extern const char web_pages_folder[];
