/* SPDX-License-Identifier: Apache-2.0
 * Little text: one pass over the text, three kinds of pieces. */
#include "little_text.h"

#include <utf8proc.h>

#include "buf.h"

#include "utf8.h"

static bool is_reserved(char c)
{
	return c != '\0' && strchr("\\|{}@[]()<>#*_~", c) != NULL;
}

static bool is_urn_id_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Letters and digits of any script: only they make a hashtag of a "#", and an emoji keycap is "#"
 * too. */
static bool is_word_char(uint32_t code_point)
{
	const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
	return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
	       category == UTF8PROC_CATEGORY_ND;
}

static void add_escaped(struct buf *out, struct str plain)
{
	for (size_t i = 0; i < plain.len; i++) {
		if (is_reserved(plain.ptr[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, plain.ptr[i]);
	}
}

struct mention {
	struct str name;
	struct str urn_type;
	struct str urn_id;
};

static bool take_urn_id(struct str *in, struct str *id_out)
{
	size_t len = 0;
	while (len < in->len && is_urn_id_char(in->ptr[len]))
		len++;
	*id_out = str_slice(*in, 0, len);
	*in = str_slice(*in, len, in->len);
	return len > 0;
}

/* @[Name](urn:li:person:id) or @[Name](urn:li:organization:id) */
static bool take_mention(struct str *in, struct mention *mention_out)
{
	struct str rest = *in;
	struct mention mention = {.urn_type = STR("person")};
	if (!str_skip(&rest, STR("@[")) || !str_take_until(&rest, ']', &mention.name) ||
	    str_is_empty(mention.name) || !str_skip(&rest, STR("](urn:li:")))
		return false;
	if (!str_skip(&rest, STR("person:"))) {
		if (!str_skip(&rest, STR("organization:")))
			return false;
		mention.urn_type = STR("organization");
	}
	if (!take_urn_id(&rest, &mention.urn_id) || !str_skip(&rest, STR(")")))
		return false;
	*in = rest;
	*mention_out = mention;
	return true;
}

static void add_mention(struct buf *out, const struct mention *mention)
{
	buf_add_z(out, "@[");
	add_escaped(out, mention->name);
	buf_add_z(out, "](urn:li:");
	buf_add(out, mention->urn_type);
	buf_add_char(out, ':');
	add_escaped(out, mention->urn_id);
	buf_add_char(out, ')');
}

static bool is_hashtag_start(struct str in, bool after_word)
{
	uint32_t code_point = 0;
	return !after_word && str_skip(&in, STR("#")) && utf8_take(&in, &code_point) &&
	       is_word_char(code_point);
}

/* One code point, or one byte where it is none. */
static struct str take_character(struct str *in, bool *is_word_out)
{
	const struct str before = *in;
	uint32_t code_point = 0;
	if (!utf8_take(in, &code_point))
		*in = str_slice(*in, 1, in->len);
	*is_word_out = is_word_char(code_point);
	return str_slice(before, 0, before.len - in->len);
}

struct str little_text_escape(struct arena *arena, struct str text)
{
	struct buf out;
	struct mention mention;
	bool after_word = false;
	buf_init(&out, arena, 2 * text.len + 1);
	while (text.len > 0) {
		if (take_mention(&text, &mention)) {
			add_mention(&out, &mention);
			after_word = false;
		} else if (is_hashtag_start(text, after_word)) {
			buf_add_char(&out, '#');
			text = str_slice(text, 1, text.len);
		} else {
			add_escaped(&out, take_character(&text, &after_word));
		}
	}
	return buf_str(&out);
}

/* {hashtag|\#|word} */
static bool take_hashtag_template(struct str *in, struct str *word_out)
{
	struct str rest = *in;
	struct str sign;
	if (!str_skip(&rest, STR("{hashtag|")) || !str_take_until(&rest, '|', &sign) ||
	    !str_skip(&rest, STR("|")) || !str_take_until(&rest, '}', word_out) ||
	    !str_skip(&rest, STR("}")))
		return false;
	*in = rest;
	return true;
}

static void add_unescaped(struct buf *out, struct str *in)
{
	const bool is_escape = in->len > 1 && in->ptr[0] == '\\';
	buf_add_char(out, in->ptr[is_escape ? 1 : 0]);
	*in = str_slice(*in, is_escape ? 2 : 1, in->len);
}

struct str little_text_unescape(struct arena *arena, struct str little)
{
	struct buf out;
	struct str word;
	buf_init(&out, arena, little.len + 1);
	while (little.len > 0) {
		if (take_hashtag_template(&little, &word)) {
			buf_add_char(&out, '#');
			while (word.len > 0)
				add_unescaped(&out, &word);
		} else {
			add_unescaped(&out, &little);
		}
	}
	return buf_str(&out);
}
