/* SPDX-License-Identifier: Apache-2.0
 * See systemd.h. */
#include "systemd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "str.h"

#include "http_listen.h"

#include "heartbeat.h"
#include "settings.h"

#define FIRST_FD 3 /* sd_listen_fds(3): SD_LISTEN_FDS_START */
#define SOCKETS_MAX 8
#define ADDRESS_MAX_BYTES 64

/* ---- telling ---- */

void systemd_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (path == NULL || strlen(path) >= sizeof(address.sun_path) || strlen(path) < 2)
		return;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@') /* an abstract name */
		address.sun_path[0] = '\0';
	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
	close(fd);
}

void systemd_notify_reloading(void)
{
	struct timespec now;
	char state[64];
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		 (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000);
	systemd_notify(state);
}

/* ---- sockets ---- */

/* The listener of a socket with this name. A second one without such a name is nobody's. */
static enum setting_id listener_of(struct str name, const struct settings *settings)
{
	if (str_equal_z(name, "metrics"))
		return SETTING_ID_metrics_listen;
	if (str_equal_z(name, "dashboard"))
		return SETTING_ID_dashboard_listen;
	return settings->values[SETTING_ID_listen].listen_fd == 0 ? SETTING_ID_listen
								  : SETTING_COUNT;
}

static enum err_kind take_socket(struct settings *settings, int fd, struct str name,
				 struct error *err)
{
	const enum setting_id id = listener_of(name, settings);
	char address[ADDRESS_MAX_BYTES];
	/* One that nobody accepts from would leave its clients waiting. */
	if (id == SETTING_COUNT || settings->values[id].listen_fd != 0)
		return error_set(err, ERR_INVALID,
				 "more sockets were handed over than there are listeners: name the "
				 "others metrics or dashboard (FileDescriptorName=)");
	if (!http_listen_address(fd, address, sizeof(address)))
		return error_set(err, ERR_INVALID,
				 "the socket that was handed over (descriptor %d) is no listening "
				 "TCP socket",
				 fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	settings->values[id].listen_fd = fd;
	settings->values[id].text = str_z(settings->arena, str_of(address));
	return ERR_NONE;
}

enum err_kind systemd_take_sockets(struct settings *settings, struct error *err)
{
	const char *pid = getenv("LISTEN_PID");
	const char *count_text = getenv("LISTEN_FDS");
	const char *names = getenv("LISTEN_FDNAMES");
	struct str rest = names != NULL ? str_copy(settings->arena, str_of(names)) : STR("");
	uint64_t owner = 0;
	uint64_t count = 0;
	const bool is_ours = pid != NULL && count_text != NULL &&
			     str_parse_u64(str_of(pid), &owner) && owner == (uint64_t)getpid() &&
			     str_parse_u64(str_of(count_text), &count);
	enum err_kind kind = ERR_NONE;
	if (is_ours && count > SOCKETS_MAX)
		kind = error_set(err, ERR_INVALID, "%" PRIu64 " sockets were handed over: too many",
				 count);
	for (uint64_t i = 0; is_ours && i < count && kind == ERR_NONE; i++) {
		struct str name = STR("");
		if (rest.ptr != NULL)
			str_take_field(&rest, ':', &name);
		kind = take_socket(settings, FIRST_FD + (int)i, name, err);
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return kind;
}

/* ---- the watchdog ---- */

struct watchdog {
	bool (*is_well)(void *context);
	void *context;
	struct heartbeat *heartbeat;
};

static void beat(void *context)
{
	const struct watchdog *watchdog = context;
	if (watchdog->is_well(watchdog->context))
		systemd_notify("WATCHDOG=1");
}

enum err_kind systemd_watchdog_start(bool (*is_well)(void *context), void *context,
				     struct watchdog **out, struct error *err)
{
	const char *text = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t owner = 0;
	int64_t every_us = 0;
	const bool is_ours =
		pid == NULL || (str_parse_u64(str_of(pid), &owner) && owner == (uint64_t)getpid());
	*out = NULL;
	if (text == NULL || !is_ours || !str_parse_i64(str_of(text), &every_us) ||
	    every_us < 2 * US_PER_MS)
		return ERR_NONE;
	struct watchdog *watchdog = calloc(1, sizeof(*watchdog));
	if (watchdog == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the watchdog");
	*watchdog = (struct watchdog){.is_well = is_well, .context = context};
	const enum err_kind kind = heartbeat_start(every_us / 2 / US_PER_MS, beat, watchdog,
						   &watchdog->heartbeat, err);
	if (kind == ERR_NONE)
		*out = watchdog;
	else
		free(watchdog);
	return kind;
}

void systemd_watchdog_stop(struct watchdog **watchdog)
{
	if (*watchdog == NULL)
		return;
	heartbeat_stop(&(*watchdog)->heartbeat);
	free(*watchdog);
	*watchdog = NULL;
}
