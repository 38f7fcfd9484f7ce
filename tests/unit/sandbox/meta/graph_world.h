/* SPDX-License-Identifier: Apache-2.0
 * The common start of the tests of Pages and Instagram: a sandbox, a server of pictures, and
 * somebody who has logged in. Included by one test file each, hence all static. */
#pragma once

#include "graph_flow.h"
#include "media_server.h"

struct world {
	struct probe *probe;
	struct media_server server;
	struct str user;
	struct str page;    /* token of the bakery's Page */
	struct str ig_page; /* the same for Instagram, where a test fills it */
};

static inline struct world *world_of(const char *slug, const char *scope)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	void *probe = NULL;
	probe_open(&probe);
	world->probe = probe;
	media_server_open(&world->server);
	world->user = graph_login(world->probe, slug, scope);
	world->page = graph_page_token_of(world->probe, world->user, BAKERY);
	return world;
}

static inline int world_close(void **state)
{
	struct world *world = *state;
	void *probe = world->probe;
	media_server_close(&world->server);
	probe_close(&probe);
	free(world);
	return 0;
}
