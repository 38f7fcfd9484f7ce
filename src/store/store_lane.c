/* SPDX-License-Identifier: Apache-2.0
 * Lanes: the order of one account's deliveries. A platform account that several users of an app
 * have connected has a lane for each of them, and these count as one (shared_id): while one works,
 * the others stand behind it. A lane that stands behind another has the busy_delivery_id of that
 * one, and is never due: it is put there when it would be claimed, and set free with that one.
 * Whoever calls has the app's lock. */
#include "store_private.h"

enum err_kind store_lane_free(struct store_tx *tx, struct str account_id, struct str delivery_id,
			      struct error *err)
{
	const struct sql_args args =
		SQL_ARGS(sql_text(account_id), sql_text(delivery_id), sql_int(NEVER_US));
	const enum err_kind kind = sql_run(tx->sql, SQL_LANE_FREE, args, NULL, err);
	if (kind != ERR_NONE || str_is_empty(delivery_id))
		return kind;
	return sql_run(tx->sql, SQL_LANES_FREE_BEHIND, args, NULL, err);
}

enum err_kind store_lane_stand_behind(struct store_tx *tx, struct str account_id,
				      struct str delivery_id, bool *is_behind_out,
				      struct error *err)
{
	int64_t changes = 0;
	const enum err_kind kind =
		sql_run(tx->sql, SQL_LANE_STAND_BEHIND,
			SQL_ARGS(sql_text(account_id), sql_int(NEVER_US), sql_text(delivery_id)),
			&changes, err);
	*is_behind_out = kind == ERR_NONE && changes > 0;
	return kind;
}

enum err_kind store_lane_share(struct store_tx *tx, const struct account_row *account,
			       struct error *err)
{
	return sql_run(tx->sql, SQL_LANES_SHARE,
		       SQL_ARGS(sql_text(account->app_id), sql_int(account->platform),
				sql_text(account->platform_account_id), sql_int(NEVER_US),
				sql_int(INT64_C(1) << account->platform)),
		       NULL, err);
}
