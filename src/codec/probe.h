/* SPDX-License-Identifier: Apache-2.0
 * All that can be known of a media file without decoding it: sniff.h on its first bytes, and
 * further in where a format keeps the rest there (the moov of a film at its end, the second picture
 * of a GIF). Pure. */
#pragma once

#include "byte_source.h"
#include "sniff.h"

/* scratch: SNIFF_BYTES_WANTED bytes to read into. What cannot be read is "not known". */
struct sniff probe_media(const struct byte_source *source, char *scratch);
