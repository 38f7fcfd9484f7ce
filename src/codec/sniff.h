/* SPDX-License-Identifier: Apache-2.0
 * What a media file really is, by its first bytes, without decoding: what a customer says of a file is not believed.
 * Knows JPEG, PNG, GIF, WebP, MP4/MOV (ftyp), WebM (EBML). Dimensions for images where the header has them. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#define SNIFF_BYTES_WANTED 65536 /* enough of a file's start for everything sniff_media() looks at */

enum sniff_type { SNIFF_UNKNOWN, SNIFF_JPEG, SNIFF_PNG, SNIFF_GIF, SNIFF_WEBP, SNIFF_MP4, SNIFF_MOV, SNIFF_WEBM };

struct sniff {
	enum sniff_type type;
	const char *mime_type; /* "image/jpeg"; "application/octet-stream" when unknown */
	bool is_image;
	bool is_video;
	uint32_t width;  /* 0 = not known */
	uint32_t height;
};

struct sniff sniff_media(struct str first_bytes);
