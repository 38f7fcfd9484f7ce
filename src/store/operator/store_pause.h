/* SPDX-License-Identifier: Apache-2.0
 * Pauses: a platform, an app, an account, or any of them together, where nothing new begins
 * (design.md 5). Posts are accepted and wait; a delivery that has begun goes on to its end. Kept in
 * the database, so all nodes obey at their next claim, and starts change nothing. */
#pragma once

#include <stddef.h>

#include "platform_id.h"
#include "store.h"

/* All that is named must fit; empty (NONE) = any. Nothing named: everything is paused. */
struct pause_row {
	enum platform_id platform;
	struct str app_id;
	struct str account_id;
	int64_t paused_at_us;
	struct str actor;     /* who paused it, for people */
	struct str client_id; /* out only: the app's */
};

/* Pausing what is paused already changes nothing. */
enum err_kind store_pause_add(struct store *store, const struct pause_row *pause,
			      struct error *err);
/* Ends the pause with exactly this platform, app and account; others may still hold the same
 * posts. *is_found_out: was there one? */
enum err_kind store_pause_remove(struct store *store, const struct pause_row *pause, int64_t now_us,
				 bool *is_found_out, struct error *err);
/* Oldest first. */
enum err_kind store_pause_list(struct store *store, struct arena *arena, struct pause_row **out,
			       size_t *count_out, struct error *err);
enum err_kind store_pause_count(struct store *store, int64_t *count_out, struct error *err);
/* As store_delivery_next_due, of what is not paused alone; 0 = none. Looks at every account. */
enum err_kind store_pause_next_due(struct store *store, int64_t *due_at_us_out, struct error *err);
/* Is there such an account, in this app when app_id is not empty? */
enum err_kind store_pause_account_exists(struct store *store, struct str account_id,
					 struct str app_id, bool *exists_out, struct error *err);
/* Is a delivery to this account held back by one of these pauses, if it has not begun? */
bool store_pause_applies(const struct pause_row *pauses, size_t count, enum platform_id platform,
			 struct str app_id, struct str account_id);
