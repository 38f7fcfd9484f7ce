/* SPDX-License-Identifier: Apache-2.0
 * Profile pictures of simulated accounts: small SVGs, so that pages that show accounts have
 * something to show. */
#pragma once

#include "str.h"

struct sandbox_call;

/* Answers with a square of that colour ("#0a66c2") and those initials. Both are literals: nothing
 * is escaped. */
void sandbox_avatar_initials(struct sandbox_call *call, const char *initials, const char *colour);
/* Answers with a square in the platform's colour and the first letter of label, '@' when it is not
 * ASCII. */
void sandbox_avatar_letter(struct sandbox_call *call, struct str label);
