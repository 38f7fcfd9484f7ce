/* SPDX-License-Identifier: Apache-2.0
 * What a platform calls things is data from outside: ids, cursors and addresses are stored, shown
 * to customers and put into later calls. These functions are the one way from an answer to them.
 * Each gives what it was given, or an empty text, which callers take as "the answer does not say":
 * after a publish call that is an unknown outcome. Pure. */
#pragma once

#include "str.h"

struct env;
struct json;

/* LinkedIn's comment URNs are the longest that we know (linkedin.md 2.10), under 100 bytes. */
#define ANSWER_ID_MAX_BYTES 256
#define ANSWER_CURSOR_MAX_BYTES 1024

/* A text or a whole number that can be an id: 1 to 256 bytes of A-Z a-z 0-9 - . _ ~ : , ( ) @ = +
 * %, not "." or "..", and without a token or secret of this call in it. */
struct str answer_id(const struct env *env, const struct json *value);
/* The same of a text, from a header for example. */
struct str answer_id_of(const struct env *env, struct str text);
/* Where a list goes on: as an id, also with / and up to 1,024 bytes. */
struct str answer_cursor(const struct env *env, const struct json *value);
/* An absolute http or https URL to show: at most 2,048 bytes without controls and without a token
 * or secret of this call. */
struct str answer_url(const struct env *env, struct str text);
