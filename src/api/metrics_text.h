/* SPDX-License-Identifier: Apache-2.0
 * The Prometheus text format 0.0.4: heads, values, histograms. */
#pragma once

#include <stdint.h>

#include "buf.h"
#include "histogram.h"

enum metric_unit { METRIC_COUNT, METRIC_US /* written in seconds */ };

void metrics_text_head(struct buf *out, const char *name, const char *type, const char *help);
/* " VALUE" and the end of the line. */
void metrics_text_value(struct buf *out, int64_t value, enum metric_unit unit);

struct metrics_histogram {
	const char *name;
	const char *labels; /* "platform=\"x\",kind=\"read\""; "" = none */
	const struct histogram *histogram;
	enum histogram_scale scale;
};

/* One series: buckets, sum and count; never a bucket above the next one, though others note
 * meanwhile. */
void metrics_text_histogram(struct buf *out, const struct metrics_histogram *series);
