/* SPDX-License-Identifier: Apache-2.0
 * Which address Meta is given for a file that it fetches itself (meta.md 1): the
 * customer's own where the world can reach it, else that of our copy. Pure: nothing is resolved or
 * asked. */
#include "instagram_adapter.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "url.h"

#include "request_limits.h"

#define ADDRESS_MAX_BYTES (3 * HTTP_URL_MAX_BYTES + 64) /* each byte written as %XX */

static bool has_prefix_bits(const uint8_t *address, uint32_t network, uint32_t mask)
{
	const uint32_t value = (uint32_t)address[0] << 24 | (uint32_t)address[1] << 16 |
			       (uint32_t)address[2] << 8 | address[3];
	return (value & mask) == network;
}

/* Networks that only their own house can reach (RFC 1918, 6598, 1122, 3927). */
static bool is_private_ipv4(const uint8_t *address)
{
	static const struct {
		uint32_t network;
		uint32_t mask;
	} networks[] = {
		{0x00000000, 0xff000000}, {0x0a000000, 0xff000000}, {0x64400000, 0xffc00000},
		{0x7f000000, 0xff000000}, {0xa9fe0000, 0xffff0000}, {0xac100000, 0xfff00000},
		{0xc0a80000, 0xffff0000},
	};
	for (size_t i = 0; i < COUNT_OF(networks); i++) {
		if (has_prefix_bits(address, networks[i].network, networks[i].mask))
			return true;
	}
	return false;
}

/* Only global unicast is the world's (RFC 4291: 2000::/3). */
static bool is_private_ipv6(const uint8_t *address)
{
	return (address[0] & 0xe0) != 0x20;
}

/* Names that no public name server knows (RFC 6761, 6762, 8375, and the one reserved for private
 * use in 2024). */
static bool is_private_name(struct str host)
{
	static const char *const suffixes[] = {".localhost", ".local",     ".internal",
					       ".lan",       ".home.arpa", ".test"};
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		if (str_has_suffix(host, str_of(suffixes[i])))
			return true;
	}
	return str_find_char(host, '.', 0) == SIZE_MAX;
}

/* A customer's address may be one that only we are allowed to reach. What a name resolves to is not
 * checked here: Meta's refusal shows it. */
static bool is_public(const struct env *env, struct str text)
{
	struct url url;
	struct error err = {0};
	if (url_parse(env->arena, text, &url, &err) != ERR_NONE)
		return false;
	switch (url.host_kind) {
	case URL_HOST_NAME:
		return !is_private_name(url.host);
	case URL_HOST_IPV4:
		return !is_private_ipv4(url.address);
	case URL_HOST_IPV6:
		return !is_private_ipv6(url.address);
	}
	return false;
}

/* The same address with the bytes beyond ASCII percent-encoded (RFC 3987, 3.1). */
static struct str ascii_of(const struct env *env, struct str url)
{
	struct buf out;
	buf_init(&out, env->arena, ADDRESS_MAX_BYTES);
	for (size_t i = 0; i < url.len; i++) {
		if ((url.ptr[i] & 0x80) != 0)
			buf_addf(&out, "%%%02X", (unsigned)(unsigned char)url.ptr[i]);
		else
			buf_add_char(&out, url.ptr[i]);
	}
	return out.is_over ? url : buf_str(&out);
}

bool instagram_gives_our_copy(const struct env *env, const struct flow *flow, struct str url,
			      const struct media_file *file)
{
	return !str_is_empty(file->hosted_url) &&
	       (file->is_changed || flow_get_int(flow, INSTAGRAM_KEY_HOSTED, 0) != 0 ||
		!is_public(env, url));
}

struct str instagram_fetch_url(const struct env *env, const struct flow *flow, struct str url,
			       const struct media_file *file)
{
	return instagram_gives_our_copy(env, flow, url, file) ? file->hosted_url
							      : ascii_of(env, url);
}
