/* SPDX-License-Identifier: Apache-2.0
 * Shared by the admin API's files: its state, the route table, the caller, and what the files call
 * of each other. */
#pragma once

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "log.h"
#include "random.h"
#include "uuid.h"

#include "json.h"
#include "json_write.h"

#include "account.h"
#include "request_limits.h"

#include "digest.h"

#include "store.h"
#include "store_admin.h"
#include "store_app.h"
#include "store_credential.h"
#include "store_post.h"
#include "store_session.h"

#include "http.h"

#include "admin.h"
#include "admin_request.h"
#include "admin_respond.h"

#define ADMIN_ANSWER_MAX_BYTES ((size_t)8 << 20)

struct backoff;
struct password_pool;
struct refusals;

struct admin {
	struct admin_config config;
	struct admin_web_config web;
	struct http_router *router;     /* of the control socket */
	struct http_router *web_router; /* NULL = not open over HTTP */
	struct password_pool *passwords;
	struct backoff *backoff;
	struct refusals *refusals;
};

enum route_where { WHERE_CONTROL = 1, WHERE_WEB = 2, WHERE_BOTH = 3 };
/* SELF: as ADMIN, and open to who still has to turn a compulsory second factor on. */
enum route_principal {
	PRINCIPAL_NONE,
	PRINCIPAL_SELF,
	PRINCIPAL_ADMIN,
	PRINCIPAL_OWNER,
	PRINCIPAL_ROOT
};

struct admin_route {
	const char *method;
	const char *control_path;
	const char *web_path;
	enum route_where where;
	enum route_principal who;
	bool has_body;
	http_handler handler;
	const char *summary;
	const char *action; /* in the audit trail; "" = only reads */
	http_handler view;  /* what it changes is seen by this GET; NULL = by none */
};

/* The table and its size. */
const struct admin_route *admin_routes(size_t *count_out);
/* Adds the table's routes of one entry (control socket or web) to router; their tag is the row. */
enum err_kind admin_add_routes(struct http_router *router, enum route_where where,
			       struct error *err);
#define ADMIN_ROUTE(method, path, where, who, has_body, handler, summary, action, view) \
	void handler(void *context, struct http_request *request, struct http_response *response);
#include "admin_routes.def"
#undef ADMIN_ROUTE

/* ---- who is calling ---- */

struct caller {
	struct session_row session;
	struct str token;   /* what the cookie holds */
	struct app_row app; /* of OWNER routes: theirs */
	bool has_app;
};

/* The signed-in caller; NULL on the control socket, which may do everything. */
static inline const struct caller *admin_request_caller(const struct http_request *request)
{
	return request->user;
}

/* Is the app one that the caller may see and change? */
static inline bool admin_may_have(const struct caller *caller, const struct app_row *app)
{
	return caller == NULL || caller->session.admin.role == ADMIN_ROOT ||
	       str_equal(app->owner_id, caller->session.admin.id);
}

/* A new id of a row: a UUIDv7 as text in the arena. */
static inline struct str admin_new_id(const struct admin *admin, struct arena *arena)
{
	return uuid_str(arena, uuid_v7(clock_now_us(admin->config.clock), admin->config.random));
}

/* ---- admin_audit.c ---- */

/* Serves a route that has an action, and writes its row. */
void admin_audit_serve(void *context, struct http_request *request, struct http_response *response);

/* ---- admin_app_settings.c ---- */

/* The names of the members that admin_app_read_settings() reads, for a KNOWN list. */
#define ADMIN_APP_SETTINGS \
	"on_unknown", "connect_confirmation", "redirect_urls", "max_lateness", "tiktok_privacy"

/* What of these settings body holds, into *app. False: answered 422, and *app may be half
 * written. */
bool admin_app_read_settings(struct http_response *response, const struct json *body,
			     struct app_row *app);

/* ---- admin_apps.c ---- */

/* 200 with the app. */
void admin_respond_app(struct admin *admin, struct http_response *response,
		       const struct app_row *app);

/* ---- admin_posts.c ---- */

/* A post as a row of a list; its content is read in arena. */
void admin_write_post(const struct admin *admin, struct json_writer *w, struct arena *arena,
		      const struct app_row *app, const struct post_row *post);

/* ---- admin_test_app.c ---- */

/* Reads "test" and "time_scale" of body into *app. False: answered 422. */
bool admin_test_app_read(struct admin *admin, struct http_response *response,
			 const struct json *body, struct app_row *app);
/* Writes a test app with its six credentials, random and verified; blocks. */
enum err_kind admin_test_app_create(struct admin *admin, struct arena *arena,
				    const struct app_row *app, struct str owner, struct error *err);
/* Is it a test app, whose credentials cannot be changed? True: answered 409. */
bool admin_test_app_is_fixed(struct http_response *response, const struct app_row *app);

/* ---- admin_password.c ---- */

/* The member name of the body as a new password of the admin with this email (password_rules.h).
 * False: answered 422. */
bool admin_password_read(struct http_response *response, const struct json *body, const char *name,
			 struct str email, struct str *out);
/* The hash to store of a password. Takes about 50 ms of a core and may wait for a turn. False:
 * answered 503. */
bool admin_password_hash(struct admin *admin, struct http_response *response, struct str password,
			 struct str *hash_out);

/* ---- admin_admins.c ---- */

/* The optional member "role" of the body; *role is kept when it is not given. False: answered
 * 422. */
bool admin_read_role(struct http_response *response, const struct json *body,
		     enum admin_role *role);

/* An admin as a JSON object, without the password's hash. */
void admin_write_admin(struct json_writer *w, const struct admin_row *row);

/* ---- admin_credentials.c ---- */

/* "credentials": [...] of an app. */
enum err_kind admin_write_credentials(struct admin *admin, struct arena *arena,
				      struct json_writer *w, struct str app_id, struct error *err);
void admin_write_credential(struct admin *admin, struct arena *arena, struct json_writer *w,
			    const struct credential_row *credential);
/* ---- admin_session.c ---- */

/* Finds the session of the request's cookie. is_use: the request keeps the session alive. May block
 * on the database. NOT_FOUND when there is no session or it has ended. */
enum err_kind admin_session_find(struct admin *admin, struct http_request *request, bool is_use,
				 struct caller *caller_out, struct error *err);
/* The token that every changing request of the session must send. */
struct str admin_session_csrf_token(struct arena *arena, const struct caller *caller);
/* Begins a session of this admin and answers with it. */
void admin_session_begin(struct admin *admin, struct http_request *request,
			 struct http_response *response, int status, const struct admin_row *row);
/* Is the body's current_password the caller's? Counts as a guess. False: answered 403, 429, 503. */
bool admin_session_proves_password(struct admin *admin, struct http_request *request,
				   struct http_response *response, const struct json *body);
/* ---- admin_proxy.c ---- */

/* The email, in lower case, that a trusted proxy says of this request; empty = none does. */
struct str admin_proxy_email(const struct admin *admin, const struct http_request *request);

/* ---- admin_second_factor.c ---- */

/* Where the admin's second factor is on: is the body's code good? It is used up then. False:
 * answered refused_status SECOND_FACTOR_NEEDED or SECOND_FACTOR_WRONG, 429, 500. */
bool admin_second_factor_passes(struct admin *admin, struct http_request *request,
				struct http_response *response, const struct admin_row *row,
				const struct json *body, int refused_status);

/* ---- admin_session.c ---- */

/* Where the dashboard's pages are: a URL without the path. */
static inline struct str admin_dashboard_url(const struct admin *admin)
{
	if (admin->web.dashboard_url != NULL)
		return str_of(admin->web.dashboard_url);
	return str_of(admin->web.public_url != NULL ? admin->web.public_url
						    : admin->config.link_url);
}
/* The origin of the browser's page ("https://host") from its Origin header, else where the pages
 * are. */
struct str admin_session_page_origin(const struct admin *admin, const struct http_request *request);
