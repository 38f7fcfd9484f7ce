/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/sniff.h: no bytes crash it, and what it says holds together. */
#include "sniff.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sniff sniff = sniff_media((struct str){(const char *)data, size});
	assert(sniff.mime_type != NULL);
	assert(!(sniff.is_image && sniff.is_video));
	const bool is_document = sniff.type == SNIFF_PDF || sniff.type == SNIFF_ZIP ||
				 sniff.type == SNIFF_OLE || sniff.type == SNIFF_SRT ||
				 sniff.type == SNIFF_VTT;
	assert((sniff.type == SNIFF_UNKNOWN || is_document) ==
	       (!sniff.is_image && !sniff.is_video));
	assert((sniff.width == 0) == (sniff.height == 0));
	assert(sniff.width == 0 || sniff.is_image || sniff.type == SNIFF_WEBM ||
	       sniff.type == SNIFF_MKV);
	assert(sniff.film.video < FILM_CODEC_AAC);
	assert(sniff.film.audio < FILM_CODEC_COUNT);
	assert(sniff.duration_ms >= 0);
	return 0;
}
