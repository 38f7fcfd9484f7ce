/* SPDX-License-Identifier: Apache-2.0
 * One request, as a platform's handler sees it: its parameters, and ways to answer. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "base64.h"
#include "form.h"
#include "json.h"
#include "json_write.h"
#include "url.h"

#include "httpd.h"

#include "sandbox_core.h"

struct mapping {
	void *ptr;
	size_t len;
};

static void unmap(void *object)
{
	struct mapping *mapping = object;
	munmap(mapping->ptr, mapping->len);
}

/* A body that went to a file is mapped, so that handlers read it as they read any other. */
static struct str map_body(struct arena *arena, const char *path, int64_t size_bytes)
{
	if (size_bytes <= 0)
		return (struct str){0};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (struct str){0};
	void *ptr = mmap(NULL, (size_t)size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (ptr == MAP_FAILED)
		return (struct str){0};
	struct mapping *mapping = ARENA_NEW(arena, struct mapping);
	*mapping = (struct mapping){ptr, (size_t)size_bytes};
	arena_on_clear(arena, unmap, mapping);
	return (struct str){ptr, (size_t)size_bytes};
}

struct str sandbox_seen_url(const struct sandbox *sandbox, const struct http_request *request)
{
	const struct str *host = http_request_header(request, "host");
	if (host != NULL && host->len > 0 && host->len < 256) {
		const struct str text =
			str_format(request->arena, "http://" STR_FMT, STR_ARG(*host));
		struct url url;
		if (url_parse(request->arena, text, &url, NULL) == ERR_NONE && url.path.len == 0 &&
		    url.query.len == 0 && url.userinfo.len == 0)
			return text;
	}
	return httpd_base_url(sandbox->httpd);
}

void sandbox_call_init(struct sandbox_call *call, const struct bound_route *bound,
		       struct http_request *request, struct http_response *response,
		       const struct sandbox_tape *tape)
{
	*call = (struct sandbox_call){
		.sandbox = bound->sandbox,
		.module = bound->module,
		.platform = bound->module->platform,
		.request = request,
		.response = response,
		.arena = request->arena,
		.base_url = tape != NULL ? tape->home->seen_url
					 : sandbox_seen_url(bound->sandbox, request),
		.body = request->body,
	};
	if (request->body_path != NULL)
		call->body = map_body(call->arena, request->body_path, request->body_size_bytes);
}

/* ---- reading ---- */

struct str sandbox_header(struct sandbox_call *call, const char *name)
{
	const struct str *value = http_request_header(call->request, name);
	return value != NULL ? *value : (struct str){0};
}

struct str sandbox_capture(struct sandbox_call *call, const char *name)
{
	return sandbox_world_word(call, name, http_request_capture(call->request, name));
}

static void read_body(struct sandbox_call *call)
{
	const struct str type =
		str_lower(call->arena, str_trim(sandbox_header(call, "content-type")));
	const struct str start = str_trim(str_slice(call->body, 0, 64));
	if (call->has_read_body)
		return;
	call->has_read_body = true;
	if (call->body.len == 0)
		return;
	if (str_has_prefix(type, STR("multipart/")))
		sandbox_multipart_parse(call->arena, sandbox_header(call, "content-type"),
					call->body, &call->parts, &call->part_count);
	else if (str_has_prefix(type, STR("application/x-www-form-urlencoded")))
		form_parse(call->arena, call->body, 0, &call->form_body, NULL);
	else if (start.len > 0 && (start.ptr[0] == '{' || start.ptr[0] == '['))
		json_parse(call->arena, call->body, NULL, &call->json_body, NULL, NULL);
}

const struct json *sandbox_json(struct sandbox_call *call)
{
	read_body(call);
	return call->json_body;
}

static struct str found(const struct str *value)
{
	if (value == NULL)
		return (struct str){0};
	return value->ptr != NULL ? *value : STR("");
}

struct str sandbox_query(struct sandbox_call *call, const char *name)
{
	return sandbox_world_word(call, name, found(form_find(&call->request->query, name)));
}

struct str sandbox_form(struct sandbox_call *call, const char *name)
{
	read_body(call);
	const struct str *value = form_find(&call->form_body, name);
	const struct sandbox_part *part = value == NULL ? sandbox_part(call, name) : NULL;
	if (part != NULL && part->filename.len == 0)
		value = &part->bytes;
	return sandbox_world_word(call, name, found(value));
}

static struct str json_as_text(struct arena *arena, const struct json *value)
{
	if (value->type == JSON_TYPE_NULL)
		return (struct str){0};
	if (value->type == JSON_TYPE_STRING)
		return found(&value->string);
	struct buf out;
	buf_init(&out, arena, 1 << 20);
	struct json_writer w;
	json_writer_init(&w, &out);
	json_put_value(&w, value);
	return buf_str(&out);
}

struct str sandbox_body_param(struct sandbox_call *call, const char *name)
{
	const struct str value = sandbox_form(call, name);
	return value.ptr == NULL && json_get(call->json_body, name) != NULL
		       ? sandbox_world_word(
				 call, name,
				 json_as_text(call->arena, json_get(call->json_body, name)))
		       : value;
}

struct str sandbox_param(struct sandbox_call *call, const char *name)
{
	const struct str value = sandbox_query(call, name);
	return value.ptr != NULL ? value : sandbox_body_param(call, name);
}

bool sandbox_has_param(struct sandbox_call *call, const char *name)
{
	return sandbox_param(call, name).ptr != NULL;
}

int64_t sandbox_param_int(struct sandbox_call *call, const char *name, int64_t fallback)
{
	int64_t value;
	return str_parse_i64(sandbox_param(call, name), &value) ? value : fallback;
}

const struct sandbox_part *sandbox_part(struct sandbox_call *call, const char *name)
{
	read_body(call);
	for (size_t i = 0; i < call->part_count; i++) {
		if (str_equal_z(call->parts[i].name, name))
			return &call->parts[i];
	}
	return NULL;
}

const struct sandbox_part *sandbox_part_file(struct sandbox_call *call)
{
	read_body(call);
	for (size_t i = 0; i < call->part_count; i++) {
		if (call->parts[i].filename.len > 0)
			return &call->parts[i];
	}
	return NULL;
}

struct str sandbox_authorization(struct sandbox_call *call, const char *scheme)
{
	struct str rest = sandbox_header(call, "authorization");
	struct str given;
	if (!str_take_until(&rest, ' ', &given) || !str_equal_nocase(given, str_of(scheme)))
		return (struct str){0};
	return sandbox_world_word(call, "access_token", str_trim(rest));
}

bool sandbox_basic(struct sandbox_call *call, struct str *user_out, struct str *password_out)
{
	const struct str encoded = sandbox_authorization(call, "Basic");
	struct str plain;
	struct str user;
	if (encoded.len == 0 || !base64_decode(call->arena, encoded, &plain) ||
	    !str_take_until(&plain, ':', &user))
		return false;
	if (!percent_decode(call->arena, user, user_out) ||
	    !percent_decode(call->arena, str_slice(plain, 1, plain.len), password_out))
		return false;
	*user_out = sandbox_world_word(call, "client_id", *user_out);
	*password_out = sandbox_world_word(call, "client_secret", *password_out);
	return true;
}

bool sandbox_is_one_of(struct str word, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (str_equal_z(word, *words))
			return true;
	}
	return false;
}

/* ---- answering ---- */

void sandbox_answer(struct sandbox_call *call, int status, struct json_writer *writer_out)
{
	json_writer_init(writer_out, http_response_json(call->response, status));
}

void sandbox_answer_json(struct sandbox_call *call, int status, const char *json_text)
{
	buf_add_z(http_response_json(call->response, status), json_text);
}

void sandbox_answer_empty(struct sandbox_call *call, int status)
{
	buf_clear(&call->response->body);
	call->response->status = status;
}

void sandbox_answer_header(struct sandbox_call *call, const char *name, struct str value)
{
	http_response_header(call->response, name, value);
}

void sandbox_answer_retry_after(struct sandbox_call *call, int64_t retry_after_s)
{
	if (retry_after_s > 0)
		sandbox_answer_header(call, "Retry-After",
				      str_format(call->arena, "%lld", (long long)retry_after_s));
}

struct str sandbox_url(struct sandbox_call *call, const char *host, struct str path)
{
	return str_format(call->arena, STR_FMT "/%s" STR_FMT, STR_ARG(call->base_url), host,
			  STR_ARG(path));
}

void sandbox_redirect(struct sandbox_call *call, struct str url, const struct sandbox_pair *pairs,
		      size_t count)
{
	struct str *names = ARENA_ARRAY(call->arena, struct str, count > 0 ? count : 1);
	struct str *values = ARENA_ARRAY(call->arena, struct str, count > 0 ? count : 1);
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].value.ptr == NULL)
			continue;
		names[used] = str_of(pairs[i].name);
		values[used++] = pairs[i].value;
	}
	call->response->status = 302;
	http_response_header(call->response, "Location",
			     url_with_query(call->arena, url, names, values, used));
	http_response_header(call->response, "Cache-Control", STR("no-store"));
	http_response_header(call->response, "Referrer-Policy", STR("no-referrer"));
}
