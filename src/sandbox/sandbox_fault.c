/* SPDX-License-Identifier: Apache-2.0
 * Faults on demand: parsing them, keeping the list, finding the one for a request. sandbox.c
 * applies them. */
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json.h"
#include "json_write.h"

#include "sandbox_core.h"

static const struct {
	const char *name;
	const char *sentence;
} effects[FAULT_EFFECT_COUNT] = {
	[FAULT_STATUS] = {"status",
			  "Answers with status, headers and body; the call does nothing."},
	[FAULT_STATUS_AFTER] =
		{"status_after",
		 "The call does its work; then the answer is status instead of its own."},
	[FAULT_RESET_BEFORE] = {"reset_before",
				"Closes the connection without an answer; the call does nothing."},
	[FAULT_RESET_AFTER] =
		{"reset_after",
		 "The call does its work; then the connection is closed without an answer."},
	[FAULT_TIMEOUT_AFTER] = {"timeout_after",
				 "The call does its work; then no answer ever comes."},
	[FAULT_SLOW] = {"slow", "Waits retry_after seconds (default 5), then goes on as always."},
	[FAULT_TRUNCATE] = {"truncate", "The call does its work; the answer ends in its middle."},
	[FAULT_GARBAGE] = {"garbage", "The call does its work; the answer is no JSON."},
	[FAULT_RATE_LIMIT] =
		{"rate_limit",
		 "The platform's own refusal of too many calls; retry_after in seconds."},
	[FAULT_EXPIRE_TOKEN] = {"expire_token",
				"The call's token has expired; the platform says so in its way."},
	[FAULT_CUT] = {"cut", "The request breaks after so many bytes: these are taken, and there "
			      "is no answer."},
};

static const char *const member_names[] = {
	"platform",    "match", "effect", "status", "headers", "body",
	"retry_after", "times", "error",  "bytes",  NULL,
};

static enum err_kind check_members(const struct json *json, struct error *err)
{
	for (size_t i = 0; i < json->count; i++) {
		if (!sandbox_is_one_of(json->keys[i], member_names))
			return error_set(err, ERR_INVALID, "unknown member " STR_FMT,
					 STR_ARG(json->keys[i]));
	}
	return ERR_NONE;
}

static enum err_kind parse_platform(const struct json *json, struct fault *fault, struct error *err)
{
	const struct str slug = json_string(json_get(json, "platform"));
	if (json_is_null(json_get(json, "platform")))
		return ERR_NONE;
	for (int i = 0; i < SANDBOX_PLATFORM_COUNT; i++) {
		if (str_equal_z(slug, sandbox_platform_slug((enum sandbox_platform)i))) {
			fault->has_platform = true;
			fault->platform = (enum sandbox_platform)i;
			return ERR_NONE;
		}
	}
	return error_set(err, ERR_INVALID, "unknown platform");
}

static enum err_kind parse_effect(const struct json *json, struct fault *fault, struct error *err)
{
	const struct str name = json_string(json_get(json, "effect"));
	for (int i = 0; i < FAULT_EFFECT_COUNT; i++) {
		if (str_equal_z(name, effects[i].name)) {
			fault->effect = (enum fault_effect)i;
			return ERR_NONE;
		}
	}
	return error_set(err, ERR_INVALID, "unknown effect");
}

static enum err_kind parse_headers(struct arena *arena, const struct json *json,
				   struct fault *fault, struct error *err)
{
	const struct json *headers = json_get(json, "headers");
	if (json_is_null(headers))
		return ERR_NONE;
	if (!json_is(headers, JSON_TYPE_OBJECT) || headers->count > FAULT_HEADERS_MAX)
		return error_set(err, ERR_INVALID,
				 "headers must be an object of at most %d members",
				 FAULT_HEADERS_MAX);
	for (size_t i = 0; i < headers->count; i++)
		fault->headers[i] = (struct http_header){headers->keys[i],
							 json_text(arena, &headers->items[i])};
	fault->header_count = headers->count;
	return ERR_NONE;
}

static const struct sandbox_module *module_of(const struct sandbox *sandbox,
					      enum sandbox_platform platform)
{
	for (size_t i = 0; i < sandbox->module_count; i++) {
		if (sandbox->modules[i]->platform == platform)
			return sandbox->modules[i];
	}
	return NULL;
}

/* The fault's answer is a named error of the platform. */
static enum err_kind parse_error(const struct sandbox *sandbox, const struct json *json,
				 struct fault *fault, struct error *err)
{
	const struct sandbox_module *module = module_of(sandbox, fault->platform);
	const bool is_answer = fault->effect == FAULT_STATUS || fault->effect == FAULT_STATUS_AFTER;
	fault->error = json_string(json_get(json, "error"));
	if (json_is_null(json_get(json, "error")))
		return ERR_NONE;
	if (!fault->has_platform || !is_answer)
		return error_set(err, ERR_INVALID,
				 "error requires a platform and the effect status or status_after");
	if (module == NULL || module->render_error == NULL ||
	    !module->render_error(NULL, fault->error))
		return error_set(err, ERR_INVALID, "the platform has no error of this name");
	return ERR_NONE;
}

/* A string is sent as text, anything else as JSON. */
static void parse_body(struct arena *arena, const struct json *json, struct fault *fault)
{
	const struct json *body = json_get(json, "body");
	if (json_is_null(body))
		return;
	fault->has_body = true;
	if (json_is(body, JSON_TYPE_STRING)) {
		fault->body = body->string;
		return;
	}
	fault->is_json_body = true;
	struct buf out;
	buf_init(&out, arena, 1 << 20);
	struct json_writer w;
	json_writer_init(&w, &out);
	json_put_value(&w, body);
	fault->body = buf_str(&out);
}

/* What is sent from the service's own address must not change what a browser or a proxy does with
 * other answers of it. */
static enum err_kind check_headers(const struct sandbox *sandbox, const struct fault *fault,
				   struct error *err)
{
	for (size_t i = 0; sandbox->world != NULL && i < fault->header_count; i++) {
		if (!sandbox_world_allows_header(fault->headers[i].name))
			return error_set(err, ERR_INVALID,
					 "the fault of a test app may not set the header " STR_FMT
					 ": "
					 "allowed are Content-Type, Retry-After and the platforms' "
					 "X- headers of limits and traces",
					 STR_ARG(str_slice(fault->headers[i].name, 0, 60)));
	}
	return ERR_NONE;
}

enum err_kind sandbox_fault_parse(const struct sandbox *sandbox, struct arena *arena,
				  const struct json *json, struct fault *fault_out,
				  struct error *err)
{
	if (!json_is(json, JSON_TYPE_OBJECT))
		return error_set(err, ERR_INVALID, "a fault must be a JSON object");
	struct fault fault = {0};
	enum err_kind kind;
	if ((kind = check_members(json, err)) != ERR_NONE ||
	    (kind = parse_platform(json, &fault, err)) != ERR_NONE ||
	    (kind = parse_effect(json, &fault, err)) != ERR_NONE ||
	    (kind = parse_error(sandbox, json, &fault, err)) != ERR_NONE ||
	    (kind = parse_headers(arena, json, &fault, err)) != ERR_NONE ||
	    (kind = check_headers(sandbox, &fault, err)) != ERR_NONE)
		return kind;
	parse_body(arena, json, &fault);
	fault.method = json_string(json_get(json_get(json, "match"), "method"));
	fault.path = json_string(json_get(json_get(json, "match"), "path"));
	fault.status = (int)json_int(json_get(json, "status"), 500);
	fault.retry_after_s = json_int(json_get(json, "retry_after"), -1);
	fault.times = json_int(json_get(json, "times"), 1);
	fault.kept_bytes = json_int(json_get(json, "bytes"), 0);
	if (fault.status < 200 || fault.status > 599)
		return error_set(err, ERR_INVALID, "status must be from 200 to 599");
	if (fault.kept_bytes < 0)
		return error_set(err, ERR_INVALID, "bytes must be 0 or more");
	if (fault.times < 1)
		return error_set(err, ERR_INVALID, "times must be 1 or more");
	*fault_out = fault;
	return ERR_NONE;
}

static struct str own(struct str s)
{
	char *copy = malloc(s.len + 1);
	if (copy == NULL)
		abort();
	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return (struct str){copy, s.len};
}

static void fault_free(struct fault *fault)
{
	for (size_t i = 0; i < fault->header_count; i++) {
		free((char *)(uintptr_t)fault->headers[i].name.ptr);
		free((char *)(uintptr_t)fault->headers[i].value.ptr);
	}
	free((char *)(uintptr_t)fault->method.ptr);
	free((char *)(uintptr_t)fault->path.ptr);
	free((char *)(uintptr_t)fault->body.ptr);
	free((char *)(uintptr_t)fault->error.ptr);
	free(fault);
}

bool sandbox_fault_add(struct sandbox *sandbox, const struct fault *fault)
{
	struct fault **link = &sandbox->faults;
	struct fault *copy = malloc(sizeof(*copy));
	if (copy == NULL || sandbox->fault_count >= FAULTS_MAX) {
		free(copy);
		return false;
	}
	*copy = *fault;
	copy->next = NULL;
	copy->method = own(fault->method);
	copy->path = own(fault->path);
	copy->body = own(fault->body);
	copy->error = own(fault->error);
	for (size_t i = 0; i < fault->header_count; i++)
		copy->headers[i] = (struct http_header){own(fault->headers[i].name),
							own(fault->headers[i].value)};
	while (*link != NULL)
		link = &(*link)->next;
	*link = copy;
	sandbox->fault_count++;
	return true;
}

bool sandbox_fault_path_matches(struct str pattern, struct str path)
{
	size_t p = 0;
	size_t s = 0;
	/* where to resume when the part after the last '*' does not match */
	size_t star = SIZE_MAX;
	size_t star_s = 0;
	while (s < path.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			star_s = s;
		} else if (p < pattern.len && pattern.ptr[p] == path.ptr[s]) {
			p++;
			s++;
		} else if (star != SIZE_MAX && path.ptr[star_s] != '/') {
			p = star + 1;
			s = ++star_s;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

static bool fault_matches(const struct fault *fault, enum sandbox_platform platform,
			  struct str method, struct str path)
{
	return (!fault->has_platform || fault->platform == platform) &&
	       (fault->method.len == 0 || str_equal_nocase(fault->method, method)) &&
	       (fault->path.len == 0 || sandbox_fault_path_matches(fault->path, path));
}

/* The texts of the copy are valid until the lock is released; copy what you need longer. */
bool sandbox_fault_take(struct sandbox *sandbox, enum sandbox_platform platform, struct str method,
			struct str path, struct fault *out)
{
	for (struct fault *fault = sandbox->faults; fault != NULL; fault = fault->next) {
		if (fault->times == 0 || !fault_matches(fault, platform, method, path))
			continue;
		fault->times--;
		*out = *fault;
		return true;
	}
	return false;
}

static void write_fault(struct json_writer *w, const struct fault *fault)
{
	json_begin_object(w);
	if (fault->has_platform)
		json_member_str(w, "platform", str_of(sandbox_platform_slug(fault->platform)));
	json_key(w, "match");
	json_begin_object(w);
	if (fault->method.len > 0)
		json_member_str(w, "method", fault->method);
	if (fault->path.len > 0)
		json_member_str(w, "path", fault->path);
	json_end_object(w);
	json_member_str(w, "effect", str_of(effects[fault->effect].name));
	json_member_int(w, "status", fault->status);
	json_key(w, "headers");
	json_begin_object(w);
	for (size_t i = 0; i < fault->header_count; i++) {
		json_key_str(w, fault->headers[i].name);
		json_put_str(w, fault->headers[i].value);
	}
	json_end_object(w);
	if (fault->error.len > 0)
		json_member_str(w, "error", fault->error);
	if (fault->effect == FAULT_CUT)
		json_member_int(w, "bytes", fault->kept_bytes);
	json_key(w, "body");
	if (!fault->has_body)
		json_put_null(w);
	else if (fault->is_json_body)
		json_put_raw(w, fault->body);
	else
		json_put_str(w, fault->body);
	if (fault->retry_after_s >= 0)
		json_member_int(w, "retry_after", fault->retry_after_s);
	json_member_int(w, "times", fault->times);
	json_end_object(w);
}

void sandbox_fault_write_list(struct sandbox *sandbox, struct json_writer *w)
{
	json_begin_object(w);
	json_key(w, "faults");
	json_begin_array(w);
	for (const struct fault *fault = sandbox->faults; fault != NULL; fault = fault->next)
		write_fault(w, fault);
	json_end_array(w);
	json_key(w, "effects");
	json_begin_array(w);
	for (size_t i = 0; i < FAULT_EFFECT_COUNT; i++) {
		json_begin_object(w);
		json_member_str(w, "name", str_of(effects[i].name));
		json_member_str(w, "sentence", str_of(effects[i].sentence));
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

void sandbox_fault_clear(struct sandbox *sandbox)
{
	while (sandbox->faults != NULL) {
		struct fault *next = sandbox->faults->next;
		fault_free(sandbox->faults);
		sandbox->faults = next;
	}
	sandbox->fault_count = 0;
}
