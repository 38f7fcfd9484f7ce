/* SPDX-License-Identifier: Apache-2.0
 * See store_credential.h. */
#include "store_credential.h"

#include "store_private.h"

static void credential_read(struct sql_cursor *cursor, void *out)
{
	struct credential_row *credential = out;
	credential->app_id = sql_take_text(cursor);
	credential->platform = (enum platform_id)sql_take_int(cursor);
	credential->client_id = sql_take_text(cursor);
	credential->client_secret_sealed = sql_take_blob(cursor);
	credential->state = credential_state_of_name(sql_take_text(cursor));
	credential->message = sql_take_text(cursor);
	credential->verified_at_us = sql_take_int(cursor);
	credential->updated_at_us = sql_take_int(cursor);
	credential->scopes = sql_take_text(cursor);
	credential->variant = sql_take_text(cursor);
	credential->config_id = sql_take_text(cursor);
}

static enum err_kind candidate_delete(struct store_tx *tx, const struct credential_row *row,
				      struct error *err)
{
	return sql_run(tx->sql, SQL_CANDIDATE_DELETE,
		       SQL_ARGS(sql_text(row->app_id), sql_int(row->platform)), NULL, err);
}

static enum err_kind credential_put(struct store_tx *tx, void *argument, struct error *err)
{
	const struct credential_row *row = argument;
	const enum err_kind kind = sql_run(
		tx->sql, SQL_CREDENTIAL_PUT,
		SQL_ARGS(sql_text(row->app_id), sql_int(row->platform), sql_text(row->client_id),
			 sql_blob(row->client_secret_sealed), sql_int(row->updated_at_us),
			 sql_text(row->scopes), sql_text(row->variant), sql_text(row->config_id)),
		NULL, err);
	return kind == ERR_NONE ? candidate_delete(tx, row, err) : kind;
}

enum err_kind store_credential_put(struct store *store, const struct credential_row *credential,
				   struct error *err)
{
	struct credential_row row = *credential;
	return store_write(store, credential_put, &row, err);
}

enum err_kind store_credential_put_verified(struct store_tx *tx,
					    const struct credential_row *credential,
					    struct error *err)
{
	struct credential_row row = *credential;
	const enum err_kind kind = credential_put(tx, &row, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_CREDENTIAL_SET_STATE,
		       SQL_ARGS(sql_text(row.app_id), sql_int(row.platform),
				sql_text(row.client_id),
				sql_word(credential_state_name(CREDENTIAL_VERIFIED)),
				sql_text(STR("")), sql_int(row.updated_at_us)),
		       NULL, err);
}

enum err_kind store_credential_find(struct store *store, struct arena *arena, struct str app_id,
				    enum platform_id platform, struct credential_row *out,
				    struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_CREDENTIAL_FIND,
				  SQL_ARGS(sql_text(app_id), sql_int(platform)), credential_read),
			  out, "platform credential", err);
}

enum err_kind store_credential_list(struct store *store, struct arena *arena, struct str app_id,
				    struct credential_row **out, size_t *count_out,
				    struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_CREDENTIAL_LIST, SQL_ARGS(sql_text(app_id)), credential_read,
				   struct credential_row),
			  (void **)out, count_out, err);
}

enum err_kind store_credential_list_of_platform(struct store *store, struct arena *arena,
						enum platform_id platform, struct str after_app_id,
						size_t max, struct credential_row **out,
						size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_CREDENTIAL_LIST_OF_PLATFORM,
			 SQL_ARGS(sql_int(platform), sql_text(after_app_id), sql_int((int64_t)max)),
			 credential_read, struct credential_row),
		(void **)out, count_out, err);
}

enum err_kind store_credential_set_state(struct store *store, struct str app_id,
					 enum platform_id platform, struct str client_id,
					 enum credential_state state, struct str message,
					 int64_t now_us, struct error *err)
{
	return store_run(store, SQL_CREDENTIAL_SET_STATE,
			 SQL_ARGS(sql_text(app_id), sql_int(platform), sql_text(client_id),
				  sql_word(credential_state_name(state)), sql_text(message),
				  sql_int(now_us)),
			 ERR_CONFLICT, "credential with this client id", err);
}

/* ---- the candidate ---- */

enum err_kind store_candidate_put(struct store *store, const struct credential_row *candidate,
				  struct error *err)
{
	return store_run(store, SQL_CANDIDATE_PUT,
			 SQL_ARGS(sql_text(candidate->app_id), sql_int(candidate->platform),
				  sql_text(candidate->client_id),
				  sql_blob(candidate->client_secret_sealed),
				  sql_int(candidate->updated_at_us), sql_text(candidate->scopes),
				  sql_text(candidate->variant), sql_text(candidate->config_id)),
			 ERR_NONE, "", err);
}

enum err_kind store_candidate_find(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct credential_row *out,
				   struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_CANDIDATE_FIND, SQL_ARGS(sql_text(app_id), sql_int(platform)),
				  credential_read),
			  out, "candidate credential", err);
}

enum err_kind store_candidate_fail(struct store *store, const struct credential_row *candidate,
				   struct str message, struct error *err)
{
	return store_run(store, SQL_CANDIDATE_FAIL,
			 SQL_ARGS(sql_text(candidate->app_id), sql_int(candidate->platform),
				  sql_text(candidate->client_id), sql_int(candidate->updated_at_us),
				  sql_text(message)),
			 ERR_CONFLICT, "candidate credential as it was", err);
}

struct promotion {
	const struct credential_row *candidate;
	int64_t now_us;
};

static enum err_kind candidate_promote(struct store_tx *tx, void *argument, struct error *err)
{
	const struct promotion *promotion = argument;
	const struct credential_row *candidate = promotion->candidate;
	const enum err_kind kind =
		sql_run_one(tx->sql, SQL_CANDIDATE_PROMOTE,
			    SQL_ARGS(sql_text(candidate->app_id), sql_int(candidate->platform),
				     sql_text(candidate->client_id),
				     sql_int(candidate->updated_at_us), sql_int(promotion->now_us)),
			    ERR_CONFLICT, "candidate credential as it was", err);
	return kind == ERR_NONE ? candidate_delete(tx, candidate, err) : kind;
}

enum err_kind store_candidate_promote(struct store *store, const struct credential_row *candidate,
				      int64_t now_us, struct error *err)
{
	struct promotion promotion = {candidate, now_us};
	return store_write(store, candidate_promote, &promotion, err);
}
