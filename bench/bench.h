/* SPDX-License-Identifier: Apache-2.0
 * What the benchmarks share: a store on the disk with apps and accounts in it, posts by the
 * thousand, times and percentiles, and a stand-in for a platform that answers at once. Not a test:
 * nothing here fails because a machine is slow. Every figure is printed beside a reference measured
 * in the same run and what docs/performance.md wants of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "account.h"
#include "clock.h"
#include "err.h"
#include "str.h"

struct arena;
struct store;

/* What every post says. */
#define BENCH_CONTENT \
	"{\"mode\":\"basic\",\"type\":\"post\",\"containers\":[{\"content\":\"A post of the " \
	"length " \
	"that people write, with a thought, a second one that follows from it, and a link at its " \
	"end: https://customer.example/news/2026/11/21\",\"media\":[]}]}"

struct bench {
	char directory[256];
	char url[320];
	struct arena *arena; /* as long as the run */
	struct store *store;
	struct seal *seal;
	struct app *apps;
	size_t app_count;
	size_t node_total; /* nodes.c: posts of all nodes together */
};

struct app {
	struct str id;
	struct str *account_ids;
	size_t account_count;
};

/* Ends the program with a sentence when kind is not NONE. */
void bench_must(enum err_kind kind, const struct error *err);
void bench_die(const char *what);

/* An empty store in a new directory below TMPDIR (else /tmp), with so many apps, each with so many
 * accounts on X. POSTHORN_BENCH_DATABASE names another database, which need not be empty. */
void bench_open(struct bench *bench, size_t apps, size_t accounts);
void bench_close(struct bench *bench);
/* Removes a directory with all that is in it. */
void bench_remove(const char *path);
/* Closes and opens the store; returns how long the opening took. */
int64_t bench_reopen_us(struct bench *bench);

/* Accepts count posts, one account each, dealt out to apps and their accounts in turn, by so many
 * threads at once. scheduled_at_us 0 = due now. Returns how long it took. */
int64_t bench_accept_us(struct bench *bench, size_t count, unsigned threads,
			int64_t scheduled_at_us);
/* One post for the account with this number; returns how long it took. */
int64_t bench_accept_one_us(struct bench *bench, size_t app, size_t account);
/* The time of listing page (from 1) of 20 posts of an app. */
int64_t bench_list_us(struct bench *bench, size_t app, int64_t page, int64_t *total_out);

/* The same rows as an acceptance writes, with nothing around them, BENCH_RAW_GROUP in a commit; url
 * is a bench's whose store is closed. Returns how long it took. */
#define BENCH_RAW_GROUP 64
struct bench_raw;
struct bench_raw *bench_raw_open(const char *url);
void bench_raw_close(struct bench_raw **raw);
int64_t bench_raw_us(struct bench_raw *raw, const struct bench *bench, size_t count,
		     size_t deliveries, struct str content);

/* A process that listens on 127.0.0.1 and answers every request with 201 and a post's id. */
struct stand_in {
	pid_t pid;
	char url[64];
};
void stand_in_start(struct stand_in *stand_in);
void stand_in_stop(struct stand_in *stand_in);
/* Prints where it listens and goes on until it is killed. */
void stand_in_run(void) __attribute__((noreturn));

int64_t bench_boot_us(void);
int64_t bench_cpu_us(void); /* of this process, so far */
int64_t bench_resident_kib(pid_t pid);
/* Sorts. share: 0.99 for p99. */
int64_t bench_percentile(int64_t *values, size_t count, double share);
void bench_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A node's delivery half on the bench's store, calling the stand-in at url; deliver.c. */
struct bench_works;
struct bench_works *bench_works_open(struct bench *bench, const char *url);
void bench_works_start(struct bench_works *works);
/* So far, with transactions. */
int bench_works_turns(struct bench_works *works);
void bench_works_stop(struct bench_works **works);
/* Until all posts of all apps are published. */
void bench_wait_published(struct bench *bench);

/* The benchmarks; scale 100 = as in docs/performance.md, less for a quick run. */
#define BENCH_SERVICE_WORDS 5
void bench_run_accept(int scale);
void bench_run_million(int scale);
void bench_run_deliver(int scale);
void bench_run_thunder(int scale);
void bench_run_claims(int scale);
void bench_run_serve(const char *program);
/* A service that bench/accept_http.py has started: port, process, token, and two accounts. */
void bench_run_http(int scale, char *const service[BENCH_SERVICE_WORDS]);
/* The same load, on another service that bench/accept_http.py has started. */
void bench_run_peer(int scale, char *const service[BENCH_SERVICE_WORDS]);
/* So many nodes, and posts of all of them together; prints one line of JSON. */
void bench_run_nodes(int nodes, size_t count);
/* Listens, prints its port, and carries everything to that one, half_us late. Never returns. */
void bench_run_proxy(int target_port, int64_t half_us);
/* Work whose instructions are counted: tests/cost/cost.toml. */
void bench_work_accept(size_t count);
void bench_work_read(size_t count);
