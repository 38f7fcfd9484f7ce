/* SPDX-License-Identifier: Apache-2.0
 * Shared by the admin API's files: admin.c the frame, admin_apps.c apps and admins,
 * admin_credentials.c platform credentials. */
#pragma once

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "log.h"
#include "random.h"

#include "json.h"
#include "json_write.h"

#include "account.h"

#include "store.h"
#include "store_app.h"

#include "http.h"

#include "admin.h"

#define ADMIN_NAME_MAX_BYTES 200

struct admin {
	struct admin_config config;
	struct http_router *router;
};

#define ADMIN_ROUTE(method, path, has_body, handler, summary)                                      \
	void handler(void *context, struct http_request *request, struct http_response *response);
#include "admin_routes.def"
#undef ADMIN_ROUTE

/* {"message","error"} */
void admin_respond_error(struct http_response *response, int status, const char *code,
			 struct str message);
/* What an err_kind of the store becomes; what names the thing ("app"). */
void admin_respond_failure(struct http_response *response, enum err_kind kind,
			   const struct error *err, const char *what);
/* The body as an object, or NULL: answered already. */
const struct json *admin_body(struct http_request *request, struct http_response *response);
/* A required text member of 1 to max_bytes; false: answered already. */
bool admin_text(struct http_response *response, const struct json *body, const char *name,
		size_t max_bytes, struct str *out);
/* The app of the path's client_id; false: answered already. */
bool admin_find_app(struct admin *admin, struct http_request *request,
		    struct http_response *response, struct app_row *app);
/* 200 with the app. */
void admin_respond_app(struct http_response *response, const struct app_row *app);
/* "credentials": [...] of an app. */
enum err_kind admin_write_credentials(struct admin *admin, struct arena *arena,
				      struct json_writer *w, struct str app_id, struct error *err);
