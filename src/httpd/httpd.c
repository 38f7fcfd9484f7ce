/* SPDX-License-Identifier: Apache-2.0
 * The listener. It has two kinds of threads:
 *
 *   acceptor: one. Accepts, hands each connection to a worker, enforces deadlines (http_watch.c).
 *
 *   worker: one libmicrohttpd daemon with its one thread, an epoll loop over at most
 *   connections_per_thread_max connections that runs http_call.c.
 *
 * We accept connections and keep a pool ourselves instead of handing libmicrohttpd the listening
 * socket and a pool size. The threads of its pool all wake for each new connection and the first
 * takes up to ten, so that 64 clients could share seven threads, where a handler that blocks on a
 * group commit holds up the others. Here each connection goes to the worker that has the fewest,
 * and when all are full, clients wait in the backlog instead of being closed. */
#include "httpd.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "count_of.h"
#include "log.h"
#include "random.h"
#include "thread.h"

#include "http_call.h"
#include "http_listen.h"
#include "http_watch.h"

#define THREADS_DEFAULT 64
#define CONNECTIONS_DEFAULT 100
/* When epoll_wait() returns 128 events the loop of libmicrohttpd 0.9.75 stalls (dependencies.md A);
 * beside the connections it also watches one other descriptor. */
#define CONNECTIONS_MAX 126
/* Its own limit must never be reached: it counts a connection down only after it has reported the
 * end to us. */
#define CONNECTIONS_OF_LIBRARY (4 * CONNECTIONS_MAX)
#define ARENA_DEFAULT_BYTES ((size_t)16 * 1024 * 1024)
#define ACCEPTS_MAX 64      /* per turn, before the deadlines are checked again */
#define ACCEPT_PAUSE_MS 100 /* when the process is out of descriptors or memory */
#define DRAIN_LOOK_MS 2

/* libmicrohttpd reads into half of a connection's pool, so twice the headers; the rest is for its
 * own records of them (about 72 bytes each) and of query arguments. Over 32 KiB it maps the pool,
 * which is then zero: http_strict.h relies on that. */
#define POOL_EXTRA_BYTES ((size_t)16 * 1024)
#define POOL_MIN_BYTES ((size_t)40 * 1024)

/* Only touched pages cost memory. Sanitizers need much larger frames. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifdef IS_SANITIZED
#define STACK_BYTES ((size_t)4 * 1024 * 1024)
#else
#define STACK_BYTES ((size_t)512 * 1024)
#endif

struct worker {
	struct httpd *httpd;
	struct MHD_Daemon *daemon;
	_Atomic unsigned connections; /* counted when handed over, not when the worker gets to it */
};

struct httpd {
	struct call_context calls;
	struct listening listening;
	struct worker *workers;
	unsigned worker_count;    /* that run */
	unsigned worker_last;     /* the acceptor's: who got the last connection */
	unsigned connections_max; /* of one worker */
	pthread_t acceptor;
	bool has_acceptor;
	char *unix_path; /* owned; NULL for TCP */
	_Atomic bool is_closing;
};

static unsigned or_default(unsigned value, unsigned fallback)
{
	return value != 0 ? value : fallback;
}

static void context_init(struct call_context *calls, const struct httpd_config *config)
{
	calls->router = config->router;
	calls->log = config->log;
	calls->random = config->random != NULL ? config->random : random_system();
	calls->arena_max_bytes =
		config->arena_max_bytes != 0 ? config->arena_max_bytes : ARENA_DEFAULT_BYTES;
	calls->header_max_bytes =
		config->header_max_bytes != 0 ? config->header_max_bytes : HTTPD_HEADER_MAX_BYTES;
	calls->header_timeout_s = or_default(config->header_timeout_s, HTTPD_HEADER_TIMEOUT_S);
	calls->idle_timeout_s = or_default(config->idle_timeout_s, HTTPD_IDLE_TIMEOUT_S);
	calls->body_directory = config->body_directory;
}

/* libmicrohttpd's own words, at the lowest level: what matters of them is counted and logged where
 * it is decided. */
__attribute__((format(printf, 2, 0))) static void log_library(void *context, const char *format,
							      va_list args)
{
	char text[512];
	const struct log *log = context;
	if (vsnprintf(text, sizeof(text), format, args) > 0)
		LOG(log, DEBUG, "http_library", log_str("text", str_trim(str_of(text))));
}

/* We decode targets ourselves, from the copy made before this. */
static size_t unescape_nothing(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

static size_t pool_bytes(size_t header_max_bytes)
{
	const size_t wanted = 2 * header_max_bytes + POOL_EXTRA_BYTES;
	return wanted > POOL_MIN_BYTES ? wanted : POOL_MIN_BYTES;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **watched_slot,
			  enum MHD_ConnectionNotificationCode code)
{
	struct worker *worker = context;
	struct httpd *httpd = worker->httpd;
	http_call_on_connection(&httpd->calls, connection, watched_slot, code);
	if (code != MHD_CONNECTION_NOTIFY_CLOSED)
		return;
	if (atomic_fetch_sub(&worker->connections, 1) == httpd->connections_max)
		http_watch_wake(httpd->calls.watch); /* there is room again */
}

static struct MHD_Daemon *daemon_start(struct worker *worker)
{
	struct call_context *calls = &worker->httpd->calls;
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ITC |
			       MHD_USE_NO_LISTEN_SOCKET |
			       (calls->log != NULL ? MHD_USE_ERROR_LOG : 0);
	return MHD_start_daemon(
		flags, 0, NULL, NULL, http_call_on_request, calls, MHD_OPTION_EXTERNAL_LOGGER,
		log_library, (void *)(uintptr_t)calls->log, MHD_OPTION_THREAD_STACK_SIZE,
		STACK_BYTES, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_OF_LIBRARY,
		MHD_OPTION_CONNECTION_TIMEOUT, calls->idle_timeout_s,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, pool_bytes(calls->header_max_bytes),
		MHD_OPTION_URI_LOG_CALLBACK, http_call_on_target, calls,
		MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, NULL, MHD_OPTION_NOTIFY_COMPLETED,
		http_call_on_completed, calls, MHD_OPTION_NOTIFY_CONNECTION, on_connection, worker,
		MHD_OPTION_END);
}

/* The worker with the fewest connections, from the one after the last, so that equals take turns;
 * NULL when all are full. */
static struct worker *worker_pick(struct httpd *httpd)
{
	struct worker *best = NULL;
	unsigned fewest = httpd->connections_max;
	for (unsigned i = 1; i <= httpd->worker_count; i++) {
		const unsigned index = (httpd->worker_last + i) % httpd->worker_count;
		const unsigned connections = atomic_load(&httpd->workers[index].connections);
		if (connections >= fewest)
			continue;
		fewest = connections;
		best = &httpd->workers[index];
	}
	return best;
}

static void worker_give(struct httpd *httpd, struct worker *worker, int fd,
			const struct sockaddr *address, socklen_t len)
{
	httpd->worker_last = (unsigned)(worker - httpd->workers);
	atomic_fetch_add(&worker->connections, 1);
	if (MHD_add_connection(worker->daemon, fd, address, len) !=
	    MHD_YES) /* has closed fd then */
		atomic_fetch_sub(&worker->connections, 1);
}

/* False when accepting has to rest: the process is out of descriptors or memory. */
static bool accept_some(struct httpd *httpd)
{
	struct worker *worker;
	for (int i = 0; i < ACCEPTS_MAX && (worker = worker_pick(httpd)) != NULL; i++) {
		struct sockaddr_storage address = {0};
		socklen_t len = sizeof(address);
		const int fd = accept4(httpd->listening.fd, (struct sockaddr *)&address, &len,
				       SOCK_NONBLOCK | SOCK_CLOEXEC);
		const int native = fd < 0 ? errno : 0;
		if (fd < 0)
			return native != EMFILE && native != ENFILE && native != ENOBUFS &&
			       native != ENOMEM;
		worker_give(httpd, worker, fd, (const struct sockaddr *)&address, len);
	}
	return true;
}

static void *acceptor_run(void *context)
{
	struct httpd *httpd = context;
	bool may_accept = true;
	while (!atomic_load(&httpd->is_closing)) {
		const int sweep_ms = http_watch_sweep(httpd->calls.watch);
		const bool has_room = worker_pick(httpd) != NULL;
		struct pollfd fds[] = {
			{.fd = http_watch_wake_fd(httpd->calls.watch), .events = POLLIN},
			{.fd = may_accept && has_room ? httpd->listening.fd : -1, .events = POLLIN},
		};
		const int wait_ms = may_accept || (sweep_ms >= 0 && sweep_ms < ACCEPT_PAUSE_MS)
					    ? sweep_ms
					    : ACCEPT_PAUSE_MS;
		if (poll(fds, 2, wait_ms) < 0 && errno != EINTR)
			break;
		may_accept = (fds[1].revents & POLLIN) == 0 || accept_some(httpd);
	}
	return NULL;
}

static enum err_kind acceptor_start(struct httpd *httpd, struct error *err)
{
	const struct thread_config config = {.name = "accepting",
					     .stack_bytes = STACK_BYTES,
					     .run = acceptor_run,
					     .context = httpd};
	const enum err_kind kind = thread_start(&config, &httpd->acceptor, err);
	httpd->has_acceptor = kind == ERR_NONE;
	return kind;
}

static enum err_kind listening_open(struct httpd *httpd, const struct httpd_config *config,
				    struct error *err)
{
	if (config->unix_path == NULL)
		return http_listen_tcp(config->listen, &httpd->listening, err);
	const enum err_kind kind = http_listen_unix(config->unix_path, &httpd->listening, err);
	if (kind != ERR_NONE)
		return kind;
	httpd->unix_path = strdup(config->unix_path);
	return httpd->unix_path != NULL
		       ? ERR_NONE
		       : error_set(err, ERR_TEMPORARY, "no memory for the listener");
}

static enum err_kind workers_start(struct httpd *httpd, unsigned count, struct error *err)
{
	httpd->workers = calloc(count, sizeof(*httpd->workers));
	if (httpd->workers == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the listener");
	for (unsigned i = 0; i < count; i++) {
		struct worker *worker = &httpd->workers[i];
		worker->httpd = httpd;
		worker->daemon = daemon_start(worker);
		if (worker->daemon == NULL)
			return error_set_native(err, ERR_TEMPORARY, errno,
						"cannot start listener thread %u", i + 1);
		httpd->worker_count++;
	}
	return ERR_NONE;
}

static enum err_kind threads_start(struct httpd *httpd, const struct httpd_config *config,
				   struct error *err)
{
	const unsigned wanted = or_default(config->connections_per_thread_max, CONNECTIONS_DEFAULT);
	httpd->connections_max = wanted < CONNECTIONS_MAX ? wanted : CONNECTIONS_MAX;
	httpd->calls.watch = http_watch_new();
	if (httpd->calls.watch == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory or descriptors for the listener");
	/* libmicrohttpd starts the workers' threads itself. */
	sigset_t before;
	thread_block_signals(&before);
	const enum err_kind kind =
		workers_start(httpd, or_default(config->threads, THREADS_DEFAULT), err);
	thread_restore_signals(&before);
	return kind == ERR_NONE ? acceptor_start(httpd, err) : kind;
}

enum err_kind httpd_open(const struct httpd_config *config, struct httpd **httpd_out,
			 struct error *err)
{
	if ((config->listen == NULL) == (config->unix_path == NULL) || config->router == NULL)
		return error_set(err, ERR_INVALID, "a listener needs one address and a router");
	struct httpd *httpd = calloc(1, sizeof(*httpd));
	if (httpd == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the listener");
	httpd->listening.fd = -1;
	context_init(&httpd->calls, config);
	enum err_kind kind = listening_open(httpd, config, err);
	if (kind == ERR_NONE)
		kind = threads_start(httpd, config, err);
	if (kind != ERR_NONE)
		httpd_close(&httpd, 0);
	*httpd_out = httpd;
	return kind;
}

uint16_t httpd_port(const struct httpd *httpd)
{
	return httpd->listening.port;
}

struct str httpd_base_url(const struct httpd *httpd)
{
	return str_of(httpd->listening.base_url);
}

static void acceptor_stop(struct httpd *httpd)
{
	atomic_store(&httpd->is_closing, true);
	if (!httpd->has_acceptor)
		return;
	http_watch_wake(httpd->calls.watch);
	pthread_join(httpd->acceptor, NULL);
}

/* Calls that reached their handler end and are answered; requests that come in meanwhile too, each
 * the last on its connection. */
static void calls_drain(struct httpd *httpd, unsigned timeout_ms)
{
	const int64_t end_us = clock_boot_us(clock_system()) + (int64_t)timeout_ms * US_PER_MS;
	atomic_store(&httpd->calls.is_draining, true);
	while (atomic_load(&httpd->calls.running) > 0 && clock_boot_us(clock_system()) < end_us)
		thread_sleep_ms(DRAIN_LOOK_MS);
}

void httpd_close(struct httpd **httpd, unsigned timeout_ms)
{
	if (*httpd == NULL)
		return;
	struct httpd *closing = *httpd;
	acceptor_stop(closing);
	if (closing->listening.fd >= 0)
		close(closing->listening.fd);
	if (closing->unix_path != NULL)
		unlink(closing->unix_path);
	calls_drain(closing, timeout_ms);
	for (unsigned i = 0; i < closing->worker_count; i++)
		MHD_stop_daemon(
			closing->workers[i].daemon); /* waits for a handler that still runs */
	free(closing->workers);
	http_watch_free(&closing->calls.watch);
	free(closing->unix_path);
	free(closing);
	*httpd = NULL;
}
