/* SPDX-License-Identifier: Apache-2.0
 * Lengths as platforms count them beyond codec/utf8.h: X's weighted length (twitter-text v3,
 * x.md 3.1). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Weighted length of NFC-normalised text: URLs 23, emoji sequences 2, the light ranges 1,
 * everything else 2. */
int64_t x_text_count_weighted(struct str text);

/* Bytes begin to end (not with it) of a text. */
struct x_text_span {
	size_t begin;
	size_t end;
};

/* The addresses that X would shorten, in order; at most max of them. None when memory is short. */
size_t x_text_count_urls(struct str text, struct x_text_span *spans_out, size_t max);
