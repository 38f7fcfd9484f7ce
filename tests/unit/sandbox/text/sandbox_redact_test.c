/* SPDX-License-Identifier: Apache-2.0
 * Redaction for the request log (src/sandbox/text/sandbox_redact.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_redact.h"

static int open_arena(void **state)
{
	*state = arena_new("test", 8 << 20);
	return 0;
}

static int close_arena(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

static void forms(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{"", ""},
		{"a=1&b=2", "a=1&b=2"},
		{"access_token=abc", "access_token=***"},
		{"a=1&ACCESS_TOKEN=abc&b=%20", "a=1&ACCESS_TOKEN=***&b=%20"},
		{"access%5Ftoken=abc", "access%5Ftoken=***"},
		{"code=a=b&state=s", "code=***&state=s"},
		{"client_secret=&x", "client_secret=***&x"},
		{"upload_id=u&upload_token=t&ut=v&out=1",
		 "upload_id=***&upload_token=***&ut=***&out=1"},
		{"refresh_token&code_challenge=c", "refresh_token&code_challenge=c"},
		{"code_verifier=v&fb_exchange_token=t&appsecret_proof=p",
		 "code_verifier=***&fb_exchange_token=***&appsecret_proof=***"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str out = sandbox_redact_form(*state, str_of(rows[i].in));
		if (!str_equal_z(out, rows[i].out))
			fail_msg("%s: " STR_FMT, rows[i].in, STR_ARG(out));
	}
}

static void headers(void **state)
{
	assert_true(
		str_equal_z(sandbox_redact_header(*state, STR("Authorization"), STR("Bearer abc")),
			    "Bearer ***"));
	assert_true(
		str_equal_z(sandbox_redact_header(*state, STR("authorization"), STR("Basic YTpi")),
			    "Basic ***"));
	assert_true(
		str_equal_z(sandbox_redact_header(*state, STR("authorization"), STR("OAuth x y")),
			    "OAuth ***"));
	assert_true(str_equal_z(sandbox_redact_header(*state, STR("authorization"), STR("abc")),
				"***"));
	assert_true(str_equal_z(sandbox_redact_header(*state, STR("cookie"), STR("a=b")), "***"));
	assert_true(str_equal_z(sandbox_redact_header(*state, STR("accept"), STR("Bearer abc")),
				"Bearer abc"));
}

static void bodies(void **state)
{
	static const struct {
		const char *name;
		const char *type;
		const char *in;
		const char *out; /* NULL: not to be shown */
	} rows[] = {
		{"form", "application/x-www-form-urlencoded", "code=x&a=1", "code=***&a=1"},
		{"JSON without secrets stays", "application/json", "{ \"a\" : 1 }",
		 "{ \"a\" : 1 }"},
		{"JSON", "application/json", "{\"a\":{\"access_token\":\"x\"},\"b\":[1,\"y\"]}",
		 "{\"a\":{\"access_token\":\"***\"},\"b\":[1,\"y\"]}"},
		{"secret objects whole", "application/json", "{\"client_secret\":{\"x\":\"y\"}}",
		 "{\"client_secret\":\"***\"}"},
		{"JSON under a wrong type", "text/plain", "[{\"refresh_token\":1}]",
		 "[{\"refresh_token\":\"***\"}]"},
		{"broken JSON with a secret", "application/json", "{\"access_token\":\"x\"", NULL},
		{"broken JSON without", "application/json", "{\"text\":\"x\"", "{\"text\":\"x\""},
		{"text that names one", "text/plain", "access_token=x", NULL},
		{"plain text", "text/plain", "hello, but out", "hello, but out"},
		{"multipart", "multipart/form-data; boundary=B",
		 "--B\r\nContent-Disposition: form-data; "
		 "name=\"access_token\"\r\n\r\nsecret\r\n--B\r\nContent-Disposition: form-data; "
		 "name=\"a\"\r\n\r\nopen\r\n--B--",
		 "--B\r\nContent-Disposition: form-data; "
		 "name=\"access_token\"\r\n\r\n***\r\n--B\r\nContent-Disposition: form-data; "
		 "name=\"a\"\r\n\r\nopen\r\n--B--"},
		{"broken multipart with a secret", "multipart/form-data; boundary=B",
		 "--B\r\nContent-Disposition: form-data; name=\"access_token\"\r\n\r\nsecret",
		 NULL},
		{"empty", "application/json", "", ""},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str shown = {0};
		const bool is_shown = sandbox_redact_body(*state, str_of(rows[i].type),
							  str_of(rows[i].in), &shown);
		if (is_shown != (rows[i].out != NULL) ||
		    (is_shown && !str_equal_z(shown, rows[i].out)))
			fail_msg("%s: %d " STR_FMT, rows[i].name, is_shown, STR_ARG(shown));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(forms, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(headers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(bodies, open_arena, close_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
