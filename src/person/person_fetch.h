/* SPDX-License-Identifier: Apache-2.0
 * What the verbs ask the service for: one call whose refusal is said, and the paths of lists. */
#pragma once

#include <stddef.h>

#include "str.h"

#include "person_flags.h"
#include "person_private.h"

struct arena;
struct person_answer;
struct person_request;

/* A flag and the query parameter that its values become. */
struct person_filter {
	enum person_flag flag;
	const char *parameter;
};

/* Makes the call. DONE: the answer has the status that is wanted, and lives in the run's arena.
 * FAILED: not; said. Blocks. */
enum person_status person_fetch_call(struct person *person, const struct person_request *request,
				     int wanted, struct person_answer *answer_out);
/* person_fetch_call() of GET path, with 200. */
enum person_status person_fetch(struct person *person, struct str path,
				struct person_answer *answer_out);
/* The same for what a person reads. NULL: nothing is left to do and *status_out is how the verb
 * ends, since the call failed or --json has printed the answer. */
const struct person_answer *person_fetch_shown(struct person *person, struct str path,
					       enum person_status *status_out);
/* path with the filters that are given as its query, in the run's arena. */
struct str person_fetch_list_path(struct person *person, struct str path,
				  const struct person_filter *filters, size_t count);
/* head, that word as one segment (percent-encoded, whatever was typed), and tail, in arena. */
struct str person_fetch_path(struct arena *arena, const char *head, struct str word,
			     const char *tail);
/* head, the word after the verb (percent-encoded, whatever was typed), and tail:
 * "/v1/webhooks/ID/test"; in the run's arena. */
struct str person_fetch_word_path(struct person *person, const char *head, const char *tail);
/* The body that names the accounts of --account, if any, and says republish where that is given; in
 * the run's arena. */
struct str person_fetch_accounts_body(struct person *person);
