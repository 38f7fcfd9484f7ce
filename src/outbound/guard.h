/* SPDX-License-Identifier: Apache-2.0
 * The address guard (rules.md 4.1, API7): may this URL, this address, be reached on behalf of
 * a customer? Looks at syntax and literal addresses when a URL is accepted, and at the socket
 * address when a connection is made; never trusts a name. Public means globally reachable unicast;
 * the operator may add ranges (--media-allow) and ports. Pure apart from its settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct sockaddr;
struct guard;

struct guard_config {
	const char *const *allow_cidrs; /* "127.0.0.0/8", "fd00::/8"; count entries */
	size_t allow_cidr_count;
	/* NULL = 80 and 443; an address inside an allowed range may use any port */
	const uint16_t *ports;
	size_t port_count;
	/* refused although public, such as our own public address; allow_cidrs goes before it */
	const char *const *deny_cidrs;
	size_t deny_cidr_count;
	/* the addresses of this machine's interfaces, as they are when the guard is made */
	bool refuse_own_addresses;
};

/* Copies config. INVALID: a range that is not one (err->text names it); INTERNAL: no memory. */
enum err_kind guard_new(const struct guard_config *config, struct guard **guard_out,
			struct error *err);
/* Nulls the pointer; NULL inside is fine. */
void guard_free(struct guard **guard);
/* By syntax alone, resolving nothing: NULL = may be tried; else a stable reason slug: "not_http",
 * "too_long" (over 2,048 bytes), "malformed", "userinfo", "bad_host", "private_address",
 * "bad_port". With allowed ranges, local names and other ports pass here: the address decides when
 * the connection is made. */
const char *guard_check_url(const struct guard *guard, struct arena *arena, struct str url);
/* The same for the target of a redirect (absolute) from a URL that passed; also "downgrade" for
 * https to http. */
const char *guard_check_redirect(const struct guard *guard, struct arena *arena, struct str from,
				 struct str to);
/* The address a connection would really go to. A v4-mapped or NAT64 IPv6 address is looked at as
 * IPv4. The port counts too. */
bool guard_allows_address(const struct guard *guard, const struct sockaddr *address);
