/* SPDX-License-Identifier: Apache-2.0
 * What one app may have at most (design.md 5), as a table: app_quotas.def. How much it has is
 * counted in the store (store_quota.h) and, for media, in the spool. */
#pragma once

#include <stdint.h>

#include "str.h"

struct arena;

enum quota {
#define QUOTA(name, word, flag, counted, advice) QUOTA_##name,
#include "app_quotas.def"
#undef QUOTA
	QUOTA_COUNT
};

/* 0 = no limit. */
struct quota_limits {
	int64_t of[QUOTA_COUNT];
};

/* What would go beyond a quota: its limit, and what was there before. */
struct quota_over {
	enum quota quota;
	int64_t limit;
	int64_t used;
};

/* "pending_posts", as the API says it. */
const char *quota_name(enum quota quota);
/* What is wrong and what to do, for people; in arena. */
struct str quota_message(struct arena *arena, const struct quota_over *over);
