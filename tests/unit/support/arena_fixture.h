/* SPDX-License-Identifier: Apache-2.0
 * For tests that need memory and nothing else: one arena, new for every test. Included by one test
 * file each, hence all static. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new("test", 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}
