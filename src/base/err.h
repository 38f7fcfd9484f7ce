/* SPDX-License-Identifier: Apache-2.0
 * Errors: the returned enum decides, the caller-owned struct tells. Kinds are one table
 * (err_kinds.def). Text is for people and never decides anything; it holds no secret and no
 * newline. */
#pragma once

#include <stdint.h>

enum err_kind {
	ERR_NONE,
#define ERR_KIND(name, slug, http, meaning) ERR_##name,
#include "err_kinds.def"
#undef ERR_KIND
	ERR_KIND_COUNT
};

struct error {
	enum err_kind kind;
	int native; /* errno, SQLite or libcurl code: for the log, never for a decision */
	int64_t retry_after_ms; /* 0 = no advice */
	char text[256];         /* one English sentence */
};

/* Fills err (NULL is allowed) and returns kind, so that `return error_set(err, ERR_NOT_FOUND, ...)`
 * reads well. */
enum err_kind error_set(struct error *err, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* As error_set, with the native code of the call that failed. */
enum err_kind error_set_native(struct error *err, enum err_kind kind, int native,
			       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Puts "context: " before the text and returns err->kind. */
enum err_kind error_add(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *err_kind_slug(enum err_kind kind);
int err_kind_http_status(enum err_kind kind);
