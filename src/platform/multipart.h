/* SPDX-License-Identifier: Apache-2.0
 * A multipart/form-data body (RFC 7578) of a call, built part by part; at most one part is a range
 * of a media file, which is streamed and never in memory. Reading multipart bodies is not for here.
 * Pure: the boundary is derived from the fields. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

struct call;
struct env;

struct multipart {
	struct str boundary;
	struct buf head; /* up to the file's bytes, or everything when there is no file */
	struct buf tail;
	bool has_file;
	size_t media_index;
	int64_t offset_bytes;
	int64_t length_bytes;
};

/* salt makes the boundary: 24 or more characters that no part holds by chance; the flow's own ids
 * and the post's text do. */
void multipart_begin(struct multipart *m, const struct env *env, struct str salt);
/* A text field. name is a literal without quotes. */
void multipart_field(struct multipart *m, const char *name, struct str value);
/* The file: length_bytes from offset_bytes of the media at that flat index. Once. */
void multipart_file(struct multipart *m, const char *name, const char *file_name,
		    const char *mime_type, size_t media_index, int64_t offset_bytes,
		    int64_t length_bytes);
/* A part whose bytes are here (a file of some kB). */
void multipart_bytes(struct multipart *m, const char *name, const char *file_name,
		     const char *mime_type, struct str bytes);
/* Ends the body and gives it to the call, with its Content-Type. */
void multipart_end(struct multipart *m, struct call *call);
