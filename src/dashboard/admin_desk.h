/* SPDX-License-Identifier: Apache-2.0
 * What the pages over several apps share: which apps are meant, and the query's fields. For
 * admin_posts.c and admin_overview.c. */
#pragma once

#include "admin_private.h"

#include "timetext.h"

#define DESK_APPS_MAX 100 /* what one answer puts together */

struct desk_apps {
	struct app_row *rows; /* oldest first */
	size_t count;
};

/* The caller's apps, or the one of the query's client_id. False: answered; a foreign one is not
 * there. */
bool desk_find_apps(struct admin *admin, struct http_request *request,
		    struct http_response *response, struct desk_apps *out);
/* The one value of a query field, empty when it is not there. False: answered. */
bool desk_query_text(const struct http_request *request, struct http_response *response,
		     const char *name, size_t max_bytes, struct str *out);
/* A whole number from 1 to max. */
bool desk_query_number(const struct http_request *request, struct http_response *response,
		       const char *name, int64_t fallback, int64_t max, int64_t *out);
/* YYYY-MM-DD; year 0 when it is not there. */
bool desk_query_date(const struct http_request *request, struct http_response *response,
		     const char *name, struct civil_date *out);
