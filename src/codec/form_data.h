/* SPDX-License-Identifier: Apache-2.0
 * A body of multipart/form-data (RFC 7578, RFC 2046 5.1), read as it comes: parts are told with
 * their names, and their bytes handed on without being kept. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#define FORM_DATA_BOUNDARY_MAX 70 /* RFC 2046 5.1.1 */
#define FORM_DATA_HEADERS_MAX_BYTES 4096

struct form_data_part {
	struct str name;      /* empty = none */
	struct str file_name; /* as it was sent; empty = none */
};

/* Both return false to end the reading. part and bytes are valid during the call. */
struct form_data_sink {
	bool (*part)(void *context, const struct form_data_part *part);
	bool (*bytes)(void *context, struct str bytes);
	void *context;
};

enum form_data_state {
	FORM_DATA_BEFORE, /* the first delimiter */
	FORM_DATA_AFTER_DELIMITER,
	FORM_DATA_HEADERS,
	FORM_DATA_BYTES,
	FORM_DATA_ENDED, /* the last delimiter is there; what follows is ignored */
	FORM_DATA_BROKEN,
	FORM_DATA_STOPPED /* by the sink */
};

struct form_data {
	struct form_data_sink sink;
	enum form_data_state state;
	char delimiter[FORM_DATA_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
	size_t delimiter_len;
	size_t matched;                         /* of it, at the end of what came */
	char head[FORM_DATA_HEADERS_MAX_BYTES]; /* of a part, or what follows a delimiter */
	size_t head_len;
};

/* The boundary of a Content-Type; false when it is no multipart/form-data, or its boundary is
 * none. */
bool form_data_boundary(struct str content_type, struct str *boundary_out);
/* boundary: 1 to 70 bytes without CR and LF. */
void form_data_init(struct form_data *form, struct str boundary, const struct form_data_sink *sink);
/* False: it is broken, or the sink has ended it (form->state). */
bool form_data_push(struct form_data *form, struct str bytes);
