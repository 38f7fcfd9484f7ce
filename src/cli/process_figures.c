/* SPDX-License-Identifier: Apache-2.0
 * See process_figures.h. The fields of /proc/self/stat and /proc/stat are in proc(5). */
#include "process_figures.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"

/* Behind the command's name, which is in parentheses: 1 is the state. */
enum stat_field {
	STAT_USER_TICKS = 12,
	STAT_SYSTEM_TICKS = 13,
	STAT_THREADS = 18,
	STAT_START_TICKS = 20,
	STAT_VIRTUAL_BYTES = 21,
	STAT_RESIDENT_PAGES = 22
};

static bool read_text(const char *path, char *out, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t length = read(fd, out, size - 1);
	close(fd);
	out[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* 0 when it is not there. */
static int64_t field_of(const char *text, enum stat_field field)
{
	int64_t value = 0;
	for (int i = 1; i < (int)field && text != NULL; i++) {
		text = strchr(text, ' ');
		text = text != NULL ? text + 1 : NULL;
	}
	return text != NULL && sscanf(text, "%" SCNd64, &value) == 1 ? value : 0;
}

static int64_t us_of_ticks(int64_t ticks)
{
	return ticks * US_PER_S / sysconf(_SC_CLK_TCK);
}

/* Our own clock is not the kernel's: what has passed since is the same by both. */
static int64_t started_at_us(int64_t start_ticks)
{
	const struct clock *clock = clock_system();
	return clock_now_us(clock) - (clock_boot_us(clock) - us_of_ticks(start_ticks));
}

static int64_t count_open(void)
{
	int64_t count = 0;
	DIR *directory = opendir("/proc/self/fd");
	if (directory == NULL)
		return 0;
	const struct dirent *entry;
	while ((entry = readdir(directory)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count - 1; /* without this look's own */
}

void process_figures_read(struct api_process *out)
{
	char text[1024];
	struct rlimit limit;
	*out = (struct api_process){.open_fds = count_open()};
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		out->max_fds = (int64_t)limit.rlim_cur;
	const char *rest = NULL;
	if (read_text("/proc/self/stat", text, sizeof(text)))
		rest = strrchr(text, ')');
	if (rest == NULL)
		return;
	rest += 2;
	out->cpu_us =
		us_of_ticks(field_of(rest, STAT_USER_TICKS) + field_of(rest, STAT_SYSTEM_TICKS));
	out->threads = field_of(rest, STAT_THREADS);
	out->started_at_us = started_at_us(field_of(rest, STAT_START_TICKS));
	out->virtual_bytes = field_of(rest, STAT_VIRTUAL_BYTES);
	out->resident_bytes = field_of(rest, STAT_RESIDENT_PAGES) * sysconf(_SC_PAGESIZE);
}
