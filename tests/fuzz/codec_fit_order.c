/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/fit_order.h: what is read as an order or as an answer is written again as the same
 * bytes. */
#include "fit_order.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[FIT_TEXT_MAX_BYTES];
	const struct str in = {(const char *)data, size};
	struct fit_order order;
	struct fit_answer answer;
	if (fit_order_read(in, &order)) {
		struct fit_order again;
		const size_t len = fit_order_write(&order, text);
		assert(fit_order_read((struct str){text, len}, &again));
		assert(memcmp(&order, &again, offsetof(struct fit_order, shape)) == 0);
	}
	if (fit_answer_read(in, &answer) && answer.outcome == FIT_DONE)
		assert(answer.width > 0 && answer.width <= FIT_SIDE_MAX && answer.quality > 0);
	return 0;
}
