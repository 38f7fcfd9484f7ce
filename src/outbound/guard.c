/* SPDX-License-Identifier: Apache-2.0
 * The address guard. Everything is compared as 128 bits: an IPv4 address stands in its v4-mapped
 * place (::ffff:a.b.c.d), so that there is one kind of range and one way to look into it. The
 * tables say what is not public; what they do not name and is IPv4, or lies in 2000::/3, is. */
#include "guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "arena.h"
#include "count_of.h"

#include "url.h"

#define URL_MAX_BYTES 2048 /* design.md 7 */
#define ADDRESS_BYTES 16
#define V4_PREFIX_BITS 96

struct range {
	uint8_t address[ADDRESS_BYTES];
	unsigned bits;
};

struct guard {
	struct range *allow;
	size_t allow_count;
	struct range *deny;
	size_t deny_count;
	uint16_t *ports;
	size_t port_count;
};

static const uint16_t default_ports[] = {80, 443};

#define V4(a, b, c, d, n) \
	{ \
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, V4_PREFIX_BITS + (n) \
	}

static const struct range mapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, V4_PREFIX_BITS};
static const struct range nat64 = {{0, 0x64, 0xff, 0x9b},
				   96};          /* RFC 6052: IPv4 in the last 4 bytes */
static const struct range unicast = {{0x20}, 3}; /* all that IANA gives out */

/* IANA's special-purpose registries (read for rules.md 3.7), and what clouds put into public
 * space. */
static const struct range special[] = {
	V4(0, 0, 0, 0, 8),              /* this host; Linux takes it for loopback */
	V4(10, 0, 0, 0, 8),             /* RFC 1918 */
	V4(100, 64, 0, 0, 10),          /* carrier NAT; Alibaba's metadata */
	V4(127, 0, 0, 0, 8),            /* loopback */
	V4(168, 63, 129, 16, 32),       /* Azure WireServer, in public space */
	V4(169, 254, 0, 0, 16),         /* link-local; metadata of most clouds */
	V4(172, 16, 0, 0, 12),          /* RFC 1918 */
	V4(192, 0, 0, 0, 24),           /* protocol assignments; Oracle's metadata */
	V4(192, 0, 2, 0, 24),           /* documentation */
	V4(192, 88, 99, 0, 24),         /* 6to4 relays */
	V4(192, 168, 0, 0, 16),         /* RFC 1918 */
	V4(198, 18, 0, 0, 15),          /* benchmarking */
	V4(198, 51, 100, 0, 24),        /* documentation */
	V4(203, 0, 113, 0, 24),         /* documentation */
	V4(224, 0, 0, 0, 4),            /* multicast */
	V4(240, 0, 0, 0, 4),            /* reserved; broadcast */
	{{0x20, 0x01}, 23},             /* protocol assignments: Teredo, benchmarking, ORCHID */
	{{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
	{{0x20, 0x02}, 16},             /* 6to4: carries any IPv4 address */
	{{0x3f, 0xff}, 20},             /* documentation, RFC 9637 */
};

/* Names that are local by definition (RFC 6761, 6762, 8375, ICANN's reserved ones). Compared with
 * the end of the name. */
static const char *const local_names[] = {
	"localhost", "localdomain", "local", "internal", "intranet", "private",
	"svc",       "home.arpa",   "home",  "lan",      "corp",
};

static bool range_has(const struct range *range, const uint8_t address[ADDRESS_BYTES])
{
	const unsigned bytes = range->bits / 8;
	const unsigned rest = range->bits % 8;
	if (memcmp(range->address, address, bytes) != 0)
		return false;
	return rest == 0 || ((range->address[bytes] ^ address[bytes]) >> (8 - rest)) == 0;
}

static bool any_has(const struct range *ranges, size_t count, const uint8_t address[ADDRESS_BYTES])
{
	for (size_t i = 0; i < count; i++)
		if (range_has(&ranges[i], address))
			return true;
	return false;
}

static void put_v4(uint8_t out[ADDRESS_BYTES], const void *four_bytes)
{
	memcpy(out, mapped.address, 12);
	memcpy(out + 12, four_bytes, 4);
}

/* An interface id 0000:5efe or 0200:5efe and an IPv4 address: ISATAP (RFC 5214 6.1), a tunnel to
 * that address. */
static bool is_isatap(const uint8_t address[ADDRESS_BYTES])
{
	return (address[8] & 0xfd) == 0 && address[9] == 0 && address[10] == 0x5e &&
	       address[11] == 0xfe;
}

static bool is_public(const uint8_t address[ADDRESS_BYTES])
{
	uint8_t inner[ADDRESS_BYTES];
	memcpy(inner, address, ADDRESS_BYTES);
	if (range_has(&nat64, address))
		put_v4(inner, address + 12);
	if (!range_has(&mapped, inner) && (!range_has(&unicast, inner) || is_isatap(inner)))
		return false;
	return !any_has(special, COUNT_OF(special), inner);
}

static bool has_port(const struct guard *guard, uint16_t port)
{
	for (size_t i = 0; i < guard->port_count; i++)
		if (guard->ports[i] == port)
			return true;
	return false;
}

/* NULL, or why not. The operator's word goes first: an address in an allowed range may use any
 * port. */
static const char *check_address(const struct guard *guard, const uint8_t address[ADDRESS_BYTES],
				 uint16_t port)
{
	if (any_has(guard->allow, guard->allow_count, address))
		return port != 0 ? NULL : "bad_port";
	if (any_has(guard->deny, guard->deny_count, address) || !is_public(address))
		return "private_address";
	return has_port(guard, port) ? NULL : "bad_port";
}

/* False for families that are not of the Internet. */
static bool unpack(const struct sockaddr *address, uint8_t out[ADDRESS_BYTES], uint16_t *port_out)
{
	if (address->sa_family == AF_INET) {
		struct sockaddr_in in;
		memcpy(&in, address, sizeof(in));
		put_v4(out, &in.sin_addr);
		*port_out = ntohs(in.sin_port);
		return true;
	}
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, address, sizeof(in6));
		memcpy(out, &in6.sin6_addr, ADDRESS_BYTES);
		*port_out = ntohs(in6.sin6_port);
		return true;
	}
	return false;
}

bool guard_allows_address(const struct guard *guard, const struct sockaddr *address)
{
	uint8_t bytes[ADDRESS_BYTES];
	uint16_t port;
	return unpack(address, bytes, &port) && check_address(guard, bytes, port) == NULL;
}

static bool is_within(struct str name, struct str domain)
{
	if (!str_has_suffix(name, domain))
		return false;
	return name.len == domain.len || name.ptr[name.len - domain.len - 1] == '.';
}

static bool is_local_name(struct str name)
{
	if (str_find_char(name, '.', 0) == SIZE_MAX)
		return true; /* one label: a search domain's or /etc/hosts's business */
	for (size_t i = 0; i < COUNT_OF(local_names); i++)
		if (is_within(name, str_of(local_names[i])))
			return true;
	return false;
}

/* With allowed ranges a local name or another port may be meant for one of them: its address will
 * decide, at the socket. */
static const char *check_name(const struct guard *guard, struct str host, uint16_t port)
{
	const bool has_root_dot = str_has_suffix(host, STR("."));
	const struct str name = str_slice(host, 0, host.len - (has_root_dot ? 1 : 0));
	if (is_within(name, STR("onion"))) /* RFC 7686: never to reach DNS */
		return "bad_host";
	if (guard->allow_count > 0)
		return NULL;
	if (is_local_name(name))
		return "bad_host";
	return has_port(guard, port) ? NULL : "bad_port";
}

static const char *check_host(const struct guard *guard, const struct url *url)
{
	uint8_t address[ADDRESS_BYTES];
	switch (url->host_kind) {
	case URL_HOST_NAME:
		return check_name(guard, url->host, url->port);
	case URL_HOST_IPV4:
		put_v4(address, url->address);
		return check_address(guard, address, url->port);
	case URL_HOST_IPV6:
		return check_address(guard, url->address, url->port);
	}
	return "malformed";
}

static bool is_https(struct str url)
{
	return str_equal_nocase(str_slice(url, 0, 6), STR("https:"));
}

static bool starts_as_http(struct str url)
{
	return str_equal_nocase(str_slice(url, 0, 5), STR("http:")) || is_https(url);
}

const char *guard_check_url(const struct guard *guard, struct arena *arena, struct str text)
{
	struct url url;
	if (text.len > URL_MAX_BYTES)
		return "too_long";
	if (!starts_as_http(text))
		return "not_http";
	if (url_parse(arena, text, &url, NULL) != ERR_NONE)
		return "malformed";
	if (!str_is_empty(url.userinfo))
		return "userinfo";
	if (url.port == 0)
		return "bad_port";
	return check_host(guard, &url);
}

const char *guard_check_redirect(const struct guard *guard, struct arena *arena, struct str from,
				 struct str to)
{
	const char *reason = guard_check_url(guard, arena, to);
	if (reason == NULL && is_https(from) && !is_https(to))
		return "downgrade";
	return reason;
}

/* "10.0.0.0/8", "fd00::/8", or one address. */
static bool parse_range(const char *text, struct range *range_out)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchrnul(text, '/');
	const size_t address_bytes = (size_t)(slash - text);
	if (address_bytes >= sizeof(address))
		return false;
	memcpy(address, text, address_bytes);
	address[address_bytes] = '\0';
	struct in_addr v4;
	unsigned base_bits = 0;
	if (inet_pton(AF_INET, address, &v4) == 1) {
		put_v4(range_out->address, &v4);
		base_bits = V4_PREFIX_BITS;
	} else if (inet_pton(AF_INET6, address, range_out->address) != 1) {
		return false;
	}
	uint64_t bits = 128 - base_bits;
	if (*slash == '/' && !str_parse_u64(str_of(slash + 1), &bits))
		return false;
	range_out->bits = base_bits + (unsigned)(bits > 128 ? 129 : bits);
	return range_out->bits <= 128;
}

/* 10.0.0.5/8 may mean one address or sixteen million: its author must say which. */
static bool has_bits_beyond(const struct range *range)
{
	for (unsigned i = range->bits; i < 128; i++)
		if ((range->address[i / 8] >> (7 - i % 8) & 1) != 0)
			return true;
	return false;
}

static enum err_kind parse_ranges(const char *const *texts, size_t count, struct range *ranges,
				  struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!parse_range(texts[i], &ranges[i]))
			return error_set(err, ERR_INVALID, "\"%.60s\" is not an address range",
					 texts[i]);
		if (has_bits_beyond(&ranges[i]))
			return error_set(err, ERR_INVALID,
					 "the range \"%.60s\" has bits set beyond its prefix",
					 texts[i]);
	}
	return ERR_NONE;
}

static size_t count_interfaces(const struct ifaddrs *first)
{
	size_t count = 0;
	for (const struct ifaddrs *i = first; i != NULL; i = i->ifa_next)
		count++;
	return count;
}

/* Appends this machine's own addresses to deny, which has room for them. */
static void add_own_addresses(struct guard *guard, const struct ifaddrs *first)
{
	for (const struct ifaddrs *i = first; i != NULL; i = i->ifa_next) {
		struct range *range = &guard->deny[guard->deny_count];
		uint16_t port;
		if (i->ifa_addr == NULL || !unpack(i->ifa_addr, range->address, &port))
			continue;
		range->bits = 128;
		guard->deny_count++;
	}
}

static bool allocate(struct guard *guard, const struct guard_config *config, size_t own_count)
{
	const bool has_ports = config->ports != NULL;
	guard->port_count = has_ports ? config->port_count : COUNT_OF(default_ports);
	/* One more of each, so that none is of size 0. */
	guard->allow = calloc(config->allow_cidr_count + 1, sizeof(*guard->allow));
	guard->deny = calloc(config->deny_cidr_count + own_count + 1, sizeof(*guard->deny));
	guard->ports = calloc(guard->port_count + 1, sizeof(*guard->ports));
	if (guard->allow == NULL || guard->deny == NULL || guard->ports == NULL)
		return false;
	const uint16_t *ports = has_ports ? config->ports : default_ports;
	for (size_t i = 0; i < guard->port_count; i++)
		guard->ports[i] = ports[i];
	return true;
}

static enum err_kind fill(struct guard *guard, const struct guard_config *config,
			  const struct ifaddrs *own, struct error *err)
{
	if (!allocate(guard, config, count_interfaces(own)))
		return error_set(err, ERR_INTERNAL, "no memory for the address guard");
	enum err_kind kind =
		parse_ranges(config->allow_cidrs, config->allow_cidr_count, guard->allow, err);
	if (kind == ERR_NONE)
		kind = parse_ranges(config->deny_cidrs, config->deny_cidr_count, guard->deny, err);
	if (kind != ERR_NONE)
		return kind;
	guard->allow_count = config->allow_cidr_count;
	guard->deny_count = config->deny_cidr_count;
	add_own_addresses(guard, own);
	return ERR_NONE;
}

enum err_kind guard_new(const struct guard_config *config, struct guard **guard_out,
			struct error *err)
{
	struct ifaddrs *own = NULL;
	if (config->refuse_own_addresses && getifaddrs(&own) != 0)
		return error_set_native(err, ERR_INTERNAL, errno,
					"this machine's addresses could not be listed");
	struct guard *guard = calloc(1, sizeof(*guard));
	enum err_kind kind = guard != NULL ? fill(guard, config, own, err)
					   : error_set(err, ERR_INTERNAL, "no memory for a guard");
	freeifaddrs(own);
	if (kind != ERR_NONE)
		guard_free(&guard);
	else
		*guard_out = guard;
	return kind;
}

void guard_free(struct guard **guard)
{
	if (*guard == NULL)
		return;
	free((*guard)->allow);
	free((*guard)->deny);
	free((*guard)->ports);
	free(*guard);
	*guard = NULL;
}
