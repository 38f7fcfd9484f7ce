/* SPDX-License-Identifier: Apache-2.0
 * The admin API's answers: errors in their one shape, and lists. None of these blocks; each writes
 * into response, whose arena holds the text. An error is {"message": a sentence, "error": CODE},
 * with "errors" or "details" where noted (docs/dashboard-api.md). */
#pragma once

#include <stdint.h>

#include "err.h"
#include "str.h"

#include "http.h"

struct json_writer;
struct problems;

/* The given status with an error. code is a literal of docs/dashboard-api.md. */
void admin_respond_error(struct http_response *response, int status, const char *code,
			 struct str message);
/* 422 VALIDATION_ERROR with "errors": {field: [message]}. */
void admin_respond_field_error(struct http_response *response, const char *field,
			       struct str message);
/* The same for several fields, each named once; the message is that of the first. */
void admin_respond_problems(struct http_response *response, const struct problems *problems);
/* 429 or 503 with Retry-After and "details": {"retry_after_s"}: wait_us rounded up to seconds. */
void admin_respond_wait(struct http_response *response, int status, const char *code,
			struct str message, int64_t wait_us);
/* The answer to an error of the store or of connect: 404 NOT_FOUND, 409 CONFLICT,
 * 422 VALIDATION_ERROR, 503 UNAVAILABLE with Retry-After, else 500 INTERNAL_ERROR. what is the noun
 * of the message ("app"). kind must not be ERR_NONE. */
void admin_respond_failure(struct http_response *response, enum err_kind kind,
			   const struct error *err, const char *what);
/* The answer to what the router or listener refused, as http_router_config.render_fault. */
void admin_respond_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response);
/* Begins 200 {"data": [ ; the caller writes the items and ends it with admin_respond_list_end(). */
void admin_respond_list_begin(struct http_response *response, struct json_writer *w);
void admin_respond_list_end(struct json_writer *w);
