/* SPDX-License-Identifier: Apache-2.0
 * Several nodes on one PostgreSQL, a process each: what they accept and deliver together, and what
 * that costs. POSTHORN_BENCH_DATABASE is the database as it is near, for what is prepared and
 * counted; POSTHORN_BENCH_FAR the same as the nodes see it (bench/cluster.py puts a proxy
 * between). POSTHORN_BENCH_GROUPS and a node's number are the control group that it joins. */
#include "bench.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store.h"
#include "store_node.h"

#define APPS 70
#define ACCOUNTS 10 /* of each app */
#define CLIENTS 64  /* of all nodes together */
#define NODES_MAX 8

struct report {
	int64_t took_us;
	int64_t cpu_us;
	int64_t turns;
};

/* The ends of two pipes: it says that it is ready, is told to begin, and reports. */
struct child {
	pid_t pid;
	int to;
	int from;
};

typedef void (*child_work)(struct bench *bench, const char *url, size_t count, struct child *pipes);

static void say(int fd, const void *bytes, size_t length)
{
	if (write(fd, bytes, length) != (ssize_t)length)
		bench_die("a node's pipe is closed");
}

static void hear(int fd, void *bytes, size_t length)
{
	if (read(fd, bytes, length) != (ssize_t)length)
		bench_die("a node has ended");
}

/* Into the control group that holds this node to its share of a core, if there is one. */
static void join_group(int node)
{
	const char *groups = getenv("POSTHORN_BENCH_GROUPS");
	char path[256];
	if (groups == NULL)
		return;
	snprintf(path, sizeof(path), "%s%d/cgroup.procs", groups, node);
	FILE *file = fopen(path, "w");
	if (file == NULL || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0)
		bench_die("a node cannot be held to its share");
}

/* What a node does, and how much of it. */
struct part {
	child_work work;
	const char *url;
	size_t count;
};

static struct child start(struct bench *bench, const struct part *part, int node)
{
	int down[2];
	int up[2];
	if (pipe(down) != 0 || pipe(up) != 0)
		bench_die("no pipes");
	const pid_t pid = fork();
	if (pid < 0)
		bench_die("cannot fork");
	if (pid == 0) {
		struct child pipes = {.to = up[1], .from = down[0]};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		join_group(node);
		snprintf(bench->url, sizeof(bench->url), "%s", getenv("POSTHORN_BENCH_FAR"));
		bench_reopen_us(bench);
		part->work(bench, part->url, part->count, &pipes);
		store_close(&bench->store);
		_exit(0);
	}
	close(down[0]);
	close(up[1]);
	return (struct child){pid, down[1], up[0]};
}

static void ready(const struct child *pipes)
{
	char word = 'r';
	say(pipes->to, &word, 1);
	hear(pipes->from, &word, 1);
}

static void accept_some(struct bench *bench, const char *url, size_t count, struct child *pipes)
{
	(void)url;
	ready(pipes);
	const unsigned clients = (unsigned)(CLIENTS * count / bench->node_total);
	struct report report = {.cpu_us = -bench_cpu_us()};
	report.took_us = bench_accept_us(bench, count, clients, 0);
	report.cpu_us += bench_cpu_us();
	say(pipes->to, &report, sizeof(report));
}

/* As a service's heartbeat. */
static void beat(struct bench *bench)
{
	struct error err = {0};
	int64_t taken = 0;
	bench_must(store_node_beat(bench->store, &taken, &err), &err);
}

/* Until the parent says that it is over. */
static void beat_on(struct bench *bench, int from)
{
	struct pollfd fd = {.fd = from, .events = POLLIN};
	char word = 'b';
	while (poll(&fd, 1, NODE_BEAT_MS) == 0)
		beat(bench);
	hear(from, &word, 1);
}

static void deliver_some(struct bench *bench, const char *url, size_t count, struct child *pipes)
{
	(void)count;
	struct bench_works *works = bench_works_open(bench, url);
	const struct node_row node = {.name = STR("bench"), .role = STR("worker")};
	struct error err = {0};
	bench_must(store_node_tell(bench->store, &node, &err), &err);
	ready(pipes);
	beat(bench); /* all are there now: it learns its share */
	struct report report = {.cpu_us = -bench_cpu_us()};
	bench_works_start(works);
	beat_on(bench, pipes->from);
	report.cpu_us += bench_cpu_us();
	report.turns = bench_works_turns(works);
	bench_works_stop(&works);
	say(pipes->to, &report, sizeof(report));
}

static void tell_all(const struct child *children, int nodes)
{
	const char word = 'g';
	for (int i = 0; i < nodes; i++)
		say(children[i].to, &word, 1);
}

static struct report end_all(struct child *children, int nodes)
{
	struct report sum = {0};
	for (int i = 0; i < nodes; i++) {
		struct report report;
		hear(children[i].from, &report, sizeof(report));
		sum.took_us = report.took_us > sum.took_us ? report.took_us : sum.took_us;
		sum.cpu_us += report.cpu_us;
		sum.turns += report.turns;
		close(children[i].to);
		close(children[i].from);
		waitpid(children[i].pid, NULL, 0);
	}
	return sum;
}

static void start_all(struct bench *bench, struct child *children, int nodes, child_work work,
		      const char *url)
{
	const struct part part = {work, url, bench->node_total / (size_t)nodes};
	for (int i = 0; i < nodes; i++)
		children[i] = start(bench, &part, i);
	for (int i = 0; i < nodes; i++) {
		char word;
		hear(children[i].from, &word, 1);
	}
}

/* The connection of the parent must not be a child's too. */
static void leave_store(struct bench *bench, char *near_url)
{
	memcpy(near_url, bench->url, sizeof(bench->url));
	store_close(&bench->store);
}

void bench_run_nodes(int nodes, size_t count)
{
	struct bench bench;
	struct child children[NODES_MAX];
	struct stand_in stand_in;
	char near_url[sizeof(bench.url)];
	if (nodes < 1 || nodes > NODES_MAX || getenv("POSTHORN_BENCH_FAR") == NULL)
		bench_die("nodes: bench/cluster.py says how");
	stand_in_start(&stand_in);
	bench_open(&bench, APPS, ACCOUNTS);
	bench.node_total = count - count % (size_t)nodes;
	leave_store(&bench, near_url);
	start_all(&bench, children, nodes, accept_some, "");
	tell_all(children, nodes);
	const struct report accepted = end_all(children, nodes);
	const double all = (double)bench.node_total;
	bench_print("{\"nodes\": %d, \"accepts_s\": %.0f, \"accept_cpu_ms\": %.3f}\n", nodes,
		    all * 1e6 / (double)accepted.took_us, (double)accepted.cpu_us / 1e3 / all);
	start_all(&bench, children, nodes, deliver_some, stand_in.url);
	memcpy(bench.url, near_url, sizeof(bench.url));
	bench_reopen_us(&bench);
	const int64_t from_us = bench_boot_us();
	tell_all(children, nodes);
	bench_wait_published(&bench);
	const int64_t took_us = bench_boot_us() - from_us;
	tell_all(children, nodes);
	const struct report delivered = end_all(children, nodes);
	bench_print("{\"deliveries_s\": %.0f, \"deliver_cpu_ms\": %.3f, \"turns\": %d}\n",
		    all * 1e6 / (double)took_us, (double)delivered.cpu_us / 1e3 / all,
		    (int)delivered.turns);
	bench_close(&bench);
	stand_in_stop(&stand_in);
}
