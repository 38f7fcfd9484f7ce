/* SPDX-License-Identifier: Apache-2.0
 * Takes out of a picture what it tells of place, camera and person (Exif, XMP, IPTC, further
 * pictures behind the first) and leaves its pixels as they are: JPEG, PNG and WebP are copied
 * without those parts, nothing is decoded. Of a JPEG's Exif the orientation stays. Pure: reads by
 * byte_source, writes by a function; allocates nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "byte_source.h"
#include "sniff.h"

/* Has the picture parts that strip_copy() would leave out? Of a JPEG, as far as they stand before
 * the pixels; what stands behind them does only where a part before them names it. False for types
 * that strip_copy() does not know. */
bool strip_is_needed(const struct byte_source *source, enum sniff_type type);

/* 1 to 8 as Exif has it (1 = as it is stored); 1 when the JPEG does not say. Looks at the parts
 * before the pixels. */
int strip_orientation(const struct byte_source *source);

/* Where the copy goes; false: it cannot be written, and the copy ends. */
struct strip_sink {
	bool (*write)(void *context, const char *bytes, size_t len);
	void *context;
};

/* False: the bytes make no sense as that type, or cannot be read or written; what was written is
 * of no use then. */
bool strip_copy(const struct byte_source *source, enum sniff_type type,
		const struct strip_sink *sink);
