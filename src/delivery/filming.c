/* SPDX-License-Identifier: Apache-2.0
 * What is particular about films among the files that are made fit (fitting.c): what came of one,
 * in words. */
#include "delivery_private.h"

#include <inttypes.h>

#include "film_order.h"

#include "fitter.h"

#define BROKEN "broken_video"
#define SPAWNER_WAIT_MS (30 * INT64_C(1000))
/* Of the end of a film as much may go: a stream is often a little longer than the other. */
#define SHORTER_MAX_MS 1500
#define SHORTER_MAX_PERCENT 3

struct str filming_codecs(struct arena *arena, const struct film *film)
{
	const char *video = film_codec_name(film->video);
	const char *audio = film_codec_name(film->audio);
	if (video[0] == '\0')
		return STR("");
	return str_format(arena, " (%s%s%s)", video, audio[0] != '\0' ? ", " : "", audio);
}

struct str filming_complaint(struct arena *arena, const struct film_order *order,
			     const struct sniff *made)
{
	const bool is_film = made->type == SNIFF_MP4 && !made->film.is_index_last &&
			     (order->copies_video || made->film.video == FILM_CODEC_H264);
	const int64_t missing_ms = order->duration_ms - made->duration_ms;
	if (!is_film || made->duration_ms == 0)
		return STR("could not be converted: no video came of it.");
	if (missing_ms > SHORTER_MAX_MS &&
	    missing_ms * 100 > order->duration_ms * SHORTER_MAX_PERCENT)
		return str_format(
			arena, "is broken: of its %" PRId64 " s only %" PRId64 " s can be decoded.",
			order->duration_ms / 1000, made->duration_ms / 1000);
	return STR("");
}

/* The sentence says the limit; the code is that of a file that is over it. */
static enum next too_large(struct delivery_task *t, size_t index, const struct film_order *order)
{
	return fitting_reject(t, index, "media_too_large",
			      str_format(t->turn.arena,
					 "would be larger than the platform's limit of %" PRId64
					 " bytes when it is converted: make it shorter or smaller.",
					 order->bytes_max));
}

static enum next too_slow(struct delivery_task *t, size_t index, const struct film_order *order)
{
	return fitting_reject(t, index, "conversion_too_slow",
			      str_format(t->turn.arena,
					 "could not be converted within %" PRId64
					 " s, which is as long as this service takes "
					 "(fit-video-seconds). Give a file that the platform takes "
					 "as it is, or a shorter one.",
					 order->seconds_max));
}

enum next filming_not_made(struct delivery_task *t, size_t index, const struct film_order *order,
			   const struct fitter_result *result)
{
	if (result->end == FITTER_GONE)
		return verdict_wait(t, SPAWNER_WAIT_MS);
	if (result->end == FITTER_DIED)
		return fitting_reject(t, index, BROKEN,
				      STR("could not be converted: ffmpeg failed on it."));
	switch (result->end == FITTER_MISSING ? FILM_MISSING : result->answer.film.outcome) {
	case FILM_TOO_SLOW:
		return too_slow(t, index, order);
	case FILM_TOO_LARGE:
		return too_large(t, index, order);
	case FILM_NO_ENCODER:
		return fitting_keep_original(t, index,
					     "It could not be converted: the ffmpeg of this "
					     "service has no encoder for H.264 or AAC.");
	case FILM_MISSING:
		return fitting_keep_original(t, index,
					     "It could not be converted: ffmpeg is not installed "
					     "beside this service.");
	case FILM_NO_SPACE:
		return fitting_try_later(
			t, index, STR("could not be converted: the disk of this service is full."));
	case FILM_UNREADABLE:
		return fitting_keep_original(t, index,
					     "It could not be converted: this service does not "
					     "read what it is coded as.");
	case FILM_BROKEN:
	case FILM_UNDER_WAY:
	case FILM_DONE:
	case FILM_OUTCOME_COUNT:
		break;
	}
	return fitting_reject(t, index, BROKEN,
			      STR("is broken, or no video: it cannot be decoded."));
}
