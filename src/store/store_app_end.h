/* SPDX-License-Identifier: Apache-2.0
 * The end of an app (api-decisions.md 3), in three steps that a crash may fall between: deleting is
 * one transaction, and what follows from it is done in small ones until nothing is left. The ids of
 * posts, platform posts and accounts stay for the audit trail. */
#pragma once

#include "store.h"

enum app_end {
	APP_END_NONE, /* it lives */
	/* deleted: no verb finds it, its token and keys open nothing, and nothing new begins; what
	 * is in doubt is resolved */
	APP_END_BEGUN,
	APP_END_DONE, /* nothing is open, its accounts are disconnected */
	APP_END_ERASED
};

/* Deletes the app; durable when it returns. Webhooks are off at once. Call store_app_end_go_on()
 * afterwards and wake the engine. Any thread; blocks on the disk. NOT_FOUND also when it is deleted
 * already. */
enum err_kind store_app_end_begin(struct store *store, struct str app_id, int64_t now_us,
				  struct error *err);
/* For all deleted apps: cancels up to max posts, disconnects accounts of which nothing is open, and
 * notes which apps are done. *changed_out: posts cancelled, 0 = nothing to do before the engine has
 * ended more. */
enum err_kind store_app_end_go_on(struct store_tx *tx, int64_t now_us, int64_t max,
				  int64_t *changed_out, struct error *err);
/* The same in transactions of its own, until nothing changes any more. Any thread; blocks. */
enum err_kind store_app_end_cancel_all(struct store *store, int64_t now_us, struct error *err);
/* Erases the contents of apps that were deleted before before_us and are done: up to max posts,
 * then all else of one app. *erased_out: how many steps were made. */
enum err_kind store_app_end_erase(struct store_tx *tx, int64_t before_us, int64_t max,
				  int64_t *erased_out, struct error *err);
