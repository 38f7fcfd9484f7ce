/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn's "little" text, as its server reads it (linkedin.md 2.9). A backslash escapes
 * a reserved character; mentions and hashtags are elements; any other reserved character ends the
 * text. LinkedIn publishes the truncated post all the same: that trap is why this file exists. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#include "utf8.h"

#define RESERVED "\\|{}@[]()<>#*_~"
#define TEXT_BYTES_MAX (1024 * 1024) /* request bodies are not longer */

struct reading {
	struct str in;
	struct buf *shown;
	struct buf *canonical;
};

static bool is_reserved(char c)
{
	return c != '\0' && strchr(RESERVED, c) != NULL;
}

/* Letters and digits of any script: every non-ASCII byte counts as a letter. */
static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c & 0x80) != 0;
}

static void put_escaped(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_reserved(s.ptr[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, s.ptr[i]);
	}
}

static void put_plain(struct reading *reading, char c)
{
	buf_add_char(reading->shown, c);
	put_escaped(reading->canonical, (struct str){&c, 1});
}

static bool take_escape(struct str *in, char *c_out)
{
	if (in->len < 2 || in->ptr[0] != '\\' || !is_reserved(in->ptr[1]))
		return false;
	*c_out = in->ptr[1];
	*in = str_slice(*in, 2, in->len);
	return true;
}

/* Reads up to a closing character. False when another unescaped reserved character comes first. */
static bool take_name(struct str *in, char stop, struct buf *name)
{
	while (in->len > 0) {
		char c;
		if (take_escape(in, &c)) {
			buf_add_char(name, c);
			continue;
		}
		c = in->ptr[0];
		if (c == stop)
			return buf_str(name).len > 0;
		if (is_reserved(c))
			return false;
		buf_add_char(name, c);
		*in = str_slice(*in, 1, in->len);
	}
	return false;
}

static bool take_urn_kind(struct str *in, struct str *kind_out)
{
	static const char *const kinds[] = {"urn:li:organization:", "urn:li:person:"};
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		*kind_out = str_of(kinds[i]);
		if (str_skip(in, *kind_out))
			return true;
	}
	return false;
}

/* The id at the end of a URN: letters, digits, '-' and '_', the last with or without its backslash
 * [U, 2.9]. */
static bool take_urn_id(struct str *in, struct buf *id)
{
	while (in->len > 0 && in->ptr[0] != ')') {
		char c;
		if (!take_escape(in, &c)) {
			c = in->ptr[0];
			*in = str_slice(*in, 1, in->len);
		}
		if ((c & 0x80) != 0 || (!is_word(c) && c != '-' && c != '_'))
			return false;
		buf_add_char(id, c);
	}
	return buf_str(id).len > 0;
}

/* @[Exact Name](urn:li:person:abc) */
static bool take_mention(struct reading *reading)
{
	struct arena *arena = reading->shown->arena;
	struct str in = reading->in;
	struct buf name;
	buf_init(&name, arena, TEXT_BYTES_MAX);
	struct buf id;
	buf_init(&id, arena, TEXT_BYTES_MAX);
	struct str kind;
	if (!(str_skip(&in, STR("@[")) && take_name(&in, ']', &name) && str_skip(&in, STR("](")) &&
	      take_urn_kind(&in, &kind) && take_urn_id(&in, &id) && str_skip(&in, STR(")"))))
		return false;
	buf_add(reading->shown, buf_str(&name));
	buf_add_z(reading->canonical, "@[");
	put_escaped(reading->canonical, buf_str(&name));
	buf_add_z(reading->canonical, "](");
	buf_add(reading->canonical, kind);
	put_escaped(reading->canonical, buf_str(&id));
	buf_add_z(reading->canonical, ")");
	reading->in = in;
	return true;
}

static void put_hashtag(struct reading *reading, struct str word)
{
	buf_add_char(reading->shown, '#');
	buf_add(reading->shown, word);
	buf_add_z(reading->canonical, "{hashtag|\\#|");
	put_escaped(reading->canonical, word);
	buf_add_z(reading->canonical, "}");
}

/* {hashtag|\#|word} */
static bool take_hashtag_template(struct reading *reading)
{
	struct str in = reading->in;
	struct buf word;
	buf_init(&word, reading->shown->arena, TEXT_BYTES_MAX);
	if (!(str_skip(&in, STR("{hashtag|\\#|")) && take_name(&in, '}', &word) &&
	      str_skip(&in, STR("}"))))
		return false;
	put_hashtag(reading, buf_str(&word));
	reading->in = in;
	return true;
}

/* #word */
static bool take_hashtag(struct reading *reading)
{
	if (reading->in.ptr[0] != '#')
		return false;
	size_t end = 1;
	while (end < reading->in.len && is_word(reading->in.ptr[end]))
		end++;
	if (end == 1)
		return false;
	put_hashtag(reading, str_slice(reading->in, 1, end));
	reading->in = str_slice(reading->in, end, reading->in.len);
	return true;
}

/* Reads one character or element. False at the reserved character that ends the text. */
static bool take_next(struct reading *reading)
{
	char c;
	if (take_escape(&reading->in, &c)) {
		put_plain(reading, c);
		return true;
	}
	if (take_mention(reading) || take_hashtag_template(reading) || take_hashtag(reading))
		return true;
	if (is_reserved(reading->in.ptr[0]))
		return false;
	put_plain(reading, reading->in.ptr[0]);
	reading->in = str_slice(reading->in, 1, reading->in.len);
	return true;
}

static size_t count_characters(struct str commentary)
{
	size_t count = 0;
	uint32_t code_point;
	char c;
	while (take_escape(&commentary, &c) || utf8_take(&commentary, &code_point))
		count++;
	return count;
}

void sandbox_linkedin_text_read(struct arena *arena, struct str commentary,
				struct linkedin_text *text_out)
{
	struct buf shown;
	struct buf canonical;
	struct reading reading = {.in = commentary, .shown = &shown, .canonical = &canonical};
	buf_init(&shown, arena, TEXT_BYTES_MAX);
	buf_init(&canonical, arena, TEXT_BYTES_MAX);
	bool is_going_on = true;
	while (is_going_on && reading.in.len > 0)
		is_going_on = take_next(&reading);
	*text_out = (struct linkedin_text){
		.shown = buf_str(&shown),
		.canonical = buf_str(&canonical),
		.length = count_characters(commentary),
		.is_cut = !is_going_on,
	};
}
