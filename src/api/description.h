/* SPDX-License-Identifier: Apache-2.0
 * The description of the API and its pages, as api/build.py makes them of api/openapi.yaml when the
 * program is built. */
#pragma once

#include <stddef.h>

struct description_page {
	const char *path; /* "/docs" */
	const char *content_type;
	const char *etag; /* with its quotes; another one whenever the bytes are others */
	const char *body;
	size_t size_bytes;
};

extern const struct description_page description_pages[];
extern const size_t description_pages_count;
