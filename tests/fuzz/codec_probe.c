/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/probe.h: what is found further in agrees with what the first bytes say. */
#include "probe.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char scratch[SNIFF_BYTES_WANTED];
	const struct str all = {(const char *)data, size};
	const struct byte_source source = byte_source_of(&all);
	const struct sniff first = sniff_media(str_slice(all, 0, SNIFF_BYTES_WANTED));
	const struct sniff sniff = probe_media(&source, scratch);
	assert(sniff.type == first.type && sniff.mime_type == first.mime_type);
	assert((sniff.width == 0) == (sniff.height == 0));
	assert(sniff.duration_ms >= 0);
	return 0;
}
