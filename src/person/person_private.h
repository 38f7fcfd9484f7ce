/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share: the run of one verb, and its ports. Tests bring their own
 * ports; person_main.c has the real ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"
#include "err.h"
#include "random.h"
#include "str.h"

#include "transfer.h"

#include "person_flags.h"

#define PERSON_ARENA_MAX_BYTES ((size_t)64 << 20)

enum person_status { PERSON_DONE = 0, PERSON_FAILED = 1, PERSON_WRONG_USE = 2 };

struct person {
	struct arena *arena; /* lives as long as the run */
	/* for answers that are looked at and forgotten: a loop clears it in every turn */
	struct arena *scratch;
	const struct transport *transport;
	const struct clock *clock;
	const struct random_source *random;
	/* Sleeps that long; 0 = not at all. False: the run is to end (Ctrl-C where a verb takes
	 * it). */
	bool (*nap)(void *context, int64_t ms);
	/* Shows url to the user in a browser; false when there is none. NULL = there is none. */
	bool (*open_browser)(void *context, struct str url);
	void *context; /* of both */
	FILE *in;
	FILE *out;
	FILE *err;
	bool err_is_terminal; /* progress may replace its own line */
	struct str url;       /* the service's, without a slash at the end */
	struct str token;     /* empty: the verb needs none */
	struct str client_id; /* the app's, for verbs that act as it; else empty */
	struct str client_secret;
	struct str secret; /* POSTHORN_WEBHOOK_SECRET; empty = make one */
	const struct person_flags *flags;
	uint64_t calls; /* made so far */
	/* Ids of the files that person_body_upload() has uploaded, by the place of their flag;
	 * NULL = none. */
	struct str *media_ids;
};

static inline bool person_wants_json(const struct person *person)
{
	return person_flag_is_given(person->flags, PERSON_FLAG_json);
}

/* The verbs (person_verbs.def). Each returns the exit status and has said everything. */
#define PERSON_VERB(name, word, most, least, usage, summary) \
	enum person_status person_verb_##name(struct person *person);
#include "person_verbs.def"
#undef PERSON_VERB

/* The run itself, with ports set by the caller and flags parsed. environment: as environ. Checks
 * token and URL, and calls the verb. */
enum person_status person_run(struct person *person, char *const *environment);
