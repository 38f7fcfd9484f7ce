/* SPDX-License-Identifier: Apache-2.0
 * A small HTTP server for tests that misbehaves on request: the path of a call says how it is
 * answered. It runs in threads of its own, one a connection, and counts what reaches it, so that a
 * test can say how often a request was really received. */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "count_of.h"

#define LYING_REQUEST_MAX_BYTES ((size_t)1 << 20)
#define LYING_CONNECTIONS_MAX 512

struct lying_server;

struct lying_call {
	struct lying_server *server;
	int fd;
	unsigned number; /* of this request on its connection, from 1 */
	char *text;      /* the whole request, NUL-terminated */
	size_t len;
	const char *body;
	size_t body_len;
};

struct lying_server {
	int fd;
	char address[INET_ADDRSTRLEN];
	unsigned port;
	pthread_t thread;
	pthread_mutex_t lock;
	bool is_stopping;
	/* Guarded by lock. */
	unsigned connections;
	int late; /* calls of /late that wait now */
	int most_late;
	unsigned requests;    /* received whole */
	char last[64 * 1024]; /* the last request, as far as it fits */
	size_t last_body_len;
	unsigned char last_body_sum;
	pthread_t workers[LYING_CONNECTIONS_MAX];
	size_t worker_count;
	/* Set by the test before it calls. */
	char location[512]; /* of /redirect */
	int redirect_status;
	/* Of /ranged. */
	size_t cut_after;    /* body bytes of an answer, then the connection ends; 0 = never */
	const char *version; /* the file's ETag, and what its bytes are made of */
	bool ignores_ranges;
	size_t range_shift; /* answers with another part than asked for */
	size_t range_max;   /* of a part; 0 = all that is asked for */
};

#define LYING_FILE_BYTES ((size_t)300000)

static inline char lying_file_byte(const char *version, size_t at)
{
	return (char)(at * 7 + at / 251 + (size_t)version[1]);
}

static void lying_send(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
		bytes += sent;
		len -= (size_t)sent;
	}
}

static void lying_say(int fd, const char *text)
{
	lying_send(fd, text, strlen(text));
}

static bool lying_is_stopping(struct lying_server *server)
{
	pthread_mutex_lock(&server->lock);
	const bool is_stopping = server->is_stopping;
	pthread_mutex_unlock(&server->lock);
	return is_stopping;
}

/* Until the other side closes or the server stops. */
static void lying_wait(const struct lying_call *call, int max_ms)
{
	for (int waited_ms = 0; waited_ms < max_ms; waited_ms += 10) {
		struct pollfd pollfd = {.fd = call->fd, .events = POLLIN};
		if (lying_is_stopping(call->server) || poll(&pollfd, 1, 10) > 0)
			return;
	}
}

/* Each behaviour returns whether the connection lives on. */
static bool lying_ok(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			    "X-Twice: a\r\nX-Twice: b\r\nX-Empty:\r\n"
			    "Content-Length: 8\r\n\r\n{\"ok\":1}");
	return true;
}

static bool lying_close(const struct lying_call *call)
{
	(void)call;
	return false;
}

static bool lying_reset(const struct lying_call *call)
{
	const struct linger linger = {.l_onoff = 1};
	setsockopt(call->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return false;
}

/* Good on a connection's first request; the second is read and dies with its connection. */
static bool lying_second_closes(const struct lying_call *call)
{
	return call->number == 1 ? lying_ok(call) : false;
}

static bool lying_second_resets(const struct lying_call *call)
{
	return call->number == 1 ? lying_ok(call) : lying_reset(call);
}

static bool lying_truncated(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"1\"}");
	return false;
}

static bool lying_truncated_by_reset(const struct lying_call *call)
{
	lying_truncated(call);
	return lying_reset(call);
}

static bool lying_cut_status(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 2");
	return false;
}

static bool lying_cut_header(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Type: application/js");
	return false;
}

static bool lying_cut_before_blank_line(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
	return false;
}

static bool lying_cut_chunk(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n{\"id\"");
	return false;
}

static bool lying_cut_before_last_chunk(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
	return false;
}

static bool lying_bad_chunk(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n");
	return false;
}

static bool lying_chunked(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
			    "1\r\n{\r\n1\r\n}\r\n0\r\nX-T: late\r\n\r\n");
	return true;
}

static bool lying_until_close(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.0 200 OK\r\n\r\n{}");
	return false;
}

static bool lying_only_interim(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
	return false;
}

static bool lying_interim(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n"
			    "HTTP/1.1 103 Early Hints\r\nX-Interim: 2\r\n\r\n");
	return lying_ok(call);
}

static bool lying_endless_interim(const struct lying_call *call)
{
	for (int i = 0; i < 10000; i++)
		lying_say(call->fd, "HTTP/1.1 103 Early Hints\r\nX-Interim: 1\r\n\r\n");
	return lying_ok(call);
}

static bool lying_huge_header(const struct lying_call *call)
{
	char line[1024];
	memset(line, 'x', sizeof(line));
	memcpy(line, "X-Big: ", 7);
	memcpy(line + sizeof(line) - 2, "\r\n", 2);
	lying_say(call->fd, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < 80; i++)
		lying_send(call->fd, line, sizeof(line));
	lying_say(call->fd, "Content-Length: 0\r\n\r\n");
	return true;
}

static bool lying_endless_body(const struct lying_call *call)
{
	char zeros[4096] = {0};
	lying_say(call->fd, "HTTP/1.1 200 OK\r\n\r\n");
	for (int i = 0; i < 4096; i++)
		lying_send(call->fd, zeros, sizeof(zeros));
	return false;
}

static bool lying_announces_much(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nxx");
	return false;
}

static bool lying_garbage(const struct lying_call *call)
{
	lying_say(call->fd, "SSH-2.0-OpenSSH_9.2\r\nwhat do you want\r\n");
	return false;
}

static bool lying_gzip(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
			    "\x1f\x8bxy");
	return true;
}

static bool lying_silent(const struct lying_call *call)
{
	lying_wait(call, 60000);
	return false;
}

static void lying_count(struct lying_server *server, bool comes)
{
	pthread_mutex_lock(&server->lock);
	server->late += comes ? 1 : -1;
	if (server->late > server->most_late)
		server->most_late = server->late;
	pthread_mutex_unlock(&server->lock);
}

static bool lying_late(const struct lying_call *call)
{
	lying_count(call->server, true);
	lying_wait(call, 150);
	lying_count(call->server, false);
	return lying_ok(call);
}

static bool lying_drip(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
	for (int i = 0; i < 1000 && !lying_is_stopping(call->server); i++) {
		lying_send(call->fd, "x", 1);
		usleep(50000);
	}
	return false;
}

static bool lying_redirect(const struct lying_call *call)
{
	char text[1024];
	snprintf(text, sizeof(text),
		 "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved",
		 call->server->redirect_status, call->server->location);
	lying_say(call->fd, text);
	return true;
}

static bool lying_500(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\noops!");
	return true;
}

static bool lying_404(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot here!");
	return true;
}

static bool lying_204(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 204 No Content\r\n\r\n");
	return true;
}

/* As 417 to an expectation: a client that had sent one would send again. */
static bool lying_417(const struct lying_call *call)
{
	lying_say(call->fd, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
	return true;
}

/* A PNG of 1 by 1, as far as its header. */
static bool lying_png(const struct lying_call *call)
{
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0";
	lying_say(call->fd, "HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n");
	lying_send(call->fd, png, 29);
	return true;
}

/* A file that knows ranges and ETags, and may be cut. */
static bool lying_ranged(const struct lying_call *call)
{
	static const size_t all = LYING_FILE_BYTES;
	const struct lying_server *server = call->server;
	char *body = malloc(all);
	char head[512];
	const char *range = strcasestr(call->text, "\r\nRange: bytes=");
	const char *only_if = strcasestr(call->text, "\r\nIf-Range: ");
	const bool is_same = only_if == NULL ||
			     strncmp(only_if + 12, server->version, strlen(server->version)) == 0;
	size_t from = range != NULL && is_same && !server->ignores_ranges
			      ? strtoul(range + 15, NULL, 10)
			      : 0;
	from += from > 0 ? server->range_shift : 0;
	size_t len = all - from;
	if (from > 0 && server->range_max > 0 && server->range_max < len)
		len = server->range_max;
	for (size_t i = 0; i < len; i++)
		body[i] = lying_file_byte(server->version, from + i);
	if (from > 0)
		snprintf(head, sizeof(head),
			 "HTTP/1.1 206 Partial\r\nETag: %s\r\nContent-Range: bytes "
			 "%zu-%zu/%zu\r\nContent-Length: %zu\r\n\r\n",
			 server->version, from, from + len - 1, all, len);
	else
		snprintf(head, sizeof(head),
			 "HTTP/1.1 200 OK\r\nETag: %s\r\nContent-Length: %zu\r\n\r\n",
			 server->version, len);
	lying_say(call->fd, head);
	const bool is_cut = server->cut_after > 0 && server->cut_after < len;
	lying_send(call->fd, body, is_cut ? server->cut_after : len);
	free(body);
	return !is_cut;
}

static const struct {
	const char *path;
	bool (*answer)(const struct lying_call *call);
} lying_behaviours[] = {
	{"/ok", lying_ok},
	{"/close", lying_close},
	{"/reset", lying_reset},
	{"/second-closes", lying_second_closes},
	{"/second-resets", lying_second_resets},
	{"/truncated", lying_truncated},
	{"/truncated-by-reset", lying_truncated_by_reset},
	{"/cut-status", lying_cut_status},
	{"/cut-header", lying_cut_header},
	{"/cut-before-blank-line", lying_cut_before_blank_line},
	{"/cut-chunk", lying_cut_chunk},
	{"/cut-before-last-chunk", lying_cut_before_last_chunk},
	{"/bad-chunk", lying_bad_chunk},
	{"/chunked", lying_chunked},
	{"/until-close", lying_until_close},
	{"/only-interim", lying_only_interim},
	{"/interim", lying_interim},
	{"/endless-interim", lying_endless_interim},
	{"/huge-header", lying_huge_header},
	{"/endless-body", lying_endless_body},
	{"/announces-much", lying_announces_much},
	{"/garbage", lying_garbage},
	{"/gzip", lying_gzip},
	{"/silent", lying_silent},
	{"/late", lying_late},
	{"/drip", lying_drip},
	{"/redirect", lying_redirect},
	{"/500", lying_500},
	{"/404", lying_404},
	{"/204", lying_204},
	{"/417", lying_417},
	{"/png", lying_png},
	{"/ranged", lying_ranged},
};

static void lying_record(const struct lying_call *call)
{
	struct lying_server *server = call->server;
	const size_t kept = call->len < sizeof(server->last) ? call->len : sizeof(server->last) - 1;
	unsigned char sum = 0;
	for (size_t i = 0; i < call->body_len; i++)
		sum = (unsigned char)(sum * 31 + (unsigned char)call->body[i]);
	pthread_mutex_lock(&server->lock);
	server->requests++;
	memcpy(server->last, call->text, kept);
	server->last[kept] = '\0';
	server->last_body_len = call->body_len;
	server->last_body_sum = sum;
	pthread_mutex_unlock(&server->lock);
}

static bool lying_answer(const struct lying_call *call)
{
	const char *path = strchr(call->text, ' ');
	if (path == NULL)
		return false;
	path++;
	const size_t path_len = strcspn(path, " ?");
	for (size_t i = 0; i < COUNT_OF(lying_behaviours); i++)
		if (strlen(lying_behaviours[i].path) == path_len &&
		    memcmp(path, lying_behaviours[i].path, path_len) == 0)
			return lying_behaviours[i].answer(call);
	return lying_404(call);
}

/* Reads one request whole, by Content-Length; false when the connection ends before. */
static bool lying_read(struct lying_call *call)
{
	call->len = 0;
	for (;;) {
		call->text[call->len] = '\0';
		const char *blank = strstr(call->text, "\r\n\r\n");
		if (blank != NULL) {
			const size_t head_len = (size_t)(blank - call->text) + 4;
			const char *length = strcasestr(call->text, "\r\nContent-Length:");
			call->body_len = length != NULL && length < blank
						 ? strtoul(length + 17, NULL, 10)
						 : 0;
			call->body = call->text + head_len;
			if (call->len >= head_len + call->body_len)
				return true;
		}
		struct pollfd pollfd = {.fd = call->fd, .events = POLLIN};
		if (lying_is_stopping(call->server) || call->len >= LYING_REQUEST_MAX_BYTES)
			return false;
		if (poll(&pollfd, 1, 10) <= 0)
			continue;
		const ssize_t got = recv(call->fd, call->text + call->len,
					 LYING_REQUEST_MAX_BYTES - call->len, 0);
		if (got <= 0)
			return false;
		call->len += (size_t)got;
		if (call->text[0] == 0x16) { /* a TLS handshake: told in plain text */
			lying_say(call->fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
			return false;
		}
	}
}

static void *lying_connection(void *context)
{
	struct lying_call *call = context;
	bool lives = true;
	while (lives && lying_read(call)) {
		call->number++;
		lying_record(call);
		lives = lying_answer(call);
	}
	close(call->fd);
	free(call->text);
	free(call);
	return NULL;
}

static void *lying_listen(void *context)
{
	struct lying_server *server = context;
	while (!lying_is_stopping(server)) {
		struct pollfd pollfd = {.fd = server->fd, .events = POLLIN};
		if (poll(&pollfd, 1, 10) <= 0)
			continue;
		const int fd = accept(server->fd, NULL, NULL);
		if (fd < 0)
			continue;
		struct lying_call *call = calloc(1, sizeof(*call));
		*call = (struct lying_call){.server = server, .fd = fd};
		call->text = malloc(LYING_REQUEST_MAX_BYTES + 1);
		pthread_mutex_lock(&server->lock);
		server->connections++;
		if (server->worker_count == LYING_CONNECTIONS_MAX)
			abort();
		pthread_create(&server->workers[server->worker_count++], NULL, lying_connection,
			       call);
		pthread_mutex_unlock(&server->lock);
	}
	return NULL;
}

static struct lying_server *lying_start(const char *address)
{
	struct lying_server *server = calloc(1, sizeof(*server));
	struct sockaddr_in in = {.sin_family = AF_INET};
	socklen_t len = sizeof(in);
	server->version = "\"v1\"";
	snprintf(server->address, sizeof(server->address), "%s", address);
	inet_pton(AF_INET, address, &in.sin_addr);
	pthread_mutex_init(&server->lock, NULL);
	server->fd = socket(AF_INET, SOCK_STREAM, 0);
	const bool is_listening = bind(server->fd, (struct sockaddr *)&in, len) == 0 &&
				  listen(server->fd, 128) == 0 &&
				  getsockname(server->fd, (struct sockaddr *)&in, &len) == 0;
	if (!is_listening)
		abort();
	server->port = ntohs(in.sin_port);
	server->redirect_status = 302;
	pthread_create(&server->thread, NULL, lying_listen, server);
	return server;
}

static void lying_stop(struct lying_server **server)
{
	pthread_mutex_lock(&(*server)->lock);
	(*server)->is_stopping = true;
	pthread_mutex_unlock(&(*server)->lock);
	pthread_join((*server)->thread, NULL);
	for (size_t i = 0; i < (*server)->worker_count; i++)
		pthread_join((*server)->workers[i], NULL);
	close((*server)->fd);
	pthread_mutex_destroy(&(*server)->lock);
	free(*server);
	*server = NULL;
}

static inline unsigned lying_requests(struct lying_server *server)
{
	pthread_mutex_lock(&server->lock);
	const unsigned requests = server->requests;
	pthread_mutex_unlock(&server->lock);
	return requests;
}

static inline unsigned lying_connections(struct lying_server *server)
{
	pthread_mutex_lock(&server->lock);
	const unsigned connections = server->connections;
	pthread_mutex_unlock(&server->lock);
	return connections;
}
