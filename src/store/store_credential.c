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
}

enum err_kind store_credential_put(struct store *store, const struct credential_row *credential,
				   struct error *err)
{
	return store_run(store, SQL_CREDENTIAL_PUT,
			 SQL_ARGS(sql_text(credential->app_id), sql_int(credential->platform),
				  sql_text(credential->client_id),
				  sql_blob(credential->client_secret_sealed),
				  sql_int(credential->updated_at_us), sql_text(credential->scopes)),
			 ERR_NONE, "", err);
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
