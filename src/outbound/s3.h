/* SPDX-License-Identifier: Apache-2.0
 * A folder of a bucket in an S3-compatible store. Requests are signed by libcurl (AWS Signature
 * Version 4), objects are addressed by path (ENDPOINT/BUCKET/NAME). Every function but s3_open()
 * and s3_free() blocks on the network, for as long as bytes move; any thread may call, several at
 * once. The keys never reach a log or an error. The address is the operator's: no guard. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#define S3_SCHEME "s3://"
#define S3_NAME_MAX_BYTES 200 /* of an object, without the folder */

struct arena;
struct s3;

struct s3_keys {
	struct str id;
	struct str secret;
	struct str session_token; /* empty = none */
};

/* url: s3://BUCKET[/FOLDER]?endpoint=URL&region=NAME; without an endpoint Amazon's of the region,
 * without a region us-east-1. INVALID: what is wrong with it, as a sentence for operators. */
enum err_kind s3_open(const char *url, const struct s3_keys *keys, struct s3 **s3_out,
		      struct error *err);
/* Nulls; NULL inside is fine. */
void s3_free(struct s3 **s3);

/* Can the folder be listed? FORBIDDEN: the keys are refused; NOT_FOUND: there is no such bucket;
 * TEMPORARY: it cannot be reached, or is not well. */
enum err_kind s3_check(struct s3 *s3, struct error *err);

struct s3_range {
	int fd; /* read with pread(), at no position of its own */
	int64_t offset_bytes;
	int64_t size_bytes;
};
/* The object is these bytes, or nothing is changed; they are signed by their hash, so what arrives
 * otherwise is refused there. TEMPORARY, FORBIDDEN, NOT_FOUND as above. */
enum err_kind s3_put(struct s3 *s3, struct str name, const struct s3_range *bytes,
		     struct error *err);
/* Appends the object to fd. NOT_FOUND: there is none. On any error fd may hold a part. */
enum err_kind s3_get(struct s3 *s3, struct str name, int fd, struct error *err);
/* NONE also when there was none. */
enum err_kind s3_remove(struct s3 *s3, struct str name, struct error *err);

struct s3_object {
	struct str name; /* without the folder */
	int64_t changed_at_us;
};
/* Objects whose names begin with prefix, after a name (empty = from the first), in the order of
 * their names; up to 1,000. In arena. */
enum err_kind s3_list(struct s3 *s3, struct arena *arena, struct str prefix, struct str after,
		      struct s3_object **out, size_t *count_out, struct error *err);
