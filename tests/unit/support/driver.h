/* SPDX-License-Identifier: Apache-2.0
 * The engine's thread for tests in which others wait for it. The boot clock is real then; the wall
 * clock stands still. */
#pragma once

#include <pthread.h>

#include "world.h"

struct driver {
	struct world *w;
	pthread_t thread;
	atomic_bool is_stopping;
};

static inline void *driver_run(void *context)
{
	struct driver *driver = context;
	while (!atomic_load(&driver->is_stopping))
		engine_turn(driver->w->engine, 5);
	return NULL;
}

static inline void driver_start(struct driver *driver, struct world *w)
{
	driver->w = w;
	driver->is_stopping = false;
	w->clock.has_real_boot = true;
	w->transport.naps = true;
	assert_int_equal(pthread_create(&driver->thread, NULL, driver_run, driver), 0);
}

static inline void driver_stop(struct driver *driver)
{
	atomic_store(&driver->is_stopping, true);
	pthread_join(driver->thread, NULL);
}
