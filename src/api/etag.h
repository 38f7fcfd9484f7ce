/* SPDX-License-Identifier: Apache-2.0
 * Conditional requests (RFC 9110 13): what a client has read, and whether it is still so. */
#pragma once

#include "str.h"

struct arena;
struct http_request;
struct http_response;
struct post_row;

struct draft_row;

/* Strong, with its quotes: changes when anything that PATCH can change does. */
struct str etag_of_draft(struct arena *arena, const struct draft_row *draft);
struct str etag_of_post(struct arena *arena, const struct post_row *post);
/* If-Match is there and names other versions only: answered with 412. */
bool etag_refused(const struct http_request *request, struct http_response *response,
		  struct str etag);
/* Sets the header ETag. If-None-Match names this version: answered with 304. */
bool etag_is_known(const struct http_request *request, struct http_response *response,
		   struct str etag);
