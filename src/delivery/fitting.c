/* SPDX-License-Identifier: Apache-2.0
 * Pictures and films made fit for a platform (api-decisions.md 11). What an adapter asked for
 * stands in the flow, so that a delivery that goes on after a restart uploads the same bytes: a
 * list of lines "INDEX;ORDER;FROM;TO", where ORDER is media_fit_line(), media_fit_film_line() or
 * "strip". What is made lies in the spool beside the original, once for all deliveries of the post
 * that ask for the same. */
#include "delivery_private.h"

#include <inttypes.h>

#include "buf.h"
#include "fnv.h"

#include "media_fit.h"

#include "fitter.h"

#define FLOW_FITS "delivery.fits"
#define STRIP "strip"
#define POLL_US (40 * US_PER_MS)
#define FILM_POLL_US (300 * US_PER_MS)
#define BUSY_US (60 * US_PER_S)
#define FITS_MAX_BYTES (1 << 16)
#define LINE_FIELDS 4

enum field { FIELD_INDEX, FIELD_ORDER, FIELD_FROM, FIELD_TO };

struct fit_line {
	size_t index;
	struct str order;
	struct str from;
	struct str to; /* empty = not made yet */
};

/* ---- the list ---- */

static bool line_read(struct str *in, struct fit_line *line_out)
{
	struct str line, fields[LINE_FIELDS];
	uint64_t index;
	if (str_is_empty(*in) || !str_take_field(in, '\n', &line))
		return false;
	for (size_t i = 0; i < LINE_FIELDS; i++) {
		if (!str_take_field(&line, ';', &fields[i]))
			return false;
	}
	if (!str_parse_u64(fields[FIELD_INDEX], &index))
		return false;
	*line_out = (struct fit_line){(size_t)index, fields[FIELD_ORDER], fields[FIELD_FROM],
				      fields[FIELD_TO]};
	return true;
}

static bool line_find(const struct delivery_task *t, size_t index, struct fit_line *line_out)
{
	struct str list = flow_get(&t->flow, FLOW_FITS);
	while (line_read(&list, line_out)) {
		if (line_out->index == index)
			return true;
	}
	return false;
}

/* Puts a line in place of that index's. */
static void line_put(struct delivery_task *t, const struct fit_line *line)
{
	struct str list = flow_get(&t->flow, FLOW_FITS);
	struct fit_line other;
	struct buf out;
	buf_init(&out, t->turn.arena, FITS_MAX_BYTES);
	while (line_read(&list, &other)) {
		if (other.index != line->index)
			buf_addf(&out, "%zu;" STR_FMT ";" STR_FMT ";" STR_FMT "\n", other.index,
				 STR_ARG(other.order), STR_ARG(other.from), STR_ARG(other.to));
	}
	buf_addf(&out, "%zu;" STR_FMT ";" STR_FMT ";" STR_FMT "\n", line->index,
		 STR_ARG(line->order), STR_ARG(line->from), STR_ARG(line->to));
	flow_set(&t->flow, FLOW_FITS, buf_str(&out));
}

/* "image/png, 4000 x 3000, 5242880 bytes"; of a film "video/webm (vp9, opus), ..." */
static struct str described(struct delivery_task *t, const struct sniff *sniff, int64_t size_bytes)
{
	const struct str codecs = filming_codecs(t->turn.arena, &sniff->film);
	const struct str size = sniff->width > 0 ? str_format(t->turn.arena, ", %u x %u",
							      sniff->width, sniff->height)
						 : STR("");
	return str_format(t->turn.arena, "%s" STR_FMT STR_FMT ", %" PRId64 " bytes",
			  sniff->mime_type, STR_ARG(codecs), STR_ARG(size), size_bytes);
}

static struct str order_line(struct delivery_task *t, const struct step *step)
{
	if (step->fit == MEDIA_FIT_STRIP)
		return STR(STRIP);
	return step->fit == MEDIA_FIT_FILM
		       ? media_fit_film_line(t->turn.arena, &step->fit_order.film)
		       : media_fit_line(t->turn.arena, &step->fit_order.picture);
}

void fitting_note(struct delivery_task *t, const struct step *step)
{
	const struct media_file *file = &t->media.files[step->media_index];
	const struct fit_line line = {
		.index = step->media_index,
		.order = order_line(t, step),
		.from = described(t, &file->sniff, file->size_bytes),
	};
	line_put(t, &line);
}

/* ---- what came of it ---- */

/* As people count; of files that the post does not number, no more than that. */
static struct str name_of(const struct delivery_task *t, size_t index)
{
	return index < t->media.count ? str_format(t->turn.arena, "Media file %zu", index + 1)
				      : STR("A thumbnail or other additional file");
}

enum next fitting_reject(struct delivery_task *t, size_t index, const char *platform_code,
			 struct str why)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_MEDIA_REJECTED,
		.platform_code = str_of(platform_code),
		.message = str_format(t->turn.arena, STR_FMT " " STR_FMT,
				      STR_ARG(name_of(t, index)), STR_ARG(why)),
	};
	return verdict_failure(t, &failure);
}

static enum next reject(struct delivery_task *t, size_t index, const char *platform_code,
			const char *why)
{
	return fitting_reject(t, index, platform_code, str_of(why));
}

enum next fitting_try_later(struct delivery_task *t, size_t index, struct str why)
{
	const struct failure failure = {
		.class = FAILURE_TRANSIENT,
		.code = FAILURE_CODE_MEDIA_UNREACHABLE,
		.message = str_format(t->turn.arena, STR_FMT " " STR_FMT,
				      STR_ARG(name_of(t, index)), STR_ARG(why)),
	};
	return verdict_failure(t, &failure);
}

enum next fitting_keep_original(struct delivery_task *t, size_t index, const char *why)
{
	t->media.files[index].is_fitted = true;
	t->media.files[index].fit_note = str_copy(t->arena, str_of(why));
	return NEXT_ASK;
}

static enum next not_made(struct delivery_task *t, size_t index, const struct fitter_result *result)
{
	if (result->end == FITTER_MISSING)
		return fitting_keep_original(
			t, index,
			"It could not be re-encoded: posthorn-fit is not installed "
			"beside this service.");
	if (result->end == FITTER_GONE)
		return verdict_wait(t, 30 * 1000);
	if (result->end == FITTER_DIED)
		return reject(t, index, "broken_image",
			      "could not be re-encoded: its decoder failed, or took too long.");
	switch (result->answer.picture.outcome) {
	case FIT_BROKEN:
		return reject(t, index, "broken_image", "is broken: it cannot be decoded.");
	case FIT_ANIMATED:
		return reject(t, index, "animated_image",
			      "moves, and would stand still as the JPEG that the platform takes.");
	case FIT_TOO_LARGE:
		return reject(t, index, "broken_image", "has more than 200 million pixels.");
	case FIT_IMPOSSIBLE:
	case FIT_DONE:
		break;
	}
	return fitting_keep_original(t, index,
				     "It could not be re-encoded within the platform's limits.");
}

static void write_timeline(struct delivery_task *t, const struct fit_line *line)
{
	if (t->turn.timeline_count == TIMELINE_PER_TURN_MAX)
		return;
	t->turn.timeline[t->turn.timeline_count++] = (struct timeline_entry){
		.at_us = t->env.now_us,
		.stage = STR("fit"),
		.verdict = STR("ok"),
		.decision = str_is_empty(line->to)
				    ? str_format(t->turn.arena,
						 STR_FMT ": removed what it tells of place and "
							 "camera",
						 STR_ARG(name_of(t, line->index)))
				    : str_format(t->turn.arena, STR_FMT ": " STR_FMT " to " STR_FMT,
						 STR_ARG(name_of(t, line->index)),
						 STR_ARG(line->from), STR_ARG(line->to)),
	};
}

static enum next made(struct delivery_task *t, struct fit_line *line, struct str key,
		      const struct spool_file *file)
{
	struct film_order film;
	if (media_fit_film_line_read(t->turn.arena, line->order, &film)) {
		const struct str wrong = filming_complaint(t->turn.arena, &film, &file->sniff);
		if (!str_is_empty(wrong))
			return fitting_reject(t, line->index, "broken_video", wrong);
	}
	const bool is_new = !str_equal_z(line->order, STRIP) && str_is_empty(line->to);
	media_ready(t, line->index, key, file);
	t->media.files[line->index].is_fitted = true;
	t->media.files[line->index].is_changed = true;
	if (is_new) {
		line->to = described(t, &file->sniff, file->size_bytes);
		line_put(t, line);
	}
	return NEXT_ASK;
}

/* ---- making ---- */

static enum next wait(struct delivery_task *t, int64_t poll_us)
{
	const enum next next = verdict_sleep(t, t->env.now_us + poll_us, t->env.now_us + BUSY_US);
	t->turn.is_quiet = t->turn.is_woken && t->turn.timeline_count == 0 &&
			   !t->turn.has_new_extra && t->held_until_us >= t->save.lease_until_us;
	return next;
}

static enum next keep(struct delivery_task *t, struct fit_line *line, struct str key,
		      const struct fitter_result *result)
{
	struct spool_file file;
	struct error err = {0};
	if (spool_made_finish(t->deliverer->config.spool, t->turn.arena, key, result->sha256, &file,
			      &err) == ERR_NONE) {
		const enum next next = made(t, line, key, &file);
		write_timeline(t, line);
		return next;
	}
	return fitting_try_later(
		t, line->index, str_format(t->turn.arena, "could not be re-encoded: %s", err.text));
}

/* PLANNED: it is not made yet, or cannot be. */
static enum next make_film(struct delivery_task *t, struct fit_line *line,
			   const struct fitter_job *job, struct film_order *film)
{
	const int64_t seconds_max = t->deliverer->config.film_seconds_max;
	struct fitter_job whole = *job;
	struct fitter_result result;
	film->seconds_max = seconds_max > 0 ? seconds_max : FILM_SECONDS_MAX;
	whole.film = film;
	if (fitter_ask(t->deliverer->filmer, &whole, &result) == FITTER_UNDER_WAY)
		return wait(t, FILM_POLL_US);
	if (result.end == FITTER_ANSWERED && result.answer.film.outcome == FILM_DONE)
		return keep(t, line, job->key, &result);
	spool_made_drop(t->deliverer->config.spool, t->turn.arena, job->key);
	return filming_not_made(t, line->index, film, &result);
}

static enum next make(struct delivery_task *t, struct fit_line *line, struct str key)
{
	struct fit_order order = {0};
	struct film_order film;
	struct fitter_result result;
	struct error err = {0};
	const bool is_strip = str_equal_z(line->order, STRIP);
	const bool is_film = media_fit_film_line_read(t->turn.arena, line->order, &film);
	const char *out = NULL;
	if ((!is_strip && !is_film && !media_fit_line_read(t->turn.arena, line->order, &order)) ||
	    spool_made_begin(t->deliverer->config.spool, t->turn.arena, key, &out, &err) !=
		    ERR_NONE)
		return fitting_keep_original(t, line->index, "It could not be re-encoded.");
	const struct fitter_job job = {.key = key,
				       .owner = t->work.app_id,
				       .asker = t->work.id,
				       .in_path = t->media.paths[line->index],
				       .out_path = out,
				       .order = is_strip || is_film ? NULL : &order};
	if (is_film)
		return make_film(t, line, &job, &film);
	if (fitter_ask(t->deliverer->fitter, &job, &result) == FITTER_UNDER_WAY)
		return wait(t, POLL_US);
	if (result.end == FITTER_ANSWERED && result.answer.picture.outcome == FIT_DONE)
		return keep(t, line, key, &result);
	spool_made_drop(t->deliverer->config.spool, t->turn.arena, key);
	/* Only its pixels are wanted as they are: a file that is not taken apart is judged as it
	 * is by the platform. */
	return is_strip ? reject(t, line->index, "broken_image", "is broken: it cannot be read.")
			: not_made(t, line->index, &result);
}

enum next fitting_apply(struct delivery_task *t, size_t index, struct str original_key)
{
	struct fit_line line;
	struct spool_file file;
	if (t->media.files[index].is_fitted || !line_find(t, index, &line))
		return NEXT_ASK;
	const struct str key = str_format(t->turn.arena, STR_FMT "-f%08x", STR_ARG(original_key),
					  (unsigned)fnv_hash(line.order));
	if (spool_find(t->deliverer->config.spool, t->turn.arena, key, &file))
		return made(t, &line, key, &file);
	if (verdict_gives_back(t))
		return NEXT_PLANNED;
	return make(t, &line, key);
}

/* ---- for the record ---- */

/* "media.0.url", or that of the container. */
static struct str field_of(const struct delivery_task *t, size_t index)
{
	const struct post_content *post = &t->content;
	size_t container = 0;
	if (index >= t->media.count)
		return STR("platforms");
	while (post_media_base(post, container + 1) <= index)
		container++;
	const size_t at = index - post_media_base(post, container);
	return post->mode == POST_MODE_BASIC
		       ? str_format(t->turn.arena, "media.%zu.url", at)
		       : str_format(t->turn.arena, "containers.%zu.media.%zu.url", container, at);
}

bool fitting_next_warning(const struct delivery_task *t, struct str *cursor,
			  struct fitting_warning *warning_out)
{
	struct fit_line line;
	if (cursor->ptr == NULL)
		*cursor = flow_get(&t->flow, FLOW_FITS);
	while (line_read(cursor, &line)) {
		if (str_is_empty(line.to))
			continue;
		*warning_out = (struct fitting_warning){
			.field = field_of(t, line.index), .from = line.from, .to = line.to};
		return true;
	}
	return false;
}
