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

/* ---- films ---- */

/* What is read of films, and what an MP4 takes as it is. */
#define READABLE_FILMS \
	(MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV) | MEDIA_TYPE_BIT(SNIFF_WEBM) | \
	 MEDIA_TYPE_BIT(SNIFF_MKV))
#define COPIED_VIDEOS (FILM_CODEC_BIT(FILM_CODEC_H264) | FILM_CODEC_BIT(FILM_CODEC_HEVC))
#define COPIED_AUDIOS \
	(FILM_CODEC_BIT(FILM_CODEC_AAC) | FILM_CODEC_BIT(FILM_CODEC_MP3) | \
	 FILM_CODEC_BIT(FILM_CODEC_NONE))
#define AUDIO_BITS_S 128000
#define VIDEO_LEAST_BITS_S 250000 /* below it there is more to see of the coding than of the film */
#define VIDEO_MOST_BITS_S 20000000
#define SIZE_USED_PERCENT 93 /* of the limit: a rate is kept on average only */

static const struct film_rule any_film = {.videos = 0};

static const struct film_rule *film_rule_of(const struct media_rule *rule)
{
	return rule->film != NULL ? rule->film : &any_film;
}

static bool is_among(unsigned codecs, enum film_codec codec)
{
	return (codecs & FILM_CODEC_BIT(codec)) != 0;
}

/* Nothing that is made of it would be taken: no film is cut, stretched or enlarged. */
static bool is_hopeless(const struct media_rule *rule, const struct sniff *sniff,
			int64_t size_bytes)
{
	return !takes(rule, SNIFF_MP4) || is_misshapen(rule, sniff) ||
	       is_outside(size_bytes, rule->size_min_bytes, 0) ||
	       is_outside(sniff->duration_ms, rule->duration_min_ms, rule->duration_max_ms) ||
	       is_outside(sniff->width, rule->width_min, 0) ||
	       is_outside(sniff->height, rule->height_min, 0);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Most of the size that is taken, as a part of it; 0 = no limit. */
static double part_of(double actual, double max)
{
	return max > 0 && actual > max ? max / actual : 1;
}

/* No platform counts the pixels of a film. */
static double film_scale(const struct media_rule *rule, const struct sniff *sniff)
{
	const double width = sniff->width;
	const double height = sniff->height;
	double scale = part_of(width, rule->width_max);
	scale = least(scale, part_of(width, film_rule_of(rule)->width_max));
	scale = least(scale, part_of(height, rule->height_max));
	return least(scale, part_of(least(width, height), rule->shorter_side_max));
}

static bool is_too_fast(const struct media_rule *rule, const struct film *film)
{
	const uint32_t max = film_rule_of(rule)->frame_rate_max;
	/* "60" is said of 60.05 too, which is what a phone makes of it. */
	return max > 0 && film->frame_rate_milli > max * 1000 + 500;
}

static bool may_copy_video(const struct media_fit_subject *subject)
{
	const struct media_rule *rule = subject->rule;
	const struct film *film = &subject->sniff->film;
	const struct film_rule *wanted = film_rule_of(rule);
	return (wanted->videos == 0 || is_among(wanted->videos, film->video)) &&
	       !(wanted->wants_common_colours && film->has_rare_colours) &&
	       !is_too_fast(rule, film) && film_scale(rule, subject->sniff) >= 1 &&
	       !is_outside(subject->size_bytes, 0, rule->size_max_bytes);
}

static bool may_copy_audio(const struct media_fit_subject *subject)
{
	const enum film_codec audio = subject->sniff->film.audio;
	const unsigned wanted = film_rule_of(subject->rule)->audios;
	return wanted == 0 || audio == FILM_CODEC_NONE || audio == FILM_CODEC_UNKNOWN ||
	       is_among(wanted, audio);
}

/* Neither its container nor a stream has to change. */
static bool is_fine(const struct media_fit_subject *subject)
{
	const struct media_rule *rule = subject->rule;
	const bool has_place =
		film_rule_of(rule)->wants_index_first && subject->sniff->film.is_index_last;
	return takes(rule, subject->sniff->type) && !has_place && may_copy_video(subject) &&
	       may_copy_audio(subject);
}

/* What the film may have of bits a second; 0 = no limit, -1 = too few. */
static int64_t video_bits_s(const struct media_fit_subject *subject)
{
	const int64_t max_bytes = subject->rule->size_max_bytes;
	const int64_t duration_ms = subject->sniff->duration_ms;
	if (max_bytes == 0 || duration_ms == 0)
		return max_bytes == 0 ? 0 : VIDEO_MOST_BITS_S;
	const int64_t all = max_bytes / 100 * SIZE_USED_PERCENT * 8 / duration_ms * 1000;
	const int64_t bits = all - AUDIO_BITS_S;
	if (bits < VIDEO_LEAST_BITS_S)
		return -1;
	return bits < VIDEO_MOST_BITS_S ? bits : VIDEO_MOST_BITS_S;
}

static int64_t even(double side)
{
	const int64_t whole = (int64_t)side / 2 * 2;
	return whole < 2 ? 2 : whole;
}

static struct film_order film_order_of(const struct media_fit_subject *subject)
{
	const struct sniff *sniff = subject->sniff;
	const double scale = film_scale(subject->rule, sniff);
	const bool is_matroska = sniff->type == SNIFF_WEBM || sniff->type == SNIFF_MKV;
	struct film_order order = {
		.is_matroska = is_matroska,
		.copies_video =
			may_copy_video(subject) && is_among(COPIED_VIDEOS, sniff->film.video),
		.copies_audio =
			may_copy_audio(subject) && is_among(COPIED_AUDIOS, sniff->film.audio),
		.is_hevc = sniff->film.video == FILM_CODEC_HEVC,
		.frame_rate_max = is_too_fast(subject->rule, &sniff->film)
					  ? film_rule_of(subject->rule)->frame_rate_max
					  : 0,
		.bytes_max = subject->rule->size_max_bytes,
		.duration_ms = sniff->duration_ms,
		.seconds_max = FILM_SECONDS_MAX,
	};
	if (scale < 1) {
		order.width = even(sniff->width * scale);
		order.height = even(sniff->height * scale);
	}
	return order;
}

static bool wants_film(const struct media_fit_subject *subject, struct film_order *order_out)
{
	const struct sniff *sniff = subject->sniff;
	if (subject->film_mode == FILM_MODE_OFF ||
	    (MEDIA_TYPE_BIT(sniff->type) & READABLE_FILMS) == 0 ||
	    sniff->film.video <= FILM_CODEC_NONE || sniff->width > FILM_SIDE_MAX ||
	    sniff->height > FILM_SIDE_MAX ||
	    is_hopeless(subject->rule, sniff, subject->size_bytes) || is_fine(subject))
		return false;
	struct film_order order = film_order_of(subject);
	const int64_t bits_s = video_bits_s(subject);
	const bool is_copy = order.copies_video && order.copies_audio;
	if ((!is_copy && subject->film_mode == FILM_MODE_REMUX) ||
	    (!order.copies_video && bits_s < 0))
		return false;
	order.video_bits_s = order.copies_video ? 0 : bits_s;
	*order_out = order;
	return true;
}

bool media_fit_takes_film(const struct media_rule *rule, enum sniff_type type, enum media_fit fit,
			  enum film_mode film_mode)
{
	/* What a WebM holds is in no MP4 without being coded anew. */
	const unsigned readable = film_mode == FILM_MODE_TRANSCODE
					  ? READABLE_FILMS
					  : READABLE_FILMS & ~MEDIA_TYPE_BIT(SNIFF_WEBM);
	return film_mode != FILM_MODE_OFF && fit != MEDIA_FIT_OFF && takes(rule, SNIFF_MP4) &&
	       (MEDIA_TYPE_BIT(type) & readable) != 0;
}

/* ---- either ---- */

enum media_fit_work media_fit_decide(const struct media_fit_subject *subject,
				     struct media_fit_order *order_out)
{
	const struct media_rule *rule = subject->rule;
	const struct sniff *sniff = subject->sniff;
	if (subject->fit == MEDIA_FIT_OFF)
		return MEDIA_FIT_NOTHING;
	if (sniff->is_video)
		return wants_film(subject, &order_out->film) ? MEDIA_FIT_FILM : MEDIA_FIT_NOTHING;
	if (!sniff->is_image)
		return MEDIA_FIT_NOTHING;
	const bool is_readable = (MEDIA_TYPE_BIT(sniff->type) & READABLE_TYPES) != 0;
	const bool is_wanted = !takes(rule, sniff->type) || tells_for_good(sniff) ||
			       is_out_of_bounds(rule, sniff, subject->size_bytes) ||
			       (may_change_shape(subject->fit) && is_misshapen(rule, sniff));
	if (is_wanted && is_readable && !sniff->is_animated && takes(rule, SNIFF_JPEG)) {
		order_out->picture = order_of(rule, subject->fit);
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

struct str media_fit_film_line(struct arena *arena, const struct film_order *order)
{
	char text[FIGURES_MAX_BYTES];
	const size_t len = film_order_write(order, text);
	return with_separator(arena, (struct str){text, len}, '\n', LINE_SEPARATOR);
}

bool media_fit_film_line_read(struct arena *arena, struct str line, struct film_order *order_out)
{
	return str_has_prefix(line, STR("film ")) &&
	       film_order_read(with_separator(arena, line, LINE_SEPARATOR, '\n'), order_out);
}
