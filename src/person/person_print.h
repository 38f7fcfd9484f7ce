/* SPDX-License-Identifier: Apache-2.0
 * What people read: texts that cannot take over a terminal, tables, refusals, progress. Everything
 * that comes from a service or a platform goes through person_print_text(). */
#pragma once

#include <stddef.h>

#include "str.h"

#include "person_private.h"

struct json;
struct person_answer;

#define PERSON_COLUMNS_MAX 8

struct person_table {
	struct arena *arena;
	const char *const *heads;
	size_t columns;
	struct str *cells; /* rows x columns */
	size_t rows;
	size_t rows_max;
};

/* Text on one line: control and direction characters become blanks, bytes that are not UTF-8
 * "?". */
void person_print_text(FILE *out, struct str text);
/* The same, at most columns wide; a longer text ends with "...". */
struct str person_print_short(struct arena *arena, struct str text, size_t columns);

/* "Scheduled   2027-01-15T08:00:00Z" and a line's end, on standard output; an empty text is "-". */
void person_print_line(struct person *person, const char *head, struct str text);
/* An instant of the API, to the second. */
struct str person_print_instant(struct arena *arena, struct str instant);
/* "page 1 of 3, 41 posts", by the answer's meta. what: of one. */
void person_print_page(struct person *person, const struct json *meta, const char *what);

/* A table of at most rows_max rows; heads live longer. */
void person_table_begin(struct person_table *table, struct arena *arena, const char *const *heads,
			size_t columns, size_t rows_max);
/* One row: as many texts as there are columns; an empty one shows as "-". Rows beyond rows_max are
 * left out. */
void person_table_add(struct person_table *table, const struct str *cells);
/* indent: before each line. */
void person_table_print(FILE *out, const struct person_table *table, const char *indent);

/* A table of a row for each item: add calls person_table_add() once. In the run's arena. */
void person_print_list(struct person *person, const struct json *items, const char *const *heads,
		       size_t columns,
		       void (*add)(struct person_table *table, const struct json *item));

/* "posthorn: ...", on standard error. Returns the status, so that callers can write `return
 * person_say_wrong(...)`. */
enum person_status person_say_wrong(struct person *person, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* PERSON_WRONG_USE */
enum person_status person_say_failed(struct person *person, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* PERSON_FAILED */
/* The answer's error with its fields, and what to do about it; with --json the answer itself on
 * standard output. PERSON_FAILED. */
enum person_status person_say_refusal(struct person *person, const struct person_answer *answer);
/* The answer as the service sent it, on standard output. */
void person_print_json(struct person *person, const struct person_answer *answer);
/* The rows of "warnings" in data, on standard error. */
void person_say_warnings(struct person *person, const struct json *data);
