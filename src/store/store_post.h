/* SPDX-License-Identifier: Apache-2.0
 * Posts as the API sees them: accept, get, list. Their deliveries at work are store_delivery.h. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "post.h"
#include "quota.h"
#include "store.h"
#include "store_idempotency.h"
#include "store_media.h"

struct post_target {
	struct str delivery_id; /* uuid made by the caller */
	struct str account_id;
	enum platform_id platform;
	struct str user_id; /* the account's */
};

struct post_accept {
	struct str app_id;
	struct str post_id; /* uuid made by the caller */
	struct str request_id;
	struct str content; /* post_content_write() */
	enum post_mode mode;
	int64_t scheduled_at_us; /* 0 = immediate */
	int64_t max_lateness_s;  /* 0 = no limit */
	int64_t now_us;
	const struct post_target *targets;
	size_t target_count;
	const struct idempotency *idempotency; /* NULL = none */
	struct str draft_id;                   /* empty = of no draft; else it is taken away */
	struct str draft_body;                 /* as the draft was read */
	struct media_names media;              /* uploaded files that it names */
	/* For the log: the HTTP request's id, and behind a blank its trace's; may be empty. */
	struct str cause;
	int64_t look_at_us; /* when to look at its files (store_look.h); 0 = never */
};

enum post_accept_outcome {
	POST_ACCEPTED,
	POST_DUPLICATE,
	POST_ACCOUNT_GONE,
	POST_OVER_QUOTA,
	POST_ANSWERED_BEFORE, /* the Idempotency-Key was used */
	POST_DRAFT_GONE,      /* published or deleted by somebody else */
	POST_DRAFT_CHANGED,   /* since it was read */
	POST_MEDIA_GONE       /* an uploaded file that it names was deleted meanwhile */
};

struct post_accept_result {
	enum post_accept_outcome outcome;
	struct str duplicate_post_id; /* the first post with that request_id */
	enum post_state duplicate_state;
	size_t account_index;    /* POST_ACCOUNT_GONE: the first target no longer usable */
	struct quota_over over;  /* POST_OVER_QUOTA */
	struct idempotency kept; /* POST_ANSWERED_BEFORE */
	/* POST_ACCEPTED: as stored: now_us, or up to a second later to keep lists in order */
	int64_t created_at_us;
};

/* One command: checks that every account is still usable, the request_id unused and no quota full,
 * writes the post, its deliveries and counters. Returns NONE with result_out set in all outcomes
 * (nothing is written but in the first). Durable when it returns. */
enum err_kind store_post_accept(struct store *store, struct arena *arena,
				const struct post_accept *accept,
				struct post_accept_result *result_out, struct error *err);

/* The post that has this request_id. NOT_FOUND. */
enum err_kind store_post_of_request(struct store *store, struct arena *arena, struct str app_id,
				    struct str request_id, struct post_accept_result *out,
				    struct error *err);

struct post_part_row {
	bool is_done;
	struct str remote_id;
	struct str url;
};

/* Where a delivery that is not final stands, for what it waits (delivery/waiting.h). */
struct delivery_standing {
	int64_t due_at_us;
	bool is_held;      /* until the operator decides */
	bool is_uncertain; /* the platform is asked what became of it */
	bool is_call_open; /* a publish call was begun and has not come back */
	bool is_leased;    /* being worked on */
	bool is_suspended; /* its app is, or has no admin */
	bool is_ownerless; /* the second */
	bool is_paused;    /* not begun, and may not begin (store_pause.h) */
	/* due, not begun: posts of the account that go first, the one in progress included */
	int64_t ahead;
};

/* The wish to take a platform post back. */
struct removal_row {
	enum post_removal status;
	int64_t removed_at_us;
	struct str
		error_code; /* failure_code_name(); empty = none. Also while waiting to try again */
	struct str error_message;
	struct str platform_code;
	struct str platform_message;
	bool error_is_transient;
};

/* One platform post. */
struct delivery_row {
	struct str id;
	struct str account_id;
	enum platform_id platform;
	struct str handle; /* the account's username */
	enum post_state state;
	int64_t scheduled_at_us; /* 0 = immediate */
	struct str remote_id;    /* of the first part; empty = none */
	struct str url;
	int64_t published_at_us;
	int attempts;
	int64_t next_attempt_at_us; /* 0 = none planned or under way now */
	/* failure_code_name(); empty = none. Kept while waiting to try again */
	struct str error_code;
	struct str error_message;
	struct str platform_code;
	struct str platform_message;
	bool error_is_transient;
	struct str parts; /* JSON array text [{"state","remote_id","url"}], one per container */
	struct str visibility; /* post_visibility_name(); empty = unknown, or nothing is out */
	/* JSON array text [{"field","code","message","repeatable"}]: what was asked for and is not
	 * there although all parts are out; empty = nothing */
	struct str warnings;
	struct removal_row removal;
	struct delivery_standing standing; /* store_post_get() alone, while not final */
};

struct post_row {
	struct str id;
	struct str app_id;
	struct str request_id;
	struct str external_user_id;
	enum post_state state;
	enum post_mode mode;
	int64_t scheduled_at_us;
	int64_t created_at_us;
	int64_t max_lateness_s;          /* 0 = no limit */
	struct str content;              /* for post_content_read() */
	struct delivery_row *deliveries; /* in the order of account_ids */
	size_t delivery_count;
};

/* How much of what was asked for is published (api-decisions.md 7). */
enum post_outcome { POST_OUTCOME_NONE, POST_OUTCOME_PARTIAL, POST_OUTCOME_ALL };
enum post_outcome store_post_delivery_outcome(const struct delivery_row *delivery);
enum post_outcome store_post_outcome_of(const struct post_row *post);
const char *store_post_outcome_name(enum post_outcome outcome); /* "none", "partial", "all" */

/* NOT_FOUND also for another app's. */
enum err_kind store_post_get(struct store *store, struct arena *arena, struct str app_id,
			     struct str post_id, struct post_row *out, struct error *err);

struct post_filter {
	struct str app_id;
	/* 0 = none; start of the first UTC day. A post's date: scheduled_at, else created_at */
	int64_t date_from_us;
	int64_t date_to_us; /* 0 = none; start of the day AFTER the last */
	/* one of the four words, or empty; "pending" finds pending, processing and retrying */
	struct str status;
	const struct str *user_ids; /* any of the post's accounts */
	size_t user_id_count;
	const struct str *account_ids;
	size_t account_id_count;
	enum platform_id platform; /* NONE = all */
	int64_t page;              /* from 1 */
	int64_t per_page;
};

/* Newest first by creation. total_out counts all matches. */
enum err_kind store_post_list(struct store *store, struct arena *arena,
			      const struct post_filter *filter, struct post_row **out,
			      size_t *count_out, int64_t *total_out, struct error *err);
