/* SPDX-License-Identifier: Apache-2.0
 * What waits, counted over all apps, for readiness, metrics and the doctor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "platform_id.h"
#include "str.h"

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
