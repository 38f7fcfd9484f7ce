/* SPDX-License-Identifier: Apache-2.0
 * A request in a platform's handler: reading its parameters, and answering it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "str.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "http.h"

#include "sandbox_multipart.h"

#include "sandbox_module.h"

/* One request, as a platform's handler sees it. */
struct sandbox_call {
	struct sandbox *sandbox;
	const struct sandbox_module *module;
	enum sandbox_platform platform; /* module->platform_of, or the module's */
	struct http_request *request;
	struct http_response *response;
	struct arena *arena; /* the request's */
	/* the module's own state; after a call that lets go of the lock, ask sandbox_state()
	 * again */
	void *state;
	int64_t now_us;      /* the sandbox's clock when the call began */
	struct str base_url; /* "http://127.0.0.1:40123", by the caller's Host header */
	struct str body;     /* the whole body; a file body is mapped, so this works for any size */
	/* the connection broke: body is shorter than announced, and nobody hears the answer */
	bool is_cut;
	/* Filled on first use: */
	bool has_read_body;
	struct form form_body;        /* form-urlencoded body */
	const struct json *json_body; /* JSON body, or NULL */
	struct sandbox_part *parts;   /* multipart/form-data body */
	size_t part_count;
};

/* ---- reading a request ---- */

/* Each function below returns {0} for an absent value and a non-NULL ptr for an empty one; len is 0
 * for both, so str_is_empty() asks the usual question. */

/* A field of the body, which is a form or JSON; ptr NULL = none. */
struct str sandbox_body_param(struct sandbox_call *call, const char *name);
/* A parameter, looked up where platforms accept it: query, form body, multipart text part,
 * top-level JSON member (numbers and booleans as text, objects and arrays as JSON text). */
struct str sandbox_param(struct sandbox_call *call, const char *name);
bool sandbox_has_param(struct sandbox_call *call, const char *name);
/* From the query only, and from the body's form fields only. */
struct str sandbox_query(struct sandbox_call *call, const char *name);
struct str sandbox_form(struct sandbox_call *call, const char *name);
/* The JSON body; NULL when there is none or it does not parse. */
const struct json *sandbox_json(struct sandbox_call *call);
/* sandbox_param() as a number; fallback when it is absent or not a number. */
int64_t sandbox_param_int(struct sandbox_call *call, const char *name, int64_t fallback);
/* A capture of the route's pattern: "{id}" is "id". */
struct str sandbox_capture(struct sandbox_call *call, const char *name);
/* A request header. */
struct str sandbox_header(struct sandbox_call *call, const char *name);

/* The part of that name; NULL when there is none or the body is not multipart. */
const struct sandbox_part *sandbox_part(struct sandbox_call *call, const char *name);
/* The first part with a file name, or NULL. */
const struct sandbox_part *sandbox_part_file(struct sandbox_call *call);

/* The value of "Authorization: SCHEME value", when it has that scheme (in any case); else empty. */
struct str sandbox_authorization(struct sandbox_call *call, const char *scheme);
/* Authorization: Basic, decoded, percent-encoding too (RFC 6749 2.3.1). False when it is absent or
 * malformed. */
bool sandbox_basic(struct sandbox_call *call, struct str *user_out, struct str *password_out);

/* Whether words, a list that ends with NULL, holds word. Pure. */
bool sandbox_is_one_of(struct str word, const char *const *words);

/* ---- answering ---- */

/* Sets the status and application/json, and starts a writer on the body. */
void sandbox_answer(struct sandbox_call *call, int status, struct json_writer *writer_out);
/* The same with a body that is JSON text already. */
void sandbox_answer_json(struct sandbox_call *call, int status, const char *json_text);
/* Sets the status and clears the body. */
void sandbox_answer_empty(struct sandbox_call *call, int status);
void sandbox_answer_header(struct sandbox_call *call, const char *name, struct str value);
/* The header Retry-After; none for 0. */
void sandbox_answer_retry_after(struct sandbox_call *call, int64_t retry_after_s);
/* An absolute URL under the sandbox: "http://127.0.0.1:40123/HOST/PATH". path starts with '/'. */
struct str sandbox_url(struct sandbox_call *call, const char *host, struct str path);
struct sandbox_pair {
	const char *name;
	struct str value;
};
/* 302 to url, with the pairs appended to its query, percent-encoded. Pairs whose value has a NULL
 * ptr are left out. */
void sandbox_redirect(struct sandbox_call *call, struct str url, const struct sandbox_pair *pairs,
		      size_t count);
/* A page in the platform's colours that says what is wrong with a request that a browser made:
 * unknown client, redirect URI or scope. */
void sandbox_error_page(struct sandbox_call *call, int status, const char *title, struct str text);
