/* SPDX-License-Identifier: Apache-2.0
 * The log: one line per event, typed fields, JSON or text, to one file descriptor. There is no
 * field type for secrets: log their presence, never their value. URLs are logged as host and path,
 * without the query. Thread-safe: a line is one write(2). A NULL log is silent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

struct clock;

struct log {
	int fd;
	_Atomic(enum log_level) level; /* lines below it are dropped; may change at any time */
	enum log_format format;
	const struct clock *clock; /* NULL = lines without a time */
};

struct log_field {
	const char *name;
	enum { LOG_FIELD_STR, LOG_FIELD_INT, LOG_FIELD_MS } type;
	struct str text;
	int64_t number;
};

static inline struct log_field log_str(const char *name, struct str value)
{
	return (struct log_field){.name = name, .type = LOG_FIELD_STR, .text = value};
}

static inline struct log_field log_int(const char *name, int64_t value)
{
	return (struct log_field){.name = name, .type = LOG_FIELD_INT, .number = value};
}

/* A time in microseconds, written in milliseconds: 12.345. */
static inline struct log_field log_ms(const char *name, int64_t us)
{
	return (struct log_field){.name = name, .type = LOG_FIELD_MS, .number = us};
}

#define LOG_LINE_BYTES_MAX 4096

/* The line that log_write() would write, with its newline. Returns its length, 0 when level is
 * below the log's or log is NULL. */
size_t log_line(const struct log *log, enum log_level level, const char *event,
		const struct log_field *fields, size_t count, char out[LOG_LINE_BYTES_MAX]);
/* Writes one line, or nothing when level is below the log's. event: a stable slug such as
 * "delivery_failed". Control characters in values are escaped; a line has at most 4 KiB, and values
 * that do not fit are cut. May block on the descriptor; a line that cannot be written is lost. */
void log_write(const struct log *log, enum log_level level, const char *event,
	       const struct log_field *fields, size_t count);

/* LOG(log, INFO, "app_created", log_str("app", id), log_int("n", 3)); at least one field. */
#define LOG(log, level, event, ...) \
	log_write((log), LOG_##level, (event), (const struct log_field[]){__VA_ARGS__}, \
		  sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))
