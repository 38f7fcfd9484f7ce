/* SPDX-License-Identifier: Apache-2.0
 * Secrets at every place of a text, in every form, whole and cut. */
#include "redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#define TOKEN "EAAB/token+of=the&account"

static struct str redacted(struct arena *arena, struct str text)
{
	struct flow flow;
	struct media media = {.url = STR("https://customer.example/a.jpg")};
	struct container container = {.media = &media, .media_count = 1};
	const struct post_content post = {.containers = &container, .container_count = 1};
	const struct str urls[] = {STR("https://customer.example/thumb.jpg")};
	const struct media_file files[] = {
		{.hosted_url = STR("https://posthorn.example/media/token-of-the-file")},
		{.hosted_url = STR("https://posthorn.example/media/token-of-the-thumb")},
	};
	const struct env env = {
		.post = &post,
		.media = files,
		.file_urls = urls,
		.file_count = 1,
		.extra_secret = STR("the-person's-own-token"),
		.access_token = STR(TOKEN),
		.refresh_token = STR("refresh-token-of-the-account"),
		.client_secret = STR("client-secret-of-the-app"),
		.code = STR("authorization-code"),
		.pkce_verifier = STR("pkce-verifier"),
	};
	flow_init(&flow, arena, 1);
	flow_set_secret(&flow, "session_uri", STR("https://upload.example/session?id=1"));
	flow_set_secret(&flow, "user_token", STR(TOKEN "-and-more"));
	flow_set_secret(&flow, "short", STR("of"));
	flow_set(&flow, "public", STR("not-a-secret-at-all"));
	return redact_secrets(arena, text, &env, &flow);
}

struct row {
	const char *name;
	const char *text;
	const char *expected;
};

static const struct row rows[] = {
	{"nothing", "", ""},
	{"no secret", "of course not-a-secret-at-all", "of course not-a-secret-at-all"},
	{"alone", TOKEN, "***"},
	{"at the start", TOKEN " is bad", "*** is bad"},
	{"at the end", "bad: " TOKEN, "bad: ***"},
	{"twice in a row", TOKEN TOKEN, "******"},
	{"the longer one whole",
	 "x" TOKEN "-and-more"
	 "y",
	 "x***y"},
	{"each kind",
	 "refresh-token-of-the-account client-secret-of-the-app authorization-code pkce-verifier",
	 "*** *** *** ***"},
	{"of the person", "OAuth the-person's-own-token", "OAuth ***"},
	{"our copy of a file", "cannot fetch https://posthorn.example/media/token-of-the-file",
	 "cannot fetch https://posthorn.example/media/***"},
	{"our copy of a further file",
	 "{\"u\":\"https:\\/\\/posthorn.example\\/media\\/token-of-the-thumb\"}",
	 "{\"u\":\"https:\\/\\/posthorn.example\\/media\\/***\"}"},
	{"our own name", "see https://posthorn.example/", "see https://posthorn.example/"},
	{"a secret address", "PUT https://upload.example/session?id=1 failed", "PUT *** failed"},
	{"slashes escaped", "{\"t\":\"EAAB\\/token+of=the&account\"}", "{\"t\":\"***\"}"},
	{"percent-encoded", "a=EAAB%2Ftoken%2Bof%3Dthe%26account&b=1", "a=***&b=1"},
	{"cut at the end", "bad: EAAB/token+of=the", "bad: ***"},
	{"too little of it to tell", "bad: EAAB/to", "bad: EAAB/to"},
	{"the beginning in the middle stays", "EAAB/token is how they begin",
	 "EAAB/token is how they begin"},
};

static void secrets_are_blacked_out(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 22);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str seen = redacted(arena, str_of(rows[i].text));
		if (!str_equal_z(seen, rows[i].expected))
			fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(seen));
	}
	arena_free(&arena);
}

/* Cut at every place, after every offset: 8 bytes of it are never left. */
static void no_cut_lets_a_secret_escape(void **state)
{
	(void)state;
	const struct str whole = STR("some words before " TOKEN "-and-more and some behind");
	for (size_t from = 0; from < 19; from++) {
		for (size_t to = from; to <= whole.len; to++) {
			struct arena *arena = arena_new("test", 1 << 22);
			const struct str seen = redacted(arena, str_slice(whole, from, to));
			assert_true(str_find(seen, STR("EAAB/tok"), 0) == SIZE_MAX);
			assert_true(seen.len <= to - from);
			arena_free(&arena);
		}
	}
}

static void a_failure_is_redacted_whole(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 22);
	struct flow flow;
	const struct env env = {.access_token = STR(TOKEN)};
	flow_init(&flow, arena, 0);
	struct failure failure = {.message = STR("a " TOKEN),
				  .platform_code = STR(TOKEN),
				  .platform_message = STR(TOKEN " b")};
	redact_failure(arena, &failure, &env, &flow);
	assert_true(str_equal_z(failure.message, "a ***"));
	assert_true(str_equal_z(failure.platform_code, "***"));
	assert_true(str_equal_z(failure.platform_message, "*** b"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_blacked_out),
		cmocka_unit_test(no_cut_lets_a_secret_escape),
		cmocka_unit_test(a_failure_is_redacted_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
