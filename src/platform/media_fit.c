/* SPDX-License-Identifier: Apache-2.0
 * See media_fit.h. */
#include "media_fit.h"

#include "arena.h"

#include "media_rules.h"

#define LINE_SEPARATOR ','

/* What posthorn-fit reads. A GIF that does not move is a picture like others. */
#define READABLE_TYPES \
	(MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) | MEDIA_TYPE_BIT(SNIFF_GIF) | \
	 MEDIA_TYPE_BIT(SNIFF_WEBP) | MEDIA_TYPE_BIT(SNIFF_HEIC) | MEDIA_TYPE_BIT(SNIFF_AVIF) | \
	 MEDIA_TYPE_BIT(SNIFF_TIFF))
/* What strip.h takes apart without decoding. */
#define STRIPPABLE_TYPES \
	(MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) | MEDIA_TYPE_BIT(SNIFF_WEBP))

static bool takes(const struct media_rule *rule, enum sniff_type type)
{
	return rule->types == 0 || (rule->types & MEDIA_TYPE_BIT(type)) != 0;
}

static bool is_outside(int64_t actual, int64_t min, int64_t max)
{
	return actual > 0 && (actual < min || (max > 0 && actual > max));
}

static bool is_misshapen(const struct media_rule *rule, const struct sniff *sniff)
{
	const uint64_t wide = (uint64_t)sniff->width * 1000;
	return sniff->width > 0 && sniff->height > 0 &&
	       (wide < (uint64_t)rule->ratio_min_permille * sniff->height ||
		(rule->ratio_max_permille > 0 &&
		 wide > (uint64_t)rule->ratio_max_permille * sniff->height));
}

static bool is_out_of_bounds(const struct media_rule *rule, const struct sniff *sniff,
			     int64_t size_bytes)
{
	const int64_t pixels = (int64_t)((uint64_t)sniff->width * sniff->height & INT64_MAX);
	const int64_t shorter = sniff->width < sniff->height ? sniff->width : sniff->height;
	return is_outside(size_bytes, 0, rule->size_max_bytes) ||
	       is_outside(sniff->width, rule->width_min, rule->width_max) ||
	       is_outside(sniff->height, rule->height_min, rule->height_max) ||
	       is_outside(shorter, 0, rule->shorter_side_max) ||
	       is_outside(pixels, 0, (int64_t)(rule->pixels_max & INT64_MAX));
}

static bool may_change_shape(enum media_fit fit)
{
	return fit == MEDIA_FIT_PAD || fit == MEDIA_FIT_CROP;
}

static struct fit_order order_of(const struct media_rule *rule, enum media_fit fit)
{
	struct fit_order order = {
		.bytes_max = rule->size_max_bytes,
		.width_min = rule->width_min,
		.width_max = rule->width_max,
		.height_min = rule->height_min,
		.height_max = rule->height_max,
		.shorter_side_max = rule->shorter_side_max,
		.pixels_max = (int64_t)(rule->pixels_max & INT64_MAX),
	};
	if (!may_change_shape(fit))
		return order;
	order.ratio_min_permille = rule->ratio_min_permille;
	order.ratio_max_permille = rule->ratio_max_permille;
	order.shape = fit == MEDIA_FIT_PAD ? FIT_SHAPE_PADDED : FIT_SHAPE_CROPPED;
	return order;
}

/* Nothing of it can be taken out, only left behind with the format. */
static bool tells_for_good(const struct sniff *sniff)
{
	return sniff->is_telling && (MEDIA_TYPE_BIT(sniff->type) & STRIPPABLE_TYPES) == 0;
}

enum media_fit_work media_fit_decide(const struct media_fit_subject *subject,
				     struct fit_order *order_out)
{
	const struct media_rule *rule = subject->rule;
	const struct sniff *sniff = subject->sniff;
	if (!sniff->is_image || subject->fit == MEDIA_FIT_OFF)
		return MEDIA_FIT_NOTHING;
	const bool is_readable = (MEDIA_TYPE_BIT(sniff->type) & READABLE_TYPES) != 0;
	const bool is_wanted = !takes(rule, sniff->type) || tells_for_good(sniff) ||
			       is_out_of_bounds(rule, sniff, subject->size_bytes) ||
			       (may_change_shape(subject->fit) && is_misshapen(rule, sniff));
	if (is_wanted && is_readable && !sniff->is_animated && takes(rule, SNIFF_JPEG)) {
		*order_out = order_of(rule, subject->fit);
		return MEDIA_FIT_ENCODE;
	}
	return sniff->is_telling && !tells_for_good(sniff) ? MEDIA_FIT_STRIP : MEDIA_FIT_NOTHING;
}

bool media_fit_takes_type(const struct media_rule *rule, enum sniff_type type, enum media_fit fit)
{
	return fit != MEDIA_FIT_OFF && type != SNIFF_GIF && takes(rule, SNIFF_JPEG) &&
	       (MEDIA_TYPE_BIT(type) & READABLE_TYPES) != 0;
}

bool media_fit_would_still(const struct media_rule *rule, const struct sniff *sniff)
{
	return sniff->is_image && sniff->is_animated && !takes(rule, sniff->type);
}

/* ---- a line ---- */

static struct str with_separator(struct arena *arena, struct str text, char from, char to)
{
	char *copy = str_z(arena, text);
	for (size_t i = 0; i < text.len; i++) {
		if (copy[i] == from)
			copy[i] = to;
	}
	return (struct str){copy, text.len};
}

struct str media_fit_line(struct arena *arena, const struct fit_order *order)
{
	char text[FIT_TEXT_MAX_BYTES];
	const size_t len = fit_order_write(order, text);
	return with_separator(arena, (struct str){text, len}, '\n', LINE_SEPARATOR);
}

bool media_fit_line_read(struct arena *arena, struct str line, struct fit_order *order_out)
{
	return line.len <= FIT_TEXT_MAX_BYTES &&
	       fit_order_read(with_separator(arena, line, LINE_SEPARATOR, '\n'), order_out);
}
