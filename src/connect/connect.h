/* SPDX-License-Identifier: Apache-2.0
 * OAuth on the engine: makes authorize URLs, takes the platforms' callbacks, turns codes into
 * accounts, and checks app credentials and account tokens. Any thread may call; calls to platforms
 * are tasks on the engine's thread, and a function with wait_ms blocks until they end or the time
 * is up. Knows no HTTP: api/ turns the outcomes into pages and redirects. */
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
	/* where browsers see the sandbox of the test apps, without trailing slash; may be filled in
	 * until the first request; NULL = there are no test apps */
	const char *test_url;
	/* Why no platform may be asked (connector_verify, connector_check); NULL = they may. */
	const char *closed_why;
	/* every pause is divided by it; 0 = 1 */
	int64_t time_scale;
	/* where pictures of accounts are kept; copied, made 0700; NULL = none are */
	const char *avatar_directory;
	/* How many calls of one app may wait for platforms at once (connector_check,
	 * connector_verify); 0 = any number. */
	unsigned waits_of_app_max;
};

/* Registers with the engine and resumes connections that an earlier run left unfinished; call
 * before the engine's first turn. What config points to outlives the connector. *connector_out is
 * set on NONE only. Returns NONE; TEMPORARY, INTERNAL: the store or memory. */
enum err_kind connector_new(const struct connector_config *config, struct connector **connector_out,
			    struct error *err);
/* After the engine is freed. Sets the pointer to NULL; a NULL inside is fine. */
void connector_free(struct connector **connector);

struct connect_request {
	const struct app_row *app;
	enum platform_id platform;
	struct str user_id;
	struct str redirect_url; /* checked by the caller */
	struct str name, email;  /* empty = none */
	/* the app's owner tries a credential that is not verified yet (api-decisions.md 3) */
	bool allows_pending;
	/* and with it the candidate, where one waits to be proven */
	bool tries_candidate;
	struct quota_over *over_out; /* filled with TOO_LARGE; NULL = not wanted */
};

struct connect_begun {
	struct str authorize_url;
	struct str connection_id;
};

/* Stores a pending connection and makes the URL to send the user to; both texts live in arena.
 * Blocks on the store only. Returns NONE; NOT_FOUND: the app has no credential for the platform;
 * FORBIDDEN: it has one that is incomplete or not verified (err->text names its state); TOO_LARGE:
 * its quota of accounts is full; TEMPORARY, INTERNAL. The texts of NOT_FOUND, FORBIDDEN and
 * TOO_LARGE are sentences for people. */
enum err_kind connector_begin(struct connector *connector, struct arena *arena,
			      const struct connect_request *request,
			      struct connect_begun *begun_out, struct error *err);

enum connect_return_kind {
	CONNECT_RETURN_INVALID, /* unknown, used or expired state: a page, never a redirect */
	CONNECT_RETURN_PENDING, /* under way: a page that asks again */
	CONNECT_RETURN_REDIRECT /* send the browser to url */
};

struct connect_return {
	enum connect_return_kind kind;
	/* REDIRECT: the customer's URL with connection_id, status, error and confirmation_token */
	struct str url;
	struct str connection_id; /* PENDING, REDIRECT */
	/* of connector_callback(): a cookie of this browser alone, for connector_await() */
	struct str browser_token;
	bool is_https; /* and so is the way back: the cookie is for https alone */
};

/* The platform sent the browser back with this query. Uses the state up, starts the exchange, and
 * waits at most wait_ms for its outcome; return_out's texts live in arena. TEMPORARY, INTERNAL: the
 * store. */
enum err_kind connector_callback(struct connector *connector, struct arena *arena,
				 enum platform_id platform, const struct form *query,
				 int64_t wait_ms, struct connect_return *return_out,
				 struct error *err);
/* The page that asks again: as above, for a connection under way. INVALID: there is no such
 * connection, or another browser came back from the platform than the one with this token. */
enum err_kind connector_await(struct connector *connector, struct arena *arena,
			      struct str connection_id, struct str browser_token, int64_t wait_ms,
			      struct connect_return *return_out, struct error *err);

struct verify_outcome {
	/* PENDING: the platform could not be asked, or its answer decides nothing. Nothing was
	 * stored then */
	enum credential_state state;
	struct str message; /* the platform's own words, or why it could not be asked */
};

/* Asks the platform whether the stored credential is good, of two the candidate, stores the answer,
 * and brings a draft app live with its first verified credential (api-decisions.md 3). A candidate
 * that is good takes the place of the current one. Waits at most wait_ms; the message lives in
 * arena. Returns NONE; NOT_FOUND: there is no credential; INTERNAL: its secret cannot be opened
 * with this master key (nothing is asked or stored; err->text says so); LIMITED: the app has
 * waits_of_app_max calls waiting (nothing is asked); TEMPORARY. */
enum err_kind connector_verify(struct connector *connector, struct arena *arena, struct str app_id,
			       enum platform_id platform, int64_t wait_ms,
			       struct verify_outcome *outcome_out, struct error *err);

enum check_verdict {
	CHECK_GOOD,
	/* the platform no longer accepts the token: the user has to connect again */
	CHECK_REFUSED,
	CHECK_UNKNOWN /* it could not be asked, or its answer decides nothing */
};

struct check_outcome {
	enum check_verdict verdict;
	struct str message; /* for people; empty = nothing to say */
};

/* Asks the platform whether the account's token works, and stores what is certain: REFUSED makes
 * the account reauth_required, GOOD makes it active again. An expired token that can be refreshed
 * is GOOD without asking. Waits at most wait_ms; the message lives in arena. LIMITED: the app has
 * waits_of_app_max calls waiting (nothing is asked); TEMPORARY, INTERNAL: the store. */
enum err_kind connector_check(struct connector *connector, struct arena *arena,
			      const struct account_row *account, int64_t wait_ms,
			      struct check_outcome *outcome_out, struct error *err);
/* Deletes the account's tokens here, revokes them at the platform where it can (waits at most
 * wait_ms, and not at all while the app has waits_of_app_max calls waiting; a failure is only
 * logged), and ends what was to be published to the account. May be
 * repeated. */
enum err_kind connector_disconnect(struct connector *connector, struct arena *arena,
				   const struct account_row *account, int64_t wait_ms,
				   struct error *err);
/* ---- pictures of accounts (avatar.c) ---- */

struct avatar; /* avatar_cache.h */

/* The picture of the account as it was kept, in arena; a newer one is fetched meanwhile, for the
 * next time. is_test: the account is of a test app. False: there is none now. Any thread; blocks on
 * the disk, never on the network. */
bool connector_avatar(struct connector *connector, struct arena *arena,
		      const struct account_row *account, bool is_test, struct avatar *avatar_out);
/* Removes pictures of accounts that are disconnected or erased, and the oldest where there are too
 * many. Blocks on the disk and the database; one thread at a time. A failure is logged. */
void connector_sweep_avatars(struct connector *connector);

/* What Meta sends about a person who removed an app or asked for the deletion of their data, and
 * whom it means here. Texts live in the arena it was read into. */
struct signed_person {
	enum platform_id platform;
	struct str person_id; /* the platform's */
	struct str *app_ids;  /* of the apps whose secret signed it; at least one */
	size_t app_count;
	struct str code; /* the same for each request about this person */
};
/* Reads and proves a signed_request. INVALID: it is malformed, over an hour old, or signed with the
 * secret of no app that has a credential for the platform. Blocks on the store. */
enum err_kind connector_read_signed(struct connector *connector, struct arena *arena,
				    enum platform_id platform, struct str signed_request,
				    struct signed_person *out, struct error *err);
/* The person's accounts on that platform become reauth_required. */
enum err_kind connector_deauthorize(struct connector *connector, struct arena *arena,
				    const struct signed_person *person, struct error *err);
/* Begins to erase what the person connected on that platform; source is for the audit trail. */
enum err_kind connector_erase_person(struct connector *connector, struct arena *arena,
				     const struct signed_person *person, struct str source,
				     struct error *err);
/* The code as the store knows it: who has it may ask how far the deletion is. */
struct str connector_code_hash(struct arena *arena, struct str code);

/* Goes on with what is being erased (store_user.h): revokes and disconnects accounts, lets the
 * store erase, and ends what is done. Until nothing more can be done now; what waits for the end of
 * a call is left for the next time. Blocks, for minutes when there is much. A failure is logged.
 * One thread at a time. Returns false when there is nothing to erase. */
bool connector_erase_users(struct connector *connector);
/* "PUBLIC/v1/oauth/SLUG/callback", in arena: the redirect URI to register at the platform. */
struct str connector_callback_url(const struct connector *connector, struct arena *arena,
				  enum platform_id platform);
