/* SPDX-License-Identifier: Apache-2.0
 * The sandbox rule, on the text: what follows the host is carried over byte for byte, because
 * signatures may hang on it. */
#include "rewrite.h"

#include "arena.h"

#include "url.h"

/* Below means the sandbox's own URL, or it and then a path or a query: never SANDBOX@elsewhere or
 * SANDBOX.elsewhere. */
static bool is_below(struct str sandbox_url, struct str url)
{
	if (!str_has_prefix(url, sandbox_url))
		return false;
	if (url.len == sandbox_url.len)
		return true;
	const char next = url.ptr[sandbox_url.len];
	return next == '/' || next == '?';
}

#define INSIDE "http://sandbox"

bool rewrite_to_sandbox(struct arena *arena, struct str sandbox_url, struct str url,
			struct str *out)
{
	struct url parsed;
	if (str_is_empty(sandbox_url) || url_parse(arena, url, &parsed, NULL) != ERR_NONE ||
	    !str_is_empty(parsed.userinfo))
		return false;
	if (is_below(sandbox_url, url)) {
		*out = str_copy(arena, url);
		return true;
	}
	if (!str_equal_z(parsed.scheme, "https"))
		return false;
	const size_t after_scheme = sizeof("https://") - 1;
	*out = str_format(arena, STR_FMT "/" STR_FMT, STR_ARG(sandbox_url),
			  STR_ARG(str_slice(url, after_scheme, url.len)));
	return true;
}

bool rewrite_to_test_sandbox(struct arena *arena, struct str seen_url, struct str url,
			     struct str *out)
{
	struct url parsed;
	if (str_is_empty(seen_url) || !is_below(seen_url, url))
		return rewrite_to_sandbox(arena, STR(INSIDE), url, out) &&
		       !str_equal(*out, url); /* nothing outside says this name */
	if (url_parse(arena, url, &parsed, NULL) != ERR_NONE || !str_is_empty(parsed.userinfo))
		return false;
	*out = str_format(arena, INSIDE STR_FMT, STR_ARG(str_slice(url, seen_url.len, url.len)));
	return true;
}
