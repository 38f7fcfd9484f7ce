/* SPDX-License-Identifier: Apache-2.0
 * Files of posts that are scheduled ahead, looked at before the day (api-decisions.md 11): asked
 * for with the post, claimed by the looker of delivery/, and over once it has written what it
 * found. One row a post; an edit of the post asks again, and a look that is under way then is for
 * nothing. */
#pragma once

#include "account.h"
#include "app.h"
#include "platform_id.h"
#include "store.h"

/* A platform post that is still scheduled. */
struct look_target {
	struct str delivery_id;
	struct str account_id;
	enum platform_id platform;
	struct str warnings; /* as the last look left them */
	enum account_type account_type;
	struct str account_extra; /* JSON text, or empty */
};

/* A claimed look. */
struct look_work {
	struct str post_id;
	struct str app_id;
	int64_t fence;
	int tries;          /* before this one */
	struct str content; /* for post_content_read() */
	enum app_tiktok_privacy tiktok_privacy;
	struct look_target *targets;
	size_t target_count; /* 0: nothing of it is scheduled any more */
};

struct look_claim {
	int64_t now_us;
	int64_t lease_us;
	size_t max;
	size_t of_app_max; /* so many of one app at most */
	/* Returns how many looks of this app may be taken now. */
	size_t (*slots)(void *context, struct str app_id);
	void *context;
};

/* Claims due looks; those of suspended apps wait. Writes an array in arena. */
enum err_kind store_look_claim(struct store_tx *tx, struct arena *arena,
			       const struct look_claim *claim, struct look_work **out,
			       size_t *count_out, struct error *err);
/* When the next one can be claimed; 0 = none. */
enum err_kind store_look_next_due(struct store *store, int64_t *due_at_us_out, struct error *err);

struct look_finding {
	struct str delivery_id;
	struct str warnings; /* as delivery_row has them; empty = none */
};

struct look_save {
	struct str post_id;
	struct str app_id;
	int64_t fence;
	int64_t due_at_us; /* the next try; 0 = the look is over */
	const struct look_finding *findings;
	size_t finding_count;
	const struct str *problems; /* subjects of events POST_MEDIA_PROBLEM */
	size_t problem_count;
};

/* The caller's transaction has the app. CONFLICT: the post was edited meanwhile, or another has the
 * look; nothing is written. */
enum err_kind store_look_save(struct store_tx *tx, const struct look_save *save, struct error *err);

/* For the verbs that accept and edit posts, in their transaction. at_us 0: nothing is to be looked
 * at, and what an earlier look found is forgotten. */
enum err_kind store_look_ask(struct store_tx *tx, struct str app_id, struct str post_id,
			     int64_t at_us, struct error *err);
