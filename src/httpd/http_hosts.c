/* SPDX-License-Identifier: Apache-2.0
 * See http_hosts.h. */
#include "http_hosts.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "arena.h"

#include "cidr.h"
#include "url.h"

#define ARENA_MAX_BYTES ((size_t)1 << 20)
#define PORT_DIGITS_MAX 5

/* A name in lower case without the root's dot, or an address. */
struct host {
	bool is_address;
	uint8_t address[CIDR_ADDRESS_BYTES];
	struct str name;
};

struct http_hosts {
	struct arena *arena; /* names */
	size_t count;
	size_t capacity;
	struct host hosts[];
};

static bool host_of_url(const struct url *url, struct host *host_out)
{
	*host_out = (struct host){.is_address = url->host_kind != URL_HOST_NAME, .name = url->host};
	if (url->host_kind == URL_HOST_IPV4)
		cidr_address_put_v4(host_out->address, url->address);
	else
		memcpy(host_out->address, url->address, CIDR_ADDRESS_BYTES);
	if (str_has_suffix(host_out->name, STR(".")))
		host_out->name.len--;
	return !str_is_empty(host_out->name);
}

/* Cuts ":port" off; the port may be empty (RFC 3986, 3.2.3) or 0 (of a setting). False: it is no
 * number. */
static bool port_cut(struct str *authority)
{
	const size_t bracket = str_find_char(*authority, ']', 0);
	const size_t colon = str_find_char(*authority, ':', bracket == SIZE_MAX ? 0 : bracket);
	if (colon == SIZE_MAX)
		return true;
	const struct str port = str_slice(*authority, colon + 1, authority->len);
	for (size_t i = 0; i < port.len; i++) {
		if (port.ptr[i] < '0' || port.ptr[i] > '9')
			return false;
	}
	*authority = str_slice(*authority, 0, colon);
	return port.len <= PORT_DIGITS_MAX;
}

/* "host", "host:port"; nothing before or after. */
static bool host_parse(struct arena *arena, struct str authority, struct host *host_out)
{
	static const char parting[] = {'/', '?', '#', '@', '\\'};
	struct url url;
	for (size_t i = 0; i < sizeof(parting); i++) {
		if (str_find_char(authority, parting[i], 0) != SIZE_MAX)
			return false;
	}
	return port_cut(&authority) &&
	       url_parse(arena, str_concat(arena, STR("http://"), authority), &url, NULL) ==
		       ERR_NONE &&
	       host_of_url(&url, host_out);
}

static bool host_equal(const struct host *a, const struct host *b)
{
	if (a->is_address != b->is_address)
		return false;
	return a->is_address ? memcmp(a->address, b->address, CIDR_ADDRESS_BYTES) == 0
			     : str_equal_nocase(a->name, b->name);
}

/* More than the capacity are not added: config said how many there can be. */
static void add(struct http_hosts *hosts, struct host host)
{
	if (hosts->count == hosts->capacity)
		return;
	host.name = str_copy(hosts->arena, host.name);
	hosts->hosts[hosts->count++] = host;
}

static enum err_kind add_urls(struct http_hosts *hosts, const struct http_hosts_config *config,
			      struct error *err)
{
	for (size_t i = 0; i < config->url_count; i++) {
		const char *text = config->urls[i];
		struct url url;
		struct host host;
		if (text == NULL || text[0] == '\0')
			continue;
		if (url_parse(hosts->arena, str_of(text), &url, NULL) != ERR_NONE ||
		    !host_of_url(&url, &host))
			return error_set(err, ERR_INVALID, "\"%.150s\" is not a URL", text);
		add(hosts, host);
	}
	return ERR_NONE;
}

static enum err_kind add_names(struct http_hosts *hosts, const struct http_hosts_config *config,
			       struct error *err)
{
	for (size_t i = 0; i < config->name_count; i++) {
		const char *name = config->names[i];
		struct host host;
		uint8_t address[CIDR_ADDRESS_BYTES];
		const bool is_bare_v6 =
			strchr(name, ':') != NULL && cidr_address_parse(str_of(name), address);
		const struct str text =
			is_bare_v6 ? str_format(hosts->arena, "[%s]", name) : str_of(name);
		if (!host_parse(hosts->arena, text, &host))
			return error_set(err, ERR_INVALID,
					 "\"%.150s\" is not a host name or address", name);
		add(hosts, host);
	}
	return ERR_NONE;
}

static void add_interfaces(struct http_hosts *hosts, const struct ifaddrs *first)
{
	for (const struct ifaddrs *i = first; i != NULL; i = i->ifa_next) {
		struct host host = {.is_address = true};
		if (i->ifa_addr != NULL && cidr_address_of_socket(i->ifa_addr, host.address, NULL))
			add(hosts, host);
	}
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

static bool is_everywhere(const struct host *host)
{
	return host->is_address &&
	       (cidr_address_is_v4(host->address) ? is_zero(host->address + 12, 4)
						  : is_zero(host->address, CIDR_ADDRESS_BYTES));
}

static bool is_loopback(const struct host *host)
{
	if (!host->is_address)
		return str_equal_nocase(host->name, STR("localhost"));
	return cidr_address_is_v4(host->address)
		       ? host->address[12] == 127
		       : is_zero(host->address, CIDR_ADDRESS_BYTES - 1) && host->address[15] == 1;
}

static enum err_kind add_listen(struct http_hosts *hosts, const struct http_hosts_config *config,
				const struct ifaddrs *own, struct error *err)
{
	struct host host;
	if (!host_parse(hosts->arena, str_of(config->listen), &host))
		return error_set(err, ERR_INVALID, "\"%.150s\" is not HOST:PORT", config->listen);
	if (is_everywhere(&host))
		add_interfaces(hosts, own);
	else
		add(hosts, host);
	if (is_everywhere(&host) || is_loopback(&host))
		add(hosts, (struct host){.name = STR("localhost")});
	return ERR_NONE;
}

static enum err_kind fill(struct http_hosts *hosts, const struct http_hosts_config *config,
			  const struct ifaddrs *own, struct error *err)
{
	hosts->arena = arena_new("hosts", ARENA_MAX_BYTES);
	enum err_kind kind = add_listen(hosts, config, own, err);
	if (kind == ERR_NONE)
		kind = add_urls(hosts, config, err);
	if (kind == ERR_NONE)
		kind = add_names(hosts, config, err);
	return kind;
}

enum err_kind http_hosts_new(const struct http_hosts_config *config, struct http_hosts **hosts_out,
			     struct error *err)
{
	struct ifaddrs *own = NULL;
	size_t capacity = config->url_count + config->name_count + 2; /* listen, localhost */
	*hosts_out = NULL;
	if (getifaddrs(&own) != 0)
		return error_set_native(err, ERR_INTERNAL, errno,
					"this machine's addresses cannot be listed");
	for (const struct ifaddrs *i = own; i != NULL; i = i->ifa_next)
		capacity++;
	struct http_hosts *hosts = calloc(1, sizeof(*hosts) + capacity * sizeof(hosts->hosts[0]));
	enum err_kind kind = ERR_INTERNAL;
	if (hosts == NULL) {
		error_set(err, kind, "no memory for the hosts");
	} else {
		hosts->capacity = capacity;
		kind = fill(hosts, config, own, err);
	}
	freeifaddrs(own);
	if (kind != ERR_NONE)
		http_hosts_free(&hosts);
	*hosts_out = hosts;
	return kind;
}

void http_hosts_free(struct http_hosts **hosts)
{
	if (*hosts == NULL)
		return;
	arena_free(&(*hosts)->arena);
	free(*hosts);
	*hosts = NULL;
}

bool http_hosts_has(const struct http_hosts *hosts, struct arena *arena, struct str host,
		    const struct sockaddr *local)
{
	struct host wanted;
	struct host own = {.is_address = true};
	if (hosts == NULL)
		return true;
	if (!host_parse(arena, host, &wanted))
		return false;
	for (size_t i = 0; i < hosts->count; i++) {
		if (host_equal(&hosts->hosts[i], &wanted))
			return true;
	}
	return local != NULL && cidr_address_of_socket(local, own.address, NULL) &&
	       host_equal(&own, &wanted);
}
