/* SPDX-License-Identifier: Apache-2.0
 * Admin API: keys of an app (api-decisions.md 14). A key is shown once, when it is made. */
#include "admin_private.h"

#include "store_key.h"

#include "token.h"

#define LIFETIME_MAX_S (3660LL * 86400) /* ten years */

static void write_members(struct json_writer *w, const struct key_row *key)
{
	json_member_str(w, "id", key->id);
	json_member_str(w, "name", key->name);
	json_key(w, "scopes");
	json_begin_array(w);
	for (enum scope scope = 0; scope < SCOPE_COUNT; scope++) {
		if (key->scopes & 1U << scope)
			json_put_str(w, str_of(scope_name(scope)));
	}
	json_end_array(w);
	json_member_instant(w, "created_at", key->created_at_us);
	json_member_instant(w, "expires_at", key->expires_at_us);
	json_member_instant(w, "last_used_at", key->last_used_at_us);
}

static bool refuse_scopes(struct http_response *response, struct str what)
{
	const struct str all = scope_set_text(response->arena, SCOPES_ANY, ", ");
	admin_respond_field_error(response, "scopes",
				  str_format(response->arena,
					     STR_FMT " Give at least one of: " STR_FMT ".",
					     STR_ARG(what), STR_ARG(all)));
	return false;
}

static bool read_scopes(struct http_response *response, const struct json *body, unsigned *out)
{
	const struct json *list = json_get(body, "scopes");
	*out = SCOPES_NONE;
	if (!json_is(list, JSON_TYPE_ARRAY) || list->count == 0)
		return refuse_scopes(response, STR("scopes must be a list of names."));
	for (size_t i = 0; i < list->count; i++) {
		const struct str name = json_string(json_at(list, i));
		const enum scope scope = scope_find(name);
		if (scope == SCOPE_COUNT)
			return refuse_scopes(
				response,
				str_format(response->arena, "There is no scope \"" STR_FMT "\".",
					   STR_ARG(str_slice(name, 0, KEY_NAME_MAX_BYTES))));
		*out |= 1U << scope;
	}
	return true;
}

/* No expires_in, or null: the key has no end. */
static bool read_expiry(struct http_response *response, const struct json *body,
			struct key_row *key)
{
	const struct json *value = json_get(body, "expires_in");
	const int64_t seconds = json_int(value, 0);
	if (json_is_null(value))
		return true;
	key->expires_at_us = key->created_at_us + seconds * US_PER_S;
	if (json_is(value, JSON_TYPE_INT) && seconds >= 1 && seconds <= LIFETIME_MAX_S)
		return true;
	admin_respond_field_error(response, "expires_in",
				  STR("expires_in must be a whole number of seconds from 1 to "
				      "316224000 (ten years), or null for a key without an end."));
	return false;
}

/* As the token endpoint, a draft gets none (api-decisions.md 2). */
static bool may_have_keys(struct http_response *response, const struct app_row *app)
{
	if (app->state != APP_DRAFT)
		return true;
	admin_respond_error(response, 409, "APP_NOT_LIVE",
			    STR("The app is a draft; take it live first."));
	return false;
}

static void log_change(const struct admin *admin, const struct http_request *request,
		       const char *action, struct str key_id)
{
	const struct caller *caller = admin_request_caller(request);
	LOG(admin->config.log, INFO, "key_changed", log_str("action", str_of(action)),
	    log_str("actor", caller != NULL ? caller->session.admin.email : STR("cli")),
	    log_str("key", key_id));
}

static void respond_created(struct http_response *response, const struct key_row *key,
			    struct str token)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	write_members(&w, key);
	json_member_str(&w, "key", token);
	json_end_object(&w);
}

static void respond_full(struct http_response *response)
{
	admin_respond_error(response, 409, "LIMIT_REACHED",
			    str_format(response->arena,
				       "The app has %d keys, which is the most. Revoke one that "
				       "is no longer used.",
				       KEYS_PER_APP_MAX));
}

void admin_key_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct key_row key = {.created_at_us = clock_now_us(admin->config.clock)};
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	const struct json *body =
		admin_request_body(request, response, KNOWN("name", "scopes", "expires_in"));
	if (body == NULL ||
	    !admin_request_text(response, body, "name", KEY_NAME_MAX_BYTES, &key.name) ||
	    !read_scopes(response, body, &key.scopes) || !read_expiry(response, body, &key) ||
	    !may_have_keys(response, &app))
		return;
	const struct str token = token_new(request->arena, admin->config.random, TOKEN_KEY);
	const struct digest digest = digest_token(token);
	key.id = admin_new_id(admin, request->arena);
	key.app_id = app.id;
	key.token_hash = digest_hex(request->arena, &digest);
	const enum err_kind kind = store_key_create(admin->config.store, &key, &err);
	if (kind == ERR_CONFLICT) {
		respond_full(response);
	} else if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "key");
	} else {
		log_change(admin, request, "create", key.id);
		respond_created(response, &key, token);
	}
}

void admin_key_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct key_row *keys = NULL;
	size_t count = 0;
	struct error err = {0};
	struct json_writer w;
	if (!admin_request_app(admin, request, response, &app))
		return;
	const enum err_kind kind =
		store_key_list(admin->config.store, request->arena, app.id, &keys, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "keys");
		return;
	}
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&w);
		write_members(&w, &keys[i]);
		json_end_object(&w);
	}
	admin_respond_list_end(&w);
}

/* Of the app in the path; without one, on the control socket, of any. */
void admin_key_revoke(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const bool names_app = admin_request_caller(request) != NULL;
	const struct str key_id = http_request_capture(request, "key_id");
	struct app_row app = {0};
	struct error err = {0};
	struct json_writer w;
	if (names_app && !admin_request_app(admin, request, response, &app))
		return;
	const enum err_kind kind = store_key_revoke(admin->config.store, app.id, key_id, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "key");
		return;
	}
	log_change(admin, request, "revoke", key_id);
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "revoked", key_id);
	json_end_object(&w);
}
