/* SPDX-License-Identifier: Apache-2.0
 * Distance on one machine: a process between a client and a server on 127.0.0.1 that hands each
 * piece on after half a round trip, in order. One thread and no copies beyond one, so that it costs
 * little itself; what it really adds is measured by who starts it (bench/distance.py). */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <netinet/tcp.h>

#define WAYS_MAX 512 /* two a connection */
#define PIECE_BYTES 65536

struct piece {
	struct piece *next;
	int64_t due_us;
	size_t length; /* 0 = the end of the connection */
	size_t sent;
	char bytes[];
};

/* One direction of one connection. */
struct way {
	int from; /* -1 = free */
	int to;
	bool is_read; /* to its end */
	struct piece *first;
	struct piece *last;
};

static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000;
}

static void push(struct way *way, const char *bytes, size_t length, int64_t due_us)
{
	struct piece *piece = malloc(sizeof(*piece) + length);
	if (piece == NULL)
		bench_die("the proxy has no memory");
	*piece = (struct piece){.due_us = due_us, .length = length};
	memcpy(piece->bytes, bytes, length);
	if (way->last != NULL)
		way->last->next = piece;
	else
		way->first = piece;
	way->last = piece;
}

static void take(struct way *way, int64_t half_us)
{
	static char bytes[PIECE_BYTES];
	const ssize_t got = recv(way->from, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	way->is_read = got <= 0;
	push(way, bytes, got > 0 ? (size_t)got : 0, now_us() + half_us);
}

static void drop(struct way *way)
{
	struct piece *piece = way->first;
	way->first = piece->next;
	if (way->first == NULL)
		way->last = NULL;
	free(piece);
}

/* Hands on what is due, as far as it is taken. */
static void give(struct way *way, int64_t at_us)
{
	while (way->first != NULL && way->first->due_us <= at_us) {
		struct piece *piece = way->first;
		if (piece->length == 0) {
			shutdown(way->to, SHUT_WR);
			drop(way);
			continue;
		}
		const ssize_t sent = send(way->to, piece->bytes + piece->sent,
					  piece->length - piece->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN)
			return;
		piece->sent = sent < 0 ? piece->length : piece->sent + (size_t)sent;
		if (piece->sent == piece->length)
			drop(way);
	}
}

/* Both ways of a connection stand beside each other. */
static void close_ended(struct way *ways)
{
	const bool is_over = ways[0].is_read && ways[1].is_read && ways[0].first == NULL &&
			     ways[1].first == NULL;
	if (ways[0].from < 0 || !is_over)
		return;
	close(ways[0].from);
	close(ways[1].from);
	ways[0].from = ways[1].from = -1;
}

static void begin(struct way *ways, int listener, const struct sockaddr_in *target)
{
	const int one = 1;
	const int client = accept(listener, NULL, NULL);
	const int server = socket(AF_INET, SOCK_STREAM, 0);
	if (client < 0 || server < 0 ||
	    connect(server, (const struct sockaddr *)target, sizeof(*target)) != 0) {
		close(client);
		close(server);
		return;
	}
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (size_t i = 0; i < WAYS_MAX; i += 2) {
		if (ways[i].from >= 0)
			continue;
		ways[i] = (struct way){.from = client, .to = server};
		ways[i + 1] = (struct way){.from = server, .to = client};
		return;
	}
	bench_die("the proxy has too many connections");
}

static int listen_anywhere(int *port_out)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(listener, 256) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) != 0)
		bench_die("the proxy cannot listen");
	*port_out = ntohs(address.sin_port);
	return listener;
}

/* Fills fds with the listener and every way that is read; returns when the next piece is due. */
static int64_t prepare(struct way *ways, struct pollfd *fds)
{
	int64_t due_us = INT64_MAX;
	for (size_t i = 0; i < WAYS_MAX; i++) {
		const struct way *way = &ways[i];
		const bool is_open = way->from >= 0 && !way->is_read;
		fds[i + 1] = (struct pollfd){.fd = is_open ? way->from : -1, .events = POLLIN};
		if (way->from >= 0 && way->first != NULL && way->first->due_us < due_us)
			due_us = way->first->due_us;
	}
	return due_us;
}

void bench_run_proxy(int target_port, int64_t half_us)
{
	static struct way ways[WAYS_MAX];
	static struct pollfd fds[WAYS_MAX + 1];
	const struct sockaddr_in target = {.sin_family = AF_INET,
					   .sin_port = htons((uint16_t)target_port),
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int port = 0;
	fds[0] = (struct pollfd){.fd = listen_anywhere(&port), .events = POLLIN};
	for (size_t i = 0; i < WAYS_MAX; i++)
		ways[i].from = -1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1000);
	bench_print("%d\n", port);
	while (true) {
		const int64_t due_us = prepare(ways, fds);
		const int64_t left_us = due_us - now_us();
		const int64_t wait_us = left_us > 0 ? left_us : 0;
		const struct timespec wait = {.tv_sec = wait_us / US_PER_S,
					      .tv_nsec = wait_us % US_PER_S * 1000};
		ppoll(fds, WAYS_MAX + 1, due_us == INT64_MAX ? NULL : &wait, NULL);
		for (size_t i = 0; i < WAYS_MAX; i++) {
			if (fds[i + 1].fd >= 0 && fds[i + 1].revents != 0)
				take(&ways[i], half_us);
		}
		const int64_t at_us = now_us();
		for (size_t i = 0; i < WAYS_MAX; i++)
			give(&ways[i], at_us);
		for (size_t i = 0; i < WAYS_MAX; i += 2)
			close_ended(&ways[i]);
		if (fds[0].revents != 0)
			begin(ways, fds[0].fd, &target);
	}
}
