/* SPDX-License-Identifier: Apache-2.0
 * JSON out. Every value goes through begin_value(), which puts the comma and checks the nesting;
 * only a parsed value that is written again nests by itself, because its depth comes from outside
 * and must not reach the writer's assertions. */
#include "json_write.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "timetext.h"

#include "json.h"
#include "octets.h"
#include "utf8.h"

void json_writer_init(struct json_writer *w, struct buf *out)
{
	*w = (struct json_writer){.out = out};
}

static bool *items_flag(struct json_writer *w)
{
	return w->depth > 0 ? &w->has_items[w->depth - 1] : &w->has_root;
}

static bool is_in_object(const struct json_writer *w)
{
	return w->depth > 0 && w->is_object[w->depth - 1];
}

static void put_comma(struct json_writer *w)
{
	bool *has_items = items_flag(w);
	if (*has_items)
		buf_add_char(w->out, ',');
	*has_items = true;
}

static void begin_value(struct json_writer *w)
{
	assert(is_in_object(w) == w->after_key);
	assert(w->depth > 0 || !w->has_root);
	if (!w->after_key)
		put_comma(w);
	w->after_key = false;
}

static void begin_container(struct json_writer *w, bool is_object)
{
	begin_value(w);
	assert(w->depth < JSON_WRITER_DEPTH_MAX);
	w->has_items[w->depth] = false;
	w->is_object[w->depth] = is_object;
	w->depth++;
	buf_add_char(w->out, is_object ? '{' : '[');
}

static void end_container(struct json_writer *w, bool is_object)
{
	assert(w->depth > 0);
	assert(is_in_object(w) == is_object);
	assert(!w->after_key);
	w->depth--;
	buf_add_char(w->out, is_object ? '}' : ']');
}

void json_begin_object(struct json_writer *w)
{
	begin_container(w, true);
}

void json_end_object(struct json_writer *w)
{
	end_container(w, true);
}

void json_begin_array(struct json_writer *w)
{
	begin_container(w, false);
}

void json_end_array(struct json_writer *w)
{
	end_container(w, false);
}

/* The short escape of a control character, or 0 (RFC 8259, 7). */
static char short_escape(unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 0;
	}
}

static void add_escaped(struct buf *out, unsigned char c)
{
	const char escape = short_escape(c);
	if (escape != 0) {
		const char pair[] = {'\\', escape};
		buf_add(out, (struct str){pair, sizeof(pair)});
		return;
	}
	buf_addf(out, "\\u%04x", c);
}

/* How many bytes of s can stand in a JSON string as they are. */
static size_t plain_len(struct str s)
{
	uint32_t code_point;
	size_t i = 0;
	while (i < s.len) {
		const uint64_t octets = s.len - i >= OCTETS ? octets_load(s.ptr + i) : 0;
		if (!octets_end_json_text(octets) && !octets_have_high(octets)) {
			i += OCTETS;
			continue;
		}
		const unsigned char c = (unsigned char)s.ptr[i];
		if (c < 0x20 || c == '"' || c == '\\')
			break;
		if (c < 0x80) {
			i++;
			continue;
		}
		struct str rest = str_slice(s, i, s.len);
		if (!utf8_take(&rest, &code_point))
			break;
		i = s.len - rest.len;
	}
	return i;
}

static void add_string(struct buf *out, struct str s)
{
	buf_add_char(out, '"');
	while (!str_is_empty(s)) {
		const size_t plain = plain_len(s);
		buf_add(out, str_slice(s, 0, plain));
		s = str_slice(s, plain, s.len);
		if (str_is_empty(s))
			break;
		const unsigned char c = (unsigned char)s.ptr[0];
		if (c < 0x80)
			add_escaped(out, c);
		else
			buf_add_z(out, "\xef\xbf\xbd"); /* U+FFFD for a byte that is not UTF-8 */
		s = str_slice(s, 1, s.len);
	}
	buf_add_char(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
	json_key_str(w, str_of(key));
}

void json_key_str(struct json_writer *w, struct str key)
{
	assert(is_in_object(w));
	assert(!w->after_key);
	put_comma(w);
	add_string(w->out, key);
	buf_add_char(w->out, ':');
	w->after_key = true;
}

void json_put_str(struct json_writer *w, struct str value)
{
	begin_value(w);
	add_string(w->out, value);
}

void json_put_int(struct json_writer *w, int64_t value)
{
	begin_value(w);
	buf_add_i64(w->out, value);
}

void json_put_null(struct json_writer *w)
{
	begin_value(w);
	buf_add(w->out, STR("null"));
}

void json_put_raw(struct json_writer *w, struct str json_text)
{
	begin_value(w);
	buf_add(w->out, str_is_empty(json_text) ? STR("null") : json_text);
}

/* The shortest of 15 to 17 digits that reads back as the same number; a whole one keeps a ".0", so
 * that it stays a real. */
static void add_real(struct buf *out, double value)
{
	char text[40];
	if (!isfinite(value)) {
		buf_add(out, STR("null"));
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_add_z(out, text);
	if (strpbrk(text, ".e") == NULL)
		buf_add(out, STR(".0"));
}

static void add_value(struct buf *out, const struct json *value)
{
	switch (value->type) {
	case JSON_TYPE_NULL:
		buf_add(out, STR("null"));
		return;
	case JSON_TYPE_BOOL:
		buf_add(out, value->boolean ? STR("true") : STR("false"));
		return;
	case JSON_TYPE_INT:
		buf_add_i64(out, value->integer);
		return;
	case JSON_TYPE_REAL:
		add_real(out, value->real);
		return;
	case JSON_TYPE_STRING:
		add_string(out, value->string);
		return;
	case JSON_TYPE_ARRAY:
	case JSON_TYPE_OBJECT:
		break;
	}
	const bool is_object = value->type == JSON_TYPE_OBJECT;
	buf_add_char(out, is_object ? '{' : '[');
	for (size_t i = 0; i < value->count; i++) {
		if (i > 0)
			buf_add_char(out, ',');
		if (is_object) {
			add_string(out, value->keys[i]);
			buf_add_char(out, ':');
		}
		add_value(out, &value->items[i]);
	}
	buf_add_char(out, is_object ? '}' : ']');
}

void json_put_value(struct json_writer *w, const struct json *value)
{
	static const struct json null_value = {.type = JSON_TYPE_NULL};
	begin_value(w);
	add_value(w->out, value != NULL ? value : &null_value);
}

void json_member_str(struct json_writer *w, const char *key, struct str value)
{
	json_key(w, key);
	json_put_str(w, value);
}

void json_member_str_or_null(struct json_writer *w, const char *key, struct str value)
{
	if (str_is_empty(value))
		json_member_null(w, key);
	else
		json_member_str(w, key, value);
}

void json_member_int(struct json_writer *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_put_int(w, value);
}

void json_member_bool(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	begin_value(w);
	buf_add(w->out, value ? STR("true") : STR("false"));
}

void json_member_null(struct json_writer *w, const char *key)
{
	json_key(w, key);
	json_put_null(w);
}

void json_member_instant(struct json_writer *w, const char *key, int64_t us)
{
	char text[TIMETEXT_INSTANT_BYTES];
	if (us == 0) {
		json_member_null(w, key);
		return;
	}
	const size_t len = timetext_write_instant(text, us);
	json_member_str(w, key, (struct str){text, len});
}
