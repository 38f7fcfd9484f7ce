/* SPDX-License-Identifier: Apache-2.0
 * The profile picture of a simulated account: a coloured square with initials, so that pages that
 * show accounts have something to show. */
#pragma once

struct sandbox_call;

/* Answers 200 image/svg+xml. initials and colour ("#0a66c2") are literals: nothing is escaped. */
void sandbox_avatar_answer(struct sandbox_call *call, const char *initials, const char *colour);
