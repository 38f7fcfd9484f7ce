/* SPDX-License-Identifier: Apache-2.0
 * A platform's stand-in, in a process of its own so that its work is not counted as ours: reads a
 * request with a body, answers 201 with a new id, at once. One connection serves as many requests
 * as the client sends. */
#include "bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_MAX 256
#define REQUEST_MAX_BYTES 8192
#define FILES_MAX 8192

struct conversation {
	size_t length;
	char bytes[REQUEST_MAX_BYTES];
};

/* Whole when the head and as many bytes as it tells are here. */
static bool is_whole(const struct conversation *c)
{
	const char *end = memmem(c->bytes, c->length, "\r\n\r\n", 4);
	if (end == NULL)
		return false;
	const char *told = memmem(c->bytes, (size_t)(end - c->bytes), "ontent-Length: ", 15);
	const size_t body = told != NULL ? strtoul(told + 15, NULL, 10) : 0;
	return c->length >= (size_t)(end - c->bytes) + 4 + body;
}

static void answer(int fd)
{
	static unsigned long serial;
	char body[128];
	char head[320];
	const int body_length =
		snprintf(body, sizeof(body), "{\"data\":{\"id\":\"%lu\",\"text\":\"ok\"}}",
			 1500000000000000000ul + ++serial);
	const int length = snprintf(head, sizeof(head),
				    "HTTP/1.1 201 Created\r\nContent-Type: "
				    "application/json\r\nContent-Length: %d\r\n\r\n%s",
				    body_length, body);
	if (send(fd, head, (size_t)length, MSG_NOSIGNAL) < 0)
		close(fd);
}

static void talk(struct conversation **all, int fd)
{
	struct conversation *c = all[fd];
	const ssize_t got = recv(fd, c->bytes + c->length, sizeof(c->bytes) - c->length, 0);
	if (got <= 0) {
		close(fd);
		return;
	}
	c->length += (size_t)got;
	if (!is_whole(c))
		return;
	c->length = 0;
	answer(fd);
}

static void welcome(struct conversation **all, int epoll, int listener)
{
	int fd;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (fd >= FILES_MAX) {
			close(fd);
			continue;
		}
		if (all[fd] == NULL)
			all[fd] = malloc(sizeof(*all[fd]));
		if (all[fd] == NULL)
			_exit(1);
		all[fd]->length = 0;
		struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	}
}

static void serve(int listener)
{
	static struct conversation *all[FILES_MAX];
	struct epoll_event events[EVENTS_MAX];
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
	while (true) {
		const int count = epoll_wait(epoll, events, EVENTS_MAX, -1);
		for (int i = 0; i < count; i++) {
			if (events[i].data.fd == listener)
				welcome(all, epoll, listener);
			else
				talk(all, events[i].data.fd);
		}
	}
}

void stand_in_start(struct stand_in *stand_in)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(listener, 4096) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) != 0)
		bench_die("the stand-in cannot listen");
	snprintf(stand_in->url, sizeof(stand_in->url), "http://127.0.0.1:%d",
		 ntohs(address.sin_port));
	stand_in->pid = fork();
	if (stand_in->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener);
	}
	if (stand_in->pid < 0)
		bench_die("the stand-in cannot start");
	close(listener);
}

void stand_in_run(void)
{
	struct stand_in stand_in;
	stand_in_start(&stand_in);
	printf("%s\n", stand_in.url);
	fflush(stdout);
	for (;;)
		pause();
}

void stand_in_stop(struct stand_in *stand_in)
{
	kill(stand_in->pid, SIGKILL);
	waitpid(stand_in->pid, NULL, 0);
}
