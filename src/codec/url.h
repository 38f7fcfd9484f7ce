/* SPDX-License-Identifier: Apache-2.0
 * Absolute http(s) URLs, strictly. Refuses what two parsers could read differently
 * (rules.md 3.7): userinfo on request, backslashes, control characters, blanks, raw non-ASCII
 * hosts, empty hosts, non-canonical IPv4 (octal, hex, short, dword), brackets around anything but
 * an IPv6 literal, zone ids, percent-encoded hosts. Whether an address may be reached is
 * outbound/guard.h. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;

enum url_host_kind { URL_HOST_NAME, URL_HOST_IPV4, URL_HOST_IPV6 };

struct url {
	struct str scheme;   /* "http" or "https", lower case */
	struct str userinfo; /* empty when none */
	struct str host;     /* lower case; an IPv6 literal without its brackets */
	enum url_host_kind host_kind;
	uint8_t address[16]; /* network order, 4 or 16 bytes used, for literal hosts */
	uint16_t port;       /* explicit or the scheme's */
	bool has_port;
	struct str path;     /* starts with '/', or empty */
	struct str query;    /* without '?', empty when none */
	struct str fragment; /* without '#', empty when none */
	bool has_fragment;
};

/* Returns NONE, or INVALID with err->text naming what is wrong ("the host is empty"). Views point
 * into text and arena. */
enum err_kind url_parse(struct arena *arena, struct str text, struct url *url_out,
			struct error *err);
/* "host" or "host:port" (brackets put back), as in a Host header or an origin. */
struct str url_authority(struct arena *arena, const struct url *url);
/* "https://host:port" without a default port. */
struct str url_origin(struct arena *arena, const struct url *url);
/* Our parameters appended to url's own query, after parameters of the same names were taken out of
 * it (api-decisions.md 5). url is a valid absolute URL without fragment. names/values: count pairs;
 * a value whose ptr is NULL only takes its name out. */
struct str url_with_query(struct arena *arena, struct str url, const struct str *names,
			  const struct str *values, size_t count);
