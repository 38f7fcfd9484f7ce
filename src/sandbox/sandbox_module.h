/* SPDX-License-Identifier: Apache-2.0
 * A simulated platform as the core sees it: a table of routes and a few callbacks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "http.h"

#include "sandbox.h"

/* In the order of the columns on the page of GET /. */
enum sandbox_platform {
	SANDBOX_INSTAGRAM,
	SANDBOX_FACEBOOK,
	SANDBOX_X,
	SANDBOX_LINKEDIN,
	SANDBOX_YOUTUBE,
	SANDBOX_TIKTOK,
	SANDBOX_PLATFORM_COUNT
};

const char *sandbox_platform_slug(enum sandbox_platform platform); /* "instagram" */
const char *sandbox_platform_name(enum sandbox_platform platform); /* "Instagram" */

struct sandbox_call;
struct sandbox_token;

typedef void (*sandbox_handler)(struct sandbox_call *call);

struct sandbox_route {
	const char *method;  /* "GET", "POST", ...; HEAD reaches GET routes */
	const char *pattern; /* host first: "/api.x.com/2/tweets/{id}" (rules: http.h) */
	sandbox_handler handler;
	/* zero = HTTP_BODY_NONE. Either kind of body is read through call->body */
	enum http_body_mode body_mode;
	size_t body_max_bytes; /* 0 = 1 MiB for MEMORY, 64 MiB for FILE */
};

struct sandbox_module {
	enum sandbox_platform platform;
	const struct sandbox_route *routes;
	size_t route_count;
	/* This platform's own state: zeroed at every reset, filled in by start, found in
	 * call->state. 0 = none. */
	size_t state_size_bytes;
	/* Called after opening and after every reset, before any call. May be NULL. */
	void (*start)(struct sandbox *sandbox, void *state);
	/* Which platform a request is for, when two share a host (facebook, instagram). NULL = the
	 * module's platform. */
	enum sandbox_platform (*platform_of)(struct sandbox_call *call);
	/* The access token that the request carries, for the fault expire_token; NULL = unknown. */
	struct sandbox_token *(*token_of)(struct sandbox_call *call);
	/* Applies what time alone changes, such as a post that becomes visible when its processing
	 * ends. Called before the ledger and the page of GET / are written. May be NULL. */
	void (*settle)(struct sandbox *sandbox);
	/* The platform's real answers for the faults rate_limit and expire_token: status, headers,
	 * body. retry_after_s 0 = the fault gave none; use what the platform usually says. */
	void (*render_rate_limit)(struct sandbox_call *call, int64_t retry_after_s);
	void (*render_token_expired)(struct sandbox_call *call);
	/* Answers with the platform's error of that name, for faults that name one. False when
	 * there is no such error. With call NULL it only checks the name. NULL = no errors have
	 * names. */
	bool (*render_error)(struct sandbox_call *call, struct str name);
	/* The name of an account as a reader sees it, a literal; empty = unknown. May be NULL. */
	struct str (*account_name)(struct str account_id);
};
