/* SPDX-License-Identifier: Apache-2.0
 * The connections that are open, each with a deadline, and the ones that linger. libmicrohttpd's
 * own timeout restarts with every byte, so a client that trickles holds a connection for ever
 * (rules.md 3.3, slowloris); the deadlines here are absolute. And it closes with unread bytes
 * in the socket, which makes the kernel send a reset that can overtake the answer; a connection
 * that ends that way lingers here until the client has had time to read it. And where places run
 * short, the connection that has been of no use the longest can be closed here. Worker threads add,
 * set and remove; one thread sweeps and closes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_share;
struct watch;
struct watched;

/* What a connection does. The order is the one in which they are closed when places run short. */
enum watched_state {
	WATCHED_IDLE,   /* between two requests */
	WATCHED_HEAD,   /* a head is coming in */
	WATCHED_BODY,   /* a body is coming in */
	WATCHED_ANSWER, /* an answer is going out */
	WATCHED_BUSY    /* a handler works for it: it is never closed */
};

/* NULL when out of memory or file descriptors. */
struct watch *http_watch_new(void);
/* Closes what lingers. Every watched connection was removed before. */
void http_watch_free(struct watch **watch);

/* fd stays its owner's, who removes before closing. NULL when out of memory: then the connection
 * simply has no deadline. It begins as WATCHED_HEAD. */
struct watched *http_watch_add(struct watch *watch, int fd, int64_t deadline_us);
/* Takes NULL. Setting a state begins it, even if it was the same before. */
void http_watched_state_set(struct watched *watched, enum watched_state state);
/* Whose connection it is; share stays the caller's and lives as long as the watched. Takes NULL. */
void http_watched_share_set(struct watched *watched, struct http_share *share);
struct http_share *http_watched_share(const struct watched *watched);
/* Shuts down one connection of that share, or of any when it is NULL: an idle one, else one that
 * has been in its state for longer than an honest client needs (is_urgent: for any time); of
 * several the one that has been in it the longest. Its worker sees the end and closes. False: there
 * is none. */
bool http_watch_shut_oldest(struct watch *watch, const struct http_share *of, bool is_urgent);
/* 0 = none. Takes NULL. Instants are clock_boot_us(clock_system()). */
void http_watched_deadline_set(struct watched *watched, int64_t deadline_us);
/* Whether the connection, when it is removed, is to be kept half-open until the client has read.
 * Takes NULL. */
void http_watched_linger_set(struct watched *watched, bool must_linger);
/* Takes NULL. */
void http_watch_remove(struct watch *watch, struct watched **watched);

/* The number of connections it holds; for tests. */
size_t http_watch_count(const struct watch *watch);
/* Is a connection in this state? Looks at every one of them. */
bool http_watch_has(struct watch *watch, enum watched_state state);
/* Shuts down what is past its deadline, reads off and closes what lingers. Returns the milliseconds
 * after which to sweep again, -1 when nothing is watched. */
int http_watch_sweep(struct watch *watch);
/* Readable when the sweeping thread has to look again before its wait is over. http_watch_sweep()
 * resets it. */
int http_watch_wake_fd(const struct watch *watch);
/* Makes http_watch_wake_fd() readable; from any thread. */
void http_watch_wake(struct watch *watch);
