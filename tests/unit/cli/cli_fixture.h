/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the command line share: settings for a data directory of their own, and what a
 * command prints. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

#include "arena.h"

#include "json.h"

#include "remove_tree.h"

#include "arguments.h"
#include "commands.h"
#include "control.h"
#include "service.h"
#include "settings.h"

struct fixture {
	char directory[64];
	const char *data; /* in directory; not made yet */
	struct arena *arena;
	struct settings settings;
};

static inline void ok(enum err_kind kind, const struct error *err)
{
	if (kind != ERR_NONE)
		fail_msg("%s: %s", err_kind_slug(kind), err->text);
}

static inline void fixture_flag(struct fixture *fx, const char *name, const char *value)
{
	struct error err = {0};
	ok(settings_set_flag(&fx->settings, str_of(name), value, &err), &err);
}

static inline int fixture_begin(void **state)
{
	static char *const nothing[] = {NULL};
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct error err = {0};
	assert_non_null(fx);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	fx->arena = arena_new("test", (size_t)64 << 20);
	snprintf(fx->directory, sizeof(fx->directory), "/tmp/cli-test-XXXXXX");
	assert_non_null(mkdtemp(fx->directory));
	fx->data = str_z(fx->arena, str_format(fx->arena, "%s/data", fx->directory));
	settings_init(&fx->settings, fx->arena);
	fixture_flag(fx, "data", fx->data);
	fixture_flag(fx, "listen", "127.0.0.1:0");
	fixture_flag(fx, "threads", "2");
	fixture_flag(fx, "log-level", "error");
	ok(settings_finish(&fx->settings, nothing, &err), &err);
	*state = fx;
	return 0;
}

static inline int fixture_end(void **state)
{
	struct fixture *fx = *state;
	remove_tree(fx->directory);
	arena_free(&fx->arena);
	curl_global_cleanup();
	free(fx);
	return 0;
}

#define CLI_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)

static inline struct service *serve(struct fixture *fx)
{
	struct service *service = NULL;
	struct error err = {0};
	ok(service_open(&fx->settings, SERVICE_ALL, &service, &err), &err);
	ok(service_listen(service, &err), &err);
	return service;
}

static inline bool is_there(struct fixture *fx, const char *name)
{
	struct stat status;
	return stat(str_z(fx->arena, str_format(fx->arena, "%s/%s", fx->data, name)), &status) == 0;
}

static inline struct str file_with(struct fixture *fx, const char *text)
{
	struct str path = str_format(fx->arena, "%s/file", fx->directory);
	FILE *out = fopen(str_z(fx->arena, path), "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	return path;
}
