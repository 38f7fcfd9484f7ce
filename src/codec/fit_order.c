/* SPDX-License-Identifier: Apache-2.0
 * See fit_order.h. */
#include "fit_order.h"

#include "count_of.h"

#define SHAPES 3
#define OUTCOMES 5

/* The last figure of each is an enum, which has no fixed size. */
struct order_text {
	struct fit_order order;
	int64_t shape;
};

struct answer_text {
	struct fit_answer answer;
	int64_t outcome;
};

#define ORDER(member, max) \
	{ \
#member, offsetof(struct order_text, order.member), max \
	}
#define ANSWER(member, max) \
	{ \
#member, offsetof(struct answer_text, answer.member), max \
	}

static const struct figure order_rows[] = {
	ORDER(bytes_max, INT64_C(1) << 40),
	ORDER(width_min, FIT_SIDE_MAX),
	ORDER(width_max, INT32_MAX),
	ORDER(height_min, FIT_SIDE_MAX),
	ORDER(height_max, INT32_MAX),
	ORDER(shorter_side_max, INT32_MAX),
	ORDER(pixels_max, INT64_C(1) << 40),
	ORDER(ratio_min_permille, 1000000),
	ORDER(ratio_max_permille, 1000000),
	ORDER(quality, 100),
	FIGURE(struct order_text, shape, SHAPES - 1),
};

static const struct figure answer_rows[] = {
	ANSWER(width, FIT_SIDE_MAX),
	ANSWER(height, FIT_SIDE_MAX),
	ANSWER(quality, 100),
	FIGURE(struct answer_text, outcome, OUTCOMES - 1),
};

static const struct figures order_figures = {"fit 1\n", order_rows, COUNT_OF(order_rows)};
static const struct figures answer_figures = {"fitted 1\n", answer_rows, COUNT_OF(answer_rows)};

size_t fit_order_write(const struct fit_order *order, char out[FIT_TEXT_MAX_BYTES])
{
	const struct order_text text = {*order, (int64_t)order->shape};
	return figures_write(&order_figures, &text, out);
}

size_t fit_answer_write(const struct fit_answer *answer, char out[FIT_TEXT_MAX_BYTES])
{
	const struct answer_text text = {*answer, (int64_t)answer->outcome};
	return figures_write(&answer_figures, &text, out);
}

bool fit_order_read(struct str text, struct fit_order *order_out)
{
	struct order_text read = {.shape = 0};
	if (!figures_read(&order_figures, text, &read))
		return false;
	read.order.shape = (enum fit_shape)read.shape;
	*order_out = read.order;
	return true;
}

bool fit_answer_read(struct str text, struct fit_answer *answer_out)
{
	struct answer_text read = {.outcome = 0};
	if (!figures_read(&answer_figures, text, &read))
		return false;
	read.answer.outcome = (enum fit_outcome)read.outcome;
	const struct fit_answer *answer = &read.answer;
	if (answer->outcome == FIT_DONE &&
	    (answer->width == 0 || answer->height == 0 || answer->quality == 0))
		return false;
	*answer_out = *answer;
	return true;
}
