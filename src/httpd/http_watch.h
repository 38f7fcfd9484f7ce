/* SPDX-License-Identifier: Apache-2.0
 * The connections that are open, each with a deadline, and the ones that linger. libmicrohttpd's
 * own timeout restarts with every byte, so a client that trickles holds a connection for ever
 * (rules.md 3.3, slowloris); the deadlines here are absolute. And it closes with unread bytes
 * in the socket, which makes the kernel send a reset that can overtake the answer; a connection
 * that ends that way lingers here until the client has had time to read it. Worker threads add, set
 * and remove; one thread sweeps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watch;
struct watched;

/* NULL when out of memory or file descriptors. */
struct watch *http_watch_new(void);
/* Closes what lingers. Every watched connection was removed before. */
void http_watch_free(struct watch **watch);

/* fd stays its owner's, who removes before closing. NULL when out of memory: then the connection
 * simply has no deadline. */
struct watched *http_watch_add(struct watch *watch, int fd, int64_t deadline_us);
/* 0 = none. Takes NULL. Instants are clock_boot_us(clock_system()). */
void http_watched_deadline_set(struct watched *watched, int64_t deadline_us);
/* Whether the connection, when it is removed, is to be kept half-open until the client has read.
 * Takes NULL. */
void http_watched_linger_set(struct watched *watched, bool must_linger);
/* Takes NULL. */
void http_watch_remove(struct watch *watch, struct watched **watched);

/* The number of connections it holds; for tests. */
size_t http_watch_count(const struct watch *watch);
/* Shuts down what is past its deadline, reads off and closes what lingers. Returns the milliseconds
 * after which to sweep again, -1 when nothing is watched. */
int http_watch_sweep(struct watch *watch);
/* Readable when the sweeping thread has to look again before its wait is over. http_watch_sweep()
 * resets it. */
int http_watch_wake_fd(const struct watch *watch);
/* Makes http_watch_wake_fd() readable; from any thread. */
void http_watch_wake(struct watch *watch);
