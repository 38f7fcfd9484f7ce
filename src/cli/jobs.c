/* SPDX-License-Identifier: Apache-2.0
 * See jobs.h. The answer of a child is a stranger's word: a file may have taken the child over. So
 * it is a few numbers, each checked, and of the one file only. */
#include "jobs.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count_of.h"

#include "spawner.h"

#include "film_order.h"
#include "fit_order.h"
#include "probe.h"
#include "strip.h"

#include "film_job.h"

#include "service_private.h"

#define PROBE_SECONDS 10
#define PROBE_MEMORY_BYTES ((size_t)256 << 20)

/* A picture of a hundred megapixels takes some seconds and some hundred megabytes. */
#define FIT_SECONDS 25
#define FIT_MEMORY_BYTES ((size_t)2 << 30)
#define FIT_PROGRAM "posthorn-fit"
#define STRIP_OUTPUT_FD 3

/* Several streams of 4K at once; what it may take of time is in each order. */
#define FILM_MEMORY_BYTES ((size_t)4 << 30)
#define FILM_GRACE_SECONDS 10 /* until the child that watches has said that time is up */
#define FILM_CHILD_SECONDS (8 * FILM_SECONDS_MAX)

enum job { JOB_PROBE, JOB_STRIP, JOB_FIT, JOB_FILM, JOB_COUNT };

/* What a child says of a media file. */
struct seen {
	uint32_t type;
	uint32_t is_animated;
	uint32_t is_telling;
	uint32_t width;
	uint32_t height;
	int64_t duration_ms;
	uint32_t video;
	uint32_t audio;
	uint32_t has_rare_colours;
	uint32_t is_index_last;
	uint32_t frame_rate_milli;
};

static bool read_at(void *context, int64_t at, char *out, size_t len)
{
	size_t total = 0;
	while (total < len) {
		const ssize_t count = pread(*(const int *)context, out + total, len - total,
					    (off_t)at + (off_t)total);
		if (count <= 0)
			return false;
		total += (size_t)count;
	}
	return true;
}

bool jobs_probe_here(void *context, int fd, struct sniff *sniff_out)
{
	char scratch[SNIFF_BYTES_WANTED];
	struct stat status;
	(void)context;
	*sniff_out = (struct sniff){0};
	sniff_set_type(sniff_out, SNIFF_UNKNOWN);
	if (fstat(fd, &status) != 0)
		return true;
	const struct byte_source source = {(int64_t)status.st_size, read_at, &fd};
	*sniff_out = probe_media(&source, scratch);
	return true;
}

static size_t probe(int file, char *answer)
{
	struct sniff sniff;
	struct stat status;
	if (fstat(file, &status) != 0 || !jobs_probe_here(NULL, file, &sniff))
		return 0;
	const struct film *film = &sniff.film;
	const struct seen seen = {
		(uint32_t)sniff.type,  sniff.is_animated,     sniff.is_telling,
		sniff.width,           sniff.height,          sniff.duration_ms,
		(uint32_t)film->video, (uint32_t)film->audio, film->has_rare_colours,
		film->is_index_last,   film->frame_rate_milli};
	memcpy(answer, &seen, sizeof(seen));
	return sizeof(seen);
}

/* ---- without what it tells ---- */

static bool write_out(void *context, const char *bytes, size_t len)
{
	(void)context;
	while (len > 0) {
		const ssize_t count = write(STRIP_OUTPUT_FD, bytes, len);
		if (count <= 0)
			return false;
		bytes += count;
		len -= (size_t)count;
	}
	return true;
}

/* One byte: 'y', or 'n' for a file that makes no sense. */
static size_t strip(int file, char *answer)
{
	static char scratch[SNIFF_BYTES_WANTED];
	struct stat status;
	if (fstat(file, &status) != 0)
		return 0;
	const struct byte_source source = {(int64_t)status.st_size, read_at, &file};
	const struct strip_sink sink = {write_out, NULL};
	const struct sniff sniff = probe_media(&source, scratch);
	answer[0] = strip_copy(&source, sniff.type, &sink) ? 'y' : 'n';
	return 1;
}

/* ---- the spawner's side ---- */

bool jobs_fit_program(char path[JOBS_PATH_BYTES])
{
	static const char installed[] = "/usr/libexec/posthorn/" FIT_PROGRAM;
	char own[JOBS_PATH_BYTES];
	const ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const char *end = len > 0 ? memrchr(own, '/', (size_t)len) : NULL;
	const int folder_len = end != NULL ? (int)(end - own) : 0;
	if (snprintf(path, JOBS_PATH_BYTES, "%.*s/" FIT_PROGRAM, folder_len, own) <
		    JOBS_PATH_BYTES &&
	    access(path, X_OK) == 0)
		return true;
	memcpy(path, installed, sizeof(installed));
	return access(path, X_OK) == 0;
}

int jobs_serve(void)
{
	char fit[JOBS_PATH_BYTES];
	const struct spawner_job jobs[JOB_COUNT] = {
		[JOB_PROBE] = {.run = probe,
			       .seconds = PROBE_SECONDS,
			       .memory_bytes = PROBE_MEMORY_BYTES},
		[JOB_STRIP] = {.run = strip,
			       .seconds = PROBE_SECONDS,
			       .memory_bytes = PROBE_MEMORY_BYTES},
		[JOB_FIT] = {.program = jobs_fit_program(fit) ? fit : NULL,
			     .seconds = FIT_SECONDS,
			     .memory_bytes = FIT_MEMORY_BYTES},
		[JOB_FILM] = {.run = film_job_run,
			      .starts_program = true,
			      .seconds = FILM_CHILD_SECONDS,
			      .memory_bytes = FILM_MEMORY_BYTES},
	};
	return spawner_serve(jobs, COUNT_OF(jobs));
}

/* ---- the service's side ---- */

static bool take_over(const char *answer, size_t size, struct sniff *sniff_out)
{
	struct seen seen;
	if (size != sizeof(seen))
		return false;
	memcpy(&seen, answer, sizeof(seen));
	if (seen.type >= SNIFF_TYPE_COUNT || seen.duration_ms < 0 ||
	    seen.video >= FILM_CODEC_COUNT || seen.audio >= FILM_CODEC_COUNT)
		return false;
	sniff_set_type(sniff_out, (enum sniff_type)seen.type);
	sniff_out->is_animated = seen.is_animated != 0;
	sniff_out->is_telling = seen.is_telling != 0;
	sniff_out->width = seen.width;
	sniff_out->height = seen.height;
	sniff_out->duration_ms = seen.duration_ms;
	sniff_out->film = (struct film){.video = (enum film_codec)seen.video,
					.audio = (enum film_codec)seen.audio,
					.has_rare_colours = seen.has_rare_colours != 0,
					.is_index_last = seen.is_index_last != 0,
					.frame_rate_milli = seen.frame_rate_milli};
	return true;
}

bool jobs_probe_media(void *context, int fd, struct sniff *sniff_out)
{
	const struct service *service = context;
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	*sniff_out = (struct sniff){0};
	sniff_set_type(sniff_out, SNIFF_UNKNOWN);
	const enum spawner_end end =
		spawner_run(service->settings->spawner, JOB_PROBE, &fd, 1, answer, &size);
	if (end == SPAWNER_GONE) {
		LOG(&service->log, ERROR, "spawner_gone",
		    log_str("meaning", STR("no media can be looked at: restart the service")));
		return false;
	}
	if (end == SPAWNER_FAILED || !take_over(answer, size, sniff_out))
		LOG(&service->log, WARN, "media_probe_failed",
		    log_str("meaning", STR("the parser died on a file, which is taken for one of "
					   "no known type")));
	return true;
}

/* ---- fitting ---- */

/* A file in memory with the order in it; -1 when there is none. */
static int order_open(const char *text, size_t len)
{
	const int fd = memfd_create("order", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, text, len) == (ssize_t)len)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static enum fitter_end ended(enum spawner_end end)
{
	static const enum fitter_end ends[] = {[SPAWNER_ANSWERED] = FITTER_ANSWERED,
					       [SPAWNER_FAILED] = FITTER_DIED,
					       [SPAWNER_GONE] = FITTER_GONE};
	return ends[end];
}

static enum fitter_end answered(const char *text, size_t size, struct fit_answer *answer_out)
{
	return fit_answer_read((struct str){text, size}, answer_out) ? FITTER_ANSWERED
								     : FITTER_DIED;
}

static enum fitter_end run_strip(const struct service *service, const struct fitter_work *work,
				 struct fitter_answer *answer_out)
{
	const int files[] = {work->in_fd, work->out_fd};
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	const enum spawner_end end = spawner_run(service->settings->spawner, JOB_STRIP, files,
						 COUNT_OF(files), answer, &size);
	answer_out->picture = (struct fit_answer){.outcome = FIT_BROKEN};
	if (end == SPAWNER_ANSWERED && size == 1 && answer[0] == 'y')
		answer_out->picture.outcome = FIT_DONE;
	return ended(end);
}

static enum fitter_end run_fit(const struct service *service, const struct fitter_work *work,
			       struct fitter_answer *answer_out)
{
	char text[FIGURES_MAX_BYTES];
	const int order = order_open(text, fit_order_write(work->order, text));
	const int files[] = {work->in_fd, work->out_fd, order};
	char path[JOBS_PATH_BYTES];
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	if (order < 0)
		return FITTER_DIED;
	const enum spawner_end end = spawner_run(service->settings->spawner, JOB_FIT, files,
						 COUNT_OF(files), answer, &size);
	close(order);
	if (end == SPAWNER_ANSWERED)
		return answered(answer, size, &answer_out->picture);
	return jobs_fit_program(path) ? ended(end) : FITTER_MISSING;
}

struct filming {
	const struct fitter_work *work;
	struct film_answer answer;
};

static enum spawner_heard hear_film(void *context, const char *packet, size_t size)
{
	struct filming *filming = context;
	if (size > 0 && !film_answer_read((struct str){packet, size}, &filming->answer))
		return SPAWNER_GIVE_UP;
	if (size > 0 && filming->answer.outcome != FILM_UNDER_WAY)
		return SPAWNER_HAS_ANSWER;
	return filming->work->note(filming->work->note_context, filming->answer.at_ms)
		       ? SPAWNER_GO_ON
		       : SPAWNER_GIVE_UP;
}

static enum fitter_end run_film(const struct service *service, const struct fitter_work *work,
				struct fitter_answer *answer_out)
{
	char text[FIGURES_MAX_BYTES];
	const int order = order_open(text, film_order_write(work->film, text));
	const int files[] = {work->in_fd, work->out_fd, order};
	struct filming filming = {work, {FILM_UNDER_WAY, 0}};
	const struct spawner_order asked = {JOB_FILM, files, COUNT_OF(files)};
	const struct spawner_watch watch = {
		.longest_ms = (work->film->seconds_max + FILM_GRACE_SECONDS) * 1000,
		.hear = hear_film,
		.context = &filming};
	if (order < 0)
		return FITTER_DIED;
	const enum spawner_end end = spawner_watch(service->settings->spawner, &asked, &watch);
	close(order);
	answer_out->film = filming.answer;
	return ended(end);
}

static enum fitter_end run_any(const struct service *service, const struct fitter_work *work,
			       struct fitter_answer *answer_out)
{
	if (work->film != NULL)
		return run_film(service, work, answer_out);
	return work->order == NULL ? run_strip(service, work, answer_out)
				   : run_fit(service, work, answer_out);
}

enum fitter_end jobs_fit(void *context, const struct fitter_work *work,
			 struct fitter_answer *answer_out)
{
	static const char *const meanings[] = {
		[FITTER_DIED] = "the decoder died on a file, which is refused",
		[FITTER_MISSING] = "posthorn-fit lies neither beside this program nor in "
				   "/usr/libexec/posthorn: no picture can be re-encoded",
		[FITTER_GONE] = "no file can be looked at: restart the service"};
	const struct service *service = context;
	const enum fitter_end end = run_any(service, work, answer_out);
	if (end != FITTER_ANSWERED)
		LOG(&service->log, WARN, "fit_failed", log_str("meaning", str_of(meanings[end])));
	return end;
}
