/* SPDX-License-Identifier: Apache-2.0
 * See fit_order.h. Each text is a first line that names it, then "name number" lines in the order
 * of a table: what is missing, doubled, unknown or out of range makes the whole unreadable. */
#include "fit_order.h"

#include <inttypes.h>
#include <stdio.h>

#include "count_of.h"

struct figure {
	const char *name;
	size_t offset; /* of an int64_t */
	int64_t max;
};

#define ORDER_HEAD "fit 1\n"
#define SHAPES 3
#define ORDER_FIGURE(member, max) \
	{ \
#member, offsetof(struct fit_order, member), max \
	}

static const struct figure order_figures[] = {
	ORDER_FIGURE(bytes_max, INT64_C(1) << 40),  ORDER_FIGURE(width_min, FIT_SIDE_MAX),
	ORDER_FIGURE(width_max, INT32_MAX),         ORDER_FIGURE(height_min, FIT_SIDE_MAX),
	ORDER_FIGURE(height_max, INT32_MAX),        ORDER_FIGURE(shorter_side_max, INT32_MAX),
	ORDER_FIGURE(pixels_max, INT64_C(1) << 40), ORDER_FIGURE(ratio_min_permille, 1000000),
	ORDER_FIGURE(ratio_max_permille, 1000000),  ORDER_FIGURE(quality, 100),
};

#define ANSWER_HEAD "fitted 1\n"
#define OUTCOMES 5
#define ANSWER_FIGURE(member, max) \
	{ \
#member, offsetof(struct fit_answer, member), max \
	}

static const struct figure answer_figures[] = {
	ANSWER_FIGURE(width, FIT_SIDE_MAX),
	ANSWER_FIGURE(height, FIT_SIDE_MAX),
	ANSWER_FIGURE(quality, 100),
};

/* ---- writing ---- */

struct text {
	char *out;
	size_t len;
};

static void put(struct text *text, const char *name, int64_t value)
{
	const size_t room = FIT_TEXT_MAX_BYTES - text->len;
	const int count = snprintf(text->out + text->len, room, "%s %" PRId64 "\n", name, value);
	if (count > 0 && (size_t)count < room)
		text->len += (size_t)count;
}

static void put_figures(struct text *text, const void *values, const struct figure *figures,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value;
		memcpy(&value, (const char *)values + figures[i].offset, sizeof(value));
		put(text, figures[i].name, value);
	}
}

static struct text begin(char *out, const char *head)
{
	const size_t len = strlen(head);
	memcpy(out, head, len);
	return (struct text){out, len};
}

size_t fit_order_write(const struct fit_order *order, char out[FIT_TEXT_MAX_BYTES])
{
	struct text text = begin(out, ORDER_HEAD);
	put_figures(&text, order, order_figures, COUNT_OF(order_figures));
	put(&text, "shape", (int64_t)order->shape);
	return text.len;
}

size_t fit_answer_write(const struct fit_answer *answer, char out[FIT_TEXT_MAX_BYTES])
{
	struct text text = begin(out, ANSWER_HEAD);
	put_figures(&text, answer, answer_figures, COUNT_OF(answer_figures));
	put(&text, "outcome", (int64_t)answer->outcome);
	return text.len;
}

/* ---- reading ---- */

static bool take(struct str *in, const char *name, int64_t max, int64_t *value_out)
{
	struct str digits;
	uint64_t value;
	if (!str_skip(in, str_of(name)) || !str_skip(in, STR(" ")) ||
	    !str_take_until(in, '\n', &digits) || !str_parse_u64(digits, &value) ||
	    value > (uint64_t)max)
		return false;
	*value_out = (int64_t)value;
	return str_skip(in, STR("\n"));
}

static bool take_figures(struct str *in, void *values, const struct figure *figures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value;
		if (!take(in, figures[i].name, figures[i].max, &value))
			return false;
		memcpy((char *)values + figures[i].offset, &value, sizeof(value));
	}
	return true;
}

bool fit_order_read(struct str text, struct fit_order *order_out)
{
	struct fit_order order = {0};
	int64_t shape;
	if (!str_skip(&text, STR(ORDER_HEAD)) ||
	    !take_figures(&text, &order, order_figures, COUNT_OF(order_figures)) ||
	    !take(&text, "shape", SHAPES - 1, &shape) || text.len > 0)
		return false;
	order.shape = (enum fit_shape)shape;
	*order_out = order;
	return true;
}

bool fit_answer_read(struct str text, struct fit_answer *answer_out)
{
	struct fit_answer answer = {0};
	int64_t outcome;
	if (!str_skip(&text, STR(ANSWER_HEAD)) ||
	    !take_figures(&text, &answer, answer_figures, COUNT_OF(answer_figures)) ||
	    !take(&text, "outcome", OUTCOMES - 1, &outcome) || text.len > 0)
		return false;
	answer.outcome = (enum fit_outcome)outcome;
	if (answer.outcome == FIT_DONE &&
	    (answer.width == 0 || answer.height == 0 || answer.quality == 0))
		return false;
	*answer_out = answer;
	return true;
}
