/* SPDX-License-Identifier: Apache-2.0
 * See post_words.h. */
#include "post_words.h"

#include <string.h>

#include <utf8proc.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "utf8.h"

/* One letter of a script that is cut into pairs, with its marks. */
#define UNIT_MAX_BYTES 24
/* No code point decomposes into more (Unicode, NFKD). */
#define DECOMPOSED_MAX 18

enum word_kind {
	WORD_PLAIN,
	WORD_PAIR,
	WORD_TAIL, /* the last letter of a run of pairs */
	WORD_LONE  /* a run of one letter */
};

struct splitter {
	void (*emit)(void *context, struct str word, enum word_kind kind);
	void *context;
	/* the word so far, or the letter of a pair */
	char word[POST_WORD_MAX_BYTES];
	size_t length;
	bool is_dense; /* of a script without spaces */
	/* the letter before, in such a script */
	char before[UNIT_MAX_BYTES];
	size_t before_length;
	bool is_in_run; /* a pair was given */
	char pair[2 * UNIT_MAX_BYTES];
};

struct code_range {
	uint32_t first;
	uint32_t last;
};

static bool is_in(const struct code_range *ranges, size_t count, uint32_t code_point)
{
	for (size_t i = 0; i < count; i++) {
		if (code_point >= ranges[i].first && code_point <= ranges[i].last)
			return true;
	}
	return false;
}

/* Thai, Lao, Burmese, Khmer, kana, Han. */
static bool is_dense(uint32_t code_point)
{
	static const struct code_range ranges[] = {
		{0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff},   {0x3041, 0x30ff},
		{0x31f0, 0x31ff}, {0x3400, 0x9fff}, {0x20000, 0x3ffff},
	};
	return is_in(ranges, COUNT_OF(ranges), code_point);
}

/* Accents, the points of Hebrew and the vowel signs of Arabic, which many leave out. */
static bool is_diacritic(uint32_t code_point)
{
	static const struct code_range ranges[] = {
		{0x0300, 0x036f}, {0x0591, 0x05c7}, {0x064b, 0x065f}, {0x0670, 0x0670},
		{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
	};
	return is_in(ranges, COUNT_OF(ranges), code_point);
}

static bool is_mark(uint32_t code_point)
{
	const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
	return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

static bool is_letter(uint32_t code_point)
{
	const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
	return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
	       (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

static void end_letter(struct splitter *s)
{
	if (s->length == 0)
		return;
	if (s->before_length > 0) {
		memcpy(s->pair, s->before, s->before_length);
		memcpy(s->pair + s->before_length, s->word, s->length);
		s->emit(s->context, (struct str){s->pair, s->before_length + s->length}, WORD_PAIR);
		s->is_in_run = true;
	}
	memcpy(s->before, s->word, s->length);
	s->before_length = s->length;
	s->length = 0;
}

static void end_word(struct splitter *s)
{
	if (s->is_dense) {
		end_letter(s);
		if (s->before_length > 0)
			s->emit(s->context, (struct str){s->before, s->before_length},
				s->is_in_run ? WORD_TAIL : WORD_LONE);
	} else if (s->length > 0) {
		s->emit(s->context, (struct str){s->word, s->length}, WORD_PLAIN);
	}
	s->length = s->before_length = 0;
	s->is_in_run = s->is_dense = false;
}

static void add_code_point(struct splitter *s, uint32_t code_point)
{
	const size_t max = s->is_dense ? UNIT_MAX_BYTES : POST_WORD_MAX_BYTES;
	utf8proc_uint8_t bytes[4];
	const utf8proc_ssize_t length = utf8proc_encode_char((utf8proc_int32_t)code_point, bytes);
	if (length <= 0 || s->length + (size_t)length > max)
		return;
	memcpy(s->word + s->length, bytes, (size_t)length);
	s->length += (size_t)length;
}

/* One of a decomposed, folded text. */
static void take(struct splitter *s, uint32_t code_point)
{
	const bool is_begun = s->length > 0 || s->before_length > 0;
	if (is_diacritic(code_point))
		return;
	if (is_begun && is_mark(code_point)) {
		add_code_point(s, code_point);
		return;
	}
	if (!is_letter(code_point)) {
		end_word(s);
		return;
	}
	const bool is_of_dense = is_dense(code_point);
	if (is_begun && is_of_dense != s->is_dense)
		end_word(s);
	s->is_dense = is_of_dense;
	if (is_of_dense)
		end_letter(s);
	add_code_point(s, code_point);
}

static void split(struct splitter *s, struct str text)
{
	uint32_t code_point = 0;
	while (utf8_take(&text, &code_point)) {
		utf8proc_int32_t parts[DECOMPOSED_MAX];
		int boundary = 0;
		if (code_point < 0x80) {
			const bool is_capital = code_point >= 'A' && code_point <= 'Z';
			take(s, is_capital ? code_point + 'a' - 'A' : code_point);
			continue;
		}
		const utf8proc_ssize_t count = utf8proc_decompose_char(
			(utf8proc_int32_t)code_point, parts, DECOMPOSED_MAX,
			UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
			&boundary);
		for (utf8proc_ssize_t i = 0; i < count && i < DECOMPOSED_MAX; i++)
			take(s, (uint32_t)parts[i]);
	}
	end_word(s);
}

/* ---- of a post ---- */

static void keep(void *context, struct str word, enum word_kind kind)
{
	struct buf *out = context;
	(void)kind;
	if (out->len + word.len + 1 > out->max_bytes)
		return;
	if (out->len > 0)
		buf_add_char(out, ' ');
	buf_add(out, word);
}

static void split_container(struct splitter *s, const struct container *container)
{
	split(s, container->content);
	for (size_t i = 0; i < container->media_count; i++)
		split(s, container->media[i].alt_text);
}

static bool is_text_option(struct str key)
{
	static const char *const keys[] = {
		"title",         "description",       "tags",
		"media_title",   "media_description", "content_tags",
		"custom_labels", "photo_captions",    "poll",
	};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (str_equal_z(key, keys[i]))
			return true;
	}
	return false;
}

/* Options are as deep as a request may be (json_limits). */
static void split_options(struct splitter *s, const struct json *value, bool is_text)
{
	if (value == NULL)
		return;
	if (value->type == JSON_TYPE_STRING && is_text)
		split(s, value->string);
	for (size_t i = 0; i < value->count; i++) {
		const bool is_named =
			value->type == JSON_TYPE_OBJECT && is_text_option(value->keys[i]);
		split_options(s, &value->items[i], is_text || is_named);
	}
}

static void split_override(struct splitter *s, const struct post_override *override)
{
	split_container(s, &override->first);
	for (size_t i = 0; i < override->container_count; i++)
		split_container(s, &override->containers[i]);
	split_options(s, override->options, false);
}

struct str post_words_of(struct arena *arena, const struct post_content *content)
{
	struct buf out;
	struct splitter s = {.emit = keep, .context = &out};
	buf_init(&out, arena, POST_WORDS_MAX_BYTES);
	for (size_t i = 0; i < content->container_count; i++)
		split_container(&s, &content->containers[i]);
	for (size_t i = 0; i < content->override_count; i++)
		split_override(&s, &content->overrides[i]);
	split_options(&s, content->options, false);
	return buf_str(&out);
}

/* ---- asked for ---- */

struct asking {
	struct arena *arena;
	struct post_word *words;
	size_t count;
};

/* The pairs of a run say all of it. */
static void ask(void *context, struct str word, enum word_kind kind)
{
	struct asking *a = context;
	if (kind == WORD_TAIL || a->count == POST_WORDS_ASKED_MAX)
		return;
	a->words[a->count++] = (struct post_word){str_copy(a->arena, word), kind == WORD_LONE};
}

size_t post_words_asked(struct arena *arena, struct str typed,
			struct post_word words[POST_WORDS_ASKED_MAX])
{
	struct asking asking = {.arena = arena, .words = words};
	struct splitter s = {.emit = ask, .context = &asking};
	split(&s, typed);
	if (asking.count > 0)
		words[asking.count - 1].is_begin = true;
	return asking.count;
}
