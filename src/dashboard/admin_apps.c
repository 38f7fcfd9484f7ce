/* SPDX-License-Identifier: Apache-2.0
 * Admin API: apps and admins (API.md section 3). Secrets are shown once, when they are made. */
#include "admin_private.h"

#include "uuid.h"

#include "digest.h"
#include "token.h"

#define EMAIL_MAX_BYTES 254 /* RFC 5321 4.5.3.1 */
#define PASSWORD_MIN_BYTES 8
#define PASSWORD_MAX_BYTES 1024

static struct str new_id(struct admin *admin, struct arena *arena)
{
	return uuid_str(arena, uuid_v7(clock_now_us(admin->config.clock), admin->config.random));
}

static struct str secret_hash(struct arena *arena, struct str secret)
{
	struct digest digest = digest_token(secret);
	return digest_hex(arena, &digest);
}

/* Something before and behind one @; the rest is the mail system's business. */
static bool read_email(struct http_response *response, struct str text, struct str *out)
{
	size_t at = str_find_char(text, '@', 0);
	if (text.len <= EMAIL_MAX_BYTES && at != SIZE_MAX && at > 0 && at + 1 < text.len &&
	    str_find_char(text, '@', at + 1) == SIZE_MAX &&
	    str_find_char(text, ' ', 0) == SIZE_MAX && !str_has_control(text)) {
		*out = str_lower(response->arena, text);
		return true;
	}
	admin_respond_error(response, 422, "VALIDATION_ERROR", STR("That is no e-mail address."));
	return false;
}

/* ---- apps ---- */

static void write_app(struct json_writer *w, const struct app_row *app)
{
	json_member_str(w, "app_id", app->id);
	json_member_str(w, "client_id", app->client_id);
	json_member_str(w, "name", app->name);
	json_member_str(w, "state", str_of(app_state_name(app->state)));
	json_member_bool(w, "live", app->state == APP_ACTIVE);
	json_member_str_or_null(w, "owner", app->owner_email);
	json_key(w, "redirect_urls");
	json_put_raw(w, app->redirect_urls.len > 0 ? app->redirect_urls : STR("[]"));
	json_member_str(w, "on_unknown", app->retry_unknown_once ? STR("retry_once") : STR("hold"));
	json_member_str(w, "connect_confirmation",
			app->connect_confirmation ? STR("on") : STR("off"));
	json_member_instant(w, "created_at", app->created_at_us);
}

void admin_respond_app(struct http_response *response, const struct app_row *app)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_app(&w, app);
	json_end_object(&w);
}

static void respond_secret(struct http_response *response, int status, const struct app_row *app,
			   struct str secret)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "app_id", app->id);
	json_member_str(&w, "client_id", app->client_id);
	json_member_str(&w, "client_secret", secret);
	json_end_object(&w);
}

void admin_app_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct arena *arena = request->arena;
	const struct json *body = admin_body(request, response);
	struct app_row app = {0};
	struct str owner = STR("");
	if (body == NULL || !admin_text(response, body, "name", ADMIN_NAME_MAX_BYTES, &app.name) ||
	    !read_email(response, json_string(json_get(body, "owner")), &owner))
		return;
	struct str secret = token_new(arena, admin->config.random, TOKEN_CLIENT_SECRET);
	app.id = new_id(admin, arena);
	app.client_id = token_new(arena, admin->config.random, TOKEN_CLIENT_ID);
	app.client_secret_hash = secret_hash(arena, secret);
	app.state = json_bool(json_get(body, "live"), false) ? APP_ACTIVE : APP_DRAFT;
	app.created_at_us = clock_now_us(admin->config.clock);
	struct error err = {0};
	enum err_kind kind =
		store_app_create(admin->config.store, &app, owner, new_id(admin, arena), &err);
	if (kind == ERR_NONE)
		respond_secret(response, 201, &app, secret);
	else
		admin_respond_failure(response, kind, &err, "app");
}

void admin_app_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row *apps = NULL;
	size_t count = 0;
	struct error err = {0};
	enum err_kind kind =
		store_app_list(admin->config.store, request->arena, &apps, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "app");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&w);
		write_app(&w, &apps[i]);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
}

void admin_app_show(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	if (!admin_find_app(admin, request, response, &app))
		return;
	struct buf body;
	struct json_writer w;
	struct error err = {0};
	buf_init(&body, request->arena, 1 << 20);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	write_app(&w, &app);
	json_key(&w, "credentials");
	enum err_kind kind = admin_write_credentials(admin, request->arena, &w, app.id, &err);
	json_end_object(&w);
	if (kind == ERR_NONE)
		buf_add(http_response_json(response, 200), buf_str(&body));
	else
		admin_respond_failure(response, kind, &err, "app");
}

static void set_state(struct admin *admin, struct http_response *response, struct app_row *app,
		      enum app_state state)
{
	struct error err = {0};
	enum err_kind kind = store_app_set_state(admin->config.store, app->id, state, &err);
	app->state = state;
	if (kind == ERR_NONE)
		admin_respond_app(response, app);
	else
		admin_respond_failure(response, kind, &err, "app");
}

void admin_app_activate(void *context, struct http_request *request, struct http_response *response)
{
	struct app_row app = {0};
	if (!admin_find_app(context, request, response, &app))
		return;
	if (app.state == APP_DRAFT)
		admin_respond_error(response, 409, "APP_NOT_LIVE",
				    STR("The app is a draft: bring it live with go-live."));
	else
		set_state(context, response, &app, APP_ACTIVE);
}

void admin_app_suspend(void *context, struct http_request *request, struct http_response *response)
{
	struct app_row app = {0};
	if (admin_find_app(context, request, response, &app))
		set_state(context, response, &app, APP_SUSPENDED);
}

static enum err_kind has_verified_credential(struct admin *admin, struct arena *arena,
					     struct str app_id, bool *has_out, struct error *err)
{
	struct credential_row *credentials = NULL;
	size_t count = 0;
	enum err_kind kind = store_credential_list(admin->config.store, arena, app_id, &credentials,
						   &count, err);
	*has_out = false;
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		*has_out = *has_out || credentials[i].state == CREDENTIAL_VERIFIED;
	return kind;
}

void admin_app_go_live(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	bool has_verified = false;
	struct error err = {0};
	if (!admin_find_app(admin, request, response, &app))
		return;
	enum err_kind kind =
		has_verified_credential(admin, request->arena, app.id, &has_verified, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	else if (app.state == APP_SUSPENDED)
		admin_respond_error(response, 409, "APP_NOT_ACTIVE",
				    STR("The app is suspended: activate it first."));
	else if (app.state == APP_DRAFT && !has_verified)
		admin_respond_error(response, 409, "CREDENTIALS_NOT_FOUND",
				    STR("The app has no verified platform credential yet."));
	else
		set_state(admin, response, &app, APP_ACTIVE);
}

void admin_app_rotate_secret(void *context, struct http_request *request,
			     struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	if (!admin_find_app(admin, request, response, &app))
		return;
	struct str secret = token_new(request->arena, admin->config.random, TOKEN_CLIENT_SECRET);
	struct error err = {0};
	enum err_kind kind = store_app_set_secret(admin->config.store, app.id,
						  secret_hash(request->arena, secret), &err);
	if (kind == ERR_NONE)
		respond_secret(response, 200, &app, secret);
	else
		admin_respond_failure(response, kind, &err, "app");
}

/* ---- admins ---- */

static void write_admin(struct json_writer *w, const struct admin_row *row)
{
	json_begin_object(w);
	json_member_str(w, "id", row->id);
	json_member_str(w, "email", row->email);
	json_member_bool(w, "has_password", row->password_hash.len > 0);
	json_member_instant(w, "created_at", row->created_at_us);
	json_end_object(w);
}

void admin_admin_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_body(request, response);
	struct admin_row row = {0};
	if (body == NULL || !read_email(response, json_string(json_get(body, "email")), &row.email))
		return;
	struct str password = json_string(json_get(body, "password"));
	if (password.len < PASSWORD_MIN_BYTES || password.len > PASSWORD_MAX_BYTES) {
		admin_respond_error(response, 422, "VALIDATION_ERROR",
				    STR("The password must be 8 to 1,024 bytes long."));
		return;
	}
	row.id = new_id(admin, request->arena);
	row.password_hash = digest_password(request->arena, password);
	row.created_at_us = clock_now_us(admin->config.clock);
	if (row.password_hash.ptr == NULL) {
		admin_respond_error(response, 503, "UNAVAILABLE",
				    STR("There is no memory to hash the password now."));
		return;
	}
	struct error err = {0};
	enum err_kind kind = store_admin_create(admin->config.store, &row, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	write_admin(&w, &row);
}

void admin_admin_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct admin_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	enum err_kind kind =
		store_admin_list(admin->config.store, request->arena, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		write_admin(&w, &rows[i]);
	json_end_array(&w);
	json_end_object(&w);
}

void admin_admin_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct str email = str_lower(request->arena, http_request_capture(request, "email"));
	struct error err = {0};
	enum err_kind kind = store_admin_delete(admin->config.store, email, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "deleted", email);
	json_end_object(&w);
}
