/* SPDX-License-Identifier: Apache-2.0
 * The listening socket: reads the address, binds, listens. Accepting is httpd.c's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct listening {
	int fd;
	uint16_t port;      /* the one in use; 0 for Unix sockets */
	char base_url[320]; /* "http://127.0.0.1:8080"; empty for Unix sockets */
};

/* address: "127.0.0.1:8080", "[::1]:0", "localhost:8080". Non-blocking, close-on-exec. May block on
 * the resolver for a name. Returns NONE, INVALID (not readable), TEMPORARY (in use, not ours). */
enum err_kind http_listen_tcp(const char *address, struct listening *listening_out,
			      struct error *err);
/* A TCP socket that listens already, handed over by whoever started this process. Takes it over on
 * NONE: non-blocking and close-on-exec from now on. INVALID: it is no listening TCP socket. */
enum err_kind http_listen_adopt(int fd, struct listening *listening_out, struct error *err);
/* "127.0.0.1:8080" or "[::1]:8080": where the socket is bound. False: no TCP socket. */
bool http_listen_address(int fd, char *out, size_t size_bytes);
/* A Unix socket with mode 0600. A socket file that is there is replaced; any other file is
 * INVALID. */
enum err_kind http_listen_unix(const char *path, struct listening *listening_out,
			       struct error *err);
