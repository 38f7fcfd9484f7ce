/* SPDX-License-Identifier: Apache-2.0
 * One call to another node of this installation, blocking, on the caller's thread. It has a
 * connection of its own and is never repeated here, follows no redirect, and knows no guard: the
 * address is one that the operator's nodes have told each other. Everything else that goes out is a
 * transfer (transfer.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "transfer.h"

struct arena;

struct relay_call {
	struct str url; /* POST */
	const struct transfer_header *headers;
	size_t header_count;
	struct str body;
	const char *body_path; /* a file instead of body; NULL = none */
	int64_t body_size_bytes;
	int64_t timeout_ms; /* > 0 */
	size_t answer_max_bytes;
	const char *answer_header; /* the one to give back */
	/* Asked about every second: the caller does not wait any longer. */
	bool (*must_end)(void *context);
	void *context;
};

struct relay_answer {
	enum transfer_outcome outcome;
	int status;
	struct str header; /* of answer_header; empty = none */
	struct str body;
	struct str problem; /* a sentence without the URL; empty when ANSWERED */
};

/* Fills out; texts live in arena. Any thread. */
void relay_run(const struct relay_call *call, struct arena *arena, struct relay_answer *out);
