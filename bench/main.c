/* SPDX-License-Identifier: Apache-2.0
 * posthorn-bench [--scale PERCENT] [--program PATH]
 * [accept|million|deliver|thunder|claims|serve]...: measures and prints. Without names: all of
 * them. `http` and `peer` are called by bench/accept_http.py, `nodes NODES POSTS` and
 * `proxy PORT HALF_US` by bench/cluster.py, `work NAME COUNT` by tests/cost,
 * `stand-in` by bench/job_queue.py. docs/performance.md says how, docs/notes/figures.md holds the
 * figures. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_of.h"

static const struct {
	const char *name;
	void (*run)(int scale);
} benches[] = {
	{"accept", bench_run_accept},   {"million", bench_run_million},
	{"deliver", bench_run_deliver}, {"thunder", bench_run_thunder},
	{"claims", bench_run_claims},
};
#define BENCH_COUNT COUNT_OF(benches)

static const struct {
	const char *name;
	void (*run)(size_t count);
} works[] = {
	{"accept", bench_work_accept},
	{"read", bench_work_read},
};

static int work(const char *name, const char *count)
{
	for (size_t i = 0; i < COUNT_OF(works); i++) {
		if (strcmp(name, works[i].name) != 0)
			continue;
		works[i].run(strtoul(count, NULL, 10));
		return 0;
	}
	bench_die("there is no such work");
	return 1;
}

struct wish {
	int scale;
	const char *program;
	char *const *service;
	bool is_peer; /* the service is another one */
	bool is_serve_wanted;
	bool is_wanted[BENCH_COUNT];
};

static void take_name(struct wish *wish, const char *name)
{
	if (strcmp(name, "serve") == 0) {
		wish->is_serve_wanted = true;
		return;
	}
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		if (strcmp(name, benches[i].name) == 0) {
			wish->is_wanted[i] = true;
			return;
		}
	}
	bench_die("usage: posthorn-bench [--scale PERCENT] [--program PATH] "
		  "[accept|million|deliver|thunder|claims|serve]...");
}

static bool is_nothing_wanted(const struct wish *wish)
{
	bool is_any = wish->is_serve_wanted;
	for (size_t i = 0; i < BENCH_COUNT; i++)
		is_any = is_any || wish->is_wanted[i];
	return !is_any;
}

int main(int argc, char **argv)
{
	struct wish wish = {.scale = 100};
	if (argc == 4 && strcmp(argv[1], "work") == 0)
		return work(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "nodes") == 0) {
		bench_run_nodes(atoi(argv[2]), strtoul(argv[3], NULL, 10));
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "stand-in") == 0)
		stand_in_run();
	if (argc == 4 && strcmp(argv[1], "proxy") == 0)
		bench_run_proxy(atoi(argv[2]), strtoll(argv[3], NULL, 10));
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--scale") == 0 && i + 1 < argc)
			wish.scale = atoi(argv[++i]);
		else if (strcmp(argv[i], "--program") == 0 && i + 1 < argc)
			wish.program = argv[++i];
		else if ((strcmp(argv[i], "http") == 0 || strcmp(argv[i], "peer") == 0) &&
			 i + BENCH_SERVICE_WORDS < argc) {
			wish.is_peer = argv[i][0] == 'p';
			wish.service = &argv[i + 1];
			i += BENCH_SERVICE_WORDS;
		} else
			take_name(&wish, argv[i]);
	}
	if (wish.scale < 1 || wish.scale > 1000)
		bench_die("--scale takes 1 to 1000");
	if (wish.service != NULL) {
		(wish.is_peer ? bench_run_peer : bench_run_http)(wish.scale, wish.service);
		return 0;
	}
	const bool is_all = is_nothing_wanted(&wish);
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		if (is_all || wish.is_wanted[i])
			benches[i].run(wish.scale);
	}
	if (wish.program != NULL && (is_all || wish.is_serve_wanted))
		bench_run_serve(wish.program);
	else if (wish.is_serve_wanted)
		bench_die("serve needs --program PATH");
	return 0;
}
