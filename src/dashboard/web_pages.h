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
};

extern const struct web_page web_pages[];
extern const size_t web_pages_count;
