/* SPDX-License-Identifier: Apache-2.0
 * The real transport. The cast: a struct pool is one curl multi with the flights (flight.h) that
 * may be used in it; a flight is idle, waiting for its host's turn, running or finished. libcurl
 * tells through callbacks which sockets and which timer each multi waits for; both multis' sockets
 * stand in one epoll, together with the eventfd that wake() writes to, so that poll() waits for
 * everything in one place and an idle service sleeps. Nothing is done from inside libcurl's
 * callbacks but to take notes. */
#include "transfer_curl.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

#include "flight.h"
#include "fnv.h"

#define CONNECTIONS_MAX_DEFAULT 512 /* dependencies.md E */
#define CONNECTIONS_PER_HOST_MAX_DEFAULT 64
#define CONNECT_TIMEOUT_MS_DEFAULT 10000
#define IDLE_FLIGHTS_MAX 64 /* a handle is about 10 kB */
#define EVENTS_AT_ONCE 256
#define POOL_COUNT (TRANSFER_USER + 1)
#define NO_TIMER INT64_MAX
#define HOST_SLOTS 256 /* hosts that fall together share a limit: rare, and harmless */
#define WAITING_CHECK_US (100 * US_PER_MS)

/* What an epoll event belongs to: the pool's number stands above the descriptor. */
#define WAKE_TAG UINT64_MAX

struct flight_list {
	struct flight *first;
	struct flight *last;
	size_t count;
};

/* Transfers to one host at a time are limited here and not by libcurl, which looks at every waiting
 * one again whenever any ends: with 1,000 waiting that was half of all its work (measured
 * 2026-11-21). */
struct host_slot {
	size_t active;
	struct flight_list waiting;
};

struct pool {
	struct transfer_curl *owner;
	enum transfer_pool number;
	CURLM *multi;
	CURLSH *share;    /* TLS sessions: fresh connections are many, full handshakes dear */
	int64_t timer_us; /* monotonic; NO_TIMER */
	struct flight_list idle;
	struct flight_list running;
	struct host_slot slots[HOST_SLOTS];
	size_t per_host_max;
	size_t waiting_count;
	int64_t waiting_check_us; /* when waiting ones are next looked through for timeouts */
};

struct transfer_curl {
	struct flight_env env;
	const struct log *log;
	int epoll_fd;
	int wake_fd;
	bool has_curl; /* curl_global_init() is to be undone */
	struct pool pools[POOL_COUNT];
	struct flight_list finished; /* results nobody has taken yet, oldest first */
};

static void list_append(struct flight_list *list, struct flight *flight)
{
	*flight_link(flight) = (struct flight_link){.previous = list->last};
	if (list->last != NULL)
		flight_link(list->last)->next = flight;
	else
		list->first = flight;
	list->last = flight;
	list->count++;
}

static void list_remove(struct flight_list *list, struct flight *flight)
{
	const struct flight_link link = *flight_link(flight);
	if (link.previous != NULL)
		flight_link(link.previous)->next = link.next;
	else
		list->first = link.next;
	if (link.next != NULL)
		flight_link(link.next)->previous = link.previous;
	else
		list->last = link.previous;
	list->count--;
}

static struct flight *list_take_first(struct flight_list *list)
{
	struct flight *flight = list->first;
	if (flight != NULL)
		list_remove(list, flight);
	return flight;
}

/* libcurl tells which way a socket is to be watched. It takes a socket back before it closes it;
 * one that is gone already has left the epoll by itself. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
	(void)easy;
	struct pool *pool = context;
	const int epoll_fd = pool->owner->epoll_fd;
	if (what == CURL_POLL_REMOVE) {
		(void)epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	struct epoll_event event = {
		.events = ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) |
			  ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U),
		.data.u64 = (uint64_t)pool->number << 32 | (uint32_t)fd,
	};
	const int first = socket_context != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	if (epoll_ctl(epoll_fd, first, fd, &event) != 0 &&
	    epoll_ctl(epoll_fd, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
		return -1;
	curl_multi_assign(pool->multi, fd, pool);
	return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
	(void)multi;
	struct pool *pool = context;
	pool->timer_us = timeout_ms < 0 ? NO_TIMER : flight_monotonic_us() + timeout_ms * US_PER_MS;
	return 0;
}

static struct flight *take_flight(struct pool *pool)
{
	struct flight *flight = list_take_first(&pool->idle);
	return flight != NULL ? flight : flight_new(&pool->owner->env, pool->number, pool->share);
}

static void release_flight(struct pool *pool, struct flight *flight)
{
	if (pool->idle.count >= IDLE_FLIGHTS_MAX) {
		flight_free(&flight);
		return;
	}
	flight_reset(flight);
	list_append(&pool->idle, flight);
}

static struct host_slot *slot_of(struct pool *pool, const struct flight *flight)
{
	return &pool->slots[fnv_hash(flight_host(flight)) % HOST_SLOTS];
}

static void give_to_curl(struct pool *pool, struct host_slot *slot, struct flight *flight)
{
	if (curl_multi_add_handle(pool->multi, flight_easy(flight)) == CURLM_OK) {
		slot->active++;
		list_append(&pool->running, flight);
		return;
	}
	flight_fail(flight);
	list_append(&pool->owner->finished, flight);
}

static void launch(struct pool *pool, struct flight *flight)
{
	struct host_slot *slot = slot_of(pool, flight);
	if (slot->active < pool->per_host_max) {
		give_to_curl(pool, slot, flight);
		return;
	}
	list_append(&slot->waiting, flight);
	pool->waiting_count++;
}

static void launch_waiting(struct pool *pool, struct host_slot *slot)
{
	while (slot->active < pool->per_host_max && slot->waiting.first != NULL) {
		struct flight *flight = list_take_first(&slot->waiting);
		pool->waiting_count--;
		if (flight_is_in_time(flight))
			give_to_curl(pool, slot, flight);
		else
			list_append(&pool->owner->finished, flight);
	}
}

static void expire_waiting(struct pool *pool, struct host_slot *slot)
{
	struct flight *next;
	for (struct flight *flight = slot->waiting.first; flight != NULL; flight = next) {
		next = flight_link(flight)->next;
		if (flight_is_in_time(flight))
			continue;
		list_remove(&slot->waiting, flight);
		pool->waiting_count--;
		list_append(&pool->owner->finished, flight);
	}
}

/* libcurl keeps the time of those it has; these are ours to keep. */
static void check_waiting(struct pool *pool)
{
	if (pool->waiting_count == 0 || pool->waiting_check_us > flight_monotonic_us())
		return;
	pool->waiting_check_us = flight_monotonic_us() + WAITING_CHECK_US;
	for (size_t i = 0; i < HOST_SLOTS; i++)
		expire_waiting(pool, &pool->slots[i]);
}

static void start(void *context, const struct transfer_request *request)
{
	struct transfer_curl *curl = context;
	struct pool *pool = &curl->pools[request->pool];
	struct flight *flight = take_flight(pool);
	/* A handle is small internal memory: without it we end as arena_alloc() does
	 * (docs/adr/0002). */
	if (flight == NULL)
		abort();
	if (flight_prepare(flight, request))
		launch(pool, flight);
	else
		list_append(&curl->finished, flight);
}

/* Moves what libcurl has ended to finished, or on to its next hop. */
static void collect(struct pool *pool)
{
	int left;
	const CURLMsg *message;
	while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
		if (message->msg != CURLMSG_DONE)
			continue;
		const CURLcode code = message->data.result; /* gone with remove_handle() */
		CURL *easy = message->easy_handle;
		struct flight *flight = NULL;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&flight);
		struct host_slot *slot = slot_of(pool, flight); /* flight_end() may go elsewhere */
		curl_multi_remove_handle(pool->multi, easy);
		list_remove(&pool->running, flight);
		slot->active--;
		if (flight_end(flight, code))
			launch(pool, flight);
		else
			list_append(&pool->owner->finished, flight);
		launch_waiting(pool, slot);
	}
}

static void log_trouble(const struct transfer_curl *curl, const char *event, int code)
{
	LOG(curl->log, ERROR, event, log_int("code", code));
}

static void act(struct pool *pool, curl_socket_t fd, int mask)
{
	int running;
	const CURLMcode code = curl_multi_socket_action(pool->multi, fd, mask, &running);
	if (code != CURLM_OK)
		log_trouble(pool->owner, "transfer_multi_failed", (int)code);
}

static void run_timers(struct transfer_curl *curl)
{
	for (size_t i = 0; i < POOL_COUNT; i++) {
		struct pool *pool = &curl->pools[i];
		if (pool->timer_us > flight_monotonic_us())
			continue;
		pool->timer_us = NO_TIMER; /* libcurl sets the next one from inside */
		act(pool, CURL_SOCKET_TIMEOUT, 0);
	}
}

static int curl_mask(uint32_t events)
{
	return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
	       ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
	       ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

/* Until until_us or the next timer, in milliseconds, rounded up: waking too early would spin. */
static int wait_ms(const struct transfer_curl *curl, int64_t until_us)
{
	int64_t first_us = until_us;
	for (size_t i = 0; i < POOL_COUNT; i++) {
		const struct pool *pool = &curl->pools[i];
		if (pool->timer_us < first_us)
			first_us = pool->timer_us;
		if (pool->waiting_count > 0 && pool->waiting_check_us < first_us)
			first_us = pool->waiting_check_us;
	}
	const int64_t ms = (first_us - flight_monotonic_us() + US_PER_MS - 1) / US_PER_MS;
	if (ms <= 0)
		return 0;
	return ms < 60000 ? (int)ms : 60000;
}

/* Waits and lets libcurl work. True when wake() was called. */
static bool work(struct transfer_curl *curl, int64_t until_us)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	bool was_woken = false;
	const int count =
		epoll_wait(curl->epoll_fd, events, EVENTS_AT_ONCE, wait_ms(curl, until_us));
	if (count < 0 && errno != EINTR)
		log_trouble(curl, "transfer_wait_failed", errno);
	for (int i = 0; i < count; i++) {
		const uint64_t tag = events[i].data.u64;
		if (tag == WAKE_TAG) {
			uint64_t calls;
			was_woken = read(curl->wake_fd, &calls, sizeof(calls)) > 0 || was_woken;
			continue;
		}
		act(&curl->pools[tag >> 32], (curl_socket_t)(uint32_t)tag,
		    curl_mask(events[i].events));
	}
	run_timers(curl);
	for (size_t i = 0; i < POOL_COUNT; i++) {
		collect(&curl->pools[i]);
		check_waiting(&curl->pools[i]);
	}
	return was_woken;
}

/* An answer that the arena has no room for waits for the next frame's arena, unless this one is
 * that: then it is lost. */
static size_t give(struct transfer_curl *curl, struct arena *arena, struct transfer_result *results,
		   size_t max)
{
	size_t count = 0;
	while (count < max && curl->finished.first != NULL) {
		struct flight *flight = curl->finished.first;
		if (!flight_result(flight, arena, &results[count]) && count > 0)
			break;
		count++;
		list_remove(&curl->finished, flight);
		release_flight(&curl->pools[flight_pool(flight)], flight);
	}
	return count;
}

static size_t poll_results(void *context, struct arena *arena, int64_t timeout_ms,
			   struct transfer_result *results, size_t max)
{
	struct transfer_curl *curl = context;
	const int64_t until_us = flight_monotonic_us() + timeout_ms * US_PER_MS;
	bool was_woken = work(curl, curl->finished.first != NULL ? 0 : until_us);
	while (curl->finished.first == NULL && !was_woken && flight_monotonic_us() < until_us)
		was_woken = work(curl, until_us);
	return give(curl, arena, results, max);
}

static void wake(void *context)
{
	const struct transfer_curl *curl = context;
	const uint64_t one = 1;
	/* Fails only when the counter is full: then it is awake. */
	const ssize_t written = write(curl->wake_fd, &one, sizeof(one));
	(void)written;
}

static size_t running(void *context)
{
	const struct transfer_curl *curl = context;
	size_t count = curl->finished.count;
	for (size_t i = 0; i < POOL_COUNT; i++)
		count += curl->pools[i].running.count + curl->pools[i].waiting_count;
	return count;
}

static const struct transport_ops ops = {
	.start = start,
	.poll = poll_results,
	.wake = wake,
	.running = running,
};

struct transport transfer_curl_transport(struct transfer_curl *curl)
{
	return (struct transport){.ops = &ops, .context = curl};
}

static bool pool_init(struct pool *pool, const struct transfer_curl_config *config)
{
	const unsigned total =
		config->connections_max > 0 ? config->connections_max : CONNECTIONS_MAX_DEFAULT;
	const unsigned per_host = config->connections_per_host_max > 0
					  ? config->connections_per_host_max
					  : CONNECTIONS_PER_HOST_MAX_DEFAULT;
	pool->timer_us = NO_TIMER;
	pool->per_host_max = per_host;
	pool->multi = curl_multi_init();
	pool->share = curl_share_init();
	if (pool->multi == NULL || pool->share == NULL)
		return false;
	curl_share_setopt(pool->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
	curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
	curl_multi_setopt(pool->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long)total);
	curl_multi_setopt(pool->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)total);
	curl_multi_setopt(pool->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)per_host);
	return true;
}

static bool open_waiting(struct transfer_curl *curl)
{
	curl->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	curl->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (curl->epoll_fd < 0 || curl->wake_fd < 0)
		return false;
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE_TAG};
	return epoll_ctl(curl->epoll_fd, EPOLL_CTL_ADD, curl->wake_fd, &event) == 0;
}

static char *copy_z(const char *z)
{
	return z != NULL ? strdup(z) : NULL;
}

/* False without memory. What the environment points to is ours, but for the guard, the clock and
 * the hook's context. */
static bool fill_env(struct flight_env *env, const struct transfer_curl_config *config)
{
	*env = (struct flight_env){
		.guard = config->guard,
		.clock = config->clock,
		.sandbox_url = copy_z(config->sandbox_url),
		.https_only = config->https_only,
		.user_agent = copy_z(config->user_agent),
		.connect_timeout_ms = config->connect_timeout_ms > 0 ? config->connect_timeout_ms
								     : CONNECT_TIMEOUT_MS_DEFAULT,
		.resolve = config->resolve,
		.resolve_context = config->resolve_context,
	};
	return (env->sandbox_url != NULL) == (config->sandbox_url != NULL) &&
	       (env->user_agent != NULL) == (config->user_agent != NULL);
}

enum err_kind transfer_curl_open(const struct transfer_curl_config *config,
				 struct transfer_curl **out, struct error *err)
{
	assert(config->clock != NULL);
	struct transfer_curl *curl = calloc(1, sizeof(*curl));
	if (curl == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the transport");
	curl->epoll_fd = -1;
	curl->wake_fd = -1;
	curl->log = config->log;
	curl->has_curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
	bool is_open = curl->has_curl && fill_env(&curl->env, config) && open_waiting(curl);
	for (size_t i = 0; i < POOL_COUNT; i++) {
		curl->pools[i].owner = curl;
		curl->pools[i].number = (enum transfer_pool)i;
		is_open = is_open && pool_init(&curl->pools[i], config);
	}
	if (!is_open) {
		const int failed = errno;
		transfer_curl_close(&curl);
		return error_set_native(err, ERR_INTERNAL, failed, "the transport could not start");
	}
	*out = curl;
	return ERR_NONE;
}

static void free_list(struct flight_list *list)
{
	struct flight *flight;
	while ((flight = list_take_first(list)) != NULL)
		flight_free(&flight);
}

static void pool_fini(struct pool *pool)
{
	for (struct flight *flight = pool->running.first; flight != NULL;
	     flight = flight_link(flight)->next)
		curl_multi_remove_handle(pool->multi, flight_easy(flight));
	free_list(&pool->running);
	for (size_t i = 0; i < HOST_SLOTS; i++)
		free_list(&pool->slots[i].waiting);
	free_list(&pool->idle);
	if (pool->multi != NULL)
		curl_multi_cleanup(pool->multi);
	if (pool->share != NULL)
		curl_share_cleanup(pool->share);
}

void transfer_curl_close(struct transfer_curl **curl)
{
	if (*curl == NULL)
		return;
	free_list(&(*curl)->finished); /* before the shares that their handles hold */
	for (size_t i = 0; i < POOL_COUNT; i++)
		pool_fini(&(*curl)->pools[i]);
	if ((*curl)->epoll_fd >= 0)
		close((*curl)->epoll_fd);
	if ((*curl)->wake_fd >= 0)
		close((*curl)->wake_fd);
	if ((*curl)->has_curl)
		curl_global_cleanup();
	free((*curl)->env.sandbox_url);
	free((*curl)->env.user_agent);
	free(*curl);
	*curl = NULL;
}
