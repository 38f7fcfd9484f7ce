/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes outbound/guard.h against libcurl's own reading of URLs: what the guard lets pass must mean
 * the same host and port to libcurl, and a literal address in it must be one that the guard allows
 * at the socket too. */
#include "guard.h"

#include <arpa/inet.h>
#include <assert.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#include "url.h"

#include "rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct guard *make_guard(void)
{
	struct guard *guard = NULL;
	const struct guard_config config = {0};
	if (guard_new(&config, &guard, NULL) != ERR_NONE)
		abort();
	return guard;
}

/* The host as libcurl would connect to it, without brackets. */
static struct str curl_part(struct arena *arena, CURLU *url, CURLUPart part, unsigned flags)
{
	char *text = NULL;
	if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
		abort();
	struct str out = str_copy(arena, str_of(text));
	curl_free(text);
	if (str_has_prefix(out, STR("[")))
		out = str_slice(out, 1, out.len - 1);
	return out;
}

static void check_literal(const struct guard *guard, const char *host, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct in_addr loose;
	if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
		assert(guard_allows_address(guard, (const struct sockaddr *)&v6));
	/* inet_aton() takes what getaddrinfo() takes: 127.1, 0x7f.0.0.1, 2130706433. */
	if (inet_aton(host, &loose) == 1) {
		v4.sin_addr = loose;
		assert(guard_allows_address(guard, (const struct sockaddr *)&v4));
	}
}

static void compare(const struct guard *guard, struct arena *arena, struct str text)
{
	struct url ours;
	CURLU *theirs = curl_url();
	if (url_parse(arena, text, &ours, NULL) != ERR_NONE)
		abort();
	if (curl_url_set(theirs, CURLUPART_URL, str_z(arena, text), 0) == CURLUE_OK) {
		const struct str host = curl_part(arena, theirs, CURLUPART_HOST, 0);
		const struct str port =
			curl_part(arena, theirs, CURLUPART_PORT, CURLU_DEFAULT_PORT);
		uint64_t number;
		assert(str_parse_u64(port, &number));
		assert(number == ours.port);
		if (ours.host_kind != URL_HOST_IPV6) /* libcurl writes those its own way */
			assert(str_equal_nocase(host, ours.host));
		check_literal(guard, str_z(arena, host), ours.port);
	}
	curl_url_cleanup(theirs);
}

/* Whatever is rewritten is below the sandbox, for libcurl as well. */
static void check_rewrite(struct arena *arena, struct str text)
{
	struct str out;
	if (!rewrite_to_sandbox(arena, STR("http://127.0.0.1:9090"), text, &out))
		return;
	CURLU *url = curl_url();
	if (curl_url_set(url, CURLUPART_URL, str_z(arena, out), 0) == CURLUE_OK) {
		assert(str_equal_z(curl_part(arena, url, CURLUPART_HOST, 0), "127.0.0.1"));
		assert(str_equal_z(curl_part(arena, url, CURLUPART_PORT, 0), "9090"));
	}
	curl_url_cleanup(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)1 << 20);
	struct guard *guard = make_guard();
	const struct str text = {(const char *)data, size < 4096 ? size : 4096};
	if (guard_check_url(guard, arena, text) == NULL)
		compare(guard, arena, text);
	check_rewrite(arena, text);
	guard_free(&guard);
	arena_free(&arena);
	return 0;
}
