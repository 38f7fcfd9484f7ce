/* SPDX-License-Identifier: Apache-2.0
 * Connections of the platform X: beginning one, and the browser's way back. */
#pragma once

#include "connect_private.h"

#include "another_key.h"
#include "driver.h"

#include "url.h"

#define WAIT_MS 20000 /* longer than any test takes: nothing here waits it out */
#define TOKEN "POST https://api.x.com/2/oauth2/token"
#define ME "GET https://api.x.com/2/users/me"
#define SCOPES "tweet.read tweet.write users.read users.email media.write offline.access"
#define GRANT \
	"{\"token_type\":\"bearer\",\"expires_in\":7200,\"access_token\":\"new-access-token\"," \
	"\"refresh_token\":\"new-refresh-token\"," \
	"\"scope\":\"" SCOPES "\"}"
#define USER "{\"data\":{\"id\":\"77\",\"username\":\"ann\",\"name\":\"Ann\"}}"

static inline void answer_exchange(struct world *w)
{
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER);
}

static inline struct connect_begun begin_to(struct world *w, const char *redirect_url)
{
	const struct connect_request request = {
		.app = &w->app,
		.platform = PLATFORM_X,
		.user_id = STR("user-1"),
		.redirect_url = str_of(redirect_url),
	};
	struct connect_begun begun = {0};
	struct error err = {0};
	ok(connector_begin(w->connector, w->arena, &request, &begun, &err), &err);
	return begun;
}

static inline struct connect_begun begin(struct world *w)
{
	return begin_to(w, "https://customer.example/back");
}

static inline struct str state_of(struct world *w, const struct connect_begun *begun)
{
	struct url url;
	struct form form = {0};
	struct error err = {0};
	ok(url_parse(w->arena, begun->authorize_url, &url, &err), &err);
	ok(form_parse(w->arena, url.query, 0, &form, &err), &err);
	return *form_find(&form, "state");
}

static inline struct connect_return callback(struct world *w, struct arena *arena, struct str query,
					     int64_t wait_ms)
{
	struct form form = {0};
	struct connect_return out = {0};
	struct error err = {0};
	ok(form_parse(arena, query, 0, &form, &err), &err);
	ok(connector_callback(w->connector, arena, PLATFORM_X, &form, wait_ms, &out, &err), &err);
	return out;
}

static inline struct str with_state(struct world *w, const struct connect_begun *begun,
				    const char *rest)
{
	return str_format(w->arena, "state=" STR_FMT "%s", STR_ARG(state_of(w, begun)), rest);
}

static inline struct connection_row row_of(struct world *w, const struct connect_begun *begun)
{
	struct connection_row row = {0};
	struct error err = {0};
	ok(store_connection_find(w->store, w->arena, w->app.id, begun->connection_id, FAKE_NOW_US,
				 &row, &err),
	   &err);
	return row;
}

struct caller {
	pthread_t thread;
	struct world *w;
	struct str query;
	enum connect_return_kind kind;
	size_t used_bytes; /* of the request's arena */
};

static inline void *call_back(void *context)
{
	struct caller *caller = context;
	struct arena *arena = arena_new("caller", 1 << 22);
	caller->kind = callback(caller->w, arena, caller->query, WAIT_MS).kind;
	caller->used_bytes = arena_used_bytes(arena);
	arena_free(&arena);
	return NULL;
}
