/* SPDX-License-Identifier: Apache-2.0
 * A store with a million scheduled posts: pages of its list beside those of a thousand posts, posts
 * by their words, and how long it takes until a service on it may say that it is ready. */
#include "bench.h"

#include <inttypes.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"

#include "store.h"
#include "store_dashboard.h"
#include "store_delivery.h"
#include "store_words.h"

#define SMALL_POSTS 1000
#define TRIES 200
#define FIND_TRIES 20

/* The median of what listing this page takes. */
static int64_t page_us(struct bench *bench, int64_t page, int64_t *total_out)
{
	int64_t times_us[TRIES];
	for (int i = 0; i < TRIES; i++)
		times_us[i] = bench_list_us(bench, 0, page, total_out);
	return bench_percentile(times_us, TRIES, 0.5);
}

static int64_t pages(struct bench *bench, const char *what)
{
	static const double places[] = {0, 0.25, 0.5, 0.75, 0.9, 1};
	int64_t total = 0;
	int64_t worst_us = page_us(bench, 1, &total);
	bench_print("  %s: first page %" PRId64 " us", what, worst_us);
	for (size_t i = 1; i < COUNT_OF(places); i++) {
		int64_t page = (int64_t)((double)total * places[i] / 20);
		const int64_t took_us = page_us(bench, page > 0 ? page : 1, &total);
		worst_us = took_us > worst_us ? took_us : worst_us;
		bench_print(", page %" PRId64 " %" PRId64 " us", page, took_us);
	}
	bench_print("; total %" PRId64 "\n", total);
	return worst_us;
}

static int64_t find_us(struct bench *bench, const char *text, size_t *count_out)
{
	struct arena *arena = arena_new("found", (size_t)16 << 20);
	struct dashboard_page page = {0};
	struct error err = {0};
	const struct dashboard_filter filter = {.app_id = bench->apps[0].id,
						.text = str_of(text),
						.below_ordinal = INT64_MAX,
						.max = 26};
	const int64_t from_us = bench_boot_us();
	bench_must(store_dashboard_find(bench->store, arena, &filter, &page, &err), &err);
	const int64_t took_us = bench_boot_us() - from_us;
	*count_out = page.count;
	arena_free(&arena);
	return took_us;
}

/* Every post says the same, so these words are in all of them: the longest lists there can be. */
static void words(struct bench *bench)
{
	static const char *const asked[] = {"thought", "thought second customer example", "thou",
					    "nothing", "thought nothing"};
	const int64_t from_us = bench_boot_us();
	int64_t times_us[FIND_TRIES];
	int64_t total = 0, posts = 0;
	struct error err = {0};
	size_t count = 0;
	do {
		bench_must(store_words_index(bench->store, &posts, &err), &err);
		total += posts;
	} while (posts > 0);
	const double took_us = (double)(bench_boot_us() - from_us);
	bench_print("  words: %" PRId64 " posts put into the index in %.1f s, %.0f us each\n",
		    total, took_us / 1e6, took_us / (double)total);
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		for (size_t at = 0; at < FIND_TRIES; at++)
			times_us[at] = find_us(bench, asked[i], &count);
		bench_print("  words: \"%s\" finds %zu for a page in %" PRId64
			    " us, the slowest of %d in %" PRId64 " us (wanted: 100,000)\n",
			    asked[i], count, bench_percentile(times_us, FIND_TRIES, 0.5),
			    FIND_TRIES, bench_percentile(times_us, FIND_TRIES, 1));
	}
}

/* Schedules it from an hour ahead: nothing is due while we measure. */
static void fill(struct bench *bench, size_t count)
{
	const int64_t took_us =
		bench_accept_us(bench, count, 64, clock_now_us(clock_system()) + US_PER_HOUR);
	bench_print("  (%zu posts accepted in %.1f s)\n", count, (double)took_us / 1e6);
}

void bench_run_million(int scale)
{
	const size_t count = (size_t)10000 * (size_t)scale;
	struct bench small;
	struct bench large;
	bench_print("million: %zu scheduled posts of one app, 1,000 accounts\n", count);
	bench_open(&small, 1, 1000);
	bench_open(&large, 1, 1000);
	fill(&small, SMALL_POSTS);
	fill(&large, count);
	const int64_t small_us = pages(&small, "reference, 1,000 posts");
	const int64_t large_us = pages(&large, "measured");
	bench_print("  measured: the slowest page takes %.1f x the slowest of 1,000 posts (wanted: "
		    "3)\n",
		    (double)large_us / (double)small_us);

	words(&large);

	const int64_t small_open_us = bench_reopen_us(&small);
	const int64_t large_open_us = bench_reopen_us(&large);
	struct error err = {0};
	int64_t due_us = 0;
	const int64_t from_us = bench_boot_us();
	bench_must(store_delivery_next_due(large.store, &due_us, &err), &err);
	bench_print("  reference: a store of 1,000 opens in %.1f ms\n",
		    (double)small_open_us / 1e3);
	bench_print("  measured: opens in %.1f ms, first look for work %.1f ms (wanted: ready in "
		    "2,000 ms); resident %.0f MiB\n",
		    (double)large_open_us / 1e3, (double)(bench_boot_us() - from_us) / 1e3,
		    (double)bench_resident_kib(getpid()) / 1024);
	bench_close(&small);
	bench_close(&large);
}
