/* SPDX-License-Identifier: Apache-2.0
 * The plan of a post: the calls that publishing it to an account will take, in order. It is made
 * before anything is fetched or asked (POST /v1/posts/validate), from the table that each platform
 * keeps beside its stages (NAME_plan.c). Polls and the pieces of a file appear once; what only an
 * answer can say stands in braces. tests/api/test_validate.py holds plans against the timelines of
 * real runs. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "account.h"
#include "post.h"

struct json;
struct platform;

/* ---- a platform's table ---- */

/* Which parts of the post. */
enum plan_part { PLAN_POST = 1, PLAN_COMMENTS = 2 };

/* What a part holds. */
enum plan_shape {
	PLAN_TEXT = 1,
	PLAN_IMAGE = 2,  /* one, and nothing else */
	PLAN_IMAGES = 4, /* several, and nothing else */
	PLAN_VIDEO = 8,  /* one, and nothing else */
	PLAN_MIXED = 16  /* all else */
};

/* Once, or for each file of the part that is such a one. */
enum plan_each {
	PLAN_ONCE,
	PLAN_EACH_IMAGE,
	PLAN_EACH_VIDEO,
	PLAN_EACH_FILE,
	PLAN_EACH_ALT_TEXT,
	PLAN_EACH_THUMBNAIL
};

#define PLAN_TYPE(type) (1U << POST_TYPE_##type)

/* One call. Rows stand in the order of the calls; neighbours that are for each file are repeated
 * together, file by file. */
struct plan_row {
	const char *stage; /* of OPERATION_PUBLISH; NULL ends the table */
	/* Conditions; 0, false or NULL = always. */
	unsigned parts;  /* enum plan_part, or-ed */
	unsigned types;  /* PLAN_TYPE()s of the post, or-ed */
	unsigned shapes; /* enum plan_shape, or-ed */
	enum plan_each each;
	bool only_organization;  /* for accounts of ACCOUNT_ORGANIZATION */
	const char *only_option; /* when the post has that option */
	const char *only_value;  /* ... and it is this text */
	/* instead: unless that option is this text; it may be missing */
	const char *unless_value;

	const char *method;
	const char *host_path; /* without "https://" */
	bool publishes;        /* something becomes visible by it */
	const char *summary;   /* a few words */
};

/* ---- a plan ---- */

struct plan_call {
	size_t part;       /* index of the container it is for; 0 is the post */
	const char *stage; /* as in the timeline */
	const char *method;
	const char *host_path;
	bool publishes;
	const char *summary;
};

/* Ten containers of 35 files with four calls each. */
#define PLAN_CALLS_MAX 1600

/* For whom a plan is made. */
struct plan_account {
	enum account_type type;
	const struct json *extra; /* account_found.extra; NULL = none */
};

/* Writes the calls for a post of that type (rules_post_type()), at most max of them, all texts of
 * static lifetime. Returns how many there are, which may be more than max. */
size_t plan_make(const struct platform *platform, const struct post_content *post,
		 enum post_type type, const struct plan_account *account, struct plan_call *calls,
		 size_t max);
