/* SPDX-License-Identifier: Apache-2.0
 * What each client address holds: connections, and bytes of bodies that are not answered yet. An
 * address is there as long as something of it is, so the table has the maximum of the open
 * connections. IPv6 counts by its first 64 bits: that is what one customer gets. Thread-safe. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "str.h"

#define HTTP_ADDRESS_TEXT_BYTES 48

struct http_shares;
struct sockaddr;

struct http_share {
	_Atomic unsigned connections;
	_Atomic size_t body_bytes;
	/* Below: the table's. */
	struct http_share *next;
	unsigned holders;
	unsigned slot;
	char key[HTTP_ADDRESS_TEXT_BYTES];
};

/* "192.0.2.1", "2001:db8::1", written into text_out; an IPv4 client of a dual-stack listener as
 * IPv4. Empty for NULL and for Unix sockets. */
struct str http_address_text(const struct sockaddr *address,
			     char text_out[static HTTP_ADDRESS_TEXT_BYTES]);
/* NULL when out of memory. */
struct http_shares *http_shares_new(void);
/* Every share was dropped before. Nulls; a NULL inside is fine. */
void http_shares_free(struct http_shares **shares);
/* The share of an address ("192.0.2.1", "2001:db8::1"), to be given back with http_share_drop().
 * NULL when out of memory. */
struct http_share *http_share_take(struct http_shares *shares, struct str address);
/* The share of an address that somebody else holds, and goes on holding; NULL = nobody does. */
struct http_share *http_share_find(struct http_shares *shares, struct str address);
/* Nulls; a NULL inside is fine. */
void http_share_drop(struct http_shares *shares, struct http_share **share);
/* The number of addresses that hold something; for tests. */
size_t http_shares_count(struct http_shares *shares);
