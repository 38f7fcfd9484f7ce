/* SPDX-License-Identifier: Apache-2.0
 * Reads the Content-Range header of chunked uploads. */
#include "sandbox_content_range.h"

#define RANGE_DIGITS_MAX 15 /* 1 PB: no file is as long, and the sum of two does not overflow */

static bool take_number(struct str *in, int64_t *number_out)
{
	uint64_t number;
	if (!str_take_u64(in, RANGE_DIGITS_MAX, &number))
		return false;
	*number_out = (int64_t)number;
	return true;
}

static bool take_total(struct str *in, int64_t *total_out)
{
	if (str_skip(in, STR("*"))) {
		*total_out = -1;
		return true;
	}
	return take_number(in, total_out);
}

static bool is_possible(const struct content_range *range)
{
	if (range->is_query)
		return true;
	return range->first <= range->last && (range->total < 0 || range->last < range->total);
}

bool sandbox_content_range_parse(struct str text, struct content_range *range_out)
{
	struct str in = str_trim(text);
	if (!str_skip(&in, STR("bytes ")))
		return false;
	struct content_range range = {0};
	range.is_query = str_skip(&in, STR("*/"));
	if (!range.is_query && !(take_number(&in, &range.first) && str_skip(&in, STR("-")) &&
				 take_number(&in, &range.last) && str_skip(&in, STR("/"))))
		return false;
	if (!take_total(&in, &range.total) || !str_is_empty(in) || !is_possible(&range))
		return false;
	*range_out = range;
	return true;
}

int64_t sandbox_content_range_bytes(const struct content_range *range)
{
	return range->is_query ? 0 : range->last - range->first + 1;
}
