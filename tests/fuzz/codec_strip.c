/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/strip.h: a copy is never longer than the picture and what stands for its Exif, and
 * tells nothing any more. */
#include "probe.h"
#include "strip.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROOM (1 << 17)

struct sink {
	char bytes[ROOM];
	size_t len;
};

static bool take(void *context, const char *bytes, size_t len)
{
	struct sink *sink = context;
	if (len > ROOM - sink->len)
		return false;
	memcpy(sink->bytes + sink->len, bytes, len);
	sink->len += len;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char scratch[SNIFF_BYTES_WANTED];
	static struct sink sink;
	const struct str all = {(const char *)data, size};
	const struct byte_source source = byte_source_of(&all);
	const struct strip_sink out = {take, &sink};
	const struct sniff sniff = probe_media(&source, scratch);
	sink.len = 0;
	if (!strip_copy(&source, sniff.type, &out))
		return 0;
	assert(sink.len <= size + 36);
	const struct str made = {sink.bytes, sink.len};
	const struct byte_source again = byte_source_of(&made);
	assert(!strip_is_needed(&again, sniff.type));
	return 0;
}
