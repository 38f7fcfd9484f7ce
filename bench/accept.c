/* SPDX-License-Identifier: Apache-2.0
 * Accepting in process: 64 clients through store_post_accept(), each answered after its commit;
 * beside it the same rows alone (raw.c). */
#include "bench.h"

#include <stdlib.h>

#include "store.h"

#define CLIENTS 64
#define ROUNDS 3 /* taken in turns, since the machine's other work comes and goes */

void bench_run_accept(int scale)
{
	const size_t count = (size_t)200 * (size_t)scale;
	struct bench reference;
	struct bench measured;
	int64_t raw_sum_us = 0;
	int64_t own_sum_us = 0;
	bench_open(&reference, 4, 100);
	bench_open(&measured, 4, 100);
	store_close(&reference.store); /* its file is the raw writer's */
	struct bench_raw *raw = bench_raw_open(reference.url);
	bench_print("accept: %d x %zu posts of one account, %d clients\n", ROUNDS, count, CLIENTS);
	for (int i = 0; i < ROUNDS; i++) {
		raw_sum_us += bench_raw_us(raw, &reference, count, 1, STR(BENCH_CONTENT));
		own_sum_us += bench_accept_us(&measured, count, CLIENTS, 0);
	}
	const double all = (double)count * ROUNDS * 1e6;
	bench_print("  reference: the same posts and deliveries written in groups of %d: %.0f/s\n",
		    BENCH_RAW_GROUP, all / (double)raw_sum_us);
	bench_print("  measured: %.0f/s, %.0f %% of it (wanted: 60 %%)\n", all / (double)own_sum_us,
		    100.0 * (double)raw_sum_us / (double)own_sum_us);
	bench_raw_close(&raw);
	bench_close(&measured);
	bench_close(&reference);
}

/* What instructions are counted of (tests/cost): groups of acceptances, and nothing beside them. */
void bench_work_accept(size_t count)
{
	struct bench bench;
	bench_open(&bench, 2, 4);
	bench_accept_us(&bench, count, CLIENTS / 2, bench_boot_us() + 365 * US_PER_DAY);
	bench_close(&bench);
}
