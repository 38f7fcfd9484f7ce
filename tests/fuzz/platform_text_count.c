/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes platform/x/x_text_count.h: the weight of any bytes lies between what its characters can
 * weigh at least and at most, and the addresses found in it are parts of it, in order, apart from
 * each other. */
#include "x_text_count.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SPANS_MAX 64
#define URL_WEIGHT 23 /* x.md 3.1 */

static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] > 0x7f)
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size < 20000 ? size : 20000};
	struct x_text_span spans[SPANS_MAX];
	if (!utf8_is_valid(text))
		return 0;
	const size_t count = x_text_count_urls(text, spans, SPANS_MAX);
	const int64_t weight = x_text_count_weighted(text);
	size_t end = 0;
	assert(count <= SPANS_MAX);
	for (size_t i = 0; i < count; i++) {
		assert(spans[i].begin >= end && spans[i].begin < spans[i].end &&
		       spans[i].end <= text.len);
		assert(utf8_is_valid(str_slice(text, spans[i].begin, spans[i].end)));
		end = spans[i].end;
	}
	/* Letters that NFC joins may be an address before and none after. */
	assert(!is_ascii(text) || weight >= (int64_t)count * URL_WEIGHT);
	assert((weight == 0) == (text.len == 0));
	/* NFC makes a character at most three (Unicode, 3.11), an address of three letters
	 * weighs 23. */
	assert(weight <= (int64_t)utf8_code_points(text) * URL_WEIGHT);
	return 0;
}
