/* SPDX-License-Identifier: Apache-2.0
 * Forms and percent-encoding: WHATWG URL 5.1 for reading, RFC 3986 2.1 and 2.3 for writing.
 * Everything is decoded exactly once; a broken sequence is refused, not guessed at. */
#include "form.h"

#include "arena.h"
#include "buf.h"

#include "utf8.h"

#define PAIRS_MAX_DEFAULT 256

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

enum decoded { DECODED, DECODED_BROKEN, DECODED_NO_ROOM };

static enum decoded decode(struct arena *arena, struct str s, bool plus_is_blank, struct str *out)
{
	char *decoded = arena_try_alloc(arena, s.len + 1);
	if (decoded == NULL)
		return DECODED_NO_ROOM;
	size_t len = 0;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		if (c == '+' && plus_is_blank)
			c = ' ';
		if (c == '%') {
			const int high = i + 2 < s.len ? hex_value(s.ptr[i + 1]) : -1;
			const int low = high >= 0 ? hex_value(s.ptr[i + 2]) : -1;
			if (low < 0)
				return DECODED_BROKEN;
			c = (char)(high << 4 | low);
			i += 2;
		}
		decoded[len++] = c;
	}
	*out = (struct str){decoded, len};
	return DECODED;
}

static enum err_kind decode_part(struct arena *arena, struct str s, struct str *out,
				 struct error *err)
{
	const enum decoded decoded = decode(arena, s, true, out);
	if (decoded == DECODED_NO_ROOM)
		return error_set(err, ERR_TOO_LARGE, "the form is too large");
	if (decoded == DECODED_BROKEN)
		return error_set(err, ERR_INVALID, "the form has an invalid percent sequence");
	if (!utf8_is_valid(*out))
		return error_set(err, ERR_INVALID, "the form is not valid UTF-8");
	return ERR_NONE;
}

static enum err_kind parse_pair(struct arena *arena, struct str field, struct form_pair *pair,
				struct error *err)
{
	struct str name = field;
	struct str value = {0};
	if (str_take_until(&field, '=', &name))
		value = str_slice(field, 1, field.len);
	const enum err_kind kind = decode_part(arena, name, &pair->name, err);
	if (kind != ERR_NONE)
		return kind;
	return decode_part(arena, value, &pair->value, err);
}

static size_t count_fields(struct str text)
{
	size_t count = 0;
	struct str field;
	while (str_take_field(&text, '&', &field))
		count += !str_is_empty(field);
	return count;
}

enum err_kind form_parse(struct arena *arena, struct str text, size_t pairs_max,
			 struct form *form_out, struct error *err)
{
	const size_t count = count_fields(text);
	if (count > (pairs_max > 0 ? pairs_max : PAIRS_MAX_DEFAULT))
		return error_set(err, ERR_TOO_LARGE, "the form has too many fields");
	struct form_pair *pairs = arena_try_alloc(arena, count * sizeof(*pairs));
	if (pairs == NULL)
		return error_set(err, ERR_TOO_LARGE, "the form is too large");
	size_t parsed = 0;
	struct str field;
	while (str_take_field(&text, '&', &field)) {
		if (str_is_empty(field))
			continue;
		const enum err_kind kind = parse_pair(arena, field, &pairs[parsed], err);
		if (kind != ERR_NONE)
			return kind;
		parsed++;
	}
	*form_out = (struct form){pairs, parsed};
	return ERR_NONE;
}

const struct str *form_find(const struct form *form, const char *name)
{
	for (size_t i = 0; i < form->count; i++) {
		if (str_equal_z(form->pairs[i].name, name))
			return &form->pairs[i].value;
	}
	return NULL;
}

size_t form_count(const struct form *form, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < form->count; i++)
		count += str_equal_z(form->pairs[i].name, name);
	return count;
}

void form_add(struct buf *out, const char *name, struct str value)
{
	form_add_str(out, str_of(name), value);
}

void form_add_str(struct buf *out, struct str name, struct str value)
{
	if (!str_is_empty(buf_str(out)))
		buf_add_char(out, '&');
	percent_encode(out, name);
	buf_add_char(out, '=');
	percent_encode(out, value);
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

void percent_encode(struct buf *out, struct str s)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t start = 0; /* of what is unreserved and not yet added */
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		if (is_unreserved(s.ptr[i]))
			continue;
		const char sequence[] = {'%', digits[c >> 4], digits[c & 15]};
		buf_add(out, str_slice(s, start, i));
		buf_add(out, (struct str){sequence, sizeof(sequence)});
		start = i + 1;
	}
	buf_add(out, str_slice(s, start, s.len));
}

bool percent_decode(struct arena *arena, struct str s, struct str *out)
{
	return decode(arena, s, false, out) == DECODED;
}
