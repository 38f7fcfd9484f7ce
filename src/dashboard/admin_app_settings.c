/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the settings of an app (api-decisions.md 3, 6): name, owner, allowed redirect URLs,
 * whether new connections have to be confirmed, the handling of publish calls with an unknown
 * outcome, and who sees a TikTok post that does not say it. Fields that are not given stay as they
 * are. */
#include "admin_private.h"

#include "delivery.h"

#include "url.h"

#include "publish_request.h"

#define REDIRECT_LIST_MAX_BYTES ((size_t)512 << 10)

static bool refuse(struct http_response *response, struct str message)
{
	admin_respond_error(response, 422, "VALIDATION_ERROR", message);
	return false;
}

static bool read_name(struct http_response *response, const struct json *body, struct app_row *app)
{
	if (json_is_null(json_get(body, "name")))
		return true;
	return admin_request_text(response, body, "name", APP_NAME_MAX_BYTES, &app->name);
}

static bool read_on_unknown(struct http_response *response, const struct json *body,
			    struct app_row *app)
{
	const struct json *value = json_get(body, "on_unknown");
	const struct str word = json_string(value);
	if (json_is_null(value))
		return true;
	app->retry_unknown_once = str_equal_z(word, "retry_once");
	return app->retry_unknown_once || str_equal_z(word, "hold") ||
	       refuse(response, STR("on_unknown must be hold or retry_once."));
}

static bool read_connect_confirmation(struct http_response *response, const struct json *body,
				      struct app_row *app)
{
	const struct json *value = json_get(body, "connect_confirmation");
	const struct str word = json_string(value);
	if (json_is_null(value))
		return true;
	app->connect_confirmation = str_equal_z(word, "on");
	return app->connect_confirmation || str_equal_z(word, "off") ||
	       refuse(response, STR("connect_confirmation must be on or off."));
}

/* null takes the limit away. */
static bool read_max_lateness(struct http_response *response, const struct json *body,
			      struct app_row *app)
{
	const struct json *value = json_get(body, "max_lateness");
	if (value == NULL)
		return true;
	app->max_lateness_s = 0;
	if (json_is_null(value))
		return true;
	app->max_lateness_s = json_int(value, 0);
	return (json_is(value, JSON_TYPE_INT) && app->max_lateness_s >= MAX_LATENESS_LEAST_S &&
		app->max_lateness_s <= MAX_LATENESS_MOST_S) ||
	       refuse(response,
		      STR("max_lateness must be a whole number of seconds from 60 to 2592000, or "
			  "null for no limit."));
}

static bool read_tiktok_privacy(struct http_response *response, const struct json *body,
				struct app_row *app)
{
	const struct json *value = json_get(body, "tiktok_privacy");
	if (json_is_null(value))
		return true;
	app->tiktok_privacy = app_tiktok_privacy_of_name(json_string(value));
	return app->tiktok_privacy != APP_TIKTOK_PRIVACY_COUNT ||
	       refuse(response, STR("tiktok_privacy must be most_open, self_only or refuse."));
}

static bool redirect_is_good(struct arena *arena, const struct json *item)
{
	struct url url;
	const struct str text = json_string(item);
	return text.len <= HTTP_URL_MAX_BYTES && url_parse(arena, text, &url, NULL) == ERR_NONE &&
	       str_is_empty(url.userinfo) && !url.has_fragment;
}

static bool read_redirect_urls(struct http_response *response, const struct json *body,
			       struct app_row *app)
{
	const struct json *list = json_get(body, "redirect_urls");
	struct buf text;
	struct json_writer w;
	if (json_is_null(list))
		return true;
	if (!json_is(list, JSON_TYPE_ARRAY) || list->count > APP_REDIRECT_URLS_MAX)
		return refuse(response,
			      STR("redirect_urls must be a list of at most 100 URLs or origins."));
	for (size_t i = 0; i < list->count; i++) {
		if (!redirect_is_good(response->arena, json_at(list, i)))
			return refuse(response, STR("redirect_urls must be http or https URLs "
						    "without user information or a fragment."));
	}
	buf_init(&text, response->arena, REDIRECT_LIST_MAX_BYTES);
	json_writer_init(&w, &text);
	json_put_value(&w, list);
	if (text.is_over)
		return refuse(response, STR("The redirect_urls are too long in total."));
	app->redirect_urls = list->count > 0 ? buf_str(&text) : STR("");
	return true;
}

bool admin_app_read_settings(struct http_response *response, const struct json *body,
			     struct app_row *app)
{
	return read_on_unknown(response, body, app) &&
	       read_connect_confirmation(response, body, app) &&
	       read_max_lateness(response, body, app) && read_tiktok_privacy(response, body, app) &&
	       read_redirect_urls(response, body, app);
}

/* Only to an existing admin: a typing error must not create one. */
static bool hand_over(struct admin *admin, struct http_response *response, const struct json *body,
		      struct app_row *app)
{
	const struct json *value = json_get(body, "owner");
	struct error err = {0};
	struct str email;
	if (json_is_null(value))
		return true;
	if (!admin_request_email(response, json_string(value), &email))
		return false;
	const enum err_kind kind = store_app_set_owner(admin->config.store, app->id, email, &err);
	app->owner_email = email;
	if (kind == ERR_NOT_FOUND)
		admin_respond_field_error(response, "owner",
					  STR("There is no admin with this email address."));
	else if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	else if (admin->web.deliverer != NULL)
		deliverer_wake(admin->web.deliverer);
	return kind == ERR_NONE;
}

void admin_app_set(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	const struct json *body =
		admin_request_body(request, response, KNOWN(ADMIN_APP_SETTINGS, "name", "owner"));
	if (body == NULL || !read_name(response, body, &app) ||
	    !admin_app_read_settings(response, body, &app))
		return;
	if (!hand_over(admin, response, body, &app))
		return;
	const enum err_kind kind = store_app_set_settings(admin->config.store, &app, &err);
	if (kind == ERR_NONE)
		admin_respond_app(admin, response, &app);
	else
		admin_respond_failure(response, kind, &err, "app");
}
