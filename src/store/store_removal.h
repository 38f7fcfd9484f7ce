/* SPDX-License-Identifier: Apache-2.0
 * Taking published posts back (api-decisions.md 12): asked for by a person, claimed by the
 * deliverer (store_after.h), and ended removed, failed or unsupported. */
#pragma once

#include <stddef.h>

#include "post.h"
#include "store_after.h"

struct post_unpublish {
	struct str app_id;
	struct str post_id;
	const struct str *account_ids; /* no duplicates */
	size_t account_count;          /* 0 = all */
	/* bit N: posts on the platform of that number cannot be removed by apps */
	int64_t unsupported_mask;
	int64_t now_us;
};

enum post_unpublish_outcome {
	POST_UNPUBLISHED,
	POST_UNPUBLISH_NOTHING,    /* nothing of it is out on any of the accounts */
	POST_UNPUBLISH_NOT_TARGETS /* accounts were named that the post does not go to */
};

/* What it means for one account. */
enum post_unpublish_verdict {
	UNPUBLISH_ASKED, /* its removal is pending, or over already */
	UNPUBLISH_NOT_OUT,
	UNPUBLISH_NOT_A_TARGET
};

struct post_unpublish_account {
	struct str account_id;
	enum post_unpublish_verdict verdict;
};

struct post_unpublish_result {
	enum post_unpublish_outcome outcome;
	struct post_unpublish_account *accounts; /* as named, else as the post has them */
	size_t account_count;
};

/* One command. What is out and was not asked about becomes pending; so does what failed before.
 * What is pending, removed or unsupported stays as it is. NOT_FOUND also for another app's post.
 * Wake the deliverer's removals afterwards. */
enum err_kind store_post_unpublish(struct store *store, struct arena *arena,
				   const struct post_unpublish *wish,
				   struct post_unpublish_result *result_out, struct error *err);

/* Writes a removal's progress, its timeline (the delivery's) and at its end the event. next:
 * PUBLISHED = removed; FAILED = failed, or unsupported. parts, remote_id, url, visibility and
 * warnings are not read. CONFLICT: the fence is not ours any more, nothing was written. */
enum err_kind store_removal_save(struct store_tx *tx, const struct delivery_save *save,
				 bool is_unsupported, struct error *err);
/* Ends the delivery's removal, if one is pending: the service died on it too often. */
enum err_kind store_removal_set_aside(struct store *store, struct str delivery_id,
				      struct error *err);
