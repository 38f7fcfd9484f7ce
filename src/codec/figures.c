/* SPDX-License-Identifier: Apache-2.0
 * See figures.h. */
#include "figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t figures_write(const struct figures *figures, const void *values, char out[FIGURES_MAX_BYTES])
{
	size_t len = strlen(figures->head);
	memcpy(out, figures->head, len);
	for (size_t i = 0; i < figures->count; i++) {
		const size_t room = FIGURES_MAX_BYTES - len;
		int64_t value;
		memcpy(&value, (const char *)values + figures->rows[i].offset, sizeof(value));
		const int count =
			snprintf(out + len, room, "%s %" PRId64 "\n", figures->rows[i].name, value);
		if (count > 0 && (size_t)count < room)
			len += (size_t)count;
	}
	return len;
}

static bool take(struct str *in, const struct figure *figure, int64_t *value_out)
{
	struct str digits;
	uint64_t value;
	if (!str_skip(in, str_of(figure->name)) || !str_skip(in, STR(" ")) ||
	    !str_take_until(in, '\n', &digits) || !str_parse_u64(digits, &value) ||
	    value > (uint64_t)figure->max)
		return false;
	*value_out = (int64_t)value;
	return str_skip(in, STR("\n"));
}

bool figures_read(const struct figures *figures, struct str text, void *values_out)
{
	if (!str_skip(&text, str_of(figures->head)))
		return false;
	for (size_t i = 0; i < figures->count; i++) {
		int64_t value;
		if (!take(&text, &figures->rows[i], &value))
			return false;
		memcpy((char *)values_out + figures->rows[i].offset, &value, sizeof(value));
	}
	return text.len == 0;
}
