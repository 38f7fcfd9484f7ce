/* SPDX-License-Identifier: Apache-2.0
 * Redaction for the request log: secrets become "***", everything else stays byte for byte.
 * Pure. */
#include "sandbox_redact.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "sandbox_multipart.h"

/* Parameter and member names whose values are secrets on one of the six platforms or in OAuth in
 * general. The last three occur in upload addresses of TikTok, YouTube and LinkedIn: anyone who has
 * such an address may write to it. */
static const char *const secret_names[] = {
	"access_token",
	"refresh_token",
	"id_token",
	"token",
	"input_token",
	"client_secret",
	"code",
	"code_verifier",
	"fb_exchange_token",
	"appsecret_proof",
	"assertion",
	"client_assertion",
	"password",
	"secret",
	"signed_request",
	"upload_token",
	"upload_id",
	"ut",
};

static const char *const secret_headers[] = {"cookie", "proxy-authorization", "x-api-key",
					     "x-goog-api-key"};

static bool is_secret_name(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(secret_names); i++) {
		if (str_equal_nocase(name, str_of(secret_names[i])))
			return true;
	}
	return false;
}

static bool is_secret_field(struct arena *arena, struct str encoded_name)
{
	struct str name;
	return is_secret_name(encoded_name) ||
	       (percent_decode(arena, encoded_name, &name) && is_secret_name(name));
}

struct str sandbox_redact_form(struct arena *arena, struct str text)
{
	struct str rest = text;
	if (text.ptr == NULL)
		return text;
	struct buf out;
	buf_init(&out, arena, text.len * 4 + 16);
	bool is_first = true;
	struct str field;
	while (str_take_field(&rest, '&', &field)) {
		const size_t equals = str_find_char(field, '=', 0);
		const struct str name = str_slice(field, 0, equals);
		if (!is_first)
			buf_add_char(&out, '&');
		is_first = false;
		if (equals != SIZE_MAX && is_secret_field(arena, name)) {
			buf_add(&out, name);
			buf_add_z(&out, "=***");
		} else {
			buf_add(&out, field);
		}
	}
	return buf_str(&out);
}

struct str sandbox_redact_header(struct arena *arena, struct str name, struct str value)
{
	if (str_equal_nocase(name, STR("authorization"))) {
		const size_t blank = str_find_char(value, ' ', 0);
		if (blank == SIZE_MAX)
			return STR("***");
		return str_format(arena, STR_FMT " ***", STR_ARG(str_slice(value, 0, blank)));
	}
	for (size_t i = 0; i < COUNT_OF(secret_headers); i++) {
		if (str_equal_nocase(name, str_of(secret_headers[i])))
			return STR("***");
	}
	return value;
}

/* Whether these bytes may contain a secret; for bodies that cannot be parsed. */
static bool mentions_secret(struct str body)
{
	for (size_t i = 0; i < COUNT_OF(secret_names); i++) {
		/* "ut" occurs in too many words. */
		if (strlen(secret_names[i]) > 2 &&
		    str_find(body, str_of(secret_names[i]), 0) != SIZE_MAX)
			return true;
	}
	return false;
}

static bool json_has_secret(const struct json *value)
{
	for (size_t i = 0; i < value->count; i++) {
		if (value->type == JSON_TYPE_OBJECT && is_secret_name(value->keys[i]))
			return true;
		if (json_has_secret(&value->items[i]))
			return true;
	}
	return false;
}

/* Depth is bounded by json_parse (32). */
static void json_write_redacted(struct json_writer *w, const struct json *value)
{
	if (value->type == JSON_TYPE_ARRAY) {
		json_begin_array(w);
		for (size_t i = 0; i < value->count; i++)
			json_write_redacted(w, &value->items[i]);
		json_end_array(w);
	} else if (value->type == JSON_TYPE_OBJECT) {
		json_begin_object(w);
		for (size_t i = 0; i < value->count; i++) {
			json_key_str(w, value->keys[i]);
			if (is_secret_name(value->keys[i]))
				json_put_str(w, STR("***"));
			else
				json_write_redacted(w, &value->items[i]);
		}
		json_end_object(w);
	} else {
		json_put_value(w, value);
	}
}

static bool redact_json(struct arena *arena, struct str body, struct str *shown_out)
{
	const struct json *json = NULL;
	if (json_parse(arena, body, NULL, &json, NULL, NULL) != ERR_NONE)
		return false;
	if (!json_has_secret(json)) {
		*shown_out = body;
		return true;
	}
	struct buf out;
	buf_init(&out, arena, body.len * 6 + 1024);
	struct json_writer w;
	json_writer_init(&w, &out);
	json_write_redacted(&w, json);
	*shown_out = buf_str(&out);
	return !out.is_over;
}

static bool redact_multipart(struct arena *arena, struct str content_type, struct str body,
			     struct str *shown_out)
{
	struct sandbox_part *parts = NULL;
	size_t count = 0;
	if (!sandbox_multipart_parse(arena, content_type, body, &parts, &count))
		return false;
	struct buf out;
	buf_init(&out, arena, body.len + count * 4 + 16);
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_secret_name(parts[i].name))
			continue;
		const size_t begin = (size_t)(parts[i].bytes.ptr - body.ptr);
		buf_add(&out, str_slice(body, at, begin));
		buf_add_z(&out, "***");
		at = begin + parts[i].bytes.len;
	}
	buf_add(&out, str_slice(body, at, body.len));
	*shown_out = buf_str(&out);
	return true;
}

static bool type_is(struct arena *arena, struct str content_type, const char *prefix)
{
	return str_has_prefix(str_lower(arena, str_trim(content_type)), str_of(prefix));
}

bool sandbox_redact_body(struct arena *arena, struct str content_type, struct str body,
			 struct str *shown_out)
{
	const struct str first = str_trim(body);
	const bool looks_json = first.len > 0 && (first.ptr[0] == '{' || first.ptr[0] == '[');
	if (type_is(arena, content_type, "application/x-www-form-urlencoded")) {
		*shown_out = sandbox_redact_form(arena, body);
		return true;
	}
	if (type_is(arena, content_type, "multipart/") &&
	    redact_multipart(arena, content_type, body, shown_out))
		return true;
	if (looks_json && redact_json(arena, body, shown_out))
		return true;
	/* An image may contain the word "code" by chance, but no secret: only text is suspected. */
	*shown_out = body;
	return !utf8_is_valid(body) || !mentions_secret(body);
}
