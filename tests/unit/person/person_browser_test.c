/* SPDX-License-Identifier: Apache-2.0
 * Opening the browser: which one, with what, and what it does not get. */
#include "person_browser.h"

#include "arena_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void it_gets_the_address_and_no_token(void **state)
{
	char directory[] = "/tmp/posthorn-browser-XXXXXX";
	char script[128];
	char page[128];
	char browser[160];
	char got[256] = "";
	static char token[] = "POSTHORN_TOKEN=phk_secret";
	static char path[] = "PATH=/usr/bin:/bin";
	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(script, sizeof(script), "%s/browser", directory);
	snprintf(page, sizeof(page), "%s/page", directory);
	snprintf(browser, sizeof(browser), "BROWSER=%s:other", script);
	FILE *out = fopen(script, "we");
	assert_non_null(out);
	fprintf(out, "#!/bin/sh\necho \"$1 ${POSTHORN_TOKEN:-none}\" > '%s'\n", page);
	fclose(out);
	assert_int_equal(chmod(script, 0700), 0);
	char *const environment[] = {token, path, browser, NULL};
	assert_true(person_browser_open(arena, environment, STR("https://x.example/a?b=c&d")));
	assert_true(waitpid(-1, NULL, 0) > 0);
	FILE *in = fopen(page, "re");
	assert_non_null(in);
	assert_non_null(fgets(got, sizeof(got), in));
	fclose(in);
	assert_string_equal(got, "https://x.example/a?b=c&d none\n");
	unlink(page);
	unlink(script);
	rmdir(directory);
}

static void when_there_is_none(void **state)
{
	static char empty[] = "BROWSER=";
	static char missing[] = "BROWSER=/nowhere/browser";
	static char good[] = "BROWSER=/bin/true";
	char *const nothing[] = {NULL};
	char *const with_empty[] = {empty, NULL};
	char *const with_missing[] = {missing, NULL};
	char *const with_good[] = {good, NULL};
	(void)state;
	assert_false(person_browser_open(arena, nothing, STR("https://x.example/")));
	assert_false(person_browser_open(arena, with_empty, STR("https://x.example/")));
	assert_false(person_browser_open(arena, with_missing, STR("https://x.example/")));
	/* what a service that cannot be trusted might name */
	assert_false(person_browser_open(arena, with_good, STR("file:///etc/passwd")));
	assert_false(person_browser_open(arena, with_good, STR("--help")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_gets_the_address_and_no_token, setup, teardown),
		cmocka_unit_test_setup_teardown(when_there_is_none, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
