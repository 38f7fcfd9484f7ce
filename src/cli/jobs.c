/* SPDX-License-Identifier: Apache-2.0
 * See jobs.h. The answer of a child is a stranger's word: a file may have taken the child over. So
 * it is a few numbers, each checked, and of the one file only. */
#include "jobs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count_of.h"

#include "spawner.h"

#include "probe.h"

#include "service_private.h"

#define PROBE_SECONDS 10
#define PROBE_MEMORY_BYTES ((size_t)256 << 20)

enum job { JOB_PROBE };

/* What a child says of a media file. */
struct seen {
	uint32_t type;
	uint32_t is_animated;
	uint32_t width;
	uint32_t height;
	int64_t duration_ms;
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

static size_t probe(int file, char *answer)
{
	static char scratch[SNIFF_BYTES_WANTED];
	struct stat status;
	if (fstat(file, &status) != 0)
		return 0;
	const struct byte_source source = {(int64_t)status.st_size, read_at, &file};
	const struct sniff sniff = probe_media(&source, scratch);
	const struct seen seen = {(uint32_t)sniff.type, sniff.is_animated, sniff.width,
				  sniff.height, sniff.duration_ms};
	memcpy(answer, &seen, sizeof(seen));
	return sizeof(seen);
}

static const struct spawner_job jobs[] = {
	[JOB_PROBE] = {.run = probe, .seconds = PROBE_SECONDS, .memory_bytes = PROBE_MEMORY_BYTES},
};

int jobs_serve(void)
{
	return spawner_serve(jobs, COUNT_OF(jobs));
}

static bool take_over(const char *answer, size_t size, struct sniff *sniff_out)
{
	struct seen seen;
	if (size != sizeof(seen))
		return false;
	memcpy(&seen, answer, sizeof(seen));
	if (seen.type >= SNIFF_TYPE_COUNT || seen.duration_ms < 0)
		return false;
	sniff_set_type(sniff_out, (enum sniff_type)seen.type);
	sniff_out->is_animated = seen.is_animated != 0;
	sniff_out->width = seen.width;
	sniff_out->height = seen.height;
	sniff_out->duration_ms = seen.duration_ms;
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
