/* SPDX-License-Identifier: Apache-2.0
 * One world: the names by which modules know its app, and what its faults may say. See
 * sandbox_world.h. */
#include <stdlib.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_core.h"

/* ---- names ---- */

static const char *const id_words[] = {"client_id", "client_key", NULL};
/* "ID|SECRET" is an app's token at Meta (meta.md 1) */
static const char *const pair_words[] = {"access_token", "input_token", NULL};

static struct str word_of(const struct sandbox_call *call, struct str value, bool is_secret)
{
	const struct sandbox_of_app *world = call->sandbox->world;
	for (size_t i = 0; i < COUNT_OF(world->names); i++) {
		const char *own =
			is_secret ? world->names[i].client_secret : world->names[i].client_id;
		if (own != NULL && str_equal_z(value, own))
			return str_format(call->arena, "sandbox-%s%s", is_secret ? "secret-" : "",
					  sandbox_platform_slug((enum sandbox_platform)i));
	}
	/* What modules call it is nobody's credential here. */
	return str_has_prefix(value, STR("sandbox-")) ? STR("unknown") : value;
}

struct str sandbox_world_word(const struct sandbox_call *call, const char *parameter,
			      struct str value)
{
	if (call->sandbox->world == NULL || value.ptr == NULL)
		return value;
	if (sandbox_is_one_of(str_of(parameter), id_words))
		return word_of(call, value, false);
	if (strcmp(parameter, "client_secret") == 0)
		return word_of(call, value, true);
	const size_t bar = str_find_char(value, '|', 0);
	if (bar == SIZE_MAX || !sandbox_is_one_of(str_of(parameter), pair_words))
		return value;
	/* The left half may also be what a token of ours begins with. */
	const struct str secret = word_of(call, str_slice(value, bar + 1, value.len), true);
	const struct str id = word_of(call, str_slice(value, 0, bar), false);
	if (str_equal_z(id, "unknown"))
		return str_equal_z(secret, "unknown") ? secret : value;
	return str_format(call->arena, STR_FMT "|" STR_FMT, STR_ARG(id), STR_ARG(secret));
}

struct str sandbox_client_id(const struct sandbox *sandbox, struct str word)
{
	for (size_t i = 0; sandbox->world != NULL && i < SANDBOX_PLATFORM_COUNT; i++) {
		const char *own = sandbox->world->names[i].client_id;
		if (own != NULL && sandbox_client_id_is((enum sandbox_platform)i, word))
			return str_of(own);
	}
	return word;
}

struct str sandbox_client_secret(const struct sandbox *sandbox, struct arena *arena,
				 struct str word)
{
	if (sandbox->world == NULL)
		return sandbox_client_secret_of(arena, word);
	for (size_t i = 0; i < SANDBOX_PLATFORM_COUNT; i++) {
		const char *own = sandbox->world->names[i].client_secret;
		if (own != NULL && sandbox_client_id_is((enum sandbox_platform)i, word))
			return str_of(own);
	}
	return STR("");
}

/* ---- pages ---- */

const char *sandbox_page_prefix(const struct sandbox *sandbox)
{
	return sandbox->world != NULL ? sandbox->past->tape->seen_path : "";
}

struct str sandbox_page_mark(const struct sandbox *sandbox, struct arena *arena)
{
	if (sandbox->world == NULL)
		return STR("");
	return str_format(arena, "?sandbox_app=%s", sandbox->world->mark);
}

/* ---- faults ---- */

/* Proxies act on some X- headers (X-Accel-Redirect, X-Sendfile), browsers on others: what is not
 * known to be harmless is refused. */
bool sandbox_world_allows_header(struct str name)
{
	static const char *const whole[] = {"content-type",       "retry-after",
					    "x-app-usage",        "x-page-usage",
					    "x-access-level",     "x-business-use-case-usage",
					    "x-restli-id",        "x-transaction-id",
					    "x-ad-account-usage", "x-response-time"};
	static const char *const beginnings[] = {"x-rate-limit-", "x-ratelimit-", "x-fb-",
						 "x-li-",         "x-restli-",    "x-goog-",
						 "x-guploader-",  "x-tt-"};
	for (size_t i = 0; i < COUNT_OF(whole); i++) {
		if (str_equal_nocase(name, str_of(whole[i])))
			return true;
	}
	for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
		if (str_equal_nocase(str_slice(name, 0, strlen(beginnings[i])),
				     str_of(beginnings[i])))
			return true;
	}
	return false;
}

/* ---- the end ---- */

void sandbox_world_end(struct sandbox *sandbox)
{
	struct sandbox_of_app *world = sandbox->world;
	if (world == NULL)
		return;
	for (size_t i = 0; i < COUNT_OF(world->names); i++) {
		free(world->names[i].client_id);
		free(world->names[i].client_secret);
	}
	free(world->app_id);
	free(world->mark);
}
