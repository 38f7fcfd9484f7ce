/* SPDX-License-Identifier: Apache-2.0
 * Finding what a person has in hand: an id out of a log, a platform's address, a name. All apps
 * that the caller may see at once, and nothing of another app. Every query is bounded, no matter
 * how much is stored. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "platform_id.h"

#include "event.h"

#include "store.h"
#include "store_event.h"

#define FIND_MAX 20 /* rows of each kind */
#define FIND_PIECES_MAX 16
#define FIND_TERM_MAX_BYTES 2048
#define FIND_CALLS_MAX 100

struct find_query {
	struct str term; /* as typed, without blanks around it; not empty */
	const struct str *app_ids;
	size_t app_count;
};

struct found_post {
	struct str app_id;
	int64_t ordinal;
	struct str account_id; /* empty = the post as a whole */
	/* post_id, delivery_id, request_id, http_request_id, platform_id or url */
	struct str matched;
};

/* Posts that the term names: its own id, that of a platform post of it, the request_id, the HTTP
 * request or trace that published it (of the newest 20,000 posts, or those of a few seconds where
 * the id tells the time), the platform's id or its address; newest first, each once. */
enum err_kind store_find_posts(struct store *store, struct arena *arena,
			       const struct find_query *query, struct found_post **out,
			       size_t *count_out, struct error *err);

struct found_account {
	struct str app_id;
	struct str id;
	enum platform_id platform;
	struct str username;
	struct str name;
	struct str user_id;
	struct str state;
};

/* Accounts with that id, id of their platform or user, or with the term in their name, out of
 * 50,000. */
enum err_kind store_find_accounts(struct store *store, struct arena *arena,
				  const struct find_query *query, struct found_account **out,
				  size_t *count_out, struct error *err);

struct found_thing {
	struct str kind; /* draft, media or webhook */
	struct str app_id;
	struct str id;
};

enum err_kind store_find_things(struct store *store, struct arena *arena,
				const struct find_query *query, struct found_thing **out,
				size_t *count_out, struct error *err);

/* A webhook's call about a post, or about a platform post of it. */
struct post_call {
	struct str event_id;
	enum event_kind kind;
	struct str subject_id;
	int64_t created_at_us;
	struct str webhook_id;
	struct str webhook_url;
	int64_t id; /* as in the webhook's log */
	enum webhook_delivery_state state;
	int attempts;
	int64_t next_attempt_at_us; /* 0 = none */
	struct str log;             /* JSON array, one entry a try */
};

/* Oldest first, at most FIND_CALLS_MAX. */
enum err_kind store_find_post_calls(struct store *store, struct arena *arena, struct str app_id,
				    struct str post_id, struct post_call **out, size_t *count_out,
				    struct error *err);
