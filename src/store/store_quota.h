/* SPDX-License-Identifier: Apache-2.0
 * What an app has of what is limited (model/quota.h), and its limits: the settings' (store_config),
 * or its own. Use is counted in the app's row of app_work, by the transactions that change it, so
 * that two requests at once cannot both take the last place; accounts are counted when one is
 * connected. Media are counted by the spool: their use here is 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "platform_id.h"
#include "quota.h"
#include "str.h"

struct arena;
struct store;

#define QUOTA_INHERITED INT64_C(-1) /* the setting's */

struct quota_row {
	int64_t own;   /* the app's own limit, or QUOTA_INHERITED; 0 = no limit */
	int64_t limit; /* that or the setting's; 0 = no limit */
	int64_t used;
};

/* Of one app, by enum quota. NOT_FOUND. */
enum err_kind store_quota_list(struct store *store, struct arena *arena, struct str app_id,
			       struct quota_row out[QUOTA_COUNT], struct error *err);
/* Its limits alone. NOT_FOUND. */
enum err_kind store_quota_limits(struct store *store, struct arena *arena, struct str app_id,
				 struct quota_limits *out, struct error *err);
/* Writes all the app's own limits. NOT_FOUND. */
enum err_kind store_quota_set(struct store *store, struct str app_id,
			      const int64_t own[QUOTA_COUNT], struct error *err);
/* May the app connect another account? A user who has one on that platform may always connect it
 * again. *is_over_out says no, and then *over_out why. The end of the connection is judged
 * again. */
enum err_kind store_quota_check_connect(struct store *store, struct arena *arena, struct str app_id,
					enum platform_id platform, struct str user_id,
					bool *is_over_out, struct quota_over *over_out,
					struct error *err);
/* The quotas of apps without their own, from now on; 0 = no limit. Any thread. */
void store_quota_set_limits(struct store *store, const struct quota_limits *limits);
/* Something was refused for a quota: counted for monitoring. Any thread. */
void store_quota_note_refusal(struct store *store, enum quota quota);
/* Since the start of this process. Any thread. */
int64_t store_quota_refusals(const struct store *store, enum quota quota);
