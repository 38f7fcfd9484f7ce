/* SPDX-License-Identifier: Apache-2.0
 * A new store on a file of its own, and an arena: for tests of what the store's verbs answer when
 * there is little or nothing in it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#include "store.h"

struct opened {
	struct store *store;
	struct arena *arena;
	char path[80];
};

static inline void opened_remove(const struct opened *o)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		char path[96];
		snprintf(path, sizeof(path), "%s%s", o->path, ends[i]);
		unlink(path);
	}
}

/* The quotas of the settings; NULL: the usual ones. */
static inline struct opened *opened_begin(const struct quota_limits *quotas)
{
	static struct opened o;
	struct error err = {0};
	char url[96];
	snprintf(o.path, sizeof(o.path), "/tmp/opened-store-test-%d.db", (int)getpid());
	opened_remove(&o);
	snprintf(url, sizeof(url), "sqlite:%s", o.path);
	struct store_config config = {.url = url, .clock = clock_system(), .is_owner = true};
	if (quotas != NULL)
		config.quotas = *quotas;
	assert_int_equal(store_open(&config, &o.store, &err), ERR_NONE);
	o.arena = arena_new("test", (size_t)1 << 20);
	return &o;
}

/* For cmocka. */
static inline int opened_setup(void **state)
{
	*state = opened_begin(NULL);
	return 0;
}

static inline int opened_teardown(void **state)
{
	struct opened *o = *state;
	store_close(&o->store);
	arena_free(&o->arena);
	opened_remove(o);
	return 0;
}
