/* SPDX-License-Identifier: Apache-2.0
 * The real transport. The cast: a struct pool is one curl multi with the flights (flight.h) that
 * may be used in it; a flight is idle, waiting for its turn (flight_queue.h), running or finished.
 * libcurl tells through callbacks which sockets and which timer each multi waits for; all sockets
 * stand in one epoll, together with the eventfd that wake() writes to, so that poll() waits for
 * everything in one place and an idle service sleeps. Nothing is done from inside libcurl's
 * callbacks but to take notes. */
#include "transfer_curl.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

#include "flight.h"
#include "flight_queue.h"

#define CONNECTIONS_MAX_DEFAULT 512 /* dependencies.md E */
#define CONNECTIONS_PER_SHARE_MAX_DEFAULT 64
#define CONNECT_TIMEOUT_MS_DEFAULT 10000
#define IDLE_FLIGHTS_MAX 64 /* a handle is about 10 kB */
#define EVENTS_AT_ONCE 256
#define POOL_COUNT TRANSFER_POOL_COUNT
#define NO_TIMER INT64_MAX
#define WAITING_CHECK_US (100 * US_PER_MS)
#define PACE_CHECK_US US_PER_S
#define PACE_FIRST_US (5 * US_PER_S) /* no time scale ends a fetch before that */

/* What an epoll event belongs to: the pool's number stands above the descriptor. */
#define WAKE_TAG UINT64_MAX

/* Who may run is decided here and not by libcurl, which knows no apps, and which looks at every
 * waiting transfer again whenever any ends: with 1,000 waiting that was half of all its work
 * (measured 2026-11-21). */
struct pool {
	struct transfer_curl *owner;
	enum transfer_pool number;
	CURLM *multi;
	CURLSH *share;    /* TLS sessions: fresh connections are many, full handshakes dear */
	int64_t timer_us; /* monotonic; NO_TIMER */
	struct flight_list idle;
	struct flight_list running;
	struct flight_queue *queue;
	int64_t waiting_check_us; /* when waiting ones are next looked through for timeouts */
	int64_t pace_check_us;    /* when running fetches are next looked through for slow ones */
	/* For others' threads: as of the last poll. */
	_Atomic int64_t running_shown;
	_Atomic int64_t waiting_shown;
	_Atomic int64_t waiting_since_us_shown;
};

struct transfer_curl {
	struct flight_env env;
	const struct log *log;
	int epoll_fd;
	int wake_fd;
	int64_t time_scale;
	bool has_curl; /* curl_global_init() is to be undone */
	struct pool pools[POOL_COUNT];
	struct flight_list finished; /* results nobody has taken yet, oldest first */
};

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
	struct flight *flight = flight_list_take_first(&pool->idle);
	return flight != NULL ? flight : flight_new(&pool->owner->env, pool->number, pool->share);
}

static void release_flight(struct pool *pool, struct flight *flight)
{
	if (pool->idle.count >= IDLE_FLIGHTS_MAX) {
		flight_free(&flight);
		return;
	}
	flight_reset(flight);
	flight_list_append(&pool->idle, flight);
}

static size_t waiting_count(const struct pool *pool)
{
	return flight_queue_waiting(pool->queue);
}

/* It has a place. */
static void give_to_curl(struct pool *pool, struct flight *flight)
{
	if (curl_multi_add_handle(pool->multi, flight_easy(flight)) == CURLM_OK) {
		flight_list_append(&pool->running, flight);
		return;
	}
	flight_queue_leave(pool->queue, flight);
	flight_fail(flight);
	flight_list_append(&pool->owner->finished, flight);
}

static void launch(struct pool *pool, struct flight *flight)
{
	if (flight_queue_enter(pool->queue, flight, flight_owner(flight), flight_monotonic_us()))
		give_to_curl(pool, flight);
}

static void launch_waiting(struct pool *pool)
{
	struct flight *flight;
	while (waiting_count(pool) > 0 &&
	       (flight = flight_queue_next(pool->queue, flight_monotonic_us())) != NULL) {
		if (flight_is_in_time(flight)) {
			give_to_curl(pool, flight);
			continue;
		}
		flight_queue_leave(pool->queue, flight);
		flight_list_append(&pool->owner->finished, flight);
	}
}

static bool is_out_of_time(struct flight *flight)
{
	return !flight_is_in_time(flight);
}

/* libcurl keeps the time of those it has; these are ours to keep. */
static void check_waiting(struct pool *pool)
{
	if (waiting_count(pool) == 0 || pool->waiting_check_us > flight_monotonic_us())
		return;
	pool->waiting_check_us = flight_monotonic_us() + WAITING_CHECK_US;
	struct flight *flight;
	while ((flight = flight_queue_expire(pool->queue, is_out_of_time)) != NULL)
		flight_list_append(&pool->owner->finished, flight);
}

static void end_slow(struct pool *pool, struct flight *flight)
{
	curl_multi_remove_handle(pool->multi, flight_easy(flight));
	flight_list_remove(&pool->running, flight);
	flight_queue_leave(pool->queue, flight);
	flight_list_append(&pool->owner->finished, flight);
}

/* A slow fetch may go on for as long as nobody waits for its place. */
static void check_pace(struct pool *pool)
{
	const int64_t now_us = flight_monotonic_us();
	if (waiting_count(pool) == 0 || pool->pace_check_us > now_us)
		return;
	pool->pace_check_us = now_us + PACE_CHECK_US;
	struct flight *next;
	for (struct flight *flight = pool->running.first; flight != NULL; flight = next) {
		next = flight_link(flight)->next;
		const int64_t running_us = now_us - flight_link(flight)->since_us;
		if (running_us >= PACE_FIRST_US &&
		    flight_end_if_slow(flight, running_us, pool->owner->time_scale))
			end_slow(pool, flight);
	}
	launch_waiting(pool);
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
		flight_list_append(&curl->finished, flight);
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
		curl_multi_remove_handle(pool->multi, easy);
		flight_list_remove(&pool->running, flight);
		flight_queue_leave(pool->queue, flight);
		if (flight_end(flight, code))
			launch(pool, flight);
		else
			flight_list_append(&pool->owner->finished, flight);
		launch_waiting(pool);
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
		if (waiting_count(pool) > 0 && pool->waiting_check_us < first_us)
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
		check_pace(&curl->pools[i]);
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
		flight_list_remove(&curl->finished, flight);
		release_flight(&curl->pools[flight_pool(flight)], flight);
	}
	return count;
}

static void show_figures(struct pool *pool)
{
	atomic_store(&pool->running_shown, (int64_t)pool->running.count);
	atomic_store(&pool->waiting_shown, (int64_t)waiting_count(pool));
	atomic_store(&pool->waiting_since_us_shown, flight_queue_waiting_since_us(pool->queue));
}

struct transfer_figures transfer_curl_figures(const struct transfer_curl *curl,
					      enum transfer_pool number)
{
	const struct pool *pool = &curl->pools[number];
	const int64_t since_us = atomic_load(&pool->waiting_since_us_shown);
	return (struct transfer_figures){
		.running = atomic_load(&pool->running_shown),
		.waiting = atomic_load(&pool->waiting_shown),
		.oldest_wait_us = since_us != 0 ? flight_monotonic_us() - since_us : 0,
	};
}

static size_t poll_results(void *context, struct arena *arena, int64_t timeout_ms,
			   struct transfer_result *results, size_t max)
{
	struct transfer_curl *curl = context;
	const int64_t until_us = flight_monotonic_us() + timeout_ms * US_PER_MS;
	bool was_woken = work(curl, curl->finished.first != NULL ? 0 : until_us);
	while (curl->finished.first == NULL && !was_woken && flight_monotonic_us() < until_us)
		was_woken = work(curl, until_us);
	for (size_t i = 0; i < POOL_COUNT; i++)
		show_figures(&curl->pools[i]);
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
		count += curl->pools[i].running.count + waiting_count(&curl->pools[i]);
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
	const unsigned per_share = config->connections_per_share_max > 0
					   ? config->connections_per_share_max
					   : CONNECTIONS_PER_SHARE_MAX_DEFAULT;
	pool->timer_us = NO_TIMER;
	pool->queue = flight_queue_new(total, per_share);
	pool->multi = curl_multi_init();
	pool->share = curl_share_init();
	if (pool->queue == NULL || pool->multi == NULL || pool->share == NULL)
		return false;
	curl_share_setopt(pool->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
	curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
	curl_multi_setopt(pool->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long)total);
	curl_multi_setopt(pool->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)total);
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
		.test_socket = copy_z(config->test_socket),
		.egress_proxy = copy_z(config->egress_proxy),
		.https_only = config->https_only,
		.user_agent = copy_z(config->user_agent),
		.connect_timeout_ms = config->connect_timeout_ms > 0 ? config->connect_timeout_ms
								     : CONNECT_TIMEOUT_MS_DEFAULT,
		.resolve = config->resolve,
		.resolve_context = config->resolve_context,
	};
	return (env->sandbox_url != NULL) == (config->sandbox_url != NULL) &&
	       (env->test_socket != NULL) == (config->test_socket != NULL) &&
	       (env->egress_proxy != NULL) == (config->egress_proxy != NULL) &&
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
	curl->time_scale = config->time_scale > 1 ? config->time_scale : 1;
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

void transfer_curl_set_test_url(struct transfer_curl *curl, const char *url)
{
	free(curl->env.test_url);
	curl->env.test_url = copy_z(url);
}

static void free_list(struct flight_list *list)
{
	struct flight *flight;
	while ((flight = flight_list_take_first(list)) != NULL)
		flight_free(&flight);
}

static void pool_fini(struct pool *pool)
{
	for (struct flight *flight = pool->running.first; flight != NULL;
	     flight = flight_link(flight)->next)
		curl_multi_remove_handle(pool->multi, flight_easy(flight));
	free_list(&pool->running);
	flight_queue_free(&pool->queue);
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
	free((*curl)->env.test_socket);
	free((*curl)->env.egress_proxy);
	free((*curl)->env.test_url);
	free((*curl)->env.user_agent);
	free(*curl);
	*curl = NULL;
}
