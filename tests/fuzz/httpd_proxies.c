/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes httpd/http_proxies.h, codec/cidr.h and httpd/http_hosts.h: whatever a client sends in
 * front of what a trusted proxy appends, the client is who the proxy says it is; a header of
 * somebody who is no proxy means nothing; every answer is an address in its one spelling; and a
 * host that is ours holds nothing but its name and a port. */
#include "http_proxies.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"

#include "cidr.h"

#include "http.h"
#include "http_hosts.h"

#define CLIENT "198.51.100.7"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"X-Forwarded-For", "Forwarded"};
static const char *const tails[] = {CLIENT, "for=" CLIENT};

static struct sockaddr_in peer_of(const char *text)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	inet_pton(AF_INET, text, &in.sin_addr);
	return in;
}

static struct str client_of(const struct http_proxies *proxies, struct http_request *request,
			    const char *peer)
{
	const struct sockaddr_in in = peer_of(peer);
	const struct str client =
		http_proxies_client(proxies, request->arena, request, (const struct sockaddr *)&in);
	uint8_t address[CIDR_ADDRESS_BYTES];
	assert(cidr_address_parse(client, address));
	assert(str_equal(cidr_address_text(request->arena, address), client));
	return client;
}

static void check_header(struct arena *arena, enum http_proxy_header kind, struct str text)
{
	static const char *const ranges[] = {"10.0.0.0/8", "2001:db8::/32"};
	struct http_proxies *proxies = NULL;
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	if (http_proxies_new(ranges, 2, kind, &proxies, NULL) != ERR_NONE)
		abort();
	request->arena = arena;
	request->headers[0] = (struct http_header){str_of(names[kind]), text};
	request->header_count = 1;
	client_of(proxies, request, "10.0.0.1");
	assert(str_equal_z(client_of(proxies, request, "192.0.2.1"), "192.0.2.1"));
	assert(str_equal_z(client_of(NULL, request, "10.0.0.1"), "10.0.0.1"));
	/* in a line of its own, and in the same line */
	request->headers[1] = (struct http_header){str_of(names[kind]), str_of(tails[kind])};
	request->header_count = 2;
	assert(str_equal_z(client_of(proxies, request, "10.0.0.1"), CLIENT));
	request->headers[0].value =
		str_concat(arena, str_concat(arena, text, STR(", ")), str_of(tails[kind]));
	request->header_count = 1;
	assert(str_equal_z(client_of(proxies, request, "10.0.0.1"), CLIENT));
	http_proxies_free(&proxies);
}

static void check_host(struct arena *arena, struct str text)
{
	static const char *const ours[] = {"social.example.com", "198.51.100.7", "[2001:db8::7]"};
	const struct http_hosts_config config = {
		.listen = "192.0.2.1:80", .names = ours, .name_count = 3};
	static const char allowed[] =
		"0123456789:.[]abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct http_hosts *hosts = NULL;
	if (http_hosts_new(&config, &hosts, NULL) != ERR_NONE)
		abort();
	if (http_hosts_has(hosts, arena, text, NULL)) {
		for (size_t i = 0; i < text.len; i++)
			assert(str_find_char(str_of(allowed), text.ptr[i], 0) != SIZE_MAX);
	}
	http_hosts_free(&hosts);
}

static void check_range(struct arena *arena, struct str text)
{
	struct cidr cidr;
	if (str_find_char(text, '\0', 0) == SIZE_MAX &&
	    cidr_parse(str_z(arena, text), &cidr, NULL) == ERR_NONE)
		assert(cidr.bits <= 128 && cidr_has(&cidr, cidr.address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size < 4096 ? size : 4096};
	struct arena *arena = arena_new("fuzz", (size_t)8 << 20);
	check_header(arena, HTTP_PROXY_X_FORWARDED_FOR, text);
	check_header(arena, HTTP_PROXY_FORWARDED, text);
	check_host(arena, text);
	check_range(arena, text);
	arena_free(&arena);
	return 0;
}
