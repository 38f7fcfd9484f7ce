/* SPDX-License-Identifier: Apache-2.0
 * A person's changes to an accepted post: cancel, edit, try again (api-decisions.md 7, 12). Each
 * is one command that reads the post, decides, and sets its deliveries by comparison with what was
 * read; nothing is changed unless all of it is. Every changed delivery gets a new fence, so that a
 * worker on it can no longer save: an intent that is not durable is never sent. Durable when it
 * returns. NOT_FOUND also for another app's post. Wake the engine afterwards. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "store_post.h"

enum post_change_outcome {
	POST_CHANGED,
	POST_TOO_LATE,
	POST_HELD, /* not too late, but held since a restore: only the operator may decide */
	POST_CHANGED_BEFORE,  /* an edit: by somebody else, since it was read */
	POST_EDIT_OVER_QUOTA, /* an edit: its content is too large for the app's quota */
	POST_EDIT_MEDIA_GONE, /* an edit: an uploaded file that it names was deleted meanwhile */
};

struct post_change_result {
	enum post_change_outcome outcome;
	enum post_state state;  /* TOO_LATE, HELD: the post's */
	bool is_cancelled;      /* TOO_LATE: nothing of it was sent, and nothing will be */
	struct quota_over over; /* EDIT_OVER_QUOTA */
};

/* All deliveries fail with CANCELLED, or none does: one for which a publish call was ever begun, of
 * which anything is published, or which is final, makes it too late. A post that is cancelled
 * already stays so: CHANGED, with nothing written. */
enum err_kind store_post_cancel(struct store *store, struct str app_id, struct str post_id,
				struct post_change_result *result_out, struct error *err);

struct post_edit {
	struct str app_id;
	struct str post_id;
	bool only_asks;          /* writes nothing: CHANGED, TOO_LATE or HELD */
	struct str content_read; /* as it was when the new one was made of it */
	int64_t scheduled_read_us;
	struct str content; /* post_content_write() */
	enum post_mode mode;
	bool has_time;           /* scheduled_at_us was chosen; else it stays */
	int64_t scheduled_at_us; /* 0 = now, the post becomes an immediate one */
	int64_t now_us;
	struct media_names media; /* uploaded files that the new content names */
	int64_t look_at_us;       /* when to look at its files (store_look.h); 0 = never */
};

/* Other content, another time, or both. Too late when anything of it was begun on any account. What
 * is published afterwards is the new content, or nothing was changed. */
enum err_kind store_post_edit(struct store *store, const struct post_edit *edit,
			      struct post_change_result *result_out, struct error *err);

struct post_retry {
	struct str app_id;
	struct str post_id;
	const struct str *account_ids; /* no duplicates */
	size_t account_count;          /* 0 = all */
	bool republish;                /* also where the outcome of a publish call is unknown */
	int64_t now_us;
};

enum post_retry_outcome {
	POST_RETRIED,
	POST_RETRY_NOTHING,     /* none of the accounts has anything to try again */
	POST_RETRY_NOT_TARGETS, /* accounts were named that the post does not go to */
	/* what would be tried again belongs to an account not usable now */
	POST_RETRY_ACCOUNTS_GONE,
	POST_RETRY_MEDIA_EXPIRED /* an uploaded file of the post is gone */
};

/* What the retry does for one account. */
enum post_retry_verdict {
	RETRY_AGAIN,           /* pending again, when the outcome is POST_RETRIED */
	RETRY_PUBLISHED,       /* left alone: all of it is out */
	RETRY_UNDER_WAY,       /* left alone: not final */
	RETRY_TAKEN_BACK,      /* left alone: removed from the platform, or about to be */
	RETRY_OUTCOME_UNKNOWN, /* left alone: only with republish */
	RETRY_NOT_A_TARGET,
	RETRY_ACCOUNT_UNUSABLE
};

struct post_retry_account {
	struct str account_id;
	enum post_retry_verdict verdict;
	enum account_state account_state; /* of ACCOUNT_UNUSABLE */
};

struct post_retry_result {
	enum post_retry_outcome outcome;
	struct post_retry_account *accounts; /* as named, else as the post has them */
	size_t account_count;
};

/* Failed deliveries, and published ones of which a later part was given up, become pending, due
 * now, with no attempts and no error; what is published of them stays, and so does the flow. A post
 * whose time was still to come becomes an immediate one. */
enum err_kind store_post_retry(struct store *store, struct arena *arena,
			       const struct post_retry *retry, struct post_retry_result *result_out,
			       struct error *err);
