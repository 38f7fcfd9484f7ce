/* SPDX-License-Identifier: Apache-2.0
 * The ledger: everything that the world can see on the simulated platforms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "sandbox_module.h"

struct sandbox_media;

#define SANDBOX_POST_MEDIA_MAX 35

struct sandbox_post {
	enum sandbox_platform platform;
	struct str account_id; /* what the service knows as platform_account_id */
	struct str id;         /* what the service reports as platform_post_id */
	/* the platform's word; contains "story" for stories only; "comment" for comments */
	struct str type;
	struct str text; /* what a reader sees */
	const struct sandbox_media *media;
	size_t media_count;
	struct str reply_to; /* id of the post or comment that it answers; empty = none */
	struct str url;
	/* shown on the page of GET /; not in the ledger's JSON */
	struct str title;
	int64_t created_us; /* 0 = now */
	const void *extra;  /* the platform's own, in kept memory */
	/* Set by the core: */
	int64_t deleted_us;         /* 0 = it is there */
	struct sandbox_post *older; /* the previous one of the same platform and account */
};

/* Adds a copy, which it returns. Call it at the moment the post becomes visible. */
struct sandbox_post *sandbox_ledger_add(struct sandbox *sandbox, const struct sandbox_post *post);
/* The post or comment of that id; NULL when it is unknown or deleted. */
struct sandbox_post *sandbox_ledger_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str id);
/* The newest of that account, deleted or not; follow ->older for the others. NULL = none. */
struct sandbox_post *sandbox_ledger_newest(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str account_id);
/* Writes up to max direct replies to the post of that id into out, oldest first, without deleted
 * ones. Returns how many. */
size_t sandbox_ledger_replies(struct sandbox *sandbox, enum sandbox_platform platform,
			      struct str id, struct sandbox_post **out, size_t max);
/* As find, and also what was deleted within the last deletions_late_ms (knobs.def): reads of a
 * platform may show it that long. */
struct sandbox_post *sandbox_ledger_seen(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str id);
/* Is it in the platform's lists of posts? Not when it is deleted, and not yet for lists_late_ms
 * (knobs.def). */
bool sandbox_ledger_is_listed(const struct sandbox *sandbox, const struct sandbox_post *post);
/* The post is in no ledger any more. */
void sandbox_ledger_delete(struct sandbox *sandbox, struct sandbox_post *post);
/* Deletes the post of that id with all replies below it; nothing when the id is unknown. */
void sandbox_ledger_delete_thread(struct sandbox *sandbox, enum sandbox_platform platform,
				  struct str id);
