/* SPDX-License-Identifier: Apache-2.0
 * Retry of many (api-decisions.md 12): failed platform posts of an app, and missing parts of
 * partial ones, found by filters and retried as store_post_retry() retries those of one post. */
#pragma once

#include <stddef.h>

#include "failure.h"
#include "store.h"

/* Platform posts in one call. */
#define RETRY_MANY_MAX 1000
#define RETRY_CODES_MAX FAILURE_CODE_COUNT

struct retry_many {
	struct str app_id;
	const struct str *account_ids; /* no duplicates */
	size_t account_count;          /* 0 = all */
	struct str error_codes[RETRY_CODES_MAX];
	size_t code_count; /* 0 = all */
	int64_t since_us;  /* failed at or after */
	bool republish;    /* also where the outcome of a publish call is unknown */
	bool has_expected;
	int64_t expected;
	int64_t now_us;
};

/* A platform post as it was found. */
struct retry_listed {
	struct str delivery_id;
	struct str post_id;
	int64_t fence; /* whoever changes it raises it */
};

struct retry_many_result {
	bool is_count_changed; /* there were others than expected: nothing was retried */
	size_t count;          /* platform posts found; of a run, those that were retried */
	struct str *post_ids;  /* of them, each once, oldest first */
	size_t post_count;
	bool has_more; /* the call reached RETRY_MANY_MAX */
};

/* What a run would retry now: the oldest failure first, at most RETRY_MANY_MAX. Never what was
 * cancelled, nor what is on an account that cannot be published to. Reads alone. */
enum err_kind store_retry_many_count(struct store *store, struct arena *arena,
				     const struct retry_many *many, struct retry_many_result *out,
				     struct error *err);
/* Retries it, in several transactions of bounded size, each of whole posts. A platform post that
 * somebody else changed since it was found is left alone, so runs side by side retry each once.
 * With an expected count, one that meets another at the first transaction retries nothing
 * (is_count_changed). After an error or a kill, what was retried stays so, and another run goes on
 * with the rest. Wake the engine afterwards, also after an error. */
enum err_kind store_retry_many(struct store *store, struct arena *arena,
			       const struct retry_many *many, struct retry_many_result *out,
			       struct error *err);
