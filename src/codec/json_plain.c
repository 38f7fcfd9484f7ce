/* SPDX-License-Identifier: Apache-2.0
 * The text is copied once, with NULs behind it that end every loop, and its strings stay where they
 * are in the copy: an escape is longer than what it stands for. The values of containers that are
 * open stand on one stack; a container that closes takes its own from there into the arena. */
#include "json_plain.h"

#include "arena.h"

#include "octets.h"
#include "utf8.h"

/* What is more is rare; a text that turns out not to be plain leaves little in the arena. */
#define TEXT_MAX_BYTES ((size_t)64 << 10)
#define NODES_MAX 2000
#define DEPTH_MAX 32
#define OPEN_MAX 64   /* on the stack, which the build zeroes: little */
#define DIGITS_MAX 18 /* any such number fits */

struct plain {
	struct arena *arena;
	char *at;
	unsigned depth_left;
	unsigned nodes_left;
	size_t open;
	struct json values[OPEN_MAX];
	struct str keys[OPEN_MAX];
};

static void skip_blanks(struct plain *p)
{
	while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
		p->at++;
}

static bool take(struct plain *p, char byte)
{
	const bool is_there = *p->at == byte;
	p->at += is_there ? 1 : 0;
	return is_there;
}

/* ---- texts ---- */

/* The end of what stands in a text as it is. */
static char *run_end(char *at, bool *has_high)
{
	uint64_t octets = octets_load(at);
	while (!octets_end_json_text(octets)) {
		*has_high = *has_high || octets_have_high(octets);
		at += OCTETS;
		octets = octets_load(at);
	}
	while ((unsigned char)*at >= 0x20 && *at != '"' && *at != '\\') {
		*has_high = *has_high || (unsigned char)*at >= 0x80;
		at++;
	}
	return at;
}

static bool take_escape(struct plain *p, char **to)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter = p->at[1] != '\0' ? strchr(letters, p->at[1]) : NULL;
	if (letter == NULL)
		return false;
	*(*to)++ = meanings[letter - letters];
	p->at += 2;
	return true;
}

/* At the opening quotation mark. */
static bool take_text(struct plain *p, struct str *out)
{
	char *const start = ++p->at;
	char *to = start;
	bool has_high = false;
	for (;;) {
		char *const from = p->at;
		p->at = run_end(from, &has_high);
		if (to != from)
			memmove(to, from, (size_t)(p->at - from));
		to += p->at - from;
		if (take(p, '"'))
			break;
		if (*p->at != '\\' || !take_escape(p, &to))
			return false;
	}
	*to = '\0'; /* as the texts of the other way have */
	*out = (struct str){start, (size_t)(to - start)};
	return !has_high || utf8_is_valid(*out);
}

/* ---- numbers and words ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take_integer(struct plain *p, struct json *to)
{
	const bool is_negative = take(p, '-');
	const char *const digits = p->at;
	int64_t value = 0;
	while (is_digit(*p->at) && p->at - digits < DIGITS_MAX)
		value = value * 10 + (*p->at++ - '0');
	const ptrdiff_t count = p->at - digits;
	if (count == 0 || (*digits == '0' && count > 1) || is_digit(*p->at) || *p->at == '.' ||
	    *p->at == 'e' || *p->at == 'E')
		return false;
	to->type = JSON_TYPE_INT;
	to->integer = is_negative ? -value : value;
	return true;
}

static bool take_word(struct plain *p, const char *word)
{
	const size_t len = strlen(word);
	const bool is_there = strncmp(p->at, word, len) == 0;
	p->at += is_there ? len : 0;
	return is_there;
}

static bool take_bool(struct plain *p, struct json *to)
{
	to->type = JSON_TYPE_BOOL;
	to->boolean = *p->at == 't';
	return take_word(p, to->boolean ? "true" : "false");
}

/* ---- containers ---- */

static bool take_value(struct plain *p, struct json *to);

/* The key of the value at, and the colon; first is the container's first value. */
static bool take_key(struct plain *p, size_t first, size_t at)
{
	const char *const start = p->at + 1;
	if (*p->at != '"' || !take_text(p, &p->keys[at]) || p->at - start - 1 > JSON_KEY_MAX_BYTES)
		return false;
	for (size_t i = first; i < at; i++) {
		if (str_equal(p->keys[i], p->keys[at]))
			return false;
	}
	skip_blanks(p);
	if (!take(p, ':'))
		return false;
	skip_blanks(p);
	return true;
}

static bool close_container(struct plain *p, size_t first, struct json *to)
{
	const size_t count = p->open - first;
	struct json *items = arena_try_alloc(p->arena, count * sizeof(*items));
	if (items == NULL)
		return false;
	memcpy(items, &p->values[first], count * sizeof(*items));
	to->count = count;
	to->items = items;
	p->open = first;
	p->depth_left++;
	if (to->type == JSON_TYPE_ARRAY)
		return true;
	struct str *keys = arena_try_alloc(p->arena, count * sizeof(*keys));
	if (keys == NULL)
		return false;
	memcpy(keys, &p->keys[first], count * sizeof(*keys));
	to->keys = keys;
	return true;
}

/* At the opening bracket. */
static bool take_container(struct plain *p, struct json *to)
{
	const size_t first = p->open;
	const bool is_object = *p->at++ == '{';
	const char bracket = is_object ? '}' : ']';
	to->type = is_object ? JSON_TYPE_OBJECT : JSON_TYPE_ARRAY;
	if (p->depth_left-- == 0)
		return false;
	skip_blanks(p);
	bool is_closed = take(p, bracket);
	while (!is_closed) {
		if (p->open == OPEN_MAX)
			return false;
		const size_t at = p->open++;
		if ((is_object && !take_key(p, first, at)) || !take_value(p, &p->values[at]))
			return false;
		skip_blanks(p);
		is_closed = take(p, bracket);
		if (!is_closed && !take(p, ','))
			return false;
		skip_blanks(p);
	}
	return close_container(p, first, to);
}

static bool take_value(struct plain *p, struct json *to)
{
	if (p->nodes_left-- == 0)
		return false;
	*to = (struct json){.type = JSON_TYPE_NULL};
	switch (*p->at) {
	case '{':
	case '[':
		return take_container(p, to);
	case '"':
		to->type = JSON_TYPE_STRING;
		return take_text(p, &to->string);
	case 't':
	case 'f':
		return take_bool(p, to);
	case 'n':
		return take_word(p, "null");
	default:
		return take_integer(p, to);
	}
}

/* Also of an escaped backslash before a u, which may then go the other way. */
static bool has_unicode_escape(struct str text)
{
	size_t at = 0;
	while ((at = str_find_char(text, '\\', at)) != SIZE_MAX) {
		if (++at < text.len && text.ptr[at] == 'u')
			return true;
	}
	return false;
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

bool json_plain_parse(struct arena *arena, struct str text, const struct json_plain_limits *limits,
		      const struct json **json_out)
{
	struct plain p; /* values and keys are written before they are read */
	if (str_is_empty(text) || text.len > TEXT_MAX_BYTES || has_unicode_escape(text))
		return false;
	struct json *root = arena_try_alloc(arena, sizeof(*root));
	char *copy = arena_try_alloc(arena, text.len + OCTETS);
	if (root == NULL || copy == NULL)
		return false;
	memcpy(copy, text.ptr, text.len);
	p.arena = arena;
	p.at = copy;
	p.depth_left = lesser(limits->depth_max, DEPTH_MAX);
	p.nodes_left = lesser(limits->nodes_max, NODES_MAX);
	p.open = 0;
	skip_blanks(&p);
	if (!take_value(&p, root))
		return false;
	skip_blanks(&p);
	if (p.at != copy + text.len)
		return false;
	*json_out = root;
	return true;
}
