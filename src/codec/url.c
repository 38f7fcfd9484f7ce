/* SPDX-License-Identifier: Apache-2.0
 * URLs: RFC 3986 narrowed to what every parser reads alike. Where this file is stricter than the
 * RFC it says against which other reading; the tricks are those of rules.md 3.7. The pieces
 * are cut first, then each piece is judged. */
#include "url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "utf8.h"

#define LABEL_BYTES_MAX 63 /* RFC 1035, 2.3.4 */
#define NAME_BYTES_MAX 253

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool all_of(struct str s, bool (*is_member)(char c))
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_member(s.ptr[i]))
			return false;
	}
	return !str_is_empty(s);
}

/* Some parsers trim or delete blanks and controls, and read a backslash as a slash. */
static const char *check_bytes(struct str text)
{
	if (!utf8_is_valid(text))
		return "it is not valid UTF-8";
	if (utf8_has_control(text))
		return "it contains a control character";
	if (str_find_char(text, ' ', 0) != SIZE_MAX)
		return "it contains a space";
	if (str_find_char(text, '\\', 0) != SIZE_MAX)
		return "it contains a backslash";
	return NULL;
}

static const char *take_scheme(struct str *in, struct url *url)
{
	static const struct {
		struct str name;
		uint16_t port;
	} schemes[] = {{{"http", 4}, 80}, {{"https", 5}, 443}};
	struct str name;
	if (!str_take_until(in, ':', &name))
		return "it has no scheme";
	for (size_t i = 0; i < COUNT_OF(schemes); i++) {
		if (!str_equal_nocase(name, schemes[i].name))
			continue;
		url->scheme = schemes[i].name;
		url->port = schemes[i].port;
		return str_skip(in, STR("://")) ? NULL : "the scheme is not followed by ://";
	}
	return "the scheme is not http or https";
}

static struct str take_authority(struct str *in)
{
	size_t end = 0;
	while (end < in->len && memchr("/?#", in->ptr[end], 3) == NULL)
		end++;
	const struct str authority = str_slice(*in, 0, end);
	*in = str_slice(*in, end, in->len);
	return authority;
}

/* An empty userinfo could not be distinguished from none. A second '@', about which parsers differ,
 * stays in the host and is refused there. */
static const char *take_userinfo(struct str *authority, struct url *url)
{
	struct str userinfo;
	if (!str_take_until(authority, '@', &userinfo))
		return NULL;
	(void)str_skip(authority, STR("@"));
	if (str_is_empty(userinfo))
		return "the part before @ is empty";
	url->userinfo = userinfo;
	return NULL;
}

/* "Ends in a number", as the WHATWG URL standard (3.5) decides which hosts some reader takes for an
 * IPv4 address. */
static bool ends_in_number(struct str host)
{
	struct str rest = host;
	struct str label = {0};
	if (str_has_suffix(rest, STR(".")))
		rest.len--;
	while (str_take_field(&rest, '.', &label)) {
	}
	if (all_of(label, is_digit))
		return true;
	if (!str_skip(&label, STR("0x")))
		return false;
	return str_is_empty(label) || all_of(label, is_hex);
}

/* Four decimal numbers without leading zeros: the one spelling that inet_aton, inet_pton and
 * resolvers read alike. */
static bool parse_ipv4(struct str host, uint8_t address[16])
{
	struct str octet;
	size_t count = 0;
	while (str_take_field(&host, '.', &octet)) {
		uint64_t value;
		if (count == 4 || octet.len > 3 || !str_parse_u64(octet, &value) || value > 255)
			return false;
		if (octet.len > 1 && octet.ptr[0] == '0')
			return false;
		address[count++] = (uint8_t)value;
	}
	return count == 4;
}

static bool is_name_byte(char c)
{
	return is_alpha(c) || is_digit(c) || c == '-' || c == '_';
}

static const char *check_name(struct str host)
{
	struct str label;
	if (str_has_suffix(host, STR(".")))
		host.len--;
	if (host.len > NAME_BYTES_MAX)
		return "the host is too long";
	while (str_take_field(&host, '.', &label)) {
		if (str_is_empty(label))
			return "the host has an empty label";
		if (label.len > LABEL_BYTES_MAX)
			return "the host has a label that is too long";
		if (!all_of(label, is_name_byte))
			return "the host contains a character that host names cannot have";
	}
	return NULL;
}

static const char *judge_host(struct url *url)
{
	if (str_is_empty(url->host))
		return "the host is empty";
	if (ends_in_number(url->host)) {
		url->host_kind = URL_HOST_IPV4;
		return parse_ipv4(url->host, url->address)
			       ? NULL
			       : "the host is not a canonical IPv4 address";
	}
	url->host_kind = URL_HOST_NAME;
	return check_name(url->host);
}

/* inet_pton takes no zone id, no brackets, and dotted tails only without leading zeros. */
static const char *judge_ipv6(struct url *url)
{
	char text[INET6_ADDRSTRLEN];
	if (url->host.len >= sizeof(text) || str_find_char(url->host, '\0', 0) != SIZE_MAX)
		return "the host in brackets is not an IPv6 address";
	memcpy(text, url->host.ptr, url->host.len);
	text[url->host.len] = '\0';
	if (inet_pton(AF_INET6, text, url->address) != 1)
		return "the host in brackets is not an IPv6 address";
	url->host_kind = URL_HOST_IPV6;
	return NULL;
}

/* Leaves "" or ":port" in *authority. */
static const char *take_host(struct arena *arena, struct str *authority, struct url *url)
{
	struct str host;
	if (str_skip(authority, STR("["))) {
		if (!str_take_until(authority, ']', &host))
			return "the bracket is not closed";
		(void)str_skip(authority, STR("]"));
		url->host = str_lower(arena, host);
		return judge_ipv6(url);
	}
	if (!str_take_until(authority, ':', &host)) {
		host = *authority;
		*authority = str_slice(*authority, host.len, host.len);
	}
	url->host = str_lower(arena, host);
	return judge_host(url);
}

static const char *judge_port(struct str rest, struct url *url)
{
	uint64_t port;
	if (str_is_empty(rest))
		return NULL;
	if (!str_skip(&rest, STR(":")))
		return "there is text between host and port";
	if (str_is_empty(rest) || rest.len > 5 || rest.ptr[0] == '0' ||
	    !str_parse_u64(rest, &port) || port > 65535)
		return "the port is not a number from 1 to 65535";
	url->port = (uint16_t)port;
	url->has_port = true;
	return NULL;
}

static void cut_path(struct str rest, struct url *url)
{
	const size_t hash = str_find_char(rest, '#', 0);
	url->has_fragment = hash != SIZE_MAX;
	if (url->has_fragment)
		url->fragment = str_slice(rest, hash + 1, rest.len);
	rest = str_slice(rest, 0, hash);
	const size_t mark = str_find_char(rest, '?', 0);
	if (mark != SIZE_MAX)
		url->query = str_slice(rest, mark + 1, rest.len);
	url->path = str_slice(rest, 0, mark);
}

static const char *parse(struct arena *arena, struct str text, struct url *url)
{
	const char *wrong = check_bytes(text);
	if (wrong == NULL)
		wrong = take_scheme(&text, url);
	if (wrong != NULL)
		return wrong;
	struct str authority = take_authority(&text);
	wrong = take_userinfo(&authority, url);
	if (wrong == NULL)
		wrong = take_host(arena, &authority, url);
	if (wrong == NULL)
		wrong = judge_port(authority, url);
	if (wrong != NULL)
		return wrong;
	cut_path(text, url);
	return NULL;
}

enum err_kind url_parse(struct arena *arena, struct str text, struct url *url_out,
			struct error *err)
{
	struct url url = {0};
	const char *wrong = parse(arena, text, &url);
	if (wrong != NULL)
		return error_set(err, ERR_INVALID, "invalid URL: %s", wrong);
	*url_out = url;
	return ERR_NONE;
}

static bool is_default_port(const struct url *url)
{
	return url->port == (str_equal(url->scheme, STR("https")) ? 443 : 80);
}

struct str url_authority(struct arena *arena, const struct url *url)
{
	const bool is_ipv6 = url->host_kind == URL_HOST_IPV6;
	const struct str host = str_format(arena, "%s" STR_FMT "%s", is_ipv6 ? "[" : "",
					   STR_ARG(url->host), is_ipv6 ? "]" : "");
	if (is_default_port(url))
		return host;
	return str_format(arena, STR_FMT ":%u", STR_ARG(host), (unsigned)url->port);
}

struct str url_origin(struct arena *arena, const struct url *url)
{
	return str_format(arena, STR_FMT "://" STR_FMT, STR_ARG(url->scheme),
			  STR_ARG(url_authority(arena, url)));
}

/* Compared decoded: "err%6fr" reaches the customer's program as "error". */
static bool is_ours(struct arena *arena, struct str field, const struct str *names, size_t count)
{
	struct str name = field;
	struct form form;
	(void)str_take_until(&field, '=', &name);
	if (form_parse(arena, name, 1, &form, NULL) != ERR_NONE || form.count == 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (str_equal(form.pairs[0].name, names[i]))
			return true;
	}
	return false;
}

struct str url_with_query(struct arena *arena, struct str url, const struct str *names,
			  const struct str *values, size_t count)
{
	struct buf query;
	struct str base = url;
	struct str old = {0};
	struct str field;
	buf_init(&query, arena, SIZE_MAX / 2);
	if (str_take_until(&url, '?', &base))
		old = str_slice(url, 1, url.len);
	while (str_take_field(&old, '&', &field)) {
		if (str_is_empty(field) || is_ours(arena, field, names, count))
			continue;
		if (!str_is_empty(buf_str(&query)))
			buf_add_char(&query, '&');
		buf_add(&query, field);
	}
	for (size_t i = 0; i < count; i++) {
		if (values[i].ptr != NULL)
			form_add_str(&query, names[i], values[i]);
	}
	if (str_is_empty(buf_str(&query)))
		return str_copy(arena, base);
	return str_format(arena, STR_FMT "?" STR_FMT, STR_ARG(base), STR_ARG(buf_str(&query)));
}
