/* SPDX-License-Identifier: Apache-2.0
 * See cidr.h. */
#include "cidr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "arena.h"

static const struct cidr mapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, CIDR_V4_PREFIX_BITS};

void cidr_address_put_v4(uint8_t address_out[CIDR_ADDRESS_BYTES], const void *four_bytes)
{
	memcpy(address_out, mapped.address, 12);
	memcpy(address_out + 12, four_bytes, 4);
}

bool cidr_address_is_v4(const uint8_t address[CIDR_ADDRESS_BYTES])
{
	return cidr_has(&mapped, address);
}

bool cidr_address_of_socket(const struct sockaddr *socket_address,
			    uint8_t address_out[CIDR_ADDRESS_BYTES], uint16_t *port_out)
{
	uint16_t port = 0;
	if (socket_address->sa_family == AF_INET) {
		struct sockaddr_in in;
		memcpy(&in, socket_address, sizeof(in));
		cidr_address_put_v4(address_out, &in.sin_addr);
		port = ntohs(in.sin_port);
	} else if (socket_address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, socket_address, sizeof(in6));
		memcpy(address_out, &in6.sin6_addr, CIDR_ADDRESS_BYTES);
		port = ntohs(in6.sin6_port);
	} else {
		return false;
	}
	if (port_out != NULL)
		*port_out = port;
	return true;
}

bool cidr_address_parse(struct str text, uint8_t address_out[CIDR_ADDRESS_BYTES])
{
	char address[INET6_ADDRSTRLEN];
	struct in_addr v4;
	if (text.len >= sizeof(address) || str_find_char(text, '\0', 0) != SIZE_MAX)
		return false;
	if (text.len > 0)
		memcpy(address, text.ptr, text.len);
	address[text.len] = '\0';
	if (inet_pton(AF_INET, address, &v4) == 1) {
		cidr_address_put_v4(address_out, &v4);
		return true;
	}
	return inet_pton(AF_INET6, address, address_out) == 1;
}

struct str cidr_address_text(struct arena *arena, const uint8_t address[CIDR_ADDRESS_BYTES])
{
	char text[INET6_ADDRSTRLEN] = "";
	if (cidr_address_is_v4(address))
		inet_ntop(AF_INET, address + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, address, text, sizeof(text));
	return str_copy(arena, str_of(text));
}

bool cidr_has(const struct cidr *cidr, const uint8_t address[CIDR_ADDRESS_BYTES])
{
	const unsigned bytes = cidr->bits / 8;
	const unsigned rest = cidr->bits % 8;
	if (memcmp(cidr->address, address, bytes) != 0)
		return false;
	return rest == 0 || ((cidr->address[bytes] ^ address[bytes]) >> (8 - rest)) == 0;
}

bool cidr_any_has(const struct cidr *cidrs, size_t count, const uint8_t address[CIDR_ADDRESS_BYTES])
{
	for (size_t i = 0; i < count; i++)
		if (cidr_has(&cidrs[i], address))
			return true;
	return false;
}

static bool range_parse(struct str text, struct cidr *cidr_out)
{
	const size_t slash = str_find_char(text, '/', 0);
	if (!cidr_address_parse(str_slice(text, 0, slash), cidr_out->address))
		return false;
	/* "::ffff:10.0.0.0/104" counts its bits as an IPv6 range */
	const bool is_v6 = str_find_char(text, ':', 0) != SIZE_MAX;
	const unsigned base_bits = is_v6 ? 0 : CIDR_V4_PREFIX_BITS;
	uint64_t bits = 128 - base_bits;
	if (slash != SIZE_MAX && !str_parse_u64(str_slice(text, slash + 1, text.len), &bits))
		return false;
	cidr_out->bits = base_bits + (unsigned)(bits > 128 ? 129 : bits);
	return cidr_out->bits <= 128;
}

static bool has_bits_beyond(const struct cidr *cidr)
{
	for (unsigned i = cidr->bits; i < 128; i++)
		if ((cidr->address[i / 8] >> (7 - i % 8) & 1) != 0)
			return true;
	return false;
}

enum err_kind cidr_parse(const char *text, struct cidr *cidr_out, struct error *err)
{
	if (!range_parse(str_of(text), cidr_out))
		return error_set(err, ERR_INVALID, "\"%.60s\" is not an address range", text);
	if (has_bits_beyond(cidr_out))
		return error_set(err, ERR_INVALID,
				 "the range \"%.60s\" has bits set beyond its prefix", text);
	return ERR_NONE;
}
