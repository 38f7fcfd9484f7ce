/* SPDX-License-Identifier: Apache-2.0
 * See http_proxies.h. */
#include "http_proxies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "arena.h"

#include "cidr.h"

#include "http.h"

struct http_proxies {
	enum http_proxy_header header;
	size_t count;
	struct cidr ranges[];
};

static const char *const header_names[] = {
	[HTTP_PROXY_X_FORWARDED_FOR] = "X-Forwarded-For",
	[HTTP_PROXY_FORWARDED] = "Forwarded",
};

enum err_kind http_proxies_new(const char *const *ranges, size_t count,
			       enum http_proxy_header header, struct http_proxies **proxies_out,
			       struct error *err)
{
	struct http_proxies *proxies =
		calloc(1, sizeof(*proxies) + count * sizeof(proxies->ranges[0]));
	if (proxies == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the trusted proxies");
	proxies->header = header;
	proxies->count = count;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = cidr_parse(ranges[i], &proxies->ranges[i], err);
	if (kind != ERR_NONE)
		http_proxies_free(&proxies);
	*proxies_out = proxies;
	return kind;
}

void http_proxies_free(struct http_proxies **proxies)
{
	free(*proxies);
	*proxies = NULL;
}

static bool is_trusted(const struct http_proxies *proxies,
		       const uint8_t address[CIDR_ADDRESS_BYTES])
{
	return proxies != NULL && cidr_any_has(proxies->ranges, proxies->count, address);
}

bool http_proxies_has(const struct http_proxies *proxies, const struct sockaddr *peer)
{
	uint8_t address[CIDR_ADDRESS_BYTES];
	return cidr_address_of_socket(peer, address, NULL) && is_trusted(proxies, address);
}

/* ---- lists, from the right ----
 * What a trusted proxy has added stands at the end and is well-formed; what stands before it may be
 * anything, such as a quote that is never closed. Read from the left it could swallow the rest. */

static bool is_escaped(struct str text, size_t at)
{
	size_t backslashes = 0;
	while (backslashes < at && text.ptr[at - backslashes - 1] == '\\')
		backslashes++;
	return backslashes % 2 == 1;
}

/* Cuts the last member off rest; separators between quotes do not part. False: there is none. */
static bool take_last(struct str *rest, char separator, struct str *member_out)
{
	bool is_quoted = false;
	size_t at = rest->len;
	if (rest->ptr == NULL)
		return false;
	while (at > 0 && (is_quoted || rest->ptr[at - 1] != separator)) {
		at--;
		if (rest->ptr[at] == '"' && !is_escaped(*rest, at))
			is_quoted = !is_quoted;
	}
	*member_out = str_trim(str_slice(*rest, at, rest->len));
	*rest = at > 0 ? str_slice(*rest, 0, at - 1) : (struct str){0};
	return true;
}

/* ---- one member ---- */

static bool is_port(struct str text)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\0' || strchr(allowed, text.ptr[i]) == NULL)
			return false;
	}
	return !str_is_empty(text);
}

/* RFC 7239, 6: "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80"; also an IPv6
 * address without brackets, as X-Forwarded-For has it. */
static bool node_parse(struct str node, uint8_t address_out[CIDR_ADDRESS_BYTES])
{
	const bool is_bracketed = str_skip(&node, STR("["));
	const size_t end = str_find_char(node, is_bracketed ? ']' : ':', 0);
	const struct str host = str_slice(node, 0, end);
	struct str rest = end == SIZE_MAX ? STR("") : str_slice(node, end, node.len);
	if (is_bracketed && (!str_skip(&rest, STR("]")) || str_find_char(host, ':', 0) == SIZE_MAX))
		return false;
	if (!is_bracketed && str_find_char(rest, ':', 1) != SIZE_MAX)
		return cidr_address_parse(node, address_out);
	if (!str_is_empty(rest) && !(str_skip(&rest, STR(":")) && is_port(rest)))
		return false;
	return cidr_address_parse(host, address_out);
}

/* The value of the one pair for=VALUE of a member of Forwarded. */
static bool for_of(struct str member, struct str *node_out)
{
	bool is_found = false;
	struct str pair;
	while (take_last(&member, ';', &pair)) {
		const size_t equals = str_find_char(pair, '=', 0);
		if (equals == SIZE_MAX || !str_equal_nocase(str_slice(pair, 0, equals), STR("for")))
			continue;
		if (is_found)
			return false;
		*node_out = str_slice(pair, equals + 1, pair.len);
		is_found = true;
	}
	/* An address has nothing that would be escaped. */
	if (is_found && node_out->len >= 2 && str_has_prefix(*node_out, STR("\"")) &&
	    str_has_suffix(*node_out, STR("\"")))
		*node_out = str_slice(*node_out, 1, node_out->len - 1);
	return is_found;
}

static bool member_parse(const struct http_proxies *proxies, struct str member,
			 uint8_t address_out[CIDR_ADDRESS_BYTES])
{
	struct str node = member;
	if (proxies->header == HTTP_PROXY_FORWARDED && !for_of(member, &node))
		return false;
	return node_parse(node, address_out);
}

/* Goes from address, a trusted proxy, to who called it and so on, through one line of the header.
 * False: address is the client. */
static bool walk(const struct http_proxies *proxies, struct str line,
		 uint8_t address[CIDR_ADDRESS_BYTES])
{
	struct str member;
	while (take_last(&line, ',', &member)) {
		uint8_t next[CIDR_ADDRESS_BYTES];
		if (str_is_empty(member)) /* RFC 9110, 5.6.1 */
			continue;
		if (!member_parse(proxies, member, next))
			return false;
		memcpy(address, next, CIDR_ADDRESS_BYTES);
		if (!is_trusted(proxies, address))
			return false;
	}
	return true;
}

struct str http_proxies_client(const struct http_proxies *proxies, struct arena *arena,
			       const struct http_request *request, const struct sockaddr *peer)
{
	uint8_t address[CIDR_ADDRESS_BYTES];
	if (!cidr_address_of_socket(peer, address, NULL))
		return (struct str){0};
	bool is_on = is_trusted(proxies, address);
	for (size_t i = request->header_count; i > 0 && is_on; i--) {
		const struct http_header *header = &request->headers[i - 1];
		if (str_equal_nocase(header->name, str_of(header_names[proxies->header])))
			is_on = walk(proxies, header->value, address);
	}
	return cidr_address_text(arena, address);
}
