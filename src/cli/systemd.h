/* SPDX-License-Identifier: Apache-2.0
 * What systemd, or another parent that speaks its protocols, and this process tell each other: how
 * the service is (sd_notify(3)), and the sockets that are handed over (sd_listen_fds(3)). Both are
 * a few lines of environment and datagrams; without them everything here does nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct settings;

/* "READY=1", "STATUS=..."; several are lines of one text. Any thread; never blocks, and what cannot
 * be sent is lost. */
void systemd_notify(const char *state);
/* "RELOADING=1" with the instant, which systemd compares with its own. */
void systemd_notify_reloading(void);

/* Takes the sockets of LISTEN_FDS: one that is named "metrics" or "dashboard" is for that listener,
 * the first of the others replaces --listen. The settings get their addresses. Clears the
 * variables, so that no child takes them. Before any thread, and before the spawner. INVALID: a
 * socket is no listening TCP socket, or nobody would listen on it. */
enum err_kind systemd_take_sockets(struct settings *settings, struct error *err);

struct watchdog;

/* Sends WATCHDOG=1 twice in each WATCHDOG_USEC, as long as is_well(context) says so; without that
 * variable *out stays NULL. TEMPORARY: no thread. */
enum err_kind systemd_watchdog_start(bool (*is_well)(void *context), void *context,
				     struct watchdog **out, struct error *err);
/* NULL inside is fine. */
void systemd_watchdog_stop(struct watchdog **watchdog);
