/* SPDX-License-Identifier: Apache-2.0
 * The command line that an order is for ffmpeg: the film on descriptor 0, the MP4 on 3, how far it
 * is on standard output. It is told the format to read, and reads no other; it opens files and no
 * address, and nothing that the film names. And what its complaints mean. Pure. */
#pragma once

#include <stddef.h>

#include "str.h"

#include "film_order.h"

#define FILM_WORDS_MAX 96
#define FILM_WORDS_BYTES 1024
#define FILM_INPUT_FD 0
#define FILM_OUTPUT_FD 3

struct film_words {
	/* from the program's name on, ended by NULL; literals, or in text */
	const char *words[FILM_WORDS_MAX];
	size_t count;
	char text[FILM_WORDS_BYTES];
	size_t text_len;
};

void film_words_make(const struct film_order *order, struct film_words *words_out);
/* Of an ffmpeg that failed, by what it said; BROKEN where that is nothing known. */
enum film_outcome film_words_judge(struct str said);
