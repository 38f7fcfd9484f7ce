/* SPDX-License-Identifier: Apache-2.0
 * Admin API: pauses (store/operator/store_pause.h). The control socket and root admins may pause
 * anything; an owner, what belongs to an app of theirs. */
#include "admin_private.h"

#include "store_pause.h"

#include "delivery.h"

#define ACCOUNT_ID_MAX_BYTES 64

static bool read_platform(struct http_response *response, const struct json *body,
			  struct pause_row *pause)
{
	const struct json *value = json_get(body, "platform");
	pause->platform = platform_id_of_slug(json_string(value));
	if (json_is_null(value) || pause->platform != PLATFORM_NONE)
		return true;
	admin_respond_error(response, 404, "PLATFORM_NOT_FOUND",
			    STR("This platform is not supported."));
	return false;
}

/* An owner has to name an app of theirs. */
static bool read_app(struct admin *admin, struct http_request *request,
		     struct http_response *response, const struct json *body,
		     struct pause_row *pause)
{
	const struct caller *caller = admin_request_caller(request);
	const struct json *value = json_get(body, "app");
	struct app_row app = {0};
	struct error err = {0};
	if (json_is_null(value) && (caller == NULL || caller->session.admin.role == ADMIN_ROOT))
		return true;
	const enum err_kind kind = store_app_find_by_client_id(admin->config.store, request->arena,
							       json_string(value), &app, &err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND) {
		admin_respond_failure(response, kind, &err, "app");
		return false;
	}
	if (kind == ERR_NOT_FOUND || !admin_may_have(caller, &app)) {
		admin_respond_error(response, 404, "NOT_FOUND",
				    STR("There is no app with this client id. Give it as app."));
		return false;
	}
	pause->app_id = app.id;
	pause->client_id = app.client_id;
	return true;
}

static bool read_account(struct admin *admin, struct http_response *response,
			 const struct json *body, struct pause_row *pause)
{
	struct error err = {0};
	bool exists = false;
	if (json_is_null(json_get(body, "account")))
		return true;
	if (!admin_request_text(response, body, "account", ACCOUNT_ID_MAX_BYTES,
				&pause->account_id))
		return false;
	const enum err_kind kind = store_pause_account_exists(
		admin->config.store, pause->account_id, pause->app_id, &exists, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "account");
	else if (!exists)
		admin_respond_error(response, 404, "NOT_FOUND",
				    STR("There is no account with this id."));
	return kind == ERR_NONE && exists;
}

/* False: answered already. */
static bool read_pause(struct admin *admin, struct http_request *request,
		       struct http_response *response, struct pause_row *pause)
{
	const struct caller *caller = admin_request_caller(request);
	const struct json *body =
		admin_request_body(request, response, KNOWN("platform", "app", "account"));
	pause->paused_at_us = clock_now_us(admin->config.clock);
	pause->actor = caller != NULL ? caller->session.admin.email : STR("cli");
	return body != NULL && read_platform(response, body, pause) &&
	       read_app(admin, request, response, body, pause) &&
	       read_account(admin, response, body, pause);
}

static void log_change(const struct admin *admin, const char *action, const struct pause_row *pause)
{
	const char *platform =
		pause->platform != PLATFORM_NONE ? platform_id_slug(pause->platform) : "";
	LOG(admin->config.log, INFO, "pause_changed", log_str("action", str_of(action)),
	    log_str("actor", pause->actor), log_str("platform", str_of(platform)),
	    log_str("app", pause->client_id), log_str("account", pause->account_id));
}

static bool is_visible(const struct admin *admin, struct http_request *request,
		       const struct pause_row *pause)
{
	const struct caller *caller = admin_request_caller(request);
	struct app_row app = {0};
	struct error err = {0};
	if (caller == NULL || str_is_empty(pause->app_id))
		return true;
	return store_app_find(admin->config.store, request->arena, pause->app_id, &app, &err) ==
		       ERR_NONE &&
	       admin_may_have(caller, &app);
}

static void write_pause(struct json_writer *w, const struct pause_row *pause)
{
	json_begin_object(w);
	json_member_str_or_null(w, "platform",
				pause->platform != PLATFORM_NONE
					? str_of(platform_id_slug(pause->platform))
					: STR(""));
	json_member_str_or_null(w, "app", pause->client_id);
	json_member_str_or_null(w, "account", pause->account_id);
	json_member_instant(w, "paused_at", pause->paused_at_us);
	json_member_str(w, "actor", pause->actor);
	json_end_object(w);
}

void admin_pause_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct pause_row *pauses = NULL;
	size_t count = 0;
	struct error err = {0};
	struct json_writer w;
	const enum err_kind kind =
		store_pause_list(admin->config.store, request->arena, &pauses, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "pauses");
		return;
	}
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < count; i++) {
		if (is_visible(admin, request, &pauses[i]))
			write_pause(&w, &pauses[i]);
	}
	admin_respond_list_end(&w);
}

void admin_pause_add(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct pause_row pause = {0};
	struct error err = {0};
	if (!read_pause(admin, request, response, &pause))
		return;
	const enum err_kind kind = store_pause_add(admin->config.store, &pause, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "pause");
		return;
	}
	log_change(admin, "pause", &pause);
	admin_pause_list(context, request, response);
}

void admin_pause_remove(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct pause_row pause = {0};
	bool is_found = false;
	struct error err = {0};
	if (!read_pause(admin, request, response, &pause))
		return;
	const enum err_kind kind = store_pause_remove(admin->config.store, &pause,
						      pause.paused_at_us, &is_found, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "pause");
		return;
	}
	if (!is_found) {
		admin_respond_error(response, 404, "NOT_FOUND",
				    STR("Nothing is paused by exactly these words. GET /pauses and "
					"posthorn doctor show what is."));
		return;
	}
	if (admin->web.deliverer != NULL)
		deliverer_wake(admin->web.deliverer);
	log_change(admin, "resume", &pause);
	admin_pause_list(context, request, response);
}
