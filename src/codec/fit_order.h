/* SPDX-License-Identifier: Apache-2.0
 * What the service asks of posthorn-fit (src/fit), and what it is told: two small closed texts, a
 * line for each figure. The reader of each trusts nobody: the order's is the program that a broken
 * picture may take over, the answer's is the service that must survive it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "figures.h"
#include "str.h"

#define FIT_TEXT_MAX_BYTES FIGURES_MAX_BYTES
#define FIT_SIDE_MAX 65500 /* of a JPEG */

/* What may be done about a picture's shape. */
enum fit_shape {
	FIT_SHAPE_KEPT,
	FIT_SHAPE_PADDED, /* with white, at both sides */
	FIT_SHAPE_CROPPED /* about its middle */
};

/* The JPEG that is wanted. 0 = no limit, wherever a figure says nothing else. */
struct fit_order {
	int64_t bytes_max;
	int64_t width_min, width_max;
	int64_t height_min, height_max;
	int64_t shorter_side_max;
	int64_t pixels_max;                             /* width * height */
	int64_t ratio_min_permille, ratio_max_permille; /* width / height; as media_rule has it */
	int64_t quality; /* the best that is tried, 1 to 100; 0 = FIT_QUALITY_BEST */
	enum fit_shape shape;
};

#define FIT_QUALITY_BEST 90

/* Writes to out and returns the length. */
size_t fit_order_write(const struct fit_order *order, char out[FIT_TEXT_MAX_BYTES]);
/* Reads what fit_order_write() wrote, and nothing else: false. */
bool fit_order_read(struct str text, struct fit_order *order_out);

enum fit_outcome {
	FIT_DONE,
	FIT_BROKEN,    /* the bytes are no picture, or not a whole one */
	FIT_ANIMATED,  /* more than one picture: it would be stilled */
	FIT_TOO_LARGE, /* more pixels than are ever decoded */
	FIT_IMPOSSIBLE /* no JPEG can be as the order says */
};

struct fit_answer {
	enum fit_outcome outcome;
	/* of what was written, when it is DONE */
	int64_t width;
	int64_t height;
	int64_t quality;
};

size_t fit_answer_write(const struct fit_answer *answer, char out[FIT_TEXT_MAX_BYTES]);
/* False: not an answer; a DONE has sides of 1 to FIT_SIDE_MAX and a quality of 1 to 100. */
bool fit_answer_read(struct str text, struct fit_answer *answer_out);
