/* SPDX-License-Identifier: Apache-2.0
 * Claims alone, nothing delivered: one, two and three nodes (stores of one process, each with its
 * own connections) that claim what is due until nothing is. On SQLite there is one owner, and one
 * figure. */
#include "bench.h"

#include <inttypes.h>
#include <pthread.h>

#include "arena.h"

#include "store.h"
#include "store_delivery.h"
#include "store_node.h"

#define NODES_MAX 3
#define APPS 20
#define ACCOUNTS 100
#define BATCH 64 /* of those that docs/postgres.md speaks of: what an engine claims in a turn */
#define LEASE_US (600 * US_PER_S)
#define CLAIM_ARENA_BYTES ((size_t)64 << 20)

struct claimer {
	pthread_t thread;
	struct store *store;
	struct arena *arena;
	size_t claimed;
	size_t last;
};

static enum err_kind claim_batch(struct store_tx *tx, void *argument, struct error *err)
{
	struct claimer *claimer = argument;
	struct delivery_work *work = NULL;
	arena_clear(claimer->arena);
	const struct delivery_claim wish = {.now_us = clock_now_us(store_clock(claimer->store)),
					    .lease_us = LEASE_US,
					    .max = BATCH};
	return store_delivery_claim(tx, claimer->arena, &wish, &work, &claimer->last, err);
}

static void *claim_all(void *argument)
{
	struct claimer *claimer = argument;
	struct error err = {0};
	do {
		bench_must(store_write(claimer->store, claim_batch, claimer, &err), &err);
		claimer->claimed += claimer->last;
	} while (claimer->last > 0);
	return NULL;
}

static void claimer_open(struct claimer *claimer, const struct bench *bench, bool is_first)
{
	const struct store_config config = {
		.url = bench->url, .clock = clock_system(), .is_owner = true};
	struct error err = {0};
	*claimer = (struct claimer){.store = bench->store,
				    .arena = arena_new("claims", CLAIM_ARENA_BYTES)};
	if (!is_first)
		bench_must(store_open(&config, &claimer->store, &err), &err);
}

static void measure(struct bench *bench, size_t nodes)
{
	struct claimer claimers[NODES_MAX];
	size_t count = 0;
	for (size_t i = 0; i < nodes; i++)
		claimer_open(&claimers[i], bench, i == 0);
	const int64_t from_us = bench_boot_us();
	for (size_t i = 0; i < nodes; i++)
		pthread_create(&claimers[i].thread, NULL, claim_all, &claimers[i]);
	for (size_t i = 0; i < nodes; i++)
		pthread_join(claimers[i].thread, NULL);
	const int64_t took_us = bench_boot_us() - from_us;
	for (size_t i = 0; i < nodes; i++) {
		count += claimers[i].claimed;
		arena_free(&claimers[i].arena);
		if (i > 0)
			store_close(&claimers[i].store);
	}
	bench_print("claims, %zu node%s: %zu in batches of %d, %" PRId64 "/s\n", nodes,
		    nodes > 1 ? "s" : "", count, BATCH, (int64_t)count * US_PER_S / took_us);
}

void bench_run_claims(int scale)
{
	const size_t accounts = (size_t)(ACCOUNTS * scale / 100);
	bool is_shared = true;
	for (size_t nodes = 1; nodes <= NODES_MAX && is_shared; nodes++) {
		struct bench bench;
		bench_open(&bench, APPS, accounts > 0 ? accounts : 1);
		bench_accept_us(&bench, APPS * (accounts > 0 ? accounts : 1), 16, 0);
		measure(&bench, nodes);
		is_shared = store_is_shared(bench.store);
		bench_close(&bench);
	}
}
