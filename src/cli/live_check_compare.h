/* SPDX-License-Identifier: Apache-2.0
 * What a platform answered, held against the transcripts that adapters and sandbox were written by
 * (tests/transcripts): an unknown call, an unknown status, a name that is missing or of another
 * type, and names that are new. Ids are passed over. Pure. */
#pragma once

#include <stddef.h>

#include "str.h"

struct arena;
struct buf;

/* One call with its answer, of a transcript. */
struct transcript_call {
	const char *platform;
	const char *method;
	const char *host_path; /* as it stands there, without query */
	int status;
	const char
		*names; /* a line for each: "data.id s", with s n b o a z for the type; "" = none */
};

/* Made at build time by embed_transcripts.py. */
extern const struct transcript_call transcript_calls[];
extern const size_t transcript_calls_count;

struct live_call {
	struct str platform;
	struct str method;
	struct str host_path;
	int status;
	struct str answer;
};

/* Adds a line for each difference to out, in plain words; returns how many. What is merely new is
 * told and not counted. Takes memory of arena. */
size_t live_check_compare(struct arena *arena, const struct live_call *call, struct buf *out);
