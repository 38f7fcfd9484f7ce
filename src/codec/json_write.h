/* SPDX-License-Identifier: Apache-2.0
 * JSON out: a streaming writer onto a buf, no tree. Puts the commas itself. Strings are escaped and
 * must be UTF-8: a byte that is not is written as U+FFFD, so that the output is always valid JSON.
 * Misnesting is our bug and asserts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#define JSON_WRITER_DEPTH_MAX 32

struct buf;
struct json;

struct json_writer {
	struct buf *out;
	unsigned depth;
	/* a comma is due before the next element at this depth */
	bool has_items[JSON_WRITER_DEPTH_MAX];
	bool is_object[JSON_WRITER_DEPTH_MAX];
	bool has_root; /* the one value of depth 0 is begun */
	bool after_key;
};

/* Writes one value to the end of out. The writer puts the commas; when out is full, out->is_over
 * says so and nothing more is written. */
void json_writer_init(struct json_writer *w, struct buf *out);
/* Every begin needs its end. Inside an object each value needs a key before it. */
void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_key_str(struct json_writer *w, struct str key);
/* A value of an array, after a key, or the whole text. Strings are escaped. */
void json_put_str(struct json_writer *w, struct str value);
void json_put_int(struct json_writer *w, int64_t value);
void json_put_null(struct json_writer *w);
/* A value that is JSON text already. */
void json_put_raw(struct json_writer *w, struct str json_text);
/* A parsed value again. */
void json_put_value(struct json_writer *w, const struct json *value);

/* Members in one call. */
void json_member_str(struct json_writer *w, const char *key, struct str value);
/* null when value.ptr is NULL or it is empty. */
void json_member_str_or_null(struct json_writer *w, const char *key, struct str value);
/* A key and its value, inside an object. */
void json_member_int(struct json_writer *w, const char *key, int64_t value);
void json_member_bool(struct json_writer *w, const char *key, bool value);
void json_member_null(struct json_writer *w, const char *key);
/* An instant as api-decisions.md 1 writes it; 0 = null. */
void json_member_instant(struct json_writer *w, const char *key, int64_t us);
