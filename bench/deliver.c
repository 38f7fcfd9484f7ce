/* SPDX-License-Identifier: Apache-2.0
 * Deliveries from the claim to published: real store on the disk, real engine, real adapter of X,
 * real libcurl, and a stand-in that answers at once. Beside it, as reference, the same calls by the
 * same transport without store and engine. */
#include "bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "log.h"
#include "random.h"

#include "platform.h"

#include "store.h"
#include "store_delivery.h"
#include "store_post.h"

#include "guard.h"
#include "spool.h"
#include "transfer_curl.h"

#include "engine.h"

#include "delivery.h"

#define ARENA_BYTES ((size_t)256 << 20)
#define SAMPLES_MAX 100000
#define RAW_AT_ONCE 128

/* A service without ears. */
struct bench_works {
	struct bench *bench;
	atomic_int writes; /* the engine's transactions */
	struct log log;
	struct platform_settings settings;
	struct guard *guard;
	struct spool *spool;
	struct transfer_curl *curl;
	struct engine *engine;
	struct deliverer *deliverer;
	pthread_t thread;
};

static enum err_kind run_writing(struct store_tx *tx, void *argument, struct error *err)
{
	const struct engine_writing *writing = argument;
	return writing->command(tx, writing->argument, err);
}

static enum err_kind engine_write(void *context, const struct engine_writing *writing,
				  struct error *err)
{
	struct bench_works *w = context;
	const struct store_turn turn = {.command = run_writing,
					.argument = (void *)writing,
					.app_ids = writing->scopes,
					.app_count = writing->scope_count};
	atomic_fetch_add(&w->writes, 1);
	return store_write_turn(w->bench->store, &turn, err);
}

static void open_curl(struct bench_works *w, const char *url)
{
	struct error err = {0};
	const struct guard_config guard = {0};
	bench_must(guard_new(&guard, &w->guard, &err), &err);
	const struct transfer_curl_config config = {
		.sandbox_url = url,
		.guard = w->guard,
		.clock = clock_system(),
		.log = &w->log,
		.user_agent = "Posthorn/bench",
	};
	bench_must(transfer_curl_open(&config, &w->curl, &err), &err);
}

static void works_open(struct bench_works *w, struct bench *bench, const char *url)
{
	struct error err = {0};
	char path[320];
	*w = (struct bench_works){.bench = bench,
				  .log = {.fd = STDERR_FILENO, .level = LOG_WARN},
				  .settings = {STR("v25.0"), STR("202609")}};
	open_curl(w, url);
	snprintf(path, sizeof(path), "%s/spool", bench->directory);
	mkdir(path, 0700);
	const struct spool_config spool = {.directory = path};
	bench_must(spool_open(&spool, &w->spool, &err), &err);
	const struct engine_config engine = {
		.transport = transfer_curl_transport(w->curl),
		.store = {engine_write, w},
		.clock = clock_system(),
		.log = &w->log,
	};
	bench_must(engine_new(&engine, &w->engine, &err), &err);
	const struct deliverer_config deliverer = {
		.store = bench->store,
		.seal = bench->seal,
		.spool = w->spool,
		.engine = w->engine,
		.clock = clock_system(),
		.random = random_system(),
		.log = &w->log,
		.settings = &w->settings,
	};
	bench_must(deliverer_new(&deliverer, &w->deliverer, &err), &err);
}

static void *works_run(void *argument)
{
	struct bench_works *w = argument;
	engine_run(w->engine, 1000);
	return NULL;
}

static void works_start(struct bench_works *w)
{
	if (pthread_create(&w->thread, NULL, works_run, w) != 0)
		bench_die("cannot start the engine's thread");
	pthread_setname_np(w->thread, "engine");
}

static void works_stop(struct bench_works *w)
{
	engine_stop(w->engine);
	pthread_join(w->thread, NULL);
	engine_free(&w->engine);
	deliverer_free(&w->deliverer);
	spool_close(&w->spool);
	transfer_curl_close(&w->curl);
	guard_free(&w->guard);
}

/* An app's posts with this status; "" = all. */
static int64_t count_app_posts(struct bench *bench, size_t app, const char *status)
{
	struct arena *arena = arena_new("count", ARENA_BYTES);
	struct error err = {0};
	struct post_row *posts = NULL;
	size_t count = 0;
	int64_t total = 0;
	const struct post_filter filter = {
		.app_id = bench->apps[app].id, .status = str_of(status), .page = 1, .per_page = 1};
	bench_must(store_post_list(bench->store, arena, &filter, &posts, &count, &total, &err),
		   &err);
	arena_free(&arena);
	return total;
}

static int64_t count_posts(struct bench *bench, const char *status)
{
	int64_t sum = 0;
	for (size_t i = 0; i < bench->app_count; i++)
		sum += count_app_posts(bench, i, status);
	return sum;
}

static bool has_due(struct bench *bench)
{
	struct error err = {0};
	int64_t oldest_us = 0;
	bench_must(store_delivery_oldest_due(bench->store, clock_now_us(clock_system()), &oldest_us,
					     &err),
		   &err);
	return oldest_us != 0;
}

/* Seldom, and one app after the other, so that asking costs the database next to nothing. */
void bench_wait_published(struct bench *bench)
{
	while (has_due(bench))
		usleep(50000);
	for (size_t i = 0; i < bench->app_count; i++) {
		const int64_t all = count_app_posts(bench, i, "");
		for (int asked = 1; count_app_posts(bench, i, "published") < all; asked++) {
			if (asked % 20 == 0 && count_app_posts(bench, i, "failed") > 0)
				bench_die("a delivery failed");
			usleep(50000);
		}
	}
}

/* ---- the reference: calls alone ---- */

static void raw_call(const struct transport *transport, uint64_t id)
{
	static const struct transfer_header headers[] = {
		{{"Content-Type", 12}, {"application/json", 16}},
		{{"Authorization", 13}, {"Bearer access-token-of-the-account", 34}},
	};
	const struct transfer_request request = {
		.id = id,
		.pool = TRANSFER_PLATFORM,
		.reach = TRANSFER_REAL,
		.method = "POST",
		.url = STR("https://api.x.com/2/tweets"),
		.headers = headers,
		.header_count = 2,
		.body = STR("{\"text\":\"A post of the length that people write, with a thought "
			    "and a second one.\"}"),
		.timeout_ms = 30000,
		.fresh_connection = true,
	};
	transport_start(transport, &request);
}

/* Returns the CPU of a thousand, in seconds. */
static double raw_calls(const char *url, uint64_t count)
{
	struct bench_works w = {.log = {.fd = STDERR_FILENO, .level = LOG_WARN}};
	struct transfer_result results[64];
	struct arena *arena = arena_new("raw", ARENA_BYTES);
	open_curl(&w, url);
	const struct transport transport = transfer_curl_transport(w.curl);
	const int64_t from_us = bench_boot_us();
	const int64_t from_cpu_us = bench_cpu_us();
	uint64_t begun = 0;
	for (uint64_t done = 0; done < count;) {
		for (; begun < count && begun - done < RAW_AT_ONCE; begun++)
			raw_call(&transport, begun + 1);
		done += transport_poll(&transport, arena, 1000, results, 64);
		arena_clear(arena);
	}
	const int64_t took_us = bench_boot_us() - from_us;
	const double cpu_s = (double)(bench_cpu_us() - from_cpu_us) / 1e3 / (double)count;
	bench_print("  reference: the same calls by the same transport, nothing stored: %.0f/s, "
		    "%.3f CPU-s per 1,000\n",
		    (double)count * 1e6 / (double)took_us, cpu_s);
	transfer_curl_close(&w.curl);
	guard_free(&w.guard);
	arena_free(&arena);
	return cpu_s;
}

/* ---- for nodes.c ---- */

struct bench_works *bench_works_open(struct bench *bench, const char *url)
{
	struct bench_works *works = calloc(1, sizeof(*works));
	if (works == NULL)
		bench_die("no memory");
	works_open(works, bench, url);
	return works;
}

void bench_works_start(struct bench_works *works)
{
	works_start(works);
}

int bench_works_turns(struct bench_works *works)
{
	return atomic_load(&works->writes);
}

void bench_works_stop(struct bench_works **works)
{
	works_stop(*works);
	free(*works);
	*works = NULL;
}

/* ---- deliver ---- */

void bench_run_deliver(int scale)
{
	const size_t count = (size_t)300 * (size_t)scale;
	struct bench bench;
	struct stand_in stand_in;
	struct bench_works w;
	stand_in_start(&stand_in);
	bench_open(&bench, 4, 500);
	bench_accept_us(&bench, count, 64, 0);
	bench_print("deliver: %zu one-call deliveries, 4 apps, 2,000 accounts\n", count);
	const double raw_cpu_s = raw_calls(stand_in.url, count);
	works_open(&w, &bench, stand_in.url);
	const int64_t from_us = bench_boot_us();
	const int64_t from_cpu_us = bench_cpu_us();
	works_start(&w);
	bench_wait_published(&bench);
	const int64_t took_us = bench_boot_us() - from_us;
	const int64_t cpu_us = bench_cpu_us() - from_cpu_us;
	works_stop(&w);
	const double cpu_s = (double)cpu_us / 1e3 / (double)count;
	bench_print("  measured: %.0f/s, %.3f CPU-s per 1,000, %.3f above the reference (wanted: "
		    "5,000/s, at most 0.250 and 0.150 above)\n",
		    (double)count * 1e6 / (double)took_us, cpu_s, cpu_s - raw_cpu_s);
	bench_print("  measured: %.0f deliveries in a transaction\n",
		    (double)count / atomic_load(&w.writes));
	bench_close(&bench);
	stand_in_stop(&stand_in);
}

/* ---- thunder: everything due in one second ---- */

struct user {
	pthread_t thread;
	struct bench *bench;
	size_t app; /* whose posts it accepts */
	atomic_bool is_over;
	int64_t *accepts_us;
	int64_t *lists_us;
	size_t count;
};

/* A person at the API's verbs, fifty times a second. */
static void *use(void *argument)
{
	struct user *user = argument;
	while (!atomic_load(&user->is_over) && user->count < SAMPLES_MAX) {
		int64_t total = 0;
		user->accepts_us[user->count] =
			bench_accept_one_us(user->bench, user->app, user->count % 50);
		user->lists_us[user->count] =
			bench_list_us(user->bench, 0, 1 + (int64_t)user->count % 50, &total);
		user->count++;
		usleep(20000);
	}
	return NULL;
}

static void user_begin(struct user *user, struct bench *bench, size_t app)
{
	*user = (struct user){.bench = bench,
			      .app = app,
			      .accepts_us = calloc(SAMPLES_MAX, sizeof(int64_t)),
			      .lists_us = calloc(SAMPLES_MAX, sizeof(int64_t))};
	if (user->accepts_us == NULL || user->lists_us == NULL ||
	    pthread_create(&user->thread, NULL, use, user) != 0)
		bench_die("cannot start the user's thread");
}

static void user_end(struct user *user, const char *when)
{
	atomic_store(&user->is_over, true);
	pthread_join(user->thread, NULL);
	bench_print("  %s: p99 of an accept %" PRId64 " us, of a list page %" PRId64
		    " us (%zu of each)\n",
		    when, bench_percentile(user->accepts_us, user->count, 0.99),
		    bench_percentile(user->lists_us, user->count, 0.99), user->count);
	free(user->accepts_us);
	free(user->lists_us);
}

/* Publish times less the times that were wanted. */
static size_t lateness_us(struct bench *bench, size_t app, int64_t *late_us, size_t max)
{
	struct arena *arena = arena_new("lateness", ARENA_BYTES);
	size_t taken = 0;
	int64_t total = 0;
	for (int64_t page = 1; page == 1 || (page - 1) * 100 < total; page++) {
		struct error err = {0};
		struct post_row *posts = NULL;
		size_t count = 0;
		const struct post_filter filter = {.app_id = bench->apps[app].id,
						   .status = STR("published"),
						   .page = page,
						   .per_page = 100};
		bench_must(
			store_post_list(bench->store, arena, &filter, &posts, &count, &total, &err),
			&err);
		for (size_t i = 0; i < count && taken < max; i++) {
			const int64_t wanted_us = posts[i].scheduled_at_us > 0
							  ? posts[i].scheduled_at_us
							  : posts[i].created_at_us;
			late_us[taken++] = posts[i].deliveries[0].published_at_us - wanted_us;
		}
		arena_clear(arena);
	}
	arena_free(&arena);
	return taken;
}

static void print_lateness(struct bench *bench, size_t app, const char *whose, const char *wanted)
{
	int64_t *late_us = calloc(SAMPLES_MAX, sizeof(*late_us));
	if (late_us == NULL)
		bench_die("no memory");
	const size_t count = lateness_us(bench, app, late_us, SAMPLES_MAX);
	bench_print("  measured: %s: %zu posts late by p50 %.2f s, p99 %.2f s, at most %.2f s%s\n",
		    whose, count, (double)bench_percentile(late_us, count, 0.5) / 1e6,
		    (double)bench_percentile(late_us, count, 0.99) / 1e6,
		    (double)bench_percentile(late_us, count, 1) / 1e6, wanted);
	free(late_us);
}

void bench_run_thunder(int scale)
{
	const size_t count = (size_t)1000 * (size_t)scale;
	struct bench bench;
	struct stand_in stand_in;
	struct bench_works w;
	struct user user;
	stand_in_start(&stand_in);
	bench_open(&bench, 3, 2000);
	/* The storm is the first app's alone. */
	bench.app_count = 1;
	const int64_t due_us = clock_now_us(clock_system()) + US_PER_S;
	bench_accept_us(&bench, count, 64, due_us);
	bench.app_count = 3;
	bench_print("thunder: %zu deliveries of one app due in one second, 2,000 accounts\n",
		    count);
	user_begin(&user, &bench, 2);
	usleep(3000000);
	user_end(&user, "reference, nothing due");
	const int64_t before_count = count_posts(&bench, "pending");
	works_open(&w, &bench, stand_in.url);
	user_begin(&user, &bench, 1);
	const int64_t from_us = bench_boot_us();
	works_start(&w);
	int64_t resident_kib = 0;
	while (count_posts(&bench, "published") < (int64_t)count + before_count) {
		const int64_t now_kib = bench_resident_kib(getpid());
		resident_kib = now_kib > resident_kib ? now_kib : resident_kib;
		usleep(100000);
	}
	const int64_t took_us = bench_boot_us() - from_us;
	user_end(&user, "measured, while it drains");
	works_stop(&w);
	bench_print("  measured: drained in %.1f s, %.0f/s; resident at most %.0f MiB (wanted: "
		    "5,000/s, 300 MB, API p99 at most 5 x)\n",
		    (double)took_us / 1e6, (double)count * 1e6 / (double)took_us,
		    (double)resident_kib / 1024);
	print_lateness(&bench, 0, "the storm", "");
	print_lateness(&bench, 1, "another app meanwhile", " (wanted: at most 5 s)");
	bench_close(&bench);
	stand_in_stop(&stand_in);
}
