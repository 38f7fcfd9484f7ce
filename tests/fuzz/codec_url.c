/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/url.h: an accepted URL has no byte in its host that another parser could read
 * differently, put together again it parses to the same, and a customer's query keeps none of our
 * parameters. */
#include "url.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#include "form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_host(const struct url *url)
{
	assert(url->host.len > 0);
	for (size_t i = 0; i < url->host.len; i++) {
		const char c = url->host.ptr[i];
		const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
				      c == '.' || c == '-' || c == '_' ||
				      (c == ':' && url->host_kind == URL_HOST_IPV6);
		assert(is_plain);
	}
	assert(url->port > 0);
}

static void check_same(const struct url *a, const struct url *b)
{
	assert(str_equal(a->scheme, b->scheme));
	assert(str_equal(a->host, b->host));
	assert(a->host_kind == b->host_kind);
	assert(memcmp(a->address, b->address, sizeof(a->address)) == 0);
	assert(a->port == b->port);
	assert(str_equal(a->path, b->path));
	assert(str_equal(a->query, b->query));
	assert(str_equal(a->fragment, b->fragment));
}

static void check_query(struct arena *arena, struct str text)
{
	const struct str names[] = {STR("status"), STR("error")};
	const struct str values[] = {STR("success"), STR("x&y")};
	const struct str sent = url_with_query(arena, text, names, values, 2);
	struct url url;
	struct form form;
	assert(url_parse(arena, sent, &url, NULL) == ERR_NONE);
	if (form_parse(arena, url.query, 100000, &form, NULL) != ERR_NONE)
		return;
	assert(form_count(&form, "status") == 1);
	assert(str_equal_z(*form_find(&form, "error"), "x&y"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const struct str text = {(const char *)data, size};
	struct url url;
	struct url again;
	struct error err = {0};
	if (url_parse(arena, text, &url, &err) != ERR_NONE) {
		assert(err.kind == ERR_INVALID && err.text[0] != '\0');
		arena_free(&arena);
		return 0;
	}
	check_host(&url);
	const struct str whole = str_format(arena, STR_FMT STR_FMT "%s" STR_FMT "%s" STR_FMT,
					    STR_ARG(url_origin(arena, &url)), STR_ARG(url.path),
					    url.query.len > 0 ? "?" : "", STR_ARG(url.query),
					    url.has_fragment ? "#" : "", STR_ARG(url.fragment));
	assert(url_parse(arena, whole, &again, &err) == ERR_NONE);
	check_same(&url, &again);
	if (!url.has_fragment)
		check_query(arena, text);
	arena_free(&arena);
	return 0;
}
