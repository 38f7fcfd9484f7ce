/* SPDX-License-Identifier: Apache-2.0
 * The words by which a post is found, and those that a person looks for. Both are made alike, so
 * that a database has nothing to do but compare bytes: letters and digits alone, without case and
 * diacritics, in compatibility form. Scripts that put no space between words (Han, kana, Thai, Lao,
 * Burmese, Khmer) come in pairs of letters. A word holds neither a space nor a quote nor a sign of
 * any query language. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "post.h"

/* Rises with every change of what post_words_of() gives: then the index is filled again. */
#define POST_WORDS_FORMAT 1
#define POST_WORD_MAX_BYTES 96
/* What is kept of one post; the rest of its text is not found. */
#define POST_WORDS_MAX_BYTES ((size_t)64 << 10)
#define POST_WORDS_ASKED_MAX 16

/* All words of the post, in their order, with one space between two: of its texts, what overrides
 * say instead, what describes its media, and the titles, descriptions and tags among its options.
 * Empty when there are none. */
struct str post_words_of(struct arena *arena, const struct post_content *content);

struct post_word {
	struct str text;
	bool is_begin; /* words that begin so fit too: what was typed last may not be all */
};

/* What was typed, as words that all have to be there: the first POST_WORDS_ASKED_MAX. Returns how
 * many; 0 when it holds no letter and no digit. */
size_t post_words_asked(struct arena *arena, struct str typed,
			struct post_word words[POST_WORDS_ASKED_MAX]);
