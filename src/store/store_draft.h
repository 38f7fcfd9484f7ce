/* SPDX-License-Identifier: Apache-2.0
 * Drafts (api-decisions.md 13): requests that are kept until a person publishes them. A draft is no
 * post; store_post_accept() takes it away in the transaction that makes a post of it. All that a
 * caller has read is compared before it is written. NOT_FOUND also for another app's. */
#pragma once

#include "quota.h"
#include "store.h"
#include "store_media.h"

struct draft_row {
	struct str id; /* uuid made by the caller */
	struct str app_id;
	struct str body;       /* JSON of the request, as far as it is written */
	struct str created_by; /* a key's name; empty on the way in: the app's admin */
	int64_t created_at_us;
	int64_t updated_at_us;
	struct str review_reason;
	struct str review_by; /* as created_by */
	int64_t review_at_us; /* 0 = not rejected */
	/* On the way in: uploaded files that the body names; those that are not there are left
	 * out. */
	struct media_names media;
};

enum draft_outcome {
	DRAFT_DONE,
	DRAFT_CHANGED_BEFORE, /* by somebody else, since it was read */
	DRAFT_OVER_QUOTA
};

struct draft_result {
	enum draft_outcome outcome;
	struct quota_over over; /* OVER_QUOTA */
};

/* DONE or OVER_QUOTA. With the event draft.created. */
enum err_kind store_draft_create(struct store *store, const struct draft_row *draft,
				 struct draft_result *result_out, struct error *err);
enum err_kind store_draft_find(struct store *store, struct arena *arena, struct str app_id,
			       struct str draft_id, struct draft_row *out, struct error *err);
/* Newest first; page from 1. */
enum err_kind store_draft_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t page, int64_t per_page, struct draft_row **out,
			       size_t *count_out, int64_t *total_out, struct error *err);
/* Another body, which names read->media; the review begins again. */
enum err_kind store_draft_change(struct store *store, const struct draft_row *read, struct str body,
				 int64_t now_us, struct draft_result *result_out,
				 struct error *err);
enum err_kind store_draft_delete(struct store *store, const struct draft_row *read,
				 struct draft_result *result_out, struct error *err);
/* Writes review_reason, review_by, review_at_us, with the event draft.rejected. */
enum err_kind store_draft_reject(struct store *store, const struct draft_row *read,
				 struct draft_result *result_out, struct error *err);
