/* SPDX-License-Identifier: Apache-2.0
 * What waits, counted over all apps, for readiness, metrics and the doctor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "platform_id.h"
#include "str.h"

#include "store_post.h"

struct arena;
struct store;

/* An app's accounts on one platform that have something due. */
struct store_due_accounts {
	struct str app_id;
	struct str client_id;
	enum platform_id platform;
	int64_t oldest_us; /* when the first of them became due */
	int64_t account_count;
};
#define STORE_DUE_ACCOUNTS_MAX 512 /* rows; the oldest come first */
/* Neither suspended apps nor what is paused. At most 100000 accounts are counted. */
enum err_kind store_due_accounts_list(struct store *store, struct arena *arena, int64_t now_us,
				      struct store_due_accounts **out, size_t *count_out,
				      struct error *err);

/* Platform posts that are not final and not scheduled, and stand alike. */
struct store_waiting_group {
	struct str app_id;
	/* platform, state, error_code and standing; ahead is 0 or 1 */
	struct delivery_row delivery;
	int64_t count;
};
#define STORE_WAITING_POSTS_MAX 10000 /* posts that are looked at */
enum err_kind store_waiting_groups_list(struct store *store, struct arena *arena, int64_t now_us,
					struct store_waiting_group **out, size_t *count_out,
					struct error *err);
/* Platform posts whose time is still to come. */
enum err_kind store_scheduled_count(struct store *store, int64_t *count_out, struct error *err);
