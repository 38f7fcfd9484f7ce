/* SPDX-License-Identifier: Apache-2.0
 * Reading a request of the admin API: members of its body, the things its path names, fields of its
 * query. Every function that returns bool, and admin_request_body(), answers the request itself
 * when something is wrong: on false (NULL) the handler returns at once. Texts live in the request's
 * arena. Those that take struct admin read the database and may block. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"
#include "timetext.h"

#include "known.h"
#include "platform_id.h"

#include "http.h"

struct admin;
struct app_row;
struct json;

#define ADMIN_APPS_MAX 100 /* apps that one answer covers; of more, the oldest */

/* ---- the body ---- */

/* The body as a JSON object; known: the names of its fields (a KNOWN list). NULL: answered 400
 * MALFORMED_JSON or 422 VALIDATION_ERROR, which names every other field. */
const struct json *admin_request_body(struct http_request *request, struct http_response *response,
				      const char *const *known);
/* A required text of 1 to max_bytes without control characters. False: answered 422. */
bool admin_request_text(struct http_response *response, const struct json *body, const char *name,
			size_t max_bytes, struct str *out);
/* text as an email address, in lower case. False: answered 422 for the field "email". */
bool admin_request_email(struct http_response *response, struct str text, struct str *out);

/* ---- the path ---- */

/* The app of {client_id}; over HTTP the one that admin_web.c has checked. False: answered 404. */
bool admin_request_app(struct admin *admin, struct http_request *request,
		       struct http_response *response, struct app_row *app);
/* The platform of {platform}. False: answered 404 PLATFORM_NOT_FOUND. */
bool admin_request_platform(struct http_request *request, struct http_response *response,
			    enum platform_id *out);

/* Does the client have what has this strong tag (with its quotes) already, by If-None-Match? Weak
 * tags count as the same. */
bool admin_request_has(const struct http_request *request, struct str etag);

/* ---- the query ---- */

struct admin_apps {
	struct app_row *rows; /* oldest first */
	size_t count;
};

/* A field of the query, empty when it is not given. False: answered 422; given twice or longer than
 * max_bytes. */
bool admin_request_query_text(const struct http_request *request, struct http_response *response,
			      const char *name, size_t max_bytes, struct str *out);
/* A whole number from 1 to max; fallback when it is not given. False: answered 422. */
bool admin_request_query_number(const struct http_request *request, struct http_response *response,
				const char *name, int64_t fallback, int64_t max, int64_t *out);
/* A date YYYY-MM-DD; its year is 0 when it is not given. False: answered 422. */
bool admin_request_query_date(const struct http_request *request, struct http_response *response,
			      const char *name, struct civil_date *out);
/* The apps that the caller may see, at most ADMIN_APPS_MAX, or the one of the query's client_id.
 * False: answered 404; another owner's app counts as not found. */
bool admin_request_query_apps(struct admin *admin, struct http_request *request,
			      struct http_response *response, struct admin_apps *out);
