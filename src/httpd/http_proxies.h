/* SPDX-License-Identifier: Apache-2.0
 * Reverse proxies that the operator trusts (design.md 5): who the client of a request is when one
 * of them hands it on. Only the header that the operator named is read, from the right: each proxy
 * adds the address it was called from at the end, so everything to the left of the first address
 * that is no trusted proxy may be invented. Read-only after opening: any thread may use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct arena;
struct http_proxies;
struct http_request;
struct sockaddr;

enum http_proxy_header {
	HTTP_PROXY_X_FORWARDED_FOR,
	HTTP_PROXY_FORWARDED /* RFC 7239 */
};

/* ranges: "10.0.0.0/8", "::1"; count of them, 0 is fine. The caller frees *proxies_out with
 * http_proxies_free(). INVALID: a range that is not one (err->text names it); INTERNAL: no
 * memory. */
enum err_kind http_proxies_new(const char *const *ranges, size_t count,
			       enum http_proxy_header header, struct http_proxies **proxies_out,
			       struct error *err);
/* Frees and sets NULL; takes NULL inside. */
void http_proxies_free(struct http_proxies **proxies);
/* Is this peer a trusted proxy? proxies NULL: none is. */
bool http_proxies_has(const struct http_proxies *proxies, const struct sockaddr *peer);
/* The address of the request's client as text, IPv4 dotted. The peer's own, unless that is a
 * trusted proxy: then the right-most address of the header that is not one. Where an entry is no
 * address ("unknown"), or all are trusted, it is that of the last proxy that can be told. Empty for
 * a peer that is not of the Internet (Unix sockets). proxies may be NULL. In arena. */
struct str http_proxies_client(const struct http_proxies *proxies, struct arena *arena,
			       const struct http_request *request, const struct sockaddr *peer);
