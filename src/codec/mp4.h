/* SPDX-License-Identifier: Apache-2.0
 * How long an MP4 or QuickTime film is, how large it is shown and what it is coded as: from the
 * boxes of its "moov", wherever in the file that lies (ISO/IEC 14496-12). Nothing is decoded, and
 * of a film of gigabytes a few kilobytes are read. Pure. */
#pragma once

#include <stdint.h>

#include "byte_source.h"
#include "film.h"

struct mp4_film {
	int64_t duration_ms; /* 0 = not known */
	/* of the first picture track that is shown, turned as it is shown; 0 = not known */
	uint32_t width;
	uint32_t height;
	/* the frame rate of a film in fragments is not known, nor the codec of what is encrypted */
	struct film film;
};

/* What is missing, cut off or makes no sense is "not known". The work is bounded, no matter what
 * the bytes say. */
struct mp4_film mp4_probe(const struct byte_source *source);
