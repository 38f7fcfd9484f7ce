/* SPDX-License-Identifier: Apache-2.0
 * The hosts that a listener answers for (design.md 5). A web page of somebody else whose name is
 * pointed at our address (DNS rebinding) sends its own name in Host and is refused; so is a request
 * that a proxy sent to the wrong server. Names and literal addresses count, ports do not: a proxy
 * or a forwarded port may change them. Read-only after opening: any thread may use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct arena;
struct http_hosts;
struct sockaddr;

struct http_hosts_config {
	/* Where we listen, HOST:PORT. An address of all interfaces stands for the addresses that
	 * this machine has now; a loopback address and one of all interfaces also for the name
	 * localhost. */
	const char *listen;
	const char *const *urls; /* their hosts; NULL and "" are skipped */
	size_t url_count;
	const char *const *names; /* "api.example.com", "10.0.0.1", "[2001:db8::1]" */
	size_t name_count;
};

/* Copies config. The caller frees *hosts_out with http_hosts_free(). INVALID: a URL, name or
 * address that cannot be read (err->text names it); INTERNAL: no memory, or the machine's addresses
 * cannot be listed. */
enum err_kind http_hosts_new(const struct http_hosts_config *config, struct http_hosts **hosts_out,
			     struct error *err);
/* Frees and sets NULL; takes NULL inside. */
void http_hosts_free(struct http_hosts **hosts);
/* Is host, the value of a Host header or an authority, one of them? So is the literal address that
 * the client has connected to: local, the socket's own end; NULL = not known. hosts NULL: every
 * host is. arena is for the reading. */
bool http_hosts_has(const struct http_hosts *hosts, struct arena *arena, struct str host,
		    const struct sockaddr *local);
