/* SPDX-License-Identifier: Apache-2.0
 * Addresses of the Internet and ranges of them. Everything is compared as 128 bits: an IPv4 address
 * stands in its v4-mapped place (::ffff:a.b.c.d), so that there is one kind of range and one way to
 * look into it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#define CIDR_ADDRESS_BYTES 16
#define CIDR_V4_PREFIX_BITS 96

struct arena;
struct sockaddr;

struct cidr {
	uint8_t address[CIDR_ADDRESS_BYTES];
	unsigned bits; /* 0 to 128 */
};

/* "10.0.0.0/8", "fd00::/8", or one address. Returns NONE, or INVALID with err->text: no range, or
 * one with bits beyond its prefix (10.0.0.5/8 may mean one address or sixteen million: its author
 * must say which). */
enum err_kind cidr_parse(const char *text, struct cidr *cidr_out, struct error *err);
bool cidr_has(const struct cidr *cidr, const uint8_t address[CIDR_ADDRESS_BYTES]);
bool cidr_any_has(const struct cidr *cidrs, size_t count,
		  const uint8_t address[CIDR_ADDRESS_BYTES]);

/* ---- addresses ---- */

/* A literal address, as inet_pton(3) takes it: no port, no brackets, no zone. */
bool cidr_address_parse(struct str text, uint8_t address_out[CIDR_ADDRESS_BYTES]);
/* The one way to write it: dotted for IPv4, also for a v4-mapped one. In arena. */
struct str cidr_address_text(struct arena *arena, const uint8_t address[CIDR_ADDRESS_BYTES]);
void cidr_address_put_v4(uint8_t address_out[CIDR_ADDRESS_BYTES], const void *four_bytes);
bool cidr_address_is_v4(const uint8_t address[CIDR_ADDRESS_BYTES]);
/* False for families that are not of the Internet. port_out may be NULL. */
bool cidr_address_of_socket(const struct sockaddr *socket_address,
			    uint8_t address_out[CIDR_ADDRESS_BYTES], uint16_t *port_out);
