/* SPDX-License-Identifier: Apache-2.0
 * The address guard. The tables say what is not public; what they do not name and is IPv4, or lies
 * in 2000::/3, is. */
#include "guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "arena.h"
#include "count_of.h"

#include "cidr.h"
#include "url.h"

#define URL_MAX_BYTES 2048 /* design.md 7 */
#define ADDRESS_BYTES CIDR_ADDRESS_BYTES

struct guard {
	struct cidr *allow;
	size_t allow_count;
	struct cidr *deny;
	size_t deny_count;
	uint16_t *ports;
	size_t port_count;
};

static const uint16_t default_ports[] = {80, 443};

#define V4(a, b, c, d, n) \
	{ \
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, CIDR_V4_PREFIX_BITS + (n) \
	}

static const struct cidr nat64 = {{0, 0x64, 0xff, 0x9b},
				  96};          /* RFC 6052: IPv4 in the last 4 bytes */
static const struct cidr unicast = {{0x20}, 3}; /* all that IANA gives out */

/* IANA's special-purpose registries (read for rules.md 3.7), and what clouds put into public
 * space. */
static const struct cidr special[] = {
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
	if (cidr_has(&nat64, address))
		cidr_address_put_v4(inner, address + 12);
	if (!cidr_address_is_v4(inner) && (!cidr_has(&unicast, inner) || is_isatap(inner)))
		return false;
	return !cidr_any_has(special, COUNT_OF(special), inner);
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
	if (cidr_any_has(guard->allow, guard->allow_count, address))
		return port != 0 ? NULL : "bad_port";
	if (cidr_any_has(guard->deny, guard->deny_count, address) || !is_public(address))
		return "private_address";
	return has_port(guard, port) ? NULL : "bad_port";
}

bool guard_allows_address(const struct guard *guard, const struct sockaddr *address)
{
	uint8_t bytes[ADDRESS_BYTES];
	uint16_t port;
	return cidr_address_of_socket(address, bytes, &port) &&
	       check_address(guard, bytes, port) == NULL;
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
		cidr_address_put_v4(address, url->address);
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

static enum err_kind parse_ranges(const char *const *texts, size_t count, struct cidr *ranges,
				  struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = cidr_parse(texts[i], &ranges[i], err);
	return kind;
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
		struct cidr *range = &guard->deny[guard->deny_count];
		if (i->ifa_addr == NULL ||
		    !cidr_address_of_socket(i->ifa_addr, range->address, NULL))
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
