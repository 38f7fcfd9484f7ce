/* SPDX-License-Identifier: Apache-2.0
 * What publishing a post to an account will come to: the calls, in order, as one table tells them.
 * It is told before anything is fetched or asked (POST /v1/posts/validate); polls and the pieces of
 * a file stand once, and what only an answer tells stands in braces. That it is what happens is
 * tested flow by flow against the timelines of real runs (tests/api/test_validate.py). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "account.h"
#include "post.h"

struct platform;

struct plan_call {
	size_t part;       /* the container it is for; 0 is the post */
	const char *stage; /* as in the timeline */
	const char *method;
	const char *host_path;
	bool publishes;      /* something becomes visible by it */
	const char *summary; /* a few words */
};

/* Ten containers of 35 files with four calls each. */
#define PLAN_CALLS_MAX 1600

/* Writes the calls for a post that has that type on the platform (rules_post_type), at most max;
 * returns how many there are. */
size_t plan_make(const struct platform *platform, const struct post_content *post,
		 enum post_type type, enum account_type account_type, struct plan_call *calls,
		 size_t max);
