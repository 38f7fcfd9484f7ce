/* SPDX-License-Identifier: Apache-2.0
 * Errors. The returned kind (err_kinds.def) decides what happens next; the struct, owned by the
 * caller, explains it to people. The text decides nothing, and holds no secret and no newline. */
#pragma once

#include <stdint.h>

enum err_kind {
	ERR_NONE,
#define ERR_KIND(name, slug, meaning) ERR_##name,
#include "err_kinds.def"
#undef ERR_KIND
	ERR_KIND_COUNT
};

struct error {
	enum err_kind kind;
	/* errno, SQLite or libcurl code: for the log, never for a decision */
	int native;
	int64_t retry_after_ms; /* 0 = no advice */
	char text[512];         /* one line of English, cut between characters when it is longer */
};

/* Fills err (may be NULL) with kind and text and returns kind, so that callers can write
 * `return error_set(err, ERR_NOT_FOUND, ...)`. Control characters become spaces. */
enum err_kind error_set(struct error *err, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* As error_set, with the native code of the call that failed. */
enum err_kind error_set_native(struct error *err, enum err_kind kind, int native,
			       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Puts "context: " before the text and returns err->kind; INTERNAL when err is NULL. */
enum err_kind error_add(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "not_found"; "none" for ERR_NONE. */
const char *err_kind_slug(enum err_kind kind);
