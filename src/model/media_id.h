/* SPDX-License-Identifier: Apache-2.0
 * Ids of uploaded files, and where a post names them. Wherever a post has the address of a file (a
 * medium, a thumbnail, an option such as a cover, captions or a document), the id of an uploaded
 * file may stand; the code below the request treats it as an address of its own kind. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#define MEDIA_ID_PREFIX "med_" /* api-decisions.md 1 */

struct arena;
struct media;
struct post_content;

/* "med_" and a UUID in lower case? */
bool media_id_is(struct str text);
/* Is it an http or https address, or the id of an uploaded file? Judges by the beginning alone. */
bool media_address_is(struct str text);

/* A place where a post names a file: an uploaded one, or one at an address. */
struct media_use {
	struct str media_id; /* or its address */
	struct str field; /* of the request: "media.0.media_id", "platforms.x.article.cover_url" */
	struct media *media; /* the element that is the file; NULL: a thumbnail or an option */
};

/* All of them, in root and overrides, in arena. A file that is named twice is there twice. */
void media_id_uses(struct arena *arena, const struct post_content *content,
		   struct media_use **uses_out, size_t *count_out);
/* The same with files at an address. An option that is a page's address is none. */
void media_id_files(struct arena *arena, const struct post_content *content,
		    struct media_use **uses_out, size_t *count_out);
