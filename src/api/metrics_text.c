/* SPDX-License-Identifier: Apache-2.0
 * See metrics_text.h. */
#include "metrics_text.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "clock.h"

void metrics_text_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_text_value(struct buf *out, int64_t value, enum metric_unit unit)
{
	if (unit == METRIC_COUNT)
		buf_addf(out, " %" PRId64 "\n", value);
	else
		buf_addf(out, " %" PRId64 ".%06" PRId64 "\n", value / US_PER_S, value % US_PER_S);
}

static void write_labels(struct buf *out, const char *name, const char *ending, const char *labels)
{
	buf_addf(out, labels[0] != '\0' ? "%s%s{%s}" : "%s%s", name, ending, labels);
}

void metrics_text_histogram(struct buf *out, const struct metrics_histogram *series)
{
	const int64_t *bounds_us = NULL;
	const size_t count = histogram_bounds(series->scale, &bounds_us);
	const char *comma = series->labels[0] != '\0' ? "," : "";
	uint64_t sum = 0;
	for (size_t i = 0; i <= count; i++) {
		sum += atomic_load_explicit(&series->histogram->counts[i], memory_order_relaxed);
		buf_addf(out, "%s_bucket{%s%sle=\"", series->name, series->labels, comma);
		if (i < count)
			buf_addf(out, "%g", (double)bounds_us[i] / (double)US_PER_S);
		else
			buf_add_z(out, "+Inf");
		buf_addf(out, "\"} %" PRIu64 "\n", sum);
	}
	write_labels(out, series->name, "_sum", series->labels);
	metrics_text_value(
		out,
		(int64_t)atomic_load_explicit(&series->histogram->sum_us, memory_order_relaxed),
		METRIC_US);
	write_labels(out, series->name, "_count", series->labels);
	buf_addf(out, " %" PRIu64 "\n", sum);
}
