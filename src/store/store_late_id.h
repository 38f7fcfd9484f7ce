/* SPDX-License-Identifier: Apache-2.0
 * Ids that a platform tells later: a post is out, and its id comes minutes to hours after that
 * (TikTok, after moderation: tiktok.md 2.6). Looked for beside the delivery (store_after.h), with
 * waits that grow, until it is found or its time is over. Nothing here changes a state: what was
 * published stays so. */
#pragma once

#include "store_after.h"

/* Looks for the id from due_us on, until until_us; in the transaction that ends the delivery. Of
 * one that is looked for already, time begins again. */
enum err_kind store_late_id_ask(struct store_tx *tx, const struct delivery_save *save,
				struct error *err);
/* Writes a look's progress and its timeline (the delivery's). next: KEEP and WAIT as of deliveries;
 * PUBLISHED = it is over: remote_id, url, parts, warnings and flow of the save are the delivery's
 * from now on (parts empty: they stay as they were), and with a remote_id the event
 * post.id_found is written. No other next. CONFLICT: the fence is not ours any more, nothing was
 * written. */
enum err_kind store_late_id_save(struct store_tx *tx, const struct delivery_save *save,
				 struct error *err);
/* Forgets the look of that delivery, if there is one: the service died on it too often. */
enum err_kind store_late_id_set_aside(struct store *store, struct str delivery_id,
				      struct error *err);
