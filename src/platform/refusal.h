/* SPDX-License-Identifier: Apache-2.0
 * Reading a refusal: a platform's error table (x.md 4) as rows, of which the
 * first match wins. Each platform's own file takes its error bodies apart into facts; what a row
 * means for the flow is model/failure.h. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "failure.h"
#include "platform.h"

#define REFUSAL_MARKERS_MAX 8

/* How long a quota or limit holds when the platform gives no Retry-After. */
enum refusal_wait {
	WAIT_BY_SCHEDULE, /* our own retry schedule */
	WAIT_MINUTE,      /* at least: it grows while the limit is met again */
	/* at least a quarter of an hour and growing, until 00:00 UTC: it may be the day's quota */
	WAIT_QUARTER_TO_MIDNIGHT_UTC,
	WAIT_DAY,
	WAIT_MIDNIGHT_UTC,
	WAIT_MIDNIGHT_PACIFIC
};

/* A platform's error, taken apart. */
struct refusal_facts {
	int status;
	/* codes, the most specific first: it becomes platform_code */
	struct str markers[REFUSAL_MARKERS_MAX];
	size_t marker_count;
	struct str message; /* the platform's words */
	bool is_readable;   /* the body has the form of this platform's errors */
};

struct refusal {
	int status;         /* 0 = any */
	const char *marker; /* one of the markers; NULL = any */
	const char *words;  /* somewhere in the message; NULL = any */
	enum failure_class class;
	enum failure_code code;
	enum refusal_wait wait;
	const char *sentence; /* NULL ends the table (the row before it matches everything) */
};

/* One row: REFUSAL(403, "quotaExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_UTC,
 * "...") */
#define REFUSAL(status, marker, words, class, code, wait, sentence) \
	{ \
		status, marker, words, FAILURE_##class, FAILURE_CODE_##code, WAIT_##wait, sentence \
	}

/* Adds a marker; an empty one is dropped. */
void refusal_marker_add(struct refusal_facts *facts, struct str marker);
/* Returns the first row that fits, else the last one. */
const struct refusal *refusal_find(const struct refusal *rows, const struct refusal_facts *facts);
/* Fills a STEP_FAIL from the row that fits. The reply's Retry-After wins over the row's own
 * wait. */
void refusal_fail(const struct refusal *rows, const struct env *env,
		  const struct refusal_facts *facts, const struct reply *reply, struct step *step);
/* Does this answer to a publish call prove that nothing became visible? By rules.md 2.2 rule
 * 3 only a well-formed error of the platform does; 401 and 429 say so by their status alone. */
bool refusal_is_certain(const struct refusal_facts *facts);
/* Milliseconds from now until that wait is over, or for a growing one its least; 0 for
 * WAIT_BY_SCHEDULE. For tests. */
int64_t refusal_wait_ms(enum refusal_wait wait, int64_t now_us);
/* Puts that wait into the failure, as an end that is known or as a floor. */
void refusal_advise(enum refusal_wait wait, int64_t now_us, struct failure *failure);
