/* SPDX-License-Identifier: Apache-2.0
 * Deadlines and lingering. One mutex guards the two lists; it is held for shutdown(2) and dup(2)
 * too, so that no file descriptor is closed and reused by another connection between finding it
 * here and acting on it. */
#include "http_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

/* new deadlines do not wake the sweeper: none is closer than this but by setting */
#define SWEEP_MAX_MS 1000
#define SWEEP_MIN_MS 10
#define LINGER_MAX 128
#define LINGER_US (5 * US_PER_S)
#define LINGER_READS_MAX 8 /* a turn, of 16 KiB each: other connections get theirs */

/* How long a connection is left in a state when places run short. A client on a slow line needs a
 * second for its head; what takes longer is served in quieter times. */
static const int64_t patience_us[] = {
	[WATCHED_IDLE] = 0,
	[WATCHED_HEAD] = 1 * US_PER_S,
	[WATCHED_BODY] = 5 * US_PER_S,
	[WATCHED_ANSWER] = 5 * US_PER_S,
};

struct watched {
	struct watched *prev;
	struct watched *next;
	int fd;
	bool must_linger;  /* only its worker thread looks */
	bool is_shut;      /* under the mutex */
	_Atomic int state; /* enum watched_state */
	_Atomic int64_t since_us;
	_Atomic int64_t deadline_us;
	struct http_share *share; /* borrowed; may be NULL */
};

struct lingering {
	int fd;
	int64_t deadline_us;
};

struct watch {
	pthread_mutex_t mutex;
	struct watched head; /* of a ring */
	_Atomic size_t count;
	struct lingering lingering[LINGER_MAX];
	size_t lingering_count;
	int wake_fd;
	char scrap[16 * 1024]; /* what is read off; only the sweeper's */
};

struct watch *http_watch_new(void)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	if (watch == NULL)
		return NULL;
	watch->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (watch->wake_fd < 0) {
		free(watch);
		return NULL;
	}
	pthread_mutex_init(&watch->mutex, NULL);
	watch->head.next = &watch->head;
	watch->head.prev = &watch->head;
	return watch;
}

void http_watch_free(struct watch **watch)
{
	if (*watch == NULL)
		return;
	for (size_t i = 0; i < (*watch)->lingering_count; i++)
		close((*watch)->lingering[i].fd);
	close((*watch)->wake_fd);
	pthread_mutex_destroy(&(*watch)->mutex);
	free(*watch);
	*watch = NULL;
}

struct watched *http_watch_add(struct watch *watch, int fd, int64_t deadline_us)
{
	struct watched *watched = calloc(1, sizeof(*watched));
	if (watched == NULL)
		return NULL;
	watched->fd = fd;
	http_watched_state_set(watched, WATCHED_HEAD);
	atomic_store(&watched->deadline_us, deadline_us);
	pthread_mutex_lock(&watch->mutex);
	watched->prev = &watch->head;
	watched->next = watch->head.next;
	watched->next->prev = watched;
	watch->head.next = watched;
	const bool is_first = atomic_fetch_add(&watch->count, 1) == 0;
	pthread_mutex_unlock(&watch->mutex);
	if (is_first)
		http_watch_wake(watch);
	return watched;
}

void http_watched_deadline_set(struct watched *watched, int64_t deadline_us)
{
	if (watched != NULL)
		atomic_store(&watched->deadline_us, deadline_us);
}

void http_watched_state_set(struct watched *watched, enum watched_state state)
{
	if (watched == NULL)
		return;
	atomic_store_explicit(&watched->since_us, clock_boot_us(clock_system()),
			      memory_order_relaxed);
	atomic_store_explicit(&watched->state, (int)state, memory_order_relaxed);
}

void http_watched_share_set(struct watched *watched, struct http_share *share)
{
	if (watched != NULL)
		watched->share = share;
}

struct http_share *http_watched_share(const struct watched *watched)
{
	return watched != NULL ? watched->share : NULL;
}

void http_watched_linger_set(struct watched *watched, bool must_linger)
{
	if (watched != NULL)
		watched->must_linger = must_linger;
}

/* A second descriptor keeps the socket open after its owner's close; the owner's shutdown has
 * already signalled the end to the client. */
static bool linger_begin(struct watch *watch, int fd)
{
	if (watch->lingering_count == LINGER_MAX)
		return false;
	const int kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (kept < 0)
		return false;
	watch->lingering[watch->lingering_count++] = (struct lingering){
		.fd = kept, .deadline_us = clock_boot_us(clock_system()) + LINGER_US};
	return true;
}

void http_watch_remove(struct watch *watch, struct watched **watched)
{
	if (*watched == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	(*watched)->prev->next = (*watched)->next;
	(*watched)->next->prev = (*watched)->prev;
	atomic_fetch_sub(&watch->count, 1);
	const bool is_lingering = (*watched)->must_linger && linger_begin(watch, (*watched)->fd);
	pthread_mutex_unlock(&watch->mutex);
	if (is_lingering)
		http_watch_wake(watch);
	free(*watched);
	*watched = NULL;
}

size_t http_watch_count(const struct watch *watch)
{
	return atomic_load(&watch->count);
}

bool http_watch_has(struct watch *watch, enum watched_state state)
{
	bool is_found = false;
	pthread_mutex_lock(&watch->mutex);
	for (const struct watched *at = watch->head.next; at != &watch->head && !is_found;
	     at = at->next)
		is_found = atomic_load(&at->state) == (int)state && !at->is_shut;
	pthread_mutex_unlock(&watch->mutex);
	return is_found;
}

/* ---- places run short ---- */

/* A request that has arrived and was not read yet makes the connection worth more. */
static bool has_unread(const struct watched *watched)
{
	char byte;
	return recv(watched->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool may_shut(const struct watched *watched, const struct http_share *of, int64_t now_us,
		     bool is_urgent)
{
	const int state = atomic_load_explicit(&watched->state, memory_order_relaxed);
	const int64_t age_us =
		now_us - atomic_load_explicit(&watched->since_us, memory_order_relaxed);
	if (watched->is_shut || state == WATCHED_BUSY || (of != NULL && watched->share != of))
		return false;
	return is_urgent ||
	       (age_us >= patience_us[state] && (state != WATCHED_IDLE || !has_unread(watched)));
}

static bool is_rather(const struct watched *a, const struct watched *b)
{
	const int of_a = atomic_load_explicit(&a->state, memory_order_relaxed);
	const int of_b = atomic_load_explicit(&b->state, memory_order_relaxed);
	return of_a != of_b ? of_a < of_b
			    : atomic_load_explicit(&a->since_us, memory_order_relaxed) <
				      atomic_load_explicit(&b->since_us, memory_order_relaxed);
}

bool http_watch_shut_oldest(struct watch *watch, const struct http_share *of, bool is_urgent)
{
	struct watched *chosen = NULL;
	const int64_t now_us = clock_boot_us(clock_system());
	pthread_mutex_lock(&watch->mutex);
	for (struct watched *each = watch->head.prev; each != &watch->head; each = each->prev) {
		if ((chosen == NULL || is_rather(each, chosen)) &&
		    may_shut(each, of, now_us, is_urgent))
			chosen = each;
	}
	if (chosen != NULL) {
		shutdown(chosen->fd, SHUT_RDWR);
		chosen->is_shut = true;
	}
	pthread_mutex_unlock(&watch->mutex);
	return chosen != NULL;
}

/* ---- deadlines ---- */

/* The nearest deadline, or INT64_MAX. */
static int64_t overdue_shut(struct watch *watch, int64_t now_us)
{
	int64_t nearest_us = INT64_MAX;
	for (struct watched *watched = watch->head.next; watched != &watch->head;
	     watched = watched->next) {
		const int64_t deadline_us = atomic_load(&watched->deadline_us);
		if (deadline_us == 0)
			continue;
		if (deadline_us <= now_us) {
			shutdown(watched->fd, SHUT_RDWR); /* its worker sees the end and closes */
			atomic_store(&watched->deadline_us, 0);
		} else if (deadline_us < nearest_us) {
			nearest_us = deadline_us;
		}
	}
	return nearest_us;
}

/* Reads off what came. False when the client has closed, or will not. */
static bool linger_read(struct watch *watch, const struct lingering *lingering, int64_t now_us)
{
	for (int i = 0; i < LINGER_READS_MAX; i++) {
		const ssize_t got =
			recv(lingering->fd, watch->scrap, sizeof(watch->scrap), MSG_DONTWAIT);
		if (got > 0)
			continue;
		const bool is_waiting = got < 0 && (errno == EAGAIN || errno == EINTR);
		return is_waiting && now_us < lingering->deadline_us;
	}
	return now_us < lingering->deadline_us;
}

static void lingering_sweep(struct watch *watch, int64_t now_us)
{
	size_t kept = 0;
	for (size_t i = 0; i < watch->lingering_count; i++) {
		if (linger_read(watch, &watch->lingering[i], now_us))
			watch->lingering[kept++] = watch->lingering[i];
		else
			close(watch->lingering[i].fd);
	}
	watch->lingering_count = kept;
}

static int wait_ms(const struct watch *watch, int64_t nearest_us, int64_t now_us)
{
	if (watch->lingering_count > 0)
		return SWEEP_MIN_MS;
	if (watch->head.next == &watch->head)
		return -1;
	if (nearest_us == INT64_MAX || nearest_us - now_us > SWEEP_MAX_MS * US_PER_MS)
		return SWEEP_MAX_MS;
	const int ms = (int)((nearest_us - now_us) / US_PER_MS) + 1;
	return ms > SWEEP_MIN_MS ? ms : SWEEP_MIN_MS;
}

int http_watch_sweep(struct watch *watch)
{
	uint64_t wakes = 0;
	const ssize_t ignored = read(watch->wake_fd, &wakes, sizeof(wakes));
	(void)ignored; /* nothing to read is fine */
	pthread_mutex_lock(&watch->mutex);
	const int64_t now_us = clock_boot_us(clock_system());
	const int64_t nearest_us = overdue_shut(watch, now_us);
	lingering_sweep(watch, now_us);
	const int next_ms = wait_ms(watch, nearest_us, now_us);
	pthread_mutex_unlock(&watch->mutex);
	return next_ms;
}

int http_watch_wake_fd(const struct watch *watch)
{
	return watch->wake_fd;
}

void http_watch_wake(struct watch *watch)
{
	const uint64_t one = 1;
	const ssize_t ignored = write(watch->wake_fd, &one, sizeof(one));
	(void)ignored; /* a full counter wakes as well */
}
