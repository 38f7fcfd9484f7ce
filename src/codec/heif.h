/* SPDX-License-Identifier: Apache-2.0
 * How large a HEIC or AVIF picture is, by its boxes (ISO/IEC 23008-12, 6.5). Nothing is decoded.
 * Pure. */
#pragma once

#include <stdint.h>

#include "byte_source.h"

struct heif_picture {
	uint32_t width; /* as shown; 0 = not known */
	uint32_t height;
};

/* The largest picture of the file, which is the one that its tiles make up; the work is bounded. */
struct heif_picture heif_probe(const struct byte_source *source);
