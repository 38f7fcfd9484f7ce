/* SPDX-License-Identifier: Apache-2.0
 * What the verbs ask the service for: one call whose refusal is said, and the paths of lists. */
#pragma once

#include <stddef.h>

#include "str.h"

#include "person_flags.h"
#include "person_private.h"

struct person_answer;

/* A flag and the query parameter that its values become. */
struct person_filter {
	enum person_flag flag;
	const char *parameter;
};

/* GET path. DONE: 200, and the answer lives in the run's arena. FAILED: not; said. Blocks. */
enum person_status person_fetch(struct person *person, struct str path,
				struct person_answer *answer_out);
/* path with the filters that are given as its query, in the run's arena. */
struct str person_fetch_list_path(struct person *person, struct str path,
				  const struct person_filter *filters, size_t count);
/* head, the word after the verb (percent-encoded, whatever was typed), and tail:
 * "/v1/webhooks/ID/test"; in the run's arena. */
struct str person_fetch_word_path(struct person *person, const char *head, const char *tail);
