/* SPDX-License-Identifier: Apache-2.0
 * Sandboxes without a listener of their own: one world for each test app of a service
 * (api-decisions.md 14). What happens in one is seen in no other. A world accepts the credentials
 * of its app alone, names itself by the service's public URL, pulls media through the service's
 * address guard, and keeps its state in a directory: a journal of what was asked and of what was
 * drawn from outside (time, randomness, pulled media), which is played again at the next opening.
 * The standalone sandbox (sandbox.h) has none of this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct clock;
struct http_request;
struct http_response;
struct log;
struct random_source;
struct sandbox;
struct sandbox_worlds;
struct sockaddr;

#define SANDBOX_WORLD_CREDENTIALS_MAX 16

struct sandbox_world_credential {
	struct str slug; /* "instagram" */
	struct str client_id;
	struct str client_secret;
};

/* What the owner says of an app when its world is opened; texts live in the given arena. */
struct sandbox_world_app {
	struct str id;   /* names the directory: letters, digits and '-' */
	struct str mark; /* how browsers' addresses name the app (sandbox_app=MARK) */
	struct sandbox_world_credential credentials[SANDBOX_WORLD_CREDENTIALS_MAX];
	size_t credential_count;
	int64_t bytes_max; /* on the disk; 0 = SANDBOX_WORLD_BYTES_MAX, which is the most */
};

#define SANDBOX_WORLD_BYTES_MAX (INT64_C(2) << 30)

struct sandbox_journal_piece {
	struct str app_id;
	int64_t hold; /* sandbox_worlds_set_hold(): under which its world was opened */
	struct str bytes;
	bool is_all; /* in the place of what was there */
};

/* How a world reaches the outside. Any thread. */
struct sandbox_world_port {
	/* May such an address be connected to? */
	bool (*allows_url)(void *context, struct arena *arena, struct str url);
	bool (*allows_address)(void *context, const struct sockaddr *address);
	/* NOT_FOUND: there is no such test app. May block. */
	enum err_kind (*find_app)(void *context, struct arena *arena, struct str app_id,
				  struct sandbox_world_app *out, struct error *err);
	/* Where journals are kept beside the directory, for whoever opens the worlds after us; both
	 * NULL: nowhere. A journal is bytes: all of them, in arena (empty: none is kept), and more
	 * of them or others in their place. Whatever fails (CONFLICT: the worlds are somebody
	 * else's now), the call is not answered and the world is opened anew. May block. */
	enum err_kind (*journal_read)(void *context, struct arena *arena, struct str app_id,
				      struct str *bytes_out, struct error *err);
	enum err_kind (*journal_write)(void *context, const struct sandbox_journal_piece *piece,
				       struct error *err);
	void *context;
};

struct sandbox_worlds_config {
	const char *directory; /* DATA/sandbox; made when it is missing */
	struct sandbox_world_port port;
	const struct log *log;
	const struct clock *clock;
	const struct random_source *random;
	unsigned open_max; /* worlds in memory at once; 0 = 32. The idlest give way */
};

/* Texts of config are copied. INVALID, TEMPORARY: the directory; err->text. */
enum err_kind sandbox_worlds_open(const struct sandbox_worlds_config *config,
				  struct sandbox_worlds **out, struct error *err);
/* Ends what hangs on purpose, and from now on nothing does: the service is about to end. */
void sandbox_worlds_end_waits(struct sandbox_worlds *worlds);
/* No call is under way any more. Nulls; takes NULL. */
void sandbox_worlds_close(struct sandbox_worlds **worlds);

/* Who asks decides what is answered. */
enum sandbox_visitor {
	SANDBOX_SERVICE, /* the service's own calls, by its socket: the platforms' hosts */
	SANDBOX_BROWSER, /* GET of the platforms' hosts and of kept media; nothing that changes but
			  * what a consent page does */
	SANDBOX_TOKEN,   /* the app's token: ledger, log, faults, knobs, reset */
	SANDBOX_ADMIN    /* the page of GET /, the clock, faults, knobs, a reset */
};

/* The addresses of the service that the visitor came to, or that calls. */
struct sandbox_home {
	struct str seen_url; /* where browsers see the worlds, without trailing slash */
	/* the one beginning of redirect URIs: the service's callbacks */
	struct str redirect_prefix;
	/* Where it gives files out, and the way there from this machine; no slash at the end. */
	struct str media_url;
	struct str media_way;
};

struct sandbox_visit {
	struct str app_id; /* empty: a world that knows nobody, for browsers that name no app */
	enum sandbox_visitor visitor;
	const struct sandbox_home *home; /* as long as the call */
};

/* Takes off a request what such a visitor must not bring: cookies of the dashboard, tokens, headers
 * by which a proxy signs people in. sandbox_worlds_serve() does it too. */
void sandbox_visitor_take_off(enum sandbox_visitor visitor, struct http_request *request);
/* Answers a request as the world of that app; its path begins with the host (or is / or
 * /_sandbox/...). May block for minutes (faults that hang). Always fills response. */
void sandbox_worlds_serve(struct sandbox_worlds *worlds, const struct sandbox_visit *visit,
			  struct http_request *request, struct http_response *response);
/* What is open was opened under an earlier hold on the worlds: each is opened anew before its next
 * call. hold: any number but the one before; 0 at first. */
void sandbox_worlds_set_hold(struct sandbox_worlds *worlds, int64_t hold);
/* Where bodies of the service's calls are to arrive as files, so that a link can keep them. */
const char *sandbox_worlds_body_directory(const struct sandbox_worlds *worlds);
/* What the app's world has on the disk. Does not open it. */
int64_t sandbox_worlds_bytes(struct sandbox_worlds *worlds, struct str app_id);
/* Of a deleted app. */
void sandbox_worlds_forget(struct sandbox_worlds *worlds, struct str app_id);
