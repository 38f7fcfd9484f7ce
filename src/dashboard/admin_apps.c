/* SPDX-License-Identifier: Apache-2.0
 * Admin API: apps (api-decisions.md 3). Secrets are shown once, when they are made. */
#include "admin_private.h"

#include "token.h"

#include "store_app_end.h"

#include "delivery.h"

static struct str secret_hash(struct arena *arena, struct str secret)
{
	const struct digest digest = digest_token(secret);
	return digest_hex(arena, &digest);
}

static void write_app(const struct admin *admin, struct json_writer *w, const struct app_row *app)
{
	json_member_str(w, "app_id", app->id);
	json_member_str(w, "client_id", app->client_id);
	json_member_str(w, "name", app->name);
	json_member_str(w, "state", str_of(app_state_name(app->state)));
	json_member_bool(w, "live", app->state == APP_ACTIVE);
	json_member_str(w, "mode", app->world.is_test ? STR("test") : str_of(admin->config.mode));
	if (app->world.is_test)
		json_member_int(w, "time_scale", app->world.time_scale);
	json_member_str_or_null(w, "owner", app->owner_email);
	json_key(w, "redirect_urls");
	json_put_raw(w, !str_is_empty(app->redirect_urls) ? app->redirect_urls : STR("[]"));
	json_member_str(w, "on_unknown", app->retry_unknown_once ? STR("retry_once") : STR("hold"));
	json_member_str(w, "connect_confirmation",
			app->connect_confirmation ? STR("on") : STR("off"));
	json_member_str(w, "tiktok_privacy", str_of(app_tiktok_privacy_name(app->tiktok_privacy)));
	json_key(w, "max_lateness");
	if (app->max_lateness_s != 0)
		json_put_int(w, app->max_lateness_s);
	else
		json_put_null(w);
	json_member_instant(w, "created_at", app->created_at_us);
}

void admin_respond_app(struct admin *admin, struct http_response *response,
		       const struct app_row *app)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_app(admin, &w, app);
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

/* Over HTTP, the signed-in admin owns the new app. */
static bool read_owner(const struct http_request *request, struct http_response *response,
		       const struct json *body, struct str *owner)
{
	const struct caller *caller = admin_request_caller(request);
	if (caller == NULL)
		return admin_request_email(response, json_string(json_get(body, "owner")), owner);
	*owner = caller->session.admin.email;
	return true;
}

/* Made once, with the app. */
#define ADMIN_APP_CHOICES ADMIN_APP_SETTINGS, "live", "test", "time_scale"

void admin_app_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct arena *arena = request->arena;
	const bool is_web = admin_request_caller(request) != NULL;
	const struct json *body =
		admin_request_body(request, response,
				   is_web ? KNOWN(ADMIN_APP_CHOICES, "name")
					  : KNOWN(ADMIN_APP_CHOICES, "name", "owner"));
	struct app_row app = {0};
	struct str owner = STR("");
	if (body == NULL ||
	    !admin_request_text(response, body, "name", APP_NAME_MAX_BYTES, &app.name) ||
	    !read_owner(request, response, body, &owner) ||
	    !admin_test_app_read(admin, response, body, &app) ||
	    !admin_app_read_settings(response, body, &app))
		return;
	const struct str secret = token_new(arena, admin->config.random, TOKEN_CLIENT_SECRET);
	app.id = admin_new_id(admin, arena);
	app.client_id = token_new(arena, admin->config.random, TOKEN_CLIENT_ID);
	app.client_secret_hash = secret_hash(arena, secret);
	const bool is_live = json_bool(json_get(body, "live"), false) || app.world.is_test;
	app.state = is_live ? APP_ACTIVE : APP_DRAFT;
	app.created_at_us = clock_now_us(admin->config.clock);
	struct error err = {0};
	const enum err_kind kind = app.world.is_test
					   ? admin_test_app_create(admin, arena, &app, owner, &err)
					   : store_app_create(admin->config.store, &app, owner,
							      admin_new_id(admin, arena), &err);
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
	const enum err_kind kind =
		store_app_list(admin->config.store, request->arena, &apps, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "app");
		return;
	}
	struct json_writer w;
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < count; i++) {
		if (!admin_may_have(admin_request_caller(request), &apps[i]))
			continue;
		json_begin_object(&w);
		write_app(admin, &w, &apps[i]);
		json_end_object(&w);
	}
	admin_respond_list_end(&w);
}

void admin_app_show(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	struct buf body;
	struct json_writer w;
	struct error err = {0};
	buf_init(&body, request->arena, 1 << 20);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	write_app(admin, &w, &app);
	json_key(&w, "credentials");
	const enum err_kind kind = admin_write_credentials(admin, request->arena, &w, app.id, &err);
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
	const enum err_kind kind = store_app_set_state(admin->config.store, app->id, state, &err);
	app->state = state;
	if (kind == ERR_NONE)
		admin_respond_app(admin, response, app);
	else
		admin_respond_failure(response, kind, &err, "app");
}

void admin_app_activate(void *context, struct http_request *request, struct http_response *response)
{
	struct app_row app = {0};
	if (!admin_request_app(context, request, response, &app))
		return;
	if (app.state == APP_DRAFT)
		admin_respond_error(response, 409, "APP_NOT_LIVE",
				    STR("The app is a draft; take it live first."));
	else
		set_state(context, response, &app, APP_ACTIVE);
}

void admin_app_suspend(void *context, struct http_request *request, struct http_response *response)
{
	struct app_row app = {0};
	if (admin_request_app(context, request, response, &app))
		set_state(context, response, &app, APP_SUSPENDED);
}

static enum err_kind has_verified_credential(struct admin *admin, struct arena *arena,
					     struct str app_id, bool *has_out, struct error *err)
{
	struct credential_row *credentials = NULL;
	size_t count = 0;
	const enum err_kind kind = store_credential_list(admin->config.store, arena, app_id,
							 &credentials, &count, err);
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
	if (!admin_request_app(admin, request, response, &app))
		return;
	const enum err_kind kind =
		has_verified_credential(admin, request->arena, app.id, &has_verified, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	else if (app.state == APP_SUSPENDED)
		admin_respond_error(response, 409, "APP_NOT_ACTIVE",
				    STR("The app is suspended; activate it first."));
	else if (app.state == APP_DRAFT && !has_verified)
		admin_respond_error(response, 409, "CREDENTIALS_NOT_FOUND",
				    STR("The app has no verified platform credentials yet."));
	else
		set_state(admin, response, &app, APP_ACTIVE);
}

void admin_app_rotate_secret(void *context, struct http_request *request,
			     struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	const struct str secret =
		token_new(request->arena, admin->config.random, TOKEN_CLIENT_SECRET);
	struct error err = {0};
	const enum err_kind kind = store_app_set_secret(admin->config.store, app.id,
							secret_hash(request->arena, secret), &err);
	if (kind == ERR_NONE)
		respond_secret(response, 200, &app, secret);
	else
		admin_respond_failure(response, kind, &err, "app");
}

/* Over HTTP, with the app's name, which a person typed. */
static bool is_meant(struct http_request *request, struct http_response *response,
		     const struct app_row *app)
{
	struct str name;
	if (admin_request_caller(request) == NULL)
		return true;
	if (!admin_request_query_text(request, response, "name", APP_NAME_MAX_BYTES, &name))
		return false;
	if (str_equal(name, app->name))
		return true;
	admin_respond_field_error(response, "name", STR("name must be the name of the app."));
	return false;
}

/* Once begun it is durable: what a crash leaves to do, the retention sweep does. */
void admin_app_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct store *store = admin->config.store;
	struct app_row app = {0};
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app) ||
	    !is_meant(request, response, &app))
		return;
	const int64_t now_us = clock_now_us(admin->config.clock);
	enum err_kind kind = store_app_end_begin(store, app.id, now_us, &err);
	if (kind == ERR_NONE)
		kind = store_app_end_cancel_all(store, now_us, &err);
	if (admin->web.deliverer != NULL)
		deliverer_wake(admin->web.deliverer);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "app");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "deleted", app.client_id);
	json_end_object(&w);
}
