/* SPDX-License-Identifier: Apache-2.0
 * Instants as text, as requests may write them (api-decisions.md 6, scheduled_at) and as answers
 * show them (section 1). HTTP dates are codec/httpdate.h. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct arena;

struct civil_date {
	int year;  /* 1..9999 */
	int month; /* 1..12 */
	int day;   /* 1..31 */
};

/* "YYYY-MM-DDTHH:MM:SS[.fraction]Z" with capital T and Z, 1 to 9 fraction digits (cut to
 * microseconds), no second 60, a real calendar instant of the years 1970 to 9999. False
 * otherwise. */
bool timetext_parse_instant(struct str text, int64_t *us_out);
/* "YYYY-MM-DD", a real day. */
bool timetext_parse_date(struct str text, struct civil_date *date_out);
/* A real day of the years 1 to 9999. */
bool timetext_date_is_valid(struct civil_date date);
/* "2026-11-21T05:44:40Z", with a fraction (no trailing zeros) only where it is not zero. */
struct str timetext_format_instant(struct arena *arena, int64_t us);
/* Midnight UTC at the start of that day. */
int64_t timetext_date_us(struct civil_date date);
/* Days from 1970-01-01 to the UTC day of us; negative before 1970. */
int64_t timetext_day_number(int64_t us);
/* The UTC day of us. */
struct civil_date timetext_date(int64_t us);

#define TIMETEXT_INSTANT_BYTES 64

/* As timetext_format_instant, NUL-terminated into out; returns the length. For callers without an
 * arena (log.c). */
size_t timetext_write_instant(char out[TIMETEXT_INSTANT_BYTES], int64_t us);
