/* SPDX-License-Identifier: Apache-2.0
 * Waiting until a post is published or has failed, with progress on standard error. */
#pragma once

#include <stdbool.h>

#include "str.h"

#include "person_private.h"

/* Blocks until the post is final, then prints how it ended (with --json the answer). A service that
 * does not answer is waited for as well, for a minute. Without has_patience it stops waiting after
 * five minutes, which is DONE: the post is accepted and goes on. DONE: everything is published;
 * FAILED: something is not, or the service cannot be reached; said. */
enum person_status person_wait_post(struct person *person, struct str post_id, bool has_patience);
