/* SPDX-License-Identifier: Apache-2.0
 * Where the user's browser comes back to after a platform's consent page: a listener on a free port
 * of the loopback address (RFC 8252, 7.3), for one connection. */
#pragma once

#include <stdbool.h>

#include "err.h"
#include "str.h"

struct arena;
struct random_source;
struct person_back;

struct person_returned {
	struct str confirmation_token; /* empty = none was given */
};

/* Listens; its threads answer the browser. Owns nothing of the caller's. TEMPORARY, INTERNAL: it
 * cannot listen, err says why. */
enum err_kind person_back_open(const struct random_source *random, struct person_back **back_out,
			       struct error *err);
/* "http://127.0.0.1:49152/", valid until it is closed. */
struct str person_back_url(const struct person_back *back);
/* From now on a browser that comes back for this connection counts; others get a page that sends
 * them away. */
void person_back_expect(struct person_back *back, struct str connection_id);
/* Has the browser come back? Texts live in arena. Does not block. */
bool person_back_take(struct person_back *back, struct arena *arena,
		      struct person_returned *returned_out);
/* Lets a page that is being sent end (at most a second), frees, nulls. */
void person_back_close(struct person_back **back);
