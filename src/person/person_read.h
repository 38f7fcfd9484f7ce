/* SPDX-License-Identifier: Apache-2.0
 * How posts are shown; shared by the verbs that read them and those that wait for them. */
#pragma once

#include "str.h"

#include "person_private.h"

struct json;

/* data of a post's answer: where it is out on each account, or why not and what to do, on standard
 * output. */
void person_read_print_targets(struct person *person, const struct json *data);
/* The same data: what the post is, and the answer's ETag where it has one. */
void person_read_print_head(struct person *person, const struct json *data, struct str etag);
/* DONE: everything that was asked for is published. FAILED: not, or not yet. */
enum person_status person_read_outcome(const struct json *data);
