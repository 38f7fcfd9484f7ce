/* SPDX-License-Identifier: Apache-2.0
 * The problems of a request, collected: field path, sentence, and which of the API's error codes it
 * leads to. Also warnings, which let the request pass. The order of kinds is the order of
 * api-decisions.md 6: the lowest kind present names the answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct arena;

enum problem_kind {
	PROBLEM_SHAPE,    /* 422 VALIDATION_ERROR */
	PROBLEM_MEDIA,    /* 422 INVALID_MEDIA */
	PROBLEM_SCHEDULE, /* 422 INVALID_SCHEDULE */
	PROBLEM_ACCOUNT,  /* 422 INVALID_ACCOUNT */
	PROBLEM_RULE,     /* 422 VALIDATION_ERROR: a platform's rule */
	PROBLEM_KIND_COUNT
};

#define PROBLEMS_MAX 100 /* more are counted, not kept */

struct problem {
	enum problem_kind kind;
	struct str field;      /* "containers.1.type" (api-decisions.md 1) */
	struct str message;    /* a sentence */
	struct str reason;     /* slug of the rule or reason: "text_too_long", "refused_host" */
	struct str account_id; /* for rules and accounts; else empty */
	int64_t limit;         /* of a rule with a number; -1 = none */
	int64_t actual;        /* what was found; -1 = none */
	bool is_of_file;       /* a file was looked at, and does not do */
};

struct warning {
	struct str field;
	struct str code;
	struct str message;
};

struct problems {
	struct arena *arena;
	struct problem *items;
	size_t count;      /* kept in items */
	size_t seen_count; /* with those that were not kept */
	struct warning *warnings;
	size_t warning_count;
};

/* Empty; everything added lives in arena. */
void problems_init(struct problems *problems, struct arena *arena);
/* A problem without account and numbers; field and message are printf formats' results made by the
 * caller with str_format. */
void problem_add(struct problems *problems, enum problem_kind kind, struct str field,
		 const char *reason, struct str message);
/* A platform's rule that account_id breaks (PROBLEM_RULE). limit, actual: -1 = none. */
void problem_add_rule(struct problems *problems, struct str field, const char *reason,
		      struct str account_id, int64_t limit, int64_t actual, struct str message);
/* An account that cannot be published to: PROBLEM_ACCOUNT. */
void problem_add_account(struct problems *problems, struct str field, const char *reason,
			 struct str account_id, struct str message);
/* One that was found elsewhere. */
void problem_add_whole(struct problems *problems, const struct problem *problem);
/* The same field and code again adds nothing. */
void warning_add(struct problems *problems, struct str field, const char *code, struct str message);
