/* SPDX-License-Identifier: Apache-2.0
 * See film_order.h. */
#include "film_order.h"

#include "count_of.h"

#define ORDER(member, max) FIGURE(struct film_order, member, max)
#define BITS_MAX 1000000000
#define DURATION_MAX_MS (INT64_C(1) << 40)

static const struct figure order_rows[] = {
	ORDER(is_matroska, 1),
	ORDER(copies_video, 1),
	ORDER(copies_audio, 1),
	ORDER(is_hevc, 1),
	ORDER(width, FILM_SIDE_MAX),
	ORDER(height, FILM_SIDE_MAX),
	ORDER(frame_rate_max, 1000),
	ORDER(video_bits_s, BITS_MAX),
	ORDER(bytes_max, INT64_C(1) << 40),
	ORDER(duration_ms, DURATION_MAX_MS),
	ORDER(seconds_max, FILM_SECONDS_MAX),
};

/* An enum has no fixed size. */
struct answer_text {
	int64_t at_ms;
	int64_t outcome;
};

static const struct figure answer_rows[] = {
	FIGURE(struct answer_text, at_ms, DURATION_MAX_MS),
	FIGURE(struct answer_text, outcome, FILM_OUTCOME_COUNT - 1),
};

static const struct figures order_figures = {"film 1\n", order_rows, COUNT_OF(order_rows)};
static const struct figures answer_figures = {"filmed 1\n", answer_rows, COUNT_OF(answer_rows)};

size_t film_order_write(const struct film_order *order, char out[FIGURES_MAX_BYTES])
{
	return figures_write(&order_figures, order, out);
}

bool film_order_read(struct str text, struct film_order *order_out)
{
	struct film_order order;
	if (!figures_read(&order_figures, text, &order) || order.seconds_max == 0 ||
	    (order.width == 0) != (order.height == 0) || order.width % 2 != 0 ||
	    order.height % 2 != 0)
		return false;
	*order_out = order;
	return true;
}

size_t film_answer_write(const struct film_answer *answer, char out[FIGURES_MAX_BYTES])
{
	const struct answer_text text = {answer->at_ms, (int64_t)answer->outcome};
	return figures_write(&answer_figures, &text, out);
}

bool film_answer_read(struct str text, struct film_answer *answer_out)
{
	struct answer_text read;
	if (!figures_read(&answer_figures, text, &read))
		return false;
	*answer_out = (struct film_answer){(enum film_outcome)read.outcome, read.at_ms};
	return true;
}

bool film_progress_read(struct str text, int64_t *at_ms_out)
{
	struct str line;
	bool is_found = false;
	while (str_take_until(&text, '\n', &line) && str_skip(&text, STR("\n"))) {
		uint64_t at_us;
		if (!str_skip(&line, STR("out_time_us=")) || !str_parse_u64(line, &at_us) ||
		    at_us / 1000 > (uint64_t)DURATION_MAX_MS)
			continue;
		*at_ms_out = (int64_t)(at_us / 1000);
		is_found = true;
	}
	return is_found;
}
