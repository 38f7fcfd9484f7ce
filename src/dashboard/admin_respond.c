/* SPDX-License-Identifier: Apache-2.0
 * See admin_respond.h. */
#include "admin_respond.h"

#include "arena.h"
#include "clock.h"

#include "json_write.h"

#include "problem.h"

void admin_respond_error(struct http_response *response, int status, const char *code,
			 struct str message)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "error", str_of(code));
	json_end_object(&w);
}

void admin_respond_problems(struct http_response *response, const struct problems *problems)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 422));
	json_begin_object(&w);
	json_member_str(&w, "message", problems->items[0].message);
	json_member_str(&w, "error", STR("VALIDATION_ERROR"));
	json_key(&w, "errors");
	json_begin_object(&w);
	for (size_t i = 0; i < problems->count; i++) {
		json_key_str(&w, problems->items[i].field);
		json_begin_array(&w);
		json_put_str(&w, problems->items[i].message);
		json_end_array(&w);
	}
	json_end_object(&w);
	json_end_object(&w);
}

void admin_respond_field_error(struct http_response *response, const char *field,
			       struct str message)
{
	struct problems problems;
	problems_init(&problems, response->arena);
	problem_add(&problems, PROBLEM_SHAPE, str_of(field), "invalid", message);
	admin_respond_problems(response, &problems);
}

void admin_respond_wait(struct http_response *response, int status, const char *code,
			struct str message, int64_t wait_us)
{
	const int64_t wait_s = (wait_us + US_PER_S - 1) / US_PER_S;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "error", str_of(code));
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_int(&w, "retry_after_s", wait_s);
	json_end_object(&w);
	json_end_object(&w);
	http_response_header(response, "Retry-After",
			     str_format(response->arena, "%lld", (long long)wait_s));
}

void admin_respond_failure(struct http_response *response, enum err_kind kind,
			   const struct error *err, const char *what)
{
	struct arena *arena = response->arena;
	switch (kind) {
	case ERR_NOT_FOUND:
		admin_respond_error(response, 404, "NOT_FOUND",
				    str_format(arena, "No such %s.", what));
		return;
	case ERR_CONFLICT:
		admin_respond_error(
			response, 409, "CONFLICT",
			str_format(arena, "This %s already exists, or was changed in the meantime.",
				   what));
		return;
	case ERR_INVALID:
		admin_respond_error(response, 422, "VALIDATION_ERROR", str_of(err->text));
		return;
	case ERR_TEMPORARY:
		http_response_header(response, "Retry-After", STR("1"));
		admin_respond_error(response, 503, "UNAVAILABLE", str_of(err->text));
		return;
	case ERR_LIMITED:
		http_response_header(response, "Retry-After", STR("1"));
		admin_respond_error(response, 429, "RATE_LIMITED", str_of(err->text));
		return;
	case ERR_NONE:
	case ERR_AUTH:
	case ERR_FORBIDDEN:
	case ERR_TOO_LARGE:
	case ERR_UNCERTAIN:
	case ERR_INTERNAL:
	case ERR_KIND_COUNT:
		break;
	}
	admin_respond_error(response, 500, "INTERNAL_ERROR", str_of(err->text));
}

void admin_respond_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	(void)context, (void)request;
	static const struct {
		int status;
		const char *code;
	} answers[] = {
		[HTTP_FAULT_NOT_FOUND] = {404, "NOT_FOUND"},
		[HTTP_FAULT_METHOD_NOT_ALLOWED] = {405, "METHOD_NOT_ALLOWED"},
		[HTTP_FAULT_BODY_TOO_LARGE] = {413, "PAYLOAD_TOO_LARGE"},
		[HTTP_FAULT_MISDIRECTED] = {421, "MISDIRECTED_REQUEST"},
		[HTTP_FAULT_HEADERS_TOO_LARGE] = {431, "HEADERS_TOO_LARGE"},
		[HTTP_FAULT_BAD_REQUEST] = {400, "BAD_REQUEST"},
		[HTTP_FAULT_INTERNAL] = {500, "INTERNAL_ERROR"},
		[HTTP_FAULT_UNAVAILABLE] = {503, "UNAVAILABLE"},
	};
	admin_respond_error(response, answers[fault].status, answers[fault].code,
			    STR("The admin API cannot handle this request."));
}

void admin_respond_list_begin(struct http_response *response, struct json_writer *w)
{
	json_writer_init(w, http_response_json(response, 200));
	json_begin_object(w);
	json_key(w, "data");
	json_begin_array(w);
}

void admin_respond_list_end(struct json_writer *w)
{
	json_end_array(w);
	json_end_object(w);
}
