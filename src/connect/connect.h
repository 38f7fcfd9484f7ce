/* SPDX-License-Identifier: Apache-2.0
 * OAuth on the engine: makes authorize URLs, takes the platforms' callbacks, turns codes into
 * accounts, and checks app credentials. Any thread may call; what talks to platforms runs as tasks
 * on the engine's thread. Knows no HTTP: api/ makes pages and redirects of what comes out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "form.h"

#include "account.h"
#include "platform_id.h"

#include "platform.h"

#include "store_app.h"
#include "store_connection.h"

struct arena;
struct clock;
struct connector;
struct engine;
struct log;
struct random_source;
struct seal;
struct store;

struct connector_config {
	struct store *store;
	struct seal *seal;
	struct engine *engine;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	const struct platform_settings *settings;
	/* without trailing slash: callbacks are PUBLIC/v1/oauth/SLUG/callback */
	const char *public_url;
	const char *sandbox_url; /* NULL = real platforms */
	int64_t time_scale;      /* 0 = 1 */
};

/* Registers with the engine and takes up connections that a former run left half-way; call before
 * the engine's first turn. */
enum err_kind connector_new(const struct connector_config *config, struct connector **connector_out,
			    struct error *err);
/* After the engine has ended. */
void connector_free(struct connector **connector);

struct connect_request {
	const struct app_row *app;
	enum platform_id platform;
	struct str user_id;
	struct str redirect_url; /* checked by the caller */
	struct str name, email;  /* empty = none */
	/* the owner tries out a credential that is not verified yet (API.md section 3) */
	bool allows_pending;
};

struct connect_begun {
	struct str authorize_url;
	struct str connection_id;
};

/* Writes a pending connection and makes the URL to send the user to. Returns NONE; NOT_FOUND when
 * the app has no verified credential for the platform (err->text says which state it is in);
 * TEMPORARY, INTERNAL. */
enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err);

enum connect_return_kind {
	CONNECT_RETURN_INVALID, /* unknown, used or expired state: a page, never a redirect */
	CONNECT_RETURN_PENDING, /* not known yet: a page that asks again */
	CONNECT_RETURN_REDIRECT /* send the browser to url */
};

struct connect_return {
	enum connect_return_kind kind;
	struct str url; /* REDIRECT: the customer's URL with connection_id, status, error */
	struct str connection_id; /* PENDING, REDIRECT */
};

/* The platform sent the browser back with this query. Uses the state up, starts the exchange, and
 * waits at most wait_ms for its outcome. */
enum err_kind connector_callback(struct connector *connector, struct arena *arena,
				 enum platform_id platform, const struct form *query,
				 int64_t wait_ms, struct connect_return *return_out,
				 struct error *err);
/* The page that asks again: as above for a connection under way. */
enum err_kind connector_await(struct connector *connector, struct arena *arena,
			      struct str connection_id, int64_t wait_ms,
			      struct connect_return *return_out, struct error *err);

struct verify_outcome {
	enum credential_state state; /* PENDING: the platform could not be asked, or did not say */
	struct str message;          /* the platform's own words, or why it could not be asked */
};

/* Asks the platform whether the stored credential is good, writes the answer down, and brings a
 * draft app live with its first verified credential (API.md section 3). Waits at most wait_ms.
 * NOT_FOUND: no credential. */
enum err_kind connector_verify(struct connector *connector, struct arena *arena, struct str app_id,
			       enum platform_id platform, int64_t wait_ms,
			       struct verify_outcome *outcome_out, struct error *err);
enum check_verdict {
	CHECK_GOOD,
	/* the platform does not take the token any more: the user has to connect again */
	CHECK_REFUSED,
	CHECK_UNKNOWN /* it could not be asked, or did not say */
};

struct check_outcome {
	enum check_verdict verdict;
	struct str message; /* for people; empty = nothing to say */
};

/* Asks the platform whether the account's token works, and writes down what is certain: refused
 * makes it reauth_required, good makes it active again. Waits at most wait_ms. */
enum err_kind connector_check(struct connector *connector, struct arena *arena,
			      const struct account_row *account, int64_t wait_ms,
			      struct check_outcome *outcome_out, struct error *err);
/* Forgets the account's tokens, here for certain and at the platform where that is possible (waits
 * at most wait_ms), and ends what was to be published to it. May be said again. */
enum err_kind connector_disconnect(struct connector *connector, struct arena *arena,
				   const struct account_row *account, int64_t wait_ms,
				   struct error *err);
/* "PUBLIC/v1/oauth/SLUG/callback": what must be registered at the platform. */
struct str connector_callback_url(const struct connector *connector, struct arena *arena,
				  enum platform_id platform);
