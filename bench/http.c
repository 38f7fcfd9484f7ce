/* SPDX-License-Identifier: Apache-2.0
 * Accepting over HTTP: 64 connections ask a service, each again as soon as it has its answer, for
 * posts of 1,000 characters and two accounts that are due in a year; beside it the same rows alone
 * (raw.c), in turns; and the same of another service (bench/fastify). */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"

#include "json.h"

#include "store.h"

#define CLIENTS 64
#define ROUNDS 3
#define DELIVERIES 2
#define CONTENT_BYTES 1000
#define ANSWER_MAX_BYTES 8192

struct client {
	int fd;
	size_t got;
	int64_t asked_us;
	char answer[ANSWER_MAX_BYTES];
};

struct load {
	char request[4096];
	size_t request_bytes;
	int epoll;
	struct client *clients;
	size_t to_ask;
	size_t open; /* asked, and not yet answered */
	int64_t *took_us;
	size_t answered;
};

enum { PORT, PROCESS, TOKEN, ACCOUNT, OTHER_ACCOUNT };

static void write_request(struct load *load, char *const *service)
{
	char content[CONTENT_BYTES + 1];
	char body[2048];
	char due[32];
	const time_t then = time(NULL) + 365 * 24 * 3600;
	struct tm parts;
	memset(content, 'a', CONTENT_BYTES);
	content[CONTENT_BYTES] = '\0';
	strftime(due, sizeof(due), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &parts));
	const int body_bytes = snprintf(body, sizeof(body),
					"{\"account_ids\":[\"%s\",\"%s\"],\"content\":\"%s\","
					"\"scheduled_at\":\"%s\"}",
					service[ACCOUNT], service[OTHER_ACCOUNT], content, due);
	load->request_bytes = (size_t)snprintf(
		load->request, sizeof(load->request),
		"POST /v1/posts/publish HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer "
		"%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		service[PORT], service[TOKEN], body_bytes, body);
}

/* What instructions are counted of (tests/cost): the body of such a request, read. */
void bench_work_read(size_t count)
{
	char word[] = "8080";
	char account[] = "0190a1b2-0000-7000-8000-000000000001";
	char *const service[BENCH_SERVICE_WORDS] = {
		[PORT] = word,
		[TOKEN] = word,
		[ACCOUNT] = account,
		[OTHER_ACCOUNT] = account,
	};
	struct load load = {0};
	write_request(&load, service);
	const struct str body = str_of(strstr(load.request, "\r\n\r\n") + 4);
	struct arena *arena = arena_new("bench", (size_t)1 << 20);
	for (size_t i = 0; i < count; i++) {
		const struct json *json = NULL;
		if (json_parse(arena, body, NULL, &json, NULL, NULL) != ERR_NONE)
			bench_die("the request is no JSON");
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void ask(struct load *load, struct client *client)
{
	if (load->to_ask == 0)
		return;
	load->to_ask--;
	load->open++;
	client->got = 0;
	client->asked_us = bench_boot_us();
	if (send(client->fd, load->request, load->request_bytes, MSG_NOSIGNAL) !=
	    (ssize_t)load->request_bytes)
		bench_die("the service does not take a request");
}

static void add_client(struct load *load, struct client *client, const char *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons((uint16_t)atoi(port))};
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
	client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0 ||
	    connect(client->fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    epoll_ctl(load->epoll, EPOLL_CTL_ADD, client->fd, &event) != 0)
		bench_die("cannot connect to the service");
}

/* Whole when the head and as many bytes as it tells are here. */
static bool is_whole(const struct client *client)
{
	const char *end = memmem(client->answer, client->got, "\r\n\r\n", 4);
	if (end == NULL)
		return false;
	const char *told = strcasestr(client->answer, "Content-Length: ");
	return told != NULL && told < end &&
	       client->got >= (size_t)(end - client->answer) + 4 + strtoul(told + 16, NULL, 10);
}

static void hear(struct load *load, struct client *client)
{
	const ssize_t got = recv(client->fd, client->answer + client->got,
				 sizeof(client->answer) - client->got - 1, 0);
	if (got <= 0)
		bench_die("the service closed a connection");
	client->got += (size_t)got;
	client->answer[client->got] = '\0';
	if (!is_whole(client))
		return;
	if (strncmp(client->answer, "HTTP/1.1 202", 12) != 0)
		bench_die(client->answer);
	load->took_us[load->answered++] = bench_boot_us() - client->asked_us;
	load->open--;
	ask(load, client);
}

static int64_t load_us(struct load *load, size_t count)
{
	const int64_t from_us = bench_boot_us();
	load->to_ask = count;
	for (size_t i = 0; i < CLIENTS; i++)
		ask(load, &load->clients[i]);
	while (load->open > 0) {
		struct epoll_event events[CLIENTS];
		const int ready = epoll_wait(load->epoll, events, CLIENTS, -1);
		if (ready < 0 && errno != EINTR)
			bench_die("epoll_wait failed");
		for (int i = 0; i < ready; i++)
			hear(load, events[i].data.ptr);
	}
	return bench_boot_us() - from_us;
}

/* Of another process, so far: user and system, in the ticks that /proc counts. */
static int64_t cpu_us_of(const char *process)
{
	char path[64];
	char line[1024] = "";
	unsigned long user = 0;
	unsigned long system = 0;
	snprintf(path, sizeof(path), "/proc/%s/stat", process);
	FILE *file = fopen(path, "r");
	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
		bench_die("the service is gone");
	fclose(file);
	const char *after_name = strrchr(line, ')');
	if (after_name == NULL ||
	    sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		   &system) != 2)
		bench_die("/proc is not as it should be");
	return (int64_t)(user + system) * US_PER_S / sysconf(_SC_CLK_TCK);
}

static struct str content_text(struct arena *arena)
{
	char *text = arena_alloc(arena, CONTENT_BYTES + 1);
	memset(text, 'a', CONTENT_BYTES);
	return str_format(arena,
			  "{\"mode\":\"basic\",\"type\":\"post\",\"containers\":[{\"content\":"
			  "\"%s\",\"media\":[]}]}",
			  text);
}

static void load_open(struct load *load, size_t count, char *const service[BENCH_SERVICE_WORDS])
{
	*load = (struct load){.epoll = epoll_create1(EPOLL_CLOEXEC)};
	load->clients = calloc(CLIENTS, sizeof(*load->clients));
	load->took_us = calloc(count, sizeof(*load->took_us));
	if (load->clients == NULL || load->took_us == NULL)
		bench_die("no memory");
	write_request(load, service);
	for (size_t i = 0; i < CLIENTS; i++)
		add_client(load, &load->clients[i], service[PORT]);
}

static void load_close(struct load *load)
{
	for (size_t i = 0; i < CLIENTS; i++)
		close(load->clients[i].fd);
	close(load->epoll);
	free(load->clients);
	free(load->took_us);
}

void bench_run_peer(int scale, char *const service[BENCH_SERVICE_WORDS])
{
	const size_t count = (size_t)100 * (size_t)scale;
	struct load load;
	load_open(&load, count, service);
	const int64_t before_us = cpu_us_of(service[PROCESS]);
	const int64_t took_us = load_us(&load, count);
	const int64_t cpu_us = cpu_us_of(service[PROCESS]) - before_us;
	bench_print("  beside it: the same requests to Fastify and better-sqlite3: %.0f/s, %.3f "
		    "CPU-s per 1,000; p99 %.1f ms\n",
		    (double)count * 1e6 / (double)took_us, (double)cpu_us / (double)count / 1e3,
		    (double)bench_percentile(load.took_us, load.answered, 0.99) / 1e3);
	load_close(&load);
}

void bench_run_http(int scale, char *const service[BENCH_SERVICE_WORDS])
{
	const size_t count = (size_t)200 * (size_t)scale;
	struct bench reference;
	struct load load;
	int64_t raw_us = 0;
	int64_t own_us = 0;
	int64_t raw_cpu_us = 0;
	int64_t own_cpu_us = 0;
	load_open(&load, ROUNDS * count, service);
	bench_open(&reference, 1, DELIVERIES);
	store_close(&reference.store);
	struct bench_raw *raw = bench_raw_open(reference.url);
	const struct str content = content_text(reference.arena);
	for (int i = 0; i < ROUNDS; i++) {
		const int64_t before_us = bench_cpu_us();
		raw_us += bench_raw_us(raw, &reference, count, DELIVERIES, content);
		raw_cpu_us += bench_cpu_us() - before_us;
		const int64_t service_before_us = cpu_us_of(service[PROCESS]);
		own_us += load_us(&load, count);
		own_cpu_us += cpu_us_of(service[PROCESS]) - service_before_us;
	}
	const double all = (double)count * ROUNDS;
	bench_print("http: %d x %zu posts of %d characters for %d accounts, %d connections\n",
		    ROUNDS, count, CONTENT_BYTES, DELIVERIES, CLIENTS);
	bench_print("  reference: the same rows written in groups of %d: %.0f/s, %.3f CPU-s per "
		    "1,000\n",
		    BENCH_RAW_GROUP, all * 1e6 / (double)raw_us, (double)raw_cpu_us / all / 1e3);
	bench_print("  measured: %.0f/s, %.3f CPU-s per 1,000, %.1f times the reference (wanted: "
		    "3); p99 %.1f ms (wanted: 15)\n",
		    all * 1e6 / (double)own_us, (double)own_cpu_us / all / 1e3,
		    (double)own_cpu_us / (double)raw_cpu_us,
		    (double)bench_percentile(load.took_us, load.answered, 0.99) / 1e3);
	bench_raw_close(&raw);
	bench_close(&reference);
	load_close(&load);
}
