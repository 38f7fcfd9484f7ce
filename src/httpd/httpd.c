/* SPDX-License-Identifier: Apache-2.0
 * The listener. It has three kinds of threads:
 *
 *   acceptor: one. Accepts, hands each connection to a worker, enforces deadlines (http_watch.c)
 *   and
 *   shares out places: each address has a maximum (http_share.c), and when places run short the
 *   connection that is idle the longest is closed.
 *
 *   worker: one libmicrohttpd daemon with its one thread, an epoll loop over at most
 *   connections_per_thread_max connections that runs http_call.c and waits for nothing.
 *
 *   pool: runs handlers, one pool for each thing they may wait for (http_pool.c).
 *
 * We accept connections and keep the workers ourselves instead of handing libmicrohttpd the
 * listening socket and a pool size: the threads of its pool all wake for each new connection, and
 * the first takes up to ten. Here each connection goes to the worker that we choose, and when all
 * are full, clients wait in the backlog instead of being closed. */
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

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"
#include "random.h"
#include "thread.h"

#include "http_call.h"
#include "http_listen.h"
#include "http_pool.h"
#include "http_share.h"
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
/* How long a stop waits for the head of a request on a connection that it has accepted. */
#define FRESH_WAIT_MS 1000
#define SHUTS_MAX 32              /* per turn */
#define PLATFORM_THREADS_FACTOR 4 /* they wait for seconds, and cost little while they do */
/* Of pieces of bodies: as many as a disk does well at once. */
#define DISK_THREADS 8
#define PROBE_THREADS 2

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
	struct call_worker calls; /* first: the context of libmicrohttpd's callbacks */
	struct httpd *httpd;
	struct MHD_Daemon *daemon;
	_Atomic unsigned connections; /* counted when handed over, not when the worker gets to it */
};

struct httpd {
	struct call_context calls;
	struct listening listening;
	struct worker *workers;
	unsigned worker_count;    /* that run */
	unsigned cores;           /* at least 1 */
	unsigned connections_max; /* of one worker */
	_Atomic unsigned connections;
	unsigned crowded_from; /* connections; 0 = never */
	unsigned connections_of_address_max;
	bool (*address_is_exempt)(void *context, const struct sockaddr *address);
	void *address_context;
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
	calls->body_bytes_max = config->body_bytes_max;
	calls->body_bytes_of_address_max = config->body_bytes_of_address_max;
	calls->spare_bytes = config->spare_bytes;
	calls->hosts = config->hosts;
	calls->proxies = config->proxies;
}

/* libmicrohttpd's own words, at the lowest level: what matters of them is counted and logged where
 * it is decided. */
__attribute__((format(printf, 2, 0))) static void log_library(void *context, const char *format,
							      va_list args)
{
	char text[512];
	const struct call_worker *calls = context;
	if (vsnprintf(text, sizeof(text), format, args) <= 0)
		return;
	LOG(calls->shared->log, DEBUG, "http_library", log_str("text", str_trim(str_of(text))));
	if (strstr(text, "Content-Length") != NULL)
		http_call_on_log(context);
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

static void connection_uncount(struct worker *worker, struct http_share *share)
{
	struct httpd *httpd = worker->httpd;
	atomic_fetch_sub(&httpd->connections, 1);
	if (share != NULL) {
		atomic_fetch_sub(&share->connections, 1);
		http_share_drop(httpd->calls.shares, &share);
	}
	if (atomic_fetch_sub(&worker->connections, 1) == httpd->connections_max)
		http_watch_wake(httpd->calls.watch); /* there is room again */
}

/* The acceptor has counted the connection and holds the share for it. */
static struct http_share *share_of(struct httpd *httpd, struct MHD_Connection *connection)
{
	char text[HTTP_ADDRESS_TEXT_BYTES];
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct str name = http_address_text(info != NULL ? info->client_addr : NULL, text);
	return str_is_empty(name) ? NULL : http_share_find(httpd->calls.shares, name);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **watched_slot,
			  enum MHD_ConnectionNotificationCode code)
{
	struct worker *worker = context;
	struct httpd *httpd = worker->httpd;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		http_call_on_connection(context, connection, watched_slot, code);
		http_watched_share_set(*watched_slot, share_of(httpd, connection));
		return;
	}
	struct http_share *share = http_watched_share(*watched_slot);
	http_call_on_connection(context, connection, watched_slot, code);
	connection_uncount(worker, share);
}

static struct MHD_Daemon *daemon_start(struct worker *worker)
{
	const struct call_context *calls = worker->calls.shared;
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL |
			       MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |
			       MHD_USE_ERROR_LOG;
	return MHD_start_daemon(
		flags, 0, NULL, NULL, http_call_on_request, worker, MHD_OPTION_EXTERNAL_LOGGER,
		log_library, (void *)&worker->calls, MHD_OPTION_THREAD_STACK_SIZE, STACK_BYTES,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_OF_LIBRARY, MHD_OPTION_CONNECTION_TIMEOUT,
		calls->idle_timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		pool_bytes(calls->header_max_bytes), MHD_OPTION_URI_LOG_CALLBACK,
		http_call_on_target, worker, MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, NULL,
		MHD_OPTION_NOTIFY_COMPLETED, http_call_on_completed, worker,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, worker, MHD_OPTION_END);
}

/* Of count workers from first the one with the fewest connections; NULL when all are full. */
static struct worker *worker_pick_of(struct httpd *httpd, unsigned first, unsigned count)
{
	struct worker *best = NULL;
	unsigned fewest = httpd->connections_max;
	for (unsigned i = first; i < first + count && i < httpd->worker_count; i++) {
		const unsigned connections = atomic_load(&httpd->workers[i].connections);
		if (connections >= fewest)
			continue;
		fewest = connections;
		best = &httpd->workers[i];
	}
	return best;
}

/* Workers wait for nothing, so as many as there are cores can serve everybody, and a thread that
 * has much to do sleeps and wakes less for each request: the next ones get connections when these
 * are full. NULL when all are. */
static struct worker *worker_pick(struct httpd *httpd)
{
	struct worker *worker = NULL;
	for (unsigned i = 0; i < httpd->worker_count && worker == NULL; i += httpd->cores)
		worker = worker_pick_of(httpd, i, httpd->cores);
	return worker;
}

static void worker_give(struct httpd *httpd, struct worker *worker, int fd,
			const struct sockaddr *address, socklen_t len, struct http_share *share)
{
	atomic_fetch_add(&worker->connections, 1);
	atomic_fetch_add(&httpd->connections, 1);
	if (MHD_add_connection(worker->daemon, fd, address, len) !=
	    MHD_YES) /* has closed fd then */
		connection_uncount(worker, share);
}

/* Counts one more connection of the address; *share_out is NULL where there is none (Unix sockets).
 * When it has its maximum already, one of them that is of no use gives way. False: none does, or
 * there is no memory. */
static bool address_count(struct httpd *httpd, const struct sockaddr *address,
			  struct http_share **share_out)
{
	char text[HTTP_ADDRESS_TEXT_BYTES];
	const struct str name = http_address_text(address, text);
	*share_out = NULL;
	if (str_is_empty(name))
		return true;
	struct http_share *share = http_share_take(httpd->calls.shares, name);
	if (share == NULL)
		return false;
	const unsigned max = httpd->connections_of_address_max;
	const bool is_full = max > 0 && atomic_load(&share->connections) >= max &&
			     (httpd->address_is_exempt == NULL ||
			      !httpd->address_is_exempt(httpd->address_context, address));
	if (is_full && !http_watch_shut_oldest(httpd->calls.watch, share, false)) {
		http_share_drop(httpd->calls.shares, &share);
		return false;
	}
	atomic_fetch_add(&share->connections, 1);
	*share_out = share;
	return true;
}

static void connection_take(struct httpd *httpd, struct worker *worker, int fd,
			    const struct sockaddr *address, socklen_t len)
{
	struct http_share *share;
	if (!address_count(httpd, address, &share)) {
		close(fd);
		return;
	}
	const bool is_crowded =
		httpd->crowded_from > 0 && atomic_load(&httpd->connections) >= httpd->crowded_from;
	if (is_crowded || arena_spare_is_spent()) /* each connection has memory of its own */
		(void)http_watch_shut_oldest(httpd->calls.watch, NULL, false);
	worker_give(httpd, worker, fd, address, len, share);
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
		connection_take(httpd, worker, fd, (const struct sockaddr *)&address, len);
	}
	return true;
}

/* The process is out of memory: connections that nothing works for give theirs back, some at a
 * time, until there is spare memory again. */
static void memory_regain(struct httpd *httpd)
{
	const size_t spare_bytes = httpd->calls.spare_bytes;
	if (spare_bytes == 0 || !arena_spare_is_spent() || arena_spare_keep(spare_bytes))
		return;
	for (int i = 0; i < SHUTS_MAX; i++) {
		if (!http_watch_shut_oldest(httpd->calls.watch, NULL, true))
			return;
	}
}

static void *acceptor_run(void *context)
{
	struct httpd *httpd = context;
	bool may_accept = true;
	while (!atomic_load(&httpd->is_closing)) {
		memory_regain(httpd);
		const int sweep_ms = http_watch_sweep(httpd->calls.watch);
		const bool has_room = worker_pick(httpd) != NULL;
		struct pollfd fds[] = {
			{.fd = http_watch_wake_fd(httpd->calls.watch), .events = POLLIN},
			{.fd = may_accept && has_room ? httpd->listening.fd : -1, .events = POLLIN},
		};
		const bool is_calm = may_accept && !arena_spare_is_spent();
		const int wait_ms = is_calm || (sweep_ms >= 0 && sweep_ms < ACCEPT_PAUSE_MS)
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
	if (config->listen_fd != 0)
		return http_listen_adopt(config->listen_fd, &httpd->listening, err);
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
		worker->calls.shared = &httpd->calls;
		worker->daemon = daemon_start(worker);
		if (worker->daemon == NULL)
			return error_set_native(err, ERR_TEMPORARY, errno,
						"cannot start listener thread %u", i + 1);
		httpd->worker_count++;
	}
	return ERR_NONE;
}

static enum err_kind pools_start(struct httpd *httpd, const struct httpd_config *config,
				 struct error *err)
{
	const unsigned threads = or_default(config->threads, THREADS_DEFAULT);
	const struct {
		enum http_run_mode mode;
		const char *name;
		unsigned threads;
	} rows[] = {
		{HTTP_RUN_STORE, "handling", or_default(config->store_threads, threads)},
		{HTTP_RUN_PLATFORM, "platform waiting",
		 or_default(config->platform_threads, PLATFORM_THREADS_FACTOR * threads)},
		{HTTP_RUN_PROBE, "probing", PROBE_THREADS},
		{HTTP_RUN_DISK, "saving", DISK_THREADS},
	};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(rows) && kind == ERR_NONE; i++)
		kind = http_pool_new(rows[i].name, rows[i].threads, STACK_BYTES,
				     &httpd->calls.pools[rows[i].mode], err);
	return kind;
}

static void places_share_out(struct httpd *httpd, const struct httpd_config *config)
{
	const unsigned wanted = or_default(config->connections_per_thread_max, CONNECTIONS_DEFAULT);
	httpd->connections_max = wanted < CONNECTIONS_MAX ? wanted : CONNECTIONS_MAX;
	const unsigned places =
		or_default(config->threads, THREADS_DEFAULT) * httpd->connections_max;
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	httpd->cores = cores > 1 ? (unsigned)cores : 1;
	httpd->crowded_from = places * config->crowded_percent / 100;
	httpd->connections_of_address_max = config->connections_of_address_max;
	httpd->address_is_exempt = config->address_is_exempt;
	httpd->address_context = config->address_context;
}

static enum err_kind threads_start(struct httpd *httpd, const struct httpd_config *config,
				   struct error *err)
{
	httpd->calls.watch = http_watch_new();
	httpd->calls.shares = http_shares_new();
	if (httpd->calls.watch == NULL || httpd->calls.shares == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory or descriptors for the listener");
	enum err_kind kind = http_call_prepare(&httpd->calls, err);
	if (kind == ERR_NONE)
		kind = pools_start(httpd, config, err);
	if (kind != ERR_NONE)
		return kind;
	/* libmicrohttpd starts the workers' threads itself. */
	sigset_t before;
	thread_block_signals(&before);
	kind = workers_start(httpd, or_default(config->threads, THREADS_DEFAULT), err);
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
	places_share_out(httpd, config);
	if (config->spare_bytes > 0)
		(void)arena_spare_keep(config->spare_bytes);
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

/* Is a head on its way, on a connection that no worker has looked at yet or that has begun one? */
static bool has_fresh(const struct httpd *httpd)
{
	struct watch *watch = httpd->calls.watch;
	return atomic_load(&httpd->connections) > http_watch_count(watch) ||
	       http_watch_has(watch, WATCHED_HEAD);
}

/* Calls that reached their handler end and are answered; requests that come in meanwhile too, each
 * the last on its connection. Who has been let in just before is heard, so that nobody is refused
 * where the listening socket outlives this process. */
static void calls_drain(struct httpd *httpd, unsigned timeout_ms)
{
	const int64_t began_us = clock_boot_us(clock_system());
	const int64_t end_us = began_us + (int64_t)timeout_ms * US_PER_MS;
	const int64_t fresh_end_us = began_us + FRESH_WAIT_MS * US_PER_MS;
	const bool is_open = httpd->calls.watch != NULL; /* else the start has failed before it */
	int64_t now_us = began_us;
	atomic_store(&httpd->calls.is_draining, true);
	while ((atomic_load(&httpd->calls.running) > 0 && now_us < end_us) ||
	       (is_open && now_us < fresh_end_us && has_fresh(httpd))) {
		thread_sleep_ms(DRAIN_LOOK_MS);
		now_us = clock_boot_us(clock_system());
	}
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
	/* Waits for handlers that still run: libmicrohttpd does not end with suspended
	 * connections. */
	for (size_t i = 0; i < COUNT_OF(closing->calls.pools); i++)
		http_pool_stop(closing->calls.pools[i]);
	for (unsigned i = 0; i < closing->worker_count; i++)
		MHD_stop_daemon(closing->workers[i].daemon);
	for (size_t i = 0; i < COUNT_OF(closing->calls.pools); i++)
		http_pool_free(&closing->calls.pools[i]);
	free(closing->workers);
	if (closing->calls.no_memory != NULL)
		MHD_destroy_response(closing->calls.no_memory);
	http_shares_free(&closing->calls.shares);
	http_watch_free(&closing->calls.watch);
	free(closing->unix_path);
	free(closing);
	*httpd = NULL;
}
