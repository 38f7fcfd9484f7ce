/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/film_order.h: what is read as an order is written again as the same, an answer is
 * one that is known, and progress is never before the beginning. */
#include "film_order.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[FIGURES_MAX_BYTES];
	const struct str in = {(const char *)data, size};
	struct film_order order;
	struct film_answer answer;
	int64_t at_ms = 0;
	if (film_order_read(in, &order)) {
		struct film_order again;
		const size_t len = film_order_write(&order, text);
		assert(film_order_read((struct str){text, len}, &again));
		assert(memcmp(&order, &again, sizeof(order)) == 0);
		assert(order.seconds_max > 0 && order.width % 2 == 0);
	}
	if (film_answer_read(in, &answer))
		assert(answer.outcome < FILM_OUTCOME_COUNT && answer.at_ms >= 0);
	if (film_progress_read(in, &at_ms))
		assert(at_ms >= 0);
	return 0;
}
